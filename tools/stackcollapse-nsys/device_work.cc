// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/device_work.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-nsys/device_timelines.h"
#include "tools/stackcollapse-nsys/export_time.h"
#include "tools/stackcollapse-nsys/frame_texts.h"
#include "tools/stackcollapse-nsys/host_threads.h"

namespace aiflame::nsys {
namespace {

// The columns that all four tables have, in this order, and then their own ones.
std::vector<std::string> columns(std::initializer_list<const char*> own) {
  std::vector<std::string> out = {"start",    "end",      "globalPid",  "correlationId",
                                  "deviceId", "streamId", "graphNodeId"};
  out.insert(out.end(), own.begin(), own.end());
  return out;
}
constexpr int kOwn = 7;

DeviceRow row_of(const SqliteRows& rows) {
  return {.start = rows.need(0),
          .end = rows.need(1),
          .process = rows.number(2),
          .correlation = rows.number(3),
          .device = rows.number(4),
          .stream = rows.number(5),
          .node = rows.number(6),
          .graph = std::nullopt};
}

bool is_node(const DeviceRow& row) {
  return row.node.value_or(0) != 0;
}

}  // namespace

void DeviceWork::draw() {
  if (std::none_of(std::begin(kDeviceTables), std::end(kDeviceTables),
                   [&](const char* table) { return database_.has(table); }))
    throw Error(database_.path() + ": no table '" + kDeviceTables[0] +
                "': the recording has no CUDA activity, or this is no export of Nsight Systems");
  read_kernels();
  read_copies();
  read_fills();
  read_graphs();
  if (settings_.timeline.needs_timeline()) draw_timelines();
}

void DeviceWork::read_kernels() {
  SqliteRows rows = database_.rows(
      kDeviceTables[0], columns({"mangledName", "demangledName", "shortName", "graphId"}), 2);
  while (rows.next()) {
    DeviceRow row = row_of(rows);
    row.name = kernel_name(rows.number(kOwn), rows.number(kOwn + 1), rows.number(kOwn + 2));
    row.graph = rows.number(kOwn + 3);
    const auto [at, added] = classes_.try_emplace(row.name);
    if (added) at->second = class_of_kernel(stacks_.text(row.name));
    row.work_class = at->second;
    take(row);
  }
}

void DeviceWork::read_copies() {
  SqliteRows rows = database_.rows(kDeviceTables[1], columns({"copyKind"}), 2);
  while (rows.next()) {
    DeviceRow row = row_of(rows);
    row.name = stacks_.frame(device_frame(copy_name(rows.number(kOwn).value_or(0))));
    row.work_class = WorkClass::copy;
    take(row);
  }
}

void DeviceWork::read_fills() {
  SqliteRows rows = database_.rows(kDeviceTables[2], columns({}), 2);
  const uint32_t name = stacks_.frame(device_frame("Memset"));
  while (rows.next()) {
    DeviceRow row = row_of(rows);
    row.name = name;
    take(row);
  }
}

void DeviceWork::read_graphs() {
  SqliteRows rows = database_.rows(kDeviceTables[3], columns({"graphId"}), 2);
  while (rows.next()) {
    DeviceRow row = row_of(rows);
    const auto graph = rows.number(kOwn);
    row.name =
        stacks_.frame(device_frame("CUDA graph" + (graph ? " " + std::to_string(*graph) : "")));
    take(row);
  }
}

// The mangled name gives the same text as recordings of other tools: the demangled one is in
// NVIDIA's own manner, `f<(int)4, [lambda(float) (instance 1)]>`.
uint32_t DeviceWork::kernel_name(std::optional<int64_t> mangled, std::optional<int64_t> demangled,
                                 std::optional<int64_t> short_name) {
  for (const auto& id : {mangled, demangled, short_name}) {
    const std::string_view text = strings_.text(id);
    if (text.empty()) continue;
    const auto [at, added] = kernel_names_.try_emplace(*id, 0);
    if (added) at->second = stacks_.frame(kernel_frame(text, settings_.import.names));
    return at->second;
  }
  return stacks_.frame(kernel_frame("", settings_.import.names));
}

uint32_t DeviceWork::front(const DeviceRow& row, int64_t time, std::optional<uint64_t> thread,
                           uint64_t called, bool whole_device) {
  uint32_t stack = ImportedStacks::kEmpty;
  if (settings_.by_time.is_set())
    stack = stacks_.child(stack, settings_.by_time.name(nanoseconds(time)));
  stack = ranges_.append_instance(stack, thread, called);
  if (ranks_ != nullptr) stack = stacks_.child(stack, ranks_->frame(row.process));
  if (settings_.streams) {
    const auto number = [](std::optional<int64_t> id) { return id ? std::to_string(*id) : "?"; };
    stack = stacks_.child(stack, "device " + number(row.device) +
                                     (whole_device ? "" : ", stream " + number(row.stream)));
  }
  return stack;
}

void DeviceWork::take(const DeviceRow& row) {
  if (row.end < row.start) {
    stacks_.read(0);
    stacks_.lose("work that ends before it begins", 0);
    return;
  }
  if (settings_.timeline.needs_timeline()) return rows_.push_back(row);
  const uint64_t time = nanoseconds_between(row.start, row.end);
  stacks_.read(time);
  add(row, time, 1, "");
}

void DeviceWork::add(const DeviceRow& row, uint64_t time, uint64_t records, std::string_view mark) {
  const HostCall* launch = launches_.find(row.process, row.correlation);
  uint32_t stack = launch == nullptr ? front(row, row.start, std::nullopt, 0, false)
                                     : front(row, row.start, launch->thread, launch->time, false);
  if (!mark.empty()) stack = stacks_.child(stack, mark);
  if (launch != nullptr) {
    stack = stack == ImportedStacks::kEmpty ? launch->stack : stacks_.append(stack, launch->stack);
  } else {
    stack = stacks_.append(stack, processes_.root(row.process));
    stack = stacks_.child(stack, "[unknown launch]");
    stacks_.part("without a launch", time, records);
  }
  if (is_node(row)) stacks_.part("in CUDA graphs", time, records);
  stack = with_graph(stack, row);
  stacks_.add(stacks_.child(stacks_.child(stack, "-"), row.name), time, records);
}

// The mark of a graph, and where the node was captured.
uint32_t DeviceWork::with_graph(uint32_t stack, const DeviceRow& row) {
  if (!is_node(row)) return stack;
  return stacks_.append(stacks_.child(stack, "[cuda graph]"),
                        launches_.find_node(row.process, row.node));
}

void DeviceWork::draw_timelines() {
  const DeviceTimelines timelines(rows_, launches_, stacks_);
  timelines.say_times(database_.path());
  for (const DeviceTimelines::Device& device : timelines.devices()) {
    for (size_t i = 0; i < device.rows.size(); ++i) {
      const DeviceRow& row = rows_[device.rows[i]];
      add_work({nanoseconds_between(row.start, row.end), device.timeline.owned[i], row.work_class},
               settings_.timeline, stacks_,
               [&](std::string_view mark, uint64_t time, uint64_t records) {
                 add(row, time, records, mark);
               });
    }
  }
  if (!settings_.timeline.idle) return;
  const HostActivity host =
      read_host_activity(database_, strings_, settings_, ranges_, launches_, processes_, stacks_);
  GapBudget budget(database_.path());
  for (const DeviceTimelines::Device& device : timelines.devices()) {
    const DeviceRow& any = rows_[device.rows.front()];
    add_gaps({.timeline = device.timeline,
              .budget = budget,
              .tells_idle = timelines.coverage().tells_idle(),
              .user = timelines.user_of(device),
              .launch_of =
                  [&](uint32_t number) {
                    HostLaunch launch = timelines.launch_of(device, number);
                    launch.stack = with_graph(launch.stack, rows_[device.rows[number]]);
                    return launch;
                  },
              .roots_at =
                  [&](int64_t time, uint64_t thread, int64_t host_time) {
                    const uint64_t at = nanoseconds(host_time);
                    // the main thread counts, as in the stack
                    if (!ranges_.is_in_instance(thread, at))
                      thread = main_thread_of(process_of(thread));
                    return front(any, time, thread, at, true);
                  }},
             settings_.timeline, host, stacks_);
  }
}

}  // namespace aiflame::nsys
