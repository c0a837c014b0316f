// SPDX-License-Identifier: MIT
#include "libcommon/text/text_table.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/text/text_hash.h"

namespace aiflame {
namespace {

// Texts are stored in blocks of this size. Any size from 32 KiB on is as fast (`make bench`,
// collapse).
constexpr size_t kBlock = size_t{256} * 1024;

}  // namespace

TextTable::TextTable() : seed_(hash_seed()) {}

std::string_view TextTable::store(std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > block_size_ - block_used_) {
    block_size_ = std::max(kBlock, text.size());
    kept_.keep(block_size_);
    blocks_.push_back(std::make_unique_for_overwrite<char[]>(block_size_));
    block_used_ = 0;
  }
  char* at = blocks_.back().get() + block_used_;
  std::memcpy(at, text.data(), text.size());
  block_used_ += text.size();
  return {at, text.size()};
}

void TextTable::index() {
  const auto hash_of = [&](uint32_t number) { return hash_text(texts_[number], seed_); };
  index_.reserve(texts_.size(), hash_of);
  for (uint32_t number = 0; number < texts_.size(); ++number) index_.add(hash_of(number), hash_of);
}

uint32_t TextTable::number(std::string_view text, bool* added) {
  const auto append = [&] {
    if (texts_.size() == UINT32_MAX - 1) throw Error("more than 4294967294 distinct texts");
    texts_.push_back(store(text));
    if (added != nullptr) *added = true;
  };
  if (added != nullptr) *added = false;
  if (ascending_) {
    const int after = texts_.empty() ? 1 : text.compare(texts_.back());
    if (after > 0) append();
    if (after >= 0) return static_cast<uint32_t>(texts_.size() - 1);
    ascending_ = false;
    index();
  }
  const uint64_t hash = hash_text(text, seed_);
  const uint32_t known = index_.find(hash, [&](uint32_t other) { return texts_[other] == text; });
  if (known != HashIndex::kNone) return known;
  append();
  return index_.add(hash, [&](uint32_t other) { return hash_text(texts_[other], seed_); });
}

}  // namespace aiflame
