/* SPDX-License-Identifier: MIT
 *
 * The devices that the program uses: their numbers, places and clocks.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <cstdint>

namespace aiflame::agent::level_zero {

// Keeps its address, and is never freed.
struct Device;

// The loader's functions about devices, below other layers.
void set_device_functions(const ze_device_dditable_t& core);

// The program has listed the driver's devices. They are numbered in that order.
void devices_listed(ze_driver_handle_t driver);

// Null when there are too many, or without memory.
Device* find_device(ze_device_handle_t device);
// The number in agent_stack and agent_code; 0 for null.
uint32_t device_number(const Device* device);

// Whether this group of the device's queues belongs to an engine that only copies.
bool is_copy_engine(const Device* device, uint32_t group);

// What else than single commands the device puts into a graph while a list is captured: flags of
// ze_record_replay_graph_ext_flags_t. Without its flag a call is refused, or executes at once.
constexpr uint32_t kGraphsInGraphs = 1u << 2, kListsInGraphs = 1u << 3;
uint32_t graph_flags(const Device* device);

// Whether timestamps of its kernels mean anything.
bool has_clock(const Device* device);
// When `device` ran a kernel that was launched at `launched`, in ns of CLOCK_MONOTONIC. If only the
// duration is known, it counts from the launch. False when not even that is known. Not for two
// threads at once.
[[nodiscard]] bool kernel_times(Device* device, const ze_kernel_timestamp_data_t& ticks,
                                uint64_t launched, uint64_t& begin, uint64_t& end);

// Reports all devices again, over a forked child's connection or to another recorder.
void report_devices_again();

// Around fork(2).
void lock_devices();
void unlock_devices();

}  // namespace aiflame::agent::level_zero
