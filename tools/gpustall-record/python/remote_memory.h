// SPDX-License-Identifier: MIT
// Memory of another process, which goes on meanwhile.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>

namespace aiflame::record {

class RemoteMemory {
 public:
  explicit RemoteMemory(uint32_t pid) : pid_(static_cast<pid_t>(pid)) {}

  // False when some of it is not mapped, the process has gone, or may not be read.
  [[nodiscard]] bool read(uint64_t address, void* to, size_t bytes) const {
    iovec local{to, bytes};
    iovec remote{reinterpret_cast<void*>(address), bytes};
    return process_vm_readv(pid_, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
  }
  template <typename T>
  [[nodiscard]] bool load(uint64_t address, T& value) const {
    return read(address, &value, sizeof value);
  }

 private:
  pid_t pid_;
};

}  // namespace aiflame::record
