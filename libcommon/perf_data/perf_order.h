// SPDX-License-Identifier: MIT
// Records out of bytes, and into the order of their times. A CPU's ring is in order, a file of
// several is not: perf marks (FINISHED_ROUND) when it has emptied all rings once. What was written
// before the last mark cannot be preceded by anything written after the next.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "libcommon/io/file_window.h"
#include "libcommon/io/window_keeper.h"
#include "libcommon/perf_data/perf_event.h"

namespace aiflame {

// Bytes that records stand in: a file's own, or a copy. When no record of theirs is waiting, a
// copy's are used again, and a file's given back to the system.
struct RecordBlock {
  static constexpr size_t kSize = size_t{1} << 20;
  FileWindow window;
  std::unique_ptr<char[]> copy;  // made at the first need
  char* bytes = nullptr;         // of the one that is in use
  uint32_t users = 0;
};

class BlockPool {
 public:
  // Of kSize bytes, to be filled.
  RecordBlock* take();
  RecordBlock* take(FileWindow&& window);
  void give(RecordBlock* block);
  // Gives windows back to the system from here on; lives as long as this is in use.
  void keep_windows(WindowKeeper& keeper) { keeper_ = &keeper; }
  size_t in_use() const { return blocks_.size() - free_.size(); }

 private:
  RecordBlock* take_any();

  std::vector<std::unique_ptr<RecordBlock>> blocks_;
  std::vector<RecordBlock*> free_;
  WindowKeeper* keeper_ = nullptr;
};

// Cuts a stream of bytes into records: room(), fill it, filled(), then take() until it is false. Or
// use(), take() until it is false, and use() of what begins where taken() ends.
class RecordCutter {
 public:
  explicit RecordCutter(BlockPool& pool) : pool_(pool), block_(pool.take()) {}
  ~RecordCutter() { pool_.give(block_); }
  RecordCutter(const RecordCutter&) = delete;
  RecordCutter& operator=(const RecordCutter&) = delete;

  char* room(size_t& size);
  void filled(size_t size) { end_ += size; }
  // Goes on in a window's bytes, from `begin` up to `end`.
  void use(FileWindow&& window, size_t begin, size_t end);
  // Up to where the bytes of the block are taken.
  size_t taken() const { return begin_; }
  // False: more bytes are needed. Throws Error where there is no record. The record stays as it is
  // until the next room(), and as long as its block has a user.
  bool take(PerfDataRecord& record);
  RecordBlock* block() { return block_; }
  // Bytes behind the record last taken that are no records; kept in `into` where it is given.
  void skip(uint64_t size, std::string* into = nullptr) {
    skip_ += size;
    skipped_ = into;
  }
  // The stream ended here: in the middle of something?
  bool unfinished() const { return begin_ < end_ || skip_ > 0; }

 private:
  BlockPool& pool_;
  RecordBlock* block_;
  size_t begin_ = 0, end_ = 0;
  uint64_t skip_ = 0;
  std::string* skipped_ = nullptr;
  uint64_t offset_ = 0;  // of begin_ in the stream
};

class RecordQueue {
 public:
  using Deliver = std::function<void(const PerfDataRecord&)>;
  RecordQueue(BlockPool& pool, Deliver deliver) : pool_(pool), deliver_(std::move(deliver)) {
    waiting_.reserve(kFirst);
  }

  void add(uint64_t time, const PerfDataRecord& record, RecordBlock* block);
  void end_round();
  void end();
  // So many streams have a block of their own.
  void allow(size_t streams) { max_blocks_ = kMaxBlocks + streams; }
  // Records that came too late, for lack of marks, to be delivered in order.
  uint64_t late() const { return late_; }

 private:
  struct Waiting {
    uint64_t time, number;
    const char* body;
    RecordBlock* block;
    uint32_t type;
    uint16_t misc, size;
  };
  void sort();
  void deliver_first(size_t count);

  // What a short recording has, of which nothing is delivered before its end. Not filled, it takes
  // no memory.
  static constexpr size_t kFirst = size_t{1} << 14;
  // Without marks what waits is bounded by this, like perf's own queue where it is told to.
  static constexpr size_t kMaxWaiting = size_t{1} << 24;
  static constexpr size_t kMaxBlocks = 1024;
  size_t max_blocks_ = kMaxBlocks;

  BlockPool& pool_;
  Deliver deliver_;
  std::vector<Waiting> waiting_;
  uint64_t number_ = 0;
  uint64_t newest_ = 0, limit_ = 0;  // up to limit_ all are there
  uint64_t delivered_ = 0, late_ = 0;
};

}  // namespace aiflame
