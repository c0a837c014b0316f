/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/sampler.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/cupti/function_names.h"
#include "plugins/agents/cupti/kernel_times.h"
#include "plugins/agents/cupti/launches.h"
#include "plugins/agents/cupti/modules.h"
#include "plugins/agents/cupti/obstacles.h"
#include "plugins/agents/cupti/sampler_buffers.h"
#include "plugins/agents/cupti/stall_names.h"
#include "plugins/agents/cupti/support.h"

namespace aiflame::agent::cupti {
namespace {

// Bounds the calls of one read, in case a library always claims to have more.
constexpr int kMaxCalls = 65536;
// A context whose buffer ran full more often is not sampled any more.
constexpr uint32_t kMaxRecoveries = 16;
// How many samples a second a busy GPU takes at most, unless the user sets a period: enough for a
// kernel of a millisecond. A multiprocessor takes one in each period in which it is busy (measured:
// 3 988 000 of the 3 988 037 that 132 of them at 1980 MHz take in 65536 cycles). CUPTI's own period
// for an H200, 2048 cycles, gives 128 million a second; its buffers ran full, and kernels waited.
constexpr uint64_t kSamplesPerSecond = 1000000;
constexpr uint32_t kLeastPeriodLog2 = 5, kMostPeriodLog2 = 31;  // cupti_pcsampling.h
// CUPTI's buffer for what the hardware writes, with this period. CUPTI empties it every 100 ms. 16
// MB held 4 million samples a second without a loss; CUPTI's own is of 512 MB.
constexpr size_t kHardwareBytes = size_t{32} << 20;
// So much must have run without a sample before the period is doubted: some 700 periods of one
// multiprocessor. So many reads must have passed as well, at ten a second. Samples come a tenth of
// a second late. They came later on an H100 in a program that was busy when sampling began.
constexpr uint64_t kDoubtNs = 100000000;
constexpr uint64_t kReadsToDoubt = 5;
// Stands for the number of a metric that is no reason.
constexpr uint32_t kNotReported = UINT32_MAX;
// For all contexts, as several may share a name. Used under the samplers' lock.
FunctionNames function_names(std::free);

// CUPTI's structures begin with their size; see the macros of cupti_pcsampling.h.
template <typename Params>
Params params_for(CUcontext context) {
  Params params{};
  params.ctx = context;
  return params;
}

// 2^n cycles, or 0 if the device does not tell its cycles.
uint32_t fitting_period(uint64_t cycles_per_second) {
  if (cycles_per_second == 0) return 0;
  uint32_t log2 = kLeastPeriodLog2;
  while (log2 < kMostPeriodLog2 && (cycles_per_second >> log2) > kSamplesPerSecond) ++log2;
  return log2;
}

}  // namespace

Sampler::Sampler(const Cupti& cupti, const Settings& settings, CUcontext context, uint32_t device,
                 const char* device_name)
    : cupti_(cupti), settings_(settings), context_(context), device_(device) {
  std::snprintf(device_name_, sizeof device_name_, "%s", device_name);
}

Sampler* Sampler::start(const Cupti& cupti, const Settings& settings, CUcontext context,
                        uint32_t device, const char* device_name) {
  if (!can_be_sampled(cupti, device)) return nullptr;
  // Allocates before sampling is enabled: a large allocation between enabling and configuring was
  // seen to make CUPTI refuse the latter.
  void* memory =
      mmap(nullptr, sizeof(Buffers), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* room = std::malloc(sizeof(Sampler));
  if (memory == MAP_FAILED || room == nullptr) {
    if (memory != MAP_FAILED) munmap(memory, sizeof(Buffers));
    std::free(room);
    report_obstacle("no samples of a context", CUPTI_ERROR_MAX_LIMIT_REACHED);
    return nullptr;
  }
  auto* made = new (room) Sampler(cupti, settings, context, device, device_name);
  made->buffers_ = static_cast<Buffers*>(memory);
  if (made->enable()) {
    made->kernel_ns_before_ = kernel_ns();
    made->report_period();
    return made;
  }
  made->finish();
  return nullptr;
}

bool Sampler::enable() {
  auto params = params_for<CUpti_PCSamplingEnableParams>(context_);
  params.size = CUpti_PCSamplingEnableParamsSize;
  const CUptiResult result = cupti_.cuptiPCSamplingEnable(&params);
  if (result != CUPTI_SUCCESS) {
    report_obstacle("no samples", result);
    return false;
  }
  is_enabled_ = true;
  is_configured_ = take_reasons() && configure();
  if (!is_configured_) return false;
  keep_kernel_times();
  return true;
}

bool Sampler::take_reasons() {
  auto count = params_for<CUpti_PCSamplingGetNumStallReasonsParams>(context_);
  count.size = CUpti_PCSamplingGetNumStallReasonsParamsSize;
  count.numStallReasons = &reason_count_;
  CUptiResult result = cupti_.cuptiPCSamplingGetNumStallReasons(&count);
  if (result == CUPTI_SUCCESS && reason_count_ > kMaxReasons) result = CUPTI_ERROR_NOT_COMPATIBLE;
  if (result == CUPTI_SUCCESS) {
    Buffers& b = *buffers_;
    for (size_t i = 0; i < reason_count_; ++i) b.name_pointers[i] = b.names[i];
    auto names = params_for<CUpti_PCSamplingGetStallReasonsParams>(context_);
    names.size = CUpti_PCSamplingGetStallReasonsParamsSize;
    names.numStallReasons = reason_count_;
    names.stallReasonIndex = b.indices;
    names.stallReasons = b.name_pointers;
    result = cupti_.cuptiPCSamplingGetStallReasons(&names);
  }
  if (result != CUPTI_SUCCESS) {
    report_obstacle("no samples, as the GPU's reasons of stalls are not told", result);
    return false;
  }
  Buffers& b = *buffers_;
  std::fill(b.numbers, b.numbers + kMaxReasons, kNotReported);
  b.wanted_count = 0;
  for (size_t i = 0; i < reason_count_; ++i) b.names[i][sizeof b.names[i] - 1] = '\0';
  for (size_t i = 0; i < reason_count_; ++i) {
    char name[64];
    const uint32_t index = b.indices[i];
    if (index >= kMaxReasons) continue;
    const StallMetric metric = stall_name(b.names[i], name, sizeof name);
    if (metric == StallMetric::other) continue;
    b.is_twin[index] = metric == StallMetric::exposed;
    b.numbers[index] = b.is_twin[index] ? find_reason(name) : index;
    if (b.numbers[index] == kNotReported) continue;
    b.wanted[b.wanted_count++] = index;
    b.is_told[index] = !b.is_twin[index] && report_reason(index, name);
  }
  return true;
}

// Whether the recorder has the name of a reason. The ring may have been full when it was told
// before.
bool Sampler::tell_reason(uint32_t number) {
  Buffers& b = *buffers_;
  for (size_t i = 0; i < reason_count_ && !b.is_told[number]; ++i) {
    char name[64];
    if (b.indices[i] != number) continue;
    stall_name(b.names[i], name, sizeof name);
    b.is_told[number] = report_reason(number, name);
  }
  return b.is_told[number];
}

// The index of the reason with this name, or kNotReported. Its twin may stand before it.
uint32_t Sampler::find_reason(const char* name) const {
  const Buffers& b = *buffers_;
  for (size_t i = 0; i < reason_count_; ++i) {
    char known[64];
    if (b.indices[i] < kMaxReasons &&
        stall_name(b.names[i], known, sizeof known) == StallMetric::samples &&
        std::strcmp(known, name) == 0)
      return b.indices[i];
  }
  return kNotReported;
}

// Each attribute has its own status, which must be checked too.
CUptiResult Sampler::set(CUpti_PCSamplingConfigurationInfo* attributes, size_t count) const {
  auto params = params_for<CUpti_PCSamplingConfigurationInfoParams>(context_);
  params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
  params.numAttributes = count;
  params.pPCSamplingConfigurationInfo = attributes;
  CUptiResult result = cupti_.cuptiPCSamplingSetConfigurationAttribute(&params);
  for (size_t i = 0; i < count && result == CUPTI_SUCCESS; ++i)
    result = attributes[i].attributeStatus;
  return result;
}

bool Sampler::configure() {
  Buffers& b = *buffers_;
  b.kept.prepare(b.kept_pcs, b.kept_reasons, kKeptPcs, kMaxReasons);
  has_windows_ = settings_.duty < 100;
  CUpti_PCSamplingConfigurationInfo needed[5]{};
  size_t count = 0;
  needed[count].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE;
  needed[count++].attributeData.collectionModeData.collectionMode =
      settings_.exact ? CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED
                      : CUPTI_PC_SAMPLING_COLLECTION_MODE_CONTINUOUS;
  needed[count].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_OUTPUT_DATA_FORMAT;
  needed[count++].attributeData.outputDataFormatData.outputDataFormat =
      CUPTI_PC_SAMPLING_OUTPUT_DATA_FORMAT_PARSED;
  // a buffer of its own, as CUPTI writes to it at any time
  needed[count].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER;
  needed[count++].attributeData.samplingDataBufferData.samplingDataBuffer = &b.kept.data;
  if (b.wanted_count > 0) {
    needed[count].attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON;
    needed[count].attributeData.stallReasonData.stallReasonCount = b.wanted_count;
    needed[count++].attributeData.stallReasonData.pStallReasonIndex = b.wanted;
  }
  if (has_windows_) {
    needed[count].attributeType =
        CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL;
    needed[count++].attributeData.enableStartStopControlData.enableStartStopControl = 1;
  }
  CUptiResult result = set(needed, count);
  if (result == CUPTI_SUCCESS) result = set_rate();
  if (result != CUPTI_SUCCESS) report_obstacle("no samples, as CUPTI cannot be set up", result);
  return result == CUPTI_SUCCESS;
}

// Fails only if the user's period is refused.
CUptiResult Sampler::set_rate() {
  const bool is_asked = settings_.period_log2 != 0;
  CUpti_PCSamplingConfigurationInfo period{}, bytes{};
  period.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  period.attributeData.samplingPeriodData.samplingPeriod =
      is_asked ? settings_.period_log2
               : fitting_period(device_cycles(static_cast<CUdevice>(device_ - 1)));
  if (is_asked) return set(&period, 1);
  has_cupti_s_period_ |= period.attributeData.samplingPeriodData.samplingPeriod == 0;
  if (has_cupti_s_period_) return CUPTI_SUCCESS;
  has_cupti_s_period_ = set(&period, 1) != CUPTI_SUCCESS;
  if (has_cupti_s_period_ || has_cupti_s_buffer_) return CUPTI_SUCCESS;
  bytes.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE;
  bytes.attributeData.hardwareBufferSizeData.hardwareBufferSize = kHardwareBytes;
  has_cupti_s_buffer_ = set(&bytes, 1) != CUPTI_SUCCESS;
  return CUPTI_SUCCESS;
}

void Sampler::report_period() const {
  CUpti_PCSamplingConfigurationInfo period{};
  period.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  auto params = params_for<CUpti_PCSamplingConfigurationInfoParams>(context_);
  params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
  params.numAttributes = 1;
  params.pPCSamplingConfigurationInfo = &period;
  const bool is_known = cupti_.cuptiPCSamplingGetConfigurationAttribute(&params) == CUPTI_SUCCESS &&
                        period.attributeStatus == CUPTI_SUCCESS;
  const uint32_t log2 = period.attributeData.samplingPeriodData.samplingPeriod;
  report_sampling(device_, is_known && log2 < 64 ? uint64_t{1} << log2 : 0, "cycles", device_name_);
}

bool Sampler::open_window() {
  if (!is_configured_ || !has_windows_ || is_open_ || has_given_up()) return is_open_;
  auto params = params_for<CUpti_PCSamplingStartParams>(context_);
  params.size = CUpti_PCSamplingStartParamsSize;
  const CUptiResult result = cupti_.cuptiPCSamplingStart(&params);
  is_open_ = result == CUPTI_SUCCESS;
  if (!is_open_ && !has_reported_window_)
    report_obstacle("no samples, as a window cannot be opened", result);
  has_reported_window_ |= !is_open_;
  return is_open_;
}

void Sampler::close_window() {
  if (!is_open_ || has_given_up()) return;
  is_open_ = false;
  auto params = params_for<CUpti_PCSamplingStopParams>(context_);
  params.size = CUpti_PCSamplingStopParamsSize;
  const CUptiResult result = cupti_.cuptiPCSamplingStop(&params);
  if (result != CUPTI_SUCCESS) {
    report_obstacle("no more samples, as a window cannot be closed", result);
    report_lost_samples(device_, UINT64_MAX);
    disable();
  }
}

// At the end of a range CUPTI puts what it has into the buffer that it was set up with, and says
// there how much that is and how much more it has. A range ends with a window, in exact mode with a
// kernel, and when a module is loaded after another was unloaded. As NVIDIA's
// pc_sampling_continuous does, we call cuptiPCSamplingGetData() for as long as the buffer says so.
bool Sampler::has_flushed() const {
  // CUPTI's threads write there
  const volatile CUpti_PCSamplingData& kept = buffers_->kept.data;
  return kept.totalNumPcs > 0 || kept.remainingNumPcs > 0;
}

void Sampler::read_flushed() {
  report_awaiting(false);
  if (!is_configured_ || due_ != Due::nothing || !has_flushed() || has_given_up()) return;
  // where CUPTI refuses, read() will deal with it
  [[maybe_unused]] const bool is_read = read_calls(true);
}

void Sampler::read() {
  report_awaiting(false);
  if (!is_configured_ || due_ != Due::nothing) return;
  if (has_given_up()) {
    disable();
    return;
  }
  if (!read_calls(false)) return;
  compare_counts();
  doubt_period();
}

// Some GPUs were seen to sample nothing with any period but their own.
void Sampler::doubt_period() {
  constexpr uint64_t kReadsToTell = 100;  // ten seconds
  if (samples_ > 0 || has_cupti_s_period_) return;
  if (++reads_ == kReadsToTell && settings_.period_log2 != 0) {
    report_message("no samples come with this --period", false);
    report_message("some GPUs sample with their own period only: leave --period out", true);
  }
  // of what ran, windows see their part at best
  const uint64_t enough = has_windows_ ? kDoubtNs * 400 / settings_.duty : kDoubtNs;
  if (settings_.period_log2 != 0 || reads_ < kReadsToDoubt ||
      kernel_ns() - kernel_ns_before_ < enough)
    return;
  report_message("no samples come with the agent's own period: CUPTI's is used", false);
  has_cupti_s_period_ = has_cupti_s_buffer_ = true;
  due_ = Due::renewal;
}

// False when CUPTI refuses. In a callback, the next read deals with that.
bool Sampler::read_calls(bool in_callback) {
  Buffers& b = *buffers_;
  for (int call = 0; call < kMaxCalls; ++call) {
    b.read.prepare(b.read_pcs, b.read_reasons, kReadPcs, kMaxReasons);
    auto params = params_for<CUpti_PCSamplingGetDataParams>(context_);
    params.size = CUpti_PCSamplingGetDataParamsSize;
    params.pcSamplingData = &b.read.data;
    const CUptiResult result = cupti_.cuptiPCSamplingGetData(&params);
    if (result != CUPTI_SUCCESS && in_callback) return false;
    if (result != CUPTI_SUCCESS) {
      report_lost_samples(device_, UINT64_MAX);
      if (result == CUPTI_ERROR_OUT_OF_MEMORY)
        report_full_buffer();
      else if (!has_given_up())
        report_obstacle("no more samples", result);
      due_ = result == CUPTI_ERROR_OUT_OF_MEMORY ? Due::renewal : Due::end;
      return false;
    }
    take(b.read.data);
    if (b.read.data.totalNumPcs == 0) break;
    if (b.read.data.remainingNumPcs == 0 && !has_flushed()) break;
  }
  return true;
}

void Sampler::report_full_buffer() {
  if (has_reported_full_) return;
  has_reported_full_ = true;
  report_message("samples are lost: CUPTI's buffer for samples ran full", false);
  report_message("take a longer --period or a smaller --duty", true);
}

void Sampler::settle() {
  const Due due = std::exchange(due_, Due::nothing);
  if (due == Due::renewal) recover();
  if (due == Due::end) disable();
}

// After its buffer ran full, CUPTI returns nothing until sampling is set up anew.
void Sampler::recover() {
  const bool was_open = is_open_;
  disable();
  if (++recoveries_ > kMaxRecoveries) {
    report_message("no more samples: CUPTI's buffer ran full again and again", false);
    return;
  }
  has_cupti_s_buffer_ = true;
  if (are_buffers_cupti_s_ || !enable()) return;
  report_period();
  // where CUPTI refuses, it has been said
  is_open_ = was_open && open_window();
}

void Sampler::disable() {
  if (!is_enabled_) return;
  const bool was_configured = is_configured_;
  is_enabled_ = is_configured_ = is_open_ = false;
  auto params = params_for<CUpti_PCSamplingDisableParams>(context_);
  params.size = CUpti_PCSamplingDisableParamsSize;
  if (has_given_up() || cupti_.cuptiPCSamplingDisable(&params) != CUPTI_SUCCESS) {
    // CUPTI's threads, which this call should have ended, may still write to the buffers
    are_buffers_cupti_s_ = true;
    if (was_configured) report_lost_samples(device_, UINT64_MAX);
    return;
  }
  if (!was_configured) return;
  // CUPTI has put the rest into this buffer
  CUpti_PCSamplingData& kept = buffers_->kept.data;
  take(kept);
  if (kept.remainingNumPcs > 0)
    report_lost_samples(device_, UINT64_MAX);
  else
    compare_counts();
  counted_ = received_ = 0;
  kept.totalNumPcs = kept.remainingNumPcs = 0;
}

void Sampler::abandon() {
  if (is_configured_) report_lost_samples(device_, UINT64_MAX);
  is_enabled_ = is_configured_ = is_open_ = false;
  are_buffers_cupti_s_ = true;
}

void Sampler::finish() {
  close_window();
  read();
  disable();
  report_awaiting(true);
  if (uncounted_ > 0) {
    char text[160];
    std::snprintf(text, sizeof text,
                  "CUPTI told of %llu samples more than it counted: some may be there twice",
                  static_cast<unsigned long long>(uncounted_));
    report_message(text, false);
  }
  if (!are_buffers_cupti_s_) munmap(buffers_, sizeof(Buffers));
  std::free(this);
}

// totalSamples covers the returned records, the samples of non-user kernels and the dropped ones.
// It counts each sample once, not again under the twin of its reason.
void Sampler::compare_counts() {
  if (received_ > counted_) uncounted_ += received_ - counted_;
  if (counted_ > received_) {
    report_lost_samples(device_, counted_ - received_);
    if (!has_reported_withheld_)
      report_message(
          "CUPTI counts more samples than it tells of: those between are counted as lost", false);
    has_reported_withheld_ = true;
  }
  counted_ = received_ = 0;
}

void Sampler::take_counts(const CUpti_PCSamplingData& data) {
  counted_ += data.totalSamples;
  received_ += data.droppedSamples;
  if (data.droppedSamples > 0) report_lost_samples(device_, data.droppedSamples);
  if (data.nonUsrKernelsTotalSamples > 0) {
    Sample sample{};
    sample.device = device_;
    sample.count =
        static_cast<uint32_t>(std::min<uint64_t>(data.nonUsrKernelsTotalSamples, UINT32_MAX));
    sample.flags = AGENT_FOREIGN;
    samples_ += sample.count;
    received_ += sample.count;
    report_sample(sample);
  }
  if (data.hardwareBufferFull == 0) return;
  report_lost_samples(device_, UINT64_MAX);
  report_full_buffer();
}

void Sampler::take(const CUpti_PCSamplingData& data) {
  take_counts(data);
  const size_t count = std::min(data.totalNumPcs, data.collectNumPcs);
  size_t names = 0;
  for (size_t i = 0; i < count; ++i) {
    take(data.pPcData[i]);
    char* name = data.pPcData[i].functionName;
    if (name != nullptr) buffers_->function_names[names++] = name;
    data.pPcData[i].functionName = nullptr;
  }
  // all names of a call together, as its records may share one
  function_names.take(buffers_->function_names, names);
}

// Code that was loaded before the recording began is not told: only its function's name is known.
void Sampler::name_kernel(const char* function, Sample& sample) {
  if (!std::exchange(has_reported_unknown_code_, true)) {
    report_message(
        "CUPTI does not tell the code that was loaded before the recording began: its samples have "
        "a kernel and a reason, but no instruction",
        false);
    report_message("to have instructions, record from the program's start", true);
  }
  sample.flags = AGENT_NAMED;
  if (sample.stack != 0) return;
  Launch kernel{};
  kernel.kernel_name = function;
  kernel.kernel_name_bytes = static_cast<uint32_t>(strnlen(function, AGENT_MAX_NAME));
  kernel.device = device_;
  static constexpr Stack kNoFrames{};
  sample.stack = report_stack(kernel, kNoFrames);
}

// `awaited`: the correlation id of the sample's launch, where that is not reported yet. The worker
// may read between a kernel's end and the return of its launch's call. Reported without a stack,
// the sample would be taken for one of whatever launched a kernel of that name before.
void Sampler::report(const Sample& sample, uint32_t awaited) {
  Buffers& b = *buffers_;
  if (awaited == 0 || b.awaiting_count == kMaxAwaiting) return report_sample(sample);
  b.awaiting[b.awaiting_count++] = {sample, awaited};
}

void Sampler::report_awaiting(bool is_last) {
  Buffers& b = *buffers_;
  size_t left = 0;
  for (size_t i = 0; i < b.awaiting_count; ++i) {
    Buffers::Awaiting& one = b.awaiting[i];
    const std::optional<uint64_t> stack = stack_of(one.correlation, nullptr, device_, 0);
    if (!stack && !is_last) {
      b.awaiting[left++] = one;
      continue;
    }
    if (stack.value_or(0) != 0) one.sample.stack = *stack;
    report_sample(one.sample);
  }
  b.awaiting_count = left;
}

void Sampler::take(const CUpti_PCSamplingPCData& pc) {
  Sample sample{};
  sample.device = device_;
  sample.address = instruction_address(context_, pc.cubinCrc, pc.functionName, pc.pcOffset);
  uint32_t awaited = 0;
  if (settings_.exact) {
    const std::optional<uint64_t> stack =
        stack_of(pc.correlationId, pc.functionName, device_, object_at(sample.address));
    sample.stack = stack.value_or(0);
    if (!stack) awaited = pc.correlationId;
  }
  if (sample.address == 0 && pc.functionName != nullptr && has_untold_modules())
    name_kernel(pc.functionName, sample);
  Buffers& b = *buffers_;
  const size_t count = std::min(pc.stallReasonCount, kMaxReasons);
  // calls visit(reason's number, samples) for the reasons, or for their twins
  const auto each = [&](bool twins, auto&& visit) {
    for (size_t i = 0; i < count; ++i) {
      const uint32_t index = pc.stallReason[i].pcSamplingStallReasonIndex;
      if (pc.stallReason[i].samples == 0 || index >= kMaxReasons) continue;
      if (b.numbers[index] == kNotReported || b.is_twin[index] != twins) continue;
      visit(b.numbers[index], pc.stallReason[i].samples);
    }
  };
  each(true, [&](uint32_t number, uint32_t samples) { b.exposed[number] = samples; });
  each(false, [&](uint32_t number, uint32_t samples) {
    sample.reason = number;
    sample.count = samples;
    sample.exposed = std::min(samples, b.exposed[number]);
    samples_ += sample.count;
    received_ += sample.count;
    if (tell_reason(number))
      report(sample, awaited);
    else
      report_lost_samples(device_, samples);
  });
  each(true, [&](uint32_t number, uint32_t) { b.exposed[number] = 0; });
}

}  // namespace aiflame::agent::cupti
