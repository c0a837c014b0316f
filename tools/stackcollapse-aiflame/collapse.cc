// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/collapse.h"

#include <sys/stat.h>

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/memory/large_memory.h"
#include "tools/stackcollapse-aiflame/attribute/device_events.h"
#include "tools/stackcollapse-aiflame/fold/checked_sum.h"
#include "tools/stackcollapse-aiflame/fold/folded_lines.h"
#include "tools/stackcollapse-aiflame/name/interpreter_frames.h"

namespace aiflame::collapse {
namespace {

using Kind = GpustallRecord::Kind;

constexpr std::string_view kRecording = "# gpustall ";

}  // namespace

void Collapse::Counts::add(uint32_t number, uint64_t count) {
  if (number >= by_number.size()) by_number.resize(number + size_t{1});
  add_checked(by_number[number], count);
}

Collapse::Collapse(Settings settings, KnownLines* common)
    : settings_(std::move(settings)),
      text_frames_(settings_.frames, settings_.sources),
      filter_(settings_.filter),
      known_(common != nullptr ? KnownLines(*common, text_frames_)
                               : KnownLines(texts_, stacks_, settings_.frames, text_frames_)),
      launch_events_(settings_.launch_events),
      attribution_([this](uint32_t cell, uint64_t launch, uint64_t count, How how) {
        give(cell, launch, count, how);
      }),
      origins_(filter_),
      device_frames_(settings_.device) {
  texts_.number("");  // number 0: no frame
  statistics_.filtering = filter_.any();
  // With --cpu a device's event says nothing of which CPU samples stand beside it.
  if (!settings_.event.empty() && !(settings_.cpu && is_device_event(settings_.event))) {
    cpu_event_ = settings_.event;
    cpu_event_known_ = true;
  }
}

void Collapse::read_all(const std::vector<std::string>& paths) {
  struct stat status {};
  std::vector<std::string> recordings;
  std::vector<std::unique_ptr<ByteSource>> streams;
  for (const std::string& path : paths) {
    if (is_perf_data_directory(path)) {
      read_perf_data(ByteSource(path + "/data"), path);
      continue;
    }
    auto source = std::make_unique<ByteSource>(path);
    if (paths.size() == 1 || !source->peek(kRecording.size()).starts_with(kRecording))
      read_source(std::move(*source));
    else if (path != "-" && stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
      recordings.push_back(path);
    else
      streams.push_back(std::move(source));
  }
  for (const std::string& path : recordings) read_source(ByteSource(path));
  for (const auto& stream : streams) read_source(std::move(*stream));
}

void Collapse::read_source(ByteSource&& source) {
  if (is_perf_data(source.peek(8)))
    read_perf_data(std::move(source), "");
  else
    read_text(std::move(source));
}

void Collapse::read_perf_data(ByteSource&& source, const std::string& directory) {
  take_huge_pages();
  PerfDataSink& sink = *this;
  perf_data_ = std::make_unique<PerfDataInput>(std::move(source), directory, settings_.frames,
                                               settings_.sources, sink);
  perf_data_->read();
}

// ---- perf script -------------------------------------------------------------------------------

uint32_t Collapse::stack_of(const GpustallRecord& record, size_t first_frame) {
  return stacks_.number(known_.stack(record, first_frame));
}

bool Collapse::wants(std::string_view event) {
  if (cpu_count_ == nullptr || event != cpu_counted_) {
    cpu_counted_ = event;
    cpu_count_ = &statistics_.cpu[cpu_counted_];
  }
  ++*cpu_count_;
  if (event.empty()) return true;
  if (!cpu_event_known_) {
    cpu_event_ = event;
    cpu_event_known_ = true;
  }
  return event == cpu_event_;
}

// The number that is counted.
uint32_t Collapse::timed_stack(const TimedStack& timed) {
  return settings_.by_time.is_set() ? timed_stacks_.number(timed) : timed.stack;
}

void Collapse::count(uint32_t stack, uint64_t count, std::optional<uint64_t> time) {
  count_in({interval(time), stack}, count);
}

void Collapse::count_in(const TimedStack& timed, uint64_t count) {
  add_checked(cpu_total_, count);
  cpu_stacks_.add(timed_stack(timed), count);
}

// What cpu_stacks_ counts under a number.
Collapse::TimedStack Collapse::counted_stack(uint32_t number) const {
  return settings_.by_time.is_set() ? timed_stacks_.key(number) : TimedStack{0, number};
}

bool Collapse::passes(const SampleOrigin& origin) {
  if (!filter_.any() || filter_.passes(origin)) return true;
  ++statistics_.cpu_filtered;
  if (filter_.lacks(origin)) ++statistics_.untold;
  return false;
}

void Collapse::tell_whole(const std::string& input, uint64_t first, uint64_t last) {
  if (!filter_.needs_whole()) return;
  if (last == 0)
    throw Error(input +
                ": option '--time': parts in percent need the times of the first and last sample, "
                "which perf record writes into a file's header (not with -B, unless with "
                "--timestamp-boundary), and nothing else does");
  filter_.of_whole(first, last);
}

uint32_t Collapse::interval(std::optional<uint64_t> time) {
  return settings_.by_time.is_set() ? texts_.number(settings_.by_time.name(time)) : 0;
}

bool Collapse::draws(const GpustallRecord& record) {
  if (!wants(record.event)) return false;
  const auto pid = record.has_pid ? std::optional<int64_t>(record.pid) : std::nullopt;
  return passes({record.comm, pid, record.tid, record.time});
}

void Collapse::count(const GpustallRecord& record, uint32_t stack) {
  count(stack, std::max<uint64_t>(record.period.value_or(1), 1), record.time);
}

// ---- perf.data ---------------------------------------------------------------------------------

uint32_t Collapse::root(std::string_view comm, int32_t pid, int32_t tid) {
  return texts_.number(root_frame(comm, true, pid, tid, settings_.frames));
}

bool Collapse::is_java(uint32_t root) {
  return texts_.text(root).starts_with("java");
}

uint32_t Collapse::frame(const std::vector<CodeFrame>& code, uint32_t root) {
  return texts_.number(fold_code(code, texts_.text(root), settings_.frames));
}

uint32_t Collapse::stack(const std::vector<uint32_t>& items) {
  return stacks_.number(items.front(), items.data() + 1, items.size() - 1);
}

// ---- output ------------------------------------------------------------------------------------

// Root first; frames without a name, number 0, are left out.
void Collapse::append_stack(uint32_t stack, std::vector<uint32_t>& line) const {
  const auto begin = static_cast<ptrdiff_t>(line.size());
  stacks_.each_frame(stack, [&](uint32_t frame) {
    if (frame != 0) line.push_back(frame);
  });
  line.push_back(stacks_.stack(stack).root);
  std::reverse(line.begin() + begin, line.end());
}

void Collapse::write(Output& out) {
  end_recording();
  Statistics& told = statistics_;
  for (size_t event = 0; event < std::size(kDeviceEvents); ++event)
    if (device_event_seen_[event])
      told.device[std::string(kDeviceEvents[event])] = device_events_[event];
  if (!settings_.event.empty()) {
    told.drawn = settings_.event;
  } else {
    for (const std::string_view event : kDeviceEvents)
      if (told.drawn.empty() && told.device.count(std::string(event)) != 0) told.drawn = event;
  }
  told.chosen = !settings_.event.empty();
  // Samples of a recording without its comments (`grep -v '^#'`) are perf's, whatever their name.
  const bool draw_device = is_device_event(told.drawn) &&
                           (told.device.count(told.drawn) != 0 || told.cpu.count(told.drawn) == 0);
  if (draw_device)
    for (const auto& [event, samples] : launch_samples_) add_checked(told.launches, samples);
  else
    draw_launches_as_samples();
  told.cpu_event = cpu_event_;
  if (!draw_device) told.drawn = told.chosen ? settings_.event : cpu_event_;
  const bool draw_cpu = !draw_device || settings_.cpu;
  told.cpu_drawn = draw_cpu && draw_device;
  // a graph of both has a root for each
  const bool both = draw_device && settings_.cpu;

  FoldedLines lines(texts_);
  const uint32_t device_root = texts_.number("[device]"), cpu_root = texts_.number("[cpu]");
  const auto begin_line = [&](uint32_t interval, uint32_t root, std::vector<uint32_t>& line) {
    if (settings_.by_time.is_set()) line.push_back(interval);
    if (both) line.push_back(root);
  };
  std::optional<InterpreterFrames> interpreter;
  if (settings_.hide_interpreter) interpreter.emplace(texts_);
  // CPU frames: the root, which is a process, stays
  const auto append_frames = [&](uint32_t stack, std::vector<uint32_t>& line) {
    const size_t root = line.size();
    append_stack(stack, line);
    if (interpreter) interpreter->hide(line, root + 1);
  };
  uint64_t expected = 0;
  if (draw_device) {
    const EventCounts& counts = told.device[told.drawn];
    expected = counts.samples - counts.filtered;
    const uint32_t boundary = texts_.number("-"), unknown = texts_.number("[unknown launch]");
    lines.add(device_counts_.size(), [&](uint32_t number, std::vector<uint32_t>& line) {
      const DeviceLine& drawn = device_lines_.key(number);
      const uint64_t count = device_counts_.by_number[number];
      if (count == 0 || kDeviceEvents[drawn.event] != told.drawn) return uint64_t{0};
      begin_line(drawn.interval, device_root, line);
      if (drawn.stack == kNoStack)
        line.insert(line.end(), {drawn.root, unknown});
      else
        append_frames(drawn.stack, line);
      line.insert(line.end(), {boundary, drawn.code});
      return count;
    });
  }
  if (draw_cpu) {
    add_checked(expected, cpu_total_);
    lines.add(cpu_stacks_.size(), [&](uint32_t number, std::vector<uint32_t>& line) {
      const uint64_t count = cpu_stacks_.by_number[number];
      if (count == 0) return count;
      const TimedStack counted = counted_stack(number);
      begin_line(counted.interval, cpu_root, line);
      append_frames(counted.stack, line);
      return count;
    });
  }
  if (lines.write(out) != expected)
    throw Error("internal: the counts written are not the samples read");
}

}  // namespace aiflame::collapse
