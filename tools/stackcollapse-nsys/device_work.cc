// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/device_work.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-nsys/frame_texts.h"

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

template <typename Work>
Work work_of(const Rows& rows) {
  return {rows.need(0),   rows.need(1),   rows.number(2), rows.number(3),
          rows.number(4), rows.number(5), rows.number(6), 0};
}

}  // namespace

void DeviceWork::draw() {
  if (std::none_of(std::begin(kDeviceTables), std::end(kDeviceTables),
                   [&](const char* table) { return database_.has(table); }))
    throw Error(database_.path() + ": no table '" + kDeviceTables[0] +
                "': the recording has no CUDA activity, or this is no export of Nsight Systems");
  draw_kernels();
  draw_copies();
  draw_fills();
  draw_graphs();
}

void DeviceWork::draw_kernels() {
  Rows rows =
      database_.rows(kDeviceTables[0], columns({"mangledName", "demangledName", "shortName"}), 2);
  while (rows.next()) {
    Work work = work_of<Work>(rows);
    work.name = kernel_name(rows.number(kOwn), rows.number(kOwn + 1), rows.number(kOwn + 2));
    draw(work);
  }
}

void DeviceWork::draw_copies() {
  Rows rows = database_.rows(kDeviceTables[1], columns({"copyKind"}), 2);
  while (rows.next()) {
    Work work = work_of<Work>(rows);
    work.name = stacks_.frame(device_frame(copy_name(rows.number(kOwn).value_or(0))));
    draw(work);
  }
}

void DeviceWork::draw_fills() {
  Rows rows = database_.rows(kDeviceTables[2], columns({}), 2);
  const uint32_t name = stacks_.frame(device_frame("Memset"));
  while (rows.next()) {
    Work work = work_of<Work>(rows);
    work.name = name;
    draw(work);
  }
}

void DeviceWork::draw_graphs() {
  Rows rows = database_.rows(kDeviceTables[3], columns({"graphId"}), 2);
  while (rows.next()) {
    Work work = work_of<Work>(rows);
    const auto graph = rows.number(kOwn);
    work.name =
        stacks_.frame(device_frame("CUDA graph" + (graph ? " " + std::to_string(*graph) : "")));
    draw(work);
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

uint32_t DeviceWork::front(const Work& work) {
  uint32_t stack = ImportedStacks::kEmpty;
  if (settings_.by_time.is_set())
    stack = stacks_.child(stack, settings_.by_time.name(nanoseconds(work.start)));
  if (ranks_ != nullptr) stack = stacks_.child(stack, ranks_->frame(work.process));
  if (settings_.streams) {
    const auto number = [](std::optional<int64_t> id) { return id ? std::to_string(*id) : "?"; };
    stack =
        stacks_.child(stack, "device " + number(work.device) + ", stream " + number(work.stream));
  }
  return stack;
}

void DeviceWork::draw(const Work& work) {
  if (work.end < work.start) {
    stacks_.read(0);
    stacks_.lose("work that ends before it begins", 0);
    return;
  }
  const uint64_t time = static_cast<uint64_t>(work.end) - static_cast<uint64_t>(work.start);
  stacks_.read(time);
  const auto launch = launches_.find(work.process, work.correlation);
  uint32_t stack = front(work);
  if (launch) {
    stack = stack == ImportedStacks::kEmpty ? *launch : stacks_.append(stack, *launch);
  } else {
    stack = stacks_.append(stack, processes_.root(work.process));
    stack = stacks_.child(stack, "[unknown launch]");
    stacks_.part("without a launch", time);
  }
  if (work.node.value_or(0) != 0) {
    stack = stacks_.child(stack, "[cuda graph]");
    stack = stacks_.append(stack, launches_.find_node(work.process, work.node));
    stacks_.part("in CUDA graphs", time);
  }
  stacks_.add(stacks_.child(stacks_.child(stack, "-"), work.name), time);
}

}  // namespace aiflame::nsys
