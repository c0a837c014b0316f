// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/host_time.h"

#include "tools/stackcollapse-xplane/host_frames.h"
#include "tools/stackcollapse-xplane/nested_spans.h"

namespace aiflame::xplane {

void fold_host_time(const Plane& plane, const TimeBase& times, const RootFrames& roots,
                    const NameRules& rules, ImportedStacks& stacks) {
  HostFrames frames(plane, rules, stacks);
  Nanoseconds whole;
  for (const Line& line : plane.lines()) {
    std::vector<Span> spans;
    plane.each_event(line, [&](const Event& event) {
      const auto time = find_interval(times, line, event, stacks);
      if (!time) return;
      spans.push_back({.begin = time->begin, .end = time->end, .frame = frames.of(event.called)});
    });
    nest(spans);
    std::vector<uint32_t> own(spans.size());  // stacks, without the roots of a time
    std::vector<uint32_t> depth(spans.size());
    for (size_t i = 0; i < spans.size(); ++i) {
      const Span& one = spans[i];
      const uint32_t below = one.outer == Span::kNone
                                 ? stacks.append(ImportedStacks::kEmpty, stacks.root(line.name))
                                 : own[one.outer];
      depth[i] = one.outer == Span::kNone ? 1 : depth[one.outer] + 1;
      own[i] = depth[i] > kDeepest ? below : stacks.child(below, one.frame);
      const uint64_t time = whole.of(one.own);
      stacks.read(time);
      const uint32_t root = roots.stack_at(one.begin);
      stacks.add(root == ImportedStacks::kEmpty ? own[i] : stacks.append(root, own[i]), time);
    }
  }
}

}  // namespace aiflame::xplane
