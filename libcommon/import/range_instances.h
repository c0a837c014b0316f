// SPDX-License-Identifier: MIT
// The instances of a range on the threads of programs, numbered by the time at which they began in
// their process. An instance within another one of its thread is a part of that (pure).
//
//   thread 1  |== decode #1 ==|        |== decode #3 ==|
//                |decode|
//   thread 2           |== decode #2 ==|
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame {

struct RangeInstance {
  uint64_t process = 0, thread = 0;
  int64_t begin = 0, end = 0;  // [begin, end)
  uint32_t key = 0;            // the caller's: what it is
  uint64_t number = 0;         // from 1
};

class RangeInstances {
 public:
  void add(uint64_t process, uint64_t thread, int64_t begin, int64_t end, uint32_t key) {
    all_.push_back({process, thread, begin, end, key, 0});
  }
  // All are added.
  void finish();

  // The outermost ones, by thread and time.
  const std::vector<RangeInstance>& all() const { return all_; }
  // The one that a thread is in at a time, of several the first that began; nullptr: none.
  const RangeInstance* find(uint64_t thread, int64_t time) const;
  // Whether that range of a thread is one of them.
  bool has(uint64_t thread, int64_t begin, int64_t end, uint32_t key) const;

 private:
  const RangeInstance* first_that_ends_after(uint64_t thread, int64_t time) const;

  std::vector<RangeInstance> all_;
};

}  // namespace aiflame
