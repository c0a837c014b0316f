/* SPDX-License-Identifier: MIT
 *
 * The agent's own events, with timestamps, for launches to which the program passes none. One
 * thread at a time may call these functions.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <cstdint>

namespace aiflame::agent::level_zero {

// How many timed launches may be in flight, and how many events one context may have for them. In a
// loop that only launches, drivers accept some thousand before they wait for the device.
constexpr uint32_t kMaxFlights = 16384;

struct Flight;

// An event, the agent's or the program's.
struct Event {
  ze_event_handle_t handle;
  ze_context_handle_t context;  // of an event of the agent's
  Flight* flight;               // the launch that signals it; null = none to report
  Event *next, *all_next;       // see Context
  bool ours;
  bool unknown;      // it may be reset or signaled again without the agent's knowledge
  uint32_t holders;  // further lists that keep it
  bool kept;         // a list keeps it, which
  bool unreported;   // has been executed without a report since the event was reset
  bool shared;       // by a list that does not keep it, and may be executed at any time
  bool gone;         // its context is gone, but it is still kept
};

// The loader's functions, below other layers.
void set_own_event_functions(const ze_event_dditable_t& core);
void set_event_pool_functions(const ze_event_pool_dditable_t& core);

// Takes an event that is not signaled; null when none is left.
Event* take_event(ze_context_handle_t context);
void give_back(Event& event);
[[nodiscard]] bool reset(const Event& event);
// To be called before the context is destroyed: drops its events and their pools. Events that a
// list keeps are only marked.
void forget_own_events(ze_context_handle_t context);

}  // namespace aiflame::agent::level_zero
