// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/marked_stack.h"

#include <sys/random.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace aiflame {
namespace {

constexpr uint64_t kEachByte = 0x0101010101010101;
constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;  // 2^64 / the golden ratio, odd

uint64_t load(const char* at) {
  uint64_t word = 0;
  std::memcpy(&word, at, sizeof word);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}
uint64_t load(const char* at, size_t size) {
  uint64_t word = 0;
  std::memcpy(&word, at, size);
  if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
  return word;
}

// Unknown to whoever makes the input.
const uint64_t kSeed = [] {
  uint64_t random = 0;
  return getrandom(&random, sizeof random, 0) == sizeof random ? random : kFactor;
}();

// How many bytes two stacks have in common at their front.
size_t common_prefix(std::string_view a, std::string_view b) {
  const size_t size = std::min(a.size(), b.size());
  size_t i = 0;
  for (; i + 8 <= size; i += 8)
    if (const uint64_t differ = load(a.data() + i) ^ load(b.data() + i); differ != 0)
      return i + static_cast<size_t>(std::countr_zero(differ)) / 8;
  while (i < size && a[i] == b[i]) ++i;
  return i;
}

// 0x80 in each byte of `word` that is a ';'.
uint64_t semicolons(uint64_t word) {
  const uint64_t x = word ^ (kEachByte * ';');
  return ~(((x & (kEachByte * 0x7f)) + kEachByte * 0x7f) | x | (kEachByte * 0x7f));
}

uint64_t mix(uint64_t hash, uint64_t word) {
  // the upper half of the product depends on all bits of both
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(hash ^ word) * (kFactor ^ std::rotl(hash, 32) ^ word);
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

// Where two stacks differ, which is left of the other; the end is left of a blank.
int rank_at(std::string_view text, size_t at) {
  return at < text.size() ? 2 * static_cast<unsigned char>(text[at]) : 2 * ' ' - 1;
}

}  // namespace

StackMarker::StackMarker(bool ordered) : ordered_(ordered) {}

uint64_t StackMarker::root_hash() {
  return ~kSeed;
}

uint64_t StackMarker::name_hash(std::string_view name) {
  // the length tells "a" from "a\0"
  uint64_t hash = kSeed + name.size();
  const char* at = name.data();
  size_t left = name.size();
  for (; left >= 8; left -= 8, at += 8) hash = mix(hash, load(at));
  return mix(hash, load(at, left));
}

uint64_t StackMarker::extended_hash(uint64_t before, uint64_t name_hash) {
  return mix(before, name_hash);
}

void StackMarker::describe(std::string_view& text, std::vector<Mark>& marks) const {
  const size_t first = sorted_ ? shared_ : 0;
  const size_t begin = first == 0 ? 0 : marks_[first - 1].end + size_t{1};
  text = begin < text_.size() ? std::string_view(text_).substr(begin) : std::string_view();
  for (size_t i = first; i < marks_.size(); ++i)
    marks.push_back(
        {static_cast<uint32_t>(marks_[i].end - begin), marks_[i].name_hash, marks_[i].hash});
}

bool StackMarker::mark(std::string_view stack) {
  stack = stack.substr(0, stack.find_last_not_of(';') + 1);
  if (stack.size() >= UINT32_MAX) return false;
  size_t same = common_prefix(stack, text_);
  const bool was_sorted = sorted_;
  if (ordered_ && sorted_ && rank_at(stack, same) < rank_at(text_, same)) sorted_ = false;
  // a frame is shared when it ends within what is the same, and ends there in this stack too
  while (!marks_.empty() && (marks_.back().end > same ||
                             (marks_.back().end < stack.size() && stack[marks_.back().end] != ';')))
    marks_.pop_back();
  // ... but an empty stack has not even an empty frame
  if (stack.empty()) marks_.clear();
  shared_ = marks_.size();
  text_.resize(same);
  text_.append(stack.substr(same));

  uint64_t hash = shared_ == 0 ? root_hash() : marks_.back().hash;
  if (was_sorted && !sorted_) {
    hash = root_hash();
    for (size_t i = 0; i < shared_; ++i)
      hash = marks_[i].hash = extended_hash(hash, name_hash(frame(i)));
  }
  size_t begin = shared_ == 0 ? 0 : marks_.back().end + size_t{1};
  const char* text = text_.data();
  const size_t size = text_.size();
  // `begin` is one past the end when the whole stack is shared
  for (size_t at = begin; begin < size;) {
    size_t end = size;
    for (; at < size; at += 8) {
      const uint64_t found =
          at + 8 <= size ? semicolons(load(text + at)) : semicolons(load(text + at, size - at));
      if (found == 0) continue;
      end = at + static_cast<size_t>(std::countr_zero(found)) / 8;
      break;
    }
    const uint64_t name = name_hash({text + begin, end - begin});
    if (!sorted_) hash = extended_hash(hash, name);
    marks_.push_back({static_cast<uint32_t>(end), static_cast<uint32_t>(name), hash});
    at = begin = end + 1;
  }
  return true;
}

}  // namespace aiflame
