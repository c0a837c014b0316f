// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/recorder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <tuple>

#include "libcommon/program.h"
#include "tools/gpustall-record/device_code.h"

namespace aiflame {
namespace {

// The comm of samples and records whose process nobody told of.
const std::string kNobody = "[device]";

// A time told by an agent is not believed beyond this: the clocks are the same, and a tick is 20
// ms.
constexpr uint64_t kAheadNs = 1000000000;

// Samples of code that is gone come this late at most: what a source waits for when its device is
// stopped, and a tick.
constexpr uint64_t kLateNs = 50000000;

// Distinct (thread, kernel, stack) in a recording: some 400 MB. Launches of more are counted as
// lost. A program that makes a thread for each launch gets there.
constexpr size_t kMaxStacks = 1 << 20;

// Of one process: no machine has as many, and no agent numbers more.
constexpr uint32_t kMaxDevices = 256;

// Of agents that tell samples and never the end of their slice: some 70 MB.
constexpr size_t kMaxUndrained = 1 << 20;

// Different lines for the user, from agents.
constexpr size_t kMaxMessages = 64;

}  // namespace

Recorder::Recorder(Output& out, std::string event, uint64_t origin, uint64_t interval_ns,
                   const std::string& objects_directory)
    : out_(out),
      writer_(out),
      event_(std::move(event)),
      slices_(origin, interval_ns),
      store_(objects_directory),
      now_(origin),
      before_(origin),
      last_time_(origin) {}

void Recorder::begin(const std::vector<std::string>& header) {
  writer_.begin();
  for (const std::string& line : header) writer_.header(line);
  out_.flush();
}

void Recorder::tick(uint64_t now) {
  before_ = now_;
  now_ = now;
}

// ---- what the source tells ---------------------------------------------------------------------

void Recorder::take(const gpustall_event& event) {
  switch (event.type) {
    case GPUSTALL_EVENT_PROCESS:
      comms_[event.pid] = event.u.text;
      break;
    case GPUSTALL_EVENT_LOAD:
      take_load(event);
      break;
    case GPUSTALL_EVENT_UNLOAD: {
      SliceEvent out;
      out.kind = SliceEvent::Kind::unload;
      out.time = event.time;
      out.pid = event.pid;
      out.device = event.device;
      Objects& objects = objects_[event.device];
      out.object = objects.at(event.pid, event.u.object.address);
      objects.unload(event.pid, event.u.object.address);
      if (out.object != nullptr) slices_.event(out);
      break;
    }
    case GPUSTALL_EVENT_SAMPLE:
      take_sample(event);
      break;
    case GPUSTALL_EVENT_LOST: {
      SliceEvent out;
      out.kind = SliceEvent::Kind::lost_samples;
      out.time = event.time;
      out.pid = event.pid;
      out.device = event.device;
      out.count = event.u.number;
      slices_.event(out);
      break;
    }
    case GPUSTALL_EVENT_EXIT:
      slices_.process_gone(event.pid, event.time);
      break;
    default:
      break;  // of a newer plugin
  }
}

void Recorder::take_load(const gpustall_event& event) {
  const gpustall_object& from = event.u.object;
  auto object = std::make_shared<CodeObject>();
  object->address = from.address;
  object->bytes = from.bytes;
  object->path = from.saved[0] != '\0' ? from.saved : store_.save(event.pid, from.path);
  for (uint32_t i = 0; i < from.function_count; ++i) {
    const gpustall_function& f = from.functions[i];
    object->functions.push_back(CodeObject::Function{
        f.address, f.bytes, f.name, kernels_.number(f.kernel), std::string(f.name) == f.kernel});
  }
  SliceEvent out;
  out.kind = SliceEvent::Kind::load;
  out.time = event.time;
  out.pid = event.pid;
  out.device = event.device;
  out.file_offset = from.file_offset;
  out.object = object;
  slices_.event(out);
  objects_[event.device].load(event.pid, std::move(object));
}

void Recorder::take_sample(const gpustall_event& event) {
  const gpustall_sample& from = event.u.sample;
  TimedSample sample;
  sample.time = event.time;
  sample.address = from.address;
  sample.count = from.count;
  sample.pid = event.pid;
  sample.device = event.device;
  sample.reason = from.reason == nullptr ? 0 : reasons_.number(from.reason);
  sample.object = objects_[event.device].at(event.pid, from.address);
  if (sample.object != nullptr) {
    const CodeObject::Function* function = sample.object->function_at(from.address);
    // outside of every function (a PLT stub, say): the kernel's all the same
    if (function != nullptr)
      sample.kernel = function->kernel;
    else if (!sample.object->functions.empty())
      sample.kernel = sample.object->functions.front().kernel;
  }
  slices_.sample(sample);
  last_time_ = std::max(last_time_, event.time);
  totals_.samples += from.count;
}

// ---- what the agents tell ----------------------------------------------------------------------

void Recorder::on_connected(uint32_t pid) {
  // a new program in the process: what the old one left has ended
  slices_.process_gone(pid, now_);
  cpu_names_.forget(pid);
  python_frames_.forget(pid);
  forget_stacks(pid);
  forget_code(pid);
  forget_devices(pid);
  agent_reasons_.forget(pid);
  // until the source tells more, where it knows of processes at all
  std::ifstream file(format("/proc/%u/comm", pid));
  std::string comm;
  if (std::getline(file, comm) && !comm.empty()) comms_.try_emplace(pid, comm);
}

// The ids of its stacks say nothing of the program, or the process, that gets its pid next.
void Recorder::forget_stacks(uint32_t pid) {
  launch_numbers_.erase(launch_numbers_.lower_bound({pid, 0}),
                        launch_numbers_.upper_bound({pid, UINT64_MAX}));
}

// A place that is a card's means all its tiles. One that no device of the source has is another
// device, behind the source's; of one that has none it cannot be said which it is, so that its code
// may be on each.
void Recorder::on_device(uint32_t pid, uint32_t number, std::string_view place) {
  if (number == 0 || number > kMaxDevices) return;
  const auto is_in = [](std::string_view part, std::string_view whole) {
    return part.starts_with(whole) && (part.size() == whole.size() || part[whole.size()] == ' ');
  };
  std::vector<uint32_t>& devices = agent_devices_[{pid, number}];
  devices.clear();
  // a source that cannot see where its devices sit learns it of the agents
  if (samples_by_agents_ && !place.empty())
    for (auto& [device, at] : places_)
      if (at.empty() || at == place) {
        at = place;
        devices.push_back(device);
        return;
      }
  for (const auto& [device, at] : places_)
    if (place.empty() || is_in(at, place) || is_in(place, at)) devices.push_back(device);
  if (devices.empty())
    devices.push_back((places_.empty() ? 0 : places_.rbegin()->first + 1) + number - 1);
}

// Not empty.
const std::vector<uint32_t>& Recorder::devices_of(uint32_t pid, uint32_t number) const {
  static const std::vector<uint32_t> first{0};
  const auto known = agent_devices_.find({pid, number});
  return known == agent_devices_.end() || known->second.empty() ? first : known->second;
}

void Recorder::forget_devices(uint32_t pid) {
  agent_devices_.erase(agent_devices_.lower_bound({pid, 0}),
                       agent_devices_.upper_bound({pid, UINT32_MAX}));
}

void Recorder::on_map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                      std::string_view path, bool first) {
  if (first) cpu_names_.forget(pid);
  cpu_names_.map(pid, start, end, file_offset, std::string(path));
}

void Recorder::on_text(uint32_t pid, uint64_t id, std::string_view function, std::string_view file,
                       uint32_t line) {
  python_frames_.add(pid, id, function, file, line);
}

void Recorder::on_python(uint32_t pid, uint32_t version) {
  // a recording that has met more is being lied to
  constexpr size_t kMost = 16;
  if (totals_.pythons.size() >= kMost || !totals_.pythons.insert(version).second) return;
  const std::string name = version == 0
                               ? "a Python of unknown version"
                               : format("Python %u.%u", version >> 24, version >> 16 & 255);
  warn("process %u: %s, whose frames cannot be read here: its stacks are without Python functions",
       pid, name.c_str());
}

// A frame as an agent has it. `is_return`: see CpuNames.
const GpustallFrame* Recorder::frame_of(uint32_t pid, uint64_t frame, bool is_return) {
  GpustallFrame named = (frame & AGENT_TEXT_FRAME) != 0 ? python_frames_.frame(pid, frame)
                                                        : cpu_names_.name(pid, frame, is_return);
  return &*frames_.insert(std::move(named)).first;
}

void Recorder::on_stack(uint32_t pid, const Stack& stack) {
  if (launches_.size() >= kMaxStacks) return;
  uint32_t& number = launch_numbers_[{pid, stack.id}];
  if (number != 0) return;  // told again
  if ((stack.flags & AGENT_CUT) != 0) ++totals_.cut_stacks;
  if ((stack.flags & AGENT_NO_PYTHON) != 0) ++totals_.python_unread;
  number = static_cast<uint32_t>(launches_.size() + 1);
  Launch launch;
  launch.number = number;
  launch.pid = pid;
  launch.tid = stack.tid;
  launch.device = devices_of(pid, stack.device).front();
  launch.kernel = kernels_.number(std::string(stack.kernel));
  launch.comm = stack.comm.empty() ? comm_of(pid) : std::string(stack.comm);
  // an agent tells of the mappings first; where there is none, or they changed since, a look helps
  for (const uint64_t frame : stack.frames) {
    if (frame == 0 || (frame & AGENT_TEXT_FRAME) != 0 || cpu_names_.knows(pid, frame)) continue;
    cpu_names_.read_maps(pid);
    break;
  }
  for (size_t i = 0; i < stack.frames.size(); ++i)
    if (i > 0 || stack.frames[0] != 0)
      launch.stack.push_back(frame_of(pid, stack.frames[i], i > 0));
  put_front(stack.front, launch.stack);
  if (!stack.appended.empty()) put_appended(pid, stack.appended, launch.stack);
  const auto code = code_.find({pid, stack.object});
  if (code != code_.end())
    for (const Loaded& loaded : code->second)
      if (const uint64_t address = loaded.object->kernel_address(launch.kernel); address != 0) {
        launch.address = address;
        launch.object = loaded.object->path;
      }
  launches_.push_back(std::move(launch));
}

// Puts frames that have only a name in front. The API function that was entered may be on the stack
// too, where the program has its library linked into it: it is then the one that has an address,
// and what it called is the library's own.
void Recorder::put_front(const std::vector<NamedFrame>& front,
                         std::vector<const GpustallFrame*>& stack) {
  constexpr size_t kInsideLibrary = 8;
  std::vector<const GpustallFrame*> named;
  for (size_t i = 0; i < front.size(); ++i) {
    const auto inside =
        stack.begin() + static_cast<ptrdiff_t>(std::min(stack.size(), kInsideLibrary));
    const auto entered = front[i].object != front[0].object
                             ? inside
                             : std::find_if(stack.begin(), inside, [&](const GpustallFrame* frame) {
                                 return frame->symbol == front[i].symbol;
                               });
    if (entered != inside) {
      named.push_back(*entered);
      stack.erase(stack.begin(), entered + 1);
      continue;
    }
    const GpustallFrame text{0, std::string(front[i].symbol), GpustallFrame::kNoOffset,
                             std::string(front[i].object)};
    named.push_back(&*frames_.insert(text).first);
  }
  stack.insert(stack.begin(), named.begin(), named.end());
}

// Puts where the kernel was appended to the list between the kernel and where the list was
// executed, without the callers that both have:
//   zeCommandListAppendLaunchKernel, record, [command list],
//   zeCommandQueueExecuteCommandLists, submit, main, _start
void Recorder::put_appended(uint32_t pid, const std::vector<uint64_t>& appended,
                            std::vector<const GpustallFrame*>& stack) {
  std::vector<const GpustallFrame*> joined;
  for (size_t i = 0; i < appended.size(); ++i) joined.push_back(frame_of(pid, appended[i], i > 0));
  // by name: they go on from different places in the function that calls both
  const auto name = [](const GpustallFrame& frame) {
    return frame.object == kPythonObject ? without_line(frame.symbol) : frame.symbol;
  };
  size_t same = 0;
  while (same + 1 < joined.size() && same + 1 < stack.size()) {
    const GpustallFrame& one = *joined[joined.size() - 1 - same];
    const GpustallFrame& other = *stack[stack.size() - 1 - same];
    if (name(one) != name(other) || one.object != other.object) break;
    ++same;
  }
  joined.resize(joined.size() - same);
  const GpustallFrame boundary{0, "[command list]", GpustallFrame::kNoOffset, "[level-zero]"};
  joined.push_back(&*frames_.insert(boundary).first);
  stack.insert(stack.begin(), joined.begin(), joined.end());
}

void Recorder::on_launches(uint32_t pid, const agent_launches& launches) {
  const bool failed = (launches.record.flags & AGENT_FAILED) != 0;
  const auto known = launch_numbers_.find({pid, launches.id});
  if (known == launch_numbers_.end()) {
    if (!failed) on_lost(pid, launches.count);
    return;
  }
  Launch& distinct = launches_[known->second - 1];
  const uint64_t time = std::min(launches.time, now_ + kAheadNs);
  if (distinct.time == 0) distinct.time = time;
  last_time_ = std::max(last_time_, time);
  slices_.untimed(distinct.number, time, launches.count, failed);
}

namespace {

// Each of `ranges` as an object of its own, which lie anywhere on the device.
std::vector<std::shared_ptr<CodeObject>> make_objects(const std::vector<DeviceCode>& ranges,
                                                      const std::string& path, Names& kernels) {
  std::vector<std::shared_ptr<CodeObject>> objects;
  for (const DeviceCode& range : ranges) {
    auto object = std::make_shared<CodeObject>();
    object->address = range.address;
    object->bytes = range.bytes;
    object->file_offset = range.file_offset;
    object->path = path.empty() ? "[" + range.kernel + "]" : path;
    const uint32_t kernel = kernels.number(range.kernel);
    if (!range.kernel.empty())
      object->functions.push_back({range.address, range.bytes, range.kernel, kernel, true});
    for (const DeviceCode::Function& f : range.functions)
      if (range.kernel.empty()) object->functions.push_back({f.address, f.bytes, f.name, 0, false});
    objects.push_back(std::move(object));
  }
  return objects;
}

// The whole file at `base`, with the functions that lie inside kernels.
std::shared_ptr<CodeObject> make_object_at(uint64_t base, uint64_t bytes,
                                           const std::vector<DeviceCode>& ranges,
                                           const std::string& path, Names& kernels) {
  auto object = std::make_shared<CodeObject>();
  object->address = base;
  object->bytes = bytes;
  object->path = path.empty() ? "[device code]" : path;
  for (const DeviceCode& range : ranges) {
    const uint32_t kernel = kernels.number(range.kernel);
    object->functions.push_back({range.address, range.bytes, range.kernel, kernel, true});
    // a function inside is "$KERNEL$FUNCTION"
    const std::string inside = "$" + range.kernel + "$";
    for (const DeviceCode::Function& f : range.functions)
      if (f.name != range.kernel)
        object->functions.push_back({f.address, f.bytes,
                                     f.name.substr(f.name.starts_with(inside) ? inside.size() : 0),
                                     kernel, false});
  }
  // those that begin where their kernel does come behind it: they are inside
  std::stable_sort(object->functions.begin(), object->functions.end(),
                   [](const auto& a, const auto& b) { return a.address < b.address; });
  return object;
}

// What an agent says a file is: the end of its copy's name.
std::string extension_of(const agent_code& code) {
  const std::string text(code.extension, strnlen(code.extension, sizeof code.extension));
  const bool fine = std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
  });
  return text.empty() || !fine ? ".zebin" : "." + text;
}

}  // namespace

void Recorder::on_load(uint32_t pid, const agent_code& code, const std::string& content) {
  // a base that would go past the end of all addresses is nobody's
  if (code.base > UINT64_MAX - content.size()) return;
  const std::vector<DeviceCode> ranges = device_code(content, code.base);
  // without addresses (an old driver's, or not ELF) there is nothing to look up in it
  const std::string path = ranges.empty() ? "" : store_.keep(content, extension_of(code));
  const uint64_t time = std::min(code.time, now_ + kAheadNs);
  auto& loaded = code_[{pid, code.id}];
  std::vector<std::shared_ptr<CodeObject>> objects;
  if (code.base == 0)
    objects = make_objects(ranges, path, kernels_);
  else if (!ranges.empty())
    objects.push_back(make_object_at(code.base, content.size(), ranges, path, kernels_));
  for (const auto& object : objects) {
    const uint64_t address = object->address, bytes = object->bytes;
    for (const uint32_t device : devices_of(pid, code.device)) {
      // what was there before went away, though its unload waits
      for (const Unload& before : unloads_)
        if (before.loaded.pid == pid && before.loaded.device == device &&
            before.loaded.object->address < address + bytes &&
            address < before.loaded.object->address + before.loaded.object->bytes)
          place_unload(before.loaded, time, true);
      SliceEvent out;
      out.kind = SliceEvent::Kind::load;
      out.before_samples = true;
      out.time = time;
      out.pid = pid;
      out.device = device;
      out.file_offset = object->file_offset;
      out.object = object;
      slices_.event(out);
      objects_[device].load(pid, object);
      loaded.push_back({pid, device, object});
    }
  }
}

void Recorder::on_unload(uint32_t pid, const agent_code& code) {
  const auto found = code_.find({pid, code.id});
  if (found == code_.end()) return;
  unload_code(found->second, std::min(code.time, now_ + kAheadNs));
  code_.erase(found);
}

// Not at once: hardware and driver hand out samples late, and a module is often the last thing that
// a program does away with.
void Recorder::unload_code(const std::vector<Loaded>& loaded, uint64_t time) {
  for (const Loaded& one : loaded) unloads_.push_back({time + kLateNs, one});
}

void Recorder::place_unload(const Loaded& loaded, uint64_t time, bool before_samples) {
  const auto& [pid, device, object] = loaded;
  Objects& objects = objects_[device];
  if (objects.at(pid, object->address) != object) return;
  SliceEvent out;
  out.before_samples = before_samples;
  out.kind = SliceEvent::Kind::unload;
  out.time = time;
  out.pid = pid;
  out.device = device;
  out.object = object;
  slices_.event(out);
  objects.unload(pid, object->address);
}

void Recorder::place_unloads(uint64_t until) {
  for (; !unloads_.empty() && unloads_.front().time <= until; unloads_.pop_front())
    place_unload(unloads_.front().loaded, unloads_.front().time, false);
}

void Recorder::forget_code(uint32_t pid) {
  const auto first = code_.lower_bound({pid, 0});
  const auto last = code_.upper_bound({pid, UINT64_MAX});
  for (auto at = first; at != last; ++at) unload_code(at->second, now_);
  code_.erase(first, last);
}

void Recorder::on_launch(uint32_t pid, const agent_launch& launch) {
  const auto known = launch_numbers_.find({pid, launch.id});
  if (known == launch_numbers_.end()) {
    on_lost(pid, 1);  // its stack found the ring full, or there are too many
    return;
  }
  Launch& distinct = launches_[known->second - 1];
  const uint64_t time = std::min(launch.time, now_ + kAheadNs);
  if (distinct.time == 0) distinct.time = time;
  last_time_ = std::max(last_time_, time);
  Slices::Started started;
  started.pid = pid;
  started.instance = launch.instance;
  started.number = distinct.number;
  started.kernel = distinct.kernel;
  started.queue = launch.queue;
  started.time = time;
  started.in_order = (launch.record.flags & AGENT_OUT_OF_ORDER) == 0;
  started.timed = (launch.record.flags & AGENT_UNTIMED) == 0;
  slices_.started(started);
}

void Recorder::on_done(uint32_t pid, const agent_done& done) {
  const uint16_t flags = done.record.flags;
  LaunchEnd how = LaunchEnd::timed;
  uint64_t begin = done.begin, end = done.end;
  if ((flags & AGENT_FAILED) != 0) {
    how = LaunchEnd::failed;
  } else if ((flags & AGENT_NO_TIMES) != 0 || end < begin) {
    how = LaunchEnd::untimed;
    end = now_;
  } else if ((flags & AGENT_DURATION) != 0) {
    // on a clock that is not ours: how long is known, when is not
    begin = now_ - std::min(now_, end - begin);
    end = now_;
  } else if (end > now_ + kAheadNs) {
    how = LaunchEnd::untimed;  // in the future: no clock of ours
    end = now_;
  }
  slices_.done(pid, done.instance, how, begin, end);
}

void Recorder::on_lost(uint32_t pid, uint64_t launches) {
  lost_launches_[pid] += launches;
}

// ---- what agents that are the source tell ------------------------------------------------------

void Recorder::on_sampling(uint32_t pid, uint32_t device, uint64_t period, std::string_view unit,
                           std::string_view name) {
  if (!samples_by_agents_) return;
  last_sampling_ = now_;
  const uint32_t number = devices_of(pid, device).front();
  const auto place = places_.find(number);
  const std::string line = format(
      "device %u : %s, %s, %s, period %llu %s", number, source_name_.c_str(),
      gpustall_text(name).c_str(), place == places_.end() ? "unknown place" : place->second.c_str(),
      static_cast<unsigned long long>(period), gpustall_text(unit).c_str());
  // once of all the processes that use the device alike
  if (device_lines_.size() < kMaxDevices && device_lines_.insert(line).second) writer_.header(line);
}

void Recorder::on_reason(uint32_t pid, uint32_t number, std::string_view name) {
  if (samples_by_agents_) agent_reasons_.name(pid, number, reasons_, name);
}

void Recorder::on_sample(uint32_t pid, const agent_sample& from) {
  if (!samples_by_agents_) return;
  TimedSample sample;
  sample.time = now_;
  sample.count = from.count;
  sample.pid = pid;
  sample.device = devices_of(pid, from.device).front();
  if ((from.record.flags & AGENT_FOREIGN) != 0) {
    sample.kernel = kernels_.number(AGENT_DRIVER_KERNEL);
    totals_.of_driver += from.count;
  } else {
    sample.address = from.address;
    sample.reason = agent_reasons_.find(pid, from.reason);
    sample.object = objects_[sample.device].at(pid, from.address);
    const CodeObject::Function* function =
        sample.object == nullptr ? nullptr : sample.object->function_at(from.address);
    if (function != nullptr) sample.kernel = function->kernel;
    const auto launch = launch_numbers_.find({pid, from.stack});
    if (launch != launch_numbers_.end()) sample.launch = launch->second;
  }
  totals_.samples += from.count;
  drains_[pid].push_back(sample);
  if (++undrained_ >= kMaxUndrained) on_drained(pid, now_);
}

void Recorder::on_lost_samples(uint32_t pid, uint32_t device, uint64_t count) {
  if (!samples_by_agents_ || count == 0) return;
  SliceEvent out;
  out.kind = SliceEvent::Kind::lost_samples;
  out.time = now_;
  out.pid = pid;
  out.device = devices_of(pid, device).front();
  out.count = count;
  slices_.event(out);
}

// Its slice ends with it: the launches of a slice are then those of its samples. Slices are cut in
// order of time, whoever drains.
void Recorder::on_drained(uint32_t pid, uint64_t time) {
  const auto drained = drains_.find(pid);
  if (!samples_by_agents_ || (drained == drains_.end() && time <= last_drain_)) return;
  time = std::clamp(time, last_drain_ + 1, std::max(now_, last_drain_ + 1));
  last_drain_ = time;
  if (drained != drains_.end()) {
    for (TimedSample& sample : drained->second) {
      sample.time = time - 1;
      slices_.sample(sample);
    }
    undrained_ -= drained->second.size();
    drains_.erase(drained);
    last_time_ = std::max(last_time_, time);
  }
  slices_.cut(time);
}

void Recorder::on_message(uint32_t pid, std::string_view text, bool is_hint) {
  // a thousand processes that are refused the same are one sentence
  if (messages_.size() >= kMaxMessages || !messages_.insert(std::string(text)).second) return;
  const std::string shown = printable(text);
  if (is_hint)
    hint("%s", shown.c_str());
  else
    warn("process %u: %s", pid, shown.c_str());
}

void Recorder::place_losses() {
  for (const auto& [pid, launches] : lost_launches_) {
    SliceEvent out;
    out.kind = SliceEvent::Kind::lost_launches;
    out.time = last_time_;
    out.pid = pid;
    out.count = launches;
    slices_.event(out);
    slices_.launches_lost(pid, before_, now_);
  }
  lost_launches_.clear();
}

void Recorder::on_gone(uint32_t pid) {
  // what it had no time to end
  if (drains_.contains(pid)) on_drained(pid, now_);
  agent_reasons_.forget(pid);
  slices_.process_gone(pid, now_);
  python_frames_.forget(pid);
  forget_stacks(pid);
  forget_code(pid);
  forget_devices(pid);
}

// ---- writing -----------------------------------------------------------------------------------

const std::string& Recorder::comm_of(uint32_t pid) const {
  const auto known = comms_.find(pid);
  return known != comms_.end() ? known->second : kNobody;
}

bool Recorder::FrameOrder::operator()(const GpustallFrame& a, const GpustallFrame& b) const {
  return std::tie(a.address, a.offset, a.symbol, a.object) <
         std::tie(b.address, b.offset, b.symbol, b.object);
}

void Recorder::write(uint64_t settled, bool all) {
  place_losses();
  place_unloads(now_);
  Slice slice;
  bool any = false;
  while (slices_.next(settled, all, slice)) {
    write_slice(slice);
    any = true;
  }
  if (any) out_.flush();
}

void Recorder::write_slice(const Slice& slice) {
  writer_.slice(slice.start, slice.end);
  bool first = true;
  for (const Slice::Part& part : slice.parts) {
    for (const SliceEvent& event : part.events) write_event(event);
    if (first)
      for (const auto& [number, launched] : slice.launched) write_launch(number);
    for (const SampleGroup& group : part.groups)
      if (group.launch != 0) write_launch(group.launch);
    if (first)
      for (const auto& [number, launched] : slice.launched)
        writer_.launched(number, launched.count,
                         launched.measured ? launched.busy_ns : GpustallWriter::kUnknown);
    first = false;
    for (const SampleGroup& group : part.groups) write_group(group, slice.end);
  }
}

void Recorder::write_event(const SliceEvent& event) {
  const GpustallOrigin origin{comm_of(event.pid), event.pid, event.pid, event.device, event.time};
  switch (event.kind) {
    case SliceEvent::Kind::load:
      writer_.load(origin, event.object->address, event.object->bytes, event.file_offset,
                   event.object->path);
      written_objects_[event.device].load(event.pid, event.object);
      break;
    case SliceEvent::Kind::unload:
      writer_.unload(origin, event.object->address, event.object->bytes, event.object->path);
      written_objects_[event.device].unload(event.pid, event.object->address);
      break;
    case SliceEvent::Kind::lost_samples:
      writer_.lost(origin, event.count, "");
      if (event.count == UINT64_MAX)
        ++totals_.lost_unknown;
      else
        totals_.lost += event.count;
      break;
    case SliceEvent::Kind::lost_launches:
      writer_.lost(origin, event.count, "gpu-launch");
      totals_.lost_launches += event.count;
      break;
  }
}

// Writes what is not written yet of a distinct launch: itself, and the addresses of its kernel.
void Recorder::write_launch(uint32_t number) {
  Launch& launch = launches_[number - 1];
  static const std::map<uint64_t, std::string> nowhere{{0, "[kernel]"}};
  if (launch.address != 0) {
    write_launch_at(launch, launch.address, launch.object);
    return;
  }
  const auto& known = written_objects_[launch.device].addresses(launch.pid, launch.kernel);
  const auto& addresses = known.empty() && launch.written.empty() ? nowhere : known;
  for (const auto& [address, object] : addresses) write_launch_at(launch, address, object);
}

void Recorder::write_launch_at(Launch& launch, uint64_t address, const std::string& object) {
  if (!launch.written.insert(address).second) return;
  if (launch.written.size() == 1) ++totals_.stacks;
  const GpustallOrigin origin{launch.comm, launch.pid, launch.tid, launch.device, launch.time};
  std::vector<GpustallFrame> frames;
  frames.push_back(GpustallFrame{address, kernels_.name(launch.kernel),
                                 address == 0 ? GpustallFrame::kNoOffset : 0, object});
  for (const GpustallFrame* frame : launch.stack) frames.push_back(*frame);
  writer_.launch(launch.number, origin, frames);
}

std::vector<GpustallFrame> Recorder::frames_of(const TimedSample& sample) const {
  std::vector<GpustallFrame> frames;
  if (sample.reason != 0)
    frames.push_back({0, reasons_.name(sample.reason), GpustallFrame::kNoOffset, "[stall]"});
  if (sample.object == nullptr && sample.kernel != 0) {  // the driver's own
    frames.push_back({0, kernels_.name(sample.kernel), GpustallFrame::kNoOffset, "[kernel]"});
    return frames;
  }
  if (sample.object == nullptr) {
    frames.push_back({sample.address, "[unknown]", GpustallFrame::kNoOffset, "[unknown]"});
    return frames;
  }
  const std::string& path = sample.object->path;
  const CodeObject::Function* function = sample.object->function_at(sample.address);
  if (function == nullptr)
    frames.push_back({sample.address, "[unknown]", GpustallFrame::kNoOffset, path});
  else
    frames.push_back({sample.address, function->name, sample.address - function->address, path});
  if ((function == nullptr || !function->own) && sample.kernel != 0)
    frames.push_back(
        {sample.object->kernel_address(sample.kernel), kernels_.name(sample.kernel), 0, path});
  return frames;
}

// Hardware that tells an instruction and not whose: the process that has code there, if one has.
void Recorder::find_process(TimedSample& sample) {
  const auto known = address_bits_.find(sample.device);
  if (known == address_bits_.end()) return;
  const Objects::Found found =
      written_objects_[sample.device].anywhere(sample.address, known->second);
  if (found.several) totals_.ambiguous += sample.count;
  if (found.object == nullptr) return;
  const unsigned bits = known->second;
  const uint64_t mask = bits >= 64 ? UINT64_MAX : (uint64_t{1} << bits) - 1;
  sample.pid = found.pid;
  sample.object = found.object;
  sample.address = found.object->address + ((sample.address - found.object->address) & mask);
  const CodeObject::Function* function = found.object->function_at(sample.address);
  if (function != nullptr) sample.kernel = function->kernel;
}

void Recorder::write_group(const SampleGroup& group, uint64_t slice_end) {
  TimedSample sample = group.sample;
  if (sample.pid == 0) find_process(sample);
  GpustallOrigin origin{comm_of(sample.pid), sample.pid, sample.pid, sample.device, slice_end};
  if (group.launch != 0) {
    const Launch& launch = launches_[group.launch - 1];
    origin.comm = launch.comm;
    origin.tid = launch.tid;
  }
  writer_.sample(group.launch, origin, sample.count, event_, frames_of(sample));
}

void Recorder::end() {
  totals_.launches = slices_.launches();
  writer_.end(totals_.samples, totals_.launches,
              totals_.lost_unknown > 0 ? GpustallWriter::kUnknown : totals_.lost);
}

}  // namespace aiflame
