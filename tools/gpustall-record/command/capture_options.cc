// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/command/capture_options.h"

namespace aiflame::record {

const char* name_of(LaunchTimes times) {
  return times == LaunchTimes::cupti ? "cupti" : times == LaunchTimes::events ? "events" : "off";
}

bool may_have_agents(const CaptureOptions& options) {
  return !options.command.empty() || !options.listen.empty();
}

gpustall_config source_config(const CaptureOptions& options, uint32_t pid) {
  gpustall_config config{};
  config.size = sizeof config;
  const bool is_system = options.all || (options.pid == 0 && !options.listen.empty());
  config.target = is_system          ? GPUSTALL_TARGET_SYSTEM
                  : options.pid != 0 ? GPUSTALL_TARGET_PROCESS
                                     : GPUSTALL_TARGET_COMMAND;
  config.pid = pid;
  config.device = options.device;
  config.period = options.period;
  config.frequency = options.frequency;
  return config;
}

uint64_t sampled_percent(std::string_view sampling, uint64_t duty) {
  if (duty != 0) return duty;
  return sampling == "exact" ? 10 : 100;
}

}  // namespace aiflame::record
