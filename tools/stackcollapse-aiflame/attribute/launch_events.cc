// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/launch_events.h"

#include <algorithm>

#include "tools/stackcollapse-aiflame/read/globs.h"

namespace aiflame::collapse {

// `perf probe -x LIBRARY FUNCTION` names its group after the library.
const char kDefaultLaunchEvents[] =
    "aiflame_launch:*,"
    "probe_libOpenCL:clEnqueueNDRangeKernel,"
    "probe_libze_loader:zeCommandListAppendLaunch*Kernel*,"
    "probe_libcuda:cuLaunch*Kernel*,probe_libcuda:cuGraphLaunch,"
    "probe_libamdhip64:hip*Launch*Kernel*,probe_libamdhip64:hipGraphLaunch";

std::string_view kernel_argument(std::string_view arguments) {
  for (const std::string name : kKernelArguments) {
    const std::string key = " " + name + "=\"";
    const size_t at = arguments.find(key);
    if (at == std::string_view::npos) continue;
    const std::string_view value = arguments.substr(at + key.size());
    return value.substr(0, value.find('"'));
  }
  return {};
}

bool is_kernel_name(std::string_view text) {
  return !text.empty() && text != "(fault)";
}

LaunchEvents::LaunchEvents(const std::string& patterns, size_t max_counts)
    : max_counts_(std::max<size_t>(max_counts, 16)) {
  size_t at = 0;
  while (at <= patterns.size()) {
    const size_t end = std::min(patterns.find(',', at), patterns.size());
    if (end > at) patterns_.push_back(patterns.substr(at, end - at));
    at = end + 1;
  }
}

bool LaunchEvents::is_launch(std::string_view event) {
  if (event == last_event_) return last_is_launch_;
  last_event_ = event;
  const auto [known, added] = known_.try_emplace(last_event_, false);
  // perf probe's name of a return probe: the launch was counted when it began
  if (added && !event.ends_with("__return")) known->second = matches_any(patterns_, event);
  last_is_launch_ = known->second;
  return last_is_launch_;
}

void LaunchEvents::add(int64_t pid, uint32_t kernel, uint32_t stack, uint32_t thread,
                       std::optional<uint64_t> time) {
  const auto bits = static_cast<uint64_t>(pid);
  const uint32_t key[] = {static_cast<uint32_t>(bits),
                          static_cast<uint32_t>(bits >> 32),
                          kernel,
                          stack,
                          thread,
                          time ? 1U : 0U};
  const uint32_t number = keys_.number(key, std::size(key));
  if (number == launches_.size()) {
    launches_.push_back({pid, kernel, stack, thread, 0});
    if (!time) untimed_.push_back(number);
  }
  ++launches_[number].count;
  if (!time) return;
  const uint64_t step = *time / width_;
  if (counts_.size() > compacted_ && counts_.back().step == step &&
      counts_.back().launch == number && counts_.back().count < UINT32_MAX) {
    ++counts_.back().count;
    return;
  }
  counts_.push_back({step, number, 1});
  if (counts_.size() >= std::min(2 * compacted_ + 65536, max_counts_)) compact();
}

// In order of time, one count for each launch and step; the steps made longer until they are few.
void LaunchEvents::compact() {
  for (;;) {
    std::sort(counts_.begin(), counts_.end(), [](const Count& a, const Count& b) {
      return a.step != b.step ? a.step < b.step : a.launch < b.launch;
    });
    size_t kept = 0;
    for (const Count& count : counts_) {
      Count* last = kept > 0 ? &counts_[kept - 1] : nullptr;
      if (last != nullptr && last->step == count.step && last->launch == count.launch)
        last->count =
            count.count > UINT32_MAX - last->count ? UINT32_MAX : last->count + count.count;
      else
        counts_[kept++] = count;
    }
    counts_.resize(kept);
    if (kept <= max_counts_ / 2 || width_ > UINT64_MAX / 4) break;
    width_ *= 2;
    for (Count& count : counts_) count.step /= 2;
  }
  compacted_ = counts_.size();
}

void LaunchEvents::each(uint64_t from, uint64_t to, const Body& body) {
  if (counts_.size() > compacted_) compact();
  if (to <= from) return;
  const uint64_t last = (to - 1) / width_;
  auto at = std::lower_bound(counts_.begin(), counts_.end(), from / width_,
                             [](const Count& count, uint64_t step) { return count.step < step; });
  for (; at != counts_.end() && at->step <= last; ++at) body(at->launch, at->count);
}

}  // namespace aiflame::collapse
