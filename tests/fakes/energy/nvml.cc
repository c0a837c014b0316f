// SPDX-License-Identifier: MIT
// A stand-in for NVIDIA's libnvidia-ml.so.1, as far as energy-nvml calls it. Millijoules. The file
// nvml/init, if there is one, has what nvmlInit_v2 returns, or the word crash.
#include <cstring>

#include "tests/fakes/energy/fake_counters.h"

namespace fake = aiflame::fake_energy;

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

unsigned index_of(const void* device) {
  return static_cast<unsigned>(reinterpret_cast<uintptr_t>(device) - 1);
}

int copy(const std::string& text, char* out, unsigned size) {
  if (text.size() > size) return 7;            // NVML_ERROR_INSUFFICIENT_SIZE
  std::memcpy(out, text.data(), text.size());  // without an end, if it just fits
  if (text.size() < size) out[text.size()] = '\0';
  return 0;
}

}  // namespace

EXPORT int nvmlInit_v2() {
  const char* root = std::getenv("FAKE_ENERGY");
  std::ifstream in(std::string(root == nullptr ? "" : root) + "/nvml/init");
  std::string text;
  if (!std::getline(in, text)) return 0;
  if (text == "crash") std::abort();
  return std::stoi(text);
}
EXPORT int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = fake::device_count("nvml");
  return 0;
}
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(uintptr_t{index} + 1);
  return 0;
}
EXPORT int nvmlDeviceGetName(void* device, char* name, unsigned size) {
  return copy(fake::line_of("nvml", index_of(device), "name"), name, size);
}
EXPORT int nvmlDeviceGetUUID(void* device, char* uuid, unsigned size) {
  return copy("GPU-" + std::to_string(index_of(device)), uuid, size);
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(void* device, unsigned long long* millijoules) {
  uint64_t value = 0;
  const int status = fake::read_energy("nvml", index_of(device), value);
  *millijoules = value;
  return status;
}
