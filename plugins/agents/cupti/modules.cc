/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/modules.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/channel/thread.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/lock.h"
#include "plugins/agents/cupti/cubin.h"

namespace aiflame::agent::cupti {
namespace {

struct Module {
  CUcontext context;
  uint32_t id;
  uint32_t reads_until_gone;  // 0 = it is loaded
  uint64_t hash, number, base, bytes, object;
  uint64_t load;       // counts all loads
  uint32_t tid;        // the thread that loaded it
  bool shares_number;  // with another content
  CubinFunctions functions;
};

// A framework's program has some thousand. Beyond this many, code stays without a name.
constexpr uint32_t kMaxModules = 1 << 16;
// CUPTI's threads read the hardware every 100 ms by default, which is also how often the agent
// reads. Two further reads are late enough.
constexpr uint32_t kReadsUntilGone = 3;
// Away from any program's code, and never 0.
constexpr uint64_t kFirstBase = uint64_t{1} << 44;
constexpr uint64_t kPage = 4096;

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
const Cupti* numbering;  // null: numbers are hashes
Module* modules;
uint32_t module_count, module_room;
uint64_t next_base = kFirstBase;
uint32_t last_found;  // samples come kernel by kernel, so mostly from the same module as before

std::atomic<uint64_t> version{1};
std::atomic<bool> are_some_untold{false};

std::atomic<uint64_t> load_count{0};
thread_local uint64_t latest_load;

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

const Module* find_by_number(CUcontext context, uint64_t number) {
  if (last_found < module_count && modules[last_found].context == context &&
      modules[last_found].number == number && modules[last_found].reads_until_gone == 0)
    return &modules[last_found];
  // prefers one that is loaded to one that is going, and the latest of several
  const Module* going = nullptr;
  for (uint32_t i = module_count; i-- > 0;) {
    if (modules[i].context != context || modules[i].number != number) continue;
    if (modules[i].reads_until_gone == 0) {
      last_found = i;
      return &modules[i];
    }
    if (going == nullptr) going = &modules[i];
  }
  return going;
}

// Calls body(module) for each module of the context with such a function.
template <typename Body>
void each_with(CUcontext context, const char* function, Body body) {
  const uint64_t hash = hash_bytes(function, std::strlen(function));
  for (uint32_t i = 0; i < module_count; ++i)
    if (modules[i].context == context && modules[i].functions.file_offset_by(hash) != SIZE_MAX)
      body(modules[i]);
}

// The only content with such a function, among the modules with the number, or among all for null.
// Null when there is none, or when `several` have it.
const Module* find_by_function(CUcontext context, const uint64_t* number, const char* function,
                               bool& several) {
  const Module* only = nullptr;
  several = false;
  each_with(context, function, [&](const Module& one) {
    if (number != nullptr && one.number != *number) return;
    // among loads of one content the latest counts; without a number, none does
    several |= only != nullptr && (number == nullptr || only->hash != one.hash);
    only = &one;
  });
  return several ? nullptr : only;
}

// Calls body(module) for each module that this thread loaded after the first `before` loads, until
// it returns false. Returns false then.
template <typename Body>
bool each_loaded_since(uint64_t before, Body body) {
  const uint32_t tid = current_tid();
  for (uint32_t i = 0; i < module_count; ++i)
    if (modules[i].tid == tid && modules[i].load > before && modules[i].reads_until_gone == 0 &&
        !body(modules[i]))
      return false;
  return true;
}

uint64_t number_of(const void* cubin, size_t bytes, uint64_t hash) {
  if (numbering == nullptr || numbering->cuptiGetCubinCrc == nullptr) return hash;
  CUpti_GetCubinCrcParams params{};
  params.size = CUpti_GetCubinCrcParamsSize;
  params.cubinSize = bytes;
  params.cubin = cubin;
  return numbering->cuptiGetCubinCrc(&params) == CUPTI_SUCCESS ? params.cubinCrc : hash;
}

void mark_shared_numbers(Module& made) {
  for (uint32_t i = 0; i < module_count; ++i) {
    Module& one = modules[i];
    if (one.context != made.context || one.number != made.number || one.hash == made.hash) continue;
    one.shares_number = made.shares_number = true;
  }
}

void report_shared_number(uint64_t number) {
  static bool is_reported = false;
  if (is_reported) return;
  is_reported = true;
  char text[200];
  std::snprintf(text, sizeof text,
                "CUPTI has one number (0x%llx) for cubins that differ: samples of kernels that "
                "they share are of unknown code",
                static_cast<unsigned long long>(number));
  report_message(text, false);
}

// The same code was unloaded moments ago, and samples of it may be on their way: it keeps its
// place, or they would be taken for the new load's, which has not run yet.
bool is_loaded_again(const Module& made) {
  for (uint32_t i = module_count; i-- > 0;) {
    Module& one = modules[i];
    if (one.context != made.context || one.hash != made.hash || one.bytes != made.bytes ||
        one.reads_until_gone == 0)
      continue;
    one.id = made.id;
    one.load = made.load;
    one.tid = made.tid;
    one.reads_until_gone = 0;
    return true;
  }
  return false;
}

const Module* find_by_base(uint64_t base) {
  for (uint32_t i = 0; i < module_count; ++i)
    if (modules[i].base == base) return &modules[i];
  return nullptr;
}

}  // namespace

void number_by_cupti(const Cupti& cupti) {
  numbering = &cupti;
}

void module_loaded(CUcontext context, uint32_t module, const void* cubin, size_t bytes,
                   uint32_t device) {
  if (cubin == nullptr || bytes == 0) return;
  Module made{};
  made.context = context;
  made.id = module;
  made.bytes = bytes;
  made.hash = hash_bytes(cubin, bytes);
  made.number = number_of(cubin, bytes, made.hash);
  made.functions = cubin_functions(cubin, bytes);
  made.tid = current_tid();
  {
    const Lock lock(mutex);
    made.load = latest_load = load_count.fetch_add(1) + 1;
    if (is_loaded_again(made)) {
      std::free(made.functions.sorted);
      modules_changed();
      return;
    }
    made.base = next_base;
    next_base += (bytes + 2 * kPage - 1) / kPage * kPage;
  }
  made.object = report_load_at(cubin, bytes, device, made.base, "cubin");
  const Lock lock(mutex);
  mark_shared_numbers(made);
  if (Module* kept = add_module(); kept != nullptr)
    *kept = made;
  else
    std::free(made.functions.sorted);
  modules_changed();
}

void module_unloading(CUcontext context, uint32_t module) {
  const Lock lock(mutex);
  for (uint32_t i = module_count; i-- > 0;) {
    Module& one = modules[i];
    if (one.context != context || one.id != module || one.reads_until_gone != 0) continue;
    one.reads_until_gone = kReadsUntilGone;
    modules_changed();
    return;
  }
}

void context_gone(CUcontext context) {
  const Lock lock(mutex);
  for (uint32_t i = 0; i < module_count; ++i)
    if (modules[i].context == context && modules[i].reads_until_gone == 0)
      modules[i].reads_until_gone = kReadsUntilGone;
  modules_changed();
}

void forget_modules() {
  const Lock lock(mutex);
  for (uint32_t i = 0; i < module_count; ++i) std::free(modules[i].functions.sorted);
  module_count = 0;
  are_some_untold = true;
  modules_changed();
}

bool has_untold_modules() {
  return are_some_untold.load(std::memory_order_relaxed);
}

uint16_t stack_flags_for(uint64_t object) {
  return object == 0 && has_untold_modules() ? AGENT_NAMED : 0;
}

uint64_t instruction_address(CUcontext context, uint64_t number, const char* function,
                             uint64_t pc_offset) {
  if (function == nullptr) return 0;
  const Lock lock(mutex);
  bool several = false;
  const Module* module = find_by_number(context, number);
  if (module != nullptr && module->shares_number) {
    module = find_by_function(context, &number, function, several);
    if (several) report_shared_number(number);
  }
  uint64_t offset = module == nullptr ? SIZE_MAX : module->functions.file_offset_of(function);
  if (offset == SIZE_MAX && !several && !are_some_untold) {
    module = find_by_function(context, nullptr, function, several);
    if (module != nullptr) offset = module->functions.file_offset_of(function);
  }
  if (module == nullptr || offset >= module->bytes || pc_offset >= module->bytes - offset) return 0;
  return module->base + offset + pc_offset;
}

uint64_t modules_version() {
  return version.load(std::memory_order_acquire);
}

void modules_changed() {
  version.fetch_add(1, std::memory_order_acq_rel);
}

uint64_t loads() {
  return load_count.load();
}

uint64_t loaded_since(uint64_t before, CUcontext context, const char* function) {
  if (latest_load <= before) return 0;
  const Lock lock(mutex);
  uint64_t found = 0;
  const bool is_only = each_loaded_since(before, [&](const Module& one) {
    if (one.context != context) return true;
    if (function != nullptr && one.functions.file_offset_of(function) == SIZE_MAX) return true;
    const bool is_first = found == 0;
    found = one.base;
    return is_first;
  });
  return is_only ? found : 0;
}

uint32_t contexts_loaded_in_since(uint64_t before, CUcontext* out, uint32_t room) {
  uint32_t count = 0;
  if (latest_load <= before) return count;
  const Lock lock(mutex);
  each_loaded_since(before, [&](const Module& one) {
    if (std::find(out, out + count, one.context) == out + count && count < room)
      out[count++] = one.context;
    return true;
  });
  return count;
}

bool is_loaded(uint64_t base) {
  const Lock lock(mutex);
  const Module* module = find_by_base(base);
  return module != nullptr && module->reads_until_gone == 0;
}

bool has_function(uint64_t base, const char* function) {
  const Lock lock(mutex);
  const Module* module = find_by_base(base);
  return module != nullptr && module->reads_until_gone == 0 &&
         module->functions.file_offset_of(function) != SIZE_MAX;
}

uint64_t only_module_with(CUcontext context, const char* function) {
  const Lock lock(mutex);
  if (are_some_untold) return 0;
  uint64_t only = 0, count = 0;
  each_with(context, function, [&](const Module& one) {
    if (one.reads_until_gone != 0) return;
    only = one.base;
    ++count;
  });
  return count == 1 ? only : 0;
}

uint64_t object_at(uint64_t address) {
  const Lock lock(mutex);
  for (uint32_t i = 0; i < module_count; ++i)
    if (address >= modules[i].base && address - modules[i].base < modules[i].bytes)
      return modules[i].object;
  return 0;
}

void report_unloads() {
  const Lock lock(mutex);
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
  if (kept != module_count) modules_changed();
  module_count = kept;
}

}  // namespace aiflame::agent::cupti
