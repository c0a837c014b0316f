// SPDX-License-Identifier: MIT
#include "plugins/sources/level-zero/loader.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>

#include <cstdlib>
#include <optional>
#include <set>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "plugins/sources/level-zero/obstacle.h"

namespace aiflame::source::level_zero {
namespace {

// Blocks all signals while drivers start their threads, which inherit the mask. The recorder's own
// thread waits for signals, and no other thread must take them.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

// Sets the variable only while drivers start and look for it: the recorded command must get the
// environment that the recorder got.
class MetricsEnabled {
 public:
  MetricsEnabled() {
    if (const char* value = std::getenv(kName); value != nullptr) before_ = value;
    setenv(kName, "1", 1);
  }
  ~MetricsEnabled() {
    if (before_)
      setenv(kName, before_->c_str(), 1);
    else
      unsetenv(kName);
  }
  MetricsEnabled(const MetricsEnabled&) = delete;
  MetricsEnabled& operator=(const MetricsEnabled&) = delete;

 private:
  static constexpr const char* kName = "ZET_ENABLE_METRICS";
  std::optional<std::string> before_;
};

std::set<int> open_descriptors() {
  std::set<int> found;
  DIR* directory = opendir("/proc/self/fd");
  if (directory == nullptr) return found;
  while (const dirent* entry = readdir(directory))
    if (const auto number = parse_number<int>(entry->d_name)) found.insert(*number);
  found.erase(dirfd(directory));  // this number is free again
  closedir(directory);
  return found;
}

// Keeps the files that drivers open out of the command: some drivers forget O_CLOEXEC (Intel's of
// 2022, for the GPU).
class DescriptorsKept {
 public:
  ~DescriptorsKept() {
    for (const int fd : open_descriptors())
      if (!before_.contains(fd)) fcntl(fd, F_SETFD, FD_CLOEXEC);
  }

 private:
  const std::set<int> before_ = open_descriptors();
};

Functions start() {
  const SignalsBlocked blocked;
  const DescriptorsKept kept;
  const MetricsEnabled enabled;
  // never closed, as the drivers' threads run in it
  void* library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw Error(loader_obstacle(dlerror()));
  Functions functions;
#define LEVEL_ZERO_FIND(member, name)                                                     \
  functions.member = reinterpret_cast<decltype(functions.member)>(dlsym(library, #name)); \
  if (functions.member == nullptr)                                                        \
    throw Error("libze_loader.so.1 has no " #name ": it is older than 1.8");
  LEVEL_ZERO_FUNCTIONS(LEVEL_ZERO_FIND)
#undef LEVEL_ZERO_FIND
  if (const ze_result_t result = functions.init(ZE_INIT_FLAG_GPU_ONLY); result != ZE_RESULT_SUCCESS)
    throw Error(init_obstacle(result));
  return functions;
}

}  // namespace

const Functions& ze() {
  // the loader keeps the result of the first attempt, so it is made once
  static std::optional<Functions> functions;
  static std::string obstacle;
  if (!functions && obstacle.empty()) {
    try {
      functions = start();
    } catch (const Error& error) {
      obstacle = error.what();
    }
  }
  if (!functions) throw Error(obstacle);
  return *functions;
}

std::string result_text(ze_result_t result) {
  const char* name = nullptr;
  switch (result) {
#define LEVEL_ZERO_NAME(result) \
  case result:                  \
    name = #result;             \
    break;
    LEVEL_ZERO_NAME(ZE_RESULT_NOT_READY)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_DEVICE_LOST)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_NOT_AVAILABLE)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_UNINITIALIZED)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_INVALID_SIZE)
    LEVEL_ZERO_NAME(ZE_RESULT_ERROR_UNKNOWN)
#undef LEVEL_ZERO_NAME
    default:
      break;
  }
  const std::string number = format("0x%x", static_cast<unsigned>(result));
  return name == nullptr ? "result " + number : format("%s (%s)", name, number.c_str());
}

}  // namespace aiflame::source::level_zero
