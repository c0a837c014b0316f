// SPDX-License-Identifier: MIT
// Values lie in blocks. A block of either file begins with a header
//
//   00 u64 count of values   08 u64 values   10 u32 or u16 count of indices   18 u64 indices
//
// An index is the number of a context or metric, and where its values begin; they end where those
// of the next index do.
#include "tools/stackcollapse-hpctoolkit/values.h"

namespace aiflame::hpctoolkit {
namespace {

// by profile: u16 metric, f64 value; u32 context, u64 begin
constexpr uint64_t kMetricValue = 0x0a, kContextIndex = 0x0c;
// by context: u32 profile, f64 value; u16 metric, u64 begin
constexpr uint64_t kProfileValue = 0x0c, kMetricIndex = 0x0a;
constexpr uint64_t kBlock = 0x20, kProfile = 0x2c;

struct Block {
  uint64_t count, values, indices;
};

// Checks that the values and `indices` are in the file. `left`: of the file's bytes, those that no
// block has used yet. Blocks that overlap would take the square of the file's size.
Block read_block(const DatabaseFile& file, uint64_t at, uint64_t value_size, uint64_t indices,
                 uint64_t index_size, uint64_t& left) {
  const Block out{file.u64(at), file.u64(at + 8), file.u64(at + 0x18)};
  file.need(out.values, out.count, value_size);
  file.need(out.indices, indices, index_size);
  const uint64_t used = out.count * value_size + indices * index_size;
  if (used > left) file.fail(at, "blocks that overlap");
  left -= used;
  return out;
}

// Where the values of an index begin: at most where they end.
uint64_t begin_of(const DatabaseFile& file, uint64_t at, uint64_t end) {
  const uint64_t begin = file.u64(at);
  if (begin > end) file.fail(at, "values that end before they begin");
  return begin;
}

}  // namespace

// Header: u64 blocks, u32 count, u8 size. The number of a block is its context's id.
void ValuesByContext::read(const WantedMetrics& wanted, const EachContext& each) const {
  const uint64_t header = file_.section(0);
  const uint64_t blocks = file_.u64(header), count = file_.u32(header + 8);
  const uint64_t size = file_.u8(header + 0xc);
  file_.need_size(header, size, kBlock);
  file_.need(blocks, count, size);
  std::vector<MetricValue> values;
  uint64_t left = file_.size();
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = blocks + i * size;
    const uint64_t metrics = file_.u16(at + 0x10);
    const Block block = read_block(file_, at, kProfileValue, metrics, kMetricIndex, left);
    values.clear();
    uint64_t end = block.count;
    // backwards: each begins where the one before it ends
    for (uint64_t j = metrics; j-- > 0;) {
      const uint64_t index = block.indices + j * kMetricIndex;
      const uint64_t begin = begin_of(file_, index + 2, end);
      const uint16_t metric = file_.u16(index);
      if (wanted(metric))
        for (uint64_t k = begin; k < end; ++k)
          values.push_back({metric, file_.f64(block.values + k * kProfileValue + 4)});
      end = begin;
    }
    if (!values.empty()) each(static_cast<uint32_t>(i), values);
  }
}

// Header: u64 profiles, u32 count, u8 size.
ValuesByProfile::ValuesByProfile(const DatabaseFile& file) : file_(file), left_(file.size()) {
  const uint64_t header = file_.section(0);
  profiles_ = file_.u64(header);
  count_ = file_.u32(header + 8);
  size_ = file_.u8(header + 0xc);
  file_.need_size(header, size_, kProfile);
  file_.need(profiles_, count_, size_);
}

bool ValuesByProfile::is_summary(uint32_t profile) const {
  return (file_.u32(profiles_ + profile * size_ + 0x28) & 1) != 0;
}

// u16 count, and at 8 the identifiers: u8 kind, u16 flags, u32 logical, u64 physical
std::vector<Identifier> ValuesByProfile::identifiers(uint32_t profile) const {
  std::vector<Identifier> out;
  const uint64_t tuple = file_.u64(profiles_ + profile * size_ + 0x20);
  if (tuple == 0) return out;
  const uint64_t count = file_.u16(tuple);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t at = tuple + 8 + 0x10 * i;
    const bool physical = (file_.u16(at + 2) & 1) != 0;
    out.push_back({file_.u8(at), physical ? file_.u64(at + 8) : file_.u32(at + 4)});
  }
  return out;
}

void ValuesByProfile::read(uint32_t profile, const WantedMetrics& wanted, const EachContext& each) {
  const uint64_t at = profiles_ + profile * size_;
  const uint64_t contexts = file_.u32(at + 0x10);
  const Block block = read_block(file_, at, kMetricValue, contexts, kContextIndex, left_);
  std::vector<MetricValue> values;
  for (uint64_t i = 0; i < contexts; ++i) {
    const uint64_t index = block.indices + i * kContextIndex;
    const bool last = i + 1 == contexts;
    const uint64_t end =
        last ? block.count : begin_of(file_, index + kContextIndex + 4, block.count);
    values.clear();
    for (uint64_t k = begin_of(file_, index + 4, end); k < end; ++k) {
      const uint64_t value = block.values + k * kMetricValue;
      if (const uint16_t metric = file_.u16(value); wanted(metric))
        values.push_back({metric, file_.f64(value + 2)});
    }
    if (!values.empty()) each(file_.u32(index), values);
  }
}

}  // namespace aiflame::hpctoolkit
