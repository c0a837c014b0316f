// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/launch_probes.h"

#include <asm/perf_regs.h>
#include <dlfcn.h>
#include <sys/uio.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "libcommon/clock.h"
#include "libcommon/input.h"
#include "libcommon/parse.h"
#include "libcommon/perf_events.h"
#include "libcommon/process_maps.h"
#include "libcommon/program.h"
#include "libcommon/symbols/elf.h"

namespace aiflame {
namespace {

// 32 pages a processor and probe: a hit with its stack takes some 400 bytes (2.4 KB with the stack
// that a kernel's name may be on), and the recorder comes by every 10 ms.
constexpr int kRingPages = 32;
// Names that programs make up are on the stack of the caller of clCreateKernel.
constexpr uint32_t kStackForNames = 2048;
constexpr size_t kMaxName = 4096;

enum class What { launch, create, created };

struct ProbePoint {
  const char* agent;
  const char* library;
  const char* function;
  What what;
};

// The kernel is the second argument of a launch, the name the second of clCreateKernel.
constexpr ProbePoint kPoints[] = {
    {"opencl", "libOpenCL.so.1", "clCreateKernel", What::create},
    {"opencl", "libOpenCL.so.1", "clCreateKernel", What::created},
    {"opencl", "libOpenCL.so.1", "clEnqueueNDRangeKernel", What::launch},
    {"opencl", "libOpenCL.so.1", "clEnqueueTask", What::launch},
};

// The file of `library` in the process, or where the dynamic linker would take it from.
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
  if (handle == nullptr) throw Error(format("%s is not installed", library));
  char directory[4096];
  const bool found = dlinfo(handle, RTLD_DI_ORIGIN, directory) == 0;
  dlclose(handle);
  if (!found) throw Error(format("cannot tell where %s is", library));
  return std::string(directory) + "/" + library;
}

uint64_t offset_of(const std::string& library, const char* function) {
  const ElfFile elf(library);
  for (const ElfFunction& candidate : elf.functions())
    if (candidate.name == function)
      if (const auto offset = elf.offset_of_vaddr(candidate.start)) return *offset;
  throw Error(format("%s has no function %s", library.c_str(), function));
}

uint32_t uprobe_type() {
  try {
    LineReader reader("/sys/bus/event_source/devices/uprobe/type");
    std::string_view line;
    if (reader.next(line))
      if (const auto type = parse_number<uint32_t>(trim_right(line))) return *type;
  } catch (const Error&) {
    // said below
  }
  throw Error("this kernel has no uprobes (CONFIG_UPROBE_EVENTS)");
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

struct LaunchProbes::Hit {
  enum class Kind { launch, create, created, fork, exec, map, lost } kind = Kind::launch;
  uint64_t time = 0;
  uint32_t pid = 0, tid = 0, parent = 0;
  uint64_t lost = 0;
  uint64_t ax = 0, si = 0, sp = 0;
  std::vector<uint64_t> frames;                  // of the user's stack, leaf first
  std::string stack;                             // bytes from sp on; path of a map
  uint64_t start = 0, end = 0, file_offset = 0;  // of a map
};

// One uprobe on every processor. System-wide, since an inherited one makes the kernel read the
// path in the child's memory, where fork(2) and clone(2) then fail with EFAULT.
class LaunchProbes::Probe {
 public:
  Probe(const ProbePoint& point, const std::string& library, uint64_t offset)
      : what_(point.what), library_(library) {
    perf_event_attr attr{};
    attr.size = sizeof attr;
    attr.type = uprobe_type();
    attr.config = what_ == What::created ? 1 : 0;  // bit 0: at the return
    attr.uprobe_path = reinterpret_cast<uint64_t>(library_.c_str());
    attr.probe_offset = offset;
    attr.sample_period = 1;
    attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
                       PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr.exclude_callchain_kernel = 1;
    attr.sample_regs_user = uint64_t{1} << PERF_REG_X86_AX | uint64_t{1} << PERF_REG_X86_SI |
                            uint64_t{1} << PERF_REG_X86_SP;
    attr.sample_stack_user = what_ == What::create ? kStackForNames : 8;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    // of one kind of probe only: all would tell the same. The program's mappings name its frames,
    // also when it has ended before its launches are looked at
    attr.task = attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = what_ == What::launch;
    attr.disabled = 1;
    try {
      events_.emplace(attr, std::vector<pid_t>{-1}, kRingPages);
    } catch (const PerfEventsError& error) {
      const bool is_forbidden = error.number == EACCES || error.number == EPERM;
      throw Error(
          format("cannot place a uprobe on %s: %s%s", point.function, std::strerror(error.number),
                 is_forbidden ? "; it needs root, or a command and --launch-stacks=agent" : ""));
    }
    events_->enable();
  }

  // `last`: also what was lost last, which no record tells of.
  void drain(std::vector<Hit>& out, bool last) {
    events_->drain([&](const perf_event_header& record) { take(record, out); });
    const uint64_t lost = last ? events_->lost_untold() : 0;
    if (lost == 0) return;
    Hit hit;
    hit.kind = Hit::Kind::lost;
    hit.time = monotonic_ns();
    hit.lost = lost;
    out.push_back(std::move(hit));
  }

 private:
  void take(const perf_event_header& header, std::vector<Hit>& out) const {
    const auto* bytes = reinterpret_cast<const char*>(&header);
    Hit hit;
    if (header.type == PERF_RECORD_SAMPLE) {
      read_sample(std::string_view(bytes + sizeof header, header.size - sizeof header), hit);
      hit.kind = what_ == What::launch   ? Hit::Kind::launch
                 : what_ == What::create ? Hit::Kind::create
                                         : Hit::Kind::created;
    } else {
      hit.time = PerfEvents::trailer_time(header);
      if (header.type == PERF_RECORD_FORK) {
        const auto& fork = reinterpret_cast<const perf_record_fork&>(header);
        if (fork.pid == fork.ppid) return;
        hit.kind = Hit::Kind::fork;
        hit.pid = fork.pid;
        hit.parent = fork.ppid;
      } else if (header.type == PERF_RECORD_COMM) {
        if ((header.misc & PERF_RECORD_MISC_COMM_EXEC) == 0) return;
        hit.kind = Hit::Kind::exec;
        hit.pid = reinterpret_cast<const perf_record_comm&>(header).pid;
      } else if (header.type == PERF_RECORD_MMAP2) {
        const auto& map = reinterpret_cast<const perf_record_mmap2&>(header);
        hit.kind = Hit::Kind::map;
        hit.pid = map.pid;
        hit.start = map.start;
        hit.end = map.start + map.len;
        hit.file_offset = map.pgoff;
        hit.stack = map.filename;
      } else if (header.type == PERF_RECORD_LOST) {
        hit.kind = Hit::Kind::lost;
        hit.lost = reinterpret_cast<const perf_record_lost&>(header).lost;
      } else {
        return;
      }
    }
    out.push_back(std::move(hit));
  }

  // u64 ip; u32 pid, tid; u64 time; u64 count, ips[count]; u64 abi, registers in order of their
  // numbers; u64 size, bytes[size], u64 how many of them are valid
  static void read_sample(std::string_view rest, Hit& hit) {
    const auto next = [&rest]() {
      uint64_t value = 0;
      if (rest.size() < 8) return value;
      std::memcpy(&value, rest.data(), 8);
      rest.remove_prefix(8);
      return value;
    };
    const uint64_t ip = next();
    const uint64_t ids = next();
    hit.pid = static_cast<uint32_t>(ids);
    hit.tid = static_cast<uint32_t>(ids >> 32);
    hit.time = next();
    std::vector<uint64_t> chain;
    for (uint64_t count = next(); count > 0 && !rest.empty(); --count) {
      const uint64_t entry = next();
      if (entry < PERF_CONTEXT_MAX) chain.push_back(entry);
    }
    if (next() != 0) {
      hit.ax = next();
      hit.si = next();
      hit.sp = next();
    }
    const uint64_t size = next();
    hit.stack = rest.substr(0, std::min<uint64_t>(size, rest.size()));
    rest.remove_prefix(hit.stack.size());
    if (size > 0) hit.stack.resize(std::min<uint64_t>(next(), hit.stack.size()));
    // At a function's first instruction %rbp is still the caller's, so the chain goes from the
    // function to the caller's caller; the caller's address is on top of the stack. Kernels add it
    // where the function begins with `push %rbp`.
    uint64_t caller = 0;
    if (hit.stack.size() >= 8) std::memcpy(&caller, hit.stack.data(), 8);
    hit.frames.push_back(ip);
    if (caller != 0) hit.frames.push_back(caller);
    size_t first = chain.empty() || chain[0] != ip ? 0 : 1;
    if (first < chain.size() && chain[first] == caller) ++first;
    hit.frames.insert(hit.frames.end(), chain.begin() + static_cast<std::ptrdiff_t>(first),
                      chain.end());
  }

  What what_;
  std::string library_;  // the attributes point to it until the events are open
  std::optional<PerfEvents> events_;
};

LaunchProbes::LaunchProbes(const std::string& agent, uint32_t pid) : pid_(pid) {
  wanted_.insert(pid);
  for (const ProbePoint& point : kPoints) {
    if (agent != point.agent) continue;
    const std::string library = find_library(point.library, pid);
    probes_.push_back(std::make_unique<Probe>(point, library, offset_of(library, point.function)));
  }
}

LaunchProbes::~LaunchProbes() = default;

void LaunchProbes::drain(AgentListener& listener, bool all) {
  const uint64_t settled = all ? UINT64_MAX : monotonic_ns() - PerfEvents::kSettleNs;
  for (const auto& probe : probes_) probe->drain(held_, all);
  std::stable_sort(held_.begin(), held_.end(),
                   [](const Hit& a, const Hit& b) { return a.time < b.time; });
  size_t count = 0;
  for (; count < held_.size() && held_[count].time <= settled; ++count)
    take(held_[count], listener);
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
}

void LaunchProbes::take(const Hit& hit, AgentListener& listener) {
  if (hit.kind == Hit::Kind::lost) {
    // system-wide: whose they were is not told
    listener.on_lost(pid_, hit.lost);
    return;
  }
  if (hit.kind == Hit::Kind::fork) {
    if (wanted_.contains(hit.parent)) wanted_.insert(hit.pid);
    return;
  }
  if (pid_ != 0 && !wanted_.contains(hit.pid)) return;
  switch (hit.kind) {
    case Hit::Kind::exec:
      if (pid_ != 0) executed_.insert(hit.pid);
      break;
    case Hit::Kind::map:
      // of the whole system it would be too many: there /proc is asked
      if (pid_ != 0)
        listener.on_map(hit.pid, hit.start, hit.end, hit.file_offset, hit.stack,
                        executed_.erase(hit.pid) != 0);
      break;
    case Hit::Kind::create:
      creating_[{hit.pid, hit.tid}] = name_argument(hit);
      break;
    case Hit::Kind::created: {
      const auto creating = creating_.find({hit.pid, hit.tid});
      // handles are reused: the latest name holds, an unknown one too
      kernels_[{hit.pid, hit.ax}] = creating == creating_.end() ? "" : creating->second;
      if (creating != creating_.end()) creating_.erase(creating);
      break;
    }
    default:
      take_launch(hit, listener);
  }
}

void LaunchProbes::take_launch(const Hit& hit, AgentListener& listener) {
  const auto known = kernels_.find({hit.pid, hit.si});
  const std::string kernel =
      known == kernels_.end() || known->second.empty() ? "[unknown kernel]" : known->second;
  AgentListener::Stack stack;
  stack.tid = hit.tid;
  stack.kernel = kernel;
  stack.frames = hit.frames;
  stack.id = XXH3_64bits_withSeed(hit.frames.data(), hit.frames.size() * sizeof(uint64_t),
                                  hit.tid ^ XXH3_64bits(kernel.data(), kernel.size()));
  if (told_.insert({hit.pid, stack.id}).second) {
    // once for each stack: a look into /proc takes longer than all the rest
    const std::string comm = comm_of(hit.pid, hit.tid);
    stack.comm = comm;
    listener.on_stack(hit.pid, stack);
  }
  agent_launch launch{};
  launch.record.flags = AGENT_UNTIMED;
  launch.id = stack.id;
  launch.instance = ++instances_;
  launch.time = hit.time;
  listener.on_launch(hit.pid, launch);
}

// The string that the second argument points to: taken from the stack as it was recorded, or read
// now where it cannot have changed since, in a mapping that nobody may write. A string on the heap
// may have: its kernel stays unknown.
std::string LaunchProbes::name_argument(const Hit& hit) const {
  if (hit.si >= hit.sp && hit.si - hit.sp < hit.stack.size()) {
    const std::string_view from = std::string_view(hit.stack).substr(hit.si - hit.sp);
    const size_t end = from.find('\0');
    return end == std::string_view::npos ? "" : std::string(from.substr(0, end));
  }
  try {
    LineReader maps(format("/proc/%u/maps", hit.pid));
    std::string_view line;
    while (maps.next(line)) {
      MapsLine map;
      if (!parse_maps_line(line, map) || map.rights[1] == 'w' || hit.si < map.start ||
          hit.si >= map.end)
        continue;
      std::string name(std::min<uint64_t>(kMaxName, map.end - hit.si), '\0');
      iovec local{name.data(), name.size()};
      iovec remote{reinterpret_cast<void*>(hit.si), name.size()};
      const ssize_t n = process_vm_readv(static_cast<pid_t>(hit.pid), &local, 1, &remote, 1, 0);
      if (n <= 0) return "";
      name.resize(static_cast<size_t>(n));
      const size_t zero = name.find('\0');
      return zero == std::string::npos ? "" : name.substr(0, zero);
    }
  } catch (const Error&) {
    // the process has gone
  }
  return "";
}

}  // namespace aiflame
