// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/sample_store.h"

#include <algorithm>
#include <string_view>

#include "libcommon/base/program.h"

namespace aiflame::exporter {
namespace {

// A sample is a head and what it counts, in words of this machine; equal beginnings of stacks that
// follow each other are written once:
//
//   0        frames of the sample before it that it shares, from the root
//   1        its other frames
//   2        labels
//   3        decimals of the count
//   4 and 5  the count, its lower half first
//   then its other frames, and for each label its key and value
constexpr size_t kHead = 6;
// Words that are read or written at a time: half a second-level cache.
constexpr size_t kBlock = size_t{64} << 10;

}  // namespace

void SampleStore::begin() {
  begin_ = size_;
  before_.clear();
}

void SampleStore::add(const Sample& sample) {
  const auto [own, other] =
      std::mismatch(sample.frames.begin(), sample.frames.end(), before_.begin(), before_.end());
  const auto shared = static_cast<uint32_t>(own - sample.frames.begin());
  const size_t before = words_.size();
  const uint32_t head[kHead] = {shared,
                                static_cast<uint32_t>(sample.frames.size()) - shared,
                                static_cast<uint32_t>(sample.labels.size()),
                                sample.count.decimals,
                                static_cast<uint32_t>(sample.count.value),
                                static_cast<uint32_t>(sample.count.value >> 32)};
  words_.insert(words_.end(), std::begin(head), std::end(head));
  words_.insert(words_.end(), own, sample.frames.end());
  for (const SampleLabel& label : sample.labels) {
    words_.push_back(label.key);
    words_.push_back(label.value);
  }
  before_.resize(shared);
  before_.insert(before_.end(), own, sample.frames.end());
  size_ += words_.size() - before;
  if (words_.size() >= kBlock) flush();
}

SampleRange SampleStore::end() {
  return {begin_ * sizeof(uint32_t), size_ * sizeof(uint32_t)};
}

void SampleStore::flush() {
  spool_.write({reinterpret_cast<const char*>(words_.data()), words_.size() * sizeof(uint32_t)});
  words_.clear();
}

void SampleStore::finish() {
  flush();
  // the first word is 0, so that no reader takes the file for a compressed one
  file_.emplace(spool_.read());
}

uint32_t SampleReader::word() {
  if (next_ == words_.size()) {
    const auto size =
        static_cast<size_t>(std::min<uint64_t>(end_ - at_, kBlock * sizeof(uint32_t)));
    words_.resize(size / sizeof(uint32_t));
    if (size == 0 || file_.read_at(at_, reinterpret_cast<char*>(words_.data()), size) != size)
      throw Error("a temporary file has changed");
    at_ += size;
    next_ = 0;
  }
  return words_[next_++];
}

bool SampleReader::next(Sample& sample) {
  if (next_ == words_.size() && at_ == end_) return false;
  const uint32_t shared = word(), added = word(), labels = word();
  sample.count.decimals = word();
  sample.count.value = word();
  sample.count.value |= uint64_t{word()} << 32;
  sample.frames.resize(shared + added);
  for (uint32_t i = shared; i < shared + added; ++i) sample.frames[i] = word();
  sample.labels.resize(labels);
  for (SampleLabel& label : sample.labels) {
    label.key = word();
    label.value = word();
  }
  return true;
}

}  // namespace aiflame::exporter
