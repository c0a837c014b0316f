// SPDX-License-Identifier: MIT
// Reads $FAKE_ZE/script, and writes $FAKE_ZE/log.
#include <fcntl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "tests/fakes/level-zero/fake_level_zero.h"
#include "tests/fakes/xe/eu_stall_bits.h"

namespace fake_ze {
namespace {

bool metrics_enabled = false;

std::string directory() {
  const char* path = std::getenv("FAKE_ZE");
  return path == nullptr ? "" : path;
}

[[noreturn]] void fail(const std::string& line) {
  std::fprintf(stderr, "fake level-zero: not understood: %s\n", line.c_str());
  std::abort();
}

zet_metric_group_handle_t make_group(const std::string& name, ze_device_handle_t device,
                                     const std::vector<std::string>& metrics) {
  auto* group = new _zet_metric_group_handle_t;
  group->name = name;
  group->device = device;
  for (const std::string& metric : metrics)
    group->metrics.push_back(new _zet_metric_handle_t{
        metric, metric == "IP" ? ZET_METRIC_TYPE_IP_EXP : ZET_METRIC_TYPE_EVENT});
  return group;
}

// The metric group that Intel's driver lists for these GPUs.
zet_metric_group_handle_t make_stall_group(ze_device_handle_t device) {
  std::vector<std::string> metrics{"IP",        "Active",          "PSDepStall", "ControlStall",
                                   "PipeStall", "SendStall",       "DistStall",  "SbidStall",
                                   "SyncStall", "InstrFetchStall", "OtherStall"};
  if (device->layout == "pvc") metrics.erase(metrics.begin() + 2);
  auto* group = make_group("EuStallSampling", device, metrics);
  group->counts_stalls = true;
  return group;
}

ze_device_handle_t make_device(const std::string& place, const std::string& layout,
                               const std::string& name) {
  auto* device = new _ze_device_handle_t;
  device->place = place;
  device->layout = layout;
  device->name = name;
  // two that must not be taken for the sampler's group
  device->groups.push_back(make_group("ComputeBasic", device, {"GpuTime", "XVE_STALL"}));
  auto* by_event = make_group("EuStallSampling", device, {"GpuTime"});
  by_event->sampling = ZET_METRIC_GROUP_SAMPLING_TYPE_FLAG_EVENT_BASED;
  device->groups.push_back(by_event);
  return device;
}

void for_all(ze_device_handle_t root, void (*change)(ze_device_handle_t, const std::string&),
             const std::string& argument) {
  change(root, argument);
  for (ze_device_handle_t tile : root->tiles) change(tile, argument);
}

// What a command sets that is a number of the device; null for other commands.
uint32_t _ze_device_handle_t::*number_called(const std::string& command) {
  if (command == "reports") return &_ze_device_handle_t::most_reports;
  if (command == "graphs") return &_ze_device_handle_t::graph_flags;
  return command == "period" ? &_ze_device_handle_t::forced_period : nullptr;
}

ze_result_t result_of(const std::string& text) {
  return static_cast<ze_result_t>(std::stoull(text, nullptr, 0));
}

std::vector<unsigned char> read_row(std::istringstream& words, const std::string& layout,
                                    const std::string& line) {
  std::map<std::string, uint64_t> values;
  uint64_t samples = 0;
  if (!eu_stall_bits::read_fields(words, layout, values, samples)) fail(line);
  return eu_stall_bits::encode(layout, 64, values);
}

std::vector<ze_device_handle_t> read_script() {
  std::vector<ze_device_handle_t> found;
  std::ifstream file(directory() + "/script");
  if (directory().empty() || !file) return {make_device("0000:03:00.0", "xe2", "Fake GPU")};
  ze_device_handle_t root = nullptr, at = nullptr;
  const auto tile_of = [&](const std::string& line, std::istringstream& words) {
    size_t tile = 0;
    if (!(words >> tile)) fail(line);
    if (root->tiles.empty() && tile == 0) return root;
    if (tile >= root->tiles.size()) fail(line);
    return root->tiles[tile];
  };
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string what, first, second, name;
    if (!(words >> what) || what.front() == '#') continue;
    if (what == "gpu") {
      size_t tiles = 0;
      if (!(words >> first >> second >> tiles)) fail(line);
      std::getline(words >> std::ws, name);
      root = make_device(first, second, name.empty() ? "Fake GPU" : name);
      for (uint32_t i = 0; i < tiles; ++i) {
        auto* tile = make_device(first, second, root->name);
        tile->tile = i;
        tile->root = root;
        root->tiles.push_back(tile);
      }
      for_all(
          root,
          [](ze_device_handle_t d, const std::string&) {
            d->groups.push_back(make_stall_group(d));
          },
          "");
      found.push_back(root);
      at = root;
      continue;
    }
    if (root == nullptr) fail(line);
    Step step;
    if (what == "group" && words >> first) {
      for_all(
          root,
          [](ze_device_handle_t d, const std::string& text) { d->groups.back()->name = text; },
          first);
    } else if (what == "no-group") {
      for_all(
          root, [](ze_device_handle_t d, const std::string&) { d->groups.pop_back(); }, "");
    } else if (what == "tdr") {
      for_all(
          root,
          [](ze_device_handle_t d, const std::string&) {
            for (zet_metric_handle_t metric : d->groups.back()->metrics)
              if (metric->name == "PSDepStall") metric->name = "Tdr";
          },
          "");
    } else if (uint32_t _ze_device_handle_t::*const number = number_called(what);
               number != nullptr && words >> first) {
      root->*number = static_cast<uint32_t>(std::stoul(first));
      for (ze_device_handle_t tile : root->tiles) tile->*number = root->*number;
    } else if (what == "open" || what == "open-after") {
      ze_device_handle_t tile = tile_of(line, words);
      if (!(words >> first)) fail(line);
      tile->open_result = result_of(first);
      if (what == "open-after" && !(words >> tile->good_openings)) fail(line);
    } else if (what == "at") {
      at = tile_of(line, words);
    } else if (what == "tick") {
      words >> step.file;
      at->steps.push_back(step);
    } else if (what == "release" || (what == "hold" && words >> step.file)) {
      step.kind = what == "hold" ? Step::Kind::hold : Step::Kind::release;
      if (what == "hold") at->readers.expect();
      at->steps.push_back(step);
    } else if (what == "row" || what == "rows") {
      step.kind = Step::Kind::rows;
      if ((what == "rows" && !(words >> step.times)) || !(words >> first)) fail(line);
      step.record = read_row(words, at->layout, line);
      at->steps.push_back(step);
    } else if (what == "drop" || what == "drop-with") {
      step.kind = what == "drop" ? Step::Kind::drop : Step::Kind::drop_with;
      at->steps.push_back(step);
    } else if ((what == "fail" || what == "calculate") && words >> first) {
      step.kind = what == "fail" ? Step::Kind::fail : Step::Kind::calculate;
      step.result = result_of(first);
      if (uint64_t times = 0; words >> times) step.times = times;
      at->steps.push_back(step);
    } else {
      fail(line);
    }
  }
  return found;
}

template <typename T>
ze_result_t list(const std::vector<T>& all, uint32_t* count, T* out) {
  if (out != nullptr)
    for (uint32_t i = 0; i < *count && i < all.size(); ++i) out[i] = all[i];
  if (out == nullptr || *count > all.size()) *count = static_cast<uint32_t>(all.size());
  return ZE_RESULT_SUCCESS;
}

}  // namespace

const std::vector<ze_device_handle_t>& devices() {
  static auto* const read = new std::vector<ze_device_handle_t>(read_script());
  return *read;
}

void log(const std::string& line) {
  if (!directory().empty()) std::ofstream(directory() + "/log", std::ios::app) << line << "\n";
}

void start() {
  const char* value = std::getenv("ZET_ENABLE_METRICS");
  metrics_enabled = value != nullptr && std::strcmp(value, "1") == 0;
  if (!directory().empty())
    open((directory() + "/fake-level-zero").c_str(), O_CREAT | O_RDWR, 0600);
}

ze_result_t get_devices(ze_driver_handle_t, uint32_t* count, ze_device_handle_t* out) {
  return list(devices(), count, out);
}

ze_result_t queue_groups(ze_device_handle_t, uint32_t* count,
                         ze_command_queue_group_properties_t* out) {
  constexpr uint32_t kGroups = 2;
  const ze_command_queue_group_property_flags_t copies = ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY;
  for (uint32_t i = 0; out != nullptr && i < std::min(*count, kGroups); ++i) {
    out[i].flags = i == 0 ? ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE | copies : copies;
    out[i].numQueues = 1;
  }
  *count = out == nullptr ? kGroups : std::min(*count, kGroups);
  return ZE_RESULT_SUCCESS;
}

ze_result_t get_sub_devices(ze_device_handle_t device, uint32_t* count, ze_device_handle_t* out) {
  return list(device->tiles, count, out);
}

ze_result_t device_properties(ze_device_handle_t device, ze_device_properties_t* out) {
  out->type = ZE_DEVICE_TYPE_GPU;
  out->vendorId = 0x8086;
  out->deviceId = 0xe20b;
  if (device->root != nullptr) {
    out->flags = ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE;
    out->subdeviceId = device->tile;
  }
  // 19.2 MHz: in whole nanoseconds, or in ticks per second
  out->timerResolution = out->stype == ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES ? 52 : 19200000;
  out->timestampValidBits = 64;
  out->kernelTimestampValidBits = 32;
  std::snprintf(out->name, sizeof out->name, "%s", device->name.c_str());
  struct Extension {
    uint32_t stype;
    Extension* next;
    uint32_t version;  // or flags
  };
  for (auto* at = static_cast<Extension*>(out->pNext); at != nullptr; at = at->next)
    if (at->stype == 0x20047)
      at->version = device->graph_flags;
    else if (at->stype == 0x1000f)
      at->version = (device->layout == "pvc"   ? 12u << 22 | 60u << 14
                     : device->layout == "xe2" ? 20u << 22 | 1u << 14
                                               : 35u << 22 | 10u << 14);
  return ZE_RESULT_SUCCESS;
}

ze_result_t pci_properties(ze_device_handle_t device, ze_pci_ext_properties_t* out) {
  ze_pci_address_ext_t& to = out->address;
  return std::sscanf(device->place.c_str(), "%x:%x:%x.%x", &to.domain, &to.bus, &to.device,
                     &to.function) == 4
             ? ZE_RESULT_SUCCESS
             : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

ze_result_t get_groups(zet_device_handle_t device, uint32_t* count,
                       zet_metric_group_handle_t* out) {
  static const std::vector<zet_metric_group_handle_t> none;
  return list(metrics_enabled ? device->groups : none, count, out);
}

ze_result_t get_metrics(zet_metric_group_handle_t group, uint32_t* count,
                        zet_metric_handle_t* out) {
  return list(group->metrics, count, out);
}

}  // namespace fake_ze
