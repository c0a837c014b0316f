// SPDX-License-Identifier: MIT
#include "plugins/sources/level-zero/obstacle.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/process/capabilities.h"
#include "plugins/sources/common/system_file.h"
#include "plugins/sources/level-zero/loader.h"

namespace aiflame::source::level_zero {
namespace {

constexpr const char* kTaken =
    "another profiler holds its only sampler; who, as root: find "
    "/proc/[0-9]*/fd -lname '*xe_eu_stall*'";

// The names of /dev/dri/renderD*, sorted.
std::vector<std::string> render_nodes() {
  std::vector<std::string> found;
  DIR* directory = opendir("/dev/dri");
  if (directory == nullptr) return found;
  while (const dirent* entry = readdir(directory))
    if (std::strncmp(entry->d_name, "renderD", 7) == 0) found.emplace_back(entry->d_name);
  closedir(directory);
  std::sort(found.begin(), found.end());
  return found;
}

//   PCI_ID=8086:E20B
// True when sysfs does not say, as in some containers.
bool may_be_intel(const std::string& node) {
  try {
    LineReader lines("/sys/class/drm/" + node + "/device/uevent");
    std::string_view line;
    while (lines.next(line))
      if (take_prefix(line, "PCI_ID=")) return line.starts_with("8086:");
  } catch (const Error&) {
    // no such file
  }
  return true;
}

// The kernel's switch that forbids sampling, as far as it can be read; "" when none does.
std::string permission_obstacle() {
  if (is_capability_effective(CAP_SYS_ADMIN) || is_capability_effective(kCapPerfmon)) return "";
  // Linux's driver, and Intel's own for Data Center GPU Max
  for (const std::string name : {"xe/observation_paranoid", "i915/perf_stream_paranoid"}) {
    const std::string value = first_line_of("/proc/sys/dev/" + name);
    if (value.empty() || value == "0") continue;
    std::string variable = "dev." + name;
    std::replace(variable.begin(), variable.end(), '/', '.');
    return format("not permitted: %s is %s; as root: sysctl %s=0", variable.c_str(), value.c_str(),
                  variable.c_str());
  }
  return "";
}

}  // namespace

std::string machine_obstacle() {
  // drivers chosen by the user need no GPU that the kernel knows
  if (std::getenv("ZE_ENABLE_ALT_DRIVERS") != nullptr) return "";
  const std::vector<std::string> nodes = render_nodes();
  if (nodes.empty())
    return "no GPU: there is no /dev/dri/renderD*; in a container, have it started with --device "
           "/dev/dri";
  if (std::none_of(nodes.begin(), nodes.end(), may_be_intel)) return "no GPU of Intel's";
  return "";
}

std::string loader_obstacle(const char* why) {
  return format("Level Zero is not installed: %s; as root: apt install libze1 intel-opencl-icd",
                why);
}

std::string init_obstacle(ze_result_t result) {
  for (const std::string& node : render_nodes()) {
    const std::string path = "/dev/dri/" + node;
    if (may_be_intel(node) && access(path.c_str(), R_OK | W_OK) != 0)
      return format(
          "cannot open '%s': %s; as root: usermod -aG render USER (the group of that file), and "
          "log in again",
          path.c_str(), std::strerror(errno));
  }
  return format(
      "no driver of Level Zero starts: zeInit: %s; Intel's, as root: apt install intel-opencl-icd "
      "(libze-intel-gpu1 where it is newer than 2024)",
      result_text(result).c_str());
}

std::string no_gpu_obstacle() {
  return "Level Zero's drivers have no GPU of Intel's (ZE_AFFINITY_MASK may hide one)";
}

std::string hidden_obstacle() {
  if (std::string why = permission_obstacle(); !why.empty()) return why;
  return format(
      "the driver shows no sampler of stalls (metric group EuStallSampling): it is older than "
      "25.22, or this GPU has none (a Data Center GPU Max has, and Xe2 graphics and newer), or %s",
      kTaken);
}

std::string stream_obstacle(ze_result_t result) {
  std::string why = permission_obstacle();
  switch (result) {
    case ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS:
      return why.empty() ? "not permitted; as root, or with the capability CAP_PERFMON, it is"
                         : why;
    case ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE:
    case ZE_RESULT_ERROR_NOT_AVAILABLE:
      return kTaken;
    case ZE_RESULT_ERROR_UNKNOWN:
      // the driver returns this for any error of the kernel, which is EBUSY as a rule
      return why.empty() ? format("the driver does not say why not: %s; it may be that %s",
                                  result_text(result).c_str(), kTaken)
                         : why;
    default:
      return format("cannot open a stream of stall samples: zetMetricStreamerOpen: %s",
                    result_text(result).c_str());
  }
}

}  // namespace aiflame::source::level_zero
