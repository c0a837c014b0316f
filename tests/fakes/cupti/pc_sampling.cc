/* SPDX-License-Identifier: MIT */
// PC sampling, with the failures that are known of the real CUPTI.
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <tuple>
#include <utility>

#include "tests/fakes/cupti/cupti_fake.h"

namespace fake_cuda {
namespace {

// As on an RTX 3090: names of one family, each with its _not_issued twin.
constexpr const char* kReasons[] = {
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard",
    "smsp__pcsamp_warps_issue_stalled_long_scoreboard_not_issued",
    "smsp__pcsamp_warps_issue_stalled_wait",
    "smsp__pcsamp_warps_issue_stalled_wait_not_issued",
    "smsp__pcsamp_warps_issue_stalled_selected",
    "smsp__pcsamp_warps_issue_stalled_selected_not_issued",
};
constexpr const char* kOtherFamily[] = {
    "smsp__pcsamp_warp_stall_long_scoreboard",
    "smsp__pcsamp_warp_stall_long_scoreboard_not_issued",
    "smsp__pcsamp_warp_stall_wait",
    "smsp__pcsamp_warp_stall_wait_not_issued",
    "smsp__pcsamp_warp_stall_selected",
    "smsp__pcsamp_warp_stall_selected_not_issued",
};
constexpr uint32_t kCount = 6;
// Indices need not begin at 0, nor be in order.
constexpr uint32_t index_of(uint32_t reason) {
  return 40 - reason * 3;
}

using Pc = std::tuple<uint64_t, std::string, uint64_t, uint32_t>;  // crc, function, offset, launch
// A kernel that has not ended, and how much of it has been sampled.
struct Sampled {
  Run run;
  uint64_t crc = 0, until = 0, samples = 0;
};
struct Sampling {
  bool enabled = false, configured = false, control = false, started = false, exact = false;
  bool full = false;
  // On an H200, two contexts of the device that are sampled at a time: reads fail, and callbacks
  // end.
  bool broken = false;
  uint32_t period = 11;
  bool is_period_set = false;
  CUpti_PCSamplingData* kept = nullptr;
  std::map<Pc, std::array<uint64_t, kCount>> pcs;
  std::deque<Sampled> runs;
  uint64_t dropped = 0, foreign = 0, withheld = 0, uncounted = 0;
  // Samples in `pcs` that were counted already: the first read of a range counts all of them.
  uint64_t counted = 0;
  // has_unloaded: a module was unloaded since the last load. is_range_over: a load has ended the
  // range that `pcs` belong to, as `kept` shows.
  bool has_unloaded = false, is_range_over = false;
};

std::recursive_mutex mutex;
std::map<const Context*, Sampling> samplings;
std::map<const Module*, uint64_t> crcs;
CUpti_ComputeCrcCallbackFunc compute_crc = nullptr;
uint64_t reads = 0;
// Calls back for nothing any more.
std::atomic<bool> is_silent{false};
// The buffer of a context whose sampling could not be disabled.
CUpti_PCSamplingData* writes_on = nullptr;

Sampling& of(CUcontext context) {
  return samplings[reinterpret_cast<const Context*>(context)];
}

// As seen with the real CUPTI: such a call waits for the launches that other threads are making,
// and these threads wait for the call.
void check_thread(const char* what) {
  if (!is_the_program_s() && launching() > 0) die(what);
}

CUptiResult refused(const char* key) {
  return static_cast<CUptiResult>(knob(key, CUPTI_SUCCESS));
}

// Accounts for the kernels up to now, with samples if sampling is on.
void advance(Sampling& sampling) {
  const uint64_t now = now_ns();
  const bool is_on = !sampling.full && (!sampling.control || sampling.started);
  while (!sampling.runs.empty() && sampling.runs.front().run.start < now) {
    Sampled& one = sampling.runs.front();
    const Run& run = one.run;
    const uint64_t until = std::min(run.end, now);
    const uint64_t before = one.samples;
    if (is_on) one.samples += (until - run.start) / 1000 - (one.until - run.start) / 1000;
    one.until = until;
    const uint32_t launch = sampling.exact ? run.correlation : 0;
    // of each ten samples, those from one on and up to another
    const auto of_ten = [&](uint64_t from, uint64_t to) {
      const auto up_to = [&](uint64_t n) {
        return n / 10 * (to - from) + std::clamp<uint64_t>(n % 10, from, to) - from;
      };
      return up_to(one.samples) - up_to(before);
    };
    if (one.samples != before) {
      // at another place of the kernels, if the test asks for it
      const uint64_t at = knob("stall_at", 0x10);
      auto& first = sampling.pcs[{one.crc, run.function->name, at, launch}];
      auto& second = sampling.pcs[{one.crc, run.function->name, at + 0x10, launch}];
      const uint64_t stalled = of_ten(0, 7);
      first[0] += stalled;
      first[1] += stalled / 2;
      second[2] += of_ten(7, 8);
      second[3] += one.samples / 20 - before / 20;
      second[4] += of_ten(8, 10);
    }
    if (run.end > now) return;
    if (is_on) sampling.dropped += knob("dropped");
    if (is_on) sampling.foreign += knob("foreign");
    // withheld: counted but in no record; uncounted: in a record but not counted
    if (is_on) sampling.withheld += knob("withheld");
    if (is_on) sampling.uncounted += knob("uncounted");
    sampling.runs.pop_front();
  }
}

// The name in records: all records of a function share one (cupti_pcsampling.h), and the client may
// free it after it has dealt with the last of them. This name cannot be freed at all, so that a
// client that frees it too early crashes at once. With copies=1 each record has its own.
char* handed_name(const std::string& name) {
  if (knob("copies") != 0) return strdup(name.c_str());
  // never destroyed: the agent reads also at the program's end
  static auto& shared = *new std::map<std::string, std::string>;
  auto& kept = shared[name];
  if (kept.empty()) kept = " " + name;
  return kept.data() + 1;
}

// Writes the number of PCs of a finished range into the configured buffer.
void show_range(Sampling& sampling) {
  if (sampling.pcs.empty()) sampling.is_range_over = false;
  if (sampling.kept == nullptr || !sampling.configured) return;
  sampling.kept->remainingNumPcs = 0;
  sampling.kept->totalNumPcs = sampling.is_range_over ? sampling.pcs.size() : 0;
}

uint64_t samples_of(const std::array<uint64_t, kCount>& counts) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < kCount; i += 2) sum += counts[i];
  return sum;
}

// Moves PCs into `out`, as many as there is room for.
void hand_out(Sampling& from, CUpti_PCSamplingData& out) {
  if (out.size != sizeof(CUpti_PCSamplingData)) die("CUpti_PCSamplingData has not its size");
  out.totalNumPcs = 0;
  uint64_t all = 0;
  for (const auto& [pc, counts] : from.pcs) all += samples_of(counts);
  out.totalSamples = all - std::exchange(from.counted, all);
  while (!from.pcs.empty() && out.totalNumPcs < out.collectNumPcs) {
    const auto& [pc, counts] = *from.pcs.begin();
    CUpti_PCSamplingPCData& to = out.pPcData[out.totalNumPcs++];
    if (to.size != sizeof to || to.stallReason == nullptr || to.stallReasonCount < kCount)
      die("CUpti_PCSamplingPCData is not made ready");
    to.cubinCrc = std::get<0>(pc);
    to.functionName = handed_name(std::get<1>(pc));
    to.pcOffset = std::get<2>(pc);
    to.correlationId = std::get<3>(pc);
    size_t reasons = 0;
    for (uint32_t i = 0; i < kCount; ++i) {
      if (counts[i] == 0) continue;
      to.stallReason[reasons++] = {index_of(i), static_cast<uint32_t>(counts[i])};
    }
    to.stallReasonCount = reasons;
    from.counted -= samples_of(counts);
    from.pcs.erase(from.pcs.begin());
  }
  out.remainingNumPcs = from.pcs.size();
  out.droppedSamples = std::exchange(from.dropped, 0);
  out.nonUsrKernelsTotalSamples = std::exchange(from.foreign, 0);
  out.totalSamples += out.droppedSamples + out.nonUsrKernelsTotalSamples;
  out.totalSamples += std::exchange(from.withheld, 0);
  const uint64_t uncounted = std::min<uint64_t>(out.totalSamples, from.uncounted);
  out.totalSamples -= uncounted;
  from.uncounted -= uncounted;
}

}  // namespace

// CUPTI's own checksum of a cubin. With no_crc=2 the one of the tests' cubins differs.
static uint64_t default_crc(const void* content, size_t bytes) {
  uint64_t crc = 0x65d7712c;  // the real one's, of many
  const auto* at = static_cast<const unsigned char*>(content);
  for (size_t i = 0; i < bytes && knob("no_crc") == 2; ++i) crc = crc * 31 + at[i];
  return crc;
}

// CUPTI's own for a module that was loaded before CUPTI was.
static uint64_t crc_of(const Module& module) {
  const auto known = crcs.find(&module);
  return known != crcs.end() ? known->second
                             : default_crc(module.bytes.data(), module.bytes.size());
}

void sampling_module_loaded(const Module& module) {
  const std::lock_guard lock(mutex);
  uint64_t crc = default_crc(module.bytes.data(), module.bytes.size());
  if (compute_crc != nullptr) compute_crc(module.bytes.data(), module.bytes.size(), &crc);
  crcs[&module] = crc;
  Sampling& sampling = samplings[module.context];
  if (!sampling.configured) return;
  advance(sampling);
  if (!std::exchange(sampling.has_unloaded, false)) return;
  // The real CUPTI knows code by its address alone: it takes unread samples of the previous range
  // for the code that is there now.
  if (sampling.is_range_over) {
    std::map<Pc, std::array<uint64_t, kCount>> moved;
    for (const auto& [pc, counts] : sampling.pcs) {
      auto& to = moved[{crc, std::get<1>(pc), std::get<2>(pc), std::get<3>(pc)}];
      for (uint32_t i = 0; i < kCount; ++i) to[i] += counts[i];
    }
    sampling.pcs = std::move(moved);
  }
  sampling.is_range_over = !sampling.pcs.empty();
  show_range(sampling);
}

void sampling_module_unloaded(const Module& module) {
  const std::lock_guard lock(mutex);
  Sampling& sampling = samplings[module.context];
  advance(sampling);
  sampling.has_unloaded = true;
}

void sampling_ran(const Run& run) {
  std::unique_lock lock(mutex);
  const Module& module = *run.function->module;
  if (writes_on != nullptr) writes_on->rangeId++;
  Sampling& sampling = samplings[module.context];
  if (!sampling.configured || knob("no_samples") != 0) return;
  if (sampling.is_period_set && knob("own_period") != 0) return;
  if (!sampling.exact || (sampling.control && !sampling.started)) {
    sampling.runs.push_back({run, crc_of(module), run.start});
    return;
  }
  // One kernel at a time: its launch returns when it has ended, and its samples are one range.
  // Unread samples of the previous range are added to it.
  if (sampling.is_range_over) {
    std::map<Pc, std::array<uint64_t, kCount>> moved;
    for (const auto& [pc, counts] : sampling.pcs) {
      auto& to = moved[{std::get<0>(pc), std::get<1>(pc), std::get<2>(pc), run.correlation}];
      for (uint32_t i = 0; i < kCount; ++i) to[i] += counts[i];
    }
    sampling.pcs = std::move(moved);
  }
  sampling.runs.push_back({run, crc_of(module), run.start});
  lock.unlock();
  sleep_until(run.end);
  lock.lock();
  advance(sampling);
  sampling.is_range_over = !sampling.pcs.empty();
  show_range(sampling);
  lock.unlock();
  // time for the agent's worker to read before the launch returns
  sleep_until(now_ns() + knob("late_return") * 1000000);
}

bool has_fallen_silent() {
  return is_silent.load();
}

unsigned sampled_contexts() {
  const std::lock_guard lock(mutex);
  unsigned count = 0;
  for (const auto& [context, sampling] : samplings) count += sampling.enabled ? 1 : 0;
  return count;
}

}  // namespace fake_cuda

using namespace fake_cuda;

EXPORTED CUptiResult CUPTIAPI
cuptiRegisterComputeCrcCallback(CUpti_ComputeCrcCallbackFunc function) {
  if (knob("no_crc") != 0) return CUPTI_ERROR_UNKNOWN;
  compute_crc = function;
  return CUPTI_SUCCESS;
}

// Each part of the configuration has its own key: 1 = unsupported, 2 = disabled, 3 = supported.
EXPORTED CUptiResult CUPTIAPI
cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params* params) {
  if (const CUptiResult result = refused("check"); result != CUPTI_SUCCESS) return result;
  if (params->structSize != knob("check_size", CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE))
    return CUPTI_ERROR_INVALID_PARAMETER;
  if (params->api != CUPTI_PROFILER_PC_SAMPLING) die("DeviceSupported: api");
  CUpti_Profiler_Support_Level all = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
  const auto level = [&](const char* key) {
    const auto of = static_cast<CUpti_Profiler_Support_Level>(
        knob(key, CUPTI_PROFILER_CONFIGURATION_SUPPORTED));
    if (of != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
      all = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    return of;
  };
  params->architecture = level("architecture");
  params->sli = level("sli");
  params->vGpu = level("vgpu");
  params->confidentialCompute = level("confidential");
  params->cmp = level("cmp");
  params->wsl = level("wsl");
  params->isSupported = static_cast<CUpti_Profiler_Support_Level>(knob("supported", all));
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiGetCubinCrc(CUpti_GetCubinCrcParams* params) {
  if (params->size != CUpti_GetCubinCrcParamsSize) die("GetCubinCrc: size");
  // an agent that computes the checksum itself must not call this: it waits for a lock of CUPTI
  if (compute_crc != nullptr) die("GetCubinCrc");
  if (knob("no_crc") == 3) return CUPTI_ERROR_UNKNOWN;
  params->cubinCrc = default_crc(params->cubin, params->cubinSize);
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiPCSamplingEnable(CUpti_PCSamplingEnableParams* params) {
  check_alive();
  const std::lock_guard lock(mutex);
  if (params->size != CUpti_PCSamplingEnableParamsSize) die("Enable: size");
  if (const CUptiResult result = refused("enable"); result != CUPTI_SUCCESS) return result;
  // The real CUPTI loads the library by this name. Here it must be loaded already, because the
  // dynamic linker may know of a real one.
  if (knob("nvperf") != 0 && dlopen("libnvperf_host.so", RTLD_NOW | RTLD_NOLOAD) == nullptr)
    return CUPTI_ERROR_NOT_INITIALIZED;
  Sampling& sampling = of(params->ctx);
  if (sampling.enabled) return CUPTI_ERROR_INVALID_OPERATION;
  std::deque<Sampled> runs = std::move(sampling.runs);  // they run on
  sampling = Sampling{};
  sampling.runs = std::move(runs);
  for (auto& [context, other] : samplings) {
    const bool is_second =
        other.enabled && context->device == reinterpret_cast<Context*>(params->ctx)->device;
    sampling.broken |= is_second;
    other.broken |= is_second;
  }
  sampling.enabled = true;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiPCSamplingDisable(CUpti_PCSamplingDisableParams* params) {
  check_alive();
  const std::lock_guard lock(mutex);
  if (params->size != CUpti_PCSamplingDisableParamsSize) die("Disable: size");
  check_thread("Disable hangs, by a thread that does not launch");
  Sampling& sampling = of(params->ctx);
  if (!sampling.enabled) die("Disable without Enable");
  if (const CUptiResult result = refused("disable"); result != CUPTI_SUCCESS) {
    // the context's threads still run
    writes_on = sampling.kept;
    return result;
  }
  sampling.enabled = false;
  advance(sampling);
  if (!sampling.configured) return CUPTI_SUCCESS;
  sampling.configured = false;
  hand_out(sampling, *sampling.kept);
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI
cuptiPCSamplingGetNumStallReasons(CUpti_PCSamplingGetNumStallReasonsParams* params) {
  if (!of(params->ctx).enabled) die("GetNumStallReasons without Enable");
  *params->numStallReasons = knob("reasons", kCount);
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI
cuptiPCSamplingGetStallReasons(CUpti_PCSamplingGetStallReasonsParams* params) {
  if (params->numStallReasons != kCount) die("GetStallReasons: number");
  for (uint32_t i = 0; i < kCount; ++i) {
    params->stallReasonIndex[i] = index_of(i);
    std::snprintf(params->stallReasons[i], CUPTI_STALL_REASON_STRING_SIZE, "%s",
                  knob("family") == 0 ? kReasons[i] : kOtherFamily[i]);
  }
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI
cuptiPCSamplingSetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams* params) {
  const std::lock_guard lock(mutex);
  Sampling& sampling = of(params->ctx);
  if (!sampling.enabled) die("SetConfigurationAttribute without Enable");
  if (const CUptiResult result = refused("configure"); result != CUPTI_SUCCESS) return result;
  for (size_t i = 0; i < params->numAttributes; ++i) {
    CUpti_PCSamplingConfigurationInfo& one = params->pPCSamplingConfigurationInfo[i];
    one.attributeStatus = CUPTI_SUCCESS;
    if (one.attributeType == static_cast<int>(knob("bad_attribute")))
      one.attributeStatus = CUPTI_ERROR_INVALID_OPERATION;
    switch (one.attributeType) {
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD:
        sampling.period = one.attributeData.samplingPeriodData.samplingPeriod;
        sampling.is_period_set = true;
        if (sampling.period < 5 || sampling.period > 31)
          one.attributeStatus = CUPTI_ERROR_INVALID_OPERATION;
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE:
        sampling.exact = one.attributeData.collectionModeData.collectionMode ==
                         CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED;
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL:
        sampling.control = one.attributeData.enableStartStopControlData.enableStartStopControl != 0;
        break;
      case CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER:
        sampling.kept = static_cast<CUpti_PCSamplingData*>(
            one.attributeData.samplingDataBufferData.samplingDataBuffer);
        break;
      default:
        break;
    }
  }
  if (sampling.kept == nullptr) die("no SAMPLING_DATA_BUFFER");
  sampling.configured = true;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI
cuptiPCSamplingGetConfigurationAttribute(CUpti_PCSamplingConfigurationInfoParams* params) {
  const std::lock_guard lock(mutex);
  CUpti_PCSamplingConfigurationInfo& one = params->pPCSamplingConfigurationInfo[0];
  one.attributeStatus = CUPTI_SUCCESS;
  one.attributeData.samplingPeriodData.samplingPeriod = of(params->ctx).period;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiPCSamplingStart(CUpti_PCSamplingStartParams* params) {
  check_alive();
  const std::lock_guard lock(mutex);
  Sampling& sampling = of(params->ctx);
  check_thread("Start hangs, by a thread that does not launch");
  if (!sampling.control || sampling.started) return CUPTI_ERROR_INVALID_OPERATION;
  if (const CUptiResult result = refused("start"); result != CUPTI_SUCCESS) return result;
  advance(sampling);
  sampling.started = true;
  return CUPTI_SUCCESS;
}

EXPORTED CUptiResult CUPTIAPI cuptiPCSamplingStop(CUpti_PCSamplingStopParams* params) {
  check_alive();
  const std::lock_guard lock(mutex);
  Sampling& sampling = of(params->ctx);
  check_thread("Stop hangs, by a thread that does not launch");
  if (!sampling.started) return CUPTI_ERROR_INVALID_OPERATION;
  advance(sampling);
  sampling.started = false;
  return refused("stop");
}

EXPORTED CUptiResult CUPTIAPI cuptiPCSamplingGetData(CUpti_PCSamplingGetDataParams* params) {
  check_alive();
  const std::lock_guard lock(mutex);
  Sampling& sampling = of(params->ctx);
  auto* out = static_cast<CUpti_PCSamplingData*>(params->pcSamplingData);
  if (!sampling.configured) die("GetData without configuration");
  if (out == sampling.kept) die("GetData into the configured buffer");
  if (const CUptiResult result = refused("read"); result != CUPTI_SUCCESS) return result;
  if (sampling.broken) {
    is_silent.store(true);
    return CUPTI_ERROR_UNKNOWN;
  }
  // a full buffer stays full until sampling is enabled again
  ++reads;
  if (knob("full_at") != 0 && reads == knob("full_at")) sampling.full = true;
  if (knob("always_full") != 0) sampling.full = true;
  if (sampling.full) {
    advance(sampling);
    out->hardwareBufferFull = 1;
    sampling.pcs.clear();
    return CUPTI_ERROR_OUT_OF_MEMORY;
  }
  if (knob("fatal_at") != 0 && reads >= knob("fatal_at")) {
    gave_up("out of something");
    return CUPTI_ERROR_UNKNOWN;
  }
  advance(sampling);
  hand_out(sampling, *out);
  show_range(sampling);
  return CUPTI_SUCCESS;
}
