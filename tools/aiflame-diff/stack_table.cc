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

void StackTable::add(std::string_view stack, uint64_t hash, size_t side, size_t file,
                     uint64_t count) {
  const uint32_t known =
      index_.find(hash, [&](uint32_t number) { return rows_[number].hash == hash; });
  if (known != HashIndex::kNone) {
    rows_[known].counts[side] += count;
    if (files_ > kSides) runs_[known * files_ + file] += count;
    return;
  }
  if (rows_.size() >= UINT32_MAX / 4) throw Error("more than 1073741822 stacks");
  rows_.push_back({hash, keep(stack), static_cast<uint32_t>(stack.size()),
                   static_cast<uint32_t>(rows_.size()), Pair{}});
  rows_.back().counts[side] = count;
  if (files_ > kSides) {
    uint64_t* const runs = runs_.extend(files_);
    std::fill_n(runs, files_, 0);
    runs[file] = count;
  }
  index_.add(hash, [&](uint32_t number) { return rows_[number].hash; });
}

void StackTable::prefetch_row(uint64_t hash) const {
  const uint32_t row = index_.first(hash);
  if (row != HashIndex::kNone) __builtin_prefetch(&rows_[row]);
}

void StackTable::scale(uint64_t factor) {
  for (Row& row : rows_)
    for (uint64_t& count : row.counts) count *= factor;
  for (uint64_t& count : runs_) count *= factor;
}

void StackTable::sort() {
  index_ = HashIndex();
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
  kept_.keep(text.size());
  if (text.size() > left_) {
    const size_t size = kFirstBlock << std::min<size_t>(blocks_.size(), 16);
    left_ = std::max(text.size(), std::min(size, kGreatestBlock));
    free_ = blocks_.emplace_back().extend(left_);
    take_pages(free_, left_);  // 6 % (`make bench`, diff, shuffled)
  }
  char* kept = free_;
  if (!text.empty()) std::memcpy(kept, text.data(), text.size());
  free_ += text.size();
  left_ -= text.size();
  return kept;
}

}  // namespace aiflame::diff
