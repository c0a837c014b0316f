// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/write/stack_writer.h"

#include <algorithm>

#include "libcommon/timeline/idle_causes.h"
#include "libcommon/timeline/work_class.h"

namespace aiflame::collapse {

namespace {

// What to draw of each line, 0 for those of other events. The rest of a line's division goes to the
// sampler's next one, so that the sum is the time of all samples.
std::vector<uint64_t> scaled_counts(const DeviceCounts& counts, std::string_view event,
                                    const std::vector<TimeScale>& scales) {
  std::vector<uint64_t> out(counts.size());
  struct Sum {
    uint64_t samples = 0, time = 0;
  };
  std::vector<Sum> sums(scales.size());  // by sampler
  for (uint32_t number = 0; number < counts.size(); ++number) {
    const DeviceCounts::Line& line = counts.line(number);
    if (kDeviceEvents[line.event] != event) continue;
    if (scales.empty()) {
      out[number] = counts.count(number);
      continue;
    }
    Sum& sum = sums[line.sampler];
    sum.samples += counts.count(number);
    const uint64_t time = scales[line.sampler].of(sum.samples);
    out[number] = time - sum.time;
    sum.time = time;
  }
  return out;
}

// How many samples of each line of gpu-stall are exposed. Samples are shared among launches event
// by event, so a share of the exposed ones may be one larger than that of all: that one is hidden
// then.
std::vector<uint64_t> exposed_counts(const DeviceCounts& counts) {
  std::vector<uint64_t> out(counts.size());
  for (uint32_t number = 0; number < counts.size(); ++number) {
    DeviceCounts::Line line = counts.line(number);
    if (line.event != kStall) continue;
    line.event = kExposed;
    out[number] = std::min(counts.count(number), counts.count_of(line));
  }
  return out;
}

}  // namespace

StackWriter::StackWriter(FrameTables& tables, bool intervals, bool roots, bool hide_interpreter,
                         bool compiler_frames, GraphFrames graph_frames,
                         const RangeChoice& by_range)
    : tables_(tables),
      lines_(tables.texts),
      intervals_(intervals),
      roots_(roots),
      device_root_(tables.texts.number("[device]")),
      cpu_root_(tables.texts.number("[cpu]")),
      boundary_(tables.texts.number("-")),
      unknown_(tables.texts.number("[unknown]")),
      unknown_launch_(tables.texts.number("[unknown launch]")),
      exposed_root_(tables.texts.number(aiflame::kExposed)),
      hidden_root_(tables.texts.number(aiflame::kHidden)),
      not_recorded_(tables.texts.number(kNotRecorded)),
      graphs_(tables.texts, graph_frames),
      range_roots_(tables.texts, by_range) {
  if (!compiler_frames) compiler_.emplace(tables.texts);
  if (hide_interpreter) interpreter_.emplace(tables.texts);
}

void StackWriter::begin_line(uint32_t interval, uint32_t root, std::vector<uint32_t>& line) const {
  if (intervals_) line.push_back(interval);
  if (roots_) line.push_back(root);
}

void StackWriter::end_line(size_t begin, std::vector<uint32_t>& line) {
  range_roots_.add(line, begin + (intervals_ ? 1 : 0));
}

// From the process to the last frame of the device.
void StackWriter::append_device(const DeviceCounts::Line& drawn,
                                std::vector<uint32_t>& line) const {
  if (drawn.stack == DeviceCounts::kNoStack)
    line.insert(line.end(), {drawn.root, unknown_launch_});
  else
    append_stack(drawn.stack, line);
  if (drawn.code != 0) line.insert(line.end(), {boundary_, drawn.code});
}

// Why a device was idle, and the stack of the host. That it was not recorded has no stack.
void StackWriter::append_idle(const DeviceCounts::Line& drawn, bool is_idle,
                              std::vector<uint32_t>& line) const {
  line.push_back(is_idle ? drawn.root : not_recorded_);
  if (is_idle && drawn.stack != DeviceCounts::kNoStack) append_stack(drawn.stack, line);
}

// Root first. Frames without a name, number 0, are left out; a root has none in text without comms.
void StackWriter::append_stack(uint32_t stack, std::vector<uint32_t>& line) const {
  const size_t begin = line.size();
  tables_.stacks.each_frame(stack, [&](uint32_t frame) {
    if (frame != 0) line.push_back(frame);
  });
  uint32_t root = tables_.stacks.stack(stack).root;
  if (root == 0 && line.size() == begin) root = unknown_;
  if (root != 0) line.push_back(root);
  std::reverse(line.begin() + static_cast<ptrdiff_t>(begin), line.end());
  // the root is a process, and stays
  const size_t first = begin + (root != 0 ? 1 : 0);
  graphs_.choose(line, first);
  if (compiler_) compiler_->fold(line, first);
  if (interpreter_) interpreter_->hide(line, first);
}

void StackWriter::add_device(const DeviceCounts& counts, std::string_view event,
                             const std::vector<TimeScale>& scales) {
  const std::vector<uint64_t> drawn_counts = scaled_counts(counts, event, scales);
  lines_.add(counts.size(), [&](uint32_t number, std::vector<uint32_t>& line) {
    const DeviceCounts::Line& drawn = counts.line(number);
    const uint64_t count = drawn_counts[number];
    if (count == 0) return count;
    const size_t begin = line.size();
    begin_line(drawn.interval, device_root_, line);
    append_device(drawn, line);
    end_line(begin, line);
    return count;
  });
}

void StackWriter::add_exposed(const DeviceCounts& counts) {
  const std::vector<uint64_t> exposed = exposed_counts(counts);
  lines_.add(2 * counts.size(), [&](uint32_t number, std::vector<uint32_t>& line) {
    const DeviceCounts::Line& drawn = counts.line(number / 2);
    if (drawn.event != kStall) return uint64_t{0};
    const bool is_hidden = number % 2 != 0;
    const uint64_t count =
        is_hidden ? counts.count(number / 2) - exposed[number / 2] : exposed[number / 2];
    if (count == 0) return count;
    const size_t begin = line.size();
    if (intervals_) line.push_back(drawn.interval);
    line.push_back(is_hidden ? hidden_root_ : exposed_root_);
    append_device(drawn, line);
    end_line(begin, line);
    return count;
  });
}

void StackWriter::add_times(const DeviceCounts& counts, const DrawnTimes& times) {
  lines_.add(2 * counts.size(), [&](uint32_t number, std::vector<uint32_t>& line) {
    const DrawnTimes::Parts& parts = times.parts[number / 2];
    const DeviceCounts::Line& drawn = counts.line(number / 2);
    const bool is_second = number % 2 != 0;
    const uint64_t count = is_second ? parts.hidden : parts.shown;
    if (count == 0) return count;
    const size_t begin = line.size();
    begin_line(drawn.interval, device_root_, line);
    if (parts.is_marked) line.push_back(is_second ? hidden_root_ : exposed_root_);
    if (parts.is_gap)
      append_idle(drawn, parts.is_idle, line);
    else
      append_device(drawn, line);
    end_line(begin, line);
    return count;
  });
}

void StackWriter::add_cpu(const StackCounts& counts) {
  lines_.add(counts.size(), [&](uint32_t number, std::vector<uint32_t>& line) {
    const uint64_t count = counts.count(number);
    if (count == 0) return count;
    const StackCounts::Line counted = counts.line(number);
    const size_t begin = line.size();
    begin_line(counted.interval, cpu_root_, line);
    append_stack(counted.stack, line);
    end_line(begin, line);
    return count;
  });
}

}  // namespace aiflame::collapse
