/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/devices.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/clock.h"
#include "plugins/agents/common/quick_lock.h"
#include "plugins/agents/level-zero/device_ticks.h"

namespace aiflame::agent::level_zero {

struct Device {
  ze_device_handle_t handle;
  uint32_t number;
  uint32_t copy_groups;  // a bit for each group of queues that only copies
  char place[sizeof agent_device::place];
  DeviceTicks ticks;
  // The same moment on both clocks; 0 = none yet.
  uint64_t then_ns, then_ticks;
};

namespace {

// More than any machine has. Each tile is a device, and so is each further handle for it.
constexpr uint32_t kMaxDevices = 256;
Device devices[kMaxDevices];
std::atomic<uint32_t> device_count{0};
QuickLock lock;

// How often the device's clock is read. Clocks differ by some 50 ppm, so a time is wrong by 50
// microseconds at most.
constexpr uint64_t kClockNs = 1000000000;
// How far a time may lie outside of its bounds because of that.
constexpr uint64_t kSlackNs = 100000;

std::atomic<decltype(ze_device_dditable_t::pfnGet)> get{nullptr};
std::atomic<decltype(ze_device_dditable_t::pfnGetProperties)> get_properties{nullptr};
std::atomic<decltype(ze_device_dditable_t::pfnPciGetPropertiesExt)> get_pci{nullptr};
std::atomic<decltype(ze_device_dditable_t::pfnGetGlobalTimestamps)> get_timestamps{nullptr};
std::atomic<decltype(ze_device_dditable_t::pfnGetCommandQueueGroupProperties)> get_groups{nullptr};

// Intel's driver of 2022 crashes when it is asked about a device without a GPU, as in its mode that
// only writes commands into a file.
bool can_ask() {
  return access("/dev/dri", F_OK) == 0 || access("/dev/dxg", F_OK) == 0 ||
         getenv("ZE_ENABLE_ALT_DRIVERS") != nullptr;
}

bool pci_address(ze_device_handle_t device, char (&to)[16]) {
  ze_pci_ext_properties_t pci{};
  pci.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
  to[0] = '\0';
  const auto ask = get_pci.load();
  if (!can_ask() || ask == nullptr || ask(device, &pci) != ZE_RESULT_SUCCESS) return false;
  const int length = std::snprintf(to, sizeof to, "%04x:%02x:%02x.%x", pci.address.domain,
                                   pci.address.bus, pci.address.device, pci.address.function);
  if (length > 0 && static_cast<size_t>(length) < sizeof to) return true;
  to[0] = '\0';
  return false;
}

DeviceTicks ticks_of(ze_device_handle_t device) {
  ze_device_properties_t properties{};
  // this type gives the resolution in ticks per second; whole nanoseconds are too coarse
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2;
  const auto ask = get_properties.load();
  DeviceTicks ticks;
  if (!can_ask() || ask == nullptr || ask(device, &properties) != ZE_RESULT_SUCCESS) return ticks;
  ticks.per_second = properties.timerResolution;
  // an old driver does not know the type and gives nanoseconds: no clock is as slow as that number
  // of ticks per second
  if (ticks.per_second > 0 && ticks.per_second < 100000)
    ticks.per_second = 1000000000 / ticks.per_second;
  ticks.bits = properties.kernelTimestampValidBits;
  if (ticks.bits == 0 || ticks.bits > properties.timestampValidBits)
    ticks.bits = properties.timestampValidBits;
  if (ticks.bits == 0 || ticks.bits > 64) ticks.bits = 64;
  return ticks;
}

uint32_t copy_groups_of(ze_device_handle_t device) {
  ze_command_queue_group_properties_t groups[32] = {};
  uint32_t count = 32, copy = 0;
  for (auto& group : groups) group.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
  const auto ask = get_groups.load();
  if (!can_ask() || ask == nullptr || ask(device, &count, groups) != ZE_RESULT_SUCCESS) return 0;
  for (uint32_t i = 0; i < count && i < 32; ++i)
    if ((groups[i].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) == 0) copy |= 1u << i;
  return copy;
}

// Of version 1.17, which the headers of 1.4 lack.
constexpr auto kGraphProperties = static_cast<ze_structure_type_t>(0x20047);
struct GraphProperties {  // ze_record_replay_graph_ext_properties_t
  ze_structure_type_t stype;
  void* next;
  uint32_t flags;
};

// "0000:3a:00.0 tile 1"; without a tile for a whole device; "" when it is unknown. `tile` counts
// the driver's own devices at one address, -1 = it is the only one.
void set_place(Device& device, int tile) {
  char address[16];
  device.place[0] = '\0';
  if (!pci_address(device.handle, address)) return;
  ze_device_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  const auto ask = get_properties.load();
  if (tile < 0 && ask != nullptr && ask(device.handle, &properties) == ZE_RESULT_SUCCESS &&
      (properties.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE) != 0)
    tile = static_cast<int>(properties.subdeviceId);
  if (tile < 0)
    std::snprintf(device.place, sizeof device.place, "%s", address);
  else
    std::snprintf(device.place, sizeof device.place, "%s tile %d", address, tile);
}

Device* known(ze_device_handle_t device) {
  const uint32_t count = device_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    if (devices[i].handle == device) return &devices[i];
  return nullptr;
}

// With the lock held.
Device* add(ze_device_handle_t device, int tile) {
  if (Device* there = known(device); there != nullptr) return there;
  const uint32_t number = device_count.load(std::memory_order_relaxed);
  if (number == kMaxDevices) return nullptr;
  Device& made = devices[number];
  made.handle = device;
  made.number = number + 1;
  made.ticks = ticks_of(device);
  made.copy_groups = copy_groups_of(device);
  set_place(made, tile);
  report_device(made.number, made.place);
  device_count.store(number + 1, std::memory_order_release);
  return &made;
}

// Asks the driver for the same moment on both clocks.
void look_at_clock(Device& device, uint64_t now) {
  if (device.then_ns != 0 && now - device.then_ns < kClockNs) return;
  device.then_ns = 0;
  const auto ask = get_timestamps.load();
  uint64_t host = 0, ticks = 0;
  const uint64_t before = monotonic_ns();
  if (ask == nullptr || ask(device.handle, &host, &ticks) != ZE_RESULT_SUCCESS) return;
  const uint64_t after = monotonic_ns();
  // `host` is by a clock of the driver's choice, so it is not used
  device.then_ns = before + (after - before) / 2;
  device.then_ticks = ticks & device.ticks.mask();
}

}  // namespace

void set_device_functions(const ze_device_dditable_t& core) {
  get.store(core.pfnGet);
  get_properties.store(core.pfnGetProperties);
  get_pci.store(core.pfnPciGetPropertiesExt);
  get_timestamps.store(core.pfnGetGlobalTimestamps);
  get_groups.store(core.pfnGetCommandQueueGroupProperties);
}

// With ZE_FLAT_DEVICE_HIERARCHY each tile may be one of the driver's own devices, at its card's
// address.
void devices_listed(ze_driver_handle_t driver) {
  const auto ask = get.load();
  ze_device_handle_t found[kMaxDevices];
  uint32_t count = kMaxDevices;
  if (ask == nullptr || ask(driver, &count, found) != ZE_RESULT_SUCCESS) return;
  if (count > kMaxDevices) count = kMaxDevices;
  lock.lock();
  for (uint32_t i = 0; i < count; ++i) {
    char address[16], other[16];
    int before = 0, same = 0;
    pci_address(found[i], address);
    for (uint32_t j = 0; j < count && address[0] != '\0'; ++j) {
      if (j == i || !pci_address(found[j], other) || std::strcmp(address, other) != 0) continue;
      ++same;
      if (j < i) ++before;
    }
    add(found[i], same > 0 ? before : -1);
  }
  lock.unlock();
}

Device* find_device(ze_device_handle_t device) {
  if (Device* there = known(device); there != nullptr) return there;
  lock.lock();
  Device* made = add(device, -1);
  lock.unlock();
  return made;
}

uint32_t device_number(const Device* device) {
  return device == nullptr ? 0 : device->number;
}

uint32_t graph_flags(const Device* device) {
  GraphProperties graphs{};
  graphs.stype = kGraphProperties;
  ze_device_properties_t properties{};
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  properties.pNext = &graphs;
  const auto ask = get_properties.load();
  const bool told = device != nullptr && can_ask() && ask != nullptr &&
                    ask(device->handle, &properties) == ZE_RESULT_SUCCESS;
  return told ? graphs.flags : 0;
}

bool is_copy_engine(const Device* device, uint32_t group) {
  return device != nullptr && group < 32 && (device->copy_groups >> group & 1) != 0;
}

bool has_clock(const Device* device) {
  return device != nullptr && device->ticks.per_second != 0;
}

bool kernel_times(Device* device, const ze_kernel_timestamp_data_t& ticks, uint64_t launched,
                  uint64_t& begin, uint64_t& end) {
  if (!has_clock(device)) return false;
  const DeviceTicks& scale = device->ticks;
  const uint64_t start = ticks.kernelStart & scale.mask(), stop = ticks.kernelEnd & scale.mask();
  const uint64_t took = scale.between(start, stop);
  if (took > scale.mask() / 2) return false;
  const uint64_t now = monotonic_ns();
  look_at_clock(*device, now);
  if (device->then_ns != 0) {
    begin = scale.time_of(start, device->then_ticks, device->then_ns);
    end = begin + scale.nanoseconds(took);
    if (begin + kSlackNs >= launched && end <= now + kSlackNs) return true;
  }
  begin = launched;
  end = launched + scale.nanoseconds(took);
  return end <= now + kSlackNs;
}

void report_devices_again() {
  const uint32_t count = device_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) report_device(devices[i].number, devices[i].place);
}

void lock_devices() {
  lock.lock();
}

void unlock_devices() {
  lock.unlock();
}

}  // namespace aiflame::agent::level_zero
