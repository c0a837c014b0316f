// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/probe_hits.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/text/text_hash.h"
#include "tools/gpustall-record/agents/attached_agent.h"
#include "tools/gpustall-record/probes/probe_points.h"

namespace aiflame::record {

namespace {

// What a call that has not returned takes in memory, and the number of a stack that was reported.
constexpr uint64_t kCreatingBytes = 160, kReportedBytes = 64;

// Of cl.h: what clGetKernelInfo is asked for.
constexpr uint64_t kKernelFunctionName = 0x1190;

// Empty when the thread has ended.
std::string comm_of(uint32_t pid, uint32_t tid) {
  try {
    LineReader reader(format("/proc/%u/task/%u/comm", pid, tid));
    std::string_view line;
    if (reader.next(line)) return std::string(line);
  } catch (const Error&) {
    // only a name is missing
  }
  return "";
}

}  // namespace

size_t ProbeHits::take(const std::vector<UprobeHit>& hits, uint64_t settled,
                       AgentListener& listener) {
  size_t count = 0;
  for (; count < hits.size() && hits[count].time <= settled; ++count) {
    later_ = std::span(hits).subspan(count + 1);
    take(hits[count], listener);
  }
  later_ = {};
  return count;
}

void ProbeHits::take(const UprobeHit& hit, AgentListener& listener) {
  if (hit.kind == UprobeHit::Kind::lost) {
    // the probes are system-wide, and the kernel does not say which process lost hits
    if (is_launching(kProbePoints[hit.point].meaning)) {
      listener.on_lost(pid_, hit.lost);
    } else if (!warned_of_lost_names_) {
      warned_of_lost_names_ = true;
      warn("calls of %s were lost: some kernels may lack their names",
           kProbePoints[hit.point].function);
    }
    return;
  }
  if (hit.kind == UprobeHit::Kind::fork) {
    if (pid_ != 0 && !wanted_.contains(hit.parent)) return;
    if (pid_ != 0) wanted_.insert(hit.pid);
    if (pid_ != 0) listener.on_fork(hit.parent, hit.pid);
    if (python_) python_->forked(hit.parent, hit.pid);
    kernels_.fork(hit.parent, hit.pid, budgets_);
    return;
  }
  if (pid_ != 0 && !wanted_.contains(hit.pid)) return;
  switch (hit.kind) {
    case UprobeHit::Kind::exec:
      forget(hit.pid);
      listener.on_gone(hit.pid);
      if (pid_ != 0) executed_.insert(hit.pid);
      break;
    case UprobeHit::Kind::exit:
      forget(hit.pid);
      listener.on_gone(hit.pid);
      // its number may be used again, unless other threads outlive the first one
      if (access(format("/proc/%u", hit.pid).c_str(), F_OK) != 0) wanted_.erase(hit.pid);
      executed_.erase(hit.pid);
      break;
    case UprobeHit::Kind::map:
      if (python_) python_->mapped(hit.pid, hit.stack);
      // for the whole system there are too many mappings: they are read from /proc when needed
      if (pid_ != 0)
        listener.on_map(hit.pid, hit.start, hit.end, hit.file_offset, hit.stack,
                        executed_.erase(hit.pid) != 0);
      break;
    default:
      take_hit(hit, listener);
  }
}

// The handles of an old program mean nothing in the next one, after an exec or in a process that
// gets the same number.
void ProbeHits::forget(uint32_t pid) {
  creating_.erase(creating_.lower_bound({pid, 0}), creating_.upper_bound({pid, UINT32_MAX}));
  kernels_.forget(pid);
  if (python_) python_->forget(pid);
  reported_stacks_.erase(reported_stacks_.lower_bound({pid, 0}),
                         reported_stacks_.upper_bound({pid, UINT64_MAX}));
  lists_.forget(pid);
  budgets_.give_back_all(Kept::probes, pid);
}

void ProbeHits::take_hit(const UprobeHit& hit, AgentListener& listener) {
  const ProbePoint& point = kProbePoints[hit.point];
  ProbedLists::Appended at_hit;
  if (is_launching(point.meaning)) at_hit.frames = stack_of(hit, listener, at_hit.flags);
  const auto launched = [&](uint64_t kernel) {
    ProbedLists::Appended out = at_hit;
    out.kernel = kernels_.name(hit.pid, kernel);
    return out;
  };
  const ProbedLists::Report report = [&](const ProbedLists::Appended& what, uint64_t count,
                                         bool executed, bool retract) {
    report_launches(hit, at_hit, what, count, executed, retract, listener);
  };
  const size_t fetched = std::min<size_t>(hit.arguments[1] & UINT32_MAX, hit.values.size());
  const uint64_t not_fetched = (hit.arguments[1] & UINT32_MAX) - fetched;
  switch (point.meaning) {
    case ProbeMeaning::create_kernel:
    case ProbeMeaning::create_list:
    case ProbeMeaning::create_immediate_list:
    case ProbeMeaning::clone_kernel:
    case ProbeMeaning::ask_kernel:
      begin_creating(hit);
      break;
    case ProbeMeaning::retain_kernel:
      kernels_.retain(hit.pid, hit.arguments[0]);
      break;
    case ProbeMeaning::release_kernel:
      kernels_.release(hit.pid, hit.arguments[0], budgets_);
      break;
    case ProbeMeaning::created:
      take_created(hit);
      break;
    case ProbeMeaning::launch:
      report(launched(hit.arguments[1]), 1, false, false);
      break;
    case ProbeMeaning::append:
      lists_.append(hit.pid, hit.arguments[0], launched(hit.arguments[1]), report);
      break;
    case ProbeMeaning::append_several:
      for (size_t i = 0; i < fetched; ++i)
        lists_.append(hit.pid, hit.arguments[0], launched(hit.values[i]), report);
      if (not_fetched > 0) listener.on_lost(hit.pid, not_fetched);
      break;
    case ProbeMeaning::execute:
      for (size_t i = 0; i < fetched; ++i) lists_.execute(hit.pid, hit.values[i], report);
      if (not_fetched > 0) listener.on_lost(hit.pid, not_fetched);
      break;
    case ProbeMeaning::close:
      lists_.close(hit.pid, hit.arguments[0], report);
      break;
    case ProbeMeaning::reset:
      lists_.reset(hit.pid, hit.arguments[0], report);
      break;
    case ProbeMeaning::destroy:
      lists_.destroy(hit.pid, hit.arguments[0]);
      break;
  }
}

void ProbeHits::begin_creating(const UprobeHit& hit) {
  const ProbePoint& point = kProbePoints[hit.point];
  Creating creating{hit.point, hit.text, 0, 0};
  if (point.handle == HandleIn::third) creating.out = hit.arguments[2];
  if (point.handle == HandleIn::fourth) creating.out = hit.arguments[3];
  if (point.meaning == ProbeMeaning::clone_kernel)
    creating.name = kernels_.name(hit.pid, hit.arguments[0]);
  if (point.meaning == ProbeMeaning::ask_kernel) {
    if (hit.arguments[1] != kKernelFunctionName) return;
    creating.out = hit.arguments[3];
    creating.handle = hit.arguments[0];
  }
  const Thread thread{hit.pid, hit.tid};
  if (!creating_.contains(thread) && !budgets_.take(Kept::probes, hit.pid, kCreatingBytes)) return;
  creating_[thread] = std::move(creating);
}

// The name that the function has written to the caller's stack, as it was at the return. Elsewhere
// the program may have written since, and a wrong name is worse than none.
std::string ProbeHits::told_name(const UprobeHit& hit, const Creating& creating) {
  const uint64_t on_stack = creating.out - hit.sp;
  if (hit.result != 0 || creating.out < hit.sp || on_stack >= hit.stack.size()) return "";
  const size_t end = hit.stack.find('\0', on_stack);
  return end == std::string::npos ? "" : hit.stack.substr(on_stack, end - on_stack);
}

void ProbeHits::take_created(const UprobeHit& hit) {
  const auto found = creating_.find({hit.pid, hit.tid});
  if (found == creating_.end()) return;
  const Creating creating = std::move(found->second);
  creating_.erase(found);
  budgets_.give_back(Kept::probes, hit.pid, kCreatingBytes);
  const ProbeMeaning meaning = kProbePoints[creating.point].meaning;
  if (meaning == ProbeMeaning::ask_kernel) {
    const std::string name = told_name(hit, creating);
    if (!name.empty()) kernels_.learn(hit.pid, creating.handle, name, budgets_);
    return;
  }
  const uint64_t handle = created_handle(hit, creating);
  if (handle == 0) return;
  // handles are reused: the latest meaning holds
  if (meaning == ProbeMeaning::create_kernel || meaning == ProbeMeaning::clone_kernel)
    kernels_.create(hit.pid, handle, creating.name, budgets_);
  else
    lists_.create(hit.pid, handle, meaning == ProbeMeaning::create_immediate_list);
}

// The handle that the function returned, or wrote to the address in its argument; 0 = none. Stack
// bytes come with the hit, as they were at the return. Other memory is read from the process now,
// unless a later call has written to the same address since.
uint64_t ProbeHits::created_handle(const UprobeHit& hit, const Creating& creating) const {
  if (kProbePoints[creating.point].handle == HandleIn::result) return hit.result;
  uint64_t handle = 0;
  if (hit.result != 0 || creating.out == 0) return 0;  // an error
  const uint64_t on_stack = creating.out - hit.sp;
  if (creating.out >= hit.sp && on_stack + sizeof handle <= hit.stack.size()) {
    std::memcpy(&handle, hit.stack.data() + on_stack, sizeof handle);
    return handle;
  }
  for (const UprobeHit& later : later_) {
    if (later.pid != hit.pid || later.time == hit.time) continue;
    const HandleIn in = kProbePoints[later.point].handle;
    if ((in == HandleIn::third && later.arguments[2] == creating.out) ||
        (in == HandleIn::fourth && later.arguments[3] == creating.out))
      return 0;
  }
  iovec local{&handle, sizeof handle};
  iovec remote{reinterpret_cast<void*>(creating.out), sizeof handle};
  const ssize_t read = process_vm_readv(static_cast<pid_t>(hit.pid), &local, 1, &remote, 1, 0);
  return read == sizeof handle ? handle : 0;
}

// The stack of a hit with its Python functions, where they can be read.
std::vector<uint64_t> ProbeHits::stack_of(const UprobeHit& hit, AgentListener& listener,
                                          uint16_t& flags) {
  if (!python_) return hit.frames;
  if (const Python& python = python_->look(hit.pid); python.state == Python::State::unknown)
    listener.on_python(hit.pid, python.version, python.has_no_gil);
  const PythonStacks::Mixed mixed = python_->mix({hit.pid, hit.tid, hit.time, hit.sp, hit.frames});
  for (const PythonPlace* place : mixed.places)
    listener.on_text(hit.pid, place->number, place->function, place->file, place->line);
  flags = mixed.flags;
  return mixed.frames;
}

void ProbeHits::tell_of_python(uint32_t pid) {
  if (python_ || warned_of_python_ || !runs_python(pid)) return;
  warned_of_python_ = true;
  warn("the Python functions of process %u are not shown: %s", pid, why_no_python_.c_str());
}

// The launch's stack is in `what`; for a list that was executed, it is the stack of the hit.
void ProbeHits::report_launches(const UprobeHit& hit, const ProbedLists::Appended& at_hit,
                                const ProbedLists::Appended& what, uint64_t count, bool executed,
                                bool retract, AgentListener& listener) {
  AgentListener::Stack stack;
  stack.tid = hit.tid;
  stack.kernel = what.kernel.empty() ? "[unknown kernel]" : std::string_view(what.kernel);
  stack.frames = executed ? at_hit.frames : what.frames;
  if (executed) stack.appended = what.frames;
  stack.flags = executed ? at_hit.flags | what.flags : what.flags;
  const auto hash = [](const std::vector<uint64_t>& frames, uint64_t seed) {
    return hash_text(
        {reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof(uint64_t)}, seed);
  };
  stack.id =
      hash(stack.appended, hash(stack.frames, hit.tid ^ hash_text(stack.kernel, stack.flags)));
  std::string comm;
  // of a stack for which there is no room, the launches are counted as lost
  if (!reported_stacks_.contains({hit.pid, stack.id}) &&
      budgets_.take(Kept::probes, hit.pid, kReportedBytes)) {
    reported_stacks_.insert({hit.pid, stack.id});
    // only once for each stack: reading /proc takes longer than everything else here
    comm = comm_of(hit.pid, hit.tid);
    tell_of_python(hit.pid);
    stack.comm = comm;
    listener.on_stack(hit.pid, stack);
  }
  agent_launches launches{};
  launches.record.flags = retract ? AGENT_FAILED : 0;
  launches.id = stack.id;
  launches.time = hit.time;
  launches.count = count;
  listener.on_launches(hit.pid, launches);
}

}  // namespace aiflame::record
