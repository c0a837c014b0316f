// SPDX-License-Identifier: MIT
#include "libcommon/code/stall_reasons.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

using Category = StallReason::Category;

constexpr std::string_view kAmd = "AMD";

constexpr const char* kDoLess = "Do less: fewer instructions in the hot loop, a better algorithm.";

// A new vendor's reasons go here, in any order. Where the names come from:
//  - Intel: the counters of the EU stall sampler, as iaprof and gpustall(5) call them; `pipe` and
//    `insfetch` are short forms of two of them, in converted recordings
//  - NVIDIA: NAME in CUPTI's smsp__pcsamp_warps_issue_stalled_NAME
//  - AMD: NAME in rocprofiler-sdk's ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_NAME, in
//    small letters or capitals
//  - HPCToolkit: KIND:NAME in its metrics GCYCLES:ISU:NAME and GCYCLES:STL:NAME (before 2025
//    GINST:STL_NAME), in small letters. One set of names for three vendors, which keep some to
//    themselves
// The sentences are our own reading of the vendors' documentation, and so are the categories: of
// Intel's oneAPI GPU Optimization Guide ("Hardware-assisted Stall Sampling"), the warp stall
// reasons in NVIDIA's Nsight Compute documentation, "Analyzing PC sampling data" in
// rocprofiler-sdk's, and HPCToolkit's descriptions of its metrics. A queue of memory instructions
// that is full is `memory`, as those of HPCToolkit and NVIDIA that name it do; a branch is `fetch`,
// since what it holds up is the next instruction (HPCToolkit's IFET is both); a fence of memory is
// `sync`. The advice is empty where a reason only says that another thread was faster, or that all
// is well.
constexpr StallReason kReasons[] = {
    {"active", "Intel", Category::issuing,
     "At least one pipe was issuing: this is work, not a stall.", kDoLess},
    {"control", "Intel", Category::fetch, "Waited for a branch to be resolved.",
     "Have fewer or less divergent branches: unroll, predicate."},
    {"pipestall", "Intel", Category::pipe,
     "Was ready, but its arithmetic pipe could not take the instruction.",
     "Mix other instructions in and avoid register bank conflicts; more threads make it worse."},
    {"send", "Intel", Category::memory,
     "Was ready, but the send unit had no room for another message.",
     "Send fewer and wider messages: coalesce accesses, use block loads."},
    {"dist_acc", "Intel", Category::dependency,
     "Waited for the result of an arithmetic instruction just before.",
     "Interleave independent operations, so that results are not needed at once."},
    {"sbid", "Intel", Category::memory,
     "Waited for a scoreboard token: a memory load, matrix or math result that an earlier "
     "instruction asked for.",
     "Look at the instruction that set the token; prefetch, pipeline loads, tile into local "
     "memory, "
     "have more threads, spill fewer registers."},
    {"sync", "Intel", Category::sync, "Waited at a barrier or for other threads.",
     "Have fewer barriers, balance the work before them, double-buffer local memory."},
    {"inst_fetch", "Intel", Category::fetch, "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less."},
    {"pipe", "Intel", Category::pipe,
     "Was ready, but its arithmetic pipe could not take the instruction.",
     "Mix other instructions in and avoid register bank conflicts; more threads make it worse."},
    {"insfetch", "Intel", Category::fetch, "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less."},
    {"other", "Intel", Category::other, "Something else: flags, end of thread.",
     "Look closer only where it is more than a tenth."},
    {"tdr", "Intel", Category::other, "Waited for the order of pixels: graphics, not compute.", ""},
    {"psdep", "Intel", Category::other, "Waited for the order of pixels: graphics, not compute.",
     ""},

    {"barrier", "NVIDIA", Category::sync, "Waited at a barrier for other warps of the block.",
     "Balance the work before the barrier, use smaller blocks or synchronise fewer threads."},
    {"branch_resolving", "NVIDIA", Category::fetch, "Waited for the target of a branch.",
     "Have fewer branches: unroll, predicate."},
    {"dispatch_stall", "NVIDIA", Category::pipe, "The dispatcher held the instruction back.",
     "Rare; look for register file port conflicts."},
    {"drain", "NVIDIA", Category::memory, "Had ended, and waited for its stores to be written.",
     "Store less at the end of the kernel, coalesced."},
    {"imc_miss", "NVIDIA", Category::memory, "Waited for a constant that was not in the cache.",
     "Use fewer different constants, and the same one in all threads of a warp."},
    {"lg_throttle", "NVIDIA", Category::memory,
     "The queue of local and global memory instructions was full.",
     "Access memory less often and wider, spill fewer registers."},
    {"long_scoreboard", "NVIDIA", Category::memory,
     "Waited for data from global, local or texture memory.",
     "Coalesce, prefetch or keep data in shared memory; have more warps."},
    {"math_pipe_throttle", "NVIDIA", Category::pipe, "Waited for a busy arithmetic pipe.",
     "Good where the pipe is the limit; otherwise mix other instructions in."},
    {"membar", "NVIDIA", Category::sync, "Waited at a memory fence.",
     "Have fewer fences, of a narrower scope."},
    {"mio_throttle", "NVIDIA", Category::memory,
     "The queue of memory input and output was full: shared memory, special math, dynamic "
     "branches.",
     "Use fewer and wider accesses to shared memory."},
    {"misc", "NVIDIA", Category::other, "Something else.", ""},
    {"no_instructions", "NVIDIA", Category::fetch,
     "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less; short kernels pay it once."},
    {"no_instruction", "NVIDIA", Category::fetch,
     "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less; short kernels pay it once."},
    {"not_selected", "NVIDIA", Category::other, "Was ready, but another warp was picked.",
     "Nothing is lost; fewer warps with more registers each may do as well."},
    {"selected", "NVIDIA", Category::issuing, "Issued an instruction: this is work, not a stall.",
     kDoLess},
    {"short_scoreboard", "NVIDIA", Category::memory,
     "Waited for shared memory or for special math.",
     "Avoid bank conflicts, have fewer and wider accesses, replace special functions."},
    {"sleeping", "NVIDIA", Category::other, "All threads of the warp were asleep.",
     "Sleep less or shorter."},
    {"tex_throttle", "NVIDIA", Category::memory, "The queue of texture instructions was full.",
     "Have fewer texture or surface instructions, or turn them into global loads."},
    {"wait", "NVIDIA", Category::dependency,
     "Waited a fixed number of cycles for the instruction before.",
     "Interleave independent operations, so that results are not needed at once."},
    {"warpgroup_arrive", "NVIDIA", Category::sync,
     "Waited for a warp group's matrix instructions to begin.",
     "Pipeline the matrix instructions: have the next operands ready."},

    {"alu_dependency", "AMD", Category::dependency,
     "Waited for the result of an arithmetic instruction.",
     "Interleave independent operations, so that results are not needed at once."},
    {"arbiter_not_win", "AMD", Category::other, "Was ready, but another wave was picked.",
     "Nothing is lost; fewer waves may do as well."},
    {"arbiter_win_ex_stall", "AMD", Category::pipe, "Was picked, but its execution pipe was busy.",
     "Mix other instructions in."},
    {"barrier_wait", "AMD", Category::sync, "Waited at a barrier for other waves of the workgroup.",
     "Balance the work before the barrier, have fewer of them."},
    {"internal_instruction", "AMD", Category::other,
     "Was at an instruction that the hardware handles itself.", ""},
    {"no_instruction_available", "AMD", Category::fetch,
     "Waited for instructions that were not in the cache.",
     "Make the code smaller: unroll and inline less."},
    {"other_wait", "AMD", Category::other, "Something else.", ""},
    {"sleep_wait", "AMD", Category::other, "Was asleep.", "Sleep less or shorter."},
    {"waitcnt", "AMD", Category::memory, "Waited for memory: an s_waitcnt instruction.",
     "Load earlier, coalesce, keep data in LDS; have more waves."},

    {"isu_bar", "HPCToolkit", Category::issuing, "Issued a barrier: this is work, not a stall.",
     ""},
    {"isu_brnt", "HPCToolkit", Category::issuing,
     "Issued a branch that was not taken: this is work, not a stall.", kDoLess},
    {"isu_brt", "HPCToolkit", Category::issuing,
     "Issued a branch that was taken: this is work, not a stall.", kDoLess},
    {"isu_flat", "HPCToolkit", Category::issuing,
     "Issued an access to memory of any kind (AMD's flat): this is work, not a stall.", kDoLess},
    {"isu_jmp", "HPCToolkit", Category::issuing, "Issued a jump: this is work, not a stall.",
     kDoLess},
    {"isu_lds", "HPCToolkit", Category::issuing,
     "Issued an access to LDS: this is work, not a stall.", kDoLess},
    {"isu_ldsd", "HPCToolkit", Category::issuing,
     "Issued a direct read of LDS: this is work, not a stall.", kDoLess},
    {"isu_matr", "HPCToolkit", Category::issuing,
     "Issued a matrix instruction: this is work, not a stall.", kDoLess},
    {"isu_mesg", "HPCToolkit", Category::issuing, "Issued a message: this is work, not a stall.",
     kDoLess},
    {"isu_othr", "HPCToolkit", Category::issuing,
     "Issued some other instruction: this is work, not a stall.", kDoLess},
    {"isu_sclr", "HPCToolkit", Category::issuing,
     "Issued a scalar instruction: this is work, not a stall.", kDoLess},
    {"isu_tex", "HPCToolkit", Category::issuing,
     "Issued an access to global or texture memory: this is work, not a stall.", kDoLess},
    {"isu_unk", "HPCToolkit", Category::issuing,
     "Issued an instruction of a kind that was not told: this is work, not a stall.", kDoLess},
    {"isu_vec", "HPCToolkit", Category::issuing,
     "Issued a vector instruction: this is work, not a stall.", kDoLess},
    {"isu_vec2", "HPCToolkit", Category::issuing,
     "Issued two vector instructions at once: this is work, not a stall.", kDoLess},
    {"isu_xprt", "HPCToolkit", Category::issuing, "Issued an export: this is work, not a stall.",
     kDoLess},
    {"stl_cmem", "HPCToolkit", Category::memory,
     "Waited for a constant or an immediate from memory.",
     "Use fewer different constants, and the same one in all threads of a warp."},
    {"stl_gmem", "HPCToolkit", Category::memory, "Waited for data from global memory.",
     "Coalesce, prefetch or keep data in shared memory; have more warps."},
    {"stl_hid", "HPCToolkit", Category::other,
     "Waited, but the hardware was busy with others: the wait is hidden.",
     "Nothing is lost; look at the reasons that are not hidden."},
    {"stl_idep", "HPCToolkit", Category::dependency,
     "Waited for the result of an instruction before.",
     "Interleave independent operations, so that results are not needed at once."},
    {"stl_ifet", "HPCToolkit", Category::fetch, "Waited for instructions, or for a branch.",
     "Make the code smaller: unroll and inline less; have fewer branches."},
    {"stl_inv", "HPCToolkit", Category::other, "The hardware gave no valid reason.", ""},
    {"stl_lmem", "HPCToolkit", Category::memory, "Waited for local or shared memory.",
     "Avoid bank conflicts, have fewer and wider accesses, spill fewer registers."},
    {"stl_mem", "HPCToolkit", Category::memory,
     "Waited for memory; the hardware does not tell of which kind.",
     "Load earlier, coalesce, keep data in LDS; have more waves."},
    {"stl_mthr", "HPCToolkit", Category::memory, "The queue of memory instructions was full.",
     "Access memory less often and wider, spill fewer registers."},
    {"stl_nsel", "HPCToolkit", Category::other, "Was ready, but another warp was picked.",
     "Nothing is lost; fewer warps with more registers each may do as well."},
    {"stl_othr", "HPCToolkit", Category::other, "Something else.", ""},
    {"stl_pipe", "HPCToolkit", Category::pipe, "Waited for a busy pipe.",
     "Good where the pipe is the limit; otherwise mix other instructions in."},
    {"stl_slp", "HPCToolkit", Category::other, "Was asleep.", "Sleep less or shorter."},
    {"stl_sync", "HPCToolkit", Category::sync, "Waited at a barrier or a memory fence.",
     "Balance the work before it; have fewer of them, of a narrower scope."},
    {"stl_tmem", "HPCToolkit", Category::memory, "The queue of texture instructions was full.",
     "Have fewer texture or surface instructions, or turn them into global loads."},
};

}  // namespace

const char* category_name(StallReason::Category category) {
  constexpr const char* kNames[StallReason::kCategories] = {
      "memory", "dependency", "sync", "fetch", "pipe busy", "issuing", "other"};
  return kNames[static_cast<size_t>(category)];
}

bool is_always_hidden(const StallReason& reason) {
  constexpr std::string_view kHidden[] = {"not_selected", "arbiter_not_win", "stl_hid"};
  return std::find(std::begin(kHidden), std::end(kHidden), reason.name) != std::end(kHidden);
}

bool stands_for_hidden(std::string_view reason) {
  return reason == "stl_hid";  // HPCToolkit's
}

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
  take_prefix(name, "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_");
  std::string small(name);
  std::transform(small.begin(), small.end(), small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  // NVIDIA's and Intel's names in capitals are mnemonics
  const auto* found =
      std::find_if(std::begin(kReasons), std::end(kReasons), [&](const StallReason& one) {
        return one.name == name || (one.name == small && one.vendor == kAmd);
      });
  return found == std::end(kReasons) ? nullptr : found;
}

}  // namespace aiflame
