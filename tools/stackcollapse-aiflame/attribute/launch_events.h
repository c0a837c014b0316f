// SPDX-License-Identifier: MIT
// Kernel launches that perf has recorded, as samples of a probe on the launch function, kept until
// the device samples come that they are compared with (pure).
//
// Kept is how often each launch (process, kernel, CPU stack) was seen in each millisecond: so much
// finer than a recording's slices that only at their ends one is taken for its neighbour's. Where
// that would be more than some millions of counts the milliseconds are joined, two and two.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/text/text_table.h"

namespace aiflame::collapse {

// The launch functions that scripts/launch-probes.sh and `perf probe` know by these names.
extern const char kDefaultLaunchEvents[];

// The argument that has the return address of the function the probe is in.
inline constexpr const char kCallerArgument[] = "caller";
// The arguments of a probe that name the kernel, if they are text: the first of them that is there.
inline constexpr const char* kKernelArguments[] = {"kernel", "kernel_name", "name"};
// The same of perf script's text: `(7f2c9a3b1aaa) kernel="iterate"`. Empty where there is none.
std::string_view kernel_argument(std::string_view arguments);
// Whether it is a name: not empty, and not what the kernel writes where it could not read one.
bool is_kernel_name(std::string_view text);

class LaunchEvents {
 public:
  struct Launch {
    int64_t pid = 0;
    uint32_t kernel = 0;  // the caller's numbers, as given
    uint32_t stack = 0;
    uint32_t thread = 0;
    uint64_t count = 0;
  };
  static constexpr size_t kMaxCounts = size_t{4} << 20;  // 64 MiB

  // `patterns`: a comma-separated list, `*`, `?` and `[…]` as in a shell.
  explicit LaunchEvents(const std::string& patterns, size_t max_counts = kMaxCounts);

  // Whether samples of this event are launches.
  bool is_launch(std::string_view event);
  // `time`: CLOCK_MONOTONIC, nanoseconds; nothing where it is not known, or of another clock.
  void add(int64_t pid, uint32_t kernel, uint32_t stack, uint32_t thread,
           std::optional<uint64_t> time);

  const std::vector<Launch>& launches() const { return launches_; }
  // Numbers of those without a time: each a launch of its own, also where one with a time is alike.
  const std::vector<uint32_t>& untimed() const { return untimed_; }
  // Calls body(number in launches(), count) for the launches between the two times, `from`
  // included, in a fixed order.
  using Body = std::function<void(uint32_t launch, uint64_t count)>;
  void each(uint64_t from, uint64_t to, const Body& body);

 private:
  struct Count {
    uint64_t step;  // time over width_
    uint32_t launch, count;
  };
  void compact();

  std::vector<std::string> patterns_;
  std::unordered_map<std::string, bool> known_;
  std::string last_event_;
  bool last_is_launch_ = false;
  ListTable keys_;
  std::vector<Launch> launches_;
  std::vector<uint32_t> untimed_;
  std::vector<Count> counts_;
  size_t compacted_ = 0;  // so many of them are sorted, and different
  size_t max_counts_;
  uint64_t width_ = 1000000;  // nanoseconds
};

}  // namespace aiflame::collapse
