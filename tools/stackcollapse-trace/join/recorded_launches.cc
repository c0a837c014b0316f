// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/join/recorded_launches.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <vector>

#include "libcommon/text/text_match.h"
#include "tools/stackcollapse-trace/join/capture_spans.h"

namespace aiflame::trace {
namespace {

// cudaLaunchKernelExC, cuLaunchKernel, hipExtModuleLaunchKernel
bool launches_kernel(std::string_view name) {
  return starts_with_any(name, {"cu", "hip"}) && contains(name, "Launch") &&
         !contains(name, "HostFunc");
}

// The call of the program itself: the runtime's, which calls the driver's.
uint32_t outermost_call(const Trace& trace, uint32_t slice) {
  while (trace.slices[slice].parent != kNoNumber &&
         trace.slices[trace.slices[slice].parent].kind == Kind::runtime)
    slice = trace.slices[slice].parent;
  return slice;
}

struct Recorded {
  uint64_t works = 0;
  uint32_t graph = 0;
};

class Counting {
 public:
  Counting(const Trace& trace, const Launches& launches, const ImportedStacks& stacks)
      : trace_(trace), stacks_(stacks), calls_(calls_by_time(trace)) {
    for (const Work& work : trace.work) {
      last_ = std::max(last_, work.end());
      const Launch launch = launches.find(work);
      if (launch.slice == kNoNumber || trace.slices[launch.slice].kind != Kind::runtime) continue;
      Recorded& one = recorded_[outermost_call(trace, launch.slice)];
      ++one.works;
      one.graph = std::max(one.graph, work.graph);
    }
    for (const auto& [call, one] : recorded_)
      if (one.graph != 0) fullest_[one.graph] = std::max(fullest_[one.graph], one.works);
  }

  LaunchCoverage count() {
    find_captured();
    CoverageCount out;
    for (size_t i = 0; i < calls_.size(); ++i) {
      const uint32_t number = calls_[i];
      const Slice& call = trace_.slices[number];
      // what began later has its kernel behind the last one that is known
      if (call.start >= last_ || captured_[i] || outermost_call(trace_, number) != number) continue;
      const auto found = recorded_.find(number);
      const Recorded one = found == recorded_.end() ? Recorded() : found->second;
      if (call.graph)
        out.add_replay(one.works, one.graph == 0 ? one.works : fullest_[one.graph]);
      else if (launches_kernel(stacks_.text(call.frame)))
        out.add_launch(one.works > 0);
    }
    return out.sum();
  }

 private:
  // Goes through calls and captures by their begins.
  void find_captured() {
    captured_.resize(calls_.size());
    std::vector<CaptureSpan> spans = find_capture_spans(trace_, calls_, stacks_);
    std::sort(spans.begin(), spans.end(),
              [](const CaptureSpan& a, const CaptureSpan& b) { return a.begin < b.begin; });
    std::map<uint32_t, int64_t> until;  // by process
    size_t next = 0;
    for (size_t i = 0; i < calls_.size(); ++i) {
      const Slice& call = trace_.slices[calls_[i]];
      for (; next < spans.size() && spans[next].begin <= call.start; ++next) {
        int64_t& end = until.try_emplace(spans[next].process, INT64_MIN).first->second;
        end = std::max(end, spans[next].end);
      }
      const auto found = until.find(trace_.threads.process(call.thread));
      captured_[i] = found != until.end() && call.start < found->second;
    }
  }

  const Trace& trace_;
  const ImportedStacks& stacks_;
  const std::vector<uint32_t> calls_;
  std::vector<bool> captured_;             // by place in calls_
  std::map<uint32_t, Recorded> recorded_;  // by call
  std::map<uint32_t, uint64_t> fullest_;   // by graph: the kernels of its fullest replay
  int64_t last_ = INT64_MIN;
};

}  // namespace

LaunchCoverage count_recorded_launches(const Trace& trace, const Launches& launches,
                                       const ImportedStacks& stacks) {
  return Counting(trace, launches, stacks).count();
}

}  // namespace aiflame::trace
