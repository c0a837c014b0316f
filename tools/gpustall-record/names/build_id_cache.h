// SPDX-License-Identifier: MIT
// perf's cache of objects, ~/.debug, in its layout, so that perf finds them too:
//
//   ~/.debug/usr/lib/libc.so.6/3f2a9c…/elf     a copy
//   ~/.debug/.build-id/3f/2a9c…                a link, ../../usr/lib/libc.so.6/3f2a9c…
//
// Paths and build ids are those of untrusted programs. They are names below the directory and
// nothing else: no link that leads out of it is followed, and no file that is there is changed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace aiflame::record {

class BuildIdCache {
 public:
  // Opens ~/.debug, and makes it where it is missing. Throws Error.
  BuildIdCache();
  ~BuildIdCache();
  BuildIdCache(const BuildIdCache&) = delete;
  BuildIdCache& operator=(const BuildIdCache&) = delete;

  const std::string& directory() const { return directory_; }
  // Whether it has the object.
  bool has(const std::string& build_id) const;
  // Keeps an object, which was at `path`. `copy` writes it to a new file; `is_right` looks at the
  // whole copy, open for reading. Throws Error, as both may; then nothing is kept.
  void add(const std::string& path, const std::string& build_id,
           const std::function<void(int to)>& copy,
           const std::function<void(int copied)>& is_right) const;

 private:
  int open_entry(const std::string& path, const std::string& build_id) const;
  void link_entry(const std::string& target, const std::string& build_id) const;

  std::string directory_;
  int fd_ = -1;
};

}  // namespace aiflame::record
