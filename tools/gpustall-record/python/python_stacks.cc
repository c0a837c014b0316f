// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/python/python_stacks.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <filesystem>

#include "libcommon/base/clock.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "plugins/abi/agent_channel.h"

namespace aiflame::record {
namespace {

// When a process without an interpreter, and one that starts, are looked at again.
constexpr uint64_t kLookAgainNs = 1000000000, kStartsWithinNs = 50000000;
// Threads whose stacks wait for a hit, and frames in these. Of lost hits they stay behind.
constexpr size_t kMostWaiting = 4096, kMostWaitingFrames = size_t{1} << 20;
// Names of code that are kept. Beyond, they are read again.
constexpr size_t kMostPlaceBytes = size_t{32} << 20;

// The kernel's number of the pid namespace that it starts with (PROC_PID_INIT_INO).
constexpr uint64_t kFirstPidNamespace = 0xeffffffc;

struct Namespace {
  uint64_t device = 0, inode = 0;
};

// All zero when the process has ended.
Namespace pid_namespace_of(const std::string& process) {
  struct stat status {};
  if (stat(format("/proc/%s/ns/pid", process.c_str()).c_str(), &status) != 0) return {};
  // as the kernel keeps it: 12 bits of the major number, 20 of the minor
  return {uint64_t{major(status.st_dev)} << 20 | minor(status.st_dev), status.st_ino};
}

std::string program_in(const std::string& directory) {
  // it tells processes by their numbers in that namespace
  if (pid_namespace_of("self").inode != kFirstPidNamespace)
    throw Error("the recorder has a pid namespace of its own");
  return directory + "/python-probe.o";
}

python_process request_of(const Python& python, const Namespace& numbers) {
  const PythonLayout& layout = *python.layout;
  python_process out{};
  out.interpreters = python.interpreters;
  out.namespace_device = numbers.device;
  out.namespace_inode = numbers.inode;
  out.next_interpreter = static_cast<uint32_t>(python.next_interpreter);
  out.interpreter_threads = static_cast<uint32_t>(python.interpreter_threads);
  out.next_thread = python_object::kNextThread;
  out.thread_number = static_cast<uint32_t>(layout.thread_number());
  out.thread_frame = layout.thread_frame;
  out.has_cframe = layout.thread_root != 0;
  out.cframe_frame = layout.cframe_frame;
  out.frame_bytes = static_cast<uint32_t>(layout.frame_bytes());
  out.frame_code = layout.frame_code;
  out.frame_previous = layout.frame_previous;
  out.frame_instruction = layout.frame_instruction;
  out.frame_owner = layout.frame_owner;
  out.frame_is_entry = layout.frame_is_entry;
  out.code_file = layout.code_file;
  return out;
}

}  // namespace

PythonStacks::PythonStacks(const std::string& directory) : program_(program_in(directory)) {}

const Python& PythonStacks::look(uint32_t pid) {
  Process& process = processes_[pid];
  Python& python = process.python;
  if (python.state == Python::State::known || python.state == Python::State::unknown) return python;
  const uint64_t wait = python.state == Python::State::starting ? kStartsWithinNs : kLookAgainNs;
  const uint64_t now = monotonic_ns();
  if (process.looked != 0 && now < process.looked + wait) return python;
  process.looked = now;
  const Python found = find_.look(pid);
  // one that started has ended
  if (process.code && found.state == Python::State::none) return python;
  python = found;
  if (python.state == Python::State::unknown) process.code.reset();
  const bool is_read =
      python.state == Python::State::known || python.state == Python::State::starting;
  if (is_read && !process.code) add(pid, process);
  return python;
}

void PythonStacks::look_everywhere() {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    const auto pid = parse_number<uint32_t>(entry.path().filename().native());
    if (!pid) continue;
    const auto file = std::filesystem::read_symlink(entry.path() / "exe", error);
    if (may_be_python(file.native())) look(*pid);
  }
}

// Before its first launch. A program may map its own file first, and the interpreter's later.
void PythonStacks::mapped(uint32_t pid, std::string_view path) {
  if (!may_be_python(path)) return;
  processes_[pid].looked = 0;
  look(pid);
}

void PythonStacks::add(uint32_t pid, Process& process) {
  process.code.emplace(pid, process.python);
  const python_process request = request_of(process.python, pid_namespace_of(std::to_string(pid)));
  if (program_.add(pid, request))
    process.since = monotonic_ns();
  else
    process = {};
}

// The child has its parent's memory, until it executes another program.
void PythonStacks::forked(uint32_t parent, uint32_t pid) {
  const auto found = processes_.find(parent);
  if (found == processes_.end() || found->second.python.state != Python::State::known) return;
  Process& child = processes_[pid];
  child = {};
  child.python = found->second.python;
  add(pid, child);
}

void PythonStacks::forget(uint32_t pid) {
  if (processes_.erase(pid) == 0) return;
  program_.remove(pid);
  const auto first = waiting_.lower_bound({pid, 0}), last = waiting_.upper_bound({pid, UINT32_MAX});
  for (auto at = first; at != last; ++at)
    for (const Read& read : at->second) waiting_frames_ -= read.frames.size();
  waiting_.erase(first, last);
}

void PythonStacks::drain() {
  make_room();
  program_.drain([this](const python_stack& stack) {
    const size_t count = std::min<size_t>(stack.count, PYTHON_MAX_FRAMES);
    waiting_[{stack.pid, stack.tid}].push_back(
        {stack.time, stack.sp, stack.flags, {stack.frames, stack.frames + count}});
    waiting_frames_ += count;
    // now, as the process may end before its hits are settled
    const auto process = processes_.find(stack.pid);
    if (process == processes_.end() || !process->second.code) return;
    for (size_t i = 0; i < count; ++i) place(*process->second.code, stack.frames[i]);
    // one drain may bring more than there is room for
    if (new_place_bytes_ > kMostPlaceBytes) make_room_for_places();
  });
}

const PythonPlace& PythonStacks::place(CodeReader& code, const python_frame& frame) {
  const size_t before = code.bytes();
  const PythonPlace& out = code.place(frame);
  new_place_bytes_ += code.bytes() - before;
  return out;
}

void PythonStacks::make_room_for_places() {
  size_t bytes = 0;
  for (const auto& [pid, process] : processes_) bytes += process.code ? process.code->bytes() : 0;
  for (auto& [pid, process] : processes_)
    if (bytes > kMostPlaceBytes && process.code) process.code->clear();
  new_place_bytes_ = 0;
}

void PythonStacks::make_room() {
  make_room_for_places();
  if (waiting_.size() <= kMostWaiting && waiting_frames_ <= kMostWaitingFrames) return;
  waiting_.clear();
  waiting_frames_ = 0;
  for (auto& [pid, process] : processes_) process.since = monotonic_ns();
}

// The latest before the hit is its own, as the thread stood at the probe meanwhile. Earlier ones
// belong to hits that were lost.
std::optional<PythonStacks::Read> PythonStacks::stack_of(const Hit& hit) {
  const auto found = waiting_.find({hit.pid, hit.tid});
  if (found == waiting_.end()) return std::nullopt;
  std::deque<Read>& stacks = found->second;
  std::optional<Read> out;
  for (; !stacks.empty() && stacks.front().time <= hit.time; stacks.pop_front()) {
    waiting_frames_ -= stacks.front().frames.size();
    out = std::move(stacks.front());
  }
  if (stacks.empty()) waiting_.erase(found);
  if (out && out->sp != hit.sp) out->flags |= PYTHON_UNREAD;  // of a hit that was lost
  return out;
}

PythonStacks::Mixed PythonStacks::mix(const Hit& hit) {
  Mixed out;
  const auto found = processes_.find(hit.pid);
  out.frames = hit.frames;
  if (found == processes_.end() || !found->second.code) return out;
  Process& process = found->second;
  if (new_place_bytes_ > kMostPlaceBytes) make_room_for_places();
  const std::optional<Read> read = stack_of(hit);
  // a thread without Python functions, or one of before they were read
  if (!read && hit.time <= process.since) out.flags = AGENT_NO_PYTHON;
  if (!read) return out;
  if ((read->flags & PYTHON_CUT) != 0) out.flags |= AGENT_CUT;
  PythonRuns runs;
  if ((read->flags & PYTHON_UNREAD) != 0 || !name_frames(read->frames, process, out, runs)) {
    out.places.clear();
    out.flags = AGENT_NO_PYTHON;
    return out;
  }
  out.frames = record::mix(hit.frames, runs, process.python.eval_begin, process.python.eval_end);
  return out;
}

// False when one of them cannot be named: without it the stack would be another one.
bool PythonStacks::name_frames(const std::vector<python_frame>& frames, Process& process,
                               Mixed& out, PythonRuns& runs) {
  for (const python_frame& frame : frames) {
    const PythonPlace& at = place(*process.code, frame);
    if (at.check == PythonPlace::Check::failed) return false;
    if (at.check == PythonPlace::Check::passed) {
      runs.frames.push_back(at.number);
      out.places.push_back(&at);
    }
    if ((frame.code & PYTHON_ENDS_RUN) != 0) runs.ends.push_back(runs.frames.size());
  }
  // of a stack that is cut
  if (runs.ends.empty() || runs.ends.back() < runs.frames.size())
    runs.ends.push_back(runs.frames.size());
  return true;
}

}  // namespace aiflame::record
