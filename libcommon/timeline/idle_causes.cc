// SPDX-License-Identifier: MIT
#include "libcommon/timeline/idle_causes.h"

#include <algorithm>
#include <iterator>

#include "libcommon/text/text_match.h"

namespace aiflame {
namespace {

struct CauseText {
  std::string_view frame, meaning, advice;
};

// By IdleCause.
constexpr CauseText kTexts[kIdleCauses] = {
    {"[host waits for the device]",
     "The program waited for the device, which had finished: it was drained, and nothing was "
     "queued behind.",
     "Synchronise less: no .item(), .cpu() or print of a tensor in the loop; queue the next step "
     "before the results of this one are read."},
    {"[host copies]",
     "The program was inside of a copy while no engine of the device worked: pageable memory is "
     "staged by the CPU, or the call waited for something else.",
     "Copy from pinned memory and asynchronously, in fewer and larger pieces, or keep the data on "
     "the device."},
    {"[launch latency]",
     "The launch had returned, and the device had not begun: the driver, the queue or an event "
     "that the work waited for.",
     "Launch-bound: CUDA or HIP graphs, fewer and larger kernels, more work queued ahead, fewer "
     "dependencies between streams."},
    {"[in the runtime]",
     "The program was inside of a call of the runtime or the driver: a launch, an allocation, the "
     "loading of a module.",
     "Launch-bound: CUDA or HIP graphs, fewer and larger kernels; warm up before the loop, and "
     "take memory from a pool."},
    {"[host busy]",
     "The program ran on the CPU, and the device had nothing queued; the stack is what ran or, "
     "above [next launch], that of the launch that came next.",
     "CPU-bound: CUDA or HIP graphs, torch.compile, larger batches; move the code of the stack "
     "off the way to the next launch."},
    {"[host function]",
     "The device waited for a function of the host, which the program had put into a stream or a "
     "graph (cudaLaunchHostFunc).",
     "Shorten the function, or let another thread do its work; put it into a stream of its own, so "
     "that kernels need not wait for it."},
    {"[untraced]",
     "Nothing is recorded of what the program did; the stack is that of the next launch.",
     "Record CPU samples or Python functions (with_stack=True), or other threads, too."},
};

const CauseText& text_of(IdleCause cause) {
  return kTexts[static_cast<size_t>(cause)];
}

IdleCause cause_of(HostPhase phase) {
  switch (phase) {
    case HostPhase::waits:
      return IdleCause::host_waits;
    case HostPhase::copies:
      return IdleCause::host_copies;
    case HostPhase::calls:
      return IdleCause::runtime;
    case HostPhase::runs:
      return IdleCause::host_busy;
    case HostPhase::nothing:
      break;
  }
  return IdleCause::untraced;
}

void add_part(std::vector<IdlePart>& parts, const IdlePart& part) {
  IdlePart* last = parts.empty() ? nullptr : &parts.back();
  if (last != nullptr && last->cause == part.cause && last->what == part.what)
    last->to = part.to;
  else
    parts.push_back(part);
}

}  // namespace

bool is_idle_frame(std::string_view frame) {
  return is_one_of(frame, {kGpuIdle, kNotRecorded, kNextLaunch, kBeforeTheFirst, kAfterTheLast}) ||
         find_idle_cause(frame).has_value();
}

std::string_view idle_frame(IdleCause cause) {
  return text_of(cause).frame;
}

std::optional<IdleCause> find_idle_cause(std::string_view frame) {
  const auto* at = std::find_if(std::begin(kTexts), std::end(kTexts),
                                [&](const CauseText& one) { return one.frame == frame; });
  if (at == std::end(kTexts)) return std::nullopt;
  return static_cast<IdleCause>(at - std::begin(kTexts));
}

std::string_view meaning_of(IdleCause cause) {
  return text_of(cause).meaning;
}

std::string_view advice_against(IdleCause cause) {
  return text_of(cause).advice;
}

HostPhase phase_of_call(std::string_view name) {
  // cudaStreamWaitEvent waits on the device, not here. Copies come first: a call that copies may
  // say that it waits, too.
  if (contains_any(name, {"Memcpy", "MemoryCopy", "memory_copy", "memory_async_copy",
                          "MemBufferRead", "MemBufferWrite", "MemBufferCopy", "EnqueueReadBuffer",
                          "EnqueueWriteBuffer", "EnqueueCopyBuffer"}))
    return HostPhase::copies;
  // cudaDeviceSynchronize, zeEventHostSynchronize, clFinish, clWaitForEvents, urQueueFinish,
  // piEventsWait, hsa_signal_wait_scacquire
  if (contains_any(name, {"Synchronize", "QueueFinish", "clFinish", "WaitForEvents", "EventsWait",
                          "EventWait", "signal_wait"}) &&
      !contains(name, "Enqueue"))
    return HostPhase::waits;
  return HostPhase::calls;
}

std::vector<IdlePart> explain_gap(const DeviceGap& gap, std::optional<int64_t> launched,
                                  const std::function<HostMoment(int64_t time)>& host_at) {
  if (launched && *launched <= gap.from) return {{gap.from, gap.to, IdleCause::launch_latency, 0}};
  std::vector<IdlePart> out;
  for (int64_t now = gap.from; now < gap.to;) {
    const HostMoment moment = host_at(now);
    int64_t until = std::min(std::max(moment.until, now + 1), gap.to);
    IdleCause cause = cause_of(moment.phase);
    if (launched && now >= *launched) {
      if (cause != IdleCause::host_copies) cause = IdleCause::launch_latency;
    } else if (launched) {
      until = std::min(until, *launched);
    }
    const bool of_host = cause != IdleCause::untraced && cause != IdleCause::launch_latency;
    add_part(out, {now, until, cause, of_host ? moment.what : 0});
    now = until;
  }
  return out;
}

}  // namespace aiflame
