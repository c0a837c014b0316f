// SPDX-License-Identifier: MIT
#include "plugins/opencl-cpu/sampler.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <set>

extern "C" {
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/event.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>
}

#include "libcommon/input.h"
#include "libcommon/parse.h"
#include "libcommon/program.h"

namespace aiflame {
namespace {

// 64 pages a processor hold 6 500 samples, 6 s at the default rate, and are within the memory that
// perf_event_mlock_kb (516) lets every user lock.
constexpr int kRingPages = 64;
// How much later than its time a record may show in its ring.
constexpr uint64_t kSettleNs = 1000000;

uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

perf_event_attr make_attributes(const SamplerTarget& target) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  // a timer on the thread's own processor time: there on every machine, virtual ones too
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = target.period_ns;
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.exclude_kernel = 1;  // kernels run in user mode; allowed with perf_event_paranoid 2
  attr.exclude_hv = 1;
  attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
  attr.read_format = PERF_FORMAT_LOST;
  attr.disabled = 1;
  attr.inherit = target.kind != SamplerTarget::Kind::system;
  attr.enable_on_exec = target.kind == SamplerTarget::Kind::command;
  return attr;
}

std::string open_error(int error, bool system_wide) {
  std::string text = std::string("cannot open perf events: ") + std::strerror(error);
  if (error == EACCES || error == EPERM)
    text += format("; as root: sysctl kernel.perf_event_paranoid=%d", system_wide ? 0 : 2);
  if (error == ENOENT || error == ENOSYS) text += ": this kernel has no perf events";
  if (error == ESRCH) text = "no such process";
  return text;
}

// libperf is silent: what failed is in what it returns.
int print_nothing(libperf_print_level, const char*, va_list) {
  return 0;
}

}  // namespace

std::vector<pid_t> threads_of(pid_t pid) {
  std::vector<pid_t> out;
  DIR* directory = opendir(format("/proc/%d/task", pid).c_str());
  if (directory == nullptr) return out;
  while (const dirent* entry = readdir(directory))
    if (const auto tid = parse_number<pid_t>(entry->d_name)) out.push_back(*tid);
  closedir(directory);
  std::sort(out.begin(), out.end());
  return out;
}

struct Sampler::Impl {
  perf_evlist* list = nullptr;
  perf_cpu_map* cpus = nullptr;
  perf_thread_map* threads = nullptr;
  perf_evsel* evsel = nullptr;     // the list's
  std::vector<SamplerEvent> held;  // not yet handed over
  uint64_t lost_told = 0;          // records, by PERF_RECORD_LOST

  ~Impl() {
    if (list != nullptr) {
      perf_evlist__munmap(list);
      perf_evlist__close(list);
      // libperf 6.1 frees an event without giving back its references to the maps
      perf_evsel* event = nullptr;
      perf_evlist__for_each_evsel(list, event) {
        perf_cpu_map__put(perf_evsel__cpus(event));
        perf_thread_map__put(perf_evsel__threads(event));
      }
      perf_evlist__delete(list);
    }
    perf_cpu_map__put(cpus);
    perf_thread_map__put(threads);
  }

  void open(const SamplerTarget& target, std::vector<pid_t> tids) {
    perf_event_attr attr = make_attributes(target);
    list = perf_evlist__new();
    cpus = perf_cpu_map__new(nullptr);
    threads = perf_thread_map__new_array(static_cast<int>(tids.size()), tids.data());
    evsel = list == nullptr ? nullptr : perf_evsel__new(&attr);
    if (cpus == nullptr || threads == nullptr || evsel == nullptr) throw std::bad_alloc();
    perf_evlist__add(list, evsel);
    // one event for each processor and thread: with inherit, an event on all processors (-1) cannot
    // be mapped
    perf_evlist__set_maps(list, cpus, threads);
    const bool system_wide = target.kind == SamplerTarget::Kind::system;
    int error = perf_evlist__open(list);
    if (error == -EINVAL && attr.read_format != 0) {
      // before Linux 6.0
      perf_evlist__close(list);
      perf_evsel__attr(evsel)->read_format = 0;
      error = perf_evlist__open(list);
    }
    if (error != 0) throw Error(open_error(error < 0 ? -error : errno, system_wide));
    error = perf_evlist__mmap(list, kRingPages);
    if (error != 0) {
      const int number = error < 0 ? -error : errno;
      throw Error(
          format("cannot map perf events: %s; as root: sysctl kernel.perf_event_mlock_kb="
                 "4096",
                 std::strerror(number)));
    }
  }

  // The time is at the end of every record but a sample (sample_id_all): …, u32 pid, tid, u64 time.
  static uint64_t trailer_time(const perf_event_header& header) {
    uint64_t time = 0;
    std::memcpy(&time, reinterpret_cast<const char*>(&header) + header.size - sizeof time,
                sizeof time);
    return time;
  }

  void take(const perf_event_header& header) {
    const auto* bytes = reinterpret_cast<const char*>(&header);
    SamplerEvent event;
    switch (header.type) {
      case PERF_RECORD_SAMPLE: {
        struct {
          uint64_t ip;
          uint32_t pid, tid;
          uint64_t time;
        } sample{};
        std::memcpy(&sample, bytes + sizeof header, sizeof sample);
        event.pid = sample.pid;
        event.tid = sample.tid;
        event.time = sample.time;
        event.address = sample.ip;
        break;
      }
      case PERF_RECORD_MMAP2: {
        const auto& map = reinterpret_cast<const perf_record_mmap2&>(header);
        event.kind = SamplerEvent::Kind::map;
        event.pid = map.pid;
        event.tid = map.tid;
        event.address = map.start;
        event.bytes = map.len;
        event.file_offset = map.pgoff;
        event.text = map.filename;
        event.time = trailer_time(header);
        break;
      }
      case PERF_RECORD_COMM: {
        const auto& comm = reinterpret_cast<const perf_record_comm&>(header);
        event.kind = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0 ? SamplerEvent::Kind::exec
                                                                     : SamplerEvent::Kind::comm;
        event.pid = comm.pid;
        event.tid = comm.tid;
        event.text = comm.comm;
        event.time = trailer_time(header);
        break;
      }
      case PERF_RECORD_FORK:
      case PERF_RECORD_EXIT: {
        const auto& fork = reinterpret_cast<const perf_record_fork&>(header);
        event.kind =
            header.type == PERF_RECORD_FORK ? SamplerEvent::Kind::fork : SamplerEvent::Kind::exit;
        event.pid = fork.pid;
        event.tid = fork.tid;
        event.parent = fork.ppid;
        event.time = trailer_time(header);
        break;
      }
      case PERF_RECORD_LOST: {
        const auto& lost = reinterpret_cast<const perf_record_lost&>(header);
        event.kind = SamplerEvent::Kind::lost;
        event.count = lost.lost;
        lost_told += lost.lost;
        event.time = trailer_time(header);
        break;
      }
      case PERF_RECORD_THROTTLE:  // the kernel stopped the timer for a while
        event.kind = SamplerEvent::Kind::lost;
        event.count = UINT64_MAX;
        event.time = trailer_time(header);
        break;
      default:
        return;
    }
    held.push_back(std::move(event));
  }

  // What found its ring full, by the kernel's own count. PERF_RECORD_LOST tells of it only when a
  // later record finds room, so not of what was lost last.
  uint64_t lost_untold() const {
    uint64_t lost = 0;
    for (int cpu = 0; cpu < perf_cpu_map__nr(cpus); ++cpu) {
      for (int thread = 0; thread < perf_thread_map__nr(threads); ++thread) {
        perf_counts_values values{};
        if (perf_evsel__read(evsel, cpu, thread, &values) == 0) lost += values.lost;
      }
    }
    return lost > lost_told ? lost - lost_told : 0;
  }

  void drain() {
    perf_mmap* map = nullptr;
    perf_evlist__for_each_mmap(list, map, false) {
      if (perf_mmap__read_init(map) < 0) continue;
      while (const perf_event* event = perf_mmap__read_event(map)) {
        take(event->header);
        perf_mmap__consume(map);
      }
      // no perf_mmap__read_done(): it would drop, uncounted, what came in since the last read
    }
  }
};

Sampler::Sampler(const SamplerTarget& target) {
  libperf_init(print_nothing);
  if (target.kind != SamplerTarget::Kind::process) {
    impl_ = std::make_unique<Impl>();
    impl_->open(target, {target.kind == SamplerTarget::Kind::system ? -1 : target.pid});
    if (target.kind == SamplerTarget::Kind::system) perf_evlist__enable(impl_->list);
    return;
  }
  // threads may come and go while the events are opened: again until the list has stood still
  std::vector<pid_t> tids = threads_of(target.pid);
  for (int tries = 0; tries < 10; ++tries) {
    if (tids.empty()) throw Error(format("no process %d", target.pid));
    impl_ = std::make_unique<Impl>();
    try {
      impl_->open(target, tids);
    } catch (const Error&) {
      if (threads_of(target.pid) == tids) throw;
    }
    std::vector<pid_t> now = threads_of(target.pid);
    if (now == tids) break;
    tids = std::move(now);
  }
  perf_evlist__enable(impl_->list);
}

Sampler::~Sampler() = default;

void Sampler::stop() {
  perf_evlist__disable(impl_->list);
}

void Sampler::read(const std::function<void(const SamplerEvent&)>& sink, bool all) {
  const uint64_t settled = all ? UINT64_MAX : monotonic_ns() - kSettleNs;
  impl_->drain();
  std::vector<SamplerEvent>& held = impl_->held;
  if (const uint64_t lost = all ? impl_->lost_untold() : 0; lost > 0) {
    SamplerEvent event;
    event.kind = SamplerEvent::Kind::lost;
    event.time = monotonic_ns();
    event.count = lost;
    impl_->lost_told += lost;
    held.push_back(std::move(event));
  }
  std::stable_sort(held.begin(), held.end(),
                   [](const SamplerEvent& a, const SamplerEvent& b) { return a.time < b.time; });
  size_t count = 0;
  for (; count < held.size() && held[count].time <= settled; ++count) sink(held[count]);
  held.erase(held.begin(), held.begin() + static_cast<std::ptrdiff_t>(count));
}

std::string sampler_obstacle() {
  SamplerTarget target;
  target.pid = getpid();
  try {
    const Sampler sampler(target);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace aiflame
