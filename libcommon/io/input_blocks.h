// SPDX-License-Identifier: MIT
// Files as blocks of whole lines, for several threads.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/io/input.h"
#include "libcommon/memory/read_buffer.h"

namespace aiflame {

struct InputBlock {
  uint64_t number = 0;  // from 0, in the order of the input
  std::string path;     // as it stands in messages
  size_t file = 0;      // its place among the paths
  bool first = false;   // of its file
  ReadBuffer buffer;
  size_t size = 0;

  std::string_view text() const { return {buffer.data(), size}; }
};

class InputBlocks {
 public:
  // The size of the first block, and of the second; the others grow with what was read, as new
  // memory takes time.
  static constexpr size_t kFirst = size_t{64} << 10;

  // Read one after the other, `most` bytes at a time; "-" is standard input.
  InputBlocks(const std::vector<std::string>& paths, size_t most) : paths_(paths), most_(most) {}

  // Any thread may call it. Takes the next whole lines into `block`, whose buffer is used again;
  // false where there are no more. Throws Error, with the number that the block would have had,
  // once. A line that is longer than LineReader::kMaxLine comes as a block that is its beginning.
  bool next(InputBlock& block);
  // There are no more from here on.
  void stop();
  // Whether next() has nothing to give, as far as that can be told without reading.
  bool ended();

 private:
  bool read(InputBlock& block);
  bool fill(InputBlock& block);

  std::mutex mutex_;
  const std::vector<std::string>& paths_;
  const size_t most_;
  size_t next_path_ = 0;
  std::unique_ptr<ByteSource> source_;
  bool first_ = false, at_end_ = false;
  uint64_t taken_ = 0;  // bytes of all blocks
  std::string rest_;    // behind the last newline
  uint64_t number_ = 0;
  bool stopped_ = false;
};

}  // namespace aiflame
