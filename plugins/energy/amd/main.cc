// SPDX-License-Identifier: MIT
// energy-amd: the energy counters of AMD's GPUs, by AMD SMI, or by its predecessor ROCm SMI where
// AMD SMI is not installed or finds none. Both count in steps of so many microjoules.
//
// The types are those of amd_smi/amdsmi.h (ROCm 6 and 7) and rocm_smi/rocm_smi.h (Debian's
// librocm-smi-dev 5.2.3), which are not needed to build this.
#include <cmath>

#include "plugins/energy/common/library.h"
#include "plugins/energy/common/serve.h"

namespace aiflame::energy {
namespace {

using Status = int;  // amdsmi_status_t, rsmi_status_t: 0 is success

std::string error_of(const char* function, Status status) {
  return std::string(function) + ": error " + std::to_string(status);
}

// "The format of bdfid": domain in the upper half, then bus, device and function.
std::string place_of(uint64_t bdf) {
  return pci_address(bdf >> 32, bdf >> 8, bdf >> 3, bdf);
}

std::optional<uint64_t> microjoules(uint64_t steps, float step) {
  const double out = static_cast<double>(steps) * static_cast<double>(step);
  constexpr double kMost = 9e18;  // fits
  if (!(out >= 0 && out < kMost)) return std::nullopt;
  return static_cast<uint64_t>(std::llround(out));
}

// Numbers its devices, whatever the library.
class Smi {
 public:
  virtual ~Smi() = default;
  virtual bool find_in(Library& library) = 0;
  // The number of devices. Adds a note where they are not known.
  virtual size_t start(Found& found) = 0;
  virtual Status energy(size_t device, uint64_t* steps, float* step) const = 0;
  virtual Status place(size_t device, uint64_t* bdf) const = 0;
};

class AmdSmi : public Smi {
 public:
  bool find_in(Library& library) override {
    return library.find("amdsmi_init", init_) &&
           library.find("amdsmi_get_socket_handles", sockets_) &&
           library.find("amdsmi_get_processor_handles", processors_) &&
           library.find("amdsmi_get_gpu_bdf_id", bdf_) &&
           library.find("amdsmi_get_energy_count", energy_);
  }
  size_t start(Found& found) override {
    constexpr uint64_t kGpus = 1 << 1;  // AMDSMI_INIT_AMD_GPUS
    uint32_t count = 0;
    Status status = init_(kGpus);
    if (status != 0) found.notes.push_back(error_of("amdsmi_init", status));
    if (status == 0) status = sockets_(&count, nullptr);
    std::vector<void*> sockets(status == 0 ? count : 0);
    if (!sockets.empty() && sockets_(&count, sockets.data()) != 0) sockets.clear();
    for (void* socket : sockets) add_devices(socket);
    return devices_.size();
  }
  Status energy(size_t device, uint64_t* steps, float* step) const override {
    uint64_t time = 0;
    return energy_(devices_[device], steps, step, &time);
  }
  Status place(size_t device, uint64_t* bdf) const override { return bdf_(devices_[device], bdf); }

 private:
  void add_devices(void* socket) {
    uint32_t count = 0;
    if (processors_(socket, &count, nullptr) != 0) return;
    std::vector<void*> devices(count);
    if (count == 0 || processors_(socket, &count, devices.data()) != 0) return;
    devices_.insert(devices_.end(), devices.begin(), devices.end());
  }

  Status (*init_)(uint64_t);
  Status (*sockets_)(uint32_t*, void**);
  Status (*processors_)(void*, uint32_t*, void**);
  Status (*bdf_)(void*, uint64_t*);
  Status (*energy_)(void*, uint64_t*, float*, uint64_t*);
  std::vector<void*> devices_;
};

class RocmSmi : public Smi {
 public:
  bool find_in(Library& library) override {
    return library.find("rsmi_init", init_) && library.find("rsmi_num_monitor_devices", count_) &&
           library.find("rsmi_dev_pci_id_get", bdf_) &&
           library.find("rsmi_dev_energy_count_get", energy_);
  }
  size_t start(Found& found) override {
    uint32_t count = 0;
    Status status = init_(0);
    if (status != 0) found.notes.push_back(error_of("rsmi_init", status));
    if (status == 0) status = count_(&count);
    return status == 0 ? count : 0;
  }
  Status energy(size_t device, uint64_t* steps, float* step) const override {
    uint64_t time = 0;
    return energy_(static_cast<uint32_t>(device), steps, step, &time);
  }
  Status place(size_t device, uint64_t* bdf) const override {
    return bdf_(static_cast<uint32_t>(device), bdf);
  }

 private:
  Status (*init_)(uint64_t);
  Status (*count_)(uint32_t*);
  Status (*bdf_)(uint32_t, uint64_t*);
  Status (*energy_)(uint32_t, uint64_t*, float*, uint64_t*);
};

void add_device(const Smi& smi, size_t device, Found& found) {
  uint64_t bdf = 0, steps = 0;
  float step = 0;
  std::string place, name = "AMD GPU " + std::to_string(device);
  if (smi.place(device, &bdf) == 0) {
    place = place_of(bdf);
    name = "AMD GPU " + place;
  }
  const Status status = smi.energy(device, &steps, &step);
  if (status != 0) {
    found.notes.push_back(name + ": " + error_of("energy count", status));
    return;
  }
  found.counters.push_back({place, name, [&smi, device]() -> std::optional<uint64_t> {
                              uint64_t now = 0;
                              float size = 0;
                              if (smi.energy(device, &now, &size) != 0) return std::nullopt;
                              return microjoules(now, size);
                            }});
}

void add_counters(Smi& smi, const std::vector<const char*>& names, Found& found) {
  Library library(names);
  if (!library.obstacle().empty()) found.notes.push_back(library.obstacle());
  if (!library.is_there()) return;
  if (!smi.find_in(library)) {
    found.notes.push_back(library.lack());
    return;
  }
  const size_t count = smi.start(found);
  for (size_t i = 0; i < count; ++i) add_device(smi, i, found);
}

Found find_counters() {
  static AmdSmi amd;
  static RocmSmi rocm;
  Found found;
  // the second names: without the packages for developers
  add_counters(amd, {"libamd_smi.so", "libamd_smi.so.26", "libamd_smi.so.25", "libamd_smi.so.24"},
               found);
  if (found.counters.empty())
    add_counters(rocm,
                 {"librocm_smi64.so", "librocm_smi64.so.7", "librocm_smi64.so.6",
                  "librocm_smi64.so.5", "librocm_smi64.so.1"},
                 found);
  return found;
}

}  // namespace
}  // namespace aiflame::energy

int main() {
  return aiflame::energy::serve(aiflame::energy::find_counters);
}
