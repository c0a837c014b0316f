// SPDX-License-Identifier: MIT
// At which moment the memory of a device is looked at, and what is said of it in words.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aiflame {

// --at
struct MemoryMoment {
  enum class Kind : uint8_t { peak, end, oom, event, time };
  Kind kind = Kind::peak;
  uint64_t event = 0;  // the number of the last entry that has taken effect
  uint64_t time = 0;   // nanoseconds after the first entry
};

// "peak", "end", "2.5"; of a `log` of PyTorch's also "oom" and "event:812". Throws UsageError.
MemoryMoment parse_memory_moment(std::string_view text, bool log);

// "peak", "at the end", "after entry 812:", "after 2.500 s:". Not for oom.
std::string moment_text(const MemoryMoment& at);

// What a device held at a moment.
struct MemoryHeld {
  uint64_t live = 0, before = 0;  // bytes; before: of live, allocated before the recording began
  uint64_t stacks = 0;
  std::string room;  // "6.738 GiB reserved", "" = not known
};
// "peak 6.53 GiB of 6.74 GiB reserved, 12 stacks; 73 % was allocated before recording began"
std::string memory_text(const std::string& moment, const MemoryHeld& held);

// "6.532 GiB"; "48 %"; "1 stack", "6,526 blocks"
std::string bytes_text(uint64_t bytes);
std::string percent_text(uint64_t part, uint64_t whole);
std::string count_text(uint64_t count, const char* noun);

}  // namespace aiflame
