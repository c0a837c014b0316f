// SPDX-License-Identifier: MIT
// Spans are events that are drawn as they nest, each with the time that nothing on it took: those
// of categories that nobody here knows, those of vLLM's server for Gaudi, and those of the
// categories that the user names.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tools/stackcollapse-trace/keep/trace.h"
#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

// What becomes of the events of a category.
struct SpanUse {
  bool drawn = false;
  bool root = false;  // --root-cat
  bool server = false;
  uint64_t rank = 0;  // of two with the same times, the lower one is the outer one
};

class SpanKeeper {
 public:
  // What vLLM's server writes has no category; options call it so.
  static constexpr std::string_view kServer = "vllm-gaudi";

  SpanKeeper(Trace& trace, const TraceSettings& settings) : trace_(trace), settings_(settings) {}

  // `known`: its events have another meaning already.
  SpanUse use_of(std::string_view category, bool known) const;
  // An event without a category, or a counter, has been read.
  void look_at(const Event& event);
  // All events are read: takes those without a category, if they are spans.
  void finish();

 private:
  bool has_devices() const;

  Trace& trace_;
  const TraceSettings& settings_;
  bool server_ = false;
};

// Writes its use into a span.
void mark_span(Slice& span, const SpanUse& use);

}  // namespace aiflame::trace
