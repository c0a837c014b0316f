// SPDX-License-Identifier: MIT
// Keeps the kernel launches that perf has recorded, by time, until the device samples are read that
// they are compared with (pure).
//
// It keeps how often each launch (process, kernel, CPU stack) was seen in each millisecond. A
// recording's slice is 10 ms, so only a launch at an end of a slice may count in the neighbouring
// slice too. Where that would be more than some millions of counts, neighbouring milliseconds are
// joined in pairs, as often as necessary.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "libcommon/text/text_table.h"

namespace aiflame {

class LaunchTimeline {
 public:
  struct Launch {
    int64_t pid = 0;
    uint32_t kernel = 0;  // the caller's numbers
    uint32_t stack = 0;
    uint32_t thread = 0;
    uint64_t count = 0;
  };
  static constexpr size_t kMaxCounts = size_t{4} << 20;  // 64 MiB

  explicit LaunchTimeline(size_t max_counts = kMaxCounts);

  // `time`: nanoseconds of CLOCK_MONOTONIC; nothing where it is unknown or of another clock.
  void add(int64_t pid, uint32_t kernel, uint32_t stack, uint32_t thread,
           std::optional<uint64_t> time);

  const std::vector<Launch>& launches() const { return launches_; }
  // The numbers of launches without a time. Such a launch has a number of its own, even where one
  // with a time is the same otherwise.
  const std::vector<uint32_t>& untimed() const { return untimed_; }
  // Calls body(number in launches(), count) for the launches between two times, `from` included, in
  // a fixed order.
  using Body = std::function<void(uint32_t launch, uint64_t count)>;
  void each(uint64_t from, uint64_t to, const Body& body);

 private:
  struct Count {
    uint64_t step;  // time over width_
    uint32_t launch, count;
  };
  void compact();

  ListTable keys_;
  std::vector<Launch> launches_;
  std::vector<uint32_t> untimed_;
  std::vector<Count> counts_;
  size_t compacted_ = 0;  // the counts up to here are sorted and distinct
  size_t max_counts_;
  uint64_t width_ = 1000000;  // nanoseconds
};

}  // namespace aiflame
