/* SPDX-License-Identifier: MIT
 *
 * The calling thread's stack, from inside the profiled process.
 *
 * Why not libunwind, whose unw_backtrace() is as fast? It opens a pipe in the program, and later
 * writes a byte into that descriptor number whenever it must test an address. A program that closes
 * all descriptors and opens a file of its own would get that byte in its file, and in every program
 * the next open(2) returns another number (seen with libunwind 1.6.2: `pipe2([3, 4])` in the first
 * call). It also blocks signals and takes locks. This walker reads the same .eh_frame tables,
 * caches its rules per return address, and needs none of that. unwind.cc explains how; the unit
 * test compares it with unw_backtrace().
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

// Writes the return addresses of the calling thread, innermost first, up to the thread's start. The
// first one lies in the caller of walk_stack(). Returns how many, at most `capacity`; `cut` says
// whether there were more. Code without unwind tables (JIT) is crossed by its frame pointer where
// that leads to a higher frame whose return address follows a call instruction; otherwise the walk
// ends there. No stack content makes it fault or run for ever. Does not allocate, lock, or change
// errno. `pointers`, unless null, receives the stack pointer of each of these frames, as it is
// after the call has returned: a frame lies from its own pointer up to its caller's. `in_handler`,
// unless null, is set if the walk has come to a frame that a signal interrupted.
int walk_stack(uint64_t* frames, int capacity, bool& cut, uint64_t* pointers = nullptr,
               bool* in_handler = nullptr);

}  // namespace aiflame::agent
