// SPDX-License-Identifier: MIT
#include "plugins/sources/level-zero/stream.h"

#include <algorithm>
#include <cinttypes>

#include "libcommon/base/clock.h"
#include "libcommon/base/program.h"
#include "plugins/sources/level-zero/obstacle.h"

namespace aiflame::source::level_zero {
namespace {

// How long to wait before opening a stream again that has ended (the GPU is gone, or was reset).
constexpr uint64_t kRetryNs = 1000000000;

// A drain normally ends by itself, as the driver only shows what the kernel has read, every 5 ms.
// This bound, 64 GiB with the plugin's buffer, is for a driver that never ends.
constexpr int kMaxReads = 16384;

// How many records the driver collects before it wakes a reader. We do not wait for that, as the
// recorder reads on each tick. Drivers before 2026 refuse a number that is larger than their
// buffer, so it starts here and is divided by 4, as in unitrace.
constexpr uint32_t kReportsAtFirst = 32768, kReportsAtLeast = 128;

// A typed value has the metric's type; the driver gives all metrics of this group as 64 bits.
uint64_t number_of(const zet_typed_value_t& value) {
  switch (value.type) {
    case ZET_VALUE_TYPE_UINT32:
      return value.value.ui32;
    case ZET_VALUE_TYPE_UINT64:
      return value.value.ui64;
    default:
      return 0;
  }
}

}  // namespace

Stream::Stream(const Tile& tile, uint64_t period)
    : tile_(tile),
      period_(period),
      group_(find_stall_group(tile)),
      metrics_(group_.metrics),
      row_(metrics_.columns()) {
  open();
}

Stream::~Stream() {
  close();
}

void Stream::open() {
  ze_context_desc_t description{};
  description.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC;
  if (const ze_result_t result = ze().create_context(tile_.driver, &description, &context_);
      result != ZE_RESULT_SUCCESS) {
    context_ = nullptr;
    throw Error(format("zeContextCreate: %s", result_text(result).c_str()));
  }
  try {
    zet_metric_group_handle_t group = group_.group;
    if (const ze_result_t result = ze().activate_groups(context_, tile_.device, 1, &group);
        result != ZE_RESULT_SUCCESS)
      throw Error(format("zetContextActivateMetricGroups: %s", result_text(result).c_str()));
    open_streamer();
  } catch (...) {
    close();
    throw;
  }
}

void Stream::open_streamer() {
  const auto wanted = static_cast<uint32_t>(eu_stall_period_ns(period_, tile_.ns_per_tick));
  ze_result_t result = ZE_RESULT_SUCCESS;
  for (uint32_t reports = kReportsAtFirst; reports >= kReportsAtLeast; reports /= 4) {
    zet_metric_streamer_desc_t description{};
    description.stype = ZET_STRUCTURE_TYPE_METRIC_STREAMER_DESC;
    description.notifyEveryNReports = reports;
    description.samplingPeriod = wanted;
    result =
        ze().open_streamer(context_, tile_.device, group_.group, &description, nullptr, &streamer_);
    if (result != ZE_RESULT_SUCCESS) {
      streamer_ = nullptr;
      continue;
    }
    const uint64_t given = eu_stall_period_cycles(description.samplingPeriod, tile_.ns_per_tick);
    if (given == period_) return;
    // the recording would show the wrong period
    throw Error(format("no period of %" PRIu64 " cycles: the driver makes %" PRIu64 " of it",
                       period_, given));
  }
  throw Error(stream_obstacle(result));
}

void Stream::close() {
  if (streamer_ != nullptr) ze().close_streamer(streamer_);
  streamer_ = nullptr;
  if (context_ == nullptr) return;
  ze().activate_groups(context_, tile_.device, 0, nullptr);
  ze().destroy_context(context_);
  context_ = nullptr;
}

Drained Stream::drain(std::vector<uint8_t>& buffer, const GiveStall& give) {
  Drained drained;
  if (streamer_ == nullptr) {
    if (monotonic_ns() >= retry_at_) recover("", drained);
    return drained;
  }
  int losses_in_turn = 0;
  for (int reads = 0; reads < kMaxReads; ++reads) {
    size_t bytes = buffer.size();
    const ze_result_t result = ze().read_data(streamer_, UINT32_MAX, &bytes, buffer.data());
    if (result == ZE_RESULT_WARNING_DROPPED_DATA) {
      // A hardware buffer was full, and samples are lost; the next read goes on with the rest. One
      // read may report several buffers at once, so the number of reports means nothing.
      drained.lost = true;
      if (++losses_in_turn > 1) break;
      // Intel's driver returns 0; a driver that leaves it untouched has not read anything either
      if (bytes == buffer.size()) bytes = 0;
    } else if (result == ZE_RESULT_NOT_READY) {
      break;
    } else if (result != ZE_RESULT_SUCCESS) {
      recover(result_text(result), drained);
      break;
    } else if (bytes == 0) {
      break;
    } else {
      losses_in_turn = 0;
    }
    bytes = std::min(bytes, buffer.size());
    if (bytes > 0) take({buffer.data(), bytes}, drained);
  }
  metrics_.take(give);
  return drained;
}

// The driver turns the records into rows of values, one row for each instruction.
void Stream::take(std::span<const uint8_t> raw, Drained& drained) {
  const auto calculate = [&](uint32_t* count, zet_typed_value_t* values) {
    const ze_result_t result =
        ze().calculate(group_.group, ZET_METRIC_GROUP_CALCULATION_TYPE_METRIC_VALUES, raw.size(),
                       raw.data(), count, values);
    // this record reports that others were dropped
    if (result == ZE_RESULT_WARNING_DROPPED_DATA) drained.lost = true;
    return result == ZE_RESULT_WARNING_DROPPED_DATA ? ZE_RESULT_SUCCESS : result;
  };
  uint32_t count = 0;
  ze_result_t result = calculate(&count, nullptr);
  if (result == ZE_RESULT_SUCCESS) {
    if (values_.size() < count) values_.resize(count);
    if (count > 0) result = calculate(&count, values_.data());
    count = std::min(count, static_cast<uint32_t>(values_.size()));
  }
  const auto columns = static_cast<uint32_t>(row_.size());
  if (result != ZE_RESULT_SUCCESS || count % columns != 0) {
    drained.lost = true;
    if (!calculation_reported_)
      drained.trouble = format(
          "samples are lost that the driver makes no values of: "
          "zetMetricGroupCalculateMetricValues: %s, %u values in rows of %u",
          result_text(result).c_str(), count, columns);
    calculation_reported_ = true;
    return;
  }
  for (uint32_t at = 0; at < count; at += columns) {
    for (uint32_t i = 0; i < columns; ++i) row_[i] = number_of(values_[at + i]);
    metrics_.add(row_);
  }
}

// Starts anew after an answer that a read should not give.
void Stream::recover(const std::string& why, Drained& drained) {
  drained.lost = true;
  close();
  const std::string cause = why.empty() ? "" : " (" + why + ")";
  try {
    open();
    if (!reset_reported_)
      drained.trouble = format("the stream ended and was opened again: samples between are lost%s",
                               cause.c_str());
    reset_reported_ = true;
  } catch (const Error& error) {
    retry_at_ = monotonic_ns() + kRetryNs;
    if (!end_reported_)
      drained.trouble = format("no samples any more%s: %s; it is tried again each second",
                               cause.c_str(), error.what());
    end_reported_ = true;
  }
}

}  // namespace aiflame::source::level_zero
