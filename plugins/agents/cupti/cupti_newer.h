/* SPDX-License-Identifier: MIT
 *
 * What CUPTI gained after the headers of CUDA 12.4. So the agent builds with the headers of any
 * later version, and asks the library that it finds at run time. CUPTI's numbers keep their
 * meaning.
 */
#pragma once

#include <cupti.h>

#include <cstddef>
#include <cstdint>

namespace aiflame::agent::cupti {

constexpr auto kMigNotSupported = static_cast<CUptiResult>(43);
constexpr auto kSliNotSupported = static_cast<CUptiResult>(44);
constexpr auto kWslNotSupported = static_cast<CUptiResult>(45);

constexpr CUpti_CallbackId kGraphNodeUpdated = 22, kGraphNodeSetParams = 23;  // resources
constexpr CUpti_CallbackId kLaunchKernel13 = 505, kLaunchKernel13Ptsz = 506;  // of the runtime

struct SubscriberParams {
  size_t structSize;
  const char* subscriberName;
  char* oldSubscriberName;
  size_t oldSubscriberSize;
};
constexpr size_t kOldSubscriberNameBytes = 64;
using SubscribeV2 = CUptiResult(CUPTIAPI*)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                                           SubscriberParams*);

#if CUPTI_API_VERSION >= 130000
static_assert(kMigNotSupported == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
static_assert(kSliNotSupported == CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED);
static_assert(kWslNotSupported == CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);
static_assert(kGraphNodeUpdated == CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED);
static_assert(kGraphNodeSetParams == CUPTI_CBID_RESOURCE_GRAPH_NODE_SET_PARAMS);
static_assert(kLaunchKernel13 == CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000);
static_assert(kLaunchKernel13Ptsz == CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000);
static_assert(sizeof(SubscriberParams) == CUpti_SubscriberParams_STRUCT_SIZE);
static_assert(offsetof(SubscriberParams, oldSubscriberName) ==
              offsetof(CUpti_SubscriberParams, oldSubscriberName));
static_assert(kOldSubscriberNameBytes == CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN);
#endif

}  // namespace aiflame::agent::cupti
