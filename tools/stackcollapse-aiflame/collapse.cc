// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/collapse.h"

#include <sys/stat.h>

#include <algorithm>

#include "libcommon/parse.h"
#include "libcommon/program.h"

namespace aiflame {
namespace {

using Kind = PerfRecord::Kind;

constexpr std::string_view kDeviceEvents[] = {"gpu-stall", "gpu-clock", "gpu-time"};
constexpr std::string_view kRecording = "# gpustall ";
constexpr uint32_t kStall = 0, kClockSample = 1, kTime = 2;
constexpr uint32_t kNoStack = UINT32_MAX;
// Launches that perf has recorded have their number in LaunchEvents plus this.
constexpr uint64_t kPerfLaunch = uint64_t{1} << 63;

bool is_device_event(std::string_view event) {
  return std::find(std::begin(kDeviceEvents), std::end(kDeviceEvents), event) !=
         std::end(kDeviceEvents);
}

void add_checked(uint64_t& sum, uint64_t more) {
  if (more > UINT64_MAX - sum) throw Error("more than 18446744073709551615 samples");
  sum += more;
}

// For keys: as bytes, text is not needed.
void append_place(const std::optional<CodePlace>& place, std::string& key) {
  if (!place) return;
  key.append(reinterpret_cast<const char*>(&place->file_offset), sizeof place->file_offset);
  key.append(place->path).append("\n");
}

}  // namespace

void Collapse::Counts::add(uint32_t number, uint64_t count) {
  if (number >= by_number.size()) by_number.resize(number + size_t{1});
  add_checked(by_number[number], count);
}

Collapse::Collapse(Settings settings)
    : settings_(std::move(settings)),
      text_frames_(settings_.frames, settings_.sources),
      filter_(settings_.filter),
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
  PerfDataInput(std::move(source), directory, settings_.frames, settings_.sources, *this).read();
}

// ---- perf script -------------------------------------------------------------------------------

uint32_t Collapse::stack_of(const PerfRecord& record, size_t first_frame) {
  const uint32_t root = known_.root(record);
  scratch_.clear();
  for (size_t i = first_frame; i < record.frames.size(); ++i)
    scratch_.push_back(
        known_.frame(record.frames[i],
                     i < record.sources.size() ? record.sources[i] : std::string_view(), root));
  return stacks_.number(root, scratch_.data(), scratch_.size());
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

uint32_t Collapse::timed_stack(uint32_t stack, std::optional<uint64_t> time) {
  if (!settings_.by_time.is_set()) return stack;
  return timed_stacks_.number({interval(time), stack});
}

void Collapse::count(uint32_t stack, uint64_t count, std::optional<uint64_t> time) {
  count_in(interval(time), stack, count);
}

void Collapse::count_in(uint32_t interval, uint32_t stack, uint64_t count) {
  add_checked(cpu_total_, count);
  if (settings_.by_time.is_set()) stack = timed_stacks_.number({interval, stack});
  cpu_stacks_.add(stack, count);
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

bool Collapse::draws(const PerfRecord& record) {
  if (!wants(record.event)) return false;
  const auto pid = record.has_pid ? std::optional<int64_t>(record.pid) : std::nullopt;
  return passes({record.comm, pid, record.tid, record.time});
}

void Collapse::count(const PerfRecord& record, uint32_t stack) {
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

// ---- launches that perf has recorded -----------------------------------------------------------

// Where the event is chosen by name it is drawn as any other.
bool Collapse::is_launch(std::string_view event) {
  return !event.empty() && launch_events_.is_launch(event) &&
         !(cpu_event_known_ && event == cpu_event_);
}

void Collapse::launch(const PerfDataLaunch& launch) {
  const SampleOrigin& origin = launch.origin;
  if (launch_event_.empty()) {
    launch_event_ = launch.event;
    launch_first_ = !cpu_event_known_;
  }
  ++launch_samples_[std::string(launch.event)];
  if (launch.event == launch_event_) {
    if (filter_.passes(origin)) {
      add_checked(launch_total_, 1);
      launch_stacks_.add(timed_stack(launch.stack, origin.time), 1);
    } else {
      ++launches_filtered_;
      if (filter_.lacks(origin)) ++launches_untold_;
    }
  }
  const uint32_t kernel =
      is_kernel_name(launch.kernel) ? texts_.number(launch.kernel) : Attribution::kUnknownKernel;
  uint32_t thread = 0;
  if (filter_.of_threads()) {
    PerfRecord whose;
    whose.comm = origin.comm;
    whose.has_pid = origin.pid.has_value();
    whose.pid = origin.pid.value_or(origin.tid);
    whose.tid = origin.tid;
    thread = origins_.thread(whose);
  }
  const bool timed = launch.monotonic && origin.time;
  if (!timed && timeless_.empty()) timeless_ = launch.input;
  launch_events_.add(origin.pid.value_or(origin.tid), kernel, launch.stack, thread,
                     timed ? origin.time : std::nullopt);
}

void Collapse::take_launch_sample(const PerfScriptReader& reader, const PerfRecord& record) {
  PerfDataLaunch out;
  out.input = reader.name();
  out.event = record.event;
  const auto pid = record.has_pid ? std::optional<int64_t>(record.pid) : std::nullopt;
  out.origin = {record.comm, pid, record.tid, record.time};
  out.monotonic = monotonic_text_;
  out.kernel = kernel_argument(record.arguments);
  out.stack = stack_of(record, 0);
  if (in_threads_)
    later_.push_back({record.line, std::string(out.event), std::string(record.comm),
                      std::string(out.kernel), pid, record.tid, record.time, out.stack});
  else
    launch(out);
}

void Collapse::add_launch(uint32_t number, uint64_t count, Witness witness) {
  const LaunchEvents::Launch& launch = launch_events_.launches()[number];
  const uint64_t id = kPerfLaunch + number;
  if (!attribution_.defined(id)) attribution_.define(id, launch.pid, launch.kernel, 0, witness);
  if (witness == Witness::timeless)
    attribution_.launched_sometime(id, count);
  else
    attribution_.launched(id, count, std::nullopt);
}

// Those of a slice that begins; those between it and the one before have been launched earlier.
void Collapse::add_launches(uint64_t from, uint64_t to) {
  if (launch_events_.launches().empty()) return;
  const auto add = [this](uint32_t launch, uint64_t count) {
    add_launch(launch, count, Witness::other);
  };
  if (!sliced_) {
    for (const uint32_t number : launch_events_.untimed())
      add_launch(number, launch_events_.launches()[number].count, Witness::timeless);
    if (!launch_events_.untimed().empty() && !timeless_told_) {
      timeless_told_ = true;
      warn(
          "%s: launch events without a time of CLOCK_MONOTONIC are joined by process alone; "
          "'perf record -k CLOCK_MONOTONIC' gives them one",
          timeless_.c_str());
    }
  }
  sliced_ = true;
  if (from > launches_until_) {
    launch_events_.each(launches_until_, from, add);
    attribution_.end_slice();
  }
  launch_events_.each(from, to, add);
  launches_until_ = std::max(launches_until_, to);
}

uint32_t Collapse::launch_stack(uint64_t launch) const {
  return launch >= kPerfLaunch ? launch_events_.launches()[launch - kPerfLaunch].stack
                               : launches_.at(launch).stack;
}

bool Collapse::is_nameless(uint64_t launch) const {
  return launch >= kPerfLaunch
             ? launch_events_.launches()[launch - kPerfLaunch].kernel == Attribution::kUnknownKernel
             : launches_.at(launch).nameless;
}

// Is it drawn, by its thread: the launch's own where one is known, and the root, else the sample's?
bool Collapse::passes_thread(uint64_t launch, uint32_t own) const {
  if (launch == 0) return origins_.passes(own);
  if (launch < kPerfLaunch) return origins_.passes(launches_.at(launch).thread);
  return !filter_.of_threads() ||
         origins_.passes(launch_events_.launches()[launch - kPerfLaunch].thread);
}

// Without a device they are samples of an event like any other.
void Collapse::draw_launches_as_samples() {
  for (const auto& [event, samples] : launch_samples_) statistics_.cpu[event] += samples;
  if (launch_event_.empty() || (cpu_event_known_ && !launch_first_)) return;
  cpu_event_ = launch_event_;
  cpu_stacks_ = launch_stacks_;
  cpu_total_ = launch_total_;
  statistics_.cpu_filtered = launches_filtered_;
  statistics_.untold = launches_untold_;
}

// ---- gpustall(5) -------------------------------------------------------------------------------

void Collapse::begin_recording() {
  end_recording();
  devices_ = 0;
}

void Collapse::end_recording() {
  attribution_.forget();
  objects_.forget();
  forget_codes();
  launches_.clear();
  statistics_.recorded += slice_time_ * std::max<uint64_t>(devices_, 1);
  current_launch_ = 0;
  recording_samples_ = recording_launches_ = 0;
  slice_time_ = covered_ = 0;
  slice_start_.reset();
  origins_.forget_devices();
  sliced_ = false;
  launches_until_ = 0;
}

void Collapse::take_recorded(const PerfScriptReader& reader, const PerfRecord& record) {
  switch (record.kind) {
    case Kind::recording:
      begin_recording();
      break;
    case Kind::header:
      take_header(record);
      break;
    case Kind::mapped:
      objects_.map(record.cpu.value_or(0), record.pid, record.address, record.size,
                   record.file_offset, std::string(record.path));
      forget_codes();
      break;
    case Kind::unmapped:
      objects_.unmap(record.cpu.value_or(0), record.pid, record.address, record.size);
      forget_codes();
      break;
    case Kind::launch:
      current_launch_ = record.launch;
      break;
    case Kind::launched:
      take_launched(reader, record);
      break;
    case Kind::slice:
      take_slice(record);
      break;
    case Kind::lost:
      if (record.of_launches) {
        add_checked(statistics_.lost_launches, record.count.value_or(0));
        statistics_.lost_launches_unknown |= !record.count;
      } else {
        add_checked(statistics_.lost, record.count.value_or(0));
        statistics_.lost_unknown |= !record.count;
      }
      break;
    case Kind::end:
      take_end(reader, record);
      break;
    case Kind::comment:
      break;
    case Kind::sample:
      if (record.event == "gpu-launch")
        define_launch(reader, record);
      else if (record.event == "gpu-stall" || record.event == "gpu-clock")
        take_device_sample(reader, record);
      else if (draws(record))
        count(record, stack_of(record, 0));
      break;
  }
}

void Collapse::take_header(const PerfRecord& record) {
  std::string_view number = record.key;
  if (!take_prefix(number, "device ")) return;
  ++devices_;
  if (const auto index = parse_number<uint64_t>(number))
    origins_.describe_device(*index, record.value);
}

std::optional<CodePlace> Collapse::place_of(const PerfRecord& record, uint64_t address) const {
  if (address == 0) return std::nullopt;
  const auto found = objects_.find(record.cpu.value_or(0), record.pid, address);
  if (!found) return std::nullopt;
  return CodePlace{*found->path, found->file_offset};
}

void Collapse::define_launch(const PerfScriptReader& reader, const PerfRecord& record) {
  if (current_launch_ == 0)
    throw Error(reader.place(record) + ": a gpu-launch needs '# launch N' before it");
  if (current_launch_ >= kPerfLaunch)
    throw Error(reader.place(record) + ": a launch number of more than 9223372036854775807");
  Frame kernel;
  if (record.frames.empty() || !parse_frame(record.frames.front(), kernel))
    throw Error(reader.place(record) + ": a gpu-launch needs its kernel as first frame");
  const auto [at, added] = launches_.try_emplace(current_launch_);
  Launch& launch = at->second;
  if (added) {
    launch.kernel = texts_.number(kernel.symbol);
    launch.stack = stack_of(record, 1);
    launch.device = origins_.device(record.cpu.value_or(0));
    launch.name = origins_.kernel(kernel.symbol);
    launch.thread = origins_.thread(record);
    launch.nameless = kernel.symbol == "[unknown kernel]";
  }
  const uint64_t start = kernel.address - kernel.offset;
  attribution_.define(current_launch_, record.pid,
                      launch.nameless ? Attribution::kUnknownKernel : launch.kernel,
                      kernel.address == 0 ? 0 : start);
  if (kernel.address != 0) launch.start = place_of(record, start);
}

void Collapse::take_launched(const PerfScriptReader& reader, const PerfRecord& record) {
  const auto launch = launches_.find(record.launch);
  if (launch == launches_.end())
    throw Error(format("%s: launch %llu is not known", reader.place(record).c_str(),
                       static_cast<unsigned long long>(record.launch)));
  add_checked(recording_launches_, *record.count);
  attribution_.launched(record.launch, *record.count, record.busy);
  add_checked(statistics_.launches, *record.count);
  if (!record.busy) return;
  statistics_.busy_measured = true;
  add_checked(statistics_.busy, *record.busy);
  if (*record.busy == 0) return;
  // gpu-time: a stack that ends with the kernel
  DeviceCode code;
  code.kernel = texts_.text(launch->second.kernel);
  code.start = launch->second.start;
  key_.assign("t").append(code.kernel).append("\n");
  append_place(code.start, key_);
  bool added = false;
  const uint32_t number = codes_.number(key_, &added);
  if (added) code_texts_.push_back(texts_.number(device_frames_.fold(code)));
  const Launch& whose = launch->second;
  device_time_ = slice_start_;
  give(cells_.number({kTime, 0, code_texts_[number], whose.device, whose.name, whose.thread}),
       record.launch, *record.busy, How::exact);
}

void Collapse::take_slice(const PerfRecord& record) {
  attribution_.end_slice();
  slice_start_ = record.start;
  add_launches(record.start, record.stop);
  current_launch_ = 0;
  // slices of several devices overlap: the time recorded is what they cover together
  const uint64_t from = std::max(record.start, covered_);
  if (record.stop > from) {
    slice_time_ += record.stop - from;
    covered_ = record.stop;
  }
}

// What a device sample's lines say, wherever else they stand while the same objects are loaded.
Collapse::KnownCode Collapse::code_of(const PerfScriptReader& reader, const PerfRecord& record) {
  const uint64_t where[] = {static_cast<uint64_t>(record.pid), record.cpu.value_or(0)};
  key_.assign(reinterpret_cast<const char*>(where), sizeof where);
  for (const std::string_view line : record.frames) key_.append(line).append("\n");
  const Digest digest = digester_.of(key_, 0);
  const uint32_t known = code_numbers_.find(digest);
  if (known != code_numbers_.kNone) return known_codes_[known];
  code_numbers_.set(digest, static_cast<uint32_t>(known_codes_.size()));
  known_codes_.push_back(read_code(reader, record));
  return known_codes_.back();
}

// An object came or went: the same address may be other code now.
void Collapse::forget_codes() {
  code_numbers_ = {};
  known_codes_.clear();
}

Collapse::KnownCode Collapse::read_code(const PerfScriptReader& reader, const PerfRecord& record) {
  // leaf first: `0 REASON ([stall])`, helpers, the kernel
  std::vector<Frame>& frames = device_code_;
  frames.clear();
  DeviceCode code;
  for (const std::string_view line : record.frames) {
    Frame frame;
    if (!parse_frame(line, frame))
      throw Error(reader.place(record) + ": a frame of this sample has no address");
    if (frame.object == "[stall]" && frame.address == 0 && frames.empty())
      code.reason = frame.symbol;
    else
      frames.push_back(frame);
  }
  KnownCode out;
  if (!frames.empty()) {
    const Frame& leaf = frames.front();
    const Frame& kernel = frames.back();
    code.kernel = kernel.symbol;
    for (size_t i = frames.size() - 1; i-- > 0;) code.helpers.push_back(frames[i].symbol);
    if (leaf.has_offset) code.offset = leaf.offset;
    code.place = place_of(record, leaf.address);
    if (kernel.has_offset && kernel.address >= kernel.offset)
      out.start = kernel.address - kernel.offset;
    code.start = place_of(record, out.start);
    if (kernel.symbol != "[unknown]") out.kernel = texts_.number(kernel.symbol);
  }
  out.name = origins_.kernel(code.kernel);
  // The lines and where their object stood say all that is drawn: named once, then looked up.
  key_.assign("s");
  for (const std::string_view line : record.frames) key_.append(line).append("\n");
  for (const auto* place : {&code.place, &code.start}) append_place(*place, key_);
  bool added = false;
  const uint32_t number = codes_.number(key_, &added);
  if (added) code_texts_.push_back(texts_.number(device_frames_.fold(code)));
  out.text = code_texts_[number];
  return out;
}

void Collapse::take_device_sample(const PerfScriptReader& reader, const PerfRecord& record) {
  if (current_launch_ != 0 && launches_.count(current_launch_) == 0)
    throw Error(format("%s: launch %llu is not known", reader.place(record).c_str(),
                       static_cast<unsigned long long>(current_launch_)));
  if (!sliced_) add_launches(0, UINT64_MAX);
  const KnownCode code = code_of(reader, record);
  DeviceSample sample;
  sample.pid = record.pid;
  sample.launch = current_launch_;
  sample.count = *record.period;
  sample.kernel = code.kernel;
  sample.address = code.start;
  const uint32_t event = record.event == "gpu-stall" ? kStall : kClockSample;
  sample.cell =
      cells_.number({event, known_.root(record), code.text, origins_.device(record.cpu.value_or(0)),
                     code.name, origins_.thread(record)});
  device_time_ = slice_start_ ? slice_start_ : record.time;
  device_event_seen_[event] = true;
  add_checked(device_events_[event].samples, sample.count);
  add_checked(recording_samples_, sample.count);
  attribution_.sample(sample);
}

void Collapse::take_end(const PerfScriptReader& reader, const PerfRecord& record) {
  const auto check = [&](const char* what, const std::optional<uint64_t>& told, uint64_t read) {
    if (told && *told != read)
      throw Error(format("%s: the recording says it has %llu %s, but %llu are here",
                         reader.place(record).c_str(), static_cast<unsigned long long>(*told), what,
                         static_cast<unsigned long long>(read)));
  };
  check("samples", record.samples, recording_samples_);
  check("launches", record.launches, recording_launches_);
  end_recording();
}

void Collapse::give(uint32_t cell, uint64_t launch, uint64_t count, How how) {
  const Cell& what = cells_.key(cell);
  const uint32_t event = what.event;
  EventCounts& counts = device_events_[event];
  device_event_seen_[event] = true;
  if (event == kTime) add_checked(counts.samples, count);
  if (!origins_.passes(what.device) || !origins_.passes(what.kernel) ||
      !passes_thread(launch, what.thread) || !filter_.passes_time(device_time_)) {
    add_checked(counts.filtered, count);
    return;
  }
  switch (how) {
    case How::exact:
      add_checked(counts.exact, count);
      break;
    case How::apportioned:
      add_checked(counts.apportioned, count);
      if (is_nameless(launch)) add_checked(counts.nameless, count);
      break;
    case How::unattributed:
      add_checked(counts.unattributed, count);
      break;
  }
  const DeviceLine line = {event, launch == 0 ? kNoStack : launch_stack(launch),
                           launch == 0 ? what.root : 0, what.code, interval(device_time_)};
  device_counts_.add(device_lines_.number(line), count);
}

// ---- output ------------------------------------------------------------------------------------

void Collapse::append_interval(uint32_t interval, std::string& out) const {
  if (settings_.by_time.is_set()) out.append(texts_.text(interval)).append(";");
}

// Root first; frames without a name are left out.
void Collapse::append_stack(uint32_t stack, std::string& out) const {
  std::vector<uint32_t> frames;
  stacks_.each_frame(stack, [&](uint32_t frame) { frames.push_back(frame); });
  out += texts_.text(stacks_.stack(stack).root);
  for (size_t i = frames.size(); i-- > 0;) {
    const std::string_view frame = texts_.text(frames[i]);
    if (!frame.empty()) out.append(";").append(frame);
  }
}

// A map sorts bytewise, and adds up stacks that differ in their raw lines alone.
void Collapse::write_lines(Output& out, std::map<std::string, uint64_t>& lines,
                           uint64_t expected) const {
  uint64_t written = 0;
  for (const auto& [stack, count] : lines) {
    out.write(stack);
    out.write(" " + std::to_string(count) + "\n");
    written += count;
  }
  if (written != expected) throw Error("internal: the counts written are not the samples read");
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

  std::map<std::string, uint64_t> lines;
  uint64_t expected = 0;
  if (draw_device) {
    const EventCounts& counts = told.device[told.drawn];
    expected = counts.samples - counts.filtered;
    for (uint32_t number = 0; number < device_counts_.by_number.size(); ++number) {
      const DeviceLine& drawn = device_lines_.key(number);
      const uint64_t count = device_counts_.by_number[number];
      if (count == 0 || kDeviceEvents[drawn.event] != told.drawn) continue;
      std::string line;
      append_interval(drawn.interval, line);
      if (both) line += "[device];";
      if (drawn.stack == kNoStack)
        line.append(texts_.text(drawn.root)).append(";[unknown launch]");
      else
        append_stack(drawn.stack, line);
      line.append(";-;").append(texts_.text(drawn.code));
      add_checked(lines[line], count);
    }
  }
  if (draw_cpu) {
    add_checked(expected, cpu_total_);
    for (uint32_t number = 0; number < cpu_stacks_.by_number.size(); ++number) {
      const uint64_t count = cpu_stacks_.by_number[number];
      if (count == 0) continue;
      const TimedStack counted = counted_stack(number);
      std::string line;
      append_interval(counted.interval, line);
      if (both) line += "[cpu];";
      append_stack(counted.stack, line);
      add_checked(lines[line], count);
    }
  }
  write_lines(out, lines, expected);
}

}  // namespace aiflame
