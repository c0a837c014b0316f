// SPDX-License-Identifier: MIT
// The one place that knows what became of each sample and launch, and of each allocation and free
// of device memory. Pure.
//
// A sample is booked twice: as taken, when the source or an agent has reported it, and as written
// or lost, when the output has the record that says so. In between it is held in a slice, or it is
// a loss that waits for its record, since each process that loses something gets a line of its own:
//
//   taken == withdrawn + held + waiting + written + lost
//
// At the end of a recording nothing is held and nothing waits. The recorder checks the sum there
// and whenever a part of a flight recording is written.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

#include "libcommon/base/sample_sum.h"
#include "tools/gpustall-record/budget/budgets.h"

namespace aiflame::record {

enum class Counted : uint8_t { samples, launches, memory };

// Why something was lost.
enum class LossCause : uint8_t {
  reported,  // the source or the agent said so
  no_stack,  // the stack of a launch or an allocation is not known: its record was lost, or there
             // was no room
  no_room,   // the process was over its budget
};

class SampleLedger {
 public:
  static constexpr uint64_t kUnknown = UINT64_MAX;

  // Losses that wait count in `budgets`. Those of a process without room for its own line are told
  // without a process.
  explicit SampleLedger(Budgets& budgets) : budgets_(budgets) {}

  void take(Counted what, uint64_t count) { add_saturating(of(what).taken, count); }
  // Launches that did not happen after all.
  void withdraw(uint64_t launches) { add_saturating(of(Counted::launches).withdrawn, launches); }

  // Losses that wait for their records.
  struct Key {
    Counted what = Counted::samples;
    uint32_t pid = 0, device = 0;
    bool operator<(const Key& other) const {
      return std::tie(what, pid, device) < std::tie(other.what, other.pid, other.device);
    }
  };
  // Something that was taken is lost. `count` kUnknown: a report of a loss has no number.
  void lose(const Key& key, uint64_t count, LossCause cause) {
    book_cause(key.what, count, cause);
    wait(key, count);
  }
  // The same where the caller has placed the record already.
  void book_cause(Counted what, uint64_t count, LossCause cause) {
    if (count != kUnknown)
      add_saturating(by_cause_[index(what)][static_cast<size_t>(cause)], count);
  }

  // The output has it.
  void write(Counted what, uint64_t count) { add_saturating(of(what).written, count); }
  void write_loss(Counted what, uint64_t count) {
    if (count != kUnknown) add_saturating(of(what).lost, count);
  }

  // Calls place(key, count) for each loss that waits, which returns whether it has placed its
  // record.
  template <typename Place>
  void place_losses(const Place& place) {
    for (auto at = waiting_.begin(); at != waiting_.end();) {
      Waiting& loss = at->second;
      if (loss.count > 0 && place(at->first, loss.count)) loss.count = 0;
      if (loss.is_unknown && place(at->first, kUnknown)) loss.is_unknown = false;
      if (loss.count > 0 || loss.is_unknown) {
        ++at;
        continue;
      }
      if (at->first.pid != 0) budgets_.give_back(Kept::losses, at->first.pid, kBytes);
      at = waiting_.erase(at);
    }
  }

  // How many were lost for this cause.
  uint64_t lost(Counted what, LossCause cause) const {
    return by_cause_[index(what)][static_cast<size_t>(cause)];
  }
  // What is held by those who have taken it.
  struct Holding {
    uint64_t samples = 0, launches = 0, memory = 0;
  };
  // "" when the sums agree. Sums that have reached their end say nothing, since agents may claim
  // any number.
  std::string check(const Holding& held) const;

 private:
  struct Sums {
    uint64_t taken = 0, withdrawn = 0, written = 0, lost = 0;
  };
  static constexpr uint64_t kBytes = 128;  // of a loss that waits
  struct Waiting {
    uint64_t count = 0;
    bool is_unknown = false;
  };
  static constexpr size_t index(Counted what) { return static_cast<size_t>(what); }
  Sums& of(Counted what) { return sums_[index(what)]; }
  void wait(Key key, uint64_t count);

  Budgets& budgets_;
  static constexpr size_t kCounted = 3;
  std::array<Sums, kCounted> sums_;
  std::array<std::array<uint64_t, 3>, kCounted> by_cause_{};
  std::map<Key, Waiting> waiting_;
};

}  // namespace aiflame::record
