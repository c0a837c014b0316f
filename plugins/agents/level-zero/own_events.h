/* SPDX-License-Identifier: MIT
 *
 * The agent's own events, with timestamps, which launches signal that the program passes none for.
 * What is here is called by one thread at a time.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <cstdint>

namespace aiflame::agent::level_zero {

// Launches that run at one time and are timed, and events for them in one context. In a loop that
// does nothing but launch, drivers take some thousand before they wait for the device.
constexpr uint32_t kMaxFlights = 16384;

struct Flight;

// An event of the agent's, or of the program's.
struct Event {
  ze_event_handle_t handle;
  ze_context_handle_t context;  // of one of the agent's
  Flight* flight;               // that signals it; null = none that is to be told of
  Event *next, *all_next;       // see Context
  bool ours;
  bool unknown;  // it is reset, or signaled again, at times that the agent does not see
  bool kept;     // by a list
  bool shared;   // with a copy of the list, which may be executed at any time
  bool gone;     // with its context, while kept
};

// The functions of the loader, below other layers.
void set_own_event_functions(const ze_event_dditable_t& core);
void set_event_pool_functions(const ze_event_pool_dditable_t& core);

// One that is not signaled; null: none is left.
Event* take_event(ze_context_handle_t context);
void give_back(Event& event);
bool reset(const Event& event);
// Before the context is destroyed: its events and their pools with it. Those that a list keeps are
// only marked.
void forget_own_events(ze_context_handle_t context);

}  // namespace aiflame::agent::level_zero
