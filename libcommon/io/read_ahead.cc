// SPDX-License-Identifier: MIT
#include "libcommon/io/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace aiflame {

ReadAhead::ReadAhead(Read read) : read_(std::move(read)), thread_([this] { fill_blocks(); }) {}

ReadAhead::~ReadAhead() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

void ReadAhead::fill_blocks() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return stopped_ || filled_ - emptied_ < blocks_.size(); });
      if (stopped_) return;
    }
    Block& next = block(filled_);
    fill(next);
    const std::lock_guard lock(mutex_);
    ++filled_;
    changed_.notify_all();
    if (next.size < kBlock) return;
  }
}

void ReadAhead::fill(Block& block) {
  block.buffer.resize(kBlock);
  block.size = 0;
  try {
    while (block.size < kBlock) {
      const size_t n = read_(block.buffer.data() + block.size, kBlock - block.size);
      if (n == 0) break;
      block.size += n;
    }
  } catch (...) {
    block.thrown = std::current_exception();
  }
}

size_t ReadAhead::read(char* data, size_t size) {
  if (!thread_.running()) return read_(data, size);
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return filled_ > emptied_; });
    }
    const Block& first = block(emptied_);
    const size_t n = std::min(size, first.size - begin_);
    if (n > 0) {
      std::memcpy(data, first.buffer.data() + begin_, n);
      begin_ += n;
      return n;
    }
    if (first.thrown) std::rethrow_exception(first.thrown);
    if (first.size < kBlock) return 0;
    begin_ = 0;
    const std::lock_guard lock(mutex_);
    ++emptied_;
    changed_.notify_all();
  }
}

}  // namespace aiflame
