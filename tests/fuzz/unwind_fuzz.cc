// SPDX-License-Identifier: MIT
// Unwinds a copied stack with an object's unwind tables. The input is 4 bytes, the leaf's place in
// the object; 256 bytes of stack; and the object.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

#include "libcommon/symbols/unwind.h"
#include "tests/fuzz/libdw_leaks.h"
#include "tests/fuzz/memory_file.h"

using namespace aiflame;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kStack = 256;
  constexpr uint64_t kBase = 0x10000000, kStackPointer = 0x7fff0000;
  uint32_t leaf = 0;
  if (size < sizeof leaf + kStack) return 0;
  std::memcpy(&leaf, data, sizeof leaf);
  const auto* text = reinterpret_cast<const char*>(data);
  static fuzz::MemoryFile file;
  file.set({text + sizeof leaf + kStack, size - sizeof leaf - kStack});
  CallFrames object(file.path());
  UnwindState state;
  state.registers = Registers(object.machine());
  state.registers.instruction() = kBase + leaf;
  state.registers.stack_pointer() = kStackPointer;
  state.registers.frame_pointer() = kStackPointer + 64;
  state.stack = {text + sizeof leaf, kStack};
  std::vector<uint64_t> frames;
  bool known = false;
  const auto find = [&](uint64_t address, UnwindPlace& out) {
    frames.push_back(address);
    if (address < kBase || address >= kBase + (uint64_t{1} << 32)) return false;
    // in the second round the rule is cached
    out = {&object, address - kBase, nullptr};
    if (known) out.rule = &object.rule_at(out.vaddr);
    return true;
  };
  unwind(state, 127, find);
  const std::vector<uint64_t> first = std::exchange(frames, {});
  known = true;
  unwind(state, 127, find);
  if (first.size() > 127 || frames != first) abort();
  return 0;
}
