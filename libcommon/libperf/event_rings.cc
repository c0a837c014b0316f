// SPDX-License-Identifier: MIT
#include "libcommon/libperf/event_rings.h"

#include <cerrno>
#include <cstdarg>
#include <cstring>
#include <new>
#include <optional>

extern "C" {
#include <perf/core.h>
#include <perf/cpumap.h>
#include <perf/evlist.h>
#include <perf/evsel.h>
#include <perf/mmap.h>
#include <perf/threadmap.h>

// absent from older versions of libperf, which names it
[[gnu::weak]] void perf_evsel__exit(perf_evsel*);  // NOLINT(bugprone-reserved-identifier)
}

#include "libcommon/process/capabilities.h"

namespace aiflame {
namespace {

// Keeps libperf silent: its return values say what failed.
int print_nothing(libperf_print_level, const char*, va_list) {
  return 0;
}

int errno_of(int result) {
  return result < 0 ? -result : errno;
}

}  // namespace

EventRingsError::EventRingsError(const char* what, int errno_value)
    : Error(format("cannot %s perf events: %s", what, std::strerror(errno_value))),
      number(errno_value),
      is_mmap(std::strcmp(what, "map") == 0) {}

struct EventRings::Impl {
  perf_evlist* list = nullptr;
  perf_cpu_map* cpus = nullptr;
  perf_thread_map* threads = nullptr;
  perf_evsel* event = nullptr;  // the only one of the list
  uint64_t lost_reported = 0;   // by PERF_RECORD_LOST

  // After a failure.
  int open_again() const {
    perf_evlist__close(list);
    return perf_evlist__open(list);
  }

  ~Impl() {
    if (list != nullptr) {
      perf_evlist__munmap(list);
      perf_evlist__close(list);
      // Up to some version (6.1 does, 7.2 does not) libperf frees an event without dropping its
      // references to the maps. What drops them is perf_evsel__exit, which came with that.
      perf_evsel* each = nullptr;
      perf_evlist__for_each_evsel(list, each) {
        if (perf_evsel__exit != nullptr) break;
        perf_cpu_map__put(perf_evsel__cpus(each));
        perf_thread_map__put(perf_evsel__threads(each));
      }
      perf_evlist__delete(list);
    }
    perf_cpu_map__put(cpus);
    perf_thread_map__put(threads);
  }
};

EventRings::EventRings(const perf_event_attr& wanted, std::vector<pid_t> threads, int ring_pages)
    : impl_(std::make_unique<Impl>()) {
  libperf_init(print_nothing);
  perf_event_attr attr = wanted;
  attr.read_format |= PERF_FORMAT_LOST;
  impl_->list = perf_evlist__new();
  impl_->cpus = perf_cpu_map__new(nullptr);
  impl_->threads = perf_thread_map__new_array(static_cast<int>(threads.size()), threads.data());
  impl_->event = impl_->list == nullptr ? nullptr : perf_evsel__new(&attr);
  if (impl_->cpus == nullptr || impl_->threads == nullptr || impl_->event == nullptr)
    throw std::bad_alloc();
  perf_evlist__add(impl_->list, impl_->event);
  // one event for each processor and thread: an inherited event on all processors (-1) cannot be
  // mapped
  perf_evlist__set_maps(impl_->list, impl_->cpus, impl_->threads);
  int error = perf_evlist__open(impl_->list);
  // Debian's and Ubuntu's kernels can be set to refuse all events without this capability
  std::optional<ReserveCapability> admin;
  if (error == -EACCES && admin.emplace(CAP_SYS_ADMIN).is_used()) error = impl_->open_again();
  if (error == -EINVAL) {
    // Linux before 6.0 has no PERF_FORMAT_LOST
    perf_evsel__attr(impl_->event)->read_format = wanted.read_format;
    error = impl_->open_again();
  }
  admin.reset();
  if (error != 0) throw EventRingsError("open", errno_of(error));
  error = perf_evlist__mmap(impl_->list, ring_pages);
  if (error != 0) throw EventRingsError("map", errno_of(error));
}

EventRings::~EventRings() = default;

void EventRings::enable() {
  perf_evlist__enable(impl_->list);
}

void EventRings::disable() {
  perf_evlist__disable(impl_->list);
}

void EventRings::drain(const std::function<void(const perf_event_header&)>& sink) {
  perf_mmap* map = nullptr;
  perf_evlist__for_each_mmap(impl_->list, map, false) {
    if (perf_mmap__read_init(map) < 0) continue;
    while (const perf_event* record = perf_mmap__read_event(map)) {
      if (record->header.type == PERF_RECORD_LOST) impl_->lost_reported += record->lost.lost;
      sink(record->header);
      perf_mmap__consume(map);
    }
    // no perf_mmap__read_done(): it would drop the records since the last read without counting
    // them
  }
}

uint64_t EventRings::lost_unreported() const {
  uint64_t lost = 0;
  for (int cpu = 0; cpu < static_cast<int>(perf_cpu_map__nr(impl_->cpus)); ++cpu) {
    for (int thread = 0; thread < perf_thread_map__nr(impl_->threads); ++thread) {
      perf_counts_values values{};
      if (perf_evsel__read(impl_->event, cpu, thread, &values) == 0) lost += values.lost;
    }
  }
  return lost > impl_->lost_reported ? lost - impl_->lost_reported : 0;
}

uint64_t EventRings::trailer_time(const perf_event_header& record) {
  uint64_t time = 0;
  std::memcpy(&time, reinterpret_cast<const char*>(&record) + record.size - sizeof time,
              sizeof time);
  return time;
}

}  // namespace aiflame
