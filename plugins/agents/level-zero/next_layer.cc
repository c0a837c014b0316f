/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/next_layer.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>

#include <cstdint>
#include <cstdio>
#include <cstring>

#include "plugins/agents/common/old_calls.h"

extern "C" {

// ze_result_t: ZE_RESULT_SUCCESS and ZE_RESULT_ERROR_UNINITIALIZED
static int leave_as_it_is() {
  return 0;
}
static int is_not_there() {
  return 0x78000001;
}

// Each forwarded function is a jump through its slot, whatever its arguments.
#define TABLE(name) reinterpret_cast<const void*>(&leave_as_it_is),
#define TRACE(name) reinterpret_cast<const void*>(&is_not_there),
extern const void* aiflame_forwarded[];
__attribute__((visibility("hidden"))) const void* aiflame_forwarded[] = {
#include "plugins/agents/level-zero/forwarded.inc"
};
#undef TABLE
#undef TRACE

#define TEXT_OF(x) #x
#define JUMP(name, index)                                                                 \
  asm(".pushsection .text\n.globl " #name "\n.type " #name ", @function\n" #name          \
      ":\n\tjmp *aiflame_forwarded+8*" TEXT_OF(index) "(%rip)\n.size " #name ", .-" #name \
                                                      "\n.popsection");
#define TABLE(name) JUMP(name, __COUNTER__)
#define TRACE(name) JUMP(name, __COUNTER__)
#include "plugins/agents/level-zero/forwarded.inc"
#undef TABLE
#undef TRACE
}

namespace aiflame::agent::level_zero {
namespace {

#define TABLE(name) #name,
#define TRACE(name) #name,
constexpr const char* kForwarded[] = {
#include "plugins/agents/level-zero/forwarded.inc"
};
#undef TABLE
#undef TRACE

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
bool looked = false;
void* next = nullptr;

// Opens the file `name` in the directory of the library that `inside` lies in.
void* open_beside(const void* inside, const char* name) {
  Dl_info info{};
  if (dladdr(inside, &info) == 0 || info.dli_fname == nullptr) return nullptr;
  const char* slash = std::strrchr(info.dli_fname, '/');
  if (slash == nullptr) return nullptr;
  char path[PATH_MAX];
  const int bytes = std::snprintf(path, sizeof path, "%.*s/%s",
                                  static_cast<int>(slash - info.dli_fname), info.dli_fname, name);
  if (bytes < 0 || static_cast<size_t>(bytes) >= sizeof path) return nullptr;
  // not this library under another name
  Dl_info self{};
  struct stat ours {
  }, other{};
  if (dladdr(reinterpret_cast<const void*>(&open_beside), &self) == 0 ||
      status_of(self.dli_fname, ours) != 0 || status_of(path, other) != 0 ||
      (ours.st_dev == other.st_dev && ours.st_ino == other.st_ino))
    return nullptr;
  return dlopen(path, RTLD_LAZY | RTLD_LOCAL);
}

}  // namespace

void find_next_layer(const void* caller) {
  pthread_mutex_lock(&mutex);
  if (!looked) {
    looked = true;
    next = open_beside(caller, "libze_tracing_layer.so.1");
    for (size_t i = 0; next != nullptr && i < sizeof kForwarded / sizeof kForwarded[0]; ++i)
      if (const void* function = dlsym(next, kForwarded[i]); function != nullptr)
        aiflame_forwarded[i] = function;
  }
  pthread_mutex_unlock(&mutex);
}

void* next_function(const char* name) {
  return next == nullptr ? nullptr : dlsym(next, name);
}

}  // namespace aiflame::agent::level_zero
