// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/device_time.h"

#include <algorithm>
#include <iterator>

#include "libcommon/timeline/idle_causes.h"
#include "libcommon/timeline/work_class.h"

namespace aiflame::report {
namespace {

constexpr std::string_view kClassRows[kWorkClasses] = {"computation", "communication", "copies",
                                                       "host functions"};

// The importers name copies alike: "Memcpy HtoD_[G]".
WorkClass class_of(std::string_view kernel) {
  if (kernel.starts_with(kHostFunction)) return WorkClass::host;
  return kernel.starts_with("Memcpy") ? WorkClass::copy : class_of_kernel(kernel);
}

}  // namespace

DeviceTime device_time_of(const std::vector<std::string_view>& roots, std::string_view kernel) {
  DeviceTime out;
  const auto at = std::find_if(roots.begin(), roots.end(), [](std::string_view frame) {
    return frame == kExposed || frame == kHidden || is_idle_frame(frame);
  });
  if (at != roots.end() && is_idle_frame(*at)) {
    out.marked = out.idle = true;
    out.row = *at;
    if (*at == kGpuIdle && at + 1 != roots.end() && find_idle_cause(at[1])) out.cause = at[1];
    return out;
  }
  if (kernel.empty()) return out;
  WorkClass work = class_of(kernel);
  if (at != roots.end()) {
    out.marked = true;
    out.hidden = *at == kHidden;
    // computation has no mark: the trace knew it as a collective by more than its name
    if (work == WorkClass::computation) work = WorkClass::communication;
  }
  out.row = kClassRows[static_cast<size_t>(work)];
  return out;
}

uint32_t device_row_order(std::string_view row) {
  const auto* work = std::find(std::begin(kClassRows), std::end(kClassRows), row);
  if (work != std::end(kClassRows)) return static_cast<uint32_t>(work - std::begin(kClassRows));
  if (row == kGpuIdle) return kWorkClasses;
  return find_idle_cause(row) ? kWorkClasses + 1 : kWorkClasses + 2;
}

}  // namespace aiflame::report
