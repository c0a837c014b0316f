/* SPDX-License-Identifier: MIT
 *
 * Reading memory of the program that may not be there.
 */
#pragma once

#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace aiflame::agent {

constexpr uint64_t kPage = 4096;

// Asks the kernel whether the eight bytes at `address` can be read, by a call that reads them as a
// signal set and then refuses: EFAULT where a load would fault, else EINVAL, as there is no way ~0
// of changing the mask. Through no descriptor, and where process_vm_readv(2) is forbidden too
// (containers of old). Changes errno.
inline bool is_readable(uint64_t address) {
  return syscall(SYS_rt_sigprocmask, ~0, address, nullptr, 8) == 0 || errno == EINVAL;
}

// Memory that belongs to live objects of the program: readable, unless the pointer to it is not
// what it is taken for. So each page is asked about once, and then believed.
class LiveMemory {
 public:
  static bool holds(uint64_t address, size_t bytes) {
    if (bytes == 0) return true;
    const uint64_t last = address + bytes - 1;
    if (last < address) return false;
    for (uint64_t page = address / kPage; page <= last / kPage; ++page)
      if (!is_known(page)) return false;
    return true;
  }

  template <typename T>
  static bool load(uint64_t address, T& value) {
    if (address % alignof(T) != 0 || !holds(address, sizeof value)) return false;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return true;
  }

 private:
  // Direct-mapped, shared by all threads: 16 MiB of memory.
  static constexpr size_t kSlots = 4096;
  inline static std::atomic<uint64_t> pages_[kSlots];

  static bool is_known(uint64_t page) {
    std::atomic<uint64_t>& known = pages_[page % kSlots];
    if (known.load(std::memory_order_relaxed) == page) [[likely]]
      return page != 0;
    // the eight bytes at the end would reach into the next page from further on
    if (page >= UINT64_MAX / kPage || !is_readable(page * kPage)) return false;
    known.store(page, std::memory_order_relaxed);
    return page != 0;
  }
};

}  // namespace aiflame::agent
