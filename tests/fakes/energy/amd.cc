// SPDX-License-Identifier: MIT
// Stand-ins for AMD's libamd_smi.so and librocm_smi64.so, as far as energy-amd calls them: steps of
// 15.259 microjoules, those of an MI200.
#include "tests/fakes/energy/fake_counters.h"

namespace fake = aiflame::fake_energy;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr int kInvalid = 1;

int energy(const char* vendor, unsigned device, uint64_t* steps, float* step, uint64_t* time) {
  if (steps == nullptr || step == nullptr || time == nullptr) return kInvalid;
  *step = 15.259F;
  *time = 1;
  return fake::read_energy(vendor, device, *steps);
}

unsigned index_of(const void* device) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(device) - 1);
}

// 0000:c1:00.0 and so on
uint64_t bdf(unsigned device) {
  return uint64_t{0xc1 + device} << 8;
}

}  // namespace

// ---- AMD SMI: a socket for each device ----------------------------------------------------------

EXPORT int amdsmi_init(uint64_t flags) {
  return flags == 2 ? 0 : kInvalid;
}
EXPORT int amdsmi_get_socket_handles(uint32_t* count, void** sockets) {
  *count = fake::device_count("amd");
  for (uint32_t i = 0; sockets != nullptr && i < *count; ++i)
    sockets[i] = reinterpret_cast<void*>(uintptr_t{i} + 1);
  return 0;
}
EXPORT int amdsmi_get_processor_handles(void* socket, uint32_t* count, void** processors) {
  *count = 1;
  if (processors != nullptr) processors[0] = socket;
  return 0;
}
EXPORT int amdsmi_get_gpu_bdf_id(void* device, uint64_t* out) {
  *out = bdf(index_of(device));
  return 0;
}
EXPORT int amdsmi_get_energy_count(void* device, uint64_t* steps, float* step, uint64_t* time) {
  return energy("amd", index_of(device), steps, step, time);
}

// ---- ROCm SMI -----------------------------------------------------------------------------------

EXPORT int rsmi_init(uint64_t) {
  return 0;
}
EXPORT int rsmi_num_monitor_devices(uint32_t* count) {
  *count = fake::device_count("rocm");
  return 0;
}
EXPORT int rsmi_dev_pci_id_get(uint32_t device, uint64_t* out) {
  *out = bdf(device);
  return 0;
}
EXPORT int rsmi_dev_energy_count_get(uint32_t device, uint64_t* steps, float* step,
                                     uint64_t* time) {
  return energy("rocm", device, steps, step, time);
}
