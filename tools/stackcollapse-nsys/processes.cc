// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/processes.h"

#include <algorithm>
#include <set>

#include "tools/stackcollapse-nsys/device_work.h"

namespace aiflame::nsys {

Processes::Processes(const SqliteDatabase& database, ImportedStacks& stacks) : stacks_(stacks) {
  SqliteRows rows = database.rows("PROCESSES", {"globalPid", "name"}, 0);
  while (rows.next()) {
    const auto process = rows.number(0);
    const std::string_view path = rows.text(1).value_or("");
    const std::string_view name = path.substr(path.rfind('/') + 1);
    if (process && !name.empty()) roots_.emplace(*process, stacks_.root(name));
  }
}

uint32_t Processes::root(std::optional<int64_t> process) {
  if (process)
    if (const auto known = roots_.find(*process); known != roots_.end()) return known->second;
  return stacks_.root("[device]");
}

Ranks::Ranks(const SqliteDatabase& database, uint64_t first) : first_(first) {
  std::set<int64_t> processes;
  for (const char* table : kDeviceTables) {
    SqliteRows rows = database.rows(table, {"globalPid"}, 0);
    while (rows.next())
      if (const auto process = rows.number(0)) processes.insert(*process);
  }
  processes_.assign(processes.begin(), processes.end());
}

std::string Ranks::frame(std::optional<int64_t> process) const {
  if (!process) return "rank ?";
  const auto at = std::lower_bound(processes_.begin(), processes_.end(), *process);
  if (at == processes_.end() || *at != *process) return "rank ?";
  return "rank " + std::to_string(first_ + static_cast<uint64_t>(at - processes_.begin()));
}

}  // namespace aiflame::nsys
