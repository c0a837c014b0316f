// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/iga.h"

#include "libcommon/memory/memory_file.h"
#include "libcommon/objects/intel/iga_library.h"

namespace aiflame {
namespace {

// An instruction has at least 8 bytes; its text has about 100 bytes, 1000 at most.
ChildLimits limits_for(std::string_view code) {
  ChildLimits out;
  out.output = (uint64_t{1} << 20) + code.size() * 64;
  out.cpu_seconds = 20;  // enough for kMaxCode: a megabyte takes half a second
  return out;
}

}  // namespace

// Where one kernel makes the disassembler run into its limits, the next ones may too: give up.
void Iga::stop_if_limited(const ChildResult& child, Platform& known) {
  if (child.limit == ChildLimit::none) return;
  known.way = Way::none;
  known.failure = failure_of(child.limit);
}

bool Iga::by_library(const std::string& platform, std::string_view code, Platform& known,
                     Listing& out) {
  const ChildResult child = run_in_child(
      [&] { return static_cast<int>(write_iga_listing(platform, code)); }, limits_for(code));
  if (child.status == static_cast<int>(IgaStatus::no_library) ||
      child.status == static_cast<int>(IgaStatus::unknown_platform)) {
    known.way = Way::program;
    known.failure = child.status == static_cast<int>(IgaStatus::no_library)
                        ? DisassemblyFailure::not_installed
                        : DisassemblyFailure::unknown_gpu;
    return false;
  }
  stop_if_limited(child, known);
  out.code = parse_iga_listing(child.output);
  return true;
}

bool Iga::by_program(const std::string& platform, std::string_view code, Platform& known,
                     Listing& out) {
  const auto run = [&](std::string_view input) {
    const MemoryFile file(input);
    return run_in_child({kProgram, "-d", "-p=" + platform, "-Xprint-pc", "/dev/fd/3"},
                        file.descriptor(), limits_for(input));
  };
  if (!known.tried) {
    // The program fails on damaged code as on a platform that it does not know. Sixteen zero bytes
    // tell them apart: they are an instruction on all platforms (`illegal`).
    known.tried = true;
    const ChildResult child = run(std::string(16, '\0'));
    if (parse_iga_listing(child.output).empty()) {
      if (child.status != ChildResult::kNoProgram) known.failure = DisassemblyFailure::unknown_gpu;
      stop_if_limited(child, known);
      known.way = Way::none;
    }
  }
  if (known.way == Way::none) return false;
  const ChildResult child = run(code);
  stop_if_limited(child, known);
  out.code = parse_iga_listing(child.output);
  return true;
}

Iga::Listing Iga::disassemble(const std::string& platform, std::string_view code) {
  Listing out;
  if (code.empty() || code.size() > kMaxCode) {
    out.failure = DisassemblyFailure::failed;
    return out;
  }
  Platform& known = platforms_[platform];
  bool done = known.way == Way::library && by_library(platform, code, known, out);
  if (!done && known.way == Way::program) done = by_program(platform, code, known, out);
  if (!done || known.way == Way::none)
    out.failure = known.failure;
  else if (out.code.empty())
    out.failure = DisassemblyFailure::failed;
  return out;
}

}  // namespace aiflame
