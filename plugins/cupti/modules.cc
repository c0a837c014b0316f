/* SPDX-License-Identifier: MIT */
#include "plugins/cupti/modules.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>

#include "plugins/agent/channel.h"
#include "plugins/agent/hash.h"
#include "plugins/cupti/cubin.h"

namespace aiflame::agent {
namespace {

struct Module {
  CUcontext context;
  uint32_t id;
  uint32_t reads_until_gone;  // 0 = it is loaded
  uint64_t hash, base, bytes, object;
  CubinFunctions functions;
};

// A framework's program has some thousand; one that loads without end gets no more of them named.
constexpr uint32_t kMaxModules = 1 << 16;
// CUPTI's threads look at what the hardware has each 100 ms by default, which is how often the
// agent reads: twice that is late enough.
constexpr uint32_t kReadsUntilGone = 3;
// No program's code lies there, and no function is taken for address 0.
constexpr uint64_t kFirstBase = uint64_t{1} << 44;
constexpr uint64_t kPage = 4096;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
Module* modules;
uint32_t module_count, module_room;
uint64_t next_base = kFirstBase;
uint32_t last_found;  // samples come by kernel: mostly it is the same module again

class Lock {
 public:
  Lock() { pthread_mutex_lock(&mutex); }
  ~Lock() { pthread_mutex_unlock(&mutex); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
};

Module* add_module() {
  if (module_count == module_room) {
    const uint32_t more = module_room == 0 ? 64 : module_room * 2;
    void* grown = more > kMaxModules ? nullptr : std::realloc(modules, more * sizeof(Module));
    if (grown == nullptr) return nullptr;
    modules = static_cast<Module*>(grown);
    module_room = more;
  }
  return &modules[module_count++];
}

const Module* find_by_hash(CUcontext context, uint64_t hash) {
  if (last_found < module_count && modules[last_found].context == context &&
      modules[last_found].hash == hash && modules[last_found].reads_until_gone == 0)
    return &modules[last_found];
  // one that is loaded rather than one that is going; of several the latest
  const Module* going = nullptr;
  for (uint32_t i = module_count; i-- > 0;) {
    if (modules[i].context != context || modules[i].hash != hash) continue;
    if (modules[i].reads_until_gone == 0) {
      last_found = i;
      return &modules[i];
    }
    if (going == nullptr) going = &modules[i];
  }
  return going;
}

}  // namespace

void module_loaded(CUcontext context, uint32_t module, const void* cubin, size_t bytes,
                   uint32_t device) {
  if (cubin == nullptr || bytes == 0) return;
  Module made{};
  made.context = context;
  made.id = module;
  made.bytes = bytes;
  made.hash = hash_bytes(cubin, bytes);
  made.functions = cubin_functions(cubin, bytes);
  {
    const Lock lock;
    made.base = next_base;
    next_base += (bytes + 2 * kPage - 1) / kPage * kPage;
  }
  made.object = report_load_at(cubin, bytes, device, made.base, "cubin");
  const Lock lock;
  if (Module* kept = add_module(); kept != nullptr)
    *kept = made;
  else
    std::free(made.functions.sorted);
}

void module_unloading(CUcontext context, uint32_t module) {
  const Lock lock;
  for (uint32_t i = module_count; i-- > 0;) {
    Module& one = modules[i];
    if (one.context != context || one.id != module || one.reads_until_gone != 0) continue;
    one.reads_until_gone = kReadsUntilGone;
    return;
  }
}

void context_gone(CUcontext context) {
  const Lock lock;
  for (uint32_t i = 0; i < module_count; ++i)
    if (modules[i].context == context && modules[i].reads_until_gone == 0)
      modules[i].reads_until_gone = kReadsUntilGone;
}

uint64_t instruction_address(CUcontext context, uint64_t hash, const char* function,
                             uint64_t pc_offset) {
  if (function == nullptr) return 0;
  const Lock lock;
  const Module* module = find_by_hash(context, hash);
  uint64_t offset = module == nullptr ? SIZE_MAX : module->functions.file_offset_of(function);
  if (offset == SIZE_MAX) {
    const Module* only = nullptr;
    for (uint32_t i = 0; i < module_count; ++i) {
      if (modules[i].context != context) continue;
      const uint64_t here = modules[i].functions.file_offset_of(function);
      if (here == SIZE_MAX) continue;
      if (only != nullptr) return 0;
      only = &modules[i];
      offset = here;
    }
    module = only;
  }
  if (module == nullptr || offset >= module->bytes || pc_offset >= module->bytes - offset) return 0;
  return module->base + offset + pc_offset;
}

void tell_unloads() {
  const Lock lock;
  uint32_t kept = 0;
  for (uint32_t i = 0; i < module_count; ++i) {
    Module& one = modules[i];
    if (one.reads_until_gone == 1) {  // 0 would mean loaded
      report_unload(one.object);
      std::free(one.functions.sorted);
      continue;
    }
    if (one.reads_until_gone > 1) --one.reads_until_gone;
    if (kept != i) modules[kept] = one;
    ++kept;
  }
  module_count = kept;
}

}  // namespace aiflame::agent
