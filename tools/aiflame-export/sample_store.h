// SPDX-License-Identifier: MIT
// The samples of all inputs, in a temporary file: what the counts are is known at the end of an
// input, and a format that counts bytes in front of them needs them twice. Memory holds the frames
// alone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/base/count.h"
#include "libcommon/io/spool.h"

namespace aiflame::exporter {

struct SampleLabel {
  uint32_t key = 0;    // index of the keys that were asked for
  uint32_t value = 0;  // number of a text in the FrameTable

  bool operator==(const SampleLabel&) const = default;
};

struct Sample {
  std::vector<uint32_t> frames;  // numbers in the FrameTable, root first; at least one
  std::vector<SampleLabel> labels;
  Count count;
};

// Samples that stand behind one another.
struct SampleRange {
  uint64_t begin = 0, end = 0;  // bytes in the file
};

class SampleStore {
 public:
  // Begins a range, which ends at end().
  void begin();
  void add(const Sample& sample);
  SampleRange end();

  // After the last range: whoever reads them.
  void finish();
  const ByteSource& file() const { return *file_; }
  ByteSource& file() { return *file_; }

 private:
  void flush();

  Spool spool_;
  std::optional<ByteSource> file_;
  std::vector<uint32_t> words_;    // to be written
  std::vector<uint32_t> before_;   // frames of the last sample
  uint64_t size_ = 0, begin_ = 0;  // words
};

// Reads a range.
class SampleReader {
 public:
  SampleReader(SampleStore& store, const SampleRange& range)
      : file_(store.file()), at_(range.begin), end_(range.end) {}

  // The next sample; false at the end.
  [[nodiscard]] bool next(Sample& sample);

 private:
  uint32_t word();

  ByteSource& file_;
  uint64_t at_, end_;  // in the file, of what is not in words_ yet
  std::vector<uint32_t> words_;
  size_t next_ = 0;
};

}  // namespace aiflame::exporter
