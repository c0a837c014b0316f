// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/capture_plan.h"

#include "libcommon/base/program.h"
#include "tools/gpustall-record/source/sample_request.h"

namespace aiflame::record {
namespace {

// Not with --sampling=off, nor when the source has an obstacle.
bool will_sample(const ChosenSource& chosen, const CaptureOptions& options,
                 const AttachedAgent& others) {
  const bool is_off = options.sampling == "off";
  const bool has_agents_options = (!options.sampling.empty() && !is_off) || options.duty != 0;
  if (has_agents_options && !chosen.source->has(GPUSTALL_BY_AGENT))
    throw UsageError(
        format("--sampling and --duty are not for source '%s'", chosen.source->name().c_str()));
  refuse_device(*chosen.source, options);
  if ((has_agents_options || options.period != 0) && !others.sample_request.empty() &&
      chosen.source->has(GPUSTALL_BY_AGENT))
    throw UsageError(
        "--sampling, --duty and --period cannot change a running process: pass them to "
        "--print-env");
  if (!chosen.obstacle.empty() && !is_off)
    warn("no samples, only launches%s: %s",
         options.launch_times != LaunchTimes::off ? " and their device time" : "",
         chosen.obstacle.c_str());
  return chosen.obstacle.empty() && !is_off;
}

// Without a request, launches come from agents wherever there may be some. In a process that runs
// already, it is seen whether there is one.
LaunchStacks launch_stacks(const CaptureOptions& options, const AttachedAgent& others) {
  if (options.stacks != LaunchStacks::automatic) return options.stacks;
  return may_have_agents(options) || !others.directory.empty() ? LaunchStacks::agent
                                                               : LaunchStacks::uprobe;
}

}  // namespace

CapturePlan plan_capture(const ChosenSource& chosen, const CaptureOptions& options,
                         const AttachedAgent& others) {
  CapturePlan plan;
  plan.samples = will_sample(chosen, options, others);
  plan.stacks = launch_stacks(options, others);
  plan.period = options.period;
  plan.sampling = options.sampling;
  plan.duty = options.duty;
  if (plan.samples && chosen.source->has(GPUSTALL_BY_AGENT))
    take_sample_request(others.sample_request, plan);
  return plan;
}

}  // namespace aiflame::record
