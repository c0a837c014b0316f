// SPDX-License-Identifier: MIT
#include "libcommon/io/input_blocks.h"

#include <algorithm>

#include "libcommon/io/file_kind.h"

namespace aiflame {

bool InputBlocks::next(InputBlock& block) {
  const std::lock_guard lock(mutex_);
  block.number = number_;
  try {
    if (stopped_ || !read(block)) return false;
  } catch (...) {
    stopped_ = true;  // no other block gets this number
    throw;
  }
  ++number_;
  return true;
}

// False if there are no more files.
bool InputBlocks::read(InputBlock& block) {
  for (;;) {
    if (source_ == nullptr) {
      if (next_path_ == paths_.size()) return false;
      source_ = std::make_unique<ByteSource>(open_folded(paths_[next_path_++]));
      first_ = true;
      at_end_ = false;
    }
    block.path = source_->name();
    block.file = next_path_ - 1;
    block.first = first_;
    const bool filled = fill(block);
    if (at_end_) source_.reset();
    if (!filled) continue;
    first_ = false;
    taken_ += block.size;
    return true;
  }
}

void InputBlocks::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

bool InputBlocks::ended() {
  const std::lock_guard lock(mutex_);
  return stopped_ || (source_ == nullptr && next_path_ == paths_.size());
}

// False at the end of the file.
bool InputBlocks::fill(InputBlock& block) {
  ReadBuffer& buffer = block.buffer;
  const auto least = static_cast<size_t>(std::clamp<uint64_t>(taken_, kFirst, most_));
  buffer.resize(std::max({buffer.size(), least, rest_.size()}));
  std::copy(rest_.begin(), rest_.end(), buffer.begin());
  size_t size = rest_.size();
  for (;;) {
    while (size < buffer.size()) {
      const size_t n = source_->read(buffer.data() + size, buffer.size() - size);
      if (n == 0) {
        at_end_ = true;
        rest_.clear();
        block.size = size;
        return size > 0;
      }
      size += n;
    }
    const size_t end = std::string_view(buffer.data(), size).rfind('\n') + 1;
    if (end > 0 || size >= LineReader::kMaxLine) {
      block.size = end > 0 ? end : size;
      rest_.assign(buffer.data() + block.size, size - block.size);
      return true;
    }
    buffer.resize(std::min(2 * size, LineReader::kMaxLine));
  }
}

}  // namespace aiflame
