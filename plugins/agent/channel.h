/* SPDX-License-Identifier: MIT
 *
 * The agents' side of plugins/agent_channel.h: what every agent does the same way. Shared by
 * compiling it into each; an agent links to nothing of ours.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

// Connects to the recorder that AIFLAME_AGENT names. False when there is none: the agent then lets
// every call through. `name` is the agent's ("opencl"); `api_function` lies in the library whose
// functions the program calls.
bool connect(const char* name, const void* api_function);

// Whether launches are to be reported now. Also notices that this is a forked child, which gets a
// channel of its own, and that the recorder has gone away, when launches are only counted.
bool active();

// A kernel about to be launched by the calling thread, with its stack behind the API function that
// was entered: frames of the agent and of the API's library are left out.
// Writes what the recorder does not know yet of it, and the launch.
struct Launch {
  const char* kernel_name;
  uint32_t kernel_name_bytes;
  uint64_t kernel_address;  // 0 = unknown
  const void* api_function;
  uint64_t queue;
  uint32_t device;
  uint16_t flags;  // of AGENT_LAUNCH
};
struct Launched {
  uint64_t instance;  // 0 = it was lost
  uint64_t time;      // as reported, CLOCK_MONOTONIC ns
};
Launched report_launch(const Launch& launch);

// The end of a launch; `flags` of AGENT_DONE.
void report_done(uint64_t instance, uint64_t begin, uint64_t end, uint16_t flags);

uint64_t monotonic_ns();
uint64_t monotonic_raw_ns();

}  // namespace aiflame::agent
