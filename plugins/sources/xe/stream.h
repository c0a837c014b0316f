// SPDX-License-Identifier: MIT
// The stream of one tile's stall samples. It survives losses and resets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/objects/intel/eu_stall.h"
#include "plugins/sources/common/stall_source.h"
#include "plugins/sources/xe/gpu.h"

namespace aiflame::source::xe {

class Stream {
 public:
  // Opens and starts the stream. While it can be polled, it is in the epoll set `readiness`. `gpu`
  // must outlive it. Throws Error.
  Stream(const Gpu& gpu, const Tile& tile, uint64_t period, int readiness);
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Reads all that the driver has seen so far. `buffer` is scratch memory for at least one record.
  Drained drain(std::vector<unsigned char>& buffer, EuStallTally& tally);
  // Drops what was not drained.
  void stop();

 private:
  void open();
  void close();
  void recover(int error, Drained& drained);

  const Gpu& gpu_;
  const Tile tile_;
  const uint64_t period_;
  const int readiness_;
  int fd_ = -1;  // -1 = it ended, and is not open again yet
  uint64_t retry_at_ = 0;
  bool reset_reported_ = false, end_reported_ = false;
};

}  // namespace aiflame::source::xe
