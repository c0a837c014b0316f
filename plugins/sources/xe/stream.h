// SPDX-License-Identifier: MIT
// The stream of one tile's stall samples, from its start to its end, over losses and resets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/device/intel/eu_stall.h"
#include "plugins/sources/common/stall_source.h"
#include "plugins/sources/xe/gpu.h"

namespace aiflame::source::xe {

class Stream {
 public:
  // Opens and starts it; while it can be polled it is a member of the epoll set `readiness`. `gpu`
  // outlives it. Throws Error.
  Stream(const Gpu& gpu, const Tile& tile, uint64_t period, int readiness);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Reads all that the driver has seen up to now. `buffer` is any memory of at least a record.
  Drained drain(std::vector<unsigned char>& buffer, EuStallTally& tally);
  // What was not drained is gone.
  void stop();

 private:
  void open();
  void close();
  void recover(int error, Drained& drained);

  const Gpu& gpu_;
  const Tile tile_;
  const uint64_t period_;
  const int readiness_;
  int fd_ = -1;  // -1: it ended, and has not been opened again yet
  uint64_t retry_at_ = 0;
  bool reset_told_ = false, end_told_ = false;
};

}  // namespace aiflame::source::xe
