/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/own_events.h"

#include <atomic>
#include <cstdlib>

namespace aiflame::agent::level_zero {
namespace {

// The agent's events in one context.
struct Pool {
  ze_event_pool_handle_t handle;
  Pool* next;
};
struct Context {
  ze_context_handle_t handle;
  Pool* pools;
  Event* events;  // all, by `all_next`
  Event* free;    // by `next`
  uint32_t count;
  Context* next;
};

// A further pool is made when all events are in use. It takes 64 KB of the driver's memory; most
// programs need one.
constexpr uint32_t kEventsOfPool = 256;
Context* contexts = nullptr;

std::atomic<decltype(ze_event_pool_dditable_t::pfnCreate)> create_pool{nullptr};
std::atomic<decltype(ze_event_pool_dditable_t::pfnDestroy)> destroy_pool{nullptr};
std::atomic<decltype(ze_event_dditable_t::pfnCreate)> create_event{nullptr};
std::atomic<decltype(ze_event_dditable_t::pfnDestroy)> destroy_event{nullptr};
std::atomic<decltype(ze_event_dditable_t::pfnHostReset)> host_reset{nullptr};

Context* find_context(ze_context_handle_t handle) {
  Context* at = contexts;
  while (at != nullptr && at->handle != handle) at = at->next;
  return at;
}

Context* make_context(ze_context_handle_t handle) {
  auto* made = static_cast<Context*>(calloc(1, sizeof(Context)));
  if (made == nullptr) return nullptr;
  made->handle = handle;
  made->next = contexts;
  contexts = made;
  return made;
}

// Fills the list of free events. Every device of the context can signal them, and the host sees it.
void add_pool(Context& context) {
  const auto make_pool = create_pool.load();
  const auto make_event = create_event.load();
  if (make_pool == nullptr || make_event == nullptr || context.count >= kMaxFlights) return;
  ze_event_pool_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC;
  description.flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  description.count = kEventsOfPool;
  auto* pool = static_cast<Pool*>(calloc(1, sizeof(Pool)));
  if (pool == nullptr ||
      make_pool(context.handle, &description, 0, nullptr, &pool->handle) != ZE_RESULT_SUCCESS) {
    free(pool);
    context.count = kMaxFlights;  // so that it is not tried again
    return;
  }
  pool->next = context.pools;
  context.pools = pool;
  for (uint32_t i = 0; i < kEventsOfPool; ++i) {
    auto* made = static_cast<Event*>(calloc(1, sizeof(Event)));
    ze_event_desc_t event{};
    event.stype = ZE_STRUCTURE_TYPE_EVENT_DESC;
    event.index = i;
    if (made == nullptr || make_event(pool->handle, &event, &made->handle) != ZE_RESULT_SUCCESS) {
      free(made);
      break;
    }
    made->context = context.handle;
    made->ours = true;
    made->next = context.free;
    context.free = made;
    made->all_next = context.events;
    context.events = made;
  }
  context.count += kEventsOfPool;
}

}  // namespace

void set_own_event_functions(const ze_event_dditable_t& core) {
  create_event.store(core.pfnCreate);
  destroy_event.store(core.pfnDestroy);
  host_reset.store(core.pfnHostReset);
}

void set_event_pool_functions(const ze_event_pool_dditable_t& core) {
  create_pool.store(core.pfnCreate);
  destroy_pool.store(core.pfnDestroy);
}

Event* take_event(ze_context_handle_t handle) {
  Context* context = find_context(handle);
  if (context == nullptr) context = make_context(handle);
  if (context == nullptr) return nullptr;
  if (context->free == nullptr) add_pool(*context);
  Event* event = context->free;
  if (event != nullptr) context->free = event->next;
  return event;
}

bool reset(const Event& event) {
  const auto call = host_reset.load();
  return call != nullptr && call(event.handle) == ZE_RESULT_SUCCESS;
}

void give_back(Event& event) {
  Context* context = find_context(event.context);
  if (context == nullptr || !reset(event)) return;
  event.next = context->free;
  context->free = &event;
}

void forget_own_events(ze_context_handle_t handle) {
  Context** link = &contexts;
  while (*link != nullptr && (*link)->handle != handle) link = &(*link)->next;
  Context* gone = *link;
  if (gone == nullptr) return;
  *link = gone->next;
  const auto destroy = destroy_event.load();
  const auto drop_pool = destroy_pool.load();
  for (Event* event = gone->events; event != nullptr;) {
    Event* next = event->all_next;
    if (destroy != nullptr) destroy(event->handle);
    event->gone = true;
    if (!event->kept) free(event);
    event = next;
  }
  for (Pool* pool = gone->pools; pool != nullptr;) {
    Pool* next = pool->next;
    if (drop_pool != nullptr) drop_pool(pool->handle);
    free(pool);
    pool = next;
  }
  free(gone);
}

}  // namespace aiflame::agent::level_zero
