// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/left_directories.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "libcommon/base/descriptor.h"

namespace aiflame::record {
namespace {

// A recorder that begins makes its directory first and locks it then. It takes no minute for that.
constexpr time_t kYoung = 60;

bool is_left(int directory) {
  struct stat its {};
  if (fstat(directory, &its) != 0 || its.st_uid != geteuid()) return false;
  if (its.st_mtime > std::time(nullptr) - kYoung) return false;
  const Descriptor missed(
      openat(directory, AGENT_MISSED_NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  return missed.get() >= 0 && flock(missed.get(), LOCK_EX | LOCK_NB) == 0;
}

std::vector<std::string> listen_names_in(const char* parent) {
  std::vector<std::string> out;
  std::error_code error;
  std::filesystem::directory_iterator entry(parent, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    if (name.starts_with(kListenPrefix)) out.push_back(std::move(name));
  }
  return out;
}

}  // namespace

void hold_directory(int missed) {
  // where files have no locks, no directory is removed either
  if (flock(missed, LOCK_EX | LOCK_NB) != 0) return;
}

void remove_left_directories(const char* parent) {
  const Descriptor in(open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (in.get() < 0) return;
  for (const std::string& name : listen_names_in(parent)) {
    const Descriptor directory(
        openat(in.get(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (directory.get() < 0 || !is_left(directory.get())) continue;
    for (const char* file : kListenFiles) unlinkat(directory.get(), file, 0);
    unlinkat(in.get(), name.c_str(), AT_REMOVEDIR);
  }
}

}  // namespace aiflame::record
