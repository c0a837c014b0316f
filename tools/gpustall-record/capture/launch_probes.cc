// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/launch_probes.h"

#include <dlfcn.h>
#include <sys/uio.h>

#include <algorithm>
#include <cstring>

#include "libcommon/base/clock.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/libperf/event_rings.h"
#include "libcommon/process/process_maps.h"
#include "libcommon/symbols/elf.h"
#include "libcommon/text/text_hash.h"

namespace aiflame::record {

// What a hit of a probe means, and in which registers (x86-64's calling convention: di, si, dx, cx)
// its arguments are.
enum class What {
  kernel,          // a kernel is being made; its name is fetched
  list,            // a command list (regular)
  immediate,       // a command list that is not executed
  made,            // the function that makes it returns
  launch,          // of the kernel in si
  append,          // of the kernel in si to the list in di
  append_several,  // of si kernels, whose handles are fetched, to the list in di
  execute,         // of si lists, whose handles are fetched
  close,           // the list in di
  reset,
  destroy,
};

enum class Out { none, ax, dx, cx };  // where a made handle is, or where it will be put

struct ProbePoint {
  const char* library;
  const char* function;
  What what;
  Out out = Out::none;
  const char* fetch = "";
};

namespace {

constexpr const char* kOpenCl = "libOpenCL.so.1";
constexpr const char* kLevelZero = "libze_loader.so.1";
constexpr const char* kHandles = "handles=+0(%dx):x64[32]";
static_assert(Uprobe::kValues == 32);

// ze_kernel_desc_t: stype, pNext, flags, pKernelName at 24. A newer loader has more functions: what
// is missing is not probed.
constexpr ProbePoint kPoints[] = {
    {kOpenCl, "clCreateKernel", What::kernel, Out::ax, "name=+0(%si):string"},
    {kOpenCl, "clCreateKernel", What::made},
    {kOpenCl, "clEnqueueNDRangeKernel", What::launch},
    {kOpenCl, "clEnqueueTask", What::launch},
    {kLevelZero, "zeKernelCreate", What::kernel, Out::dx, "name=+0(+24(%si)):string"},
    {kLevelZero, "zeKernelCreate", What::made},
    {kLevelZero, "zeCommandListCreate", What::list, Out::cx},
    {kLevelZero, "zeCommandListCreate", What::made},
    {kLevelZero, "zeCommandListCreateImmediate", What::immediate, Out::cx},
    {kLevelZero, "zeCommandListCreateImmediate", What::made},
    {kLevelZero, "zeCommandListClose", What::close},
    {kLevelZero, "zeCommandListReset", What::reset},
    {kLevelZero, "zeCommandListDestroy", What::destroy},
    {kLevelZero, "zeCommandListAppendLaunchKernel", What::append},
    {kLevelZero, "zeCommandListAppendLaunchCooperativeKernel", What::append},
    {kLevelZero, "zeCommandListAppendLaunchKernelIndirect", What::append},
    {kLevelZero, "zeCommandListAppendLaunchKernelWithParameters", What::append},
    {kLevelZero, "zeCommandListAppendLaunchKernelWithArguments", What::append},
    {kLevelZero, "zeCommandListAppendLaunchMultipleKernelsIndirect", What::append_several,
     Out::none, kHandles},
    {kLevelZero, "zeCommandQueueExecuteCommandLists", What::execute, Out::none, kHandles},
    {kLevelZero, "zeCommandListImmediateAppendCommandListsExp", What::execute, Out::none, kHandles},
};

// Enough for the local variables of the caller, where it has a new handle put as a rule.
constexpr uint32_t kCallersStack = 2048;

// Of each processor, for what may be called often: the recorder comes by every 10 ms, and a hit
// takes 400 bytes, 2.4 KB with the caller's stack. A module's kernels are made one after the other.
constexpr int kManyPages = 32;

bool is_often(const ProbePoint& point) {
  const std::string_view name = point.function;
  return point.what == What::launch || point.what == What::execute ||
         name.ends_with("KernelCreate") || name == "clCreateKernel" ||
         name == "zeCommandListAppendLaunchKernel";
}

bool is_launching(What what) {
  return what == What::launch || what == What::append || what == What::append_several ||
         what == What::execute;
}

// The file of `library` in the process, or where the dynamic linker would take it from; "" when it
// is not installed.
std::string find_library(const char* library, uint32_t pid) {
  if (pid != 0) {
    try {
      LineReader maps(format("/proc/%u/maps", pid));
      std::string_view line;
      MapsLine parsed;
      while (maps.next(line))
        if (parse_maps_line(line, parsed) && parsed.is_executable() &&
            parsed.path.find("/" + std::string(library).substr(0, std::strlen(library) - 2)) !=
                std::string_view::npos)
          return format("/proc/%u/root", pid) + std::string(parsed.path);
    } catch (const Error&) {
      // gone; whoever opens it next says so
    }
  }
  void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return "";
  char directory[4096];
  const bool found = dlinfo(handle, RTLD_DI_ORIGIN, directory) == 0;
  dlclose(handle);
  if (!found) throw Error(format("cannot tell where %s is", library));
  return std::string(directory) + "/" + library;
}

// 0 when it has no such function: none is at a file's start.
uint64_t offset_of(const ElfFile& elf, const char* function) {
  for (const ElfFunction& candidate : elf.functions())
    if (candidate.name == function)
      if (const auto offset = elf.offset_of_vaddr(candidate.start)) return *offset;
  return 0;
}

// Empty when the thread has gone.
std::string comm_of(uint32_t pid, uint32_t tid) {
  try {
    LineReader reader(format("/proc/%u/task/%u/comm", pid, tid));
    std::string_view line;
    if (reader.next(line)) return std::string(line);
  } catch (const Error&) {
    // not worth more than a name
  }
  return "";
}

}  // namespace

LaunchProbes::LaunchProbes(uint32_t pid) : pid_(pid) {
  wanted_.insert(pid);
  for (const char* name : {kOpenCl, kLevelZero}) {
    const std::string library = find_library(name, pid);
    if (library.empty()) continue;
    const ElfFile elf(library);
    bool of_processes = probes_.empty();  // of one only: all would tell the same
    std::string nameless;
    for (size_t i = 0; i < std::size(kPoints); ++i) {
      const ProbePoint& point = kPoints[i];
      if (point.library != name) continue;
      Uprobe::Place place;
      place.point = i;
      place.library = library;
      place.offset = offset_of(elf, point.function);
      place.at_return = point.what == What::made;
      place.fetch = point.fetch;
      if (is_often(point)) place.ring_pages = kManyPages;
      if (place.at_return) place.stack_bytes = kCallersStack;
      place.of_processes = of_processes && is_launching(point.what);
      if (place.offset == 0) continue;
      try {
        probes_.emplace_back(place, point.function);
        if (place.of_processes) of_processes = false;
      } catch (const Error& error) {
        // without tracefs, launches without names are worth having
        if (point.fetch[0] == '\0') throw;
        nameless = error.what();
      }
    }
    if (!nameless.empty())
      warn("kernels of %s stay without names, and its command lists unknown: %s", name,
           nameless.c_str());
  }
  if (probes_.empty()) throw Error("neither libOpenCL.so.1 nor libze_loader.so.1 is installed");
}

LaunchProbes::~LaunchProbes() = default;

void LaunchProbes::begin(AgentListener& listener) {
  if (pid_ == 0) return;
  try {
    LineReader maps(format("/proc/%u/maps", pid_));
    std::string_view line;
    MapsLine map;
    for (bool first = true; maps.next(line);) {
      if (!parse_maps_line(line, map) || !map.is_executable()) continue;
      listener.on_map(pid_, map.start, map.end, map.file_offset, map.path, first);
      first = false;
    }
  } catch (const Error&) {
    // gone already
  }
}

void LaunchProbes::drain(AgentListener& listener, bool all) {
  const uint64_t settled = all ? UINT64_MAX : monotonic_ns() - EventRings::kSettleNs;
  for (Uprobe& probe : probes_) probe.drain(held_, all);
  std::stable_sort(held_.begin(), held_.end(),
                   [](const UprobeHit& a, const UprobeHit& b) { return a.time < b.time; });
  size_t count = 0;
  for (; count < held_.size() && held_[count].time <= settled; ++count)
    take(held_[count], listener);
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
}

void LaunchProbes::take(const UprobeHit& hit, AgentListener& listener) {
  if (hit.kind == UprobeHit::Kind::lost) {
    // system-wide: whose they were is not told
    if (is_launching(kPoints[hit.point].what)) {
      listener.on_lost(pid_, hit.lost);
    } else if (!lost_names_) {
      lost_names_ = true;
      warn("calls of %s were lost: some kernels may lack their names", kPoints[hit.point].function);
    }
    return;
  }
  if (hit.kind == UprobeHit::Kind::fork) {
    if (pid_ != 0 && !wanted_.contains(hit.parent)) return;
    if (pid_ != 0) wanted_.insert(hit.pid);
    if (pid_ != 0) listener.on_fork(hit.parent, hit.pid);
    // its handles are its parent's
    for (auto at = kernels_.lower_bound({hit.parent, 0});
         at != kernels_.end() && at->first.first == hit.parent; ++at)
      kernels_[{hit.pid, at->first.second}] = at->second;
    return;
  }
  if (pid_ != 0 && !wanted_.contains(hit.pid)) return;
  switch (hit.kind) {
    case UprobeHit::Kind::exec:
      forget(hit.pid);
      if (pid_ != 0) executed_.insert(hit.pid);
      break;
    case UprobeHit::Kind::exit:
      forget(hit.pid);
      break;
    case UprobeHit::Kind::map:
      // of the whole system it would be too many: there /proc is asked
      if (pid_ != 0)
        listener.on_map(hit.pid, hit.start, hit.end, hit.file_offset, hit.stack,
                        executed_.erase(hit.pid) != 0);
      break;
    default:
      take_hit(hit, listener);
  }
}

// The handles of a process mean nothing in the one that gets its number, or its place, next.
void LaunchProbes::forget(uint32_t pid) {
  const auto erase = [pid](auto& of) {
    std::erase_if(of, [pid](const auto& entry) { return entry.first.first == pid; });
  };
  erase(making_);
  erase(kernels_);
  std::erase_if(told_, [pid](const auto& entry) { return entry.first == pid; });
  lists_.forget(pid);
}

void LaunchProbes::take_hit(const UprobeHit& hit, AgentListener& listener) {
  const ProbedLists::Tell tell = [&](const ProbedLists::Appended& what, uint64_t count,
                                     bool executed, bool back) {
    launch(hit, what, count, executed, back, listener);
  };
  const size_t fetched = std::min<size_t>(hit.si & UINT32_MAX, hit.values.size());
  const uint64_t more = (hit.si & UINT32_MAX) - fetched;  // than are fetched
  const ProbePoint& point = kPoints[hit.point];
  switch (point.what) {
    case What::kernel:
    case What::list:
    case What::immediate:
      making_[{hit.pid, hit.tid}] = {hit.point, hit.text,
                                     point.out == Out::dx   ? hit.dx
                                     : point.out == Out::cx ? hit.cx
                                                            : 0};
      break;
    case What::made:
      take_made(hit);
      break;
    case What::launch:
      tell({kernel_name(hit.pid, hit.si), hit.frames}, 1, false, false);
      break;
    case What::append:
      lists_.appended(hit.pid, hit.di, {kernel_name(hit.pid, hit.si), hit.frames}, tell);
      break;
    case What::append_several:
      for (size_t i = 0; i < fetched; ++i)
        lists_.appended(hit.pid, hit.di, {kernel_name(hit.pid, hit.values[i]), hit.frames}, tell);
      if (more > 0) listener.on_lost(hit.pid, more);
      break;
    case What::execute:
      for (size_t i = 0; i < fetched; ++i) lists_.executed(hit.pid, hit.values[i], tell);
      if (more > 0) listener.on_lost(hit.pid, more);
      break;
    case What::close:
      lists_.closed(hit.pid, hit.di, tell);
      break;
    case What::reset:
      lists_.reset(hit.pid, hit.di, tell);
      break;
    case What::destroy:
      lists_.destroyed(hit.pid, hit.di);
      break;
  }
}

void LaunchProbes::take_made(const UprobeHit& hit) {
  const auto found = making_.find({hit.pid, hit.tid});
  if (found == making_.end()) return;
  const Making making = std::move(found->second);
  making_.erase(found);
  const uint64_t handle = made_handle(hit, making);
  if (handle == 0) return;
  // handles are reused: the latest holds
  const What what = kPoints[making.point].what;
  if (what == What::kernel)
    kernels_[{hit.pid, handle}] = making.name;
  else
    lists_.made(hit.pid, handle, what == What::immediate);
}

// What the function returned, or had put where its argument points to: on the stack as it was at
// its return; elsewhere as it is now, unless another was put there since.
uint64_t LaunchProbes::made_handle(const UprobeHit& hit, const Making& making) const {
  if (kPoints[making.point].out == Out::ax) return hit.ax;
  uint64_t handle = 0;
  if (hit.ax != 0 || making.out == 0) return 0;  // an error
  const uint64_t on_stack = making.out - hit.sp;
  if (making.out >= hit.sp && on_stack + sizeof handle <= hit.stack.size()) {
    std::memcpy(&handle, hit.stack.data() + on_stack, sizeof handle);
    return handle;
  }
  for (const UprobeHit& later : held_) {
    if (later.pid != hit.pid || later.time <= hit.time) continue;
    const Out out = kPoints[later.point].out;
    if ((out == Out::dx && later.dx == making.out) || (out == Out::cx && later.cx == making.out))
      return 0;
  }
  iovec local{&handle, sizeof handle};
  iovec remote{reinterpret_cast<void*>(making.out), sizeof handle};
  const ssize_t read = process_vm_readv(static_cast<pid_t>(hit.pid), &local, 1, &remote, 1, 0);
  return read == sizeof handle ? handle : 0;
}

std::string LaunchProbes::kernel_name(uint32_t pid, uint64_t handle) const {
  const auto known = kernels_.find({pid, handle});
  return known == kernels_.end() ? "" : known->second;
}

// At once, `what` has the frames; of what was in a list, those of its execution are the hit's.
void LaunchProbes::launch(const UprobeHit& hit, const ProbedLists::Appended& what, uint64_t count,
                          bool executed, bool back, AgentListener& listener) {
  AgentListener::Stack stack;
  stack.tid = hit.tid;
  stack.kernel = what.kernel.empty() ? "[unknown kernel]" : std::string_view(what.kernel);
  stack.frames = executed ? hit.frames : what.frames;
  if (executed) stack.appended = what.frames;
  const auto hash = [](const std::vector<uint64_t>& frames, uint64_t seed) {
    return hash_text(
        {reinterpret_cast<const char*>(frames.data()), frames.size() * sizeof(uint64_t)}, seed);
  };
  stack.id = hash(stack.appended, hash(stack.frames, hit.tid ^ hash_text(stack.kernel, 0)));
  std::string comm;
  if (told_.insert({hit.pid, stack.id}).second) {
    // once for each stack: a look into /proc takes longer than all the rest
    comm = comm_of(hit.pid, hit.tid);
    stack.comm = comm;
    listener.on_stack(hit.pid, stack);
  }
  agent_launches launches{};
  launches.record.flags = back ? AGENT_FAILED : 0;
  launches.id = stack.id;
  launches.time = hit.time;
  launches.count = count;
  listener.on_launches(hit.pid, launches);
}

}  // namespace aiflame::record
