// SPDX-License-Identifier: MIT
// An array of millions of plain values that grows without being copied.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>
#include <utility>

#include "libcommon/memory/large_memory.h"

namespace aiflame {

// std::vector keeps the old array beside the new one while it grows.
template <typename T>
class GrowingArray {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  GrowingArray() = default;
  ~GrowingArray() { resize_memory(data_, capacity_ * sizeof(T), 0); }
  GrowingArray(GrowingArray&& other) noexcept { swap(other); }
  GrowingArray& operator=(GrowingArray&& other) noexcept {
    GrowingArray().swap(*this);
    swap(other);
    return *this;
  }
  GrowingArray(const GrowingArray&) = delete;
  GrowingArray& operator=(const GrowingArray&) = delete;

  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& back() { return data_[size_ - 1]; }
  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

  void push_back(const T& value) {
    if (size_ == capacity_) reserve(capacity_ == 0 ? 64 : 2 * capacity_);
    data_[size_++] = value;
  }
  void pop_back() { --size_; }
  // Keeps the first `size` elements.
  void truncate(size_t size) { size_ = size; }
  // Appends `more` uninitialized elements and returns the first.
  T* extend(size_t more) {
    if (more > capacity_ - size_) reserve(std::max(size_ + more, 2 * capacity_));
    size_ += more;
    return data_ + size_ - more;
  }
  void assign(size_t size, const T& value) {
    *this = GrowingArray();
    reserve(size);
    for (size_ = 0; size_ < size; ++size_) data_[size_] = value;
  }
  void swap(GrowingArray& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

 private:
  void reserve(size_t capacity) {
    if (capacity > SIZE_MAX / sizeof(T)) throw std::bad_alloc();
    data_ = static_cast<T*>(resize_memory(data_, capacity_ * sizeof(T), capacity * sizeof(T)));
    capacity_ = capacity;
  }

  T* data_ = nullptr;
  size_t size_ = 0, capacity_ = 0;
};

}  // namespace aiflame
