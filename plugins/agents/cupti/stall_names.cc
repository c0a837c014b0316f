/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/stall_names.h"

#include <cstring>

namespace aiflame::agent::cupti {

StallMetric stall_name(const char* metric, char* out, size_t room) {
  constexpr const char* kFamilies[] = {"smsp__pcsamp_warps_issue_stalled_",
                                       "smsp__pcsamp_warp_stall_"};
  constexpr char kTwin[] = "_not_issued";
  constexpr char kOthers[] = "smsp__pcsamp_";
  const char* reason = metric;
  for (const char* family : kFamilies)
    if (std::strncmp(metric, family, std::strlen(family)) == 0)
      reason = metric + std::strlen(family);
  // a name of an unknown family is a reason too, unless it is one of these
  if (reason == metric && (std::strcmp(metric, "smsp__pcsamp_sample_count") == 0 ||
                           std::strcmp(metric, "smsp__pcsamp_samples_data_dropped") == 0))
    return StallMetric::other;
  if (reason == metric && std::strncmp(metric, kOthers, sizeof kOthers - 1) == 0)
    reason = metric + sizeof kOthers - 1;
  size_t bytes = std::strlen(reason);
  const size_t twin = sizeof kTwin - 1;
  const bool is_twin = bytes > twin && std::strcmp(reason + bytes - twin, kTwin) == 0;
  if (is_twin) bytes -= twin;
  if (bytes == 0 || room == 0) return StallMetric::other;
  if (bytes > room - 1) bytes = room - 1;
  std::memcpy(out, reason, bytes);
  out[bytes] = '\0';
  return is_twin ? StallMetric::exposed : StallMetric::samples;
}

}  // namespace aiflame::agent::cupti
