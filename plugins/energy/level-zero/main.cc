// SPDX-License-Identifier: MIT
// energy-level-zero: the energy counters of Intel's GPUs, by Level Zero's system management
// (Sysman). Where the kernel's driver has them too, as hwmon, the recorder takes the kernel's.
#include <level_zero/zes_api.h>

#include <cstdlib>

#include "plugins/energy/common/library.h"
#include "plugins/energy/common/serve.h"

namespace aiflame::energy {
namespace {

struct Sysman {
  decltype(&zesDeviceGetProperties) properties;
  decltype(&zesDevicePciGetProperties) pci;
  decltype(&zesDeviceEnumPowerDomains) domains;
  decltype(&zesPowerGetProperties) domain_properties;
  decltype(&zesPowerGetEnergyCounter) energy;

  bool find_in(Library& library) {
    return library.find("zesDeviceGetProperties", properties) &&
           library.find("zesDevicePciGetProperties", pci) &&
           library.find("zesDeviceEnumPowerDomains", domains) &&
           library.find("zesPowerGetProperties", domain_properties) &&
           library.find("zesPowerGetEnergyCounter", energy);
  }
};

std::string error_of(const char* function, ze_result_t result) {
  char out[96];
  std::snprintf(out, sizeof out, "%s: error %#x", function, static_cast<unsigned>(result));
  return out;
}

// Level Zero's way to list: called for the number, and again for the handles.
template <typename Handle, typename Call>
std::vector<Handle> listed(Call call, const char* function, Found& found) {
  uint32_t count = 0;
  ze_result_t result = call(&count, nullptr);
  std::vector<Handle> out(result == ZE_RESULT_SUCCESS ? count : 0);
  if (!out.empty()) result = call(&count, out.data());
  if (result != ZE_RESULT_SUCCESS) {
    found.notes.push_back(error_of(function, result));
    return {};
  }
  out.resize(std::min<size_t>(out.size(), count));
  return out;
}

// The functions that start it: those of loaders since 1.10, or the older way, in which every device
// of Level Zero is one of Sysman if ZES_ENABLE_SYSMAN says so.
std::vector<zes_device_handle_t> devices_of(Library& library, Found& found) {
  ze_result_t (*init)(uint32_t) = nullptr;
  ze_result_t (*drivers)(uint32_t*, ze_driver_handle_t*) = nullptr;
  ze_result_t (*devices)(ze_driver_handle_t, uint32_t*, ze_device_handle_t*) = nullptr;
  const bool is_new = library.find("zesInit", init);
  const bool ok =
      is_new ? library.find("zesDriverGet", drivers) && library.find("zesDeviceGet", devices)
             : library.find("zeInit", init) && library.find("zeDriverGet", drivers) &&
                   library.find("zeDeviceGet", devices);
  if (!ok) {
    found.notes.push_back(library.lack());
    return {};
  }
  if (!is_new) setenv("ZES_ENABLE_SYSMAN", "1", 1);
  const ze_result_t result = init(0);
  if (result != ZE_RESULT_SUCCESS) {
    // a loader without a driver is on many machines, and says this
    if (result != ZE_RESULT_ERROR_UNINITIALIZED)
      found.notes.push_back(error_of(is_new ? "zesInit" : "zeInit", result));
    return {};
  }
  std::vector<zes_device_handle_t> out;
  for (ze_driver_handle_t driver : listed<ze_driver_handle_t>(drivers, "zesDriverGet", found)) {
    const auto of_driver = [&](uint32_t* count, ze_device_handle_t* handles) {
      return devices(driver, count, handles);
    };
    for (ze_device_handle_t device : listed<ze_device_handle_t>(of_driver, "zesDeviceGet", found))
      out.push_back(reinterpret_cast<zes_device_handle_t>(device));
  }
  return out;
}

// What a domain is of: "card", "package", "stack", "tile 0"; of older drivers "domain 2".
std::string domain_name(const Sysman& sysman, zes_pwr_handle_t domain, size_t index) {
  zes_power_ext_properties_t level{ZES_STRUCTURE_TYPE_POWER_EXT_PROPERTIES, nullptr,
                                   ZES_POWER_DOMAIN_UNKNOWN, nullptr};
  zes_power_properties_t properties{};
  properties.stype = ZES_STRUCTURE_TYPE_POWER_PROPERTIES;
  properties.pNext = &level;
  if (sysman.domain_properties(domain, &properties) != ZE_RESULT_SUCCESS)
    return "domain " + std::to_string(index);
  std::string out;
  if (level.domain == ZES_POWER_DOMAIN_CARD) out = "card";
  if (level.domain == ZES_POWER_DOMAIN_PACKAGE) out = "package";
  if (level.domain == ZES_POWER_DOMAIN_STACK) out = "stack";
  if (properties.onSubdevice)
    out += (out.empty() ? "tile " : " of tile ") + std::to_string(properties.subdeviceId);
  return out.empty() ? "domain " + std::to_string(index) : out;
}

void add_device(const Sysman& sysman, zes_device_handle_t device, Found& found) {
  zes_device_properties_t properties{};
  properties.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  zes_pci_properties_t pci{};
  pci.stype = ZES_STRUCTURE_TYPE_PCI_PROPERTIES;
  const bool has_name = sysman.properties(device, &properties) == ZE_RESULT_SUCCESS;
  std::string name = has_name ? name_in(properties.modelName) : "Intel GPU", place;
  if (sysman.pci(device, &pci) == ZE_RESULT_SUCCESS)
    place =
        pci_address(pci.address.domain, pci.address.bus, pci.address.device, pci.address.function);
  if (!place.empty()) name += " " + place;
  const auto domains_of = [&](uint32_t* count, zes_pwr_handle_t* handles) {
    return sysman.domains(device, count, handles);
  };
  size_t index = 0;
  for (zes_pwr_handle_t domain :
       listed<zes_pwr_handle_t>(domains_of, "zesDeviceEnumPowerDomains", found)) {
    const auto read = [&sysman, domain]() -> std::optional<uint64_t> {
      zes_power_energy_counter_t counter{};
      if (sysman.energy(domain, &counter) != ZE_RESULT_SUCCESS) return std::nullopt;
      return counter.energy;
    };
    const std::string full = name + " " + domain_name(sysman, domain, index++);
    zes_power_energy_counter_t counter{};
    const ze_result_t result = sysman.energy(domain, &counter);
    if (result == ZE_RESULT_SUCCESS)
      found.counters.push_back({place, full, read});
    else
      found.notes.push_back(full + ": " + error_of("zesPowerGetEnergyCounter", result));
  }
}

Found find_counters() {
  static Sysman sysman;
  Found found;
  Library library({"libze_loader.so.1"});
  if (!library.obstacle().empty()) found.notes.push_back(library.obstacle());
  if (!library.is_there()) return found;
  if (!sysman.find_in(library)) {
    found.notes.push_back(library.lack());
    return found;
  }
  for (zes_device_handle_t device : devices_of(library, found)) add_device(sysman, device, found);
  return found;
}

}  // namespace
}  // namespace aiflame::energy

int main() {
  return aiflame::energy::serve(aiflame::energy::find_counters);
}
