// SPDX-License-Identifier: MIT
// What is kept of the events of one file until all of them are read: events are not sorted, and a
// kernel stands before its launch. An event is a record of at most 64 bytes; names are numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "libcommon/memory/growing_array.h"
#include "libcommon/text/numbered_table.h"
#include "libcommon/text/text_table.h"
#include "tools/stackcollapse-trace/keep/compiler_part.h"
#include "tools/stackcollapse-trace/keep/server_events.h"
#include "tools/stackcollapse-trace/options/settings.h"

namespace aiflame::trace {

inline constexpr uint64_t kNoId = UINT64_MAX;
inline constexpr uint32_t kNoNumber = UINT32_MAX;

// A time span on a thread of the host: a function, an operator, a range, a call. A range is also
// on the device's track, from its first work to its last.
struct Slice {
  // ns. 2^62 at most, so that differences fit: until the year 2116.
  int64_t start = 0, end = 0;
  // python, module: "Python id". op, range: "External id". runtime: "correlation"
  uint64_t id = kNoId;
  // op: "Sequence number". runtime: the frame of the kernel that it launches, where that is told.
  // python: the line of a wrapper of Inductor's that calls it, where that is told. range of a
  // device: the "External id" of the host's range. plain: which begin it is, of those that are
  // events
  uint64_t sequence = kNoId;
  uint32_t thread = 0, frame = 0;
  uint32_t collective = kNoNumber;     // in Trace::collectives
  uint32_t python_parent = kNoNumber;  // python: the low half of "Python parent id"
  Kind kind = Kind::plain;
  CompilerPart part = CompilerPart::none;
  bool backward : 1 = false;  // an operator of the backward pass
  bool graph : 1 = false;     // a call that launches a graph of kernels
  // of a span: its SpanUse (keep/spans.h), with the rank as its id
  bool drawn : 1 = false, root : 1 = false, server : 1 = false;
  // its duration is no number, or a negative one: it has no time that could be drawn
  bool unmeasured : 1 = false, negative : 1 = false;
  bool truncated : 1 = false;   // frames between it and its parent are left out; join/nesting.h
  bool of_device : 1 = false;   // a range as a device shows it
  uint32_t parent = kNoNumber;  // the slice that it stands on; join/nesting.h
};
static_assert(sizeof(Slice) <= 64);

// Why what has no duration is lost.
inline const char* why_unmeasured(bool negative) {
  return negative ? "with a negative duration" : "without a duration";
}

inline bool is_python(const Slice& slice) {
  return slice.kind == Kind::python || slice.kind == Kind::module;
}

// What a device did.
struct Work {
  int64_t start = 0;
  uint64_t duration = 0;  // ns
  uint64_t correlation = kNoId, external_id = kNoId;
  uint32_t track = 0;  // the device and its stream, a thread to the trace
  uint32_t frame = 0;
  uint32_t stack = 0;  // of ImportedStacks: what the event itself says stands below the launch
  uint32_t collective = kNoNumber;
  uint64_t inner = 0;   // ns of work that it holds, on top of its duration: a loop of XLA
  uint32_t graph = 0;   // "graph id" of the graph that it is a part of; 0: of none, or not told
  bool kernel = false;  // else a copy or a memset
  bool copy = false;

  int64_t end() const {
    int64_t out = 0;
    return duration > INT64_MAX || inner > INT64_MAX - duration ||
                   __builtin_add_overflow(start, static_cast<int64_t>(duration + inner), &out)
               ? INT64_MAX
               : out;
  }
};
static_assert(sizeof(Work) <= 64);

// That a work is a node of a graph.
struct GraphNode {
  size_t work = 0;            // its place in Trace::work
  uint64_t id = 0;            // see read/node_names.h
  bool has_graph = false;     // whether the id has the graph's, too
  uint32_t mark = kNoNumber;  // in Trace::texts: what the trace itself says that it is named
};

// An event without a category: see keep/xla.h.
struct Uncategorised {
  Slice slice;                // as one of the host; id: the correlation
  uint32_t device_frame = 0;  // as one of a device
  uint32_t stack = 0;
};
static_assert(sizeof(Uncategorised) <= 64);

// One end of an arrow between two events.
struct FlowEnd {
  uint64_t id = 0;
  int64_t time = 0;
  uint32_t thread = 0;
};

// An arrow's two ends, by their ids.
struct Flows {
  GrowingArray<FlowEnd> starts, ends;

  // The starts by their ids, the ends by their places.
  void sort();
};

// A message of a collective operation: NCCL's, RCCL's, oneCCL's.
struct Collective {
  uint32_t name = 0;  // in Trace::texts
  uint64_t bytes = kNoId;
};

// Processes and threads as the trace names them. For devices they are devices and streams.
class Threads {
 public:
  struct Thread {
    uint32_t process, name;  // texts
    bool operator==(const Thread&) const = default;
  };
  // `file`: of those that were added up to one (keep/rank_scope.h). Their processes are others,
  // even where they have one number: they may have run in containers.
  uint32_t number(std::string_view process, std::string_view thread, uint32_t file = 0) {
    return threads_.number({process_number(process, file), texts_.number(thread)});
  }
  uint32_t process_number(std::string_view process, uint32_t file = 0) {
    if (file == 0) return texts_.number(process);
    key_.assign(process).append(1, kFile).append(std::to_string(file + 1));
    return texts_.number(key_);
  }
  size_t size() const { return threads_.size(); }
  uint32_t process(uint32_t thread) const { return threads_.key(thread).process; }
  std::string_view process_text(uint32_t thread) const { return process_text_of(process(thread)); }
  std::string_view process_text_of(uint32_t process) const {
    const std::string_view text = texts_.text(process);
    return text.substr(0, text.find(kFile));
  }
  // Of the process of a thread; empty: the first file.
  std::string_view file_text(uint32_t thread) const {
    const std::string_view text = texts_.text(process(thread));
    const size_t at = text.find(kFile);
    return at == std::string_view::npos ? std::string_view() : text.substr(at + 1);
  }
  std::string_view thread_text(uint32_t thread) const {
    return texts_.text(threads_.key(thread).name);
  }
  // From "process_name" and "thread_name"; empty where the trace does not say.
  std::string& process_name(uint32_t process) { return at(process_names_, process); }
  std::string_view process_name(uint32_t process) const {
    return process < process_names_.size() ? std::string_view(process_names_[process])
                                           : std::string_view();
  }
  std::string& thread_name(uint32_t thread) { return at(thread_names_, thread); }
  std::string_view thread_name(uint32_t thread) const {
    return thread < thread_names_.size() ? std::string_view(thread_names_[thread])
                                         : std::string_view();
  }

 private:
  static constexpr char kFile = '\0';  // between a process and its file

  static std::string& at(std::vector<std::string>& names, uint32_t number) {
    if (names.size() <= number) names.resize(number + 1);
    return names[number];
  }

  TextTable texts_;
  NumberedTable<Thread> threads_;
  std::vector<std::string> process_names_, thread_names_;
  std::string key_;
};

struct Trace {
  GrowingArray<Slice> slices;
  GrowingArray<Work> work;
  // by place in `work`: the lines of the model that a kernel says it came from, in `texts`
  std::unordered_map<size_t, uint32_t> model_stacks;
  std::vector<GraphNode> graph_nodes;  // in the order of `work`
  GrowingArray<Uncategorised> uncategorised;
  GrowingArray<Slice> spans;   // keep/spans.h
  std::vector<Batch> batches;  // of vLLM's server for Gaudi
  Flows launches;              // from a launch to what the device did
  Flows host_launches;         // the same from a thread of Ascend's runtime
  Flows forward;               // from an operator to the one of the backward pass
  std::vector<Collective> collectives;
  Threads threads;
  TextTable texts;
  uint64_t negative_work = 0, unmeasured_work = 0;  // of devices; neither is in `work`
  std::string path, rank;
  std::string many_modules;  // FrameNames::many_modules()
  bool is_onnx = false;      // written by ONNX Runtime
  bool is_rocprof = false;   // written by rocprof, the one before rocprofv3
};

}  // namespace aiflame::trace
