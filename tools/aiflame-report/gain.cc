// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/gain.h"

#include <algorithm>
#include <limits>

namespace aiflame::report {
namespace {

double times_faster(uint64_t all, uint64_t less) {
  if (less == 0) return 1;
  if (less >= all) return std::numeric_limits<double>::infinity();
  return static_cast<double>(all) / static_cast<double>(all - less);
}

}  // namespace

Gain bound_of_gain(uint64_t stalls, const KernelSamples& kernel, uint64_t device,
                   bool tells_issued) {
  Gain out;
  out.removed = times_faster(kernel.all, stalls);
  if (tells_issued) out.overlapped = times_faster(kernel.all, std::min(kernel.issued, stalls));
  out.whole = times_faster(device, stalls);
  return out;
}

}  // namespace aiflame::report
