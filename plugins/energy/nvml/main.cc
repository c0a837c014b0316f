// SPDX-License-Identifier: MIT
// energy-nvml: the energy counters of NVIDIA's GPUs, by NVML, which comes with the driver.
//
// Its header is not in Debian, and six functions are all that is needed. Their types are those of
// NVIDIA's "NVML API Reference Guide"; that they are called by these names, with _v2, is what the
// guide's header makes of nvmlInit() and the others.
#include "plugins/energy/common/library.h"
#include "plugins/energy/common/serve.h"

namespace aiflame::energy {
namespace {

// of the guide
using Status = int;  // nvmlReturn_t: 0 is NVML_SUCCESS
using Device = void*;
constexpr size_t kNameSize =
    96;  // NVML_DEVICE_NAME_V2_BUFFER_SIZE, NVML_DEVICE_UUID_V2_BUFFER_SIZE

struct Nvml {
  Status (*init)();
  Status (*count)(unsigned*);
  Status (*device)(unsigned, Device*);
  Status (*name)(Device, char*, unsigned);
  Status (*uuid)(Device, char*, unsigned);
  Status (*energy)(Device, unsigned long long*);  // millijoules since the driver was loaded

  bool find_in(Library& library) {
    return library.find("nvmlInit_v2", init) && library.find("nvmlDeviceGetCount_v2", count) &&
           library.find("nvmlDeviceGetHandleByIndex_v2", device) &&
           library.find("nvmlDeviceGetName", name) && library.find("nvmlDeviceGetUUID", uuid) &&
           library.find("nvmlDeviceGetTotalEnergyConsumption", energy);
  }
};

std::string error_of(const char* function, Status status) {
  return std::string(function) + ": error " + std::to_string(status);
}

// MIG: the counter is of the whole GPU, whose name and UUID these are.
std::string name_of(const Nvml& nvml, Device device, unsigned index) {
  char name[kNameSize] = "", uuid[kNameSize] = "";
  if (nvml.name(device, name, kNameSize) != 0) name[0] = '\0';
  if (nvml.uuid(device, uuid, kNameSize) != 0) uuid[0] = '\0';
  std::string out = name[0] == '\0' ? "NVIDIA GPU" : name_in(name);
  return out + " " + (uuid[0] == '\0' ? std::to_string(index) : name_in(uuid));
}

std::optional<uint64_t> microjoules(const Nvml& nvml, Device device) {
  unsigned long long millijoules = 0;
  if (nvml.energy(device, &millijoules) != 0 || millijoules > UINT64_MAX / 1000)
    return std::nullopt;
  return uint64_t{millijoules} * 1000;
}

void add_device(const Nvml& nvml, unsigned index, Found& found) {
  Device device = nullptr;
  Status status = nvml.device(index, &device);
  if (status != 0) {
    found.notes.push_back(error_of("nvmlDeviceGetHandleByIndex_v2", status));
    return;
  }
  const std::string name = name_of(nvml, device, index);
  unsigned long long millijoules = 0;
  status = nvml.energy(device, &millijoules);  // not supported before Volta
  if (status != 0)
    found.notes.push_back(name + ": " + error_of("nvmlDeviceGetTotalEnergyConsumption", status));
  else
    found.counters.push_back({"", name, [&nvml, device] { return microjoules(nvml, device); }});
}

Found find_counters() {
  static Nvml nvml;
  Found found;
  Library library({"libnvidia-ml.so.1"});
  if (!library.obstacle().empty()) found.notes.push_back(library.obstacle());
  if (!library.is_there()) return found;
  if (!nvml.find_in(library)) {
    found.notes.push_back(library.lack());
    return found;
  }
  unsigned count = 0;
  Status status = nvml.init();
  if (status != 0) {
    found.notes.push_back(error_of("nvmlInit_v2", status));
    return found;
  }
  status = nvml.count(&count);
  if (status != 0) found.notes.push_back(error_of("nvmlDeviceGetCount_v2", status));
  for (unsigned i = 0; status == 0 && i < count; ++i) add_device(nvml, i, found);
  return found;
}

}  // namespace
}  // namespace aiflame::energy

int main() {
  return aiflame::energy::serve(aiflame::energy::find_counters);
}
