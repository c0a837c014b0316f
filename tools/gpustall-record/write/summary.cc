// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/summary.h"

#include <cinttypes>

#include "libcommon/base/program.h"
#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/names/symbol_child.h"

namespace aiflame::record {
namespace {

std::string stacks_are(uint64_t count) {
  return count == 1 ? std::string("1 stack is") : format("%" PRIu64 " stacks are", count);
}

// "17"; "at least 18446744073709551615" for a total that has reached its end.
std::string at_least(uint64_t total) {
  return format("%s%" PRIu64, total == UINT64_MAX ? "at least " : "", total);
}

}  // namespace

void print_summary(const CaptureTotals& totals, const Budgets& budgets, const std::string& event,
                   const std::string& output) {
  std::string text =
      format("captured %s %s samples and %s launches from %" PRIu64 " stacks; lost %s samples",
             at_least(totals.samples).c_str(), event.c_str(), at_least(totals.launches).c_str(),
             totals.stacks, at_least(totals.lost).c_str());
  if (totals.no_room > 0)
    text += format(" (%s for want of room)", at_least(totals.no_room).c_str());
  if (totals.lost_unknown == 1) text += " and an unknown number, reported once";
  if (totals.lost_unknown > 1)
    text += format(" and an unknown number, reported %" PRIu64 " times", totals.lost_unknown);
  if (totals.lost_launches > 0) text += ", " + at_least(totals.lost_launches) + " launches";
  // those of agents that were turned away have no number either
  if (totals.lost_launches_unknown > 0 && totals.turned_away == 0)
    text += ", an unknown number of launches";
  if (totals.turned_away > 0)
    text += format(", all launches of %" PRIu64 " agents", totals.turned_away);
  if (!output.empty() && output != "-") text += "; wrote " + output;
  say("%s", text.c_str());
  if (totals.driver_kernels > 0)
    say("%" PRIu64
        " of the samples are of the driver's own kernels, whose code and reasons are not told",
        totals.driver_kernels);
  if (totals.lost_calls > 0)
    warn(
        "%s calls that wait or compile were lost: gpu-wait lacks them, and idle time has other "
        "causes",
        at_least(totals.lost_calls).c_str());
  if (totals.memory > 0 || totals.lost_memory > 0 || totals.lost_memory_unknown > 0)
    say("%s allocations and frees of device memory; lost %s%s", at_least(totals.memory).c_str(),
        at_least(totals.lost_memory).c_str(),
        totals.lost_memory_unknown > 0 ? " and an unknown number" : "");
  if (totals.cut_stacks > 0)
    warn("%s without the outermost callers: of a deeper one %d native frames are kept, %d in all",
         stacks_are(totals.cut_stacks).c_str(), AGENT_MAX_NATIVE_FRAMES, AGENT_MAX_FRAMES);
  if (totals.unnamed_frames > 0)
    warn("%" PRIu64
         " CPU frames without functions: symbols took more than %u s or %u MB to read, or crashed "
         "their reader",
         totals.unnamed_frames, SymbolChild::kSeconds,
         static_cast<unsigned>(SymbolChild::kMemory >> 20));
  if (totals.python_unread > 0)
    warn("%s without Python functions, though there are some: they could not be read",
         stacks_are(totals.python_unread).c_str());
  if (totals.ambiguous > 0)
    warn("%" PRIu64
         " samples are of addresses at which several processes have code: left with none",
         totals.ambiguous);
  for (const std::string& line : budgets.report()) warn("%s", line.c_str());
}

}  // namespace aiflame::record
