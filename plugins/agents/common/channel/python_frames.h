/* SPDX-License-Identifier: MIT
 *
 * Stacks with Python's frames among the native ones. A Python frame is written as the number of a
 * text, its function, file and line, which the recorder gets once (agent_text).
 */
#pragma once

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"

namespace aiflame::agent {

// take_stack() for a thread that may be running Python. Without a ring it keeps the texts, which
// report_kept_texts() writes before the stack is.
void take_python_stack(agent_ring* to, const void* api_function, Stack& out);

void report_kept_texts(agent_ring* to, const Stack& stack);

// Names an interpreter whose frames cannot be walked, once.
void report_unknown_python(agent_ring* to);

// Forgets what was written: a new recorder knows no texts.
void forget_python_frames();

}  // namespace aiflame::agent
