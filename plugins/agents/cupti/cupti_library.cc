/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/cupti_library.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

#include "plugins/agents/common/cuda_driver.h"

namespace aiflame::agent::cupti {
namespace {

Cupti cupti;
char reason[512];

// CUDA 13's library needs a driver of CUDA 13; with an older one every call fails.
const char* const kNames13First[] = {"libcupti.so.13", "libcupti.so.12"};
const char* const kNames12First[] = {"libcupti.so.12", "libcupti.so.13"};

char cuda_home[384];

void* open_file(const char* directory, const char* below, const char* name, int when) {
  char path[512];
  const int length = std::snprintf(path, sizeof path, "%s/%s/%s", directory, below, name);
  if (length < 0 || static_cast<size_t>(length) >= sizeof path) return nullptr;
  return dlopen(path, when | RTLD_LOCAL);
}

// First the CUPTI that the program has loaded, as PyTorch does: a second one would be a second
// subscriber. Then the dynamic linker's, then the one where CUDA's packages put it.
void* open_library() {
  int driver_version = 0;
  decltype(&cuDriverGetVersion) get_version = nullptr;
  find_driver_function(get_version, "cuDriverGetVersion");
  const bool old_driver = get_version != nullptr && get_version(&driver_version) == CUDA_SUCCESS &&
                          driver_version < 13000;
  const auto& names = old_driver ? kNames12First : kNames13First;
  for (const char* name : names)
    if (void* found = dlopen(name, RTLD_NOW | RTLD_NOLOAD); found != nullptr) return found;
  for (const char* name : names) {
    if (void* found = dlopen(name, RTLD_NOW | RTLD_LOCAL); found != nullptr) return found;
    for (const char* directory : {static_cast<const char*>(cuda_home), "/usr/local/cuda"}) {
      if (directory[0] != '/') continue;
      for (const char* below : {"extras/CUPTI/lib64", "lib64", "lib"})
        if (void* found = open_file(directory, below, name, RTLD_NOW); found != nullptr)
          return found;
    }
  }
  return nullptr;
}

// Libraries that CUPTI opens by name in order to sample. CUPTI (of CUDA 13.0) has no path to its
// own directory, so we load those beside it first: then the names are found. PyTorch's packages
// have CUPTI where the dynamic linker does not look.
void open_needed(void* library) {
  Dl_info info{};
  const void* function = dlsym(library, "cuptiSubscribe");
  if (function == nullptr || dladdr(function, &info) == 0 || info.dli_fname == nullptr) return;
  const char* slash = std::strrchr(info.dli_fname, '/');
  if (slash == nullptr) return;
  char directory[512];
  std::snprintf(directory, sizeof directory, "%.*s", static_cast<int>(slash - info.dli_fname),
                info.dli_fname);
  for (const char* needed : {"libnvperf_host.so", "libnvperf_target.so"})
    open_file(directory, ".", needed, RTLD_LAZY);
}

// Those of 13.2 are incomplete.
void find_subscriber_calls(void* library) {
  SubscriberCalls& calls = cupti.of_subscriber;
  bool has_all = cupti.version >= kFirstWithSubscriberCalls && cupti.cuptiSubscribe_v2 != nullptr;
#define X(name)                                                               \
  calls.name = reinterpret_cast<decltype(calls.name)>(dlsym(library, #name)); \
  has_all &= calls.name != nullptr;
  X(cuptiActivityRegisterCallbacks_v2)
  X(cuptiActivityEnable_v2)
  X(cuptiActivityDisable_v2)
  X(cuptiActivityGetNextRecord_v2)
  X(cuptiActivityGetNumDroppedRecords_v2)
  X(cuptiGetTimestamp_v2)
#undef X
  cupti.has_subscriber_calls = has_all;
}

}  // namespace

void note_cuda_home() {
  if (const char* home = std::getenv("CUDA_HOME"); home != nullptr)
    std::snprintf(cuda_home, sizeof cuda_home, "%s", home);
}

const Cupti* load_cupti(const char*& why) {
  void* library = open_library();
  if (library == nullptr) {
    why =
        "CUPTI (libcupti.so.13 or .12) is not found: install cuda-cupti of the CUDA toolkit, or "
        "add its directory to LD_LIBRARY_PATH";
    return nullptr;
  }
  open_needed(library);
  const char* missing = nullptr;
#define X(name)                                                               \
  cupti.name = reinterpret_cast<decltype(cupti.name)>(dlsym(library, #name)); \
  if (cupti.name == nullptr) missing = #name;
  AIFLAME_CUPTI_FUNCTIONS(X)
#undef X
#define X(name) cupti.name = reinterpret_cast<decltype(cupti.name)>(dlsym(library, #name));
  AIFLAME_CUPTI_NEWER_FUNCTIONS(X)
  X(cuptiSubscribe_v2)
#undef X
  if (missing == nullptr && cupti.cuptiGetVersion(&cupti.version) == CUPTI_SUCCESS) {
    find_subscriber_calls(library);
    return &cupti;
  }
  std::snprintf(reason, sizeof reason,
                "this libcupti has no %s: the agent needs that of CUDA 12 or 13",
                missing == nullptr ? "version" : missing);
  why = reason;
  return nullptr;
}

uint64_t device_cycles(CUdevice device) {
  decltype(&cuDeviceGetAttribute) get = nullptr;
  find_driver_function(get, "cuDeviceGetAttribute");
  int multiprocessors = 0, kilohertz = 0;
  if (get == nullptr ||
      get(&multiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, device) != CUDA_SUCCESS ||
      get(&kilohertz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device) != CUDA_SUCCESS)
    return 0;
  if (multiprocessors <= 0 || kilohertz <= 0) return 0;
  return static_cast<uint64_t>(multiprocessors) * static_cast<uint64_t>(kilohertz) * 1000;
}

namespace {

// The UUID of a MIG instance, as nvidia-smi -L shows it:
// "MIG-8f5b2f2e-0a4c-5d1e-9c3b-1f2a3b4c5d6e".
// "" for a whole GPU: only the newer function knows instances, the older one tells the GPU's.
void mig_uuid(CUdevice device, const char* name, char* out, size_t room) {
  using Get = CUresult(CUDAAPI*)(CUuuid*, CUdevice);
  Get of_gpu = nullptr, of_instance = nullptr;
  find_driver_function(of_gpu, "cuDeviceGetUuid");
  find_driver_function(of_instance, "cuDeviceGetUuid_v2");
  CUuuid gpu{}, instance{};
  out[0] = '\0';
  if (of_gpu == nullptr || of_instance == nullptr || of_gpu(&gpu, device) != CUDA_SUCCESS ||
      of_instance(&instance, device) != CUDA_SUCCESS)
    return;
  const bool differ = std::memcmp(&gpu, &instance, sizeof gpu) != 0;
  if (!differ && std::strstr(name, " MIG ") == nullptr) return;
  const auto* byte = reinterpret_cast<const unsigned char*>(instance.bytes);
  std::snprintf(out, room,
                "MIG-%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", byte[0],
                byte[1], byte[2], byte[3], byte[4], byte[5], byte[6], byte[7], byte[8], byte[9],
                byte[10], byte[11], byte[12], byte[13], byte[14], byte[15]);
}

}  // namespace

void device_name(CUdevice device, char* out, size_t room) {
  std::strncpy(out, "NVIDIA GPU", room - 1);
  decltype(&cuDeviceGetName) get = nullptr;
  find_driver_function(get, "cuDeviceGetName");
  if (get != nullptr && get(out, static_cast<int>(room), device) == CUDA_SUCCESS)
    out[room - 1] = '\0';
  char uuid[48];
  mig_uuid(device, out, uuid, sizeof uuid);
  if (uuid[0] == '\0') return;
  // the UUID is what tells instances apart, so a long name is cut
  const size_t name_bytes = std::strlen(out), most = room - std::strlen(uuid) - 2;
  char* const end = out + (name_bytes < most ? name_bytes : most);
  std::snprintf(end, static_cast<size_t>(out + room - end), " %s", uuid);
}

}  // namespace aiflame::agent::cupti
