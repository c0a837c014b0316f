// SPDX-License-Identifier: MIT
// The words of a snapshot: the keys of its dictionaries, the actions of its entries, the states of
// its blocks. They are the first texts of a snapshot's table, so a word's number is its text's.
#pragma once

#include <cstdint>
#include <string_view>

namespace aiflame::torch_memory {

enum Word : uint8_t {
  // keys
  kAction,
  kAddr,
  kAddress,
  kSize,
  kRequestedSize,
  kRealSize,
  kStream,
  kTimeUs,
  kFrames,
  kFilename,
  kLine,
  kName,
  kUserMetadata,
  kCompileContext,
  kCategory,
  kPoolId,
  kDevice,
  kDeviceFree,
  kTotalSize,
  kSegmentPoolId,
  kBlocks,
  kState,
  kHistory,
  kStage,
  kSegments,
  kDeviceTraces,
  kHostSegments,
  kHostTraces,
  kExternalAnnotations,
  kTraceAllocOverflowed,
  kKeys,  // how many there are

  // actions
  kAlloc = kKeys,
  kFreeRequested,
  kFreeCompleted,
  kSegmentAlloc,
  kSegmentFree,
  kSegmentMap,
  kSegmentUnmap,
  kSnapshot,
  kOom,
  kAnnotate,
  // states
  kActiveAllocated,
  kActivePendingFree,
  kActiveAwaitingFree,
  kInactive,
  // stages
  kStart,
  kEnd,
  // values that say that there is none
  kNotAvailable,
  kWords,
};

inline constexpr std::string_view kWordTexts[kWords] = {
    "action",
    "addr",
    "address",
    "size",
    "requested_size",
    "real_size",
    "stream",
    "time_us",
    "frames",
    "filename",
    "line",
    "name",
    "user_metadata",
    "compile_context",
    "category",
    "pool_id",
    "device",
    "device_free",
    "total_size",
    "segment_pool_id",
    "blocks",
    "state",
    "history",
    "stage",
    "segments",
    "device_traces",
    "host_segments",
    "host_traces",
    "external_annotations",
    "trace_alloc_overflowed",
    "alloc",
    "free_requested",
    "free_completed",
    "segment_alloc",
    "segment_free",
    "segment_map",
    "segment_unmap",
    "snapshot",
    "oom",
    "annotate",
    "active_allocated",
    "active_pending_free",
    "active_awaiting_free",
    "inactive",
    "START",
    "END",
    "N/A",
};

}  // namespace aiflame::torch_memory
