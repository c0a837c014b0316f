// SPDX-License-Identifier: MIT
// Which code object stands at a device address, at the time of asking (pure).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace aiflame {

class DeviceObjects {
 public:
  struct Place {
    const std::string* path;
    uint64_t file_offset;
  };

  // A mapping replaces what it overlaps. pid 0: the object belongs to the device.
  void map(uint64_t device, int64_t pid, uint64_t address, uint64_t size, uint64_t file_offset,
           const std::string& path);
  void unmap(uint64_t device, int64_t pid, uint64_t address, uint64_t size);
  void forget() { spaces_.clear(); }

  // For a sample of pid 0 any process's object will do, as long as they all mean the same.
  std::optional<Place> find(uint64_t device, int64_t pid, uint64_t address) const;

 private:
  struct Mapping {
    uint64_t size, file_offset;
    std::string path;
  };
  using Space = std::map<uint64_t, Mapping>;  // by address
  static std::optional<Place> find_in(const Space& space, uint64_t address);

  std::map<std::pair<uint64_t, int64_t>, Space> spaces_;
};

}  // namespace aiflame
