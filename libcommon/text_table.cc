// SPDX-License-Identifier: MIT
#include "libcommon/text_table.h"

#include <algorithm>

#include "libcommon/program.h"
#include "libcommon/secret.h"

namespace aiflame {
namespace {

constexpr size_t kBlock = size_t{256} * 1024;

uint64_t load(const char* data, size_t size) {
  uint64_t word = 0;
  if (size > 0) std::memcpy(&word, data, size);  // an empty text may have no address
  return word;
}

// The two halves of the full product folded together: every input bit reaches every output bit.
__extension__ typedef unsigned __int128 Product;
uint64_t mix(uint64_t a, uint64_t b) {
  const Product product = static_cast<Product>(a) * b;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

}  // namespace

TextTable::TextTable() : slots_(1024) {
  unsigned char bytes[sizeof seed_];
  fill_with_secret(bytes, sizeof bytes);
  std::memcpy(&seed_, bytes, sizeof seed_);
}

// 16 bytes a step, in the manner of wyhash.
uint64_t TextTable::hash(std::string_view text) const {
  constexpr uint64_t kA = 0xa0761d6478bd642f, kB = 0xe7037ed1a0b428db;
  const char* data = text.data();
  size_t size = text.size();
  uint64_t state = seed_ ^ kA;
  for (; size > 16; data += 16, size -= 16)
    state = mix(load(data, 8) ^ kB, load(data + 8, 8) ^ state);
  const size_t low = std::min<size_t>(size, 8);
  return mix(load(data, low) ^ kB ^ text.size(), load(data + low, size - low) ^ mix(state, kA));
}

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
    size_t at = hash(texts_[slot.number - 1]) & mask;
    while (slots_[at].number != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

uint32_t TextTable::number(std::string_view text, bool* added) {
  const uint64_t full = hash(text);
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
