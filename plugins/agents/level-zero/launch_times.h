// SPDX-License-Identifier: MIT
//
// When launches ran, from the kernel timestamps of the events that they signal. It depends on what
// the program passes:
//
// clang-format off
//   no event                        an event of the agent's is passed, and polled until it is signaled
//   an event with timestamps        is read before it is reset, destroyed or signaled again
//   an event that the host can see  its pool was made with timestamps, which the program cannot tell
//   any other event                 the launch is not timed
// clang-format on
//
// Nobody waits: events are polled when the program makes a call that waited for something, when it
// launches again on the same list, and before it takes an event away.
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <cstdint>

#include "plugins/agents/level-zero/devices.h"

namespace aiflame::agent::level_zero {

// The loader's functions, below other layers. Those for pools go to own_events.h.
void set_event_functions(const ze_event_dditable_t& core);

// ---- what the program does with its events ------------------------------------------------------

// `flags` are those that the pool was made with; `hidden`: the flag of timestamps is ours.
void event_pool_created(ze_event_pool_handle_t pool, ze_event_pool_flags_t flags, bool hidden);
void event_pool_destroyed(ze_event_pool_handle_t pool);
// Whether the program must not see that the pool has timestamps.
bool hides_timestamps(ze_event_pool_handle_t pool);
void event_created(ze_event_handle_t event, ze_event_pool_handle_t pool);
// The next two come before the event is destroyed or reset.
void event_destroyed(ze_event_handle_t event);
void event_reset(ze_event_handle_t event);
// The device will reset it at an unknown time: its timestamps are not trusted any more.
void event_reset_by_device(ze_event_handle_t event);
// The program has waited for something: collects all launches that have ended.
void take_ended();
// The same after a wait or a query of the program's. Returns its `result`.
inline ze_result_t take_ended_after(ze_result_t result) {
  if (result == ZE_RESULT_SUCCESS) take_ended();
  return result;
}
// Comes before the context is destroyed: the agent's events in it go too.
void context_destroyed(ze_context_handle_t context);

// ---- launches -----------------------------------------------------------------------------------

// The launches of one list that are not known to have ended.
struct Flights;
Flights* make_flights();
// To be called when the list is gone.
void end_flights(Flights* flights);

// A launch about to be made.
struct Flight;
struct Timing {
  ze_event_handle_t event;  // to be passed; null = the launch is not timed
  Flight* flight;
};
// `signal` is the event that the program passes. When that is null, `context` is the list's, or
// null when no event of the agent's may be passed.
Timing begin_timing(ze_event_handle_t signal, ze_context_handle_t context);
// The launch was reported as `instance` at `time`, and made on the list of `flights`.
void commit_timing(const Timing& timing, Flights& flights, Device* device, uint64_t instance,
                   uint64_t time);
// The launch was not made, or made without the event.
void cancel_timing(const Timing& timing);

// An event of the agent's that a list signals at each execution; null when none is left.
struct Event;
Event* keep_event(ze_context_handle_t context, ze_event_handle_t& handle);
// Another list keeps it, too.
void hold_event(Event* event);
// A list that keeps it is empty again, or gone.
void drop_event(Event* event);
// A list signals it that does not keep it, so its timestamps are of no launch for sure.
void share_event(Event* event);
// begin_timing() for a list that is about to be executed again, see make_ready().
Timing begin_again(Event* event);
// The same without a report, because an event must be reset before it is signaled again.
void signal_unreported(Event* event);
// The execution of a list failed, and so did the launch that signals one of the two events. False
// if that launch is not timed.
bool launch_failed(ze_event_handle_t signal, Event* event);

// Around fork(2).
void lock_times();
void unlock_times();

}  // namespace aiflame::agent::level_zero
