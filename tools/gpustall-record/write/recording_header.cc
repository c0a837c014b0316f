// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/write/recording_header.h"

#include <sys/utsname.h>
#include <time.h>

#include <cinttypes>

#include "libcommon/base/program.h"
#include "libcommon/gpustall/gpustall_writer.h"

namespace aiflame::record {
namespace {

std::string utc_now() {
  const time_t now = time(nullptr);
  tm parts{};
  gmtime_r(&now, &parts);
  char text[64];
  strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

std::string command_line(const CaptureOptions& options) {
  if (options.redact) return "(redacted)";
  if (options.all) return "(whole system)";
  if (options.pid != 0) return format("(process %" PRIu64 ")", options.pid);
  if (!options.listen.empty()) return format("(programs that came to %s)", options.listen.c_str());
  std::string command;
  for (const std::string& word : options.command) command += (command.empty() ? "" : " ") + word;
  return command;
}

}  // namespace

std::vector<std::string> recording_header(const Source& source, const std::vector<Device>& devices,
                                          const CaptureOptions& options, const CapturePlan& plan,
                                          bool has_probes, uint64_t origin) {
  utsname system{};
  uname(&system);
  std::vector<std::string> header{
      std::string("hostname : ") + system.nodename,
      std::string("os release : ") + system.release,
      "captured on : " + utc_now() + ", monotonic " + gpustall_seconds(origin),
      "cmdline : " + command_line(options),
      "clock : monotonic",
  };
  if (has_probes) header.push_back("launches by : uprobe");
  if (options.launch_times == LaunchTimes::events)
    header.push_back("launches by : driver calls, times by events (an estimate)");
  if (options.launch_times == LaunchTimes::off)
    header.push_back("launches by : driver calls, without times");
  if (source.has(GPUSTALL_BY_AGENT)) {
    // --listen: each program was told as it began
    if (plan.samples && options.listen.empty())
      header.push_back(format("sampling : %s, %" PRIu64 " %% of the time",
                              plan.sampling.empty() ? "continuous" : plan.sampling.c_str(),
                              sampled_percent(plan.sampling, plan.duty)));
    return header;
  }
  for (const Device& device : devices)
    header.push_back(format("device %u : %s, %s, %s, period %" PRIu64 " %s", device.index,
                            source.name().c_str(), device.name.c_str(), device.place.c_str(),
                            device.period, device.unit.c_str()));
  return header;
}

}  // namespace aiflame::record
