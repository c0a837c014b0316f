// SPDX-License-Identifier: MIT
// Metric groups and streamers: one sampler for each tile.
#include <unistd.h>

#include <cstdio>
#include <map>

#include "tests/fakes/level-zero/fake_level_zero.h"
#include "tests/fakes/xe/eu_stall_bits.h"

struct _zet_metric_streamer_handle_t {
  ze_device_handle_t device;
};

namespace fake_ze {
namespace {

constexpr size_t kRecord = 64;
// two cores with 512 KiB each
constexpr size_t kCapacity = size_t{2} * 512 * 1024;

std::string place_of(ze_device_handle_t device) {
  return device->place + " tile " + std::to_string(device->tile);
}

// Metrics' names to the fields' names in records.
const std::map<std::string, std::string> kFields{
    {"IP", "ip"},
    {"Active", "active"},
    {"PSDepStall", "tdr"},
    {"Tdr", "tdr"},
    {"ControlStall", "control"},
    {"PipeStall", "pipestall"},
    {"SendStall", "send"},
    {"DistStall", "dist_acc"},
    {"SbidStall", "sbid"},
    {"SyncStall", "sync"},
    {"InstrFetchStall", "inst_fetch"},
    {"OtherStall", "other"},
};

// Drops the steps for calculations whose records never came.
void skip_calculations(ze_device_handle_t device) {
  while (!device->steps.empty() && device->steps.front().kind == Step::Kind::calculate)
    device->steps.pop_front();
}

}  // namespace

ze_result_t group_properties(zet_metric_group_handle_t group, zet_metric_group_properties_t* out) {
  std::snprintf(out->name, sizeof out->name, "%s", group->name.c_str());
  std::snprintf(out->description, sizeof out->description, "%s", "of the fake driver");
  out->samplingType = group->sampling;
  out->domain = group->counts_stalls ? 100 : 1;
  out->metricCount = static_cast<uint32_t>(group->metrics.size());
  return ZE_RESULT_SUCCESS;
}

ze_result_t metric_properties(zet_metric_handle_t metric, zet_metric_properties_t* out) {
  std::snprintf(out->name, sizeof out->name, "%s", metric->name.c_str());
  out->metricType = metric->type;
  out->resultType = ZET_VALUE_TYPE_UINT64;
  return ZE_RESULT_SUCCESS;
}

ze_result_t activate(zet_context_handle_t, zet_device_handle_t device, uint32_t count,
                     zet_metric_group_handle_t*) {
  device->active = count > 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t open_streamer(zet_context_handle_t, zet_device_handle_t device,
                          zet_metric_group_handle_t group, zet_metric_streamer_desc_t* description,
                          ze_event_handle_t, zet_metric_streamer_handle_t* out) {
  if (!device->active) return ZE_RESULT_NOT_READY;
  if (device->streaming) return ZE_RESULT_ERROR_HANDLE_OBJECT_IN_USE;
  if (!group->counts_stalls || description->notifyEveryNReports > device->most_reports)
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (device->open_result != ZE_RESULT_SUCCESS && device->good_openings-- == 0) {
    device->good_openings = 0;
    return device->open_result;
  }
  // the nearest period of 251 to 1757 ticks of 52 ns
  const uint32_t ticks = description->samplingPeriod / 52;
  uint32_t nearest = 251;
  for (uint32_t one = 502; one <= 1757; one += 251)
    if (one - ticks <= ticks - nearest || one <= ticks) nearest = one;
  description->samplingPeriod = device->forced_period != 0 ? device->forced_period : nearest * 52;
  device->streaming = true;
  *out = new _zet_metric_streamer_handle_t{device};
  log("open " + place_of(device) + " period " + std::to_string(description->samplingPeriod) +
      " reports " + std::to_string(description->notifyEveryNReports));
  return ZE_RESULT_SUCCESS;
}

ze_result_t read_data(zet_metric_streamer_handle_t streamer, uint32_t, size_t* size, uint8_t* to) {
  ze_device_handle_t device = streamer->device;
  if (*size == 0) {
    *size = kCapacity;
    return ZE_RESULT_SUCCESS;
  }
  const size_t room = *size / kRecord;
  size_t records = 0;
  bool dropped = false;
  *size = 0;
  while (!device->steps.empty()) {
    Step& step = device->steps.front();
    if (step.kind == Step::Kind::rows) {
      while (step.times > 0 && records < room) {
        for (size_t i = 0; i < kRecord; ++i) to[records * kRecord + i] = step.record[i];
        ++records;
        --step.times;
      }
      if (step.times > 0) break;
      device->steps.pop_front();
    } else if (step.kind == Step::Kind::tick) {
      if (!step.file.empty() && access(step.file.c_str(), F_OK) != 0) break;
      device->steps.pop_front();
      if (records > 0) break;
    } else if (step.kind == Step::Kind::hold) {
      if (records > 0 || !device->readers.hold(step.file)) break;
      device->steps.pop_front();
    } else if (step.kind == Step::Kind::release) {
      if (device->readers.release()) device->steps.pop_front();
      break;
    } else if (step.kind == Step::Kind::drop_with) {
      if (records > 0) break;
      dropped = true;
      device->steps.pop_front();
    } else if (step.kind == Step::Kind::calculate) {
      // the calculation of these records uses the step up
      break;
    } else {
      if (records > 0) break;
      const ze_result_t result =
          step.kind == Step::Kind::drop ? ZE_RESULT_WARNING_DROPPED_DATA : step.result;
      if (step.times > 0) --step.times;
      if (step.times == 0) device->steps.pop_front();
      return result;
    }
  }
  if (records == 0) skip_calculations(device);
  device->records_read += records;
  *size = records * kRecord;
  return dropped ? ZE_RESULT_WARNING_DROPPED_DATA : ZE_RESULT_SUCCESS;
}

ze_result_t close_streamer(zet_metric_streamer_handle_t streamer) {
  ze_device_handle_t device = streamer->device;
  uint64_t left = 0;
  for (const Step& step : device->steps)
    if (step.kind == Step::Kind::rows) left += step.times;
  log("close " + place_of(device) + " read " + std::to_string(device->records_read) + " left " +
      std::to_string(left));
  device->streaming = false;
  delete streamer;
  return ZE_RESULT_SUCCESS;
}

ze_result_t calculate(zet_metric_group_handle_t group, zet_metric_group_calculation_type_t type,
                      size_t size, const uint8_t* raw, uint32_t* count, zet_typed_value_t* out) {
  ze_device_handle_t device = group->device;
  if (type != ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES || !device->tiles.empty())
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (size % kRecord != 0) return ZE_RESULT_ERROR_INVALID_SIZE;
  ze_result_t result = ZE_RESULT_SUCCESS;
  if (!device->steps.empty() && device->steps.front().kind == Step::Kind::calculate &&
      out != nullptr) {
    result = device->steps.front().result;
    device->steps.pop_front();
    if (result != ZE_RESULT_WARNING_DROPPED_DATA) return result;
  }
  // sums by instruction, in the order of addresses
  std::map<uint64_t, std::vector<uint64_t>> rows;
  for (size_t at = 0; at < size; at += kRecord) {
    std::vector<uint64_t> row;
    for (zet_metric_handle_t metric : group->metrics)
      row.push_back(eu_stall_bits::get(
          raw + at, eu_stall_bits::format_of(device->layout).at(kFields.at(metric->name))));
    std::vector<uint64_t>& sums = rows[row.front()];
    sums.resize(row.size());
    sums.front() = row.front();
    for (size_t i = 1; i < row.size(); ++i) sums[i] += row[i];
  }
  const auto all = static_cast<uint32_t>(rows.size() * group->metrics.size());
  if (out == nullptr) {
    *count = all;
    return ZE_RESULT_SUCCESS;
  }
  uint32_t given = 0;
  for (const auto& [ip, row] : rows)
    for (const uint64_t value : row) {
      if (given == *count) return result;
      out[given].type = ZET_VALUE_TYPE_UINT64;
      out[given++].value.ui64 = value;
    }
  *count = given;
  return result;
}

}  // namespace fake_ze
