// SPDX-License-Identifier: MIT
// Reads in a thread beside the caller, some blocks ahead of it: for inputs that take as long to
// decompress as to look at.
#pragma once

#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>

#include "libcommon/memory/read_buffer.h"
#include "libcommon/parallel/parallel.h"

namespace aiflame {

class ReadAhead {
 public:
  // As ByteSource::read(). Called in one thread at a time.
  using Read = std::function<size_t(char* data, size_t size)>;

  explicit ReadAhead(Read read);
  // Waits until the thread has ended its current block.
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  // Up to `size` bytes; 0 only at the end. Throws what Read threw, after all bytes before.
  size_t read(char* data, size_t size);

 private:
  static constexpr size_t kBlock = size_t{256} << 10;

  struct Block {
    ReadBuffer buffer;
    size_t size = 0;  // less than kBlock: the last one
    std::exception_ptr thrown;
  };

  Block& block(size_t number) { return blocks_[number % blocks_.size()]; }
  void fill_blocks();
  void fill(Block& block);

  const Read read_;
  std::array<Block, 4> blocks_;
  size_t begin_ = 0;  // of what was not read yet, in the first block that is filled

  std::mutex mutex_;
  std::condition_variable changed_;
  size_t filled_ = 0, emptied_ = 0;  // numbers of blocks since the beginning
  bool stopped_ = false;

  BackgroundThread thread_;  // the last member: it uses the others
};

}  // namespace aiflame
