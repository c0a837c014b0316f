// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/fold/server_frames.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "libcommon/import/imported_names.h"

namespace aiflame::trace {

ServerFrames::ServerFrames(const Trace& trace, ImportedStacks& stacks)
    : trace_(trace), stacks_(stacks), infos_(trace.slices.size()) {
  find_batches();
  count_tokens();
  find_recompilations();
  make_stacks();
}

bool ServerFrames::fits(const Trace& trace) {
  return !trace.slices.empty() && std::all_of(trace.slices.begin(), trace.slices.end(),
                                              [](const Slice& span) { return span.server; });
}

const ServerEvent& ServerFrames::event(uint32_t frame) {
  if (events_.size() <= frame) events_.resize(frame + 1);
  if (!events_[frame]) events_[frame] = parse_server_event(stacks_.text(frame));
  return *events_[frame];
}

void ServerFrames::find_batches() {
  for (uint32_t i = 0; i < infos_.size(); ++i) {
    const Slice& slice = trace_.slices[i];
    const ServerEvent& event = this->event(slice.frame);
    Info& info = infos_[i];
    if (slice.parent != kNoNumber) info = infos_[slice.parent];
    if (event.kind == ServerEvent::Kind::warm_up) {
      info = {.warms_up = true};
      first_warm_up_ = std::min(first_warm_up_, slice.start);
      continue;
    }
    if (info.batch == kNoNumber) {
      info.batch = static_cast<uint32_t>(batches_.size());
      BatchInfo& batch = batches_.emplace_back();
      batch.slice = i;
      batch.start = slice.start;
      batch.end = slice.end;
      batch.warms_up = info.warms_up || event.name.starts_with("warmup_");
    }
    BatchInfo& batch = batches_[info.batch];
    info.warms_up = batch.warms_up;
    info.compiles |= event.kind == ServerEvent::Kind::compile;
    if (batch.phase == Phase::unknown) batch.phase = event.phase;
    if (batch.bucket == kNoNumber && !event.bucket.empty()) batch.bucket = slice.frame;
    compilations_ |= info.compiles && !info.warms_up;
  }
}

// A counter has the time just before its batch, or within it.
void ServerFrames::count_tokens() {
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < batches_.size(); ++i)
    if (batches_[i].phase != Phase::unknown) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::make_tuple(batches_[a].start, a) < std::make_tuple(batches_[b].start, b);
  });
  for (const Batch& counted : trace_.batches) {
    auto at = std::upper_bound(
        order.begin(), order.end(), counted.time,
        [&](int64_t time, uint32_t batch) { return time < batches_[batch].start; });
    if (at != order.begin() && batches_[at[-1]].end > counted.time) --at;
    if (at == order.end() || batches_[*at].phase != counted.phase) continue;
    batches_[*at].tokens = counted.tokens;
    batches_[*at].bucket_tokens = counted.bucket_tokens;
  }
}

// Where the server does not say what it compiles, a bucket that the warm-up has left out is
// compiled when it comes for the first time.
void ServerFrames::find_recompilations() {
  if (compilations_ || first_warm_up_ == INT64_MAX) return;
  std::vector<BatchInfo*> order;
  for (BatchInfo& batch : batches_)
    if (batch.bucket != kNoNumber) order.push_back(&batch);
  std::sort(order.begin(), order.end(), [](const BatchInfo* a, const BatchInfo* b) {
    return std::make_tuple(a->start, a->slice) < std::make_tuple(b->start, b->slice);
  });
  std::set<std::pair<Phase, std::string>> seen;
  for (BatchInfo* batch : order)
    batch->recompiled = seen.emplace(batch->phase, bucket_of(*batch)).second && !batch->warms_up &&
                        batch->start > first_warm_up_;
}

void ServerFrames::make_stacks() {
  for (BatchInfo& batch : batches_) batch.stack = batch_stack(batch);
  stacks_of_.resize(infos_.size());
  for (uint32_t i = 0; i < infos_.size(); ++i) stacks_of_[i] = slice_stack(i);
}

uint32_t ServerFrames::batch_stack(const BatchInfo& batch) {
  const char* root = batch.warms_up                                                ? "warm-up"
                     : first_warm_up_ != INT64_MAX && batch.start < first_warm_up_ ? "start-up"
                                                                                   : "serving";
  uint32_t stack = stacks_.child(ImportedStacks::kEmpty, root);
  if (batch.phase != Phase::unknown)
    stack = stacks_.child(stack, batch.phase == Phase::prefill ? "prefill" : "decode");
  if (batch.bucket != kNoNumber) stack = stacks_.child(stack, bucket_of(batch));
  if (batch.recompiled) stack = stacks_.child(stack, "[recompilation] " + bucket_of(batch));
  return stack;
}

uint32_t ServerFrames::slice_stack(uint32_t i) {
  const Slice& slice = trace_.slices[i];
  const ServerEvent& event = this->event(slice.frame);
  if (event.kind == ServerEvent::Kind::warm_up)
    return stacks_.child(ImportedStacks::kEmpty, "warm-up");
  const BatchInfo& batch = batches_[infos_[i].batch];
  const uint32_t below = batch.slice == i ? batch.stack : stacks_of_[slice.parent];
  // the frames of the batch say it already
  if (event.kind == ServerEvent::Kind::phase || event.name.starts_with("warmup_")) return below;
  if (event.kind != ServerEvent::Kind::compile)
    return stacks_.child(below, range_frame(event.name));
  std::string what = batch.warms_up ? "[compilation]" : "[recompilation]";
  if (!batch.warms_up && batch.bucket != kNoNumber) what += " " + bucket_of(batch);
  return stacks_.child(stacks_.child(below, what), module_frame(event.name));
}

void ServerFrames::add(uint32_t root, uint32_t slice, uint64_t time) {
  const Info& info = infos_[slice];
  if (info.warms_up) stacks_.part("of the warm-up", time);
  uint64_t padding = 0;
  if (info.batch != kNoNumber) {
    const BatchInfo& batch = batches_[info.batch];
    if (info.compiles || batch.recompiled) {
      if (!info.warms_up) stacks_.part("of recompilation", time);
    } else if (!batch.warms_up && batch.bucket_tokens > 0) {
      // in two steps: the whole product may not fit
      const uint64_t unused = batch.bucket_tokens - batch.tokens;
      padding = time / batch.bucket_tokens * unused +
                time % batch.bucket_tokens * unused / batch.bucket_tokens;
    }
    if (padding > 0) {
      stacks_.part("of padding", padding);
      stacks_.add(stacks_.child(stacks_.append(root, batch.stack), "[padding]"), padding);
    }
  }
  if (time > padding) stacks_.add(stacks_.append(root, stacks_of_[slice]), time - padding);
}

}  // namespace aiflame::trace
