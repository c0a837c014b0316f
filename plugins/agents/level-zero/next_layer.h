/* SPDX-License-Identifier: MIT
 *
 * The tracing layer that the loader would have got without us. This library stands in its place, so
 * whatever the loader asks of a tracing layer goes on to the real one: a program that traces itself
 * (a framework's own profiler) goes on doing so.
 */
#pragma once

namespace aiflame::agent::level_zero {

// Finds the real layer beside the loader, in which `caller` lies, and opens it. Once.
void find_next_layer(const void* caller);

// A function of the real layer, or null.
void* next_function(const char* name);

}  // namespace aiflame::agent::level_zero
