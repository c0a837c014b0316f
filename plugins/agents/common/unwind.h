/* SPDX-License-Identifier: MIT
 *
 * The calling thread's stack, from inside the profiled process, x86-64.
 *
 * Why not libunwind, whose unw_backtrace() is as fast: its local unwinder opens a pipe in the
 * program and later writes a byte into that descriptor number whenever it must test an address.
 * A program that closes all descriptors and opens its own file would get that byte in its file,
 * and every program sees its next open(2) return another number (seen with libunwind 1.6.2:
 * `pipe2([3, 4])` on the first call). It also blocks signals and takes locks. This walker reads the
 * same .eh_frame tables, keeps what it learnt per return address, and needs none of that; the unit
 * test compares it with unw_backtrace().
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

// Return addresses of the calling thread, innermost first: the first one is in the caller of
// walk_stack(). Returns how many, at most `capacity`. Goes on to the thread's start. Code without
// unwind tables (JIT) is crossed by its frame pointer where that leads to a higher frame whose
// return address is behind a call instruction; otherwise the walk ends there. Reads only memory
// found readable, so no stack content makes it fault, and frames only go up, so it ends. Does not
// allocate, lock, or change errno. `cut` is set when there was more than `capacity`. To `pointers`,
// where it is given, go the stack pointers that the frames have once the call has returned: a frame
// lies from its own up to that of its caller.
int walk_stack(uint64_t* frames, int capacity, bool& cut, uint64_t* pointers = nullptr);

}  // namespace aiflame::agent
