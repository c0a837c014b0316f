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

// x86-64's; elsewhere it is but a boundary like any other.
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kLarge = 2 * kHugePage;

size_t rounded(size_t size) {
  if (size > SIZE_MAX / 2) throw std::bad_alloc();
  return (size + kHugePage - 1) / kHugePage * kHugePage;
}

// Whole huge pages, at a multiple of their size.
char* map(size_t size) {
  const size_t more = size + kHugePage;
  void* mapped = mmap(nullptr, more, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  char* begin = static_cast<char*>(mapped);
  const size_t skip = -reinterpret_cast<uintptr_t>(begin) % kHugePage;
  if (skip > 0) munmap(begin, skip);
  munmap(begin + skip + size, kHugePage - skip);
  return begin + skip;
}

}  // namespace

void* resize_memory(void* old, size_t old_size, size_t size) {
  if (size < kLarge && old_size < kLarge) {
    if (size == 0) {
      std::free(old);
      return nullptr;
    }
    void* resized = std::realloc(old, size);
    if (resized == nullptr) throw std::bad_alloc();
    return resized;
  }
  char* resized = nullptr;
  if (size >= kLarge) {
    resized = map(rounded(size));
    if (old_size >= kLarge) {
      void* moved =
          mremap(old, rounded(old_size), rounded(size), MREMAP_MAYMOVE | MREMAP_FIXED, resized);
      if (moved == MAP_FAILED) throw std::bad_alloc();
      old_size = 0;
    }
    madvise(resized, rounded(size), MADV_HUGEPAGE);
  } else if (size > 0) {
    resized = static_cast<char*>(std::malloc(size));
    if (resized == nullptr) throw std::bad_alloc();
  }
  if (old_size > 0 && size > 0) std::memcpy(resized, old, std::min(old_size, size));
  if (old_size >= kLarge)
    munmap(old, rounded(old_size));
  else if (old_size > 0)
    std::free(old);
  return resized;
}

}  // namespace aiflame
