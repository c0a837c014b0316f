/* SPDX-License-Identifier: MIT
 *
 * What a walk may read of the calling thread's stack without a fault.
 */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

#include "plugins/agents/common/loader.h"
#include "plugins/agents/common/readable.h"

namespace aiflame::agent {

// A frame pointer that leads further than this above the known stack is not believed: going there
// page by page would take a system call for each.
constexpr uint64_t kMaxStep = 256 * kPage;

// The addresses around the stack pointer that are known to be readable, without a gap.
struct StackMemory {
  uint64_t begin = 0, end = 0;

  // False where a load would fault, or beyond the stack. Not instrumented: in a test with
  // AddressSanitizer a wrong frame pointer may lead into a variable's red zone, which is harmless.
  [[gnu::no_sanitize_address]] bool load(uint64_t address, uint64_t& value) {
    if (address % 8 != 0) return false;
    if (address < begin || address + 8 > end) [[unlikely]] {
      if (!reach(address)) return false;
    }
    value = *reinterpret_cast<const uint64_t*>(address);  // NOLINT(*NullDereference): reach() asked
    return true;
  }

  // Extends the known part upwards to the eight bytes at `address`.
  [[gnu::noinline]] bool reach(uint64_t address) {
    if (address < begin || address > UINT64_MAX - 8 || address + 8 > end + kMaxStep) return false;
    while (address + 8 > end) {
      if (!is_readable(end)) return false;
      end += kPage;
    }
    return true;
  }

  // Extends the known part downwards to `page`. False when there is a gap, as at a guard page: then
  // `page` is on another stack.
  [[nodiscard]] bool reach_down(uint64_t page) {
    if (page >= begin || begin - page > kMaxStep) return false;
    for (uint64_t at = page; at < begin; at += kPage)
      if (!is_readable(at)) return false;
    begin = page;
    return true;
  }

  // Extends the known part upwards to where the thread's stack begins. False when this is not the
  // stack that the thread was started on. That one stays mapped while the thread runs, so what is
  // known of it may be kept; a coroutine's stack may be gone at the next walk, with another mapping
  // in its place.
  [[nodiscard]] bool reach_thread_start() {
    // glibc puts a thread's control block where its stack begins. The main thread's block is
    // elsewhere, and a coroutine's stack may be mapped right below it.
    const bool is_main = syscall(SYS_gettid) == getpid();
    const auto top =
        is_main ? main_stack_begin() : reinterpret_cast<uint64_t>(__builtin_thread_pointer());
    return top >= begin && top < end + kMaxStep / 4 && reach(top & ~uint64_t{7});
  }

  // Extends the known part downwards to where launches may yet be made, by some pages. So a program
  // that forbids system calls after its first launches can launch from further down.
  void reach_further_down() {
    constexpr int kPages = 16;
    for (int i = 0; i < kPages && begin > kPage && is_readable(begin - kPage); ++i) begin -= kPage;
  }
};

}  // namespace aiflame::agent
