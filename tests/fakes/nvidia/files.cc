/* SPDX-License-Identifier: MIT */
// For LD_PRELOAD: the files in which NVIDIA's driver and the kernel describe GPUs are read from the
// directory $FAKE_NVIDIA, so that a machine without a GPU has as many as a test needs:
//   $FAKE_NVIDIA/proc/driver/nvidia/gpus/0000:3d:00.0/information
#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

std::string moved(const char* path) {
  const char* root = std::getenv("FAKE_NVIDIA");
  const std::string asked = path;
  const bool is_shown = asked.starts_with("/proc/driver/nvidia") ||
                        asked.starts_with("/sys/bus/pci/devices") || asked == "/dev" ||
                        asked.starts_with("/dev/nvidia");
  return root != nullptr && is_shown ? root + asked : asked;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

#define EXPORTED extern "C" __attribute__((visibility("default")))

EXPORTED FILE* fopen(const char* path, const char* mode) {
  return next<decltype(&::fopen)>("fopen")(moved(path).c_str(), mode);
}
EXPORTED DIR* opendir(const char* path) {
  return next<DIR* (*)(const char*)>("opendir")(moved(path).c_str());
}
EXPORTED int access(const char* path, int mode) noexcept {
  return next<int (*)(const char*, int)>("access")(moved(path).c_str(), mode);
}
