// SPDX-License-Identifier: MIT
// aiflame-cost: what a profile costs, in energy, carbon or money.
//
//   stackcollapse-aiflame --event gpu-time app.gpustall |
//     aiflame-cost --power 300 --pue 1.2 | aiflame-svg > energy.svg
//
// Reads folded(5) whose counts are times:
//   # aiflame: event gpu-time, unit ns
//   app;main;-;read_[G] 3000000
// Writes the same stacks with what they cost, and on what that rests:
//   # aiflame: event estimate from gpu-time at 300 W, unit nJ
//   # aiflame-cost: PUE 1.2 (energy of the site for that of the devices)
//   app;main;-;read_[G] 1080000000
//
// All lines go through a temporary file: the sum is needed before the first share of it, and an
// error in the last line leaves no output.
#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-cost/cost_settings.h"
#include "tools/aiflame-cost/facts.h"
#include "tools/aiflame-cost/recorded_energy.h"
#include "tools/aiflame-cost/timed_stacks.h"
#include "tools/aiflame-cost/write_costs.h"

namespace aiflame::cost {
namespace {

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : "; ") + text;
  return out;
}

int run(int argc, char** argv) {
  const std::optional<CostSettings> settings = parse_cost_settings(argc, argv);
  if (!settings) return 0;
  outlive_interrupt();
  std::vector<std::string> files{settings->path};
  if (!settings->recording.empty()) files.push_back(settings->recording);
  if (!settings->no_sandbox) drop_rights({.files = files, .temporary_files = true});
  TimedStacks stacks = read_times(settings->path, settings->unit);
  Assumptions given = settings->given;
  if (!settings->recording.empty())
    take_recorded_joules(settings->recording, settings->counters, given);
  const Cost cost = cost_of(stacks.seconds, given);
  const CountedCost counts = counted(cost, settings->shown, settings->currency());
  const std::vector<std::string> known = facts(cost, counts, given);
  Output out;
  if (settings->summary) {
    for (const std::string& fact : known) out.write(fact + "\n");
    out.close();
    return 0;
  }
  out.write(quantity_line(quantity_of(counts, given, settings->shown, stacks.quantity.event)));
  for (const std::string& fact : known) out.write("# aiflame-cost: " + fact + "\n");
  for (const LaunchFact& fact : stacks.launches.all()) out.write(launch_fact_line(fact));
  write_costs(stacks, counts, out);
  out.close();
  say("%s", joined(known).c_str());
  return 0;
}

}  // namespace
}  // namespace aiflame::cost

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-cost", argc, argv, aiflame::cost::run);
}
