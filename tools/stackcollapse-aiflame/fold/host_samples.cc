// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/host_samples.h"

#include <algorithm>
#include <tuple>

#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"

namespace aiflame::collapse {
namespace {

// "cudaLaunchKernel", "__cudaLaunchKernel", "cuLaunchKernel", "clFinish", "zeEventHostSynchronize",
// "hipMalloc", "hsa_signal_wait_scacquire": a prefix of the runtime, and a capital. What the agent
// does is within such a call, and libraries
// without symbols show their names.
bool is_runtime_function(std::string_view name) {
  for (const std::string_view whole :
       {"aiflame::agent::", "[libOpenCL.so", "[libcuda", "[libze_", "[libhsa-", "[libamdhip"})
    if (name.starts_with(whole)) return true;
  while (name.starts_with('_')) name.remove_prefix(1);
  if (name.starts_with("hsa_")) return true;
  for (const std::string_view prefix : {"cuda", "cu", "hip", "cl", "ze", "zet"})
    if (name.size() > prefix.size() && name.starts_with(prefix) && name[prefix.size()] >= 'A' &&
        name[prefix.size()] <= 'Z')
      return true;
  return false;
}

// So that the sums below fit: four seconds.
constexpr uint64_t kMostPeriod = UINT32_MAX;

}  // namespace

void HostSamples::add(std::string_view event, int64_t tid, uint64_t time, uint32_t stack,
                      uint64_t period) {
  if (event != event_) {
    event_ = event;
    samples_.clear();
    is_full_ = false;
  }
  if (samples_.size() >= kMostSamples) {
    is_full_ = true;
    return;
  }
  is_sorted_ = false;
  samples_.push_back({tid, time, std::clamp<uint64_t>(period, 1, kMostPeriod), stack});
}

bool HostSamples::is_in_runtime(uint32_t stack) {
  if (in_runtime_.size() <= stack) in_runtime_.resize(stack + size_t{1});
  uint8_t& known = in_runtime_[stack];
  if (known == 0) {
    known = 1;
    tables_.stacks.each_frame(stack, [&](uint32_t frame) {
      if (is_runtime_function(tables_.texts.text(frame))) known = 2;
    });
  }
  return known == 2;
}

// The samples that count, in found_.
void HostSamples::find(int64_t tid, uint64_t from, uint64_t to) {
  if (!is_sorted_)
    std::stable_sort(samples_.begin(), samples_.end(), [](const Sample& a, const Sample& b) {
      return std::tie(a.tid, a.time) < std::tie(b.tid, b.time);
    });
  is_sorted_ = true;
  found_.clear();
  auto at = std::upper_bound(samples_.begin(), samples_.end(), std::tuple(tid, from),
                             [](const std::tuple<int64_t, uint64_t>& wanted, const Sample& other) {
                               return wanted < std::tuple(other.tid, other.time);
                             });
  for (; at != samples_.end() && at->tid == tid && at->time <= to; ++at)
    if (!is_in_runtime(at->stack)) found_.push_back(&*at);
}

uint64_t HostSamples::share(int64_t tid, uint64_t from, uint64_t to, uint64_t time,
                            const std::function<void(uint32_t stack, uint64_t time)>& give) {
  if (samples_.empty()) return time;
  add_saturating(asked_, time);
  // where samples are missing, those that are there would get too much
  if (is_full_) return time;
  find(tid, from, to);
  __extension__ typedef unsigned __int128 Wide;
  Wide all = 0, before = 0;
  for (const Sample* one : found_) all += one->period;
  const uint64_t shared = all < time ? static_cast<uint64_t>(all) : time;
  add_saturating(shared_, shared);
  // each sample gets what it and those before it have together, without what those have
  uint64_t given = 0;
  for (const Sample* one : found_) {
    before += one->period;
    const auto until = static_cast<uint64_t>(before * shared / all);
    if (until > given) give(one->stack, until - given);
    given = until;
  }
  return time - shared;
}

void HostSamples::report() const {
  if (useless_ > 0 && samples_.empty())
    hint(
        "CPU samples of cpu-clock with times of CLOCK_MONOTONIC say what the host did while a "
        "device was idle: 'perf record -k CLOCK_MONOTONIC -e cpu-clock -g'");
  if (asked_ == 0) return;
  if (is_full_)
    warn("more than %zu CPU samples: [host busy] has the launch that came next", kMostSamples);
  say("[host busy]: %.9f of %.9f s apportioned by CPU samples (%s), slice by slice",
      static_cast<double>(shared_) / 1e9, static_cast<double>(asked_) / 1e9,
      printable(event_).c_str());
}

}  // namespace aiflame::collapse
