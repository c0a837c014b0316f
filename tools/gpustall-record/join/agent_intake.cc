// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/join/agent_intake.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/program.h"
#include "tools/gpustall-record/command/read_process_facts.h"

namespace aiflame::record {
namespace {

// An agent has the recorder's clock, and is drained every 20 ms. A time further ahead is a lie.
constexpr uint64_t kAheadNs = 1000000000;

// What a number of a device or a reason takes in memory, and a line for the user beside its text.
constexpr uint64_t kNumberBytes = 128, kLineBytes = 512;

static_assert(kHostFunction == AGENT_HOST_FUNCTION);

WorkClass work_class_of(const DistinctLaunch& launch, std::string_view name) {
  return launch.what == DistinctLaunch::What::operation ? class_of_operation(name)
                                                        : class_of_kernel(name);
}

}  // namespace

AgentIntake::AgentIntake(uint64_t origin, CaptureTables& tables, CodeTracker& code,
                         SliceJoiner& joiner)
    : tables_(tables),
      code_(code),
      joiner_(joiner),
      samples_(tables, code, joiner),
      cpu_names_(tables.budgets),
      python_frames_(tables.budgets),
      stack_namer_(cpu_names_, python_frames_, tables.budgets),
      origin_(origin),
      now_(origin),
      previous_(origin) {}

void AgentIntake::accept_samples(const std::string& name) {
  accepts_samples_ = true;
  source_name_ = name;
}

void AgentIntake::set_time(uint64_t now) {
  previous_ = now_;
  now_ = now;
}

// Nothing was launched or loaded before the recording began.
uint64_t AgentIntake::plausible(uint64_t time) const {
  return std::clamp(time, origin_, now_ + kAheadNs);
}

// ---- processes and their names -----------------------------------------------------------------

// The program in the process has ended.
void AgentIntake::forget(uint32_t pid) {
  // it had no time to end its last slice
  if (open_samples_.contains(pid)) on_drained(pid, now_);
  joiner_.end_process(pid, now_);
  cpu_names_.forget(pid);
  python_frames_.forget(pid);
  if (auto launches = tables_.launches.forget(pid); !launches.empty()) {
    release_memory(pid, launches);
    ended_.push_back({now_, pid, std::move(launches)});
  }
  code_.forget(pid, now_);
  devices_.forget(pid);
  reasons_.forget(pid);
  tables_.sizes.forget(pid);
  tables_.comms.end_program(pid, now_);
  tables_.budgets.give_back_all(Kept::tables, pid);
}

void AgentIntake::on_connected(uint32_t pid) {
  // a new program: everything of the old one has ended
  forget(pid);
  // until the source reports the name, if it knows about processes at all
  tables_.comms.set_from_proc(pid, now_);
  note_process(pid);
}

// Notes who the process is, while it can be asked. A program that follows another one in its
// process may be somebody else.
void AgentIntake::note_process(uint32_t pid) {
  const ProcessFacts facts = read_process_facts(pid);
  ProcessFacts& known = facts_.at(pid);
  if (known == facts) return;
  known = facts;
  new_header_lines_.push_back(format("process %u : %s", pid, process_facts_text(facts).c_str()));
}

void AgentIntake::on_device(uint32_t pid, uint32_t number, std::string_view place) {
  if (number == 0 || number > AgentDevices::kMost) return;
  if (!devices_.knows(pid, number) && !tables_.budgets.take(Kept::tables, pid, kNumberBytes))
    return;
  // a source whose agents take the samples may not know its devices' places: the agents do
  devices_.set_number(pid, number, place, accepts_samples_);
}

void AgentIntake::on_map(uint32_t pid, uint64_t start, uint64_t end, uint64_t file_offset,
                         std::string_view path, bool first) {
  if (first) cpu_names_.begin_listing(pid);
  cpu_names_.add_mapping(pid, start, end, file_offset, std::string(path));
}

void AgentIntake::on_fork(uint32_t parent, uint32_t pid) {
  cpu_names_.copy_mappings(parent, pid);
  note_process(pid);
}

void AgentIntake::on_text(uint32_t pid, uint64_t id, std::string_view function,
                          std::string_view file, uint32_t line) {
  python_frames_.add(pid, id, function, file, line);
}

void AgentIntake::on_python(uint32_t pid, uint32_t version, bool has_no_gil) {
  if (tables_.totals.pythons.contains(version) ||
      !tables_.budgets.take(Kept::messages, pid, kLineBytes))
    return;
  tables_.totals.pythons.insert(version);
  const std::string name = version == 0
                               ? "a Python of unknown version"
                               : format("Python %u.%u", version >> 24, version >> 16 & 255);
  warn(
      "process %u: %s%s, whose frames cannot be read here: its stacks are without Python functions",
      pid, name.c_str(), has_no_gil ? " without a GIL" : "");
}

void AgentIntake::on_stack(uint32_t pid, const Stack& stack) {
  if (tables_.launches.find(pid, stack.id) != nullptr) return;
  if (facts_.find(pid) == nullptr) note_process(pid);  // of a uprobe, whose process has no agent
  // its launches will be lost, since they have no stack
  if (is_over_budget(pid, stack)) return;
  const uint32_t kernel = tables_.kernels.intern(std::string(stack.kernel), pid, tables_.budgets);
  if (kernel == 0) return;
  DistinctLaunch* launch = tables_.launches.add(pid, stack.id);
  if ((stack.flags & AGENT_CUT) != 0) ++tables_.totals.cut_stacks;
  if ((stack.flags & AGENT_NO_PYTHON) != 0) ++tables_.totals.python_unread;
  launch->tid = stack.tid;
  if ((stack.flags & AGENT_API_CALL) != 0)
    launch->what = DistinctLaunch::What::call;
  else if ((stack.flags & AGENT_ALLOCATION) != 0)
    launch->what = DistinctLaunch::What::allocation;
  else if ((stack.flags & AGENT_OPERATION) != 0)
    launch->what = DistinctLaunch::What::operation;
  launch->work_class = work_class_of(*launch, stack.kernel);
  launch->device = devices_.find(pid, stack.device).front();
  launch->kernel = kernel;
  launch->is_code_untold = (stack.flags & AGENT_NAMED) != 0;
  if (!stack.comm.empty()) tables_.comms.set_if_unknown(pid, now_, stack.comm);
  launch->comm =
      stack.comm.empty() ? tables_.comms.find(pid, Comms::kNow) : std::string(stack.comm);
  launch->stack = stack_namer_.name_frames(pid, stack);
  tables_.totals.unnamed_frames = cpu_names_.unread();
  const CodeTracker::KernelPlace place = code_.find_kernel(pid, stack.object, launch->kernel);
  launch->address = place.address;
  launch->object = place.object;
  launch->bytes = LaunchTable::cost(launch->stack.size());
  tables_.budgets.add(Kept::stacks, pid, launch->bytes);
}

// Counts the stack as dropped when there is no room for it.
bool AgentIntake::is_over_budget(uint32_t pid, const Stack& stack) {
  const size_t frames = stack.frames.size() + stack.appended.size() + stack.front.size() + 1;
  if (tables_.budgets.has_room(Kept::stacks, pid, LaunchTable::cost(frames))) return false;
  tables_.budgets.drop(Kept::stacks, pid);
  return true;
}

// What launches may name: null for a call that launches nothing.
DistinctLaunch* AgentIntake::find_launch(uint32_t pid, uint64_t id) {
  DistinctLaunch* found = tables_.launches.find(pid, id);
  return found == nullptr || !found->has_kernel() ? nullptr : found;
}

void AgentIntake::on_launches(uint32_t pid, const agent_launches& launches) {
  const bool failed = (launches.record.flags & AGENT_FAILED) != 0;
  DistinctLaunch* distinct = find_launch(pid, launches.id);
  if (distinct == nullptr) {
    if (!failed) joiner_.lose_launches(pid, launches.count, LossCause::no_stack);
    return;
  }
  const LaunchKind kind(distinct->number, distinct->admit(tables_.sizes.find(pid, launches.size)));
  const uint64_t time = plausible(launches.time);
  if (distinct->time == 0) distinct->time = time;
  tables_.latest_ns = std::max(tables_.latest_ns, time);
  if (failed)
    joiner_.retract_untimed(kind, time, launches.count);
  else
    joiner_.add_untimed(pid, kind, time, launches.count);
}

void AgentIntake::on_load(uint32_t pid, const agent_code& code, const ObjectContent& content) {
  code_.load(pid, code, content, plausible(code.time), devices_.find(pid, code.device));
}

void AgentIntake::on_unload(uint32_t pid, const agent_code& code) {
  code_.unload(pid, code.id, plausible(code.time));
}

void AgentIntake::on_size(uint32_t pid, const agent_size& from) {
  LaunchSize size;
  std::copy(std::begin(from.items), std::end(from.items), size.items.begin());
  std::copy(std::begin(from.group), std::end(from.group), size.group.begin());
  size.local = from.local_bytes;
  if (size.is_known()) tables_.sizes.add(pid, from.id, size, tables_.budgets);
}

void AgentIntake::on_launch(uint32_t pid, const agent_launch& launch) {
  DistinctLaunch* distinct = find_launch(pid, launch.id);
  if (distinct == nullptr) {
    // its stack was lost in a full ring, or there are too many launches
    joiner_.lose_launches(pid, 1, LossCause::no_stack);
    return;
  }
  const uint64_t time = plausible(launch.time);
  if (distinct->time == 0) distinct->time = time;
  tables_.latest_ns = std::max(tables_.latest_ns, time);
  SliceJoiner::Started started;
  started.pid = pid;
  started.instance = launch.instance;
  started.kind = {distinct->number, distinct->admit(tables_.sizes.find(pid, launch.size))};
  // a driver's own kernels are sampled under one name, whatever they are for
  const bool is_of_driver =
      distinct->what == DistinctLaunch::What::operation && distinct->work_class != WorkClass::host;
  started.kernel = is_of_driver ? tables_.kernels.intern(AGENT_DRIVER_KERNEL) : distinct->kernel;
  started.tid = distinct->tid;
  started.device = distinct->device;
  started.work_class = distinct->work_class;
  if (is_of_driver) started.phase = HostPhase::copies;
  started.queue = launch.queue;
  started.time = time;
  started.in_order = (launch.record.flags & AGENT_OUT_OF_ORDER) == 0;
  started.timed = (launch.record.flags & AGENT_UNTIMED) == 0;
  joiner_.start_launch(started);
}

void AgentIntake::on_done(uint32_t pid, const agent_done& done) {
  const uint16_t flags = done.record.flags;
  LaunchEnd how = LaunchEnd::timed;
  uint64_t begin = done.begin, end = done.end;
  if ((flags & AGENT_FAILED) != 0) {
    how = LaunchEnd::failed;
  } else if ((flags & AGENT_NO_TIMES) != 0 || end < begin) {
    how = LaunchEnd::untimed;
    end = now_;
  } else if ((flags & AGENT_DURATION) != 0) {
    // times of another clock: only the duration is known
    how = LaunchEnd::lasted;
    begin = now_ - std::min(now_, end - begin);
    end = now_;
  } else if (begin < origin_ || end > now_ + kAheadNs) {
    how = LaunchEnd::untimed;  // before the recording or in the future, so of another clock
    end = now_;
  }
  // times before the recording or in the future say nothing
  const bool is_told = done.returned == AGENT_INSIDE ||
                       (done.returned >= origin_ && done.returned <= now_ + kAheadNs);
  DistinctLaunch* better = find_launch(pid, done.stack);
  if (better != nullptr && better->time == 0) better->time = begin;
  joiner_.end_launch(pid, done.instance, how, begin, end, is_told ? done.returned : 0,
                     better == nullptr ? 0 : better->number);
}

void AgentIntake::on_call(uint32_t pid, const agent_call& call) {
  DistinctLaunch* distinct = tables_.launches.find(pid, call.id);
  if (distinct == nullptr || distinct->what == DistinctLaunch::What::allocation)
    return on_lost_calls(pid, 1);
  HostCalls::Call out;
  out.begin = plausible(call.begin);
  out.end = plausible(call.end);
  out.number = distinct->number;
  const bool has_waited = (call.record.flags & AGENT_WAITED) != 0;
  if (distinct->what == DistinctLaunch::What::operation)
    out.phase = HostPhase::copies;
  else
    out.phase = has_waited ? HostPhase::waits : HostPhase::calls;
  if (distinct->time == 0) distinct->time = out.begin;
  tables_.latest_ns = std::max(tables_.latest_ns, out.end);
  if (!joiner_.add_call(pid, distinct->tid, out, has_waited)) on_lost_calls(pid, 1);
}

void AgentIntake::on_lost(uint32_t pid, uint64_t launches) {
  joiner_.lose_launches(pid, launches, LossCause::reported);
}

// ---- device memory ------------------------------------------------------------------------------

void AgentIntake::on_allocated(uint32_t pid, const agent_allocated& allocated) {
  if (!accepts_memory_) return;
  DistinctLaunch* distinct = tables_.launches.find(pid, allocated.id);
  if (distinct == nullptr || distinct->what != DistinctLaunch::What::allocation)
    return joiner_.lose_memory(pid, 1, LossCause::no_stack);
  MemoryChange change;
  change.kind = MemoryChange::Kind::allocated;
  change.pid = pid;
  change.number = distinct->number;
  change.time = plausible(allocated.time);
  change.address = allocated.address;
  change.bytes = allocated.bytes;
  if (distinct->time == 0) distinct->time = change.time;
  tables_.latest_ns = std::max(tables_.latest_ns, change.time);
  joiner_.add_memory(change);
}

void AgentIntake::on_freed(uint32_t pid, const agent_freed& freed) {
  if (!accepts_memory_) return;
  MemoryChange change;
  change.kind = MemoryChange::Kind::freed;
  change.pid = pid;
  change.device = devices_.find(pid, freed.device).front();
  change.time = plausible(freed.time);
  change.address = freed.address;
  change.bytes = freed.bytes;
  tables_.latest_ns = std::max(tables_.latest_ns, change.time);
  joiner_.add_memory(change);
}

void AgentIntake::on_memory(uint32_t pid, uint32_t device, uint64_t bytes) {
  if (!accepts_memory_) return;
  const uint32_t number = devices_.find(pid, device).front();
  if (const std::string line = memory_sizes_.take(number, bytes); !line.empty())
    new_header_lines_.push_back(line);
}

void AgentIntake::on_lost_memory(uint32_t pid, uint64_t count) {
  if (accepts_memory_) joiner_.lose_memory(pid, count, LossCause::reported);
}

// A program's memory goes with it. `calls`: the numbers of its launches and calls.
void AgentIntake::release_memory(uint32_t pid, const std::vector<uint32_t>& calls) {
  const bool has_allocated = std::ranges::any_of(calls, [this](uint32_t number) {
    return tables_.launches.at(number).what == DistinctLaunch::What::allocation;
  });
  if (!accepts_memory_ || !has_allocated) return;
  MemoryChange change;
  change.kind = MemoryChange::Kind::released;
  change.pid = pid;
  change.time = now_;
  joiner_.add_memory(change);
}

// ---- samples by agents -------------------------------------------------------------------------

void AgentIntake::on_sampling(uint32_t pid, uint32_t device, uint64_t period, std::string_view unit,
                              std::string_view name) {
  if (!accepts_samples_) return;
  last_sampling_ = now_;
  const uint32_t number = devices_.find(pid, device).front();
  const std::string* place = devices_.place(number);
  const std::string line =
      format("device %u : %s, %s, %s, period %llu %s", number, source_name_.c_str(),
             std::string(name).c_str(), place == nullptr ? "unknown place" : place->c_str(),
             static_cast<unsigned long long>(period), std::string(unit).c_str());
  // all processes that use the device alike share one line
  if (device_lines_.contains(line) ||
      !tables_.budgets.take(Kept::messages, pid, kLineBytes + line.size()))
    return;
  device_lines_.insert(line);
  new_header_lines_.push_back(line);
}

void AgentIntake::on_reason(uint32_t pid, uint32_t number, std::string_view name) {
  if (!accepts_samples_) return;
  if (reasons_.knows(pid, number) || tables_.budgets.take(Kept::tables, pid, kNumberBytes))
    reasons_.add(pid, number, tables_.reasons, name);
}

void AgentIntake::on_sample(uint32_t pid, const agent_sample& from) {
  if (!accepts_samples_) return;
  TimedSample sample;
  sample.time = now_;
  sample.count = from.count;
  sample.pid = pid;
  sample.device = devices_.find(pid, from.device).front();
  if (!tables_.budgets.take(Kept::slices, pid, SliceJoiner::kSampleBytes)) {
    joiner_.lose_sample(sample);
    return;
  }
  if ((from.record.flags & AGENT_FOREIGN) != 0) {
    sample.kernel = tables_.kernels.intern(AGENT_DRIVER_KERNEL);
    add_saturating(tables_.totals.driver_kernels, from.count);
  } else {
    sample.address = from.address;
    sample.exposed = from.exposed;
    sample.reason = reasons_.find(pid, from.reason);
    samples_.find_code(sample);
    const DistinctLaunch* launch = find_launch(pid, from.stack);
    const bool is_named = (from.record.flags & AGENT_NAMED) != 0;
    if (launch != nullptr && is_named) sample.kernel = launch->kernel;
    if (launch != nullptr && !(is_named && launch->stack.empty())) sample.launch = launch->number;
  }
  open_samples_[pid].push_back(sample);
}

void AgentIntake::on_lost_samples(uint32_t pid, uint32_t device, uint64_t count) {
  if (!accepts_samples_ || count == 0) return;
  samples_.lose(now_, pid, devices_.find(pid, device).front(), count);
}

// The agent has read its samples up to `time`. A slice ends there too, so that the samples and the
// launches of a slice belong together. Several agents drain at different times, and slices are cut
// in order of time: a time before the last cut is moved after it.
void AgentIntake::on_drained(uint32_t pid, uint64_t time) {
  const auto drained = open_samples_.find(pid);
  if (!accepts_samples_ || (drained == open_samples_.end() && time <= last_drain_)) return;
  // it may be later than now_, the time before the ring was read: so are the launches of its
  // samples
  time = std::clamp(time, last_drain_ + 1, std::max(now_ + kAheadNs, last_drain_ + 1));
  last_drain_ = time;
  if (drained != open_samples_.end()) {
    for (TimedSample& sample : drained->second) {
      sample.time = time - 1;
      tables_.budgets.give_back(Kept::slices, pid, SliceJoiner::kSampleBytes);
      samples_.add(sample, time);
    }
    open_samples_.erase(drained);
  }
  joiner_.cut(time);
}

void AgentIntake::on_message(uint32_t pid, std::string_view text, bool is_hint) {
  if (!is_hint) ++tables_.totals.complaints;
  // a thousand processes with the same problem give one line
  if (messages_.contains(std::string(text)) ||
      !tables_.budgets.take(Kept::messages, pid, kLineBytes + text.size()))
    return;
  messages_.insert(std::string(text));
  const std::string line(text);
  if (is_hint)
    hint("%s", line.c_str());
  else
    warn("process %u: %s", pid, line.c_str());
}

void AgentIntake::on_gone(uint32_t pid) {
  forget(pid);
}

// ---- for the output ----------------------------------------------------------------------------

void AgentIntake::end_slices() {
  while (!open_samples_.empty()) on_drained(open_samples_.begin()->first, now_);
  is_ending_ = true;
}

std::vector<std::string> AgentIntake::take_header_lines() {
  for (std::string& line : cpu_names_.take_build_ids())
    if (!is_redacted_) new_header_lines_.push_back(std::move(line));
  return std::exchange(new_header_lines_, {});
}

void AgentIntake::place_losses() {
  joiner_.place_losses(tables_.latest_ns, previous_, now_, is_ending_);
  remove_ended();
}

// Times in records are at most kAheadNs ahead, so slices after twice that have no launch of the
// program.
void AgentIntake::remove_ended() {
  for (; !ended_.empty() && joiner_.has_taken(ended_.front().time + 2 * kAheadNs);
       ended_.pop_front())
    for (const uint32_t number : ended_.front().launches) {
      const DistinctLaunch& launch = tables_.launches.at(number);
      stack_namer_.release(launch.stack);
      tables_.budgets.give_back(Kept::stacks, launch.pid, launch.bytes);
      tables_.launches.remove(number);
    }
}

}  // namespace aiflame::record
