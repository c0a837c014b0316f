/* SPDX-License-Identifier: MIT
 *
 * The tracing layer that the loader would have loaded without us. This library takes its place and
 * forwards whatever the loader asks of a tracing layer, so that a program that traces itself, by a
 * framework's profiler say, still can.
 */
#pragma once

namespace aiflame::agent::level_zero {

// Opens the real layer, which is beside the loader that `caller` lies in. Once.
void find_next_layer(const void* caller);

// A function of the real layer, or null.
void* next_function(const char* name);

}  // namespace aiflame::agent::level_zero
