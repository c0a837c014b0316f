/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/support.h"

#include <cstddef>
#include <initializer_list>

#include "plugins/agents/cupti/obstacles.h"

namespace aiflame::agent::cupti {
namespace {

using Support = CUpti_Profiler_DeviceSupported_Params;

// NVIDIA's samples call cuptiProfilerInitialize() first. We do not: after it, PC sampling was seen
// to be refused.
bool ask(const Cupti& cupti, uint32_t device, Support& answer) {
  if (cupti.cuptiProfilerDeviceSupported == nullptr || device == 0) return false;
  // each version expects its own size; `api` is the last field that CUDA 12 added
  for (const size_t bytes :
       {size_t{CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE}, offsetof(Support, api)}) {
    answer = Support{};
    answer.structSize = bytes;
    answer.cuDevice = static_cast<CUdevice>(device - 1);
    answer.api = CUPTI_PROFILER_PC_SAMPLING;
    const CUptiResult result = cupti.cuptiProfilerDeviceSupported(&answer);
    if (result == CUPTI_SUCCESS) return true;
    if (result != CUPTI_ERROR_INVALID_PARAMETER) return false;
  }
  return false;
}

bool forbids(CUpti_Profiler_Support_Level level) {
  return level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
         level == CUPTI_PROFILER_CONFIGURATION_DISABLED;
}

}  // namespace

bool can_be_sampled(const Cupti& cupti, uint32_t device) {
  Support answer;
  if (!ask(cupti, device, answer) || !forbids(answer.isSupported)) return true;
  // the error that starting it would return in such a configuration
  const struct {
    CUpti_Profiler_Support_Level level;
    CUptiResult obstacle;
  } causes[] = {
      {answer.architecture, CUPTI_ERROR_NOT_SUPPORTED},
      {answer.sli, kSliNotSupported},
      {answer.vGpu, answer.vGpu == CUPTI_PROFILER_CONFIGURATION_DISABLED
                        ? CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES
                        : CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
      {answer.confidentialCompute, CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
      {answer.cmp, CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
      {answer.wsl, kWslNotSupported},
  };
  bool is_known = false;
  for (const auto& [level, obstacle] : causes) {
    if (!forbids(level)) continue;
    report_foreseen("no samples", obstacle);
    is_known = true;
  }
  if (!is_known) report_foreseen("no samples", CUPTI_ERROR_NOT_SUPPORTED);
  return false;
}

}  // namespace aiflame::agent::cupti
