/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/launch_times.h"

#include <atomic>
#include <cstdlib>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/handle_map.h"
#include "plugins/agents/common/quick_lock.h"
#include "plugins/agents/level-zero/own_events.h"

namespace aiflame::agent::level_zero {

struct Flight {
  Event* event;  // null = reported already
  uint64_t instance, time;
  Device* device;
  Flight* next;
  uint32_t process;  // generation() when it was reported
};

// A list's launches, in their order.
struct Flights {
  Flight *first, *last;
  Flights *next, *before;
};

namespace {

Flight flights_room[kMaxFlights];
uint32_t flights_begun = 0;
Flight* free_flights = nullptr;
std::atomic<uint32_t> in_flight{0};

Flights* all_flights = nullptr;

HandleMap pools;   // the program's pools with timestamps -> &known_pool or &hidden_pool
HandleMap events;  // the program's events in them -> Event
char known_pool, hidden_pool;

std::atomic<decltype(ze_event_dditable_t::pfnQueryStatus)> query_status{nullptr};
std::atomic<decltype(ze_event_dditable_t::pfnQueryKernelTimestamp)> query_timestamp{nullptr};

// Held for some hundred nanoseconds, longer only when a pool is made. Taken after the lock of a
// map's part, never before it.
QuickLock lock;
class Locked {
 public:
  Locked() { lock.lock(); }
  ~Locked() { lock.unlock(); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

// ---- flights, with the lock held ----------------------------------------------------------------

// For a launch that will signal `event`; null when too many are in flight.
Flight* take_flight(Event& event) {
  Flight* room = free_flights;
  if (room != nullptr)
    free_flights = room->next;
  else if (flights_begun < kMaxFlights)
    room = &flights_room[flights_begun++];
  if (room != nullptr) room->event = &event;
  return room;
}

void give_back(Flight& flight) {
  flight.next = free_flights;
  free_flights = &flight;
}

// Reports the end of a launch whose event is signaled, or will never tell anything.
void report_end(Flight& flight) {
  Event* event = flight.event;
  if (event == nullptr) return;
  flight.event = nullptr;
  event->flight = nullptr;
  in_flight.fetch_sub(1, std::memory_order_relaxed);
  // a forked child's recorder knows nothing of the parent's launches
  if (flight.process != generation()) return;
  ze_kernel_timestamp_result_t times{};
  uint64_t begin = 0, end = 0;
  const auto ask = query_timestamp.load();
  const bool known = !event->unknown && ask != nullptr &&
                     ask(event->handle, &times) == ZE_RESULT_SUCCESS &&
                     kernel_times(flight.device, times.global, flight.time, begin, end);
  report_done(flight.instance, begin, end, known ? 0 : AGENT_NO_TIMES);
}

// The launch never happened.
void report_failed(Flight& flight) {
  flight.event->flight = nullptr;
  flight.event = nullptr;
  in_flight.fetch_sub(1, std::memory_order_relaxed);
  if (flight.process == generation()) report_done(flight.instance, 0, 0, AGENT_FAILED);
}

// True for a lost event too, which will never be signaled.
bool is_signaled(const Event& event) {
  const auto ask = query_status.load();
  return ask != nullptr && ask(event.handle) != ZE_RESULT_NOT_READY;
}

bool has_ended(const Flight& flight) {
  return flight.event == nullptr || is_signaled(*flight.event);
}

// Reports the oldest launches that have ended, at most `most`.
void land_ended(Flights& of, uint32_t most) {
  for (; most > 0 && of.first != nullptr && has_ended(*of.first); --most) {
    Flight* ended = of.first;
    Event* event = ended->event;
    report_end(*ended);
    if (event != nullptr && event->kept)
      event->unknown = event->unknown || !reset(*event);
    else if (event != nullptr && event->ours)
      give_back(*event);
    of.first = ended->next;
    if (of.first == nullptr) of.last = nullptr;
    give_back(*ended);
  }
}

// Resets an event that a list keeps, which is about to be executed again. False if the list is
// still running from the last time: a timestamp could be of either execution, so it is not timed
// any more.
bool make_ready(Event& event) {
  if (event.unknown || event.gone) return false;
  if (event.flight == nullptr && !event.unreported) return true;
  const bool has_run = is_signaled(event);
  if (event.flight != nullptr) report_end(*event.flight);
  event.unreported = false;
  event.unknown = !has_run || !reset(event);
  return !event.unknown;
}

}  // namespace

void set_event_functions(const ze_event_dditable_t& core) {
  set_own_event_functions(core);
  query_status.store(core.pfnQueryStatus);
  query_timestamp.store(core.pfnQueryKernelTimestamp);
}

// ---- events of the program's --------------------------------------------------------------------

void event_pool_created(ze_event_pool_handle_t pool, ze_event_pool_flags_t flags, bool hidden) {
  constexpr ze_event_pool_flags_t kBoth =
      ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  HandleMap::Locked at(pools, pool);
  bool kept = false;
  if ((flags & kBoth) == kBoth)
    at.set(hidden ? &hidden_pool : &known_pool, kept);
  else
    at.remove();  // left over from a pool that had this handle
}

void event_pool_destroyed(ze_event_pool_handle_t pool) {
  HandleMap::Locked at(pools, pool);
  at.remove();
}

bool hides_timestamps(ze_event_pool_handle_t pool) {
  const HandleMap::Locked at(pools, pool);
  return at.value() == &hidden_pool;
}

void event_created(ze_event_handle_t event, ze_event_pool_handle_t pool) {
  {
    const HandleMap::Locked at(pools, pool);
    if (at.value() == nullptr) return;
  }
  auto* made = static_cast<Event*>(calloc(1, sizeof(Event)));
  if (made == nullptr) return;
  made->handle = event;
  bool kept = false;
  HandleMap::Locked at(events, event);
  if (at.value() == nullptr) at.set(made, kept);
  if (!kept) free(made);
}

void event_destroyed(ze_event_handle_t event) {
  HandleMap::Locked at(events, event);
  auto* gone = static_cast<Event*>(at.remove());
  if (gone == nullptr) return;
  {
    const Locked locked;
    if (gone->flight != nullptr) report_end(*gone->flight);
  }
  free(gone);
}

void event_reset(ze_event_handle_t event) {
  if (in_flight.load(std::memory_order_relaxed) == 0) return;
  const HandleMap::Locked at(events, event);
  const auto* known = static_cast<const Event*>(at.value());
  if (known == nullptr) return;
  const Locked locked;
  if (known->flight != nullptr) report_end(*known->flight);
}

void event_reset_by_device(ze_event_handle_t event) {
  const HandleMap::Locked at(events, event);
  auto* known = static_cast<Event*>(at.value());
  if (known == nullptr) return;
  const Locked locked;
  if (known->flight != nullptr) report_end(*known->flight);
  known->unknown = true;
}

void take_ended() {
  if (in_flight.load(std::memory_order_relaxed) == 0) return;
  const Locked locked;
  for (Flights* at = all_flights; at != nullptr; at = at->next) land_ended(*at, kMaxFlights);
}

void context_destroyed(ze_context_handle_t handle) {
  const Locked locked;
  for (Flights* at = all_flights; at != nullptr; at = at->next)
    for (Flight* flight = at->first; flight != nullptr; flight = flight->next)
      if (flight->event != nullptr && flight->event->ours && flight->event->context == handle)
        report_end(*flight);
  forget_own_events(handle);
}

// ---- launches -----------------------------------------------------------------------------------

Flights* make_flights() {
  auto* made = static_cast<Flights*>(calloc(1, sizeof(Flights)));
  if (made == nullptr) return nullptr;
  const Locked locked;
  made->next = all_flights;
  if (all_flights != nullptr) all_flights->before = made;
  all_flights = made;
  return made;
}

void end_flights(Flights* flights) {
  if (flights == nullptr) return;
  const Locked locked;
  land_ended(*flights, kMaxFlights);
  // a list that is destroyed while it runs loses the times of its launches
  while (flights->first != nullptr) {
    Flight* left = flights->first;
    report_end(*left);
    flights->first = left->next;
    give_back(*left);
  }
  if (flights->next != nullptr) flights->next->before = flights->before;
  (flights->before != nullptr ? flights->before->next : all_flights) = flights->next;
  free(flights);
}

Timing begin_timing(ze_event_handle_t signal, ze_context_handle_t context) {
  if (signal == nullptr) {
    if (context == nullptr) return {};
    const Locked locked;
    Event* event = take_event(context);
    if (event == nullptr) return {};
    Flight* flight = take_flight(*event);
    if (flight == nullptr) give_back(*event);
    return flight == nullptr ? Timing{} : Timing{event->handle, flight};
  }
  const HandleMap::Locked at(events, signal);
  auto* event = static_cast<Event*>(at.value());
  if (event == nullptr || event->unknown) return {};
  const Locked locked;
  // signaled twice without a reset: nothing is known of the first launch
  if (event->flight != nullptr) report_end(*event->flight);
  // still signaled: until it is reset, it would show the last launch's times
  if (is_signaled(*event)) return {};
  Flight* flight = take_flight(*event);
  return flight == nullptr ? Timing{} : Timing{signal, flight};
}

void commit_timing(const Timing& timing, Flights& flights, Device* device, uint64_t instance,
                   uint64_t time) {
  Flight& flight = *timing.flight;
  const Locked locked;
  flight.instance = instance;
  flight.time = time;
  flight.device = device;
  flight.next = nullptr;
  flight.process = generation();
  flight.event->flight = &flight;
  in_flight.fetch_add(1, std::memory_order_relaxed);
  (flights.last == nullptr ? flights.first : flights.last->next) = &flight;
  flights.last = &flight;
  // one more than comes, so that the list shrinks
  land_ended(flights, 2);
}

void cancel_timing(const Timing& timing) {
  const Locked locked;
  Event& event = *timing.flight->event;
  // the list that keeps it signals it all the same
  event.unreported = event.kept;
  if (event.ours && !event.kept) give_back(event);
  give_back(*timing.flight);
}

Event* keep_event(ze_context_handle_t context, ze_event_handle_t& handle) {
  if (context == nullptr) return nullptr;
  const Locked locked;
  Event* event = take_event(context);
  if (event == nullptr) return nullptr;
  event->kept = true;
  handle = event->handle;
  return event;
}

void hold_event(Event* event) {
  if (event == nullptr) return;
  const Locked locked;
  ++event->holders;
}

void drop_event(Event* event) {
  if (event == nullptr) return;
  const Locked locked;
  if (event->holders > 0) {
    --event->holders;
    return;
  }
  if (event->flight != nullptr) report_end(*event->flight);
  event->kept = false;
  if (event->gone) {
    free(event);
  } else if (!event->shared) {
    event->unknown = event->unreported = false;
    give_back(*event);
  }
}

void share_event(Event* event) {
  if (event == nullptr) return;
  const Locked locked;
  event->unknown = event->shared = true;
}

Timing begin_again(Event* event) {
  const Locked locked;
  if (!make_ready(*event)) return {};
  Flight* flight = take_flight(*event);
  event->unreported = flight == nullptr;
  return flight == nullptr ? Timing{} : Timing{event->handle, flight};
}

void signal_unreported(Event* event) {
  const Locked locked;
  event->unreported = make_ready(*event);
}

bool launch_failed(ze_event_handle_t signal, Event* event) {
  const HandleMap::Locked at(events, signal);
  if (event == nullptr) event = static_cast<Event*>(at.value());
  if (event == nullptr) return false;
  const Locked locked;
  if (event->flight == nullptr) return false;
  report_failed(*event->flight);
  return true;
}

void lock_times() {
  pools.lock_all();
  events.lock_all();
  lock.lock();
}

void unlock_times() {
  lock.unlock();
  events.unlock_all();
  pools.unlock_all();
}

}  // namespace aiflame::agent::level_zero
