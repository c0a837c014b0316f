// SPDX-License-Identifier: MIT
// Keeps of each event what joining needs.
#pragma once

#include <string>
#include <vector>

#include "tools/stackcollapse-trace/keep/category.h"
#include "tools/stackcollapse-trace/keep/frame_names.h"
#include "tools/stackcollapse-trace/keep/onnx_nodes.h"
#include "tools/stackcollapse-trace/keep/rank_scope.h"
#include "tools/stackcollapse-trace/keep/spans.h"
#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

class EventKeeper {
 public:
  EventKeeper(Trace& trace, FrameNames& names, const TraceSettings& settings,
              ImportedStacks& stacks)
      : trace_(trace),
        names_(names),
        settings_(settings),
        stacks_(stacks),
        spans_(trace, settings) {}

  void keep(const Event& event);
  // All events are kept.
  void finish();
  // Events of the host that were without a time; those of devices are lost by name.
  uint64_t malformed() const { return malformed_; }

 private:
  // Of a category.
  struct Meaning {
    Role role;
    SpanUse use;
  };
  // What a {"ph":"B"} was kept as, until its end comes: places in the trace's arrays.
  struct Begun {
    static constexpr size_t kNot = SIZE_MAX;
    size_t slice = kNot, span = kNot, uncategorised = kNot, work = kNot;
  };

  const Meaning& meaning(const Event& event);
  void keep_complete(const Event& event, Role what);
  void keep_slice(const Event& event, Kind kind);
  uint32_t frame_of(const Event& event, Role role);
  void keep_span(const Event& event, Role role, const SpanUse& use);
  void add(const Event& event, const Slice& slice, GrowingArray<Slice>& slices);
  void begin(const Event& event);
  void end(const Event& event);
  void end(const Begun& begun, int64_t time);
  void keep_unnamed(const Event& event);
  void keep_work(const Event& event, Role role);
  void keep_graph_node(const Event& event);
  void keep_onnx(const Event& event);
  void keep_device_range(const Event& event);
  void keep_flow(const Event& event, Flows& flows);
  void keep_metadata(const Event& event);
  uint32_t collective_of(const Event& event);
  uint32_t thread_of(const Event& event) {
    return trace_.threads.number(event.process, event.thread, scope_.file());
  }

  Trace& trace_;
  FrameNames& names_;
  const TraceSettings& settings_;
  ImportedStacks& stacks_;
  TextTable categories_;
  std::vector<Meaning> meanings_;  // by category
  SpanKeeper spans_;
  RankScope scope_;
  OnnxNodes onnx_;
  std::vector<std::vector<Begun>> begun_;  // by thread
  int64_t latest_ = INT64_MIN;             // when the last slice ended
  std::string name_;
  uint64_t malformed_ = 0;
};

}  // namespace aiflame::trace
