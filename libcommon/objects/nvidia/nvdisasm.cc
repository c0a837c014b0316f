// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/nvdisasm.h"

#include <cstdlib>

#include "libcommon/memory/memory_file.h"
#include "libcommon/objects/nvidia/cubin.h"

namespace aiflame {
namespace {

// `NOP`, the same since sm_70: kernels are padded with it.
constexpr std::string_view kNop("\x18\x79\0\0\0\0\0\0\0\0\0\0\0\xc0\x0f\0", Cubin::kInstruction);

// An instruction's line has about 100 bytes, 200 with a long address.
ChildLimits limits_for(std::string_view code) {
  ChildLimits out;
  out.output = (uint64_t{1} << 20) + code.size() * 16;
  out.cpu_seconds = 20;
  return out;
}

std::string toolkit_program() {
  const char* home = std::getenv("CUDA_HOME");
  return std::string(home != nullptr && *home != '\0' ? home : "/usr/local/cuda") + "/bin/nvdisasm";
}

}  // namespace

std::vector<std::string> Nvdisasm::programs() {
  return {"nvdisasm", toolkit_program()};
}

// `-b SM90` reads a file of bare code, so that the rest of a damaged object does not matter.
ChildResult Nvdisasm::run(unsigned architecture, std::string_view code) {
  const MemoryFile file(code);
  const auto with = [&](const std::string& program) {
    return run_in_child({program, "-b", "SM" + std::to_string(architecture), "/dev/fd/3"},
                        file.descriptor(), limits_for(code));
  };
  if (program_) return with(*program_);
  for (const std::string& program : programs()) {
    ChildResult child = with(program);
    if (child.status == ChildResult::kNoProgram) continue;
    program_ = program;
    return child;
  }
  program_ = "";
  return {};
}

// nvdisasm fails on damaged code as on an architecture that it does not know. A NOP tells them
// apart.
DisassemblyFailure Nvdisasm::reason(unsigned architecture) {
  const auto [at, added] = known_.try_emplace(architecture);
  if (added && parse_sass_listing(run(architecture, kNop).output, 1).empty())
    at->second = DisassemblyFailure::unknown_gpu;
  return at->second == DisassemblyFailure::none ? DisassemblyFailure::failed : at->second;
}

Nvdisasm::Listing Nvdisasm::disassemble(unsigned architecture, std::string_view code) {
  Listing out;
  if (code.empty() || code.size() > kMaxCode) {
    out.failure = DisassemblyFailure::failed;
    return out;
  }
  if (program_ && program_->empty()) {
    out.failure = DisassemblyFailure::not_installed;
    return out;
  }
  if (const auto known = known_.find(architecture);
      known != known_.end() && known->second != DisassemblyFailure::none) {
    out.failure = known->second;
    return out;
  }
  const ChildResult child = run(architecture, code);
  if (program_->empty()) {
    out.failure = DisassemblyFailure::not_installed;
    return out;
  }
  out.code = parse_sass_listing(child.output, code.size() / Cubin::kInstruction);
  // where one kernel makes it run into its limits, the next ones may too: give up
  if (child.limit != ChildLimit::none) known_[architecture] = failure_of(child.limit);
  if (out.code.empty() || child.limit != ChildLimit::none) out.failure = reason(architecture);
  return out;
}

}  // namespace aiflame
