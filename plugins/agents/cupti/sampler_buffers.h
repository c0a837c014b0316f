/* SPDX-License-Identifier: MIT
 *
 * The memory of a sampler that CUPTI writes to.
 */
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/cupti/cupti_library.h"
#include "plugins/agents/cupti/sampler.h"

namespace aiflame::agent::cupti {

// GPUs have 19 reasons, each with a twin.
constexpr size_t kMaxReasons = 128;
static_assert(kMaxReasons <= AGENT_MAX_REASONS);
// How many PCs one call returns, and how many CUPTI itself keeps until the context ends. A call
// with room for 256 or more was seen to return none of a window's few (perf-agent, RTX 3090, CUDA
// 13.3). What does not fit comes with the next call.
constexpr size_t kReadPcs = 64, kKeptPcs = 2048;

// Samples that wait for the reports of their launches: a sample is an instruction's with one
// reason, and as a rule one launch is held, the first of its function.
constexpr size_t kMaxAwaiting = 4096;

// It is mapped, so that the program's heap is laid out as ever.
struct Sampler::Buffers {
  struct Pcs {
    CUpti_PCSamplingData data;
    // to be called before each use, as CUPTI overwrites the sizes
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
  uint32_t wanted[kMaxReasons];  // indices of the reasons and of their twins
  size_t wanted_count;
  // By index: the number under which the reason is reported, also for a twin; or kNotReported.
  uint32_t numbers[kMaxReasons];
  bool is_twin[kMaxReasons];      // by index
  bool is_told[kMaxReasons];      // by number: the recorder has its name
  uint32_t exposed[kMaxReasons];  // by number: of the instruction at hand
  char* function_names[std::max(kReadPcs, kKeptPcs)];
  // Samples of launches that are not reported yet, as their calls have not returned.
  struct Awaiting {
    Sample sample;
    uint32_t correlation;
  };
  Awaiting awaiting[kMaxAwaiting];
  size_t awaiting_count;
};

}  // namespace aiflame::agent::cupti
