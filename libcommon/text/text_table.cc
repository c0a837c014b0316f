// SPDX-License-Identifier: MIT
#include "libcommon/text/text_table.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/text/text_hash.h"

namespace aiflame {
namespace {

constexpr size_t kBlock = size_t{256} * 1024;

}  // namespace

TextTable::TextTable() : seed_(hash_seed()), slots_(1024) {}

std::string_view TextTable::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > block_size_ - block_used_) {
    block_size_ = std::max(kBlock, text.size());
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_));
    block_used_ = 0;
  }
  char* at = blocks_.back().get() + block_used_;
  std::memcpy(at, text.data(), text.size());
  block_used_ += text.size();
  return {at, text.size()};
}

void TextTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  const size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.number == 0) continue;
    size_t at = hash_text(texts_[slot.number - 1], seed_) & mask;
    while (slots_[at].number != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

uint32_t TextTable::number(std::string_view text, bool* added) {
  const uint64_t full = hash_text(text, seed_);
  const auto high = static_cast<uint32_t>(full >> 32);
  const size_t mask = slots_.size() - 1;
  size_t at = full & mask;
  if (added != nullptr) *added = false;
  for (; slots_[at].number != 0; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.hash == high && texts_[slot.number - 1] == text) return slot.number - 1;
  }
  if (texts_.size() == UINT32_MAX - 1) throw Error("more than 4294967294 distinct texts");
  texts_.push_back(store(text));
  slots_[at] = {high, static_cast<uint32_t>(texts_.size())};
  if (added != nullptr) *added = true;
  if (texts_.size() * 2 > slots_.size()) grow();
  return static_cast<uint32_t>(texts_.size() - 1);
}

}  // namespace aiflame
