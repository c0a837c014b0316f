// SPDX-License-Identifier: MIT
#include "libcommon/memory/large_memory.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace aiflame {
namespace {

// Memory of at least this size is mapped. malloc(3) would do so too, until it raises its own
// threshold.
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

void take_huge_pages() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr uintptr_t kHugePage = uintptr_t{2} << 20;
  constexpr int kHeap = 8 << 20;  // heap growth per system call; untouched pages cost nothing
  constexpr int kOwnMap =
      4 << 20;  // from this size on, memory is mapped separately and given back when freed
  static bool taken = false;
  if (std::exchange(taken, true)) return;
  const auto end_of_heap = [] { return reinterpret_cast<uintptr_t>(sbrk(0)); };
  // The heap starts inside a huge page, which cannot be used as one. Skip to the next; malloc()
  // copes with a gap that it did not allocate.
  const uintptr_t gap = -end_of_heap() % kHugePage;
  if (sbrk(static_cast<intptr_t>(gap)) == reinterpret_cast<void*>(-1)) return;
  const uintptr_t begin = end_of_heap();
  mallopt(M_TOP_PAD, kHeap);
  mallopt(M_MMAP_THRESHOLD, kOwnMap);
  mallopt(M_TRIM_THRESHOLD, 2 * kHeap);
  mallopt(M_ARENA_MAX, 1);  // other threads allocate in this heap too
  // makes the heap grow; volatile, since the compiler may drop an allocation that is not used
  void* volatile more = std::malloc(size_t{1} << 20);
  std::free(more);
  const uintptr_t end = end_of_heap();
  if (end > begin) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
#endif
}

void take_pages(void* memory, size_t size) {
#ifdef MADV_POPULATE_WRITE
  // whole pages only; older kernels reject this, and then pages come one by one
  static const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto begin = (reinterpret_cast<uintptr_t>(memory) + page - 1) / page * page;
  const auto end = (reinterpret_cast<uintptr_t>(memory) + size) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_POPULATE_WRITE);
#else
  static_cast<void>(memory), static_cast<void>(size);
#endif
}

}  // namespace aiflame
