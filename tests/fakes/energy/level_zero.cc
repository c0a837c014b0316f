// SPDX-License-Identifier: MIT
// A stand-in for libze_loader.so.1 with Sysman, as far as energy-level-zero calls it: devices
// 0000:3d:00.0 and so on, with a domain of the card and one of a tile, which counts half.
#include <level_zero/zes_api.h>

#include <algorithm>
#include <cstring>

#include "tests/fakes/energy/fake_counters.h"

namespace fake = aiflame::fake_energy;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

template <typename Handle>
Handle handle(uintptr_t number) {
  return reinterpret_cast<Handle>(number + 1);
}
template <typename Handle>
unsigned number(Handle of) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(of) - 1);
}

}  // namespace

EXPORT ze_result_t zesInit(uint32_t) {
  return ZE_RESULT_SUCCESS;
}
EXPORT ze_result_t zesDriverGet(uint32_t* count, ze_driver_handle_t* drivers) {
  *count = 1;
  if (drivers != nullptr) *drivers = handle<ze_driver_handle_t>(0);
  return ZE_RESULT_SUCCESS;
}
EXPORT ze_result_t zesDeviceGet(ze_driver_handle_t, uint32_t* count, zes_device_handle_t* devices) {
  *count = fake::device_count("ze");
  for (uint32_t i = 0; devices != nullptr && i < *count; ++i)
    devices[i] = handle<zes_device_handle_t>(i);
  return ZE_RESULT_SUCCESS;
}
EXPORT ze_result_t zesDeviceGetProperties(zes_device_handle_t device,
                                          zes_device_properties_t* out) {
  const std::string name = fake::line_of("ze", number(device), "name");
  std::memset(out->modelName, 0, sizeof out->modelName);
  std::memcpy(out->modelName, name.data(), std::min(name.size(), sizeof out->modelName));
  return ZE_RESULT_SUCCESS;
}
EXPORT ze_result_t zesDevicePciGetProperties(zes_device_handle_t device,
                                             zes_pci_properties_t* out) {
  out->address = {0, 0x3d + number(device), 0, 0};
  return ZE_RESULT_SUCCESS;
}
EXPORT ze_result_t zesDeviceEnumPowerDomains(zes_device_handle_t device, uint32_t* count,
                                             zes_pwr_handle_t* domains) {
  *count = 2;
  for (uint32_t i = 0; domains != nullptr && i < 2; ++i)
    domains[i] = handle<zes_pwr_handle_t>(2 * number(device) + i);
  return ZE_RESULT_SUCCESS;
}
EXPORT ze_result_t zesPowerGetProperties(zes_pwr_handle_t domain, zes_power_properties_t* out) {
  out->onSubdevice = number(domain) % 2;
  out->subdeviceId = 0;
  auto* level = static_cast<zes_power_ext_properties_t*>(out->pNext);
  if (level != nullptr && !out->onSubdevice) level->domain = ZES_POWER_DOMAIN_CARD;
  return ZE_RESULT_SUCCESS;
}
EXPORT ze_result_t zesPowerGetEnergyCounter(zes_pwr_handle_t domain,
                                            zes_power_energy_counter_t* out) {
  const int status = fake::read_energy("ze", number(domain) / 2, out->energy);
  if (number(domain) % 2) out->energy /= 2;
  out->timestamp = 1;
  return status == 0 ? ZE_RESULT_SUCCESS : static_cast<ze_result_t>(status);
}
