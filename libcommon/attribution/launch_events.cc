// SPDX-License-Identifier: MIT
#include "libcommon/attribution/launch_events.h"

#include <algorithm>

#include "libcommon/text/globs.h"

namespace aiflame {

// `perf probe -x LIBRARY FUNCTION` names the event's group after the library.
const char kDefaultLaunchEvents[] =
    "aiflame_launch:*,"
    "probe_libOpenCL:clEnqueueNDRangeKernel,"
    "probe_libze_loader:zeCommandListAppendLaunch*Kernel*,"
    "probe_libcuda:cuLaunch*Kernel*,probe_libcuda:cuGraphLaunch,"
    "probe_libamdhip64:hip*Launch*Kernel*,probe_libamdhip64:hipGraphLaunch";

std::string_view kernel_argument(std::string_view arguments) {
  for (const std::string name : kKernelArguments) {
    const std::string key = " " + name + "=\"";
    const size_t at = arguments.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view value = arguments.substr(at + key.size());
    return value.substr(0, value.find('"'));
  }
  return {};
}

bool is_kernel_name(std::string_view text) {
  return !text.empty() && text != "(fault)";
}

LaunchEvents::LaunchEvents(const std::string& patterns) {
  size_t at = 0;
  while (at <= patterns.size()) {
    const size_t end = std::min(patterns.find(',', at), patterns.size());
    if (end > at) patterns_.push_back(patterns.substr(at, end - at));
    at = end + 1;
  }
}

bool LaunchEvents::is_launch(std::string_view event) {
  if (event == last_event_) return last_is_launch_;
  last_event_ = event;
  const auto [known, added] = known_.try_emplace(last_event_, false);
  // perf probe names a return probe `…__return`: the launch was counted at the function's entry
  if (added && !event.ends_with("__return")) known->second = matches_any(patterns_, event);
  last_is_launch_ = known->second;
  return last_is_launch_;
}

}  // namespace aiflame
