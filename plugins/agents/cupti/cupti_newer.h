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

// The last field came with 13.2 (docs.nvidia.com/cupti, CUpti_SubscriberParams). `structSize` says
// how much of it is there.
struct SubscriberParams {
  size_t structSize;
  const char* subscriberName;
  char* oldSubscriberName;
  size_t oldSubscriberSize;
  uint8_t allowMultipleSubscribers;
  uint8_t padding[7];
};
constexpr uint32_t kFirstWithSharing = 130200;  // version
constexpr size_t kParamsWithoutSharing = offsetof(SubscriberParams, allowMultipleSubscribers);
constexpr size_t kOldSubscriberNameBytes = 64;
using SubscribeV2 = CUptiResult(CUPTIAPI*)(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*,
                                           SubscriberParams*);
static_assert(kParamsWithoutSharing == 32 && sizeof(SubscriberParams) == 40);

// The calls about activity records that are of one subscriber, complete since 13.3. Their arguments
// are those of the documentation of 13.4 (docs.nvidia.com/cupti, CUPTI Activity API). Without a
// configuration, a kind has the records that cuptiActivityEnable() gives. The last argument of the
// buffers' functions describes the records, or the buffer that is wanted.
constexpr uint32_t kFirstWithSubscriberCalls = 130300;
using RequestBufferV2 = void(CUPTIAPI*)(uint8_t**, size_t*, size_t*, void*);
using CompleteBufferV2 = void(CUPTIAPI*)(uint8_t*, size_t, size_t, void*);
struct SubscriberCalls {
  CUptiResult(CUPTIAPI* cuptiActivityRegisterCallbacks_v2)(CUpti_SubscriberHandle, RequestBufferV2,
                                                           CompleteBufferV2);
  CUptiResult(CUPTIAPI* cuptiActivityEnable_v2)(CUpti_SubscriberHandle, CUpti_ActivityKind,
                                                void* configuration);
  CUptiResult(CUPTIAPI* cuptiActivityDisable_v2)(CUpti_SubscriberHandle, CUpti_ActivityKind,
                                                 void* configuration);
  CUptiResult(CUPTIAPI* cuptiActivityGetNextRecord_v2)(CUpti_SubscriberHandle, uint8_t*, size_t,
                                                       CUpti_Activity**);
  CUptiResult(CUPTIAPI* cuptiActivityGetNumDroppedRecords_v2)(CUpti_SubscriberHandle, CUcontext,
                                                              uint32_t, size_t*);
  CUptiResult(CUPTIAPI* cuptiGetTimestamp_v2)(CUpti_SubscriberHandle, uint64_t*);
};

// Functions of the host came with 13.1 (docs.nvidia.com/cupti, release notes): as nodes of graphs,
// and those of cudaLaunchHostFunc(). The numbers of the kinds are by their order in the
// documentation of CUpti_ActivityKind, where MEM_DECOMPRESS is before them, which is 54 in our
// headers. Neither the numbers nor the records were verified with a library of NVIDIA's.
constexpr uint32_t kFirstWithHostFunctions = 130100;
constexpr auto kGraphHostNode = static_cast<CUpti_ActivityKind>(56);
constexpr auto kHostLaunch = static_cast<CUpti_ActivityKind>(58);
// The records begin alike. CUpti_ActivityGraphHostNode:
struct HostNodeRecord {
  uint32_t kind, stream, context, device;
  uint32_t correlation;  // of the driver's call that launched the graph
  uint32_t graph;
  uint64_t node;
  uint32_t process, thread;  // that ran the function
  uint64_t start, end;       // CUPTI_TIMESTAMP_UNKNOWN where they are not known
};
static_assert(sizeof(HostNodeRecord) == 56 && offsetof(HostNodeRecord, node) == 24 &&
              offsetof(HostNodeRecord, start) == 40);
// CUpti_ActivityHostLaunch. The documentation lists no padding, as it does in records that are
// packed: the newest records of our headers are not.
struct HostLaunchRecord {
  uint32_t kind, stream, context, device;
  uint32_t correlation;  // of the driver's call
  uint32_t process, thread;
  uint64_t start, end;
};
static_assert(sizeof(HostLaunchRecord) == 48 && offsetof(HostLaunchRecord, start) == 32 &&
              offsetof(HostLaunchRecord, correlation) == offsetof(HostNodeRecord, correlation));

#if CUPTI_API_VERSION >= 130000
static_assert(kMigNotSupported == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED);
static_assert(kSliNotSupported == CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED);
static_assert(kWslNotSupported == CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED);
static_assert(kGraphNodeUpdated == CUPTI_CBID_RESOURCE_GRAPH_NODE_UPDATED);
static_assert(kGraphNodeSetParams == CUPTI_CBID_RESOURCE_GRAPH_NODE_SET_PARAMS);
static_assert(kLaunchKernel13 == CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000);
static_assert(kLaunchKernel13Ptsz == CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000);
static_assert(CUpti_SubscriberParams_STRUCT_SIZE == kParamsWithoutSharing ||
              CUpti_SubscriberParams_STRUCT_SIZE == sizeof(SubscriberParams));
static_assert(offsetof(SubscriberParams, oldSubscriberName) ==
              offsetof(CUpti_SubscriberParams, oldSubscriberName));
static_assert(kOldSubscriberNameBytes == CUPTI_OLD_SUBSCRIBER_NAME_MIN_LEN);
static_assert(kGraphHostNode == CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS + 2);
static_assert(kHostLaunch == CUPTI_ACTIVITY_KIND_MEM_DECOMPRESS + 4);
#endif

}  // namespace aiflame::agent::cupti
