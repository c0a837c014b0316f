// SPDX-License-Identifier: MIT
// Counts and names the agents that are not in the recording, and the strangers that were refused.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace aiflame::record {

class TurnedAway {
 public:
  enum class Why {
    elsewhere,      // not a process of the command
    unseen,         // in a pid namespace in which the recorder sees no process
    other_user,     // of the command, but of a user whose processes the recorder may not look at
    other_version,  // an agent of another version of aiflame
    wrong,          // no greeting, or without the secret
    too_many,       // more rings than the recorder keeps
    unusable,       // a ring that fails a check
    silent,         // connected, and ended or was cut off without a greeting
    gave_up,        // could not make its ring, or could not send it in time
    lost_object,    // a code object that could not be sent
  };

  // `comm` "" = looked up, as the process may still be there.
  void add(Why why, uint32_t pid, const std::string& comm = {});
  // The same `more` times, by unknown processes.
  void add_unnamed(Why why, uint64_t more) { counts_[static_cast<size_t>(why)].total += more; }
  // How many agents of the command's processes are not in the recording.
  uint64_t agents() const;
  // One line for the user for each reason that occurred.
  std::vector<std::string> lines() const;

 private:
  static constexpr size_t kReasons = 10;
  struct Count {
    uint64_t total = 0, named = 0;
    std::vector<std::string> first;  // "app (1234)", the first few, which are `named` of the total
  };
  std::array<Count, kReasons> counts_;
};

}  // namespace aiflame::record
