/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/sampler.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/cupti/function_names.h"
#include "plugins/agents/cupti/kernel_times.h"
#include "plugins/agents/cupti/launches.h"
#include "plugins/agents/cupti/modules.h"
#include "plugins/agents/cupti/obstacles.h"
#include "plugins/agents/cupti/stall_names.h"
#include "plugins/agents/cupti/support.h"

namespace aiflame::agent::cupti {
namespace {

// GPUs have 19 reasons, and their twins.
constexpr size_t kMaxReasons = 128;
static_assert(kMaxReasons <= AGENT_MAX_REASONS);
// PCs of one call, and of what CUPTI keeps itself until the context ends. A call that had room for
// 256 or more has been seen to hand out nothing of a window's few (perf-agent, with an RTX 3090 and
// CUDA 13.3); more than there is room for comes with the next call.
constexpr size_t kReadPcs = 64, kKeptPcs = 2048;
// Calls of one read: a bound for a library that always says there is more.
constexpr int kMaxCalls = 65536;
// After so many times that a buffer ran full, the context is not sampled any more.
constexpr uint32_t kMaxRecoveries = 16;
// A reason's number that is not told: a twin, or no reason.
constexpr uint32_t kNotTold = UINT32_MAX;
// Of all contexts: a function's name may be in the records of several. Used as samplers are.
FunctionNames function_names(std::free);

// CUPTI's structures begin with their size; see the macros of cupti_pcsampling.h.
template <typename Params>
Params params_for(CUcontext context) {
  Params params{};
  params.ctx = context;
  return params;
}

}  // namespace

// All that CUPTI writes to, in memory that no allocation of the program's is moved by.
struct Sampler::Buffers {
  struct Pcs {
    CUpti_PCSamplingData data;
    // made ready for CUPTI: it overwrites how much room there is
    void prepare(CUpti_PCSamplingPCData* pcs, CUpti_PCSamplingStallReason* reasons, size_t count,
                 size_t reasons_each) {
      data = CUpti_PCSamplingData{};
      data.size = sizeof data;
      data.collectNumPcs = count;
      data.pPcData = pcs;
      for (size_t i = 0; i < count; ++i) {
        pcs[i] = CUpti_PCSamplingPCData{};
        pcs[i].size = sizeof pcs[i];
        pcs[i].stallReasonCount = reasons_each;
        pcs[i].stallReason = reasons + i * reasons_each;
      }
    }
  };
  Pcs read, kept;
  CUpti_PCSamplingPCData read_pcs[kReadPcs], kept_pcs[kKeptPcs];
  CUpti_PCSamplingStallReason read_reasons[kReadPcs * kMaxReasons];
  CUpti_PCSamplingStallReason kept_reasons[kKeptPcs * kMaxReasons];
  uint32_t indices[kMaxReasons];
  char names[kMaxReasons][CUPTI_STALL_REASON_STRING_SIZE];
  char* name_pointers[kMaxReasons];
  uint32_t wanted[kMaxReasons];  // indices of the reasons that are no twins
  size_t wanted_count;
  uint32_t numbers[kMaxReasons];  // by index: as told to the recorder, or kNotTold
  char* function_names[std::max(kReadPcs, kKeptPcs)];
};

Sampler* Sampler::start(const Cupti& cupti, const Settings& settings, CUcontext context,
                        uint32_t device, const char* device_name) {
  if (!can_be_sampled(cupti, device)) return nullptr;
  // Before it is enabled: a large allocation between that and the configuration has been seen to
  // make CUPTI refuse the second.
  void* memory =
      mmap(nullptr, sizeof(Buffers), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void* room = std::malloc(sizeof(Sampler));
  if (memory == MAP_FAILED || room == nullptr) {
    if (memory != MAP_FAILED) munmap(memory, sizeof(Buffers));
    std::free(room);
    tell_obstacle("no samples of a context", CUPTI_ERROR_MAX_LIMIT_REACHED);
    return nullptr;
  }
  auto* made = new (room) Sampler(cupti, settings, context, device);
  made->buffers_ = static_cast<Buffers*>(memory);
  if (made->enable()) {
    made->tell_of_device(device_name);
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
    tell_obstacle("no samples", result);
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
    tell_obstacle("no samples, as the GPU's reasons of stalls are not told", result);
    return false;
  }
  Buffers& b = *buffers_;
  std::fill(b.numbers, b.numbers + kMaxReasons, kNotTold);
  b.wanted_count = 0;
  for (size_t i = 0; i < reason_count_; ++i) {
    char name[64];
    b.names[i][sizeof b.names[i] - 1] = '\0';
    if (b.indices[i] >= kMaxReasons || !stall_name(b.names[i], name, sizeof name)) continue;
    b.numbers[b.indices[i]] = b.indices[i];
    b.wanted[b.wanted_count++] = b.indices[i];
    report_reason(b.indices[i], name);
  }
  return true;
}

// Each attribute has a status of its own, which counts.
bool Sampler::set(CUpti_PCSamplingConfigurationInfo* attributes, size_t count) const {
  auto params = params_for<CUpti_PCSamplingConfigurationInfoParams>(context_);
  params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
  params.numAttributes = count;
  params.pPCSamplingConfigurationInfo = attributes;
  CUptiResult result = cupti_.cuptiPCSamplingSetConfigurationAttribute(&params);
  for (size_t i = 0; i < count && result == CUPTI_SUCCESS; ++i)
    result = attributes[i].attributeStatus;
  if (result != CUPTI_SUCCESS) tell_obstacle("no samples, as CUPTI cannot be set up", result);
  return result == CUPTI_SUCCESS;
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
  // not the one that is read into: CUPTI writes to it by itself
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
  if (!set(needed, count)) return false;
  // Only where it is asked for: some GPUs sample nothing with any period but their own.
  if (settings_.period_log2 == 0) return true;
  CUpti_PCSamplingConfigurationInfo period{};
  period.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  period.attributeData.samplingPeriodData.samplingPeriod = settings_.period_log2;
  return set(&period, 1);
}

void Sampler::tell_of_device(const char* name) const {
  CUpti_PCSamplingConfigurationInfo period{};
  period.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD;
  auto params = params_for<CUpti_PCSamplingConfigurationInfoParams>(context_);
  params.size = CUpti_PCSamplingConfigurationInfoParamsSize;
  params.numAttributes = 1;
  params.pPCSamplingConfigurationInfo = &period;
  const bool is_told = cupti_.cuptiPCSamplingGetConfigurationAttribute(&params) == CUPTI_SUCCESS &&
                       period.attributeStatus == CUPTI_SUCCESS;
  const uint32_t log2 = period.attributeData.samplingPeriodData.samplingPeriod;
  report_sampling(device_, is_told && log2 < 64 ? uint64_t{1} << log2 : 0, "cycles", name);
}

bool Sampler::open_window() {
  if (!is_configured_ || !has_windows_ || is_open_ || has_given_up()) return is_open_;
  auto params = params_for<CUpti_PCSamplingStartParams>(context_);
  params.size = CUpti_PCSamplingStartParamsSize;
  const CUptiResult result = cupti_.cuptiPCSamplingStart(&params);
  is_open_ = result == CUPTI_SUCCESS;
  if (!is_open_ && !has_told_window_)
    tell_obstacle("no samples, as a window cannot be opened", result);
  has_told_window_ |= !is_open_;
  return is_open_;
}

void Sampler::close_window() {
  if (!is_open_ || has_given_up()) return;
  is_open_ = false;
  auto params = params_for<CUpti_PCSamplingStopParams>(context_);
  params.size = CUpti_PCSamplingStopParamsSize;
  const CUptiResult result = cupti_.cuptiPCSamplingStop(&params);
  if (result != CUPTI_SUCCESS) {
    tell_obstacle("no more samples, as a window cannot be closed", result);
    report_lost_samples(device_, UINT64_MAX);
    disable();
  }
}

// At a range's end - a window's, in exact mode a kernel's, and where a module was loaded behind
// another's unloading - CUPTI puts what it has into the buffer that it was set up with, and says
// there how much that is and how much more it has. NVIDIA's own program (pc_sampling_continuous)
// has it handed out by cuptiPCSamplingGetData() as long as this says so.
bool Sampler::has_flushed() const {
  // CUPTI's threads write there
  const volatile CUpti_PCSamplingData& kept = buffers_->kept.data;
  return kept.totalNumPcs > 0 || kept.remainingNumPcs > 0;
}

void Sampler::read_flushed() {
  if (is_configured_ && due_ == Due::nothing && has_flushed() && !has_given_up()) read_calls(true);
}

void Sampler::read() {
  if (!is_configured_ || due_ != Due::nothing) return;
  if (has_given_up()) {
    disable();
    return;
  }
  if (!read_calls(false)) return;
  compare_counts();
  // what was set may sample nothing on this GPU: said once, when ten seconds have brought nothing
  constexpr uint64_t kReadsToTell = 100;
  if (++reads_ == kReadsToTell && samples_ == 0 && settings_.period_log2 != 0) {
    report_message("no samples come with this --period", false);
    report_message("some GPUs sample with their own period only: leave --period out", true);
  }
}

// False where CUPTI refuses. In a callback that is left to the next read.
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
        tell_full();
      else if (!has_given_up())
        tell_obstacle("no more samples", result);
      due_ = result == CUPTI_ERROR_OUT_OF_MEMORY ? Due::renewal : Due::end;
      return false;
    }
    take(b.read.data);
    if (b.read.data.totalNumPcs == 0) break;
    if (b.read.data.remainingNumPcs == 0 && !has_flushed()) break;
  }
  return true;
}

void Sampler::tell_full() {
  if (has_told_full_) return;
  has_told_full_ = true;
  report_message("samples are lost: CUPTI's buffer for samples ran full", false);
  report_message("take a longer --period or a smaller --duty", true);
}

void Sampler::settle() {
  const Due due = std::exchange(due_, Due::nothing);
  if (due == Due::renewal) recover();
  if (due == Due::end) disable();
}

// Where the buffer ran full, CUPTI tells of nothing any more, until sampling is set up anew.
void Sampler::recover() {
  const bool was_open = is_open_;
  disable();
  if (++recoveries_ > kMaxRecoveries) {
    report_message("no more samples: CUPTI's buffer ran full again and again", false);
    return;
  }
  if (!are_buffers_cupti_s_ && enable() && was_open) open_window();
}

void Sampler::disable() {
  if (!is_enabled_) return;
  const bool was_configured = is_configured_;
  is_enabled_ = is_configured_ = is_open_ = false;
  auto params = params_for<CUpti_PCSamplingDisableParams>(context_);
  params.size = CUpti_PCSamplingDisableParamsSize;
  if (has_given_up() || cupti_.cuptiPCSamplingDisable(&params) != CUPTI_SUCCESS) {
    // its threads, which this call ends, may still write to the buffers
    are_buffers_cupti_s_ = true;
    if (was_configured) report_lost_samples(device_, UINT64_MAX);
    return;
  }
  if (!was_configured) return;
  // what it still had, it has put there
  CUpti_PCSamplingData& kept = buffers_->kept.data;
  take(kept);
  if (kept.remainingNumPcs > 0)
    report_lost_samples(device_, UINT64_MAX);
  else
    compare_counts();
  counted_ = told_ = 0;
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

// totalSamples is of the records that a call hands out, of the samples of non-user kernels and of
// the dropped ones, each sample once: not again under the twin of its reason.
void Sampler::compare_counts() {
  if (told_ > counted_) uncounted_ += told_ - counted_;
  if (counted_ > told_) {
    report_lost_samples(device_, counted_ - told_);
    if (!has_told_withheld_)
      report_message(
          "CUPTI counts more samples than it tells of: those between are counted as lost", false);
    has_told_withheld_ = true;
  }
  counted_ = told_ = 0;
}

void Sampler::take_counts(const CUpti_PCSamplingData& data) {
  counted_ += data.totalSamples;
  told_ += data.droppedSamples;
  if (data.droppedSamples > 0) report_lost_samples(device_, data.droppedSamples);
  if (data.nonUsrKernelsTotalSamples > 0) {
    Sample sample{};
    sample.device = device_;
    sample.count = std::min<uint64_t>(data.nonUsrKernelsTotalSamples, UINT32_MAX);
    sample.flags = AGENT_FOREIGN;
    samples_ += sample.count;
    told_ += sample.count;
    report_sample(sample);
  }
  if (data.hardwareBufferFull == 0) return;
  report_lost_samples(device_, UINT64_MAX);
  tell_full();
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
  // of a call's records together, as they may share one
  function_names.take(buffers_->function_names, names);
}

void Sampler::take(const CUpti_PCSamplingPCData& pc) {
  Sample sample{};
  sample.device = device_;
  sample.address = instruction_address(context_, pc.cubinCrc, pc.functionName, pc.pcOffset);
  if (settings_.exact)
    sample.stack = stack_of(pc.correlationId, pc.functionName, device_, object_at(sample.address));
  const size_t count = std::min(pc.stallReasonCount, kMaxReasons);
  for (size_t i = 0; i < count; ++i) {
    const uint32_t index = pc.stallReason[i].pcSamplingStallReasonIndex;
    if (pc.stallReason[i].samples == 0 || index >= kMaxReasons) continue;
    if (buffers_->numbers[index] == kNotTold) continue;
    sample.reason = buffers_->numbers[index];
    sample.count = pc.stallReason[i].samples;
    samples_ += sample.count;
    told_ += sample.count;
    report_sample(sample);
  }
}

}  // namespace aiflame::agent::cupti
