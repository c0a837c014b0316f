// SPDX-License-Identifier: MIT
// Something of each process, for any number of processes: nobody reports the end of every process
// on a machine that starts a million of them. The least recently used ones are forgotten. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <utility>

namespace aiflame::record {

template <typename T>
class RecentProcesses {
 public:
  // At least the last kMost processes are known, and at most twice as many are kept.
  static constexpr size_t kMost = 4096;

  // Null for a process that is not known, or was forgotten.
  T* find(uint32_t pid) {
    if (const auto known = young_.find(pid); known != young_.end()) return &known->second;
    const auto known = old_.find(pid);
    return known == old_.end() ? nullptr : &renew(pid, std::move(known->second));
  }
  // Adds one that is not known.
  T& at(uint32_t pid) {
    T* known = find(pid);
    return known != nullptr ? *known : renew(pid, T());
  }
  // Those that are known, by their numbers.
  std::map<uint32_t, const T*> all() const {
    std::map<uint32_t, const T*> out;
    for (const auto* of : {&old_, &young_})
      for (const auto& [pid, value] : *of) out[pid] = &value;
    return out;
  }
  // Whether some process was forgotten.
  bool has_forgotten() const { return has_forgotten_; }

 private:
  T& renew(uint32_t pid, T value) {
    old_.erase(pid);
    if (young_.size() >= kMost) {
      has_forgotten_ = has_forgotten_ || !old_.empty();
      old_ = std::exchange(young_, {});
    }
    return young_[pid] = std::move(value);
  }

  std::unordered_map<uint32_t, T> young_, old_;
  bool has_forgotten_ = false;
};

}  // namespace aiflame::record
