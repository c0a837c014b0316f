// SPDX-License-Identifier: MIT
// Which process and thread something belongs to, and the root frames of processes.
//
// Nsight Systems numbers threads over all processes and machines: a globalTid has the thread's id
// in its lowest 24 bits and the process's in the next 24. Without the thread it is a globalPid:
//
//   0x00010000 6f00 006f    globalTid of thread 111 of process 111
//   0x00010000 6f00 0000    globalPid of process 111
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "libcommon/import/sqlite_database.h"

namespace aiflame::nsys {

inline int64_t process_of(uint64_t global_tid) {
  return static_cast<int64_t>(global_tid & ~uint64_t{0xffffff});
}

inline unsigned long long pid_of(int64_t process) {
  return (static_cast<uint64_t>(process) >> 24) & 0xffffff;
}
// Its id is the process's.
inline uint64_t main_thread_of(int64_t process) {
  return static_cast<uint64_t>(process) | pid_of(process);
}

class Processes {
 public:
  Processes(const SqliteDatabase& database, ImportedStacks& stacks);

  // The stack of the process's name alone: `[device]` if it is unknown.
  uint32_t root(std::optional<int64_t> process);

 private:
  ImportedStacks& stacks_;
  std::map<int64_t, uint32_t> roots_;
};

// The processes that used a device get numbers, in the order of their ids: ranks, mostly.
class Ranks {
 public:
  // `first`: the number of the first process.
  Ranks(const SqliteDatabase& database, uint64_t first);

  std::string frame(std::optional<int64_t> process) const;
  uint64_t next() const { return first_ + processes_.size(); }

 private:
  uint64_t first_;
  std::vector<int64_t> processes_;
};

}  // namespace aiflame::nsys
