// SPDX-License-Identifier: MIT
// Cuts bytes into records, and sorts the records by time.
//
// The kernel writes records into one ring buffer for each CPU. A ring is sorted by time; perf.data,
// into which perf empties one ring after another, is not. After each round over all rings perf
// writes a mark, PERF_RECORD_FINISHED_ROUND. A record that is written after a mark was not yet in
// its ring when that ring was emptied in the round before. So it is later than everything that was
// written before the previous mark: at each mark, all records up to the newest time seen
// at the previous mark can be delivered. RecordQueue holds the rest, about two rounds.
//
// Records are not copied. They stay in blocks (parts of the file, mapped or read), and a block is
// reused when none of its records waits.
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

// Bytes that hold records: a mapped window of the file, or a buffer. When none of its records
// waits, a buffer is used again, and a window is given back to the system.
struct RecordBlock {
  static constexpr size_t kSize = size_t{1} << 20;
  FileWindow window;
  std::unique_ptr<char[]> copy;  // allocated at the first use
  char* bytes = nullptr;         // of the window or of the buffer
  uint32_t users = 0;
};

class BlockPool {
 public:
  // A buffer of kSize bytes, to be filled.
  RecordBlock* take();
  RecordBlock* take(FileWindow&& window);
  void give(RecordBlock* block);
  // From now on `keeper` gives windows back to the system. It must outlive the use of this.
  void keep_windows(WindowKeeper& keeper) { keeper_ = &keeper; }
  size_t in_use() const { return blocks_.size() - free_.size(); }

 private:
  RecordBlock* take_any();

  std::vector<std::unique_ptr<RecordBlock>> blocks_;
  std::vector<RecordBlock*> free_;
  WindowKeeper* keeper_ = nullptr;
};

// Cuts a stream of bytes into records. Either: room(), fill it, filled(), take() until it returns
// false, again room(). Or: use(), take() until it returns false, again use() with a window that
// starts at taken().
class RecordCutter {
 public:
  explicit RecordCutter(BlockPool& pool) : pool_(pool), block_(pool.take()) {}
  ~RecordCutter() { pool_.give(block_); }
  RecordCutter(const RecordCutter&) = delete;
  RecordCutter& operator=(const RecordCutter&) = delete;

  char* room(size_t& size);
  void filled(size_t size) { end_ += size; }
  // Continues with the bytes `begin` to `end` of a window.
  void use(FileWindow&& window, size_t begin, size_t end);
  // The end of the last record taken, in the block.
  size_t taken() const { return begin_; }
  // False: more bytes are needed. Throws Error if the bytes are no record. The record is valid
  // until the next room(), and as long as its block has a user.
  [[nodiscard]] bool take(PerfDataRecord& record);
  RecordBlock* block() { return block_; }
  // Skips bytes after the last record that are not records; stores them in `into` if given.
  void skip(uint64_t size, std::string* into = nullptr) {
    skip_ += size;
    skipped_ = into;
  }
  // Whether the stream ended in the middle of a record.
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
  // Allows one more block for each of `streams` streams.
  void allow(size_t streams) { more_blocks_ = streams; }
  // Bounds what waits by the bytes of compressed records that have been read: a few of them can
  // expand to gigabytes, none of which may be delivered yet.
  void bound(uint64_t compressed);
  // Number of records that came too late to be delivered in order, for lack of marks.
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

  // The number of records of a short recording, none of which is delivered before its end.
  // Untouched pages take no memory.
  static constexpr size_t kFirst = size_t{1} << 14;
  // Without marks, at most this many records wait; perf's own queue can be bounded likewise.
  static constexpr size_t kMaxWaiting = size_t{1} << 24;
  static constexpr size_t kMaxBlocks = 1024;
  size_t max_blocks_ = kMaxBlocks, max_waiting_ = kMaxWaiting, more_blocks_ = 0;

  BlockPool& pool_;
  Deliver deliver_;
  std::vector<Waiting> waiting_;
  uint64_t number_ = 0;
  uint64_t newest_ = 0, limit_ = 0;  // all records up to limit_ have arrived
  uint64_t delivered_ = 0, late_ = 0;
};

}  // namespace aiflame
