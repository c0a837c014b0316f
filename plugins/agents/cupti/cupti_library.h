/* SPDX-License-Identifier: MIT
 *
 * CUPTI and the CUDA driver as they are in the program: found at run time, so that the agent links
 * to neither and is loaded anywhere.
 */
#pragma once

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>

#include <cstddef>
#include <cstdint>

#include "plugins/agents/cupti/cupti_newer.h"

namespace aiflame::agent::cupti {

// What the records are that CUPTI hands out, which no compiler checks: sizes and offsets on x86-64
// as versions 12.4 to 13.0 have them. Kernel records only ever grew at their end, and of them the
// agent reads what all of these versions have.
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
using KernelRecord = CUpti_ActivityKernel9;  // of CUDA 12; those of 13 begin alike
static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, end) == 24);
static_assert(offsetof(KernelRecord, deviceId) == 40);
static_assert(offsetof(KernelRecord, correlationId) == 92);
static_assert(offsetof(KernelRecord, name) == 104);
static_assert(offsetof(KernelRecord, graphNodeId) == 144);

// 12.4 appended correlationId to CUpti_PCSamplingPCData: what is older writes records of another
// size into our array.
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
// Null in versions that do not have them.
#define AIFLAME_CUPTI_NEWER_FUNCTIONS(X)    \
  X(cuptiActivityRegisterTimestampCallback) \
  X(cuptiGetCubinCrc)                       \
  X(cuptiGetGraphNodeId)                    \
  X(cuptiProfilerDeviceSupported)
#define X(name) decltype(&::name) name = nullptr;  // NOLINT(bugprone-macro-parentheses)
  AIFLAME_CUPTI_FUNCTIONS(X)
  AIFLAME_CUPTI_NEWER_FUNCTIONS(X)
#undef X
  SubscribeV2 cuptiSubscribe_v2 = nullptr;
};

// Null when there is none; then `why` is a line for the user.
const Cupti* load_cupti(const char*& why);

// What is asked of the driver that is in the program already. A place is "" where it does not tell.
void device_place(CUdevice device, char* out, size_t room);
void device_name(CUdevice device, char* out, size_t room);
// In the driver's code, or null.
const void* driver_function(const char* name);

}  // namespace aiflame::agent::cupti
