// SPDX-License-Identifier: MIT
// Reads the registers of instructions: of NVIDIA's words, and of lines as IGA (`I` in front), LLVM
// for AMD GPUs (`A`) and the disassemblers of x86-64 (`C`) print them.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "libcommon/objects/amd/amd_registers.h"
#include "libcommon/objects/cpu/x86_registers.h"
#include "libcommon/objects/intel/eu_registers.h"
#include "libcommon/objects/llvm/llvm_disassembler.h"
#include "libcommon/objects/nvidia/sass_registers.h"

using namespace aiflame;

namespace {

// An instruction has a few operands, and none is larger than the register file.
void check(const RegisterUse& use) {
  constexpr size_t kMostRanges = 300;
  constexpr uint32_t kMostUnits = 1 << 16;
  if (use.reads.size() > kMostRanges || use.writes.size() > kMostRanges) std::abort();
  for (const auto* ranges : {&use.reads, &use.writes})
    for (const RegisterRange& each : *ranges)
      if (each.count == 0 || each.first > kMostUnits || each.count > kMostUnits) std::abort();
}

void read_line(std::string_view line) {
  const char kind = line.front();
  line.remove_prefix(1);
  if (kind == 'I') {
    for (const IgaInstruction& each : parse_iga_listing(line)) {
      check(eu_registers(each, 64));
      eu_operation(each);
    }
    return;
  }
  std::string operands;
  const std::string mnemonic = llvm_mnemonic(line, &operands);
  check(amd_registers(mnemonic, operands));
  amd_operation(mnemonic);
  check(x86_registers(mnemonic, operands));
  x86_operation(mnemonic, operands);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.starts_with('N')) {
    for (text.remove_prefix(1); text.size() >= 16; text.remove_prefix(16))
      for (const unsigned architecture : {70u, 80u, 120u}) {
        check(sass_registers(SassWord::of(text), architecture));
        sass_operation_kind(SassWord::of(text), architecture);
      }
    return 0;
  }
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    if (!line.empty()) read_line(line);
    text.remove_prefix(std::min(text.size(), line.size() + 1));
  }
  return 0;
}
