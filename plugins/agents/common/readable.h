/* SPDX-License-Identifier: MIT
 *
 * Reading memory of the program that may be unmapped.
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

// Asks the kernel whether the eight bytes at `address` can be read. The call reads them as a signal
// set and then fails: with EFAULT where a load would fault, else with EINVAL, as ~0 is no way of
// changing the mask. It needs no descriptor, and works where process_vm_readv(2) is forbidden (in
// old containers). Changes errno.
inline bool is_readable(uint64_t address) {
  return syscall(SYS_rt_sigprocmask, ~0, address, nullptr, 8) == 0 || errno == EINVAL;
}

// Memory of live objects of the program. It is readable unless the pointer is not what it is taken
// for, so each page is tried once and then trusted.
class LiveMemory {
 public:
  static bool holds(uint64_t address, size_t bytes) {
    if (bytes == 0) return true;
    const uint64_t last = address + bytes - 1;
    if (last < address) return false;
    for (uint64_t page = address / kPage; page <= last / kPage; ++page)
      if (!try_page(page)) return false;
    return true;
  }

  template <typename T>
  [[nodiscard]] static bool load(uint64_t address, T& value) {
    if (address % alignof(T) != 0 || !holds(address, sizeof value)) return false;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return true;
  }

 private:
  // Direct-mapped, shared by all threads: 16 MiB of memory. Relaxed, since a number stands for
  // itself: nothing else was stored before it.
  static constexpr size_t kSlots = 4096;
  inline static std::atomic<uint64_t> pages_[kSlots];

  [[nodiscard]] static bool try_page(uint64_t page) {
    std::atomic<uint64_t>& known = pages_[page % kSlots];
    if (known.load(std::memory_order_relaxed) == page) [[likely]]
      return page != 0;
    // the start of the page: eight bytes near its end could reach into the next page
    if (page >= UINT64_MAX / kPage || !is_readable(page * kPage)) return false;
    known.store(page, std::memory_order_relaxed);
    return page != 0;
  }
};

}  // namespace aiflame::agent
