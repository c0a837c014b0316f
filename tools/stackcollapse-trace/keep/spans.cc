// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/spans.h"

#include <algorithm>

#include "tools/stackcollapse-trace/keep/server_events.h"
#include "tools/stackcollapse-trace/keep/unnamed_devices.h"

namespace aiflame::trace {

SpanUse SpanKeeper::use_of(std::string_view category, bool known) const {
  SpanUse out;
  const std::vector<std::string>& wanted = settings_.stack_categories;
  const auto found = std::find(wanted.begin(), wanted.end(), category);
  out.root = !settings_.root_category.empty() && category == settings_.root_category;
  out.drawn = wanted.empty() ? !known && !out.root : found != wanted.end();
  out.rank = static_cast<uint64_t>(found - wanted.begin());
  return out;
}

void mark_span(Slice& span, const SpanUse& use) {
  span.kind = Kind::plain;
  span.id = use.rank;
  span.drawn = use.drawn;
  span.root = use.root;
  span.server = use.server;
}

void SpanKeeper::look_at(const Event& event) {
  if (event.phase != 'C') {
    server_ = server_ || is_server_event(event.name);
  } else if (const auto batch = parse_batch(event)) {
    server_ = true;
    trace_.batches.push_back(*batch);
  }
}

bool SpanKeeper::has_devices() const {
  for (uint32_t thread = 0; thread < trace_.threads.size(); ++thread)
    if (trace_.threads.process_name(trace_.threads.process(thread)).starts_with("/device:") ||
        is_unnamed_device(trace_, thread))
      return true;
  return false;
}

void SpanKeeper::finish() {
  if (!server_ && (!trace_.work.empty() || has_devices())) return;
  SpanUse use = use_of(server_ ? kServer : "", false);
  use.server = server_;
  for (const Uncategorised& one : trace_.uncategorised) {
    if (!use.drawn && !use.root) break;
    trace_.spans.push_back(one.slice);
    mark_span(trace_.spans[trace_.spans.size() - 1], use);
  }
  trace_.uncategorised = {};
}

}  // namespace aiflame::trace
