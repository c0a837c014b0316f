// SPDX-License-Identifier: MIT
// Reads files of folded stacks as blocks of whole lines, for several threads.
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
  std::string path;     // as messages name it
  size_t file = 0;      // index of the path
  bool first = false;   // the first block of its file
  ReadBuffer buffer;
  size_t size = 0;

  std::string_view text() const { return {buffer.data(), size}; }
};

class InputBlocks {
 public:
  // The size of the first and second block. Later blocks are as large as all earlier ones together:
  // to get new memory takes time.
  static constexpr size_t kFirst = size_t{64} << 10;

  // Reads the files in order, in blocks of at most `most` bytes; "-" is standard input.
  InputBlocks(const std::vector<std::string>& paths, size_t most) : paths_(paths), most_(most) {}

  // Reads the next whole lines into `block`, whose buffer is used again; false if there are no
  // more. Any thread may call it. Throws Error once, with block.number set. For a line longer than
  // LineReader::kMaxLine, returns a block that holds its beginning.
  [[nodiscard]] bool next(InputBlock& block);
  // Makes next() return false from now on.
  void stop();
  // Whether there are no more blocks, as far as is known without reading.
  bool ended();

 private:
  [[nodiscard]] bool read(InputBlock& block);
  [[nodiscard]] bool fill(InputBlock& block);

  std::mutex mutex_;
  const std::vector<std::string>& paths_;
  const size_t most_;
  size_t next_path_ = 0;
  std::unique_ptr<ByteSource> source_;
  bool first_ = false, at_end_ = false;
  uint64_t taken_ = 0;  // bytes of all blocks
  std::string rest_;    // after the last newline
  uint64_t number_ = 0;
  bool stopped_ = false;
};

}  // namespace aiflame
