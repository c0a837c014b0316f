// SPDX-License-Identifier: MIT
#include "plugins/sources/level-zero/gpu.h"

#include <algorithm>
#include <map>
#include <optional>

#include "libcommon/base/program.h"
#include "plugins/sources/level-zero/obstacle.h"

namespace aiflame::source::level_zero {
namespace {

constexpr uint32_t kIntel = 0x8086;

// ze_device_ip_version_ext_t, since version 1.6 of the interface. The number is that of the
// graphics engine: 20.1.4 is 20 << 22 | 1 << 14 | 4.
constexpr auto kIpVersionProperties = static_cast<ze_structure_type_t>(0x1000f);
struct IpVersionProperties {
  ze_structure_type_t stype;
  const void* next;
  uint32_t version;
};

// 19.2 MHz: used if the driver does not say; it is right for all GPUs that have the sampler.
constexpr uint64_t kNsPerTick = 52;

// The handles that a function of (count, handles) returns, which is called twice; none if it fails.
template <typename Handle, typename List>
std::vector<Handle> handles_of(List list) {
  uint32_t count = 0;
  if (list(&count, nullptr) != ZE_RESULT_SUCCESS || count == 0) return {};
  std::vector<Handle> handles(count);
  if (list(&count, handles.data()) != ZE_RESULT_SUCCESS) return {};
  handles.resize(std::min<size_t>(count, handles.size()));
  return handles;
}

// The text up to the 0 or the array's end, without commas: those separate the fields of the
// recording's `device N :`.
template <size_t kSize>
std::string text_of(const char (&text)[kSize]) {
  std::string out(text, std::find(text, text + kSize, '\0'));
  std::replace(out.begin(), out.end(), ',', ' ');
  return printable(out);
}

// "0000:03:00.0", or another text that is unique to the GPU.
std::string pci_address(ze_device_handle_t device, size_t number) {
  ze_pci_ext_properties_t pci{};
  pci.stype = ZE_STRUCTURE_TYPE_PCI_EXT_PROPERTIES;
  if (ze().pci_properties(device, &pci) != ZE_RESULT_SUCCESS) return format("GPU %zu", number);
  return format("%04x:%02x:%02x.%x", pci.address.domain, pci.address.bus, pci.address.device,
                pci.address.function);
}

std::optional<Tile> describe(ze_driver_handle_t driver, ze_device_handle_t device) {
  ze_device_properties_t properties{};
  IpVersionProperties ip{kIpVersionProperties, nullptr, 0};
  properties.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES;
  properties.pNext = &ip;
  if (ze().device_properties(device, &properties) != ZE_RESULT_SUCCESS ||
      properties.type != ZE_DEVICE_TYPE_GPU || properties.vendorId != kIntel)
    return std::nullopt;
  Tile tile;
  tile.driver = driver;
  tile.device = device;
  tile.name = text_of(properties.name);
  tile.ns_per_tick = properties.timerResolution == 0 ? kNsPerTick : properties.timerResolution;
  tile.ip_major = ip.version >> 22;
  return tile;
}

bool is_time_based(zet_metric_group_handle_t group, std::string& name) {
  zet_metric_group_properties_t properties{};
  properties.stype = ZET_STRUCTURE_TYPE_METRIC_GROUP_PROPERTIES;
  if (ze().group_properties(group, &properties) != ZE_RESULT_SUCCESS) return false;
  name = text_of(properties.name);
  return (properties.samplingType & ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_TIME_BASED) != 0;
}

std::vector<std::string> metric_names(zet_metric_group_handle_t group) {
  std::vector<std::string> names;
  for (zet_metric_handle_t metric :
       handles_of<zet_metric_handle_t>([&](uint32_t*count, zet_metric_handle_t*out) {
         return ze().get_metrics(group, count, out);
       })) {
    zet_metric_properties_t properties{};
    properties.stype = ZET_STRUCTURE_TYPE_METRIC_PROPERTIES;
    if (ze().metric_properties(metric, &properties) != ZE_RESULT_SUCCESS) return {};
    names.push_back(text_of(properties.name));
  }
  return names;
}

}  // namespace

std::vector<Tile> find_tiles() {
  std::vector<Tile> tiles;
  std::map<std::string, unsigned> tiles_at;  // by PCI address
  for (ze_driver_handle_t driver : handles_of<ze_driver_handle_t>(
           [&](uint32_t*count, ze_driver_handle_t*out) { return ze().get_drivers(count, out); })) {
    for (ze_device_handle_t root :
         handles_of<ze_device_handle_t>([&](uint32_t*count, ze_device_handle_t*out) {
           return ze().get_devices(driver, count, out);
         })) {
      // ZE_FLAT_DEVICE_HIERARCHY decides whether tiles are devices here or subdevices below
      auto devices = handles_of<ze_device_handle_t>([&](uint32_t* count, ze_device_handle_t* out) {
        return ze().get_sub_devices(root, count, out);
      });
      if (devices.empty()) devices.push_back(root);
      const std::string address = pci_address(root, tiles.size());
      for (ze_device_handle_t device : devices) {
        auto tile = describe(driver, device);
        if (!tile) continue;
        tile->place = format("%s tile %u", address.c_str(), tiles_at[address]++);
        tiles.push_back(std::move(*tile));
      }
    }
  }
  if (tiles.empty()) throw Error(no_gpu_obstacle());
  return tiles;
}

StallGroup find_stall_group(const Tile& tile) {
  for (zet_metric_group_handle_t group :
       handles_of<zet_metric_group_handle_t>([&](uint32_t*count, zet_metric_group_handle_t*out) {
         return ze().get_groups(tile.device, count, out);
       })) {
    std::string name;
    if (is_time_based(group, name) && name == "EuStallSampling")
      return {group, metric_names(group)};
  }
  throw Error(hidden_obstacle());
}

}  // namespace aiflame::source::level_zero
