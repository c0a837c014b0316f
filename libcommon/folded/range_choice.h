// SPDX-License-Identifier: MIT
// --by-range NAME: each instance of a range is a root frame. A range is what a program marks
// itself: record_function(), NVTX, roctx, ITT, the steps of a profiler. Pure.
//
//   decode #1_[r];python3;…    the first time that the process was in "decode"
//   decode #2_[r];python3;…
//   ProfilerStep#7_[r];…       a name that has a number keeps it
//   [outside decode];python3;…
//
// aiflame-report takes the numbers for blocks of time, as those of steps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame {

// The text in front of a number at the end of a name, and the number: "decode", 12 of "decode #12",
// "ProfilerStep", 7 of "ProfilerStep#7".
struct NumberedRange {
  std::string_view name;
  std::optional<uint64_t> number;
};
NumberedRange numbered_range(std::string_view range);

// For --help.
inline constexpr const char* kByRangeHelp =
    "root frame with the instance of the range so named; *, ? and [...]; what no instance encloses "
    "is "
    "under [outside NAME]";

class RangeChoice {
 public:
  RangeChoice() = default;  // the option is not there
  // The option as it was given, of several the last: a name, or a pattern of the shell. Throws
  // UsageError for an empty one.
  explicit RangeChoice(const std::vector<std::string>& given);

  bool is_set() const { return !name_.empty(); }
  const std::string& name() const { return name_; }
  // Whether a range, without annotation, is so named, with or without a number at its end.
  bool matches(std::string_view range) const;
  // The frame of what stands outside of all instances: "[outside decode]".
  std::string outside() const { return "[outside " + name_ + "]"; }

 private:
  std::string name_;
};

// The frame of an instance, annotated: "decode #12_[r]". `number`: unless the name has one; nothing
// where the input does not tell instances apart.
std::string instance_frame(std::string_view range, std::optional<uint64_t> number);

// Which ranges an input has, for the message that none is the wanted one.
class RangeNames {
 public:
  // `range` is without annotation.
  void add(std::string_view range, bool is_wanted, uint64_t instances = 1);
  // Throws Error if none was wanted, with the most common names.
  void require(const RangeChoice& choice) const;

 private:
  struct Names {
    std::string one;           // the first of them
    bool has_several = false;  // others differ from it
    uint64_t instances = 0;
  };
  std::map<std::string, Names, std::less<>> names_;  // by the name with digits as '0'
  uint64_t other_instances_ = 0;                     // of names beyond the first kMostNames
  bool has_wanted_ = false;
};

}  // namespace aiflame
