// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/snapshot_builder.h"

#include <utility>

#include "libcommon/base/program.h"

namespace aiflame::torch_memory {
namespace {

using Kind = Value::Kind;

// Lists wait for the dictionary or list that they are in. Genuine ones wait four deep.
constexpr size_t kMostOpenLists = 4096;
// Frames of a stack. Genuine ones have a hundred.
constexpr size_t kLongestStack = size_t{1} << 16;

Action action_of(uint32_t word) {
  switch (word) {
    case kAlloc:
      return Action::alloc;
    case kFreeCompleted:
      return Action::free_completed;
    case kSegmentAlloc:
    case kSegmentMap:
      return Action::segment_add;
    case kSegmentFree:
    case kSegmentUnmap:
      return Action::segment_remove;
    case kOom:
      return Action::out_of_memory;
    case kAnnotate:
      return Action::annotate;
    default:
      return Action::other;
  }
}

void append_run(std::vector<EntryRun>& runs, uint32_t id) {
  if (!runs.empty() && runs.back().first + runs.back().count == id)
    ++runs.back().count;
  else
    runs.push_back({id, 1});
}

}  // namespace

void SnapshotBuilder::fail(Word key, const char* what) const {
  bytes_.fail(format("'%s' %s", std::string(kWordTexts[key]).c_str(), what));
}

// A missing number and None are the same: profilers write `'address': None`.
uint64_t SnapshotBuilder::number(Word key, uint64_t otherwise) const {
  if (!has(key) || values_[key].kind == Kind::none) return otherwise;
  const Value& value = values_[key];
  if (value.kind != Kind::integer) fail(key, "is no whole number");
  if (value.id != 0) fail(key, "is negative");
  return value.number;
}

uint64_t SnapshotBuilder::number(Word key) const {
  if (!has(key) || values_[key].kind == Kind::none) fail(key, "is missing");
  return number(key, 0);
}

// 0, a key and so no value, where there is none.
uint32_t SnapshotBuilder::text(Word key) const {
  if (!has(key) || values_[key].kind != Kind::text) return 0;
  const uint32_t id = values_[key].id;
  return id == kNotAvailable || snapshot_.texts.text(id).empty() ? 0 : id;
}

uint32_t SnapshotBuilder::frames_of(Word key) const {
  if (!has(key)) return Snapshot::kNoStack;
  switch (values_[key].kind) {
    case Kind::stack:
      return values_[key].id;
    case Kind::none:
    case Kind::empty_list:
      return Snapshot::kNoStack;
    default:
      fail(key, "is no list of frames");
  }
}

uint32_t SnapshotBuilder::stream() const {
  // the handle of a stream, which the writer may take as a signed number
  if (!has(kStream) || values_[kStream].kind != Kind::integer) return kUnknown;
  return snapshot_.streams.number(WideNumber::of(values_[kStream].number));
}

uint32_t SnapshotBuilder::pool(Word key) const {
  return has(key) && values_[key].kind == Kind::pool ? values_[key].id : kUnknown;
}

Value SnapshotBuilder::end_dict() {
  Value out{Kind::other};
  if (has(kAction))
    out = end_entry();
  else if (has(kFilename) && has(kName))
    out = end_frame();
  else if (has(kTotalSize) || has(kBlocks))
    out = end_segment();
  else if (has(kState) && has(kSize))
    out = end_block();
  else if (has(kRealSize))
    out = end_old_block();
  else if (has(kStage))
    out = end_annotation();
  else if (has(kSegments) || has(kDeviceTraces))
    out = end_snapshot();
  else if (has(kTraceAllocOverflowed) && values_[kTraceAllocOverflowed].kind != Kind::none)
    snapshot_.overflowed = values_[kTraceAllocOverflowed].number != 0;
  given_ = 0;
  return out;
}

Value SnapshotBuilder::end_entry() {
  const uint32_t word = values_[kAction].kind == Kind::text ? values_[kAction].id : 0;
  Entry entry;
  entry.action = action_of(word);
  if (entry.action == Action::other && word != kFreeRequested && word != kSnapshot)
    ++snapshot_.unknown_actions;
  entry.time = number(kTimeUs, 0);
  if (entry.action != Action::other) {
    entry.size = entry.action == Action::annotate ? 0 : number(kSize);
    if (entry.action == Action::out_of_memory)
      entry.address = number(kDeviceFree, 0);
    else
      entry.address = number(kAddr);
  }
  if (entry.action == Action::alloc || entry.action == Action::annotate) {
    entry.stack = frames_of(kFrames);
    entry.group =
        snapshot_.groups.number({stream(), pool(kPoolId), text(kUserMetadata), text(kCategory)});
  }
  return {Kind::entry, snapshot_.log.add(entry)};
}

// 0 where there is none. Since CPython 3.13 instructions may have no line: PyTorch writes -1,
// mostly as the unsigned number 2^64 - 1.
uint32_t SnapshotBuilder::line() const {
  const Value& value = values_[kLine];
  if (has(kLine) && value.kind == Kind::integer && value.number == UINT64_MAX) return 0;
  const uint64_t line = number(kLine, 0);
  if (line > UINT32_MAX) fail(kLine, "is too large");
  return static_cast<uint32_t>(line);
}

Value SnapshotBuilder::end_frame() {
  return {Kind::frame, snapshot_.frames.number({text(kName), text(kFilename), line()})};
}

Value SnapshotBuilder::end_block() {
  Block block;
  block.size = number(kSize);
  block.requested = number(kRequestedSize, block.size);
  for (const Word key : {kAddress, kAddr})
    if (has(key) && values_[key].kind == Kind::integer) block.address = number(key);
  block.stack = frames_of(kFrames);
  if (has(kHistory) && values_[kHistory].kind == Kind::old_blocks) {
    const OldBlock& last = old_blocks_[values_[kHistory].id];
    block.stack = last.stack;
    if (!has(kRequestedSize)) block.requested = last.size;
  }
  block.category = text(kCategory);
  switch (values_[kState].kind == Kind::text ? values_[kState].id : 0) {
    case kActiveAllocated:
      block.state = BlockState::active;
      break;
    case kActivePendingFree:
    case kActiveAwaitingFree:
      block.state = BlockState::pending_free;
      break;
    case kInactive:
      break;
    default:
      fail(kState, "is none of a block");
  }
  if (snapshot_.blocks.size() == UINT32_MAX) bytes_.fail("more than 4294967295 blocks");
  snapshot_.blocks.push_back(block);
  return {Kind::block, static_cast<uint32_t>(snapshot_.blocks.size() - 1)};
}

Value SnapshotBuilder::end_old_block() {
  old_blocks_.push_back({number(kRealSize), frames_of(kFrames)});
  return {Kind::old_block, static_cast<uint32_t>(old_blocks_.size() - 1)};
}

Value SnapshotBuilder::end_segment() {
  Segment segment;
  segment.device = number(kDevice, 0);
  if (segment.device >= Snapshot::kMostDevices) fail(kDevice, "is too large");
  segment.address = number(kAddress, 0);
  segment.size = number(kTotalSize, 0);
  segment.stream = stream();
  segment.pool = pool(kSegmentPoolId);
  if (has(kBlocks)) {
    const Value& blocks = values_[kBlocks];
    if (blocks.kind == Kind::blocks) {
      segment.blocks = std::exchange(runs_[blocks.id], {});
      if (segment.blocks.empty()) fail(kBlocks, "are those of another segment");
    } else if (blocks.kind != Kind::empty_list) {
      fail(kBlocks, "is no list of blocks");
    }
  }
  segments_.push_back(std::move(segment));
  return {Kind::segment, static_cast<uint32_t>(segments_.size() - 1)};
}

Value SnapshotBuilder::end_annotation() {
  const uint32_t stage = text(kStage), name = text(kName);
  if (name == 0 || (stage != kStart && stage != kEnd)) return {Kind::other};
  annotations_.push_back({number(kDevice, 0), number(kTimeUs), name, stage == kStart});
  return {Kind::annotation, static_cast<uint32_t>(annotations_.size() - 1)};
}

Value SnapshotBuilder::end_snapshot() {
  if (has(kDeviceTraces)) {
    const Value& traces = values_[kDeviceTraces];
    if (traces.kind == Kind::traces) {
      const std::vector<uint32_t>& ids = ids_[traces.id];
      if (ids.size() > Snapshot::kMostDevices) fail(kDeviceTraces, "has too many lists");
      for (const uint32_t id : ids) {
        std::vector<EntryRun>& to = snapshot_.traces.emplace_back();
        if (id == kUnknown) continue;
        to = std::exchange(runs_[id], {});
        if (to.empty()) fail(kDeviceTraces, "has one list twice");
      }
    } else if (traces.kind != Kind::empty_list) {
      fail(kDeviceTraces, "is no list of lists of entries");
    }
  }
  if (has(kSegments)) {
    const Value& segments = values_[kSegments];
    if (segments.kind == Kind::segments)
      use_segments(ids_[segments.id]);
    else if (segments.kind != Kind::empty_list)
      fail(kSegments, "is no list of segments");
  }
  if (has(kHostTraces)) {
    const Value& traces = values_[kHostTraces];
    const auto count = [&](uint32_t id) {
      for (const EntryRun& run : runs_[id]) snapshot_.host_entries += run.count;
    };
    if (traces.kind == Kind::entries) count(traces.id);
    if (traces.kind == Kind::traces)
      for (const uint32_t id : ids_[traces.id])
        if (id != kUnknown) count(id);
  }
  if (has(kHostSegments) && values_[kHostSegments].kind == Kind::segments)
    snapshot_.host_segments += ids_[values_[kHostSegments].id].size();
  if (has(kExternalAnnotations) && values_[kExternalAnnotations].kind == Kind::annotations)
    for (const uint32_t id : ids_[values_[kExternalAnnotations].id])
      snapshot_.annotations.push_back(annotations_[id]);
  return {Kind::snapshot};
}

void SnapshotBuilder::use_segments(const std::vector<uint32_t>& ids) {
  // one that is there twice would be counted twice
  for (const uint32_t id : ids)
    snapshot_.segments.push_back(std::exchange(segments_[id], Segment()));
}

Value SnapshotBuilder::begin_list() {
  if (!free_.empty()) {
    const uint32_t out = free_.back();
    free_.pop_back();
    return {Kind::open_list, out};
  }
  if (open_.size() == kMostOpenLists) bytes_.fail("lists are nested too deep");
  open_.emplace_back();
  return {Kind::open_list, static_cast<uint32_t>(open_.size() - 1)};
}

void SnapshotBuilder::append(uint32_t list, Value item) {
  List& to = open_[list];
  Kind kind = item.kind;
  uint32_t id = item.id;
  if (kind == Kind::empty_list) {
    // a device without entries
    kind = Kind::entries;
    id = kUnknown;
  }
  if (to.item == Kind::none) to.item = kind;
  if (to.item != kind) to.item = Kind::other;
  switch (to.item) {
    case Kind::entry:
    case Kind::block:
      append_run(to.runs, id);
      break;
    case Kind::frame:
      if (to.ids.size() == kLongestStack)
        bytes_.fail(format("a stack of more than %zu frames", kLongestStack));
      to.ids.push_back(id);
      break;
    case Kind::entries:
    case Kind::segment:
    case Kind::old_block:
    case Kind::annotation:
      to.ids.push_back(id);
      break;
    default:
      break;
  }
}

Value SnapshotBuilder::end_list(uint32_t list) {
  List& from = open_[list];
  Value out{Kind::other};
  const auto keep = [&](Kind kind, auto& kept, auto& items) {
    kept.push_back(std::exchange(items, {}));
    out = {kind, static_cast<uint32_t>(kept.size() - 1)};
  };
  switch (from.item) {
    case Kind::frame:
      out = {Kind::stack, snapshot_.stacks.number(from.ids)};
      break;
    case Kind::entry:
      keep(Kind::entries, runs_, from.runs);
      break;
    case Kind::block:
      keep(Kind::blocks, runs_, from.runs);
      break;
    case Kind::entries:
      keep(Kind::traces, ids_, from.ids);
      break;
    case Kind::segment:
      keep(Kind::segments, ids_, from.ids);
      break;
    case Kind::old_block:
      out = {Kind::old_blocks, from.ids.front()};
      break;
    case Kind::annotation:
      keep(Kind::annotations, ids_, from.ids);
      break;
    default:
      break;
  }
  from.item = Kind::none;
  from.ids.clear();
  from.runs.clear();
  free_.push_back(list);
  return out;
}

Value SnapshotBuilder::pair(Value first, Value second) {
  if (first.kind != Kind::integer || second.kind != Kind::integer) return {Kind::other};
  return {Kind::pool,
          snapshot_.pools.number({WideNumber::of(first.number), WideNumber::of(second.number)})};
}

void SnapshotBuilder::finish(Value value) {
  switch (value.kind) {
    case Kind::snapshot:
      break;
    case Kind::segments:  // torch.cuda.memory_snapshot()
      use_segments(ids_[value.id]);
      break;
    default:
      throw Error(snapshot_.name +
                  ": this pickle is no memory snapshot: it has no 'segments' and "
                  "no 'device_traces'");
  }
}

}  // namespace aiflame::torch_memory
