// SPDX-License-Identifier: MIT
#include "plugins/sources/xe/obstacle.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "libcommon/base/program.h"
#include "plugins/sources/common/system_file.h"

namespace aiflame::source::xe {
namespace {

constexpr const char* kParanoid = "/proc/sys/dev/xe/observation_paranoid";

constexpr const char* kHardware =
    "stall sampling takes a Data Center GPU Max, or Xe2 graphics and newer (Core Ultra 200V, Arc "
    "B-series)";

// Data Center GPU Max. Intel's kernels drive it with i915; Linux does with xe, on request
// (include/drm/intel/pciids.h of Linux: INTEL_PVC_IDS; 0bd0 is in Intel's kernels only).
constexpr std::string_view kDataCenterMax[] = {"0b69", "0b6e", "0bd4", "0bd5", "0bd6",
                                               "0bd7", "0bd8", "0bd9", "0bda", "0bdb",
                                               "0be0", "0be1", "0be5", "0bd0"};

std::string release() {
  utsname system{};
  uname(&system);
  return system.release;
}

}  // namespace

std::string no_gpu_obstacle(const std::vector<RenderNode>& nodes) {
  if (nodes.empty())
    return "no GPU: there is no /dev/dri/renderD*; for an Intel GPU, as root: modprobe xe; in a "
           "container, have it started with --device /dev/dri";
  std::string others;
  for (const RenderNode& node : nodes) {
    if (node.vendor == "8086") return driver_obstacle(node, node.driver);
    others += (others.empty() ? "" : ", ") + node.path + " is driven by '" + node.driver + "'";
  }
  return "no GPU of the xe driver: " + others;
}

std::string open_obstacle(const RenderNode& node, int error) {
  std::string text = format("cannot open '%s': %s", node.path.c_str(), std::strerror(error));
  if (error == EACCES || error == EPERM)
    text += "; as root: usermod -aG render USER (the group of that file), and log in again";
  return text;
}

std::string driver_obstacle(const RenderNode& node, const std::string& driver) {
  std::string text = format("%s is driven by '%s', not by xe", node.path.c_str(), driver.c_str());
  const bool is_max = std::find(std::begin(kDataCenterMax), std::end(kDataCenterMax), node.model) !=
                      std::end(kDataCenterMax);
  if (is_max && node.vendor == "8086")
    return text + format("; boot Linux 6.15 or newer with i915.force_probe=!%s xe.force_probe=%s",
                         node.model.c_str(), node.model.c_str());
  return text + "; " + kHardware;
}

std::string sampler_obstacle(int error) {
  // kernels before 6.15 do not know the number of this query
  if (error == EINVAL)
    return format("Linux %s is too old: stall sampling by the xe driver takes 6.15 or newer",
                  release().c_str());
  if (error == ENODEV || error == 0)
    return format("this GPU has no stall sampling: %s; a virtual function (SR-IOV) has none",
                  kHardware);
  return format("the driver does not tell what its sampler can do: %s", std::strerror(error));
}

std::string stream_obstacle(int error) {
  switch (error) {
    case EACCES:
    case EPERM: {
      const std::string paranoid = first_line_of(kParanoid);
      if (paranoid.empty())
        return "not permitted; as root, or with the capability CAP_PERFMON, it is";
      return format(
          "not permitted: dev.xe.observation_paranoid is %s; as root: sysctl "
          "dev.xe.observation_paranoid=0",
          paranoid.c_str());
    }
    case EBUSY:
      return "another profiler holds its only stall stream; who, as root: find "
             "/proc/[0-9]*/fd -lname '*xe_eu_stall*'";
    case ENODEV:
      return sampler_obstacle(ENODEV);
    case ENOMEM:
      return "the kernel has no memory for its sample buffers, 512 KiB for each Xe core";
    case ETIMEDOUT:
      return "the GPU did not wake up; see dmesg";
    default:
      return format("cannot open a stream of stall samples: %s", std::strerror(error));
  }
}

}  // namespace aiflame::source::xe
