// SPDX-License-Identifier: MIT
// Decides when the fake device runs what. Each list or queue runs one kernel after the other; a
// kernel called "work_300us" takes that long, any other no time. The clock runs at 19.2 MHz.
// Kernels' timestamps have its low 32 bits, which overflow right after the first query.
#pragma once

#include <level_zero/ze_api.h>

#include <cstdint>
#include <string>
#include <vector>

struct _ze_event_pool_handle_t {
  ze_context_handle_t context = nullptr;
  ze_event_pool_flags_t flags = 0;
};

struct Graph;
struct _ze_event_handle_t {
  ze_event_pool_handle_t pool = nullptr;
  Graph* graph = nullptr;       // that is being captured, and signals it
  bool signaled = false;        // or will be signaled at `end`
  uint64_t start = 0, end = 0;  // ticks, all 64 bits
};

namespace fake_ze {

// Runs one kernel after the other.
struct Lane {
  uint64_t busy_until = 0;  // ticks
};

uint64_t ticks_now();
uint64_t ticks_of(const std::string& kernel);
// Runs a kernel that signals `event`, which may be null.
void run(Lane& lane, uint64_t ticks, ze_event_handle_t event);
void wait_until(uint64_t ticks);
// Counts the event pools of a context.
void count_pool(ze_context_handle_t context, int more);
int pools_of(ze_context_handle_t context);

ze_result_t global_timestamps(ze_device_handle_t, uint64_t* host, uint64_t* device);
ze_result_t create_pool(ze_context_handle_t context, const ze_event_pool_desc_t* from, uint32_t,
                        ze_device_handle_t*, ze_event_pool_handle_t* out);
ze_result_t destroy_pool(ze_event_pool_handle_t pool);
ze_result_t pool_flags(ze_event_pool_handle_t pool, ze_event_pool_flags_t* out);
ze_result_t create_event(ze_event_pool_handle_t pool, const ze_event_desc_t*,
                         ze_event_handle_t* out);
ze_result_t destroy_event(ze_event_handle_t event);
ze_result_t query_status(ze_event_handle_t event);
ze_result_t host_synchronize(ze_event_handle_t event, uint64_t timeout);
ze_result_t host_reset(ze_event_handle_t event);
ze_result_t query_timestamp(ze_event_handle_t event, ze_kernel_timestamp_result_t* out);

}  // namespace fake_ze
