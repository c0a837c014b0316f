// SPDX-License-Identifier: MIT
// A GPU of the xe driver: its sampler's abilities, and streams of its samples.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/objects/intel/eu_stall.h"
#include "plugins/sources/xe/render_node.h"

namespace aiflame::source::xe {

// A main GT: a tile's engines, with one sampler. (The other GTs are for media.)
struct Tile {
  uint16_t gt = 0;  // its number in requests
  uint16_t tile = 0;
  EuStallLayout layout = EuStallLayout::xe2;
};

class Gpu {
 public:
  // Throws Error with the reason why it cannot be sampled, and the remedy.
  explicit Gpu(const RenderNode& node);
  ~Gpu();
  Gpu(Gpu&& other) noexcept;
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  Gpu& operator=(Gpu&&) = delete;

  const std::vector<Tile>& tiles() const { return tiles_; }
  // The periods to choose from, in cycles; sorted, not empty.
  const std::vector<uint64_t>& periods() const { return periods_; }
  // `wanted`, or the default for 0. Throws Error when there is no such period.
  uint64_t period(uint64_t wanted) const;
  size_t record_bytes() const { return record_bytes_; }

  // A stream of the tile's samples, not yet begun; the caller closes it. Throws Error.
  int open_stream(const Tile& tile, uint64_t period) const;

 private:
  std::vector<unsigned char> query(uint32_t what, int& error) const;
  void read_sampler();
  void read_tiles();

  int fd_ = -1;
  std::vector<Tile> tiles_;
  std::vector<uint64_t> periods_;
  size_t record_bytes_ = 0;
  uint64_t ring_records_ = 0;  // of each core
};

}  // namespace aiflame::source::xe
