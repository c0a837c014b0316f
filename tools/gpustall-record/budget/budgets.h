// SPDX-License-Identifier: MIT
// How much of the recorder's memory the recorded processes may fill. budgets.cc explains the rules
// and has the table. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace aiflame::record {

// What records make the recorder keep.
enum class Kept : uint8_t {
  mappings,       // executable mappings
  names,          // kernels' names
  texts,          // Python functions
  stacks,         // distinct launches with their stacks
  frames,         // named frames of stacks
  open_launches,  // launches whose end has not been reported
  code,           // loaded code objects
  slices,         // samples, launches and events of slices that are not written yet
  runs,           // when launches ran, as long as samples of that time may come
  tables,         // numbers of devices, stall reasons and sizes of launches
  messages,       // lines for the user
  copies,         // copies of code objects, on disk
  build_ids,      // of CPU objects, as the recording tells them
  objects,        // copies of CPU objects, on disk
  losses,         // losses whose record has no room yet
  probes,         // handles, command lists and stacks that uprobes have seen
};
inline constexpr size_t kKinds = 16;

class Budgets {
 public:
  // Whether a process that has `own` of the `used` part of `total` may have `more`: rule 3.
  [[nodiscard]] static bool is_fair(uint64_t own, uint64_t used, uint64_t total, uint64_t more);

  // Counts `bytes` more of `kind` for process `pid`. False when that is too much: then nothing is
  // kept, and the drop is counted.
  [[nodiscard]] bool take(Kept kind, uint32_t pid, uint64_t bytes) {
    if (!has_room(kind, pid, bytes)) {
      drop(kind, pid);
      return false;
    }
    add(kind, pid, bytes);
    return true;
  }
  // take() after has_room(), when the bytes are only known later.
  void add(Kept kind, uint32_t pid, uint64_t bytes);
  // Whether take() would succeed.
  [[nodiscard]] bool has_room(Kept kind, uint32_t pid, uint64_t bytes);
  // Whether half of the memory is used that only what passes through can have: time to write it.
  bool is_passing_half_full() const;
  // What was taken is not kept any more.
  void give_back(Kept kind, uint32_t pid, uint64_t bytes);
  // Everything of `kind` that the process had taken.
  void give_back_all(Kept kind, uint32_t pid);
  // Counts something of `kind` that is not kept for another reason than its size.
  void drop(Kept kind, uint32_t pid, uint64_t count = 1);

  // In bytes.
  uint64_t used(Kept kind) const { return used_[static_cast<size_t>(kind)]; }
  uint64_t used() const { return used_in_all_; }
  static uint64_t total(Kept kind);

  // What was dropped, a line for each kind: "40000 mappings were not kept, of process 4711: …".
  std::vector<std::string> report() const;

 private:
  struct Use {
    std::array<uint64_t, kKinds> of{};
    uint64_t in_all = 0, passing = 0;  // passing: the part of it that only passes through
  };
  struct Drops {
    uint64_t count = 0;
    std::map<uint32_t, uint64_t> of_process;  // of the first kMaxNamed processes
    uint64_t of_others = 0;
  };
  Use& use_of(uint32_t pid);
  bool has_memory(Kept kind, const Use& use, uint64_t bytes) const;

  std::array<uint64_t, kKinds> used_{};
  uint64_t used_in_all_ = 0, used_passing_ = 0;
  std::map<uint32_t, Use> processes_;
  // The process that was asked for last: most calls come in a row for the same one.
  uint32_t last_pid_ = 0;
  Use* last_ = nullptr;
  std::array<Drops, kKinds> drops_;
};

}  // namespace aiflame::record
