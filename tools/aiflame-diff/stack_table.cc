// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/stack_table.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/text/text_hash.h"
#include "libcommon/text/text_order.h"

namespace aiflame::diff {

uint64_t StackTable::hash_of(std::string_view stack) {
  return hash_text(stack, hash_seed());
}

void StackTable::add(std::string_view stack, uint64_t hash, size_t side, uint64_t count) {
  const size_t mask = slots_.size() - 1;
  size_t slot = slot_of(hash);
  for (; slots_[slot] != 0; slot = (slot + 1) & mask) {
    Row& row = rows_[slots_[slot] - 1];
    if (row.hash != hash) continue;
    row.counts[side] += count;
    return;
  }
  if (rows_.size() >= UINT32_MAX / 4) throw Error("more than 1073741822 stacks");
  rows_.push_back({hash, keep(stack), static_cast<uint32_t>(stack.size()), Pair{}});
  rows_.back().counts[side] = count;
  slots_[slot] = static_cast<uint32_t>(rows_.size());
  if (rows_.size() * 4 > slots_.size() * 3) grow();
}

void StackTable::prefetch_first(uint64_t hash) const {
  __builtin_prefetch(&slots_[slot_of(hash)]);
}

void StackTable::prefetch_second(uint64_t hash) const {
  const uint32_t row = slots_[slot_of(hash)];
  if (row != 0) __builtin_prefetch(&rows_[row - 1]);
}

void StackTable::scale(uint64_t factor) {
  for (Row& row : rows_)
    for (uint64_t& count : row.counts) count *= factor;
}

void StackTable::sort() {
  slots_ = {};
  std::vector<OrderedText> texts;
  texts.reserve(rows_.size());
  for (const Row& row : rows_)
    texts.push_back({0, row.text, row.size, static_cast<uint32_t>(texts.size())});
  sort_texts(texts, TextOrder::plain);
  GrowingArray<Row> sorted;
  Row* to = sorted.extend(rows_.size());
  for (const OrderedText& text : texts) *to++ = rows_[text.number];
  rows_ = std::move(sorted);
}

const char* StackTable::keep(std::string_view text) {
  if (text.size() > left_) {
    const size_t size = kFirstBlock << std::min<size_t>(blocks_.size(), 16);
    left_ = std::max(text.size(), std::min(size, kGreatestBlock));
    free_ = blocks_.emplace_back().extend(left_);
    take_pages(free_, left_);
  }
  char* kept = free_;
  if (!text.empty()) std::memcpy(kept, text.data(), text.size());
  free_ += text.size();
  left_ -= text.size();
  return kept;
}

void StackTable::grow() {
  slots_.assign(slots_.size() * 2, 0);
  const size_t mask = slots_.size() - 1;
  for (size_t i = 0; i < rows_.size(); ++i) {
    size_t slot = slot_of(rows_[i].hash);
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<uint32_t>(i + 1);
  }
}

}  // namespace aiflame::diff
