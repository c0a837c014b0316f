// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/probes/launch_probes.h"

#include <dlfcn.h>

#include <algorithm>
#include <cinttypes>
#include <cstring>

#include "libcommon/base/clock.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/libperf/event_rings.h"
#include "libcommon/process/process_maps.h"
#include "tools/gpustall-record/agents/attached_agent.h"
#include "tools/gpustall-record/code/read_exports.h"
#include "tools/gpustall-record/probes/probe_points.h"

namespace aiflame::record {

namespace {

// Bytes of the caller's stack to copy: enough to find a new handle, which usually goes to a local
// variable of the caller.
constexpr uint32_t kCallersStack = 2048;

// Ring pages of each processor and kind of probe. The recorder drains the rings every 20 ms, and a
// hit takes 400 bytes, or 2.4 KB with the caller's stack.
constexpr int kRingPages = 64;

// Points whose probes can be one event. Their lost hits mean the same too.
bool are_alike(const ProbePoint& a, const ProbePoint& b) {
  // the type of what is fetched follows the last colon
  const auto type = [](const ProbePoint& point) {
    const std::string_view fetch = point.fetch;
    return fetch.substr(std::min(fetch.rfind(':'), fetch.size()));
  };
  return (a.meaning == ProbeMeaning::created) == (b.meaning == ProbeMeaning::created) &&
         is_launching(a.meaning) == is_launching(b.meaning) && type(a) == type(b);
}

// The file of `library` in the process, or the one that the dynamic linker finds; "" when it is not
// installed.
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
          return file_of_mapping(pid, parsed);
    } catch (const Error&) {
      // the process has ended; opening it next fails with the reason
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

// Adds the point to the place of those that are like it.
void add_point(const TraceEvent::Point& point, std::vector<Uprobe::Place>& places) {
  const ProbePoint& added = kProbePoints[point.number];
  for (Uprobe::Place& place : places)
    if (are_alike(added, kProbePoints[place.points.front().number])) {
      place.points.push_back(point);
      return;
    }
  Uprobe::Place& place = places.emplace_back();
  place.points = {point};
  place.at_return = added.meaning == ProbeMeaning::created;
  place.ring_pages = kRingPages;
  if (place.at_return) place.stack_bytes = kCallersStack;
}

}  // namespace

LaunchProbes::LaunchProbes(uint32_t pid, const std::string& directory, Budgets& budgets)
    : pid_(pid), hits_(pid, budgets) {
  std::vector<Uprobe::Place> places;
  for (const char* name : {kOpenCl, kLevelZero}) {
    const std::string library = find_library(name, pid);
    if (library.empty()) continue;
    std::vector<const char*> functions;
    for (const ProbePoint& point : kProbePoints) functions.push_back(point.function);
    const std::vector<Export> exports = read_exports(library, functions);
    for (size_t i = 0; i < exports.size(); ++i) {
      const ProbePoint& point = kProbePoints[i];
      if (point.library == name && exports[i].offset != 0)
        add_point({i, library, exports[i].offset, point.fetch}, places);
    }
  }
  if (places.empty()) throw Error("neither libOpenCL.so.1 nor libze_loader.so.1 is installed");
  // by one event only: all would report the same
  for (Uprobe::Place& place : places) {
    place.of_processes = is_launching(kProbePoints[place.points.front().number].meaning);
    if (place.of_processes) break;
  }
  prepare_python(directory);
  for (const Uprobe::Place& place : places) add_probes(place);
  hits_.use_python(python_.get(), why_no_python_);
}

void LaunchProbes::prepare_python(const std::string& directory) {
  try {
    python_ = std::make_unique<PythonStacks>(directory);
    if (pid_ != 0)
      python_->look(pid_);
    else
      python_->look_everywhere();
  } catch (const Error& error) {
    why_no_python_ = error.what();
  }
}

void LaunchProbes::add_probes(const Uprobe::Place& place) {
  try {
    add_probe(place);
    return;
  } catch (const Error& error) {
    // without tracefs, launches without kernel names are still worth having
    if (place.points.front().fetch[0] != '\0') {
      std::set<std::string_view> libraries;
      for (const TraceEvent::Point& point : place.points)
        libraries.insert(kProbePoints[point.number].library);
      for (const std::string_view library : libraries)
        if (warned_of_nameless_.insert(library).second)
          warn("kernels of %s stay without names, and its command lists unknown: %s",
               std::string(library).c_str(), error.what());
      return;
    }
    python_.reset();
    why_no_python_ = error.what();
  }
  Uprobe::Place one = place;
  for (const TraceEvent::Point& point : place.points) {
    one.points = {point};
    add_probe(one);
    one.of_processes = false;
  }
}

void LaunchProbes::add_probe(const Uprobe::Place& place) {
  const ProbePoint& first = kProbePoints[place.points.front().number];
  Uprobe& probe = probes_.emplace_back(place, first.function);
  if (python_ && is_launching(first.meaning)) {
    try {
      if (probe.traced() == nullptr) throw Error("that needs tracefs");
      python_->attach(TraceEvent::kGroup, probe.traced()->name());
    } catch (const Error& error) {
      python_.reset();
      why_no_python_ = error.what();
    }
  }
  probe.enable();
}

LaunchProbes::~LaunchProbes() = default;

void LaunchProbes::report_mappings(AgentListener& listener) {
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
    // the process has ended
  }
}

void LaunchProbes::drain(AgentListener& listener, bool all) {
  const uint64_t settled = all ? UINT64_MAX : monotonic_ns() - EventRings::kSettleNs;
  for (Uprobe& probe : probes_) probe.drain(held_, all);
  if (python_) python_->drain();
  std::stable_sort(held_.begin(), held_.end(),
                   [](const UprobeHit& a, const UprobeHit& b) { return a.time < b.time; });
  const size_t count = hits_.take(held_, settled, listener);
  held_.erase(held_.begin(), held_.begin() + static_cast<std::ptrdiff_t>(count));
  const uint64_t lost = all && python_ ? python_->lost() : 0;
  if (lost > 0)
    warn("%" PRIu64 " launches have stacks without Python functions: there was no room for these",
         lost);
}

}  // namespace aiflame::record
