/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/cuda_driver.h"

#include <dlfcn.h>

namespace aiflame::agent {

void* cuda_driver() {
  return dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
}

const void* driver_function(const char* name) {
  void* const driver = cuda_driver();
  return driver == nullptr ? nullptr : dlsym(driver, name);
}

// "0000:3D:00.0", turned into the small letters of /sys.
void device_place(int device, char* out, size_t room) {
  int (*get)(char*, int, int) = nullptr;
  find_driver_function(get, "cuDeviceGetPCIBusId");
  out[0] = '\0';
  if (get == nullptr || get(out, static_cast<int>(room), device) != 0) {
    out[0] = '\0';
    return;
  }
  out[room - 1] = '\0';
  for (char* at = out; *at != '\0'; ++at)
    if (*at >= 'A' && *at <= 'Z') *at = static_cast<char>(*at - 'A' + 'a');
}

LaunchExtent size_in_blocks(const uint32_t (&grid)[3], const uint32_t (&block)[3],
                            uint64_t shared) {
  LaunchExtent size{};
  constexpr uint32_t kMostThreads = 1024, kMostShared = 1 << 20;
  for (int i = 0; i < 3; ++i)
    if (grid[i] == 0 || block[i] == 0 || block[i] > kMostThreads) return size;
  if (shared > kMostShared) return size;
  for (int i = 0; i < 3; ++i) {
    size.items[i] = uint64_t{grid[i]} * block[i];
    size.group[i] = block[i];
  }
  size.local_bytes = static_cast<uint32_t>(shared);
  return size;
}

}  // namespace aiflame::agent
