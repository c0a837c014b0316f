// SPDX-License-Identifier: MIT
// The directory of --spool: profiles that could not be delivered, a file each, oldest first by
// their names: 00000001.push, 00000002.push. What a server refuses is renamed, and stays:
// 00000001.refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/push-profile/request.h"

namespace aiflame::push {

// A profile in the directory. It is open as long as this lives.
class KeptProfile {
 public:
  explicit KeptProfile(int fd) : fd_(fd) {}
  ~KeptProfile();
  KeptProfile(const KeptProfile&) = delete;
  KeptProfile& operator=(const KeptProfile&) = delete;

  // False when the file is none that keep() has written, or not all of it.
  bool read_head();
  const Request& request() const { return head_.request; }
  Body body() const { return {fd_, head_.length, head_.size}; }

 private:
  int fd_;
  Head head_;
};

class SpoolDirectory {
 public:
  // Makes the directory where it is missing, for its owner alone, and waits for others that use it.
  // `limit`: bytes of all its files. Throws Error, also when others could write in it.
  SpoolDirectory(const std::string& path, uint64_t limit);
  ~SpoolDirectory();
  SpoolDirectory(const SpoolDirectory&) = delete;
  SpoolDirectory& operator=(const SpoolDirectory&) = delete;

  // The name of a new file with the profile, which is on the disk then; nothing when the directory
  // is full. Throws Error.
  std::optional<std::string> keep(const Request& request, const Body& body);

  // The names of the profiles, the oldest first.
  std::vector<std::string> kept() const;
  // The descriptor of one of them.
  int open_kept(const std::string& name) const;
  void remove(const std::string& name);
  // Renames it, as "00000001.refused"; returns the path.
  std::string set_aside(const std::string& name, const char* ending);

  const std::string& path() const { return path_; }

 private:
  void write_file(int fd, const std::string& head, const Body& body) const;
  void sync() const;

  std::string path_;
  uint64_t limit_;
  int directory_ = -1, lock_ = -1;
};

}  // namespace aiflame::push
