/* SPDX-License-Identifier: MIT
 *
 * The tasks of ITT, Intel's Instrumentation and Tracing Technology. A program has a copy of its
 * front end, which loads the library that INTEL_LIBITTNOTIFY64 names when the program first calls
 * ITT, and hands it a table of its functions:
 *
 *   {"__itt_task_begin", &the pointer that the function calls through, …}
 *
 * The layouts below are those of ittnotify_config.h, which no package of Debian's has. They have
 * not changed since version 3.
 */
#include <pthread.h>

#include <cstddef>
#include <cstring>

#include "plugins/agents/common/open_ranges.h"

namespace {

using aiflame::agent::pop_range;
using aiflame::agent::push_range;
using aiflame::agent::RangeKind;

struct Id {
  unsigned long long parts[3];
};
struct StringHandle {
  const char* text;  // others follow
};
struct ApiFunction {
  const char* name;
  void** pointer;
  void *init, *null;
  int group;
};
struct ApiGlobal {
  unsigned char magic[8];
  unsigned long version[3];
  volatile long api_initialized, mutex_initialized, atomic_counter;
  pthread_mutex_t mutex;
  void *library, *error_handler;
  const char** library_path;
  ApiFunction* functions;  // up to one without a name; others follow
};

constexpr unsigned char kMagic[] = {0xed, 0xab, 0xab, 0xec, 0x0d, 0xee, 0xda, 0x30};
// The function list has its present form from this version on.
constexpr unsigned long kVersion = 3;

const char* text_of(const StringHandle* name) {
  return name == nullptr ? nullptr : name->text;
}

void task_begin(const void*, Id, Id, const StringHandle* name) {
  push_range(text_of(name), RangeKind::itt);
}
void task_begin_of_function(const void*, Id, Id, const void*) {
  push_range(nullptr, RangeKind::itt);
}
void task_begin_at(const void*, const void*, unsigned long long, Id, Id, const StringHandle* name) {
  push_range(text_of(name), RangeKind::itt);
}
void task_begin_of_function_at(const void*, const void*, unsigned long long, Id, Id, const void*) {
  push_range(nullptr, RangeKind::itt);
}
void task_end(const void*) {
  pop_range();
}
void task_end_at(const void*, const void*, unsigned long long) {
  pop_range();
}

// The function of a name; null: the front end's own does.
void* function_of(const char* name) {
  const struct {
    const char* name;
    void* function;
  } ours[] = {
      {"__itt_task_begin", reinterpret_cast<void*>(task_begin)},
      {"__itt_task_begin_fn", reinterpret_cast<void*>(task_begin_of_function)},
      {"__itt_task_begin_ex", reinterpret_cast<void*>(task_begin_at)},
      {"__itt_task_begin_fn_ex", reinterpret_cast<void*>(task_begin_of_function_at)},
      {"__itt_task_end", reinterpret_cast<void*>(task_end)},
      {"__itt_task_end_ex", reinterpret_cast<void*>(task_end_at)},
  };
  for (const auto& one : ours)
    if (std::strcmp(one.name, name) == 0) return one.function;
  return nullptr;
}

}  // namespace

// The program's copy of ITT calls this once. `groups`: the functions that the program wants.
// NOLINTNEXTLINE(bugprone-reserved-identifier): ITT's name
extern "C" __attribute__((visibility("default"))) void __itt_api_init(void* front_end,
                                                                      unsigned /*groups*/) {
  const auto* global = static_cast<const ApiGlobal*>(front_end);
  if (global == nullptr || std::memcmp(global->magic, kMagic, sizeof kMagic) != 0 ||
      global->version[0] < kVersion || global->functions == nullptr)
    return;
  aiflame::agent::begin_ranges();
  for (ApiFunction* one = global->functions; one->name != nullptr; ++one)
    if (void* ours = function_of(one->name); ours != nullptr && one->pointer != nullptr)
      *one->pointer = ours;
}
