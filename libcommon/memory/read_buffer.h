// SPDX-License-Identifier: MIT
// A vector of bytes to read into: resize() does not clear new bytes. Clearing touches each page,
// and for a small input that took longer than reading the input.
#pragma once

#include <memory>
#include <new>
#include <utility>
#include <vector>

namespace aiflame {

// Leaves values without initialiser as they are.
template <typename T>
struct UnclearedAllocator : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = UnclearedAllocator<U>;
  };
  template <typename U>
  void construct(U* place) noexcept {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Values>
  void construct(U* place, Values&&... values) {
    ::new (static_cast<void*>(place)) U(std::forward<Values>(values)...);
  }
};

using ReadBuffer = std::vector<char, UnclearedAllocator<char>>;

}  // namespace aiflame
