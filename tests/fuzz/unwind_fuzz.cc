// SPDX-License-Identifier: MIT
// A copied stack, and the object whose unwind tables say how to climb it: 4 bytes that say where in
// the object the leaf is, 256 bytes of stack, the object.
#include <cstdint>
#include <cstdlib>
#include <cstring>

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
  UnwindState state;
  state.registers[UnwindState::kInstruction] = kBase + leaf;
  state.registers[UnwindState::kStackPointer] = kStackPointer;
  state.registers[UnwindState::kStackPointer - 1] = kStackPointer + 64;  // rbp
  state.stack = {text + sizeof leaf, kStack};
  Unwinder unwinder([](uint64_t address, Unwinder::Module& out) {
    if (address < kBase || address >= kBase + (uint64_t{1} << 32)) return false;
    out = {file.path(), kBase};
    return true;
  });
  std::vector<uint64_t> frames;
  unwinder.unwind(state, 127, frames);
  unwinder.unwind(state, 127, frames);
  if (frames.size() > 254) abort();
  return 0;
}
