/* SPDX-License-Identifier: MIT */
#include "plugins/agents/opencl/launches.h"

#include <atomic>
#include <cerrno>

#include "plugins/agents/common/clock.h"

namespace aiflame::agent::opencl {
namespace {

// When a launch was reported, for the check of clocks below, and when its call returned. Launches
// share a slot with every 4096th other.
struct LaunchTime {
  std::atomic<uint64_t> instance, time, returned;
};
constexpr uint64_t kLaunchTimes = 4096;
LaunchTime launch_times[kLaunchTimes];

// What CLOCK_MONOTONIC is ahead of CLOCK_MONOTONIC_RAW; it may wrap around, as a negative number.
// It is read anew now and then: adjusted by 500 ppm, the most that the kernel does, the clocks part
// by 50 ns in this time. Times of launches that end together are then shifted by one number, so
// they keep their order.
constexpr uint64_t kShiftNs = 100000;
std::atomic<uint64_t> shift_time{0}, shift_of_raw{0};

uint64_t raw_shift(uint64_t now) {
  if (now - shift_time.load(std::memory_order_acquire) < kShiftNs)
    return shift_of_raw.load(std::memory_order_relaxed);
  uint64_t best = UINT64_MAX, shift = 0;
  // a thread may lose its processor between two readings, which seldom happens twice
  for (int look = 0; look < 3 && best > 1000; ++look) {
    const uint64_t before = monotonic_ns(), raw = monotonic_raw_ns(), after = monotonic_ns();
    if (after - before >= best) continue;
    best = after - before;
    // the middle of the two readings is within a microsecond of the third
    shift = before + best / 2 - raw;
  }
  shift_of_raw.store(shift, std::memory_order_relaxed);
  shift_time.store(now, std::memory_order_release);
  return shift;
}

// Finds the clock of the platform's event times. OpenCL does not say: PoCL uses
// CLOCK_MONOTONIC_RAW, others CLOCK_MONOTONIC, GPUs their own. A time is taken to be of a clock
// when by that clock it lies between the launch and now. False when it fits neither.
bool to_monotonic(uint64_t instance, uint64_t& begin, uint64_t& end) {
  const uint64_t now = monotonic_ns();
  const uint64_t shift = raw_shift(now);
  const LaunchTime& slot = launch_times[instance % kLaunchTimes];
  uint64_t launched = 0;
  if (slot.instance.load(std::memory_order_acquire) == instance)
    launched = slot.time.load(std::memory_order_relaxed);
  // the same slack for both, as two clocks are not read at one moment
  constexpr uint64_t kSlack = 20000;
  const auto fits = [&](uint64_t b, uint64_t e) {
    return b <= e && b + kSlack >= launched && e <= now + kSlack && now - e < (uint64_t{1} << 62);
  };
  if (fits(begin + shift, end + shift)) {
    begin += shift;
    end += shift;
    return true;
  }
  return fits(begin, end);
}

// As in agent_done. The event is complete.
uint64_t return_time(uint64_t instance) {
  const LaunchTime& slot = launch_times[instance % kLaunchTimes];
  const uint64_t returned = slot.returned.load(std::memory_order_relaxed);
  if (slot.instance.load(std::memory_order_acquire) != instance) return 0;
  return returned == 0 ? AGENT_INSIDE : returned;
}

void on_complete(cl_event event, uint64_t instance, cl_int status) {
  const int saved_errno = errno;
  cl_ulong begin = 0, end = 0;
  uint16_t flags = 0;
  if (status < 0) {
    flags = AGENT_FAILED;
  } else if (lower->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                            nullptr) != CL_SUCCESS ||
             lower->clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end,
                                            nullptr) != CL_SUCCESS ||
             begin == 0 || end <= begin) {  // 0 ns: nothing ran
    flags = AGENT_NO_TIMES;
  } else {
    uint64_t monotonic_begin = begin, monotonic_end = end;
    if (to_monotonic(instance, monotonic_begin, monotonic_end)) {
      begin = monotonic_begin;
      end = monotonic_end;
    } else {
      flags = AGENT_DURATION;
    }
  }
  report_done(instance, begin, end, flags, return_time(instance));
  errno = saved_errno;
}

}  // namespace

void CL_CALLBACK on_complete_of_program(cl_event event, cl_int status, void* instance) {
  on_complete(event, reinterpret_cast<uint64_t>(instance), status);
}

void CL_CALLBACK on_complete_of_ours(cl_event event, cl_int status, void* instance) {
  on_complete(event, reinterpret_cast<uint64_t>(instance), status);
  lower->clReleaseEvent(event);
}

void keep_launch_time(uint64_t instance, uint64_t time) {
  LaunchTime& slot = launch_times[instance % kLaunchTimes];
  slot.instance.store(0, std::memory_order_relaxed);
  slot.time.store(time, std::memory_order_release);
  slot.returned.store(0, std::memory_order_relaxed);
  slot.instance.store(instance, std::memory_order_release);
}

void keep_return_time(uint64_t instance) {
  LaunchTime& slot = launch_times[instance % kLaunchTimes];
  if (slot.instance.load(std::memory_order_relaxed) == instance)
    slot.returned.store(monotonic_ns(), std::memory_order_relaxed);
}

}  // namespace aiflame::agent::opencl
