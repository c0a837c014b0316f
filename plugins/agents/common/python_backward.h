/* SPDX-License-Identifier: MIT
 *
 * The Python functions for which a thread of PyTorch's works. PyTorch runs the backward pass of a
 * GPU on a thread of its own (pt_autograd_0, one for each device), whose stack has no Python. The
 * thread that has called backward() waits in _engine_run_backward() meanwhile:
 *
 *   main thread          <module> ── train ── backward ── _engine_run_backward ── Engine::execute
 *                                                                                  │ waits for
 *   pt_autograd_0        start_thread ── Engine::thread_main ── … ── cudaLaunchKernel
 *
 * Its functions are put below those of the thread that launches. Where several threads wait so, it
 * is not known which one a launch is for, and none are.
 *
 * That thread is another one: it may go on at any time, and give back what is read. So it is read
 * by system calls that fail where a load would fault, the whole chain of frames only when it has
 * changed: a launch checks that by one call.
 */
#pragma once

#include <cstdint>

#include "plugins/agents/common/python_stack.h"

namespace aiflame::agent {

// Appends the numbers of the waiting thread's frames, innermost first, if the calling thread is
// such a thread of PyTorch's. `number` is called as by interleave(), for frames that are new; their
// addresses are those of copies. `is_known` says whether a number from an earlier call still stands
// for its frame.
void push_callers_of_backward(NumberFrame number, bool (*is_known)(void* context, uint64_t number),
                              void* context, MixedFrames& out);

}  // namespace aiflame::agent
