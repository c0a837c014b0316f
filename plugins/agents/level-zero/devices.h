/* SPDX-License-Identifier: MIT
 *
 * The devices that the program uses: a number for each, where it sits, and its clock.
 */
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

#include <cstdint>

namespace aiflame::agent::level_zero {

// Stays where it is for good.
struct Device;

// The functions of the loader, below other layers, that tell of a device.
void set_device_functions(const ze_device_dditable_t& core);

// The program has asked for the driver's devices. They are numbered in that order.
void devices_listed(ze_driver_handle_t driver);

// Null where there are too many, or without memory.
Device* find_device(ze_device_handle_t device);
// As agent_stack and agent_code tell it; 0 for null.
uint32_t device_number(const Device* device);

// Whether the queues of that group of its are those of an engine that only copies.
bool is_copy_engine(const Device* device, uint32_t group);

// Whether its kernels' timestamps mean anything.
bool has_clock(const Device* device);
// CLOCK_MONOTONIC ns of a kernel that `device` ran. The launch was made at `launched`: where it is
// only known how long it ran, it did from then on. False when not even that is known. Not by two
// threads at once.
bool kernel_times(Device* device, const ze_kernel_timestamp_data_t& ticks, uint64_t launched,
                  uint64_t& begin, uint64_t& end);

// Tells a new recorder's connection, a forked child's, of all devices there are.
void tell_devices_again();

// Around fork(2).
void lock_devices();
void unlock_devices();

}  // namespace aiflame::agent::level_zero
