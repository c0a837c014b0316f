// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/host_time.h"

#include "tools/stackcollapse-xplane/deep_stack.h"
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
    DeepStack thread;
    thread.base = stacks.append(ImportedStacks::kEmpty, stacks.root(line.name));
    std::vector<DeepStack> own(spans.size());  // without the roots of a time
    for (size_t i = 0; i < spans.size(); ++i) {
      const Span& one = spans[i];
      own[i] = (one.outer == Span::kNone ? thread : own[one.outer]).on_top(one.frame, stacks);
      const uint64_t time = whole.of(one.own);
      stacks.read(time);
      const uint32_t root = roots.stack_at(one.begin);
      const uint32_t stack = own[i].stack;
      stacks.add(root == ImportedStacks::kEmpty ? stack : stacks.append(root, stack), time);
      if (own[i].is_truncated()) stacks.part(kDeeper, time);
    }
  }
}

}  // namespace aiflame::xplane
