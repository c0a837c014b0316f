// SPDX-License-Identifier: MIT
// Call chains out of copied stacks, by the call frame information of the objects: what
// `perf record --call-graph dwarf` leaves to be done. Uses libdw, like dwarf.h. Of x86-64 alone.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// Registers in the order of DWARF: rax rdx rcx rbx rsi rdi rbp rsp r8 to r15, and rip.
struct UnwindState {
  static constexpr size_t kRegisters = 17, kStackPointer = 7, kInstruction = 16;
  uint64_t registers[kRegisters] = {};
  std::string_view stack;  // from the stack pointer up
};

class Unwinder {
 public:
  // An object, and where its first byte would be mapped.
  struct Module {
    std::string path;
    uint64_t base = 0;
  };
  // False where no file is mapped.
  using Find = std::function<bool(uint64_t address, Module& out)>;

  // Of one process, for as long as its mappings stay as they are.
  explicit Unwinder(Find find);
  ~Unwinder();
  Unwinder(const Unwinder&) = delete;
  Unwinder& operator=(const Unwinder&) = delete;

  // Appends the addresses, leaf first: of callers those of the calls. As far as it goes.
  void unwind(const UnwindState& state, size_t limit, std::vector<uint64_t>& out);
  // Objects that are held open.
  size_t modules() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace aiflame
