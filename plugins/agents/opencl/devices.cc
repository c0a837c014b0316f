/* SPDX-License-Identifier: MIT */
#include "plugins/agents/opencl/devices.h"

#include <atomic>
#include <cstdio>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/quick_lock.h"

namespace aiflame::agent::opencl {
namespace {

// More than any machine has; sub-devices are devices too.
constexpr uint32_t kMaxDevices = 256;
// No recorder has this generation.
constexpr uint32_t kNever = UINT32_MAX;

struct Device {
  cl_device_id handle;
  std::atomic<uint32_t> reported_generation;
  char place[sizeof agent_device::place];  // "0000:3a:00.0", or "" when it is unknown
};
Device devices[kMaxDevices];
std::atomic<uint32_t> device_count{0};
QuickLock lock;

// Of cl_khr_pci_bus_info. A platform without it refuses the question.
void find_place(Device& device) {
  cl_device_pci_bus_info_khr pci{};
  device.place[0] = '\0';
  if (lower->clGetDeviceInfo(device.handle, CL_DEVICE_PCI_BUS_INFO_KHR, sizeof pci, &pci,
                             nullptr) == CL_SUCCESS)
    std::snprintf(device.place, sizeof device.place, "%04x:%02x:%02x.%x", pci.pci_domain,
                  pci.pci_bus, pci.pci_device, pci.pci_function);
}

Device* known(cl_device_id handle) {
  const uint32_t count = device_count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i)
    if (devices[i].handle == handle) return &devices[i];
  return nullptr;
}

// Null when there are too many.
Device* find_device(cl_device_id handle) {
  if (Device* there = known(handle); there != nullptr) return there;
  lock.lock();
  Device* found = known(handle);
  const uint32_t count = device_count.load(std::memory_order_relaxed);
  if (found == nullptr && count < kMaxDevices) {
    found = &devices[count];
    found->handle = handle;
    found->reported_generation.store(kNever, std::memory_order_relaxed);
    find_place(*found);
    device_count.store(count + 1, std::memory_order_release);
  }
  lock.unlock();
  return found;
}

}  // namespace

cl_device_id device_of(cl_command_queue queue) {
  cl_device_id device = nullptr;
  if (lower->clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof(cl_device_id), &device,
                                   nullptr) != CL_SUCCESS)
    return nullptr;
  return device;
}

uint32_t device_number(cl_device_id handle) {
  if (handle == nullptr) return 0;
  Device* device = find_device(handle);
  if (device == nullptr || device->place[0] == '\0') return 0;
  const auto number = static_cast<uint32_t>(device - devices) + 1;
  const uint32_t now = generation();
  if (device->reported_generation.load(std::memory_order_acquire) == now) return number;
  // another thread that uses the number waits until it is reported
  lock.lock();
  if (device->reported_generation.load(std::memory_order_relaxed) != now) {
    report_device(number, device->place);
    device->reported_generation.store(now, std::memory_order_release);
  }
  lock.unlock();
  return number;
}

void lock_devices() {
  lock.lock();
}

void unlock_devices() {
  lock.unlock();
}

}  // namespace aiflame::agent::opencl
