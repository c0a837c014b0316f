// SPDX-License-Identifier: MIT
// Why a device was idle (pure). A gap is cut where its cause changes, and each part is charged:
//
//   device   == gemm ==|                                           |== add ==
//   host     cudaStreamSynchronize |aten::add       |cudaLaunchKernel|
//   causes             |- waits ---|- host busy ----|- runtime ----|   (began within the call)
//
//   device   == gemm ==|                                                |== add ==
//   host     aten::add   |cudaLaunchKernel|  aten::mul ...
//   causes             |-|- runtime ------|- launch latency -----------|
//
// The host is the thread that launches what ends the gap. Before its call the host has not asked
// for work, and what it does at each moment is the cause. Once the call has returned the device is
// late, unless the host is blocked in a copy: then what both wait for is the copy. If it had
// returned before the gap began, the device alone is late, whatever the host waits for meanwhile:
// gaps between the kernels of a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "libcommon/timeline/device_timeline.h"

namespace aiflame {

enum class IdleCause : uint8_t {
  host_waits,      // a synchronisation has drained the device, and not returned yet
  host_copies,     // the host is inside of a copy, and no engine works
  launch_latency,  // the launch had returned, and the work had not begun
  runtime,         // another call of the runtime, or of the driver
  host_busy,       // the program ran: operators, Python, ranges
  host_function,   // a function of the host ran in one of the device's streams
  untraced,        // nothing is known to have run
};
inline constexpr size_t kIdleCauses = 7;

// The frame of all idle time, and that of time without records of a device whose profiler has lost
// too many to say that it was idle.
inline constexpr std::string_view kGpuIdle = "[gpu idle]", kNotRecorded = "[not recorded]";
// The stack on it is that of the launch that ends the gap, not what ran in the gap.
inline constexpr std::string_view kNextLaunch = "[next launch]";

// What the host did outside of a device's window.
inline constexpr std::string_view kBeforeTheFirst = "[before the first]",
                                  kAfterTheLast = "[after the last]";

// Whether a frame says that the device did nothing, or why: one of the above, or a cause.
bool is_idle_frame(std::string_view frame);
// "[launch latency]"
std::string_view idle_frame(IdleCause cause);
// The cause of a frame; nothing if it is another one.
std::optional<IdleCause> find_idle_cause(std::string_view frame);
// One sentence each: what it means, what to try.
std::string_view meaning_of(IdleCause cause);
std::string_view advice_against(IdleCause cause);

// What the host does at a moment.
enum class HostPhase : uint8_t { nothing, waits, copies, calls, runs };
struct HostMoment {
  HostPhase phase = HostPhase::nothing;
  uint32_t what = 0;          // the caller's: what to make a stack of
  int64_t until = INT64_MAX;  // the host may do something else then; after the moment
};

// The phase of a call of a runtime or driver, by its name: cudaStreamSynchronize waits.
HostPhase phase_of_call(std::string_view name);

struct IdlePart {
  int64_t from = 0, to = 0;
  IdleCause cause = IdleCause::untraced;
  uint32_t what = 0;  // of the moment; none for launch_latency and untraced
};

// Cuts a gap. `launched`: when the call returned that launched what ends it, if that is known.
// The parts cover the gap; neighbours differ in their cause or `what`.
std::vector<IdlePart> explain_gap(const DeviceGap& gap, std::optional<int64_t> launched,
                                  const std::function<HostMoment(int64_t time)>& host_at);

}  // namespace aiflame
