// SPDX-License-Identifier: MIT
// Source `cupti`: stalls of the warps of NVIDIA's GPUs. NVIDIA's library only samples the process
// that it is loaded into, so the samples come from the cupti agent. This source finds the GPUs.
#include <exception>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "plugins/abi/gpustall_plugin.h"
#include "plugins/sources/common/source_functions.h"
#include "plugins/sources/cupti/gpus.h"

namespace aiflame::source::cupti {
namespace {

// The hardware counts 2^5 to 2^31 cycles (cupti_pcsampling.h, SAMPLING_PERIOD).
bool is_period(uint64_t cycles) {
  return (cycles & (cycles - 1)) == 0 && cycles >= 32 && cycles <= uint64_t{1} << 31;
}

// The samples reach the recorder through the agent.
struct Nothing {
  explicit Nothing(const gpustall_config&) {}
  static bool read(gpustall_sink, void*) { return true; }
  static void stop() {}
};
using Functions = SourceFunctions<Nothing>;

std::string obstacle_to(const gpustall_config& config) {
  if (config.frequency != 0)
    return "samples are made by cycles, not by time: --period instead of -F";
  if (config.period != 0 && !is_period(config.period))
    return "a period is a power of two from 32 to 2147483648 cycles";
  if (!has_driver())
    return "NVIDIA's driver is not loaded (there is no /proc/driver/nvidia): install it, or "
           "modprobe nvidia";
  return permission_obstacle();
}

int devices(const gpustall_config* config,
            void (*found)(void* user, const struct gpustall_device* device), void* user) {
  try {
    const std::vector<Gpu> gpus = find_gpus();
    if (gpus.empty()) throw Error("no NVIDIA GPU on this machine");
    const std::string obstacle = obstacle_to(*config);
    uint32_t index = 0;
    for (const Gpu& gpu : gpus) {
      gpustall_device device{};
      device.size = sizeof device;
      device.index = index++;
      device.name = gpu.name.c_str();
      device.place = gpu.place.c_str();
      device.unit = "cycles";
      device.period = config->period;
      device.obstacle = obstacle.empty() ? nullptr : obstacle.c_str();
      found(user, &device);
    }
    return static_cast<int>(gpus.size());
  } catch (const std::exception& error) {
    Functions::last_error = error.what();
    return -1;
  }
}

constexpr struct gpustall_plugin kPlugin = plugin_table<Nothing>(
    {
        .name = "cupti",
        .description =
            "NVIDIA GPUs by CUPTI in the program's process: hardware samples of stalled warps",
        .event = "gpu-stall",
        .agent = "cupti",
        .flags = GPUSTALL_BY_AGENT,
    },
    devices);

}  // namespace
}  // namespace aiflame::source::cupti

EXPORT_SOURCE(aiflame::source::cupti::kPlugin)
