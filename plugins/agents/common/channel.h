/* SPDX-License-Identifier: MIT
 *
 * The agents' side of plugins/abi/agent_channel.h: what every agent does the same way. Shared by
 * compiling it into each; an agent links to nothing of ours.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

// Connects to the recorder that AIFLAME_AGENT names. False when there is none: the agent then lets
// every call through. `name` is the agent's ("opencl"); `api_function` lies in the library whose
// functions the program calls.
bool connect(const char* name, const void* api_function);
// Frames of the library around `address` at a stack's top are left out too; four libraries at most.
void leave_out(const void* address);

// Whether launches are to be reported now. Also notices that this is a forked child, which gets a
// channel of its own, and that the recorder has gone away, when launches are only counted.
bool active();
// Whether the recorder reads no more, while the program goes on: there is nothing to do any more,
// and what reports does nothing.
bool has_recording_ended();

// A kernel about to be launched by the calling thread, with its stack behind the API function that
// was entered: frames of the agent and of the API's library are left out.
// Writes what the recorder does not know yet of it, and the launch.
struct Launch {
  const char* kernel_name;
  uint32_t kernel_name_bytes;
  uint64_t kernel_address;   // 0 = unknown
  const void* api_function;  // null: there is none, or it stands in `front`
  uint64_t queue;
  uint32_t device;
  uint16_t flags;   // of AGENT_LAUNCH
  uint64_t object;  // that has the kernel, by report_load(); 0 = unknown
  // Frames in front of the stack that have a name, as agent_stack has them; or null.
  const char* front;
  uint32_t front_bytes;
  // Of report_launch_at() and told_stack_id(), where another thread made the launch; 0 = this one.
  uint32_t tid;
  const char* comm;  // of that thread
};
struct Launched {
  uint64_t instance;  // 0 = it was lost
  uint64_t time;      // as reported, CLOCK_MONOTONIC ns
  uint64_t stack;     // its id, for samples of this launch
};
Launched report_launch(const Launch& launch);

// The end of a launch; `flags` of AGENT_DONE.
void report_done(uint64_t instance, uint64_t begin, uint64_t end, uint16_t flags);

// A stack for launches that are reported later, or several times.
struct Stack {
  uint64_t hash;
  uint32_t count;
  uint32_t flags;                     // of AGENT_STACK
  uint64_t frames[AGENT_MAX_FRAMES];  // the last: a copy need not have those beyond `count`
};
// The calling thread's, behind `api_function`, as report_launch() takes it.
void take_stack(const void* api_function, Stack& out);

// The calling thread's stack for a launch of its own that is reported later, as report_launch()
// would report it now: by report_launch_of(), before the API's function returns.
void take_launch_stack(Stack& out);
Launched report_launch_of(const Launch& launch, const Stack& stack);

// `count` launches whose ends nobody will tell of, made at `time` from `stack`; `appended`: where
// the kernel was put into the command list that is executed, or null. Of `launch` only the kernel
// and the object count. `failed`: takes back what was reported alike.
void report_launches(const Launch& launch, const Stack& stack, const Stack* appended,
                     uint64_t count, uint64_t time, bool failed);
// One launch whose end is told by report_done(), likewise. Of `launch` the queue and the flags
// count too.
Launched report_launch_at(const Launch& launch, const Stack& stack, const Stack* appended);
// The id of the stack of such a launch, which the recorder is told when it is new.
uint64_t told_stack_id(const Launch& launch, const Stack& stack);
// Launches that cannot be reported.
void count_lost(uint64_t launches);
// The calling thread's number, as the recorder is told it.
uint32_t thread_number();

// A code object on the device: its bytes, and a number for it; 0 when it could not be told.
// `again`: the number it has already, told to another recorder's connection; else 0.
uint64_t report_load(const void* content, uint64_t bytes, uint32_t device, uint64_t again);
// The same of a file without device addresses; `base` and `extension` as in agent_code.
uint64_t report_load_at(const void* content, uint64_t bytes, uint32_t device, uint64_t base,
                        const char* extension);
void report_unload(uint64_t object);

// A device, as launches and objects number them, by its place.
void report_device(uint32_t number, const char* place);

// ---- of agents that are the source of samples; see the records of the same names ---------------
void report_sampling(uint32_t device, uint64_t period, const char* unit, const char* name);
// False when the ring is full: to be told again before the first sample that has the number.
bool report_reason(uint32_t number, const char* name);
struct Sample {
  uint64_t address, stack, count;
  uint32_t device, reason;
  uint16_t flags;  // of AGENT_SAMPLE
};
// What finds the ring full is counted there.
void report_sample(const Sample& sample);
// `count` of AGENT_MAX_LOST or more = unknown.
void report_lost_samples(uint32_t device, uint64_t count);
void report_drained(uint64_t time);
// A line for the user; `is_hint`: the remedy for the one before.
void report_message(const char* text, bool is_hint);

// Changes when the process has forked, which the child sees behind active(): what the recorder was
// told before it was told of the parent.
uint32_t generation();

uint64_t monotonic_ns();
uint64_t monotonic_raw_ns();

}  // namespace aiflame::agent
