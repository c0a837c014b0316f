// SPDX-License-Identifier: MIT
// Compares xe_uapi.h with the kernel's own header, on machines whose header has EU stall sampling
// (linux-libc-dev 6.15 or newer).
#include "plugins/sources/xe/xe_uapi.h"

#if __has_include(<drm/xe_drm.h>)
#include <drm/xe_drm.h>
#endif

#ifdef DRM_XE_DEVICE_QUERY_EU_STALL
namespace aiflame::source::xe {

static_assert(kIoctlVersion == DRM_IOCTL_VERSION && sizeof(Version) == sizeof(drm_version));
static_assert(offsetof(Version, name_length) == offsetof(drm_version, name_len));
static_assert(offsetof(Version, name) == offsetof(drm_version, name));

static_assert(kIoctlDeviceQuery == DRM_IOCTL_XE_DEVICE_QUERY);
static_assert(kQueryGtList == DRM_XE_DEVICE_QUERY_GT_LIST);
static_assert(kQueryEuStall == DRM_XE_DEVICE_QUERY_EU_STALL);
static_assert(offsetof(DeviceQuery, query) == offsetof(drm_xe_device_query, query));
static_assert(offsetof(DeviceQuery, size) == offsetof(drm_xe_device_query, size));
static_assert(offsetof(DeviceQuery, data) == offsetof(drm_xe_device_query, data));

static_assert(kIoctlObservation == DRM_IOCTL_XE_OBSERVATION);
static_assert(kObservationTypeEuStall == DRM_XE_OBSERVATION_TYPE_EU_STALL);
static_assert(kObservationOpStreamOpen == DRM_XE_OBSERVATION_OP_STREAM_OPEN);
static_assert(offsetof(ObservationParam, type) ==
              offsetof(drm_xe_observation_param, observation_type));
static_assert(offsetof(ObservationParam, op) == offsetof(drm_xe_observation_param, observation_op));
static_assert(offsetof(ObservationParam, param) == offsetof(drm_xe_observation_param, param));

static_assert(kSetProperty == DRM_XE_EU_STALL_EXTENSION_SET_PROPERTY);
static_assert(kPropertyGtId == DRM_XE_EU_STALL_PROP_GT_ID);
static_assert(kPropertySampleRate == DRM_XE_EU_STALL_PROP_SAMPLE_RATE);
static_assert(kPropertyWaitNumReports == DRM_XE_EU_STALL_PROP_WAIT_NUM_REPORTS);
static_assert(sizeof(SetProperty) == sizeof(drm_xe_ext_set_property));
static_assert(offsetof(SetProperty, name) == offsetof(drm_xe_ext_set_property, base.name));
static_assert(offsetof(SetProperty, property) == offsetof(drm_xe_ext_set_property, property));
static_assert(offsetof(SetProperty, value) == offsetof(drm_xe_ext_set_property, value));

static_assert(kIoctlEnable == DRM_XE_OBSERVATION_IOCTL_ENABLE);
static_assert(kIoctlDisable == DRM_XE_OBSERVATION_IOCTL_DISABLE);

static_assert(sizeof(QueryEuStall) == sizeof(drm_xe_query_eu_stall));
static_assert(offsetof(QueryEuStall, record_size) == offsetof(drm_xe_query_eu_stall, record_size));
static_assert(offsetof(QueryEuStall, per_xecore_buf_size) ==
              offsetof(drm_xe_query_eu_stall, per_xecore_buf_size));
static_assert(offsetof(QueryEuStall, num_sampling_rates) ==
              offsetof(drm_xe_query_eu_stall, num_sampling_rates));
static_assert(offsetof(drm_xe_query_eu_stall, sampling_rates) == sizeof(QueryEuStall));

static_assert(sizeof(QueryGtList) == sizeof(drm_xe_query_gt_list) &&
              sizeof(Gt) == sizeof(drm_xe_gt));
static_assert(kGtMain == DRM_XE_QUERY_GT_TYPE_MAIN);
static_assert(offsetof(Gt, tile_id) == offsetof(drm_xe_gt, tile_id));
static_assert(offsetof(Gt, gt_id) == offsetof(drm_xe_gt, gt_id));
static_assert(offsetof(Gt, ip_ver_major) == offsetof(drm_xe_gt, ip_ver_major));
static_assert(offsetof(Gt, ip_ver_minor) == offsetof(drm_xe_gt, ip_ver_minor));

}  // namespace aiflame::source::xe
#endif
