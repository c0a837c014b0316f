// SPDX-License-Identifier: MIT
// The stream of one tile's stall samples from Level Zero's metric streamer. It survives losses and
// failures.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "libcommon/objects/intel/eu_stall_metrics.h"
#include "plugins/sources/common/stall_source.h"
#include "plugins/sources/level-zero/gpu.h"

namespace aiflame::source::level_zero {

class Stream {
 public:
  // Opens and starts the stream. `period` is in cycles. Throws Error, also when the driver uses
  // another period.
  Stream(const Tile& tile, uint64_t period);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Reads all that the driver has seen so far. `buffer` is scratch memory for at least one record.
  Drained drain(std::vector<uint8_t>& buffer, const GiveStall& give);
  // Drops what was not drained.
  void stop() { close(); }

 private:
  void open();
  void open_streamer();
  void close();
  void recover(const std::string& why, Drained& drained);
  void take(std::span<const uint8_t> raw, Drained& drained);

  const Tile tile_;
  const uint64_t period_;
  const StallGroup group_;
  EuStallMetrics metrics_;
  ze_context_handle_t context_ = nullptr;
  zet_metric_streamer_handle_t streamer_ = nullptr;  // null = it ended, and is not open again yet
  std::vector<zet_typed_value_t> values_;
  std::vector<uint64_t> row_;
  uint64_t retry_at_ = 0;
  bool reset_reported_ = false, end_reported_ = false, calculation_reported_ = false;
};

}  // namespace aiflame::source::level_zero
