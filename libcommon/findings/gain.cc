// SPDX-License-Identifier: MIT
#include "libcommon/findings/gain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcommon/base/json.h"
#include "libcommon/base/program.h"

namespace aiflame {
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

std::string times_text(double times) {
  const double unit = times < 100 ? 100 : 1;
  double shown = std::round(times * unit) / unit;
  if (shown < times) shown = (std::round(times * unit) + 1) / unit;
  return format(times < 100 ? "%.2f" : "%.0f", shown);
}

std::string gain_json(const Gain& gain) {
  return "{\"removed\": " + json_number(gain.removed) +
         ", \"overlapped\": " + (gain.overlapped ? json_number(*gain.overlapped) : "null") +
         ", \"whole\": " + json_number(gain.whole) + "}";
}

}  // namespace aiflame
