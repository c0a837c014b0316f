// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/agents/runtime_watch.h"

#include <linux/perf_event.h>
#include <time.h>

#include <algorithm>
#include <string_view>

#include "libcommon/base/program.h"
#include "libcommon/libperf/event_rings.h"
#include "tools/gpustall-record/command/process_tree.h"

namespace aiflame::record {
namespace {

// 64 kB for each processor hold some 500 mappings. A program maps 20 to 300 files as it starts, and
// the ring is read every 20 ms.
constexpr int kRingPages = 16;

// Programs of which a name is kept. It is only needed until the next drain().
constexpr size_t kMostComms = 4096;

// Counts nothing: only the records of programs and mappings are wanted. It takes no more rights
// than to sample one's own processes.
perf_event_attr make_attributes() {
  perf_event_attr attr{};
  attr.size = sizeof attr;
  attr.type = PERF_TYPE_SOFTWARE;
  attr.config = PERF_COUNT_SW_DUMMY;
  attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
  attr.sample_id_all = 1;
  attr.use_clockid = 1;
  attr.clockid = CLOCK_MONOTONIC;
  attr.exclude_kernel = attr.exclude_hv = 1;
  attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = 1;
  attr.disabled = attr.inherit = attr.enable_on_exec = 1;
  return attr;
}

}  // namespace

RuntimeWatch::RuntimeWatch(pid_t command, const std::string& plugin_directory,
                           const Environment& environment)
    : plugin_directory_(plugin_directory), environment_(environment) {
  try {
    events_ = std::make_unique<EventRings>(make_attributes(), std::vector{command}, kRingPages);
  } catch (const EventRingsError& error) {
    obstacle_ = error.what();
  }
}

RuntimeWatch::~RuntimeWatch() = default;

void RuntimeWatch::drain() {
  if (!events_) return;
  events_->drain([this](const perf_event_header& header) {
    if (header.type == PERF_RECORD_MMAP2) {
      const auto& map = reinterpret_cast<const perf_record_mmap2&>(header);
      take_mapping(map.pid, map.filename);
    } else if (header.type == PERF_RECORD_COMM) {
      const auto& comm = reinterpret_cast<const perf_record_comm&>(header);
      if (comms_.size() >= kMostComms) comms_.clear();
      if (comm.pid == comm.tid) comms_[comm.pid] = comm.comm;
    } else if (header.type == PERF_RECORD_LOST) {
      obstacle_ = "more was mapped than the recorder could read";
    }
  });
  for (auto& [key, one] : loaded_)
    if (one.comm.empty()) complete(one);
}

bool RuntimeWatch::is_offered(const AgentRuntime& runtime) const {
  return std::ranges::any_of(environment_,
                             [&](const auto& set) { return set.first == runtime.variables[0]; });
}

bool RuntimeWatch::is_meant(const AgentRuntime& runtime) const {
  for (const AgentRuntime& one : agent_runtimes())
    if (one.is_preloaded && std::string_view(one.library) == runtime.library)
      return is_offered(one) == runtime.is_preloaded;
  return true;
}

void RuntimeWatch::take_mapping(uint32_t pid, std::string_view path) {
  const std::string_view file = path.substr(path.rfind('/') + 1);
  for (const AgentRuntime& runtime : agent_runtimes()) {
    if (!is_meant(runtime)) continue;
    const bool is_agent = !runtime.is_preloaded && file == runtime.agent;
    if (!is_agent && !file.starts_with(runtime.library)) continue;
    const std::pair key(pid, &runtime);
    if (loaded_.size() >= kMost && !loaded_.contains(key)) continue;
    LoadedRuntime& one = loaded_[key];
    one.runtime = &runtime;
    one.pid = pid;
    one.has_agent = one.has_agent || is_agent;
  }
}

// While the process lives.
void RuntimeWatch::complete(LoadedRuntime& one) const {
  // the records of several processors do not come in the order of time
  one.comm = comm_of(static_cast<pid_t>(one.pid));
  if (const auto comm = comms_.find(one.pid); one.comm.empty() && comm != comms_.end())
    one.comm = comm->second;
  one.was_offered = is_offered(*one.runtime);
  const std::string environ = environment_of(one.pid);
  one.has_ended = environ.empty();
  if (!one.has_ended)
    one.lacks = lacking_variable(*one.runtime, environment_, plugin_directory_, environ);
}

std::vector<LoadedRuntime> RuntimeWatch::loaded() const {
  std::vector<LoadedRuntime> out;
  for (const auto& [key, one] : loaded_) out.push_back(one);
  return out;
}

}  // namespace aiflame::record
