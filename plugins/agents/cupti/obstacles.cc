/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/obstacles.h"

#include <atomic>
#include <cstdio>

#include "plugins/agents/common/channel.h"
#include "plugins/agents/cupti/cupti_newer.h"

namespace aiflame::agent::cupti {
namespace {

struct Obstacle {
  CUptiResult result;
  const char* why;
  const char* remedy;
};

constexpr Obstacle kObstacles[] = {
    {CUPTI_ERROR_INVALID_OPERATION,
     "CUPTI refuses this now, as another use of it does not go with it",
     "take other profilers (Proton, Kineto) out of the program, then record again"},
    // cupti_pcsampling.h, HARDWARE_BUFFER_SIZE
    {CUPTI_ERROR_OUT_OF_MEMORY, "there is no memory for CUPTI's buffers",
     "leave more of the machine's memory free, up to 512 MB for each context, and of the GPU's"},
    {CUPTI_ERROR_HARDWARE, "the GPU's counters do not work",
     "end other profilers of this GPU; if none is running, restart the machine"},
    {CUPTI_ERROR_DISABLED, "CUPTI is switched off, as another profiler is at work in the program",
     "record without nsys, ncu and other profilers"},
    {CUPTI_ERROR_NOT_INITIALIZED, "CUPTI could not start in the program",
     "take other users of CUPTI's profiler interface out of the program"},
    {CUPTI_ERROR_HARDWARE_BUSY, "the GPU's counters are in use by another program",
     "end the other profiler; of DCGM, 'dcgmi profile --pause' takes its hold away"},
    {CUPTI_ERROR_NOT_SUPPORTED, "this GPU or driver cannot be sampled",
     "a GPU of compute capability 7.0 or newer is needed; device time is measured all the same: "
     "stackcollapse-aiflame --event gpu-time"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "this virtual GPU cannot be profiled",
     "device time is measured all the same: stackcollapse-aiflame --event gpu-time"},
    {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, "the driver lets only root profile",
     "run as root or with CAP_SYS_ADMIN, or load the module nvidia with "
     "NVreg_RestrictProfilingToAdminUsers=0; device time needs neither: "
     "stackcollapse-aiflame --event gpu-time"},
    {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, "the program uses CUPTI's older profiler interface",
     "take that out of the program"},
    {CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED, "this CUPTI is too old for this GPU",
     "install the CUPTI that belongs to the driver's version of CUDA"},
    {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED,
     "another profiler has the program's only subscription to CUPTI",
     "record without nsys, ncu, cuda-gdb and compute-sanitizer, and before the program's own "
     "profiler (torch.profiler, Proton) first runs: it keeps CUPTI from then on; or take "
     "--launch-times=events, which leaves CUPTI to it"},
    {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
     "profiling is not allowed on this virtual GPU",
     "its administrator can allow it (pciPassthruN.cfg.enable_profiling=1)"},
    {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
     "the GPU is in confidential computing mode, which forbids profiling",
     "record on a GPU without it"},
    {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "mining processors cannot be profiled",
     "record on another GPU"},
    {kMigNotSupported, "this MIG instance cannot be profiled",
     "record on a GPU instance that is not shared, or without MIG"},
    {kSliNotSupported, "GPUs in SLI cannot be profiled", "switch SLI off"},
    {kWslNotSupported, "profiling is not allowed under WSL here",
     "allow it in NVIDIA's control panel of Windows, 'Manage GPU Performance Counters'"},
    {CUPTI_ERROR_UNKNOWN, "CUPTI cannot work with the driver, and does not say why",
     "CUPTI's version must not be newer than the version of CUDA that nvidia-smi shows"},
};

std::atomic<bool> given_up{false};

const Obstacle* find_obstacle(CUptiResult result) {
  for (const Obstacle& obstacle : kObstacles)
    if (obstacle.result == result) return &obstacle;
  return nullptr;
}

}  // namespace

void report_obstacle(const char* what, CUptiResult result) {
  char text[400];
  const Obstacle* known = find_obstacle(result);
  if (known == nullptr)
    std::snprintf(text, sizeof text, "%s: CUPTI error %d", what, result);
  else
    std::snprintf(text, sizeof text, "%s: %s (CUPTI error %d)", what, known->why, result);
  report_message(text, false);
  if (known != nullptr) report_message(known->remedy, true);
}

void give_up(CUptiResult result, const char* why) {
  if (given_up.exchange(true)) return;
  char text[400];
  std::snprintf(text, sizeof text,
                "CUPTI gave up (error %d%s%s): launches and samples from here on are missing",
                result, why == nullptr ? "" : ": ", why == nullptr ? "" : why);
  report_message(text, false);
}

bool has_given_up() {
  return given_up.load(std::memory_order_acquire);
}

void report_foreseen(const char* what, CUptiResult result) {
  const Obstacle* known = find_obstacle(result);
  if (known == nullptr) return;
  char text[400];
  std::snprintf(text, sizeof text, "%s: %s", what, known->why);
  report_message(text, false);
  report_message(known->remedy, true);
}

}  // namespace aiflame::agent::cupti
