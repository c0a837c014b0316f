// SPDX-License-Identifier: MIT
// Finds the code object that is loaded at a device address (pure). Addresses are reused, so objects
// come and go in the order of the recording.
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

  // A mapping replaces what it overlaps. pid 0: the object belongs to the device. Sizes and offsets
  // are bytes.
  void map(uint64_t device, int64_t pid, uint64_t address, uint64_t size, uint64_t file_offset,
           const std::string& path);
  void unmap(uint64_t device, int64_t pid, uint64_t address, uint64_t size);
  void forget() { spaces_.clear(); }

  // Nothing where no object is loaded. For pid 0, an unknown process, any process's object counts,
  // unless two processes have different ones there.
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
