// SPDX-License-Identifier: MIT
// Source `opencl-cpu`: the CPU as OpenCL device (PoCL). It samples time, not stalls: what the
// worker threads execute at each tick of a timer, kept when that is a kernel's code.
#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libcommon/base/clock.h"
#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/process/process_file.h"
#include "libcommon/process/process_maps.h"
#include "plugins/abi/gpustall_plugin.h"
#include "plugins/sources/common/source_functions.h"
#include "plugins/sources/opencl-cpu/icd_files.h"
#include "plugins/sources/opencl-cpu/pocl_object.h"
#include "plugins/sources/opencl-cpu/sampler.h"

namespace aiflame::source::opencl_cpu {
namespace {

// Not a round number, as with perf: otherwise a program that does something every millisecond would
// be sampled at the same point each time.
constexpr uint64_t kDefaultFrequency = 997;

uint64_t period_of(const gpustall_config& config) {
  if (config.period != 0) return config.period;
  return 1000000000 / (config.frequency != 0 ? config.frequency : kDefaultFrequency);
}

// A kernel's object in the address space of one process.
struct Mapping {
  uint64_t start = 0, bytes = 0, file_offset = 0;
  std::string path;
  std::shared_ptr<const std::vector<PoclFunction>> functions;
  // Whether the recorder knows it. Mappings that a fork inherited are reported at their first
  // sample, as most children never run a kernel.
  bool reported = false;
};

// How long after the end of a process's main thread its samples may still come. Rings are read
// every 20 ms.
constexpr uint64_t kForgetAfterNs = 1000000000;

class Source {
 public:
  explicit Source(const gpustall_config& config)
      : sampler_(SamplerTarget{static_cast<SamplerTarget::Kind>(config.target),
                               static_cast<pid_t>(config.pid), period_of(config)}),
        config_(config) {}

  bool read(gpustall_sink sink, void* user) {
    sink_ = sink;
    user_ = user;
    if (!begun_) {
      begun_ = true;
      // mappings of running processes are older than the events
      if (config_.target == GPUSTALL_TARGET_PROCESS) take_existing(config_.pid);
      if (config_.target == GPUSTALL_TARGET_SYSTEM) take_all_existing();
    }
    sampler_.read([this](const SamplerEvent& event) { take(event); }, stopped_);
    forget_ended();
    return true;
  }

  void stop() {
    sampler_.stop();
    stopped_ = true;
  }

 private:
  using Mappings = std::map<uint64_t, Mapping>;  // by start

  gpustall_event make(uint32_t type, const SamplerEvent& from) const {
    gpustall_event out{};
    out.size = sizeof out;
    out.type = type;
    out.pid = from.pid;
    out.tid = from.tid;
    out.time = from.time;
    return out;
  }

  void take(const SamplerEvent& event) {
    switch (event.kind) {
      case SamplerEvent::Kind::sample:
        take_sample(event);
        break;
      case SamplerEvent::Kind::map:
        take_map(event);
        break;
      case SamplerEvent::Kind::exec:
        unload_all(event);
        [[fallthrough]];
      case SamplerEvent::Kind::comm:
        if (event.pid == event.tid) {
          gpustall_event out = make(GPUSTALL_EVENT_PROCESS, event);
          out.u.text = event.text.c_str();
          sink_(user_, &out);
        }
        break;
      case SamplerEvent::Kind::fork:
        if (event.pid != event.parent) inherit(event);
        break;
      case SamplerEvent::Kind::exit:
        // as a rule the process ends with its main thread
        if (event.pid == event.tid && processes_.contains(event.pid)) ending_.push_back(event);
        break;
      case SamplerEvent::Kind::lost: {
        gpustall_event out = make(GPUSTALL_EVENT_LOST, event);
        out.u.number = event.count;
        sink_(user_, &out);
        break;
      }
    }
  }

  void take_sample(const SamplerEvent& event) {
    const auto process = processes_.find(event.pid);
    if (process == processes_.end()) return;
    auto at = process->second.upper_bound(event.address);
    if (at == process->second.begin()) return;
    --at;
    Mapping& mapping = at->second;
    if (event.address - mapping.start >= mapping.bytes) return;
    if (!mapping.reported) load(event, mapping);
    gpustall_event out = make(GPUSTALL_EVENT_SAMPLE, event);
    out.u.sample.address = event.address;
    out.u.sample.count = 1;
    out.u.sample.tid = event.tid;
    sink_(user_, &out);
  }

  void unload(const SamplerEvent& event, const Mapping& mapping) {
    if (!mapping.reported) return;
    gpustall_event out = make(GPUSTALL_EVENT_UNLOAD, event);
    out.u.object.address = mapping.start;
    out.u.object.bytes = mapping.bytes;
    out.u.object.path = mapping.path.c_str();
    out.u.object.saved = "";
    sink_(user_, &out);
  }

  void unload_all(const SamplerEvent& event) {
    const auto process = processes_.find(event.pid);
    if (process == processes_.end()) return;
    for (const auto& [start, mapping] : process->second) unload(event, mapping);
    processes_.erase(process);
  }

  // perf has no event for munmap: mappings that a new one overlaps are gone.
  void unload_overlapped(const SamplerEvent& event) {
    const auto process = processes_.find(event.pid);
    if (process == processes_.end()) return;
    Mappings& mappings = process->second;
    for (auto at = mappings.begin(); at != mappings.end();) {
      const Mapping& mapping = at->second;
      if (mapping.start < event.address + event.bytes &&
          event.address < mapping.start + mapping.bytes) {
        unload(event, mapping);
        at = mappings.erase(at);
      } else {
        ++at;
      }
    }
  }

  void take_map(const SamplerEvent& event) {
    unload_overlapped(event);
    if (!may_be_pocl_object(event.text)) return;
    auto functions = std::make_shared<const std::vector<PoclFunction>>(functions_of(event));
    if (functions->empty()) return;
    Mapping& mapping = processes_[event.pid][event.address];
    mapping =
        Mapping{event.address, event.bytes, event.file_offset, event.text, std::move(functions)};
    load(event, mapping);
  }

  void load(const SamplerEvent& event, Mapping& mapping) {
    mapping.reported = true;
    const uint64_t shift = mapping.start - mapping.file_offset;
    std::vector<gpustall_function> named;
    for (const PoclFunction& f : *mapping.functions)
      named.push_back({f.offset + shift, f.bytes, f.name.c_str(), f.kernel.c_str()});
    gpustall_event out = make(GPUSTALL_EVENT_LOAD, event);
    out.u.object.address = mapping.start;
    out.u.object.bytes = mapping.bytes;
    out.u.object.file_offset = mapping.file_offset;
    out.u.object.path = mapping.path.c_str();
    out.u.object.saved = "";
    out.u.object.functions = named.data();
    out.u.object.function_count = static_cast<uint32_t>(named.size());
    sink_(user_, &out);
  }

  // Reads the file as the process sees it, in its mount namespace, while it lives.
  std::vector<PoclFunction> functions_of(const SamplerEvent& event) {
    try {
      const ProcessFile file(event.pid, event.text);
      return read_pocl_object(file.path());
    } catch (const Error&) {
      // already gone, or no ELF object after all
    }
    return {};
  }

  void inherit(const SamplerEvent& event) {
    unload_all(event);  // left over from a process that had this number
    std::erase_if(ending_, [&](const SamplerEvent& ended) { return ended.pid == event.pid; });
    const auto parent = processes_.find(event.parent);
    if (parent == processes_.end()) return;
    Mappings& inherited = processes_[event.pid] = parent->second;
    for (auto& [start, mapping] : inherited) mapping.reported = false;
  }

  // Forgets processes that ended a while ago and have no other threads.
  void forget_ended() {
    const uint64_t now = monotonic_ns();
    std::erase_if(ending_, [&](SamplerEvent& event) {
      if (event.time + kForgetAfterNs > now) return false;
      if (threads_of(static_cast<pid_t>(event.pid)).size() > 1) return true;
      event.time = now;
      unload_all(event);
      return true;
    });
  }

  void take_existing(uint32_t pid) {
    SamplerEvent event;
    event.pid = event.tid = pid;
    event.time = monotonic_ns();
    try {
      std::string_view line;
      LineReader comm(format("/proc/%u/comm", pid));
      if (!comm.next(line)) return;
      event.kind = SamplerEvent::Kind::comm;
      event.text = line;
      take(event);
      event.kind = SamplerEvent::Kind::map;
      LineReader maps(format("/proc/%u/maps", pid));
      MapsLine map;
      while (maps.next(line)) {
        if (!parse_maps_line(line, map) || !map.rights.ends_with("xp")) continue;
        event.address = map.start;
        event.bytes = map.end - map.start;
        event.file_offset = map.file_offset;
        event.text = map.path;
        take(event);
      }
    } catch (const Error&) {
      // the process has gone
    }
  }

  void take_all_existing() {
    DIR* directory = opendir("/proc");
    if (directory == nullptr) return;
    while (const dirent* entry = readdir(directory))
      if (const auto pid = parse_number<uint32_t>(entry->d_name)) take_existing(*pid);
    closedir(directory);
  }

  Sampler sampler_;
  gpustall_config config_;
  gpustall_sink sink_ = nullptr;
  void* user_ = nullptr;
  bool begun_ = false, stopped_ = false;
  std::map<uint32_t, Mappings> processes_;
  std::vector<SamplerEvent> ending_;  // exits of main threads
};

// The kernel's name of the model: "model name : AMD EPYC 7763 64-Core Processor".
std::string processor_name() {
  try {
    LineReader cpuinfo("/proc/cpuinfo");
    std::string_view line;
    while (cpuinfo.next(line))
      if (take_prefix(line, "model name") && line.find(':') != std::string_view::npos)
        return std::string(trim_right(trim_left(line.substr(line.find(':') + 1))));
  } catch (const Error&) {
    // without /proc there is no name, which is no reason to fail
  }
  return "CPU";
}

using Functions = SourceFunctions<Source>;

int devices(const gpustall_config* config,
            void (*found)(void* user, const struct gpustall_device* device), void* user) {
  Functions::last_error = sampler_obstacle();
  if (!Functions::last_error.empty()) return -1;
  const std::string name = processor_name();
  const std::string lack = pocl_lack();
  const gpustall_device device{sizeof(gpustall_device),
                               0,
                               name.c_str(),
                               "cpu",
                               "ns",
                               period_of(*config),
                               nullptr,
                               0,
                               lack.empty() ? nullptr : lack.c_str()};
  found(user, &device);
  return 1;
}

constexpr struct gpustall_plugin kPlugin = plugin_table<Source>(
    {
        .name = "opencl-cpu",
        .description =
            "the CPU as OpenCL device (PoCL): time samples of the threads that run kernels",
        .event = "gpu-clock",
        .agent = "opencl",
        .flags = GPUSTALL_TIMED,
    },
    devices);

}  // namespace
}  // namespace aiflame::source::opencl_cpu

EXPORT_SOURCE(aiflame::source::opencl_cpu::kPlugin)
