// SPDX-License-Identifier: MIT
// A slice of time: the samples, launches and object events in it, ready to be written.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#include "libcommon/gpustall/idle_kind.h"
#include "tools/gpustall-record/code/code_object.h"

namespace aiflame::record {

struct TimedSample {
  uint64_t time = 0;
  uint64_t address = 0;
  uint64_t count = 1;
  uint64_t exposed = 0;  // of count: nothing else was issued meanwhile
  uint32_t pid = 0;
  uint32_t device = 0;
  uint32_t kernel = 0;  // number in CaptureTables; 0 = unknown
  uint32_t reason = 0;  // number in CaptureTables
  uint32_t launch = 0;  // number of the distinct launch, if the source knows it
  std::shared_ptr<const CodeObject> object;
};

// The samples of a slice that differ only in their time. Samples without address and reason (of the
// driver's kernels, or at an unknown address) are grouped by kernel alone.
struct SampleGroup {
  uint32_t launch = 0;  // number of the distinct launch; 0 = unattributed
  TimedSample sample;   // `count` and `exposed` are the group's

  void add(const SampleGroup& other) {
    sample.count += other.sample.count;
    sample.exposed += other.sample.exposed;
  }
};

// Launches that are counted together: those of a distinct launch that have one size.
struct LaunchKind {
  uint32_t number;  // of the distinct launch
  uint32_t size;    // in LaunchSizes; 0 = unknown
  LaunchKind(uint32_t its_number = 0, uint32_t its_size = 0) : number(its_number), size(its_size) {}
  bool operator==(const LaunchKind&) const = default;
  bool operator<(const LaunchKind& other) const {
    return std::tie(number, size) < std::tie(other.number, other.size);
  }
};

struct LaunchedCount {
  uint64_t count = 0;
  uint64_t busy_ns = 0;
  bool measured = true;  // whether busy_ns is known
  uint32_t pid = 0;      // of the process whose budget has the entry
};

// How often, and how long, threads were inside of calls that waited.
struct WaitedTime {
  uint64_t count = 0, ns = 0;
  uint32_t pid = 0;  // of the process whose budget has the entry
};

// What idle time is charged to.
struct IdlePlace {
  uint32_t device;
  IdleKind kind;
  uint32_t number;  // of the distinct launch or wait; 0 = none
  bool operator<(const IdlePlace& other) const {
    return std::tie(device, kind, number) < std::tie(other.device, other.kind, other.number);
  }
};
struct IdleTime {
  uint64_t count = 0, ns = 0;
};

// What became of device memory.
struct MemoryChange {
  enum class Kind : uint8_t {
    allocated,  // number, address, bytes
    freed,      // pid, device, address, bytes (0 = not known)
    released,   // pid: its program has ended, and with it went what it had not freed
  } kind = Kind::allocated;
  uint32_t pid = 0, device = 0;
  uint32_t number = 0;  // of the distinct call
  uint64_t time = 0, address = 0, bytes = 0;
};

// An event that keeps its place among the samples of its slice: samples before and after an unload
// may have the same address in different objects.
struct SliceEvent {
  enum class Kind { load, unload, lost_samples, lost_launches, lost_memory } kind = Kind::load;
  uint64_t time = 0;
  uint32_t pid = 0, device = 0;
  uint64_t file_offset = 0;                  // of a load
  uint64_t count = 0;                        // lost; UINT64_MAX = unknown
  std::shared_ptr<const CodeObject> object;  // loaded or unloaded
  // When samples have no time of their own: the event precedes all samples of its slice.
  bool before_samples = false;
};

struct Slice {
  struct Part {
    std::vector<SliceEvent> events;   // before the groups
    std::vector<SampleGroup> groups;  // sorted
  };
  uint64_t start = 0, end = 0;  // ns
  std::map<LaunchKind, LaunchedCount> launched;
  std::map<uint32_t, WaitedTime> waited;  // by number
  std::map<uint32_t, uint64_t> hidden;    // ns of runs that other work covered, by number
  std::map<IdlePlace, IdleTime> idle;
  std::vector<MemoryChange> memory;  // by time
  std::vector<Part> parts;
};

// How a launch ended.
enum class LaunchEnd {
  timed,    // ran from begin to end
  lasted,   // ran for so long: its times are near, but not those of the device
  untimed,  // ran, but it is not known when
  failed,   // did not run
};

}  // namespace aiflame::record
