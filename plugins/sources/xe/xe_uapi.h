// SPDX-License-Identifier: MIT
// The parts of the xe driver's interface that we use (Linux, include/uapi/drm/xe_drm.h and drm.h).
// They are declared here because EU stall sampling came with Linux 6.15, and Debian 12's header
// lacks it. xe_uapi_check.cc compares them with the machine's header if that has it. Structures are
// the same in 32 and 64 bit programs; fields without a name here must be 0.
#pragma once

#include <sys/ioctl.h>

#include <cstddef>
#include <cstdint>

namespace aiflame::source::xe {

// ---- requests to a render node ------------------------------------------------------------------

// struct drm_version. Texts are copied up to the given length; the length returned is that of the
// whole text.
struct Version {
  int32_t major, minor, patch;
  size_t name_length;
  char* name;
  size_t date_length;
  char* date;
  size_t description_length;
  char* description;
};

// struct drm_xe_device_query. With size 0 the kernel returns the size, which the next request must
// give exactly.
struct DeviceQuery {
  uint64_t extensions;
  uint32_t query;  // kQuery…
  uint32_t size;   // of what `data` points to
  uint64_t data;
  uint64_t reserved[2];
};

// struct drm_xe_observation_param
struct ObservationParam {
  uint64_t extensions;
  uint64_t type;   // kObservationTypeEuStall
  uint64_t op;     // kObservationOpStreamOpen
  uint64_t param;  // address of the first SetProperty
};

// struct drm_xe_ext_set_property, whose first three members are struct drm_xe_user_extension
struct SetProperty {
  uint64_t next;  // address of the next one; 0 ends the chain
  uint32_t name;  // kSetProperty
  uint32_t pad;
  uint32_t property;  // kProperty…
  uint32_t pad2;
  uint64_t value;
  uint64_t reserved[2];
};

constexpr unsigned long kIoctlVersion = _IOWR('d', 0x00, Version);  // DRM_IOCTL_VERSION
constexpr unsigned long kIoctlDeviceQuery = _IOWR('d', 0x40 + 0x00, DeviceQuery);  // DRM_IOCTL_XE_…
constexpr unsigned long kIoctlObservation = _IOW('d', 0x40 + 0x0b, ObservationParam);
static_assert(sizeof(void*) != 8 || kIoctlVersion == 0xc0406400);
static_assert(kIoctlDeviceQuery == 0xc0286440);
static_assert(kIoctlObservation == 0x4020644b);

constexpr uint32_t kQueryGtList = 3;    // DRM_XE_DEVICE_QUERY_GT_LIST
constexpr uint32_t kQueryEuStall = 10;  // DRM_XE_DEVICE_QUERY_EU_STALL

constexpr uint64_t kObservationTypeEuStall = 1;   // DRM_XE_OBSERVATION_TYPE_EU_STALL
constexpr uint64_t kObservationOpStreamOpen = 0;  // DRM_XE_OBSERVATION_OP_STREAM_OPEN

// enum drm_xe_eu_stall_property_id. Never 0: before the fix of December 2025 (5bf763e908) it was
// called as a function at address 0, in the kernel.
constexpr uint32_t kSetProperty = 0;  // DRM_XE_EU_STALL_EXTENSION_SET_PROPERTY
constexpr uint32_t kPropertyGtId = 1;
constexpr uint32_t kPropertySampleRate = 2;      // in cycles, one of QueryEuStall's
constexpr uint32_t kPropertyWaitNumReports = 3;  // records that make the stream ready to read

// ---- requests to a stream -----------------------------------------------------------------------

constexpr unsigned long kIoctlEnable = _IO('i', 0x0);   // DRM_XE_OBSERVATION_IOCTL_ENABLE
constexpr unsigned long kIoctlDisable = _IO('i', 0x1);  // DRM_XE_OBSERVATION_IOCTL_DISABLE

// ---- answers ------------------------------------------------------------------------------------

// struct drm_xe_query_eu_stall; `num_sampling_rates` numbers in cycles follow, fastest first.
struct QueryEuStall {
  uint64_t extensions;
  uint64_t capabilities;  // bit 0: DRM_XE_EU_STALL_CAPS_BASE
  uint64_t record_size;   // 64
  uint64_t per_xecore_buf_size;
  uint64_t reserved[5];
  uint64_t num_sampling_rates;
};

// struct drm_xe_query_gt_list; `num_gt` times Gt follow.
struct QueryGtList {
  uint32_t num_gt;
  uint32_t pad;
};

// struct drm_xe_gt
struct Gt {
  uint16_t type;  // kGtMain, or one for media
  uint16_t tile_id;
  uint16_t gt_id;
  uint16_t pad[3];
  uint32_t reference_clock;
  uint64_t near_mem_regions, far_mem_regions;
  uint16_t ip_ver_major, ip_ver_minor, ip_ver_rev;  // 0 for GPUs without a register for it
  uint16_t pad2;
  uint64_t reserved[7];
};
constexpr uint16_t kGtMain = 0;  // DRM_XE_QUERY_GT_TYPE_MAIN

static_assert(sizeof(DeviceQuery) == 40 && sizeof(ObservationParam) == 32);
static_assert(sizeof(SetProperty) == 48 && offsetof(SetProperty, value) == 24);
static_assert(sizeof(QueryEuStall) == 80 && offsetof(QueryEuStall, num_sampling_rates) == 72);
static_assert(sizeof(QueryGtList) == 8 && sizeof(Gt) == 96 && offsetof(Gt, ip_ver_major) == 32);

}  // namespace aiflame::source::xe
