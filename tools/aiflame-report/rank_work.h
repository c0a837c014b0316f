// SPDX-License-Identifier: MIT
// What the ranks of a job work on, and which of them the others wait for.
//
// Ranks that exchange data at each step all take as long as the slowest one: the others spend the
// rest of the step inside of collectives. So the straggler is not seen in the ranks' totals but in
// their work, which is everything but communication.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "libcommon/text/numbered_table.h"

namespace aiflame::report {

class RankWork {
 public:
  static constexpr uint32_t kNone = UINT32_MAX;
  // Frames, by number. `place`: the kernel, else the function; kNone: there is none.
  struct Key {
    uint32_t rank = 0, place = 0, reason = kNone;
    bool operator==(const Key&) const = default;
  };

  // A rank has done so much outside of communication.
  void add(const Key& key, uint64_t count);
  // The rank has samples, perhaps of communication alone.
  void see(uint32_t rank) { add({rank, kNone, kNone}, 0); }
  void multiply(uint64_t factor);

  struct Straggler {
    uint32_t rank = 0;
    double times = 0;         // its work, of the median of the others'
    uint32_t place = 0;       // where most of what it works more is
    uint32_t reason = kNone;  // and why that takes so long
    double more = 0;          // there, than the others' mean
  };
  // The rank that works more than the others do, by more than chance and kLeast explain. `sample`:
  // what one sample adds to a count; 0: nothing was sampled.
  std::optional<Straggler> straggler(double sample) const;

 private:
  NumberedTable<Key> keys_;
  std::vector<uint64_t> counts_;  // by key
};

}  // namespace aiflame::report
