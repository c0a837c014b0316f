// SPDX-License-Identifier: MIT
// The directory of --spool: profiles that could not be delivered, a file each, oldest first by
// their names: 00000001.push, 00000002.push. What a server refuses is renamed, and stays:
// 00000001.refused.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "libcommon/base/descriptor.h"
#include "tools/push-profile/request.h"

namespace aiflame::push {

// A profile in the directory. It is open as long as this lives.
class KeptProfile {
 public:
  // Nothing: somebody has taken it away. No descriptor: it cannot be read.
  explicit KeptProfile(std::optional<Descriptor> file) : file_(std::move(file)) {}

  bool is_gone() const { return !file_; }
  // False when the file is none that keep() has written, or not all of it.
  [[nodiscard]] bool read_head();
  const Request& request() const { return head_.request; }
  Body body() const { return {file_->get(), head_.length, head_.size}; }

 private:
  std::optional<Descriptor> file_;
  Head head_;
};

class SpoolDirectory {
 public:
  // Makes the directory where it is missing, for its owner alone. `limit`: bytes of all its files.
  // Throws Error, also when others could write in it.
  SpoolDirectory(const std::string& path, uint64_t limit);
  SpoolDirectory(const SpoolDirectory&) = delete;
  SpoolDirectory& operator=(const SpoolDirectory&) = delete;

  // The name of a new file with the profile, which is on the disk then; nothing when the directory
  // is full. Waits for others that keep one, but not for one that is sending. Throws Error.
  std::optional<std::string> keep(const Request& request, const Body& body);

  // The names of the profiles, the oldest first.
  std::vector<std::string> kept() const;
  // For KeptProfile.
  std::optional<Descriptor> open_kept(const std::string& name) const;
  void remove(const std::string& name);
  // Renames it, as "00000001.refused"; returns the path. Where it cannot be renamed it stays.
  std::string set_aside(const std::string& name, const char* ending);

  // False when another run is sending.
  [[nodiscard]] bool begin_sending();
  void end_sending();

  const std::string& path() const { return path_; }

 private:
  Descriptor open_lock() const;
  void write_file(int fd, const std::string& head, const Body& body) const;
  void sync() const;

  std::string path_;
  uint64_t limit_;
  Descriptor directory_, lock_;
};

}  // namespace aiflame::push
