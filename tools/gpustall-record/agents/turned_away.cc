// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/turned_away.h"

#include <algorithm>
#include <cinttypes>

#include "libcommon/base/program.h"
#include "tools/gpustall-record/command/process_tree.h"

namespace aiflame::record {
namespace {

// Processes that a line names.
constexpr size_t kNamed = 3;

struct Reason {
  const char *one, *many;  // what is missing, after its number
  bool is_agent;           // an agent of the command is not in the recording
};
// In the order of TurnedAway::Why.
constexpr Reason kReasonTexts[] = {
    {"greeting was refused: its process is not the command's",
     "greetings were refused: their processes are not the command's", false},
    {"agent was refused: its process is in a pid namespace that the recorder does not see",
     "agents were refused: their processes are in pid namespaces that the recorder does not see",
     true},
    {"agent was refused: its process is another user's",
     "agents were refused: their processes are another user's", true},
    {"agent was refused: it is of another version",
     "agents were refused: they are of another version", true},
    {"greeting was refused: it is not an agent's", "greetings were refused: they are not agents'",
     false},
    {"agent was refused: too many at a time", "agents were refused: too many at a time", true},
    {"agent was refused: its shared memory is not as it must be",
     "agents were refused: their shared memory is not as it must be", true},
    {"agent connected and sent nothing", "agents connected and sent nothing", true},
    {"agent could not report", "agents could not report", true},
    {"code object did not arrive", "code objects did not arrive", false},
};

}  // namespace

void TurnedAway::add(Why why, uint32_t pid, const std::string& comm) {
  static_assert(std::size(kReasonTexts) == kReasons);
  Count& count = counts_[static_cast<size_t>(why)];
  ++count.total;
  if (count.first.size() >= kNamed) return;
  const std::string name = comm.empty() ? comm_of(static_cast<pid_t>(pid)) : comm;
  const std::string who =
      name.empty() ? format("process %u", pid) : format("%s (%u)", printable(name).c_str(), pid);
  ++count.named;
  // one process may be refused many times
  if (std::ranges::find(count.first, who) == count.first.end()) count.first.push_back(who);
}

uint64_t TurnedAway::agents() const {
  uint64_t total = 0;
  for (size_t i = 0; i < kReasons; ++i)
    if (kReasonTexts[i].is_agent) total += counts_[i].total;
  return total;
}

std::vector<std::string> TurnedAway::lines() const {
  std::vector<std::string> lines;
  for (size_t i = 0; i < kReasons; ++i) {
    const Count& count = counts_[i];
    if (count.total == 0) continue;
    std::string line = format("%" PRIu64 " %s: ", count.total,
                              count.total == 1 ? kReasonTexts[i].one : kReasonTexts[i].many);
    for (size_t j = 0; j < count.first.size(); ++j) line += (j == 0 ? "" : ", ") + count.first[j];
    if (count.total > count.named)
      line += format(" and %" PRIu64 " more", count.total - count.named);
    lines.push_back(line);
  }
  return lines;
}

}  // namespace aiflame::record
