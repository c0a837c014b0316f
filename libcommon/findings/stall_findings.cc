// SPDX-License-Identifier: MIT
#include "libcommon/findings/stall_findings.h"

#include <map>

#include "libcommon/code/stall_reasons.h"

namespace aiflame {

StallFindings find_stalls(const std::vector<KernelReason>& all) {
  StallFindings out;
  std::map<uint32_t, KernelSamples> kernels;
  std::map<uint32_t, uint64_t> stalls;  // by kernel
  uint64_t device = 0, issued = 0;
  for (size_t index = 0; index < all.size(); ++index) {
    const KernelReason& one = all[index];
    KernelSamples& kernel = kernels[one.kernel];
    kernel.all += one.samples;
    device += one.samples;
    const StallReason* reason = find_stall_reason(one.reason);
    if (reason != nullptr && reason->category == StallReason::Category::issuing) {
      kernel.issued += one.samples;
      issued += one.samples;
    } else if (reason == nullptr || !is_always_hidden(*reason)) {
      stalls[one.kernel] += one.stalls;
      out.found.push_back({index, 0, {}});
    } else if (stands_for_hidden(one.reason)) {
      out.exposed = true;
    }
  }
  for (StallFinding& finding : out.found) {
    const KernelReason& one = all[finding.index];
    const uint64_t of_kernel = stalls[one.kernel];
    if (of_kernel > 0)
      finding.share = static_cast<double>(one.stalls) / static_cast<double>(of_kernel);
    finding.gain = bound_of_gain(one.stalls, kernels[one.kernel], device, issued > 0);
  }
  return out;
}

}  // namespace aiflame
