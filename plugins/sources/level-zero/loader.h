// SPDX-License-Identifier: MIT
// Level Zero's loader and, through it, the drivers. Opened at run time: gpustall-record links to
// neither.
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/zet_api.h>

#include <string>

namespace aiflame::source::level_zero {

// The functions that the source calls. Loader 1.8.12 (interface 1.4) has all of them.
#define LEVEL_ZERO_FUNCTIONS(FUNCTION)                      \
  FUNCTION(init, zeInit)                                    \
  FUNCTION(get_drivers, zeDriverGet)                        \
  FUNCTION(get_devices, zeDeviceGet)                        \
  FUNCTION(get_sub_devices, zeDeviceGetSubDevices)          \
  FUNCTION(device_properties, zeDeviceGetProperties)        \
  FUNCTION(pci_properties, zeDevicePciGetPropertiesExt)     \
  FUNCTION(create_context, zeContextCreate)                 \
  FUNCTION(destroy_context, zeContextDestroy)               \
  FUNCTION(get_groups, zetMetricGroupGet)                   \
  FUNCTION(group_properties, zetMetricGroupGetProperties)   \
  FUNCTION(calculate, zetMetricGroupCalculateMetricValues)  \
  FUNCTION(get_metrics, zetMetricGet)                       \
  FUNCTION(metric_properties, zetMetricGetProperties)       \
  FUNCTION(activate_groups, zetContextActivateMetricGroups) \
  FUNCTION(open_streamer, zetMetricStreamerOpen)            \
  FUNCTION(read_data, zetMetricStreamerReadData)            \
  FUNCTION(close_streamer, zetMetricStreamerClose)

// NOLINTBEGIN(bugprone-macro-parentheses): a member's name cannot be in parentheses
struct Functions {
#define LEVEL_ZERO_MEMBER(member, name) decltype(&::name) member = nullptr;
  LEVEL_ZERO_FUNCTIONS(LEVEL_ZERO_MEMBER)
#undef LEVEL_ZERO_MEMBER
};
// NOLINTEND(bugprone-macro-parentheses)

// Opens the loader and starts the drivers, once per process. Throws Error with the reason and the
// remedy.
const Functions& ze();

// "ZE_RESULT_ERROR_DEVICE_LOST (0x70000001)"; only the number of an unknown result.
std::string result_text(ze_result_t result);

}  // namespace aiflame::source::level_zero
