// SPDX-License-Identifier: MIT
// Reads the instructions of an AMD GPU as LLVM prints them, one a line, and finds what each of them
// waits for, and loops; loops also of the same text as instructions of x86-64.
#include <algorithm>
#include <cstdint>
#include <string>

#include "libcommon/code/loops.h"
#include "libcommon/objects/amd/waitcnt.h"
#include "libcommon/objects/cpu/x86_flow.h"
#include "libcommon/objects/llvm/llvm_disassembler.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view text(reinterpret_cast<const char*>(data), size);
  std::vector<ListedInstruction> code;
  uint64_t offset = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    std::string operands;
    ListedInstruction one;
    one.offset = offset;
    one.size = line.size() % 2 == 0 ? 4 : 8;
    one.mnemonic = llvm_mnemonic(line, &operands);
    one.operands = operands;
    offset += one.size;
    code.push_back(std::move(one));
  }
  find_loops(FlowGraph(x86_flow(code)));
  for (const unsigned generation : {9u, 10u, 12u}) {
    const AmdCode its(code, generation);
    find_loops(its.ways());
    for (uint32_t i = 0; i < code.size() && i < 64 * 3; i += 3) its.producers(i);
  }
  return 0;
}
