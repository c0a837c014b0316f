/* SPDX-License-Identifier: MIT
 *
 * The agents' side of plugins/abi/agent_channel.h, the same for every agent. It is compiled into
 * each, as an agent links to nothing of ours. The parts are in the folder channel/.
 *
 * No function here waits or allocates on the launch path, and all preserve errno.
 */
#pragma once

#include <cstdint>

#include "plugins/abi/agent_channel.h"

namespace aiflame::agent {

// ---- the connection ----------------------------------------------------------------------------

// What an agent does when nobody listens in the directory of --listen.
enum class Absent : uint8_t {
  is_final,
  may_come,       // begin_report() looks for a recorder. It may also be another one than before
  is_looked_for,  // the same, but find_recorder() looks
};
// Connects to the recorder that AIFLAME_AGENT names. False when nobody listens, nor will: the agent
// then lets every call through. `name` is the agent's ("opencl"); `api_function` lies in the
// library whose functions the program calls.
[[nodiscard]] bool connect(const char* name, const void* api_function,
                           Absent absent = Absent::is_final);
// Leaves out the frames at a stack's top that lie in the object around `address`, as well as the
// agent's and the API library's. Four objects at most.
void leave_out(const void* address);

// Comes before any report. False when there is nothing to report to now. In a forked child it first
// opens a channel of its own, and where a recorder may come, it looks for that. While the recorder
// does not read, it counts a lost launch and returns false.
[[nodiscard]] bool begin_report();
// The same before a call that launches nothing: it is counted as a lost call.
[[nodiscard]] bool begin_call_report();
// For is_looked_for. Connects to a recorder that has come since; false when none has.
[[nodiscard]] bool find_recorder();
// Whether there is no recorder any more: it has ended, or where recorders are looked for, it was
// killed and another one listens.
bool has_recorder_gone();
// Whether another recorder may come when this one ends, or there is none: what can only be prepared
// early has to be.
bool awaits_recorder();
// For agents that keep records for a while: they say so when they begin to. At the recording's end
// the recorder awaits the rest, but not for long; then they end, write it, and say that, too.
void hold_back();
[[nodiscard]] bool is_rest_awaited();
void end_holding_back();
// Whether the recorder has stopped reading for good while the program goes on. Reports then do
// nothing.
bool has_recording_ended();
// A number that begin_report() changes in a forked child, and for another recorder: it knows
// nothing of what was reported under another generation.
uint32_t generation();

// ---- launches ----------------------------------------------------------------------------------

// How large a launch is, as in agent_size: 0 = unknown.
struct LaunchExtent {
  uint64_t items[3];
  uint32_t group[3];
  uint32_t local_bytes;
};
struct Launch {
  const char* kernel_name;
  uint32_t kernel_name_bytes;
  uint64_t kernel_address;   // 0 = unknown
  const void* api_function;  // that the program entered; null: none, or it stands in `front`
  uint64_t queue;
  uint32_t device;
  uint16_t flags;        // of AGENT_LAUNCH
  uint16_t stack_flags;  // of AGENT_STACK
  uint64_t object;       // that holds the kernel, from report_load(); 0 = unknown
  // Frames at the top of the stack that have a name and no address, as in agent_stack; or null.
  const char* front;
  uint32_t front_bytes;
  // For report_launch_at() and report_stack(): the thread that made the launch; 0 = this one.
  uint32_t tid;
  const char* comm;  // of that thread
  uint64_t time;     // when it was made, CLOCK_MONOTONIC ns; 0 = now
  LaunchExtent size;
};
struct Launched {
  uint64_t instance;  // 0 = it was lost
  uint64_t time;      // as reported, CLOCK_MONOTONIC ns
  uint64_t stack;     // its id, for samples of this launch
  uint64_t size;      // its id
  // No end is awaited although the launch did not ask for that: it is made in a signal's handler,
  // where the agent must leave the API alone. retract_launch() takes it back if it fails.
  bool is_untimed;
};
// Reports a kernel that the calling thread is about to launch, with the thread's stack from the API
// function on. Frames of the agent and of the API's library are left out.
Launched report_launch(const Launch& launch);

// Takes back a launch that is untimed.
void retract_launch(const Launched& launched);

// Reports the end of a launch; `flags` of AGENT_DONE, `returned` and `stack` as in agent_done.
void report_done(uint64_t instance, uint64_t begin, uint64_t end, uint16_t flags,
                 uint64_t returned = 0, uint64_t stack = 0);

// ---- calls that keep their thread ---------------------------------------------------------------

struct Call {
  uint64_t stack;  // its id; 0 = it is not reported
  uint64_t begin;  // CLOCK_MONOTONIC ns
};
// The calling thread is about to call `api_function`, which launches nothing and may take long.
Call begin_call(const void* api_function);
// The same where the API function has no symbol: `front` as in Launch.
Call begin_call(const char* front, uint32_t front_bytes);
// The call has returned; of a launch, too. `waited`: for the device, or for a copy.
void end_call(const Call& call, bool waited);

// ---- device memory -----------------------------------------------------------------------------

// Whether the recorder, or one that comes, may want it: AGENT_MEMORY_ENVIRONMENT.
bool is_memory_wanted();
// Before a report of it, as begin_call_report(): otherwise it is counted as lost memory.
[[nodiscard]] bool begin_memory_report();
struct Allocation {
  const void* api_function;  // as in Launch
  const char* front;
  uint32_t front_bytes;
  uint32_t device;
  uint64_t address, bytes;
};
// The calling thread has allocated memory, with the thread's stack from the API function on.
void report_allocation(const Allocation& made);
// Memory is about to be freed. `bytes` 0: the runtime does not say.
void report_free(uint32_t device, uint64_t address, uint64_t bytes);
// How much memory the device has. False when it was not reported.
[[nodiscard]] bool report_memory_size(uint32_t device, uint64_t bytes);
// Counts allocations and frees that cannot be reported as lost.
void count_lost_memory(uint64_t count);

// Counts launches that cannot be reported as lost.
void count_lost_launches(uint64_t launches);

// ---- launches that are reported later, or several times ----------------------------------------

// A flag of Stack that is not written: the launch is made in a signal's handler. It may have
// interrupted malloc(3) or the dynamic linker, so nothing may be allocated for it.
constexpr uint32_t kInHandler = UINT32_C(1) << 16;

struct Stack {
  uint64_t hash;
  uint32_t count;
  uint32_t flags;                     // of AGENT_STACK; kInHandler
  uint64_t frames[AGENT_MAX_FRAMES];  // comes last, so that a copy may end after `count` frames
};
// Takes the calling thread's stack, as report_launch() does. A Stack is large: launches keep theirs
// off the program's stack (thread_room.h).
void take_stack(const void* api_function, Stack& out);

// The same for report_launch_of(), which reports this thread's launch before the API's function
// returns.
void take_launch_stack(Stack& out);
Launched report_launch_of(const Launch& launch, const Stack& stack);

// The same for `appended` below: the stack may be reported to a recorder that comes later. It may
// allocate, but not in a signal's handler.
void take_kept_stack(const void* api_function, Stack& out);

// Reports `count` launches without ends, made at `time` from `stack`. `appended`: where the kernel
// was put into the command list that is executed, or null. The queue, the flags and the time of
// `launch` are not used. `failed` takes the same report back.
void report_launches(const Launch& launch, const Stack& stack, const Stack* appended,
                     uint64_t count, uint64_t time, bool failed);
// Reports one such launch, which report_done() will end. Also uses the queue and flags of `launch`.
Launched report_launch_at(const Launch& launch, const Stack& stack, const Stack* appended);
// The id of such a launch's stack, for samples.
uint64_t report_stack(const Launch& launch, const Stack& stack);

// ---- code and devices --------------------------------------------------------------------------

// Reports a code object on the device, and sends its bytes. Returns its number, 0 on failure.
// `again`: the number under which it was reported before, or new_object() gave; else 0.
uint64_t report_load(const void* content, uint64_t bytes, uint32_t device, uint64_t again);
// The same for a file without device addresses; `base` and `extension` as in agent_code.
uint64_t report_load_at(const void* content, uint64_t bytes, uint32_t device, uint64_t base,
                        const char* extension);
void report_unload(uint64_t object);
// A number for an object that is reported when a recorder comes.
uint64_t new_object();

// Reports the place of the device that launches and objects call `number`.
void report_device(uint32_t number, const char* place);

// ---- samples, from agents that are their source; see the records of the same names -------------

void report_sampling(uint32_t device, uint64_t period, const char* unit, const char* name);
// False when the ring is full: the caller must repeat it before the first sample with this number.
[[nodiscard]] bool report_reason(uint32_t number, const char* name);
struct Sample {
  uint64_t address, stack;
  uint32_t count, exposed, device, reason;
  uint16_t flags;  // of AGENT_SAMPLE
};
// Counts the sample in the ring's `lost_samples` when the ring is full.
void report_sample(const Sample& sample);
// `count` of AGENT_MAX_LOST or more = unknown.
void report_lost_samples(uint32_t device, uint64_t count);
void report_drained(uint64_t time);
// A line for the user; `is_hint`: the remedy for the message that came last.
void report_message(const char* text, bool is_hint);

}  // namespace aiflame::agent
