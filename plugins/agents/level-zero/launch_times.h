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

// The functions of the loader, below other layers. Those of pools are own_events.h's.
void set_event_functions(const ze_event_dditable_t& core);

// ---- what the program does with its events -----------------------------------------------------

// With the flags that it is made with; `hidden`: that of timestamps is ours.
void event_pool_created(ze_event_pool_handle_t pool, ze_event_pool_flags_t flags, bool hidden);
void event_pool_destroyed(ze_event_pool_handle_t pool);
// Whether the program is not to see that it has timestamps.
bool hides_timestamps(ze_event_pool_handle_t pool);
void event_created(ze_event_handle_t event, ze_event_pool_handle_t pool);
// These before it is.
void event_destroyed(ze_event_handle_t event);
void event_reset(ze_event_handle_t event);
// At a time that is not known: what it says is not to be believed any more.
void event_reset_by_device(ze_event_handle_t event);
// Something has come to its end: what else has?
void take_ended();
// The same where the program's wait or query returned `result`, which it returns.
inline ze_result_t take_ended_after(ze_result_t result) {
  if (result == ZE_RESULT_SUCCESS) take_ended();
  return result;
}
// Before it is: the agent's events in it go with it.
void context_destroyed(ze_context_handle_t context);

// ---- launches ----------------------------------------------------------------------------------

// The launches of one list that are not known to have ended.
struct Flights;
Flights* make_flights();
// Its list is gone.
void end_flights(Flights* flights);

// A launch about to be made.
struct Flight;
struct Timing {
  ze_event_handle_t event;  // to be passed; null: it is not timed
  Flight* flight;
};
// `signal` is the event that the program passes, or null; then `context` is the list's, null where
// nothing of the agent's may be passed.
Timing begin_timing(ze_event_handle_t signal, ze_context_handle_t context);
// It was reported as `instance` at `time`, and made on the list of `flights`.
void timed(const Timing& timing, Flights& flights, Device* device, uint64_t instance,
           uint64_t time);
// It was not made, or without the event.
void not_timed(const Timing& timing);

// An event of the agent's that a list signals each time that it is executed; null: none is left.
struct Event;
Event* keep_event(ze_context_handle_t context, ze_event_handle_t& handle);
// The list is empty again, or gone.
void drop_event(Event* event);
// A copy of the list signals it too: it tells of neither.
void share_event(Event* event);
// As begin_timing(), of a list that is about to be executed. Where it still runs from the time
// before, it cannot be told which of both a timestamp is of: it is not timed any more.
Timing begin_again(Event* event);
// The same where nobody is told: an event is not signaled a second time without a reset between.
void signal_untold(Event* event);
// A list was not executed: its launch that signals either of both has failed. False where it is not
// timed.
bool launch_failed(ze_event_handle_t signal, Event* event);

// Around fork(2).
void lock_times();
void unlock_times();

}  // namespace aiflame::agent::level_zero
