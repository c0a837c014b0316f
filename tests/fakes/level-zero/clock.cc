// SPDX-License-Identifier: MIT
#include "tests/fakes/level-zero/clock.h"

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

#include "tests/fakes/level-zero/fake_level_zero.h"

namespace fake_ze {
namespace {

std::mutex pools_mutex;
std::map<ze_context_handle_t, int> pools;

uint64_t now_ns(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

// 19.2 MHz; 48 years fit into 64 bits
uint64_t ticks_of_ns(uint64_t ns) {
  return ns * 12 / 625;
}

// The greatest value that ticks_now() has returned, or a slightly smaller one.
std::atomic<uint64_t> last_seen{0};

// Compares with the last time seen before it asks for the time. A real driver reads memory that the
// device has written; a clock call takes longer than all else here, and a test would measure it as
// the agent's cost.
bool is_past(uint64_t ticks) {
  return ticks <= last_seen.load(std::memory_order_relaxed) || ticks <= ticks_now();
}

}  // namespace

uint64_t ticks_now() {
  // starts 52 microseconds before the low 32 bits overflow
  static const uint64_t ahead = 0xfffffc18 - (ticks_of_ns(now_ns(CLOCK_MONOTONIC)) & 0xffffffff);
  const uint64_t now = ticks_of_ns(now_ns(CLOCK_MONOTONIC)) + ahead;
  last_seen.store(now, std::memory_order_relaxed);
  return now;
}

uint64_t ticks_of(const std::string& kernel) {
  const size_t last = kernel.rfind('_');
  if (last == std::string::npos || kernel.size() < 3 || kernel.substr(kernel.size() - 2) != "us")
    return 0;
  return ticks_of_ns(std::strtoull(kernel.c_str() + last + 1, nullptr, 10) * 1000);
}

void run(Lane& lane, uint64_t ticks, ze_event_handle_t event) {
  if (event == nullptr && ticks == 0) return;
  const uint64_t start = std::max(ticks_now(), lane.busy_until);
  lane.busy_until = start + ticks;
  if (event == nullptr) return;
  if (event->signaled) log("an event is signaled again without a reset between");
  event->signaled = true;
  event->start = start;
  event->end = start + ticks;
}

void wait_until(uint64_t ticks) {
  for (uint64_t now = ticks_now(); now < ticks; now = ticks_now()) {
    const uint64_t ns = std::min<uint64_t>((ticks - now) * 10000 / 192 + 1000, 100000000);
    const timespec left{0, static_cast<long>(ns)};
    nanosleep(&left, nullptr);
  }
}

void count_pool(ze_context_handle_t context, int more) {
  const std::lock_guard<std::mutex> lock(pools_mutex);
  pools[context] += more;
}

int pools_of(ze_context_handle_t context) {
  const std::lock_guard<std::mutex> lock(pools_mutex);
  return pools[context];
}

ze_result_t global_timestamps(ze_device_handle_t, uint64_t* host, uint64_t* device) {
  *host = now_ns(CLOCK_MONOTONIC_RAW);
  *device = ticks_now();
  return ZE_RESULT_SUCCESS;
}

ze_result_t create_pool(ze_context_handle_t context, const ze_event_pool_desc_t* from, uint32_t,
                        ze_device_handle_t*, ze_event_pool_handle_t* out) {
  *out = new _ze_event_pool_handle_t{context, from->flags};
  count_pool(context, 1);
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroy_pool(ze_event_pool_handle_t pool) {
  count_pool(pool->context, -1);
  delete pool;
  return ZE_RESULT_SUCCESS;
}

ze_result_t pool_flags(ze_event_pool_handle_t pool, ze_event_pool_flags_t* out) {
  *out = pool->flags;
  return ZE_RESULT_SUCCESS;
}

ze_result_t create_event(ze_event_pool_handle_t pool, const ze_event_desc_t*,
                         ze_event_handle_t* out) {
  *out = new _ze_event_handle_t{pool};
  return ZE_RESULT_SUCCESS;
}

ze_result_t destroy_event(ze_event_handle_t event) {
  delete event;
  return ZE_RESULT_SUCCESS;
}

ze_result_t query_status(ze_event_handle_t event) {
  if ((event->pool->flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE) == 0)
    log("the host asks an event that it cannot see");
  return event->signaled && is_past(event->end) ? ZE_RESULT_SUCCESS : ZE_RESULT_NOT_READY;
}

ze_result_t host_synchronize(ze_event_handle_t event, uint64_t timeout) {
  if (!event->signaled) return ZE_RESULT_NOT_READY;
  if (timeout > 0) wait_until(event->end);
  return query_status(event);
}

ze_result_t host_reset(ze_event_handle_t event) {
  event->signaled = false;
  return ZE_RESULT_SUCCESS;
}

ze_result_t query_timestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t* out) {
  constexpr ze_event_pool_flags_t kBoth =
      ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  if ((event->pool->flags & kBoth) != kBoth) {
    log("an event without timestamps is asked for them");
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  }
  if (query_status(event) != ZE_RESULT_SUCCESS) return ZE_RESULT_NOT_READY;
  out->global.kernelStart = event->start & 0xffffffff;
  out->global.kernelEnd = event->end & 0xffffffff;
  out->context = out->global;
  return ZE_RESULT_SUCCESS;
}

}  // namespace fake_ze
