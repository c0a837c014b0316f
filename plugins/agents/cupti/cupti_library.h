/* SPDX-License-Identifier: MIT
 *
 * CUPTI and the CUDA driver in the program, found at run time. The agent links to neither, so it
 * can be loaded anywhere.
 */
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>

#include <cstddef>
#include <cstdint>

#include "plugins/agents/cupti/copy_record.h"
#include "plugins/agents/cupti/cupti_newer.h"

namespace aiflame::agent::cupti {

// The layout of CUPTI's records, which no compiler checks against the library: sizes and offsets on
// x86-64 in versions 12.4 to 13.0. Kernel records only ever grew at their end, and the agent reads
// only the fields that all of these versions have.
static_assert(sizeof(CUpti_PCSamplingStallReason) == 8);
static_assert(sizeof(CUpti_PCSamplingPCData) == 64);
static_assert(offsetof(CUpti_PCSamplingPCData, pcOffset) == 16);
static_assert(offsetof(CUpti_PCSamplingPCData, functionName) == 32);
static_assert(offsetof(CUpti_PCSamplingPCData, stallReason) == 48);
static_assert(offsetof(CUpti_PCSamplingPCData, correlationId) == 56);
static_assert(sizeof(CUpti_PCSamplingData) == 80);
static_assert(offsetof(CUpti_PCSamplingData, droppedSamples) == 24);
static_assert(offsetof(CUpti_PCSamplingData, remainingNumPcs) == 40);
static_assert(offsetof(CUpti_PCSamplingData, pPcData) == 56);
static_assert(offsetof(CUpti_PCSamplingData, nonUsrKernelsTotalSamples) == 64);
static_assert(offsetof(CUpti_PCSamplingData, hardwareBufferFull) == 72);
static_assert(sizeof(CUpti_PCSamplingConfigurationInfo) == 32);
static_assert(offsetof(CUpti_Profiler_DeviceSupported_Params, isSupported) == 20);
static_assert(offsetof(CUpti_Profiler_DeviceSupported_Params, api) == 48);
static_assert(offsetof(CUpti_ModuleResourceData, cubinSize) == 8);
static_assert(offsetof(CUpti_ModuleResourceData, pCubin) == 16);
using KernelRecord = CUpti_ActivityKernel9;  // of CUDA 12; CUDA 13's begins alike
static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, end) == 24);
static_assert(offsetof(KernelRecord, deviceId) == 40);
static_assert(offsetof(KernelRecord, gridX) == 52 && offsetof(KernelRecord, blockX) == 64);
static_assert(offsetof(KernelRecord, dynamicSharedMemory) == 80);
static_assert(offsetof(KernelRecord, correlationId) == 92);
static_assert(offsetof(KernelRecord, name) == 104);
static_assert(offsetof(KernelRecord, graphNodeId) == 144);

// Also of copies and fills: see copy_record.h.
static_assert(offsetof(CUpti_ActivityMemset4, bytes) == offsetof(CopyRecord, bytes));
static_assert(offsetof(CUpti_ActivityMemset4, end) == offsetof(CopyRecord, end));
static_assert(offsetof(CUpti_ActivityMemset4, deviceId) == offsetof(CopyRecord, device));
static_assert(offsetof(CUpti_ActivityMemset4, correlationId) == offsetof(CopyRecord, correlation));
static_assert(offsetof(CUpti_ActivityMemset4, graphNodeId) == offsetof(CopyRecord, node));
static_assert(offsetof(CUpti_ActivityMemcpy5, copyKind) == offsetof(CopyRecord, copy_kind));
static_assert(offsetof(CUpti_ActivityMemcpy5, bytes) == offsetof(CopyRecord, bytes));
static_assert(offsetof(CUpti_ActivityMemcpy5, correlationId) == offsetof(CopyRecord, correlation));
static_assert(offsetof(CUpti_ActivityMemcpy5, graphNodeId) == offsetof(CopyRecord, node));
static_assert(offsetof(CUpti_ActivityMemcpyPtoP3, correlationId) ==
              offsetof(CopyRecord, correlation_between_devices));
static_assert(offsetof(CUpti_ActivityMemcpyPtoP3, graphNodeId) ==
              offsetof(CopyRecord, node_between_devices));

// 12.4 appended correlationId to CUpti_PCSamplingPCData. Older versions would write records of
// another size into our array.
constexpr uint32_t kOldestForSamples = 22;

struct Cupti {
  uint32_t version = 0;  // CUPTI_API_VERSION of the library; 22 = CUDA 12.4, 130001 = 13.0u1
#define AIFLAME_CUPTI_FUNCTIONS(X)            \
  X(cuptiGetVersion)                          \
  X(cuptiSubscribe)                           \
  X(cuptiUnsubscribe)                         \
  X(cuptiEnableCallback)                      \
  X(cuptiGetDeviceId)                         \
  X(cuptiGetTimestamp)                        \
  X(cuptiActivityEnable)                      \
  X(cuptiActivityDisable)                     \
  X(cuptiActivityRegisterCallbacks)           \
  X(cuptiActivityGetNextRecord)               \
  X(cuptiActivityGetNumDroppedRecords)        \
  X(cuptiActivityFlushAll)                    \
  X(cuptiRegisterComputeCrcCallback)          \
  X(cuptiPCSamplingEnable)                    \
  X(cuptiPCSamplingDisable)                   \
  X(cuptiPCSamplingSetConfigurationAttribute) \
  X(cuptiPCSamplingGetConfigurationAttribute) \
  X(cuptiPCSamplingGetNumStallReasons)        \
  X(cuptiPCSamplingGetStallReasons)           \
  X(cuptiPCSamplingStart)                     \
  X(cuptiPCSamplingStop)                      \
  X(cuptiPCSamplingGetData)
// Null in versions without them.
#define AIFLAME_CUPTI_NEWER_FUNCTIONS(X)    \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiGetCubinCrc)                       \
  X(cuptiGetCallbackName)                   \
  X(cuptiGetGraphNodeId)                    \
  X(cuptiProfilerDeviceSupported)
#define X(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  AIFLAME_CUPTI_FUNCTIONS(X)
  AIFLAME_CUPTI_NEWER_FUNCTIONS(X)
#undef X
  SubscribeV2 cuptiSubscribe_v2 = nullptr;
  bool has_subscriber_calls = false;
  SubscriberCalls of_subscriber{};
};

// Notes CUDA_HOME for load_cupti(), as the program may change its environment.
void note_cuda_home();
// Null without a usable CUPTI; `why` is then a line for the user.
const Cupti* load_cupti(const char*& why);

// Ask the driver that the program has loaded. The name of a MIG instance ends in its UUID.
void device_name(CUdevice device, char* out, size_t room);
// The cycles of all multiprocessors in a second, at the highest clock; 0 when it does not say.
uint64_t device_cycles(CUdevice device);

}  // namespace aiflame::agent::cupti
