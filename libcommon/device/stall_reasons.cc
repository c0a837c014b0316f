// SPDX-License-Identifier: MIT
#include "libcommon/device/stall_reasons.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

// A new vendor's reasons go here, in any order. Where the names come from:
//  - Intel: the counters of the EU stall sampler, as iaprof and gpustall(5) call them
//  - NVIDIA: NAME in CUPTI's smsp__pcsamp_warps_issue_stalled_NAME
//  - AMD: NAME in rocprofiler-sdk's ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_NAME
// The sentences are our own reading of the vendors' documentation. The advice is empty where a
// reason only says that another thread was faster, or that all is well.
constexpr StallReason kReasons[] = {
    {"active", "Intel", "At least one pipe was issuing: this is work, not a stall.",
     "Do less: fewer instructions in the hot loop, a better algorithm."},
    {"control", "Intel", "Waited for a branch to be resolved.",
     "Have fewer or less divergent branches: unroll, predicate."},
    {"pipestall", "Intel", "Was ready, but its arithmetic pipe could not take the instruction.",
     "Mix other instructions in and avoid register bank conflicts; more threads make it worse."},
    {"send", "Intel", "Was ready, but the send unit had no room for another message.",
     "Send fewer and wider messages: coalesce accesses, use block loads."},
    {"dist_acc", "Intel", "Waited for the result of an arithmetic instruction just before.",
     "Interleave independent operations, so that results are not needed at once."},
    {"sbid", "Intel",
     "Waited for a scoreboard token: a memory load, matrix or math result that an earlier "
     "instruction asked for.",
     "Look at the instruction that set the token; prefetch, pipeline loads, tile into local "
     "memory, "
     "have more threads, spill fewer registers."},
    {"sync", "Intel", "Waited at a barrier or for other threads.",
     "Have fewer barriers, balance the work before them, double-buffer local memory."},
    {"inst_fetch", "Intel", "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less."},
    {"other", "Intel", "Something else: flags, end of thread.",
     "Look closer only where it is more than a tenth."},
    {"tdr", "Intel", "Waited for the order of pixels: graphics, not compute.", ""},
    {"psdep", "Intel", "Waited for the order of pixels: graphics, not compute.", ""},

    {"barrier", "NVIDIA", "Waited at a barrier for other warps of the block.",
     "Balance the work before the barrier, use smaller blocks or synchronise fewer threads."},
    {"branch_resolving", "NVIDIA", "Waited for the target of a branch.",
     "Have fewer branches: unroll, predicate."},
    {"dispatch_stall", "NVIDIA", "The dispatcher held the instruction back.",
     "Rare; look for register file port conflicts."},
    {"drain", "NVIDIA", "Had ended, and waited for its stores to be written.",
     "Store less at the end of the kernel, coalesced."},
    {"imc_miss", "NVIDIA", "Waited for a constant that was not in the cache.",
     "Use fewer different constants, and the same one in all threads of a warp."},
    {"lg_throttle", "NVIDIA", "The queue of local and global memory instructions was full.",
     "Access memory less often and wider, spill fewer registers."},
    {"long_scoreboard", "NVIDIA", "Waited for data from global, local or texture memory.",
     "Coalesce, prefetch or keep data in shared memory; have more warps."},
    {"math_pipe_throttle", "NVIDIA", "Waited for a busy arithmetic pipe.",
     "Good where the pipe is the limit; otherwise mix other instructions in."},
    {"membar", "NVIDIA", "Waited at a memory fence.", "Have fewer fences, of a narrower scope."},
    {"mio_throttle", "NVIDIA",
     "The queue of memory input and output was full: shared memory, special math, dynamic "
     "branches.",
     "Use fewer and wider accesses to shared memory."},
    {"misc", "NVIDIA", "Something else.", ""},
    {"no_instructions", "NVIDIA", "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less; short kernels pay it once."},
    {"no_instruction", "NVIDIA", "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less; short kernels pay it once."},
    {"not_selected", "NVIDIA", "Was ready, but another warp was picked.",
     "Nothing is lost; fewer warps with more registers each may do as well."},
    {"selected", "NVIDIA", "Issued an instruction: this is work, not a stall.",
     "Do less: fewer instructions in the hot loop, a better algorithm."},
    {"short_scoreboard", "NVIDIA", "Waited for shared memory or for special math.",
     "Avoid bank conflicts, have fewer and wider accesses, replace special functions."},
    {"sleeping", "NVIDIA", "All threads of the warp were asleep.", "Sleep less or shorter."},
    {"tex_throttle", "NVIDIA", "The queue of texture instructions was full.",
     "Have fewer texture or surface instructions, or turn them into global loads."},
    {"wait", "NVIDIA", "Waited a fixed number of cycles for the instruction before.",
     "Interleave independent operations, so that results are not needed at once."},
    {"warpgroup_arrive", "NVIDIA", "Waited for a warp group's matrix instructions to begin.",
     "Pipeline the matrix instructions: have the next operands ready."},

    {"ALU_DEPENDENCY", "AMD", "Waited for the result of an arithmetic instruction.",
     "Interleave independent operations, so that results are not needed at once."},
    {"ARBITER_NOT_WIN", "AMD", "Was ready, but another wave was picked.",
     "Nothing is lost; fewer waves may do as well."},
    {"ARBITER_WIN_EX_STALL", "AMD", "Was picked, but its execution pipe was busy.",
     "Mix other instructions in."},
    {"BARRIER_WAIT", "AMD", "Waited at a barrier for other waves of the workgroup.",
     "Balance the work before the barrier, have fewer of them."},
    {"INTERNAL_INSTRUCTION", "AMD", "Was at an instruction that the hardware handles itself.", ""},
    {"NO_INSTRUCTION_AVAILABLE", "AMD", "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less."},
    {"OTHER_WAIT", "AMD", "Something else.", ""},
    {"SLEEP_WAIT", "AMD", "Was asleep.", "Sleep less or shorter."},
    {"WAITCNT", "AMD", "Waited for memory: an s_waitcnt instruction.",
     "Load earlier, coalesce, keep data in LDS; have more waves."},
};

}  // namespace

std::span<const StallReason> stall_reasons() {
  return kReasons;
}

const StallReason* find_stall_reason(std::string_view name) {
  // CUPTI has two families of names. `_not_issued` counts the samples at which the scheduler issued
  // nothing at all; the reason is the same.
  if (take_prefix(name, "smsp__pcsamp_warps_issue_stalled_") ||
      take_prefix(name, "smsp__pcsamp_warp_stall_")) {
    constexpr std::string_view kSuffix = "_not_issued";
    if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  }
  const auto* found = std::find_if(std::begin(kReasons), std::end(kReasons),
                                   [&](const StallReason& one) { return one.name == name; });
  return found == std::end(kReasons) ? nullptr : found;
}

}  // namespace aiflame
