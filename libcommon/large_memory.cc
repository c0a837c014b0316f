// SPDX-License-Identifier: MIT
#include "libcommon/large_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace aiflame {
namespace {

// What malloc(3) would have from the system, too, if it had not learned otherwise.
constexpr size_t kLarge = size_t{1} << 20;

void* checked(void* memory) {
  if (memory == nullptr || memory == MAP_FAILED) throw std::bad_alloc();
  return memory;
}

void* map(size_t size) {
  return checked(mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
}

}  // namespace

void* resize_memory(void* old, size_t old_size, size_t size) {
  if (size >= kLarge && old_size >= kLarge)
    return checked(mremap(old, old_size, size, MREMAP_MAYMOVE));
  if (size > 0 && size < kLarge && old_size < kLarge) return checked(std::realloc(old, size));
  void* resized = nullptr;
  if (size > 0) resized = size >= kLarge ? map(size) : checked(std::malloc(size));
  if (old_size > 0 && size > 0) std::memcpy(resized, old, std::min(old_size, size));
  if (old_size >= kLarge)
    munmap(old, old_size);
  else
    std::free(old);
  return resized;
}

void take_pages(void* memory, size_t size) {
#ifdef MADV_POPULATE_WRITE
  // of whole pages; where the system does not know this, they come one by one
  constexpr uintptr_t kPage = 4096;
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + size) / kPage * kPage;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
#else
  static_cast<void>(memory), static_cast<void>(size);
#endif
}

}  // namespace aiflame
