/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cuda/launches.h"

#include <atomic>
#include <cerrno>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/common/range_agent.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent::cuda {
namespace {

// Functions of the driver that are asked at launches; null in drivers without them.
struct Driver {
  CUresult(CUDAAPI* current_device)(CUdevice*) = nullptr;
  CUresult(CUDAAPI* capture_of[2])(CUstream, CUstreamCaptureStatus*) = {};  // [per thread]
  // since CUDA 12.3; the runtime launches kernels of libraries, which are no functions
  CUresult(CUDAAPI* name_of_function)(const char**, CUfunction) = nullptr;
  CUresult(CUDAAPI* name_of_kernel)(const char**, CUfunction) = nullptr;
};
Driver driver;
std::atomic<bool> has_begun{false}, is_connected{false};

enum class Capture : uint8_t { none, active, not_told };

// The driver does not tell it of the default stream while another stream is captured. That one must
// be left alone then: an event in it would end the capture.
Capture capture_of(const Interposed& call, CUstream stream) {
  const auto ask = driver.capture_of[call.is_per_thread ? 1 : 0];
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (ask == nullptr) return Capture::none;
  if (ask(stream, &status) != CUDA_SUCCESS) return Capture::not_told;
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? Capture::none : Capture::active;
}

const char* name_of(CUfunction function) {
  const char* name = nullptr;
  for (const auto ask : {driver.name_of_function, driver.name_of_kernel})
    if (ask != nullptr && ask(&name, function) == CUDA_SUCCESS && name != nullptr) return name;
  return kUnknownKernel;
}

// Noted at the start, since what is asked of the driver takes more of the stack than a launch.
constexpr int kMostDevices = 64, kPlaceBytes = 32;
char places[kMostDevices][kPlaceBytes];

void note_places() {
  int count = 0;
  CUresult(CUDAAPI * get_count)(int*) = nullptr;
  find_driver_function(get_count, "cuDeviceGetCount");
  if (get_count == nullptr || get_count(&count) != CUDA_SUCCESS) return;
  for (int i = 0; i < count && i < kMostDevices; ++i) device_place(i, places[i], kPlaceBytes);
}

// The number given to report_device(): CUDA's, plus 1. 0 = not known.
uint32_t device_of_launch() {
  static std::atomic<uint32_t> reported[kMostDevices];  // under which generation(), plus 1
  CUdevice device = 0;
  if (driver.current_device == nullptr || driver.current_device(&device) != CUDA_SUCCESS ||
      device < 0 || device >= kMostDevices)
    return 0;
  const uint32_t number = static_cast<uint32_t>(device) + 1, now = generation() + 1;
  if (reported[device].load(std::memory_order_relaxed) != now &&
      reported[device].exchange(now) != now)
    report_device(number, places[device]);
  return number;
}

// Not inlined, as the driver's call has no need of its frame.
[[gnu::noinline]] Launched report(const Interposed& call, CUfunction function,
                                  const LaunchExtent& size, bool is_timed) {
  Launch launch{};
  launch.kernel_name = function == nullptr ? kGraph : name_of(function);
  launch.kernel_name_bytes = static_cast<uint32_t>(strnlen(launch.kernel_name, AGENT_MAX_NAME));
  const OffStack<FrontText> ranges;
  const Front front = with_open_ranges(call.symbol, call.front_bytes, ranges);
  launch.front = front.at;
  launch.front_bytes = front.bytes;
  launch.device = device_of_launch();
  launch.size = size;
  launch.flags = static_cast<uint16_t>(AGENT_OUT_OF_ORDER | (is_timed ? 0 : AGENT_UNTIMED));
  return report_launch(launch);
}

}  // namespace

void start(const void* launch_function) {
  if (has_begun.exchange(true)) return;
  const int saved_errno = errno;
  find_driver_function(driver.current_device, "cuCtxGetDevice");
  find_driver_function(driver.capture_of[0], "cuStreamIsCapturing");
  find_driver_function(driver.capture_of[1], "cuStreamIsCapturing_ptsz");
  find_driver_function(driver.name_of_function, "cuFuncGetName");
  find_driver_function(driver.name_of_kernel, "cuKernelGetName");
  note_places();
  if (connect("cuda", launch_function, Absent::may_come)) {
    if (const char* why = start_events(); why != nullptr) report_message(why, false);
    is_connected.store(true);
  }
  errno = saved_errno;
}

Begun launch_begins(const Interposed& call, CUfunction function, const LaunchExtent& size,
                    CUstream stream) {
  const int saved_errno = errno;
  Begun begun{{}, kNoPair, false};
  if (!is_connected.load(std::memory_order_acquire)) return begun;
  const Capture capture = capture_of(call, stream);
  if (capture != Capture::active && begin_report()) {
    if (capture == Capture::none) begun.pair = take_pair();
    begun.launched = report(call, function, size, begun.pair != kNoPair);
    if (begun.pair != kNoPair && (begun.launched.instance == 0 || begun.launched.is_untimed)) {
      give_back(begun.pair);
      begun.pair = kNoPair;
    }
    // as late as it can be: what comes between it and the launch is taken for the launch's
    if (begun.pair != kNoPair)
      begun.has_event = record_event(begun.pair, begin, stream, call.is_per_thread);
  }
  errno = saved_errno;
  return begun;
}

void launch_ends(const Interposed& call, const Begun& begun, CUstream stream, CUresult result) {
  const int saved_errno = errno;
  if (begun.pair == kNoPair) {
    if (result != CUDA_SUCCESS) retract_launch(begun.launched);
  } else if (result == CUDA_SUCCESS && begun.has_event &&
             record_event(begun.pair, end, stream, call.is_per_thread)) {
    await_end(begun.pair, begun.launched, stream, call.is_per_thread);
  } else {
    report_done(begun.launched.instance, 0, 0,
                result == CUDA_SUCCESS ? AGENT_NO_TIMES : AGENT_FAILED);
    give_back(begun.pair);
  }
  errno = saved_errno;
}

}  // namespace aiflame::agent::cuda
