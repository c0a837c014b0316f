// SPDX-License-Identifier: MIT
// What a program that reads a vendor's energy counters says: the lines that
// plugins/energy/common/serve.h describes. A vendor's library ran in it, so it is not believed
// further than that it counts.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aiflame::record {

class EnergyReport {
 public:
  struct Counter {
    std::string place;  // the PCI address, "" = not known
    std::string name;
  };
  struct Reading {
    uint64_t time = 0;                                 // CLOCK_MONOTONIC, nanoseconds
    std::vector<std::optional<uint64_t>> microjoules;  // of each counter, in their order
  };
  // More than a machine has: 16 GPUs of 8 domains. The rest is told as an error.
  static constexpr size_t kMostCounters = 256, kMostNotes = 256, kLongestLine = 8192,
                          kLongestText = 200;

  // Takes more of its text. Throws Error where that is not what it may say: it is not heard again.
  void take(std::string_view text);

  const std::vector<Counter>& counters() const { return counters_; }
  const std::vector<std::string>& notes() const { return notes_; }
  // Whether it has said that there are no counters.
  bool has_none() const { return has_none_; }
  bool has_next() const { return !readings_.empty(); }
  // The next reading, once.
  std::optional<Reading> next();

 private:
  void take_line(std::string_view line);
  void take_counter(std::string_view line);
  void take_reading(std::string_view line);

  std::string begun_;  // a line without its end
  std::vector<Counter> counters_;
  std::vector<std::string> notes_;
  std::deque<Reading> readings_;
  bool has_none_ = false;
  uint64_t time_ = 0;  // of the last reading
};

}  // namespace aiflame::record
