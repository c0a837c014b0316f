// SPDX-License-Identifier: MIT
#include "plugins/sources/opencl-cpu/sampler.h"

#include <dirent.h>
#include <linux/perf_event.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>

#include "libcommon/base/clock.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "libcommon/libperf/event_rings.h"
#include "libcommon/process/capabilities.h"

namespace aiflame::source::opencl_cpu {
namespace {

// 64 pages per processor hold 6 500 samples, which is 6 s at the default rate. Every user may lock
// that much (perf_event_mlock_kb, 516).
constexpr int kRingPages = 64;

perf_event_attr make_attributes(const SamplerTarget& target) {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  // a timer on the thread's processor time, which every machine has, virtual ones too
  attr.config = PERF_COUNT_SW_CPU_CLOCK;
  attr.sample_period = target.period_ns;
  attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.exclude_kernel = 1;  // kernels run in user mode; allowed with perf_event_paranoid 2
  attr.exclude_hv = 1;
  attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 1;
  attr.disabled = 1;
  attr.inherit = target.kind != SamplerTarget::Kind::system;
  attr.enable_on_exec = target.kind == SamplerTarget::Kind::command;
  return attr;
}

// Whether all of a process's users are this process's: only then may it be looked at without root.
bool is_own(pid_t pid) {
  const std::string text = read_text(format("/proc/%d/status", pid), 4096);
  const size_t at = text.find("\nUid:");
  if (at == std::string::npos) return true;
  std::string_view rest = std::string_view(text).substr(at + 5);
  rest = rest.substr(0, rest.find('\n'));
  while (const auto user = parse_number<uid_t>(take_field(rest)))
    if (*user != geteuid()) return false;
  return true;
}

//   /proc/self/uid_map of the machine itself: "         0          0 4294967295"
bool is_in_user_namespace() {
  const std::string text = read_text("/proc/self/uid_map", 4096);
  std::string_view rest = std::string_view(text).substr(0, text.find('\n'));
  if (rest.empty()) return false;
  const std::string_view inside = take_field(rest), outside = take_field(rest);
  return inside != "0" || outside != "0" || take_field(rest) != "4294967295";
}

// The capability that root has not got on this machine though events need it at `level`: "" when it
// lacks none. Linux itself takes CAP_PERFMON at any level. Debian's and Ubuntu's kernels have
// levels above 2, which take CAP_SYS_ADMIN.
std::string lacking_capability(int level) {
  const bool needs_admin = level > 2;
  const uint64_t enough =
      capability_bit(CAP_SYS_ADMIN) | (needs_admin ? 0 : capability_bit(kCapPerfmon));
  const std::optional<Capabilities> own = read_capabilities();
  if (own && (own->permitted & enough) != 0 && !is_in_user_namespace()) return "";
  return needs_admin ? "CAP_SYS_ADMIN" : "CAP_PERFMON";
}

// What root may do where the setting is too strict for it.
std::string remedy_for_root(const std::string& capability, int level, int enough) {
  const std::string setting =
      format("on the machine itself: sysctl kernel.perf_event_paranoid=%d", enough);
  if (is_in_user_namespace())
    return format(
        ": at kernel.perf_event_paranoid %d they need %s, which the root of a user namespace "
        "lacks; %s",
        level, capability.c_str(), setting.c_str());
  return format(
      ": at kernel.perf_event_paranoid %d they need %s, which this root lacks: give it to the "
      "container or service, or %s",
      level, capability.c_str(), setting.c_str());
}

// What forbids events, with the remedy where there is one.
std::string why_forbidden(const SamplerTarget& target, int error) {
  const bool is_system = target.kind == SamplerTarget::Kind::system;
  const int enough = is_system ? 0 : 2;
  const std::string setting = read_text("/proc/sys/kernel/perf_event_paranoid", 16);
  const auto level = parse_number<int>(setting.substr(0, setting.find('\n')));
  const bool is_strict = !level || *level > enough;
  if (is_strict && (!level || geteuid() != 0))
    return format("; as root: sysctl kernel.perf_event_paranoid=%d", enough);
  // the setting fails with EACCES; most filters of system calls fail with EPERM
  if (is_strict && error == EACCES)
    if (const std::string lacks = lacking_capability(*level); !lacks.empty())
      return remedy_for_root(lacks, *level, enough);
  if (target.kind == SamplerTarget::Kind::process && !is_own(target.pid))
    return format(": process %d is another user's: record it as root", target.pid);
  const bool is_process = target.kind == SamplerTarget::Kind::process;
  return format("%s: a container's or a service's filter of system calls forbids them%s",
                is_strict ? "" : format(" though kernel.perf_event_paranoid is %d", *level).c_str(),
                is_process ? ", or the process may not be looked at" : "");
}

// The error with its cause and remedy.
std::string open_error(const EventRingsError& error, const SamplerTarget& target) {
  std::string text = error.what();
  if (error.is_mmap) return text + "; as root: sysctl kernel.perf_event_mlock_kb=4096";
  switch (error.number) {
    case EACCES:
    case EPERM:
      return text + why_forbidden(target, error.number);
    case ENOENT:
    case ENOSYS:
      return text + ": this kernel has no perf events";
    case ESRCH:
      return "no such process";
    default:
      return text;
  }
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
  std::optional<EventRings> events;
  std::vector<SamplerEvent> held;  // not yet handed over

  void open(const SamplerTarget& target, std::vector<pid_t> tids) {
    try {
      events.emplace(make_attributes(target), std::move(tids), kRingPages);
    } catch (const EventRingsError& error) {
      throw Error(open_error(error, target));
    }
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
        event.time = EventRings::trailer_time(header);
        break;
      }
      case PERF_RECORD_COMM: {
        const auto& comm = reinterpret_cast<const perf_record_comm&>(header);
        event.kind = (header.misc & PERF_RECORD_MISC_COMM_EXEC) != 0 ? SamplerEvent::Kind::exec
                                                                     : SamplerEvent::Kind::comm;
        event.pid = comm.pid;
        event.tid = comm.tid;
        event.text = comm.comm;
        event.time = EventRings::trailer_time(header);
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
        event.time = EventRings::trailer_time(header);
        break;
      }
      case PERF_RECORD_LOST: {
        const auto& lost = reinterpret_cast<const perf_record_lost&>(header);
        event.kind = SamplerEvent::Kind::lost;
        event.count = lost.lost;
        event.time = EventRings::trailer_time(header);
        break;
      }
      case PERF_RECORD_THROTTLE:  // the kernel stopped the timer for a while
        event.kind = SamplerEvent::Kind::lost;
        event.count = UINT64_MAX;
        event.time = EventRings::trailer_time(header);
        break;
      default:
        return;
    }
    held.push_back(std::move(event));
  }
};

Sampler::Sampler(const SamplerTarget& target) {
  if (target.kind != SamplerTarget::Kind::process) {
    impl_ = std::make_unique<Impl>();
    impl_->open(target, {target.kind == SamplerTarget::Kind::system ? -1 : target.pid});
    if (target.kind == SamplerTarget::Kind::system) impl_->events->enable();
    return;
  }
  // threads may come and go while events are opened: repeats until the list stays the same
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
  impl_->events->enable();
}

Sampler::~Sampler() = default;

void Sampler::stop() {
  impl_->events->disable();
}

void Sampler::read(const std::function<void(const SamplerEvent&)>& sink, bool all) {
  const uint64_t settled = all ? UINT64_MAX : monotonic_ns() - EventRings::kSettleNs;
  impl_->events->drain([this](const perf_event_header& record) { impl_->take(record); });
  std::vector<SamplerEvent>& held = impl_->held;
  if (const uint64_t lost = all ? impl_->events->lost_unreported() : 0; lost > 0) {
    SamplerEvent event;
    event.kind = SamplerEvent::Kind::lost;
    event.time = monotonic_ns();
    event.count = lost;
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

}  // namespace aiflame::source::opencl_cpu
