// SPDX-License-Identifier: MIT
#include "libcommon/perf_data/perf_order.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr size_t kHeader = 8;          // type, misc, size
constexpr size_t kMaxRecord = 0xffff;  // the size field has 16 bits
// Of compressed records, this many blocks and records may wait (100 MB and 60 MB), and one block
// and 16384 records (1 MB each) more for each 64 KiB that were read.
constexpr size_t kFewBlocks = 96, kFewWaiting = size_t{1} << 20;
constexpr uint64_t kWorthBlock = 65536;
constexpr size_t kInBlock = 16384;

// Prefetches what will be read of a record: a sample's registers and the inner end of its copied
// stack. In the stack each frame holds the address of the next, so without this, cache misses would
// follow one another. It saves 3 % (`make bench`, data, dwarf).
void expect(const char* body, size_t size) {
  constexpr size_t kMost = 2048, kLine = 64;
  for (size_t at = 0; at < std::min(size, kMost); at += kLine) __builtin_prefetch(body + at);
}

}  // namespace

RecordBlock* BlockPool::take_any() {
  if (free_.empty()) {
    blocks_.push_back(std::make_unique<RecordBlock>());
    free_.push_back(blocks_.back().get());
  }
  RecordBlock* block = free_.back();
  free_.pop_back();
  block->users = 1;
  return block;
}

RecordBlock* BlockPool::take() {
  RecordBlock* block = take_any();
  if (block->copy == nullptr)
    block->copy = std::make_unique_for_overwrite<char[]>(RecordBlock::kSize);
  block->bytes = block->copy.get();
  return block;
}

RecordBlock* BlockPool::take(FileWindow&& window) {
  RecordBlock* block = take_any();
  block->window = std::move(window);
  block->bytes = block->window.bytes();
  return block;
}

void BlockPool::give(RecordBlock* block) {
  if (--block->users > 0) return;
  if (keeper_ != nullptr && block->window.bytes() != nullptr)
    keeper_->drop(std::move(block->window));
  else
    block->window = FileWindow();
  free_.push_back(block);
}

void RecordCutter::use(FileWindow&& window, size_t begin, size_t end) {
  pool_.give(block_);
  block_ = pool_.take(std::move(window));
  begin_ = begin;
  end_ = end;
}

char* RecordCutter::room(size_t& size) {
  if (RecordBlock::kSize - end_ <= kMaxRecord) {
    // the rest is less than a record
    RecordBlock* next = pool_.take();
    std::memcpy(next->bytes, block_->bytes + begin_, end_ - begin_);
    pool_.give(block_);
    block_ = next;
    end_ -= begin_;
    begin_ = 0;
  }
  size = RecordBlock::kSize - end_;
  return block_->bytes + end_;
}

bool RecordCutter::take(PerfDataRecord& record) {
  if (skip_ > 0) {
    const size_t part = static_cast<size_t>(std::min<uint64_t>(skip_, end_ - begin_));
    if (skipped_ != nullptr) skipped_->append(block_->bytes + begin_, part);
    skip_ -= part;
    begin_ += part;
    offset_ += part;
    if (skip_ > 0) return false;
  }
  const size_t left = end_ - begin_;
  if (left < kHeader) return false;
  const char* at = block_->bytes + begin_;
  uint16_t size = 0;
  std::memcpy(&record.type, at, sizeof record.type);
  std::memcpy(&record.misc, at + 4, sizeof record.misc);
  std::memcpy(&size, at + 6, sizeof size);
  if (size < kHeader)
    throw Error(format("a record of %u bytes at byte %llu of the data", size,
                       static_cast<unsigned long long>(offset_)));
  if (left < size) return false;
  record.body = std::string_view(at + kHeader, size - kHeader);
  begin_ += size;
  offset_ += size;
  return true;
}

void RecordQueue::add(uint64_t time, const PerfDataRecord& record, RecordBlock* block) {
  if (time < delivered_) ++late_;
  ++block->users;
  waiting_.push_back({time, number_++, record.body.data(), block, record.type, record.misc,
                      static_cast<uint16_t>(record.body.size())});
  newest_ = std::max(newest_, time);
  if (waiting_.size() >= max_waiting_ || pool_.in_use() >= max_blocks_ + more_blocks_) {
    sort();
    deliver_first(std::max<size_t>(waiting_.size() / 2, 1));
  }
}

void RecordQueue::bound(uint64_t compressed) {
  const auto more = static_cast<size_t>(std::min<uint64_t>(compressed / kWorthBlock, kMaxBlocks));
  max_blocks_ = std::min(kMaxBlocks, kFewBlocks + more);
  max_waiting_ = std::min(kMaxWaiting, kFewWaiting + more * kInBlock);
}

void RecordQueue::sort() {
  const auto before = [](const Waiting& a, const Waiting& b) {
    return a.time != b.time ? a.time < b.time : a.number < b.number;
  };
  if (!std::is_sorted(waiting_.begin(), waiting_.end(), before))
    std::sort(waiting_.begin(), waiting_.end(), before);
}

void RecordQueue::deliver_first(size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const Waiting& next = waiting_[i];
    if (i + 1 < waiting_.size()) expect(waiting_[i + 1].body, waiting_[i + 1].size);
    delivered_ = std::max(delivered_, next.time);
    deliver_({next.type, next.misc, std::string_view(next.body, next.size)});
    pool_.give(next.block);
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
}

void RecordQueue::end_round() {
  if (limit_ > 0) {
    sort();
    size_t count = 0;
    while (count < waiting_.size() && waiting_[count].time <= limit_) ++count;
    deliver_first(count);
  }
  limit_ = newest_;
}

void RecordQueue::end() {
  sort();
  deliver_first(waiting_.size());
}

}  // namespace aiflame
