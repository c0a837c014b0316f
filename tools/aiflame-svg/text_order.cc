// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/text_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tools/aiflame-svg/byte_scan.h"

namespace aiflame {
namespace {

// Texts that agree in their first `depth` bytes, and have keys of the eight behind.
struct Group {
  OrderedText* begin;
  OrderedText* end;
  size_t depth;
  unsigned patience;  // how often it may still be divided
};

// Below this the texts themselves are compared.
constexpr std::ptrdiff_t kFew = 12;

// The bytes from `depth` on, the ';' behind the end and, behind that, zeros.
uint64_t key_at(const OrderedText& text, size_t depth) {
  if (text.size >= depth + 8) [[likely]]
    return __builtin_bswap64(load_bytes(text.text + depth, 8));
  char bytes[8] = {};
  std::memcpy(bytes, text.text + depth, text.size - depth);
  bytes[text.size - depth] = ';';
  return __builtin_bswap64(load_bytes(bytes, sizeof bytes));
}

bool is_less(const OrderedText& a, const OrderedText& b, size_t depth) {
  if (a.key != b.key) return a.key < b.key;
  return compare_stacks(a.view(), b.view(), std::min<size_t>({depth + 8, a.size, b.size})) < 0;
}

void sort_few(const Group& group) {
  for (OrderedText* one = group.begin + 1; one < group.end; ++one) {
    const OrderedText text = *one;
    OrderedText* place = one;
    for (; place != group.begin && is_less(text, place[-1], group.depth); --place)
      *place = place[-1];
    *place = text;
  }
}

uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

// Multikey quicksort: three parts, less than, equal to and greater than one of the keys. The equal
// ones go on with their next eight bytes. What is yet to be done is a list of our own, as a text of
// 16 MB would need two million calls.
void divide(const Group& group, std::vector<Group>& groups) {
  const auto size = group.end - group.begin;
  const uint64_t pivot = median(group.begin[size / 4].key, group.begin[size / 2].key,
                                group.begin[size - size / 4 - 1].key);
  OrderedText* less = group.begin;
  OrderedText* greater = group.end;
  for (OrderedText* at = group.begin; at < greater;) {
    if (at->key < pivot)
      std::swap(*at++, *less++);
    else if (at->key > pivot)
      std::swap(*at, *--greater);
    else
      ++at;
  }
  const auto add = [&](OrderedText* begin, OrderedText* end, size_t depth, unsigned patience) {
    if (end - begin > 1) groups.push_back({begin, end, depth, patience});
  };
  add(group.begin, less, group.depth, group.patience - 1);
  add(greater, group.end, group.depth, group.patience - 1);
  // A text whose ';' is among the eight bytes is equal to all others that end there, and comes
  // before those that go on.
  const size_t depth = group.depth + 8;
  OrderedText* longer = less;
  for (OrderedText* at = less; at < greater; ++at) {
    if (at->size < depth)
      std::swap(*longer++, *at);
    else
      at->key = key_at(*at, depth);
  }
  add(longer, greater, depth, group.patience);
}

}  // namespace

int compare_stacks(std::string_view a, std::string_view b, size_t same) {
  same += common_prefix(a.substr(same), b.substr(same));
  if (same == a.size() && same == b.size()) return 0;
  const int left = same == a.size() ? ';' : static_cast<unsigned char>(a[same]);
  const int right = same == b.size() ? ';' : static_cast<unsigned char>(b[same]);
  if (left != right) return left - right;
  return a.size() < b.size() ? -1 : 1;
}

void sort_texts(std::vector<OrderedText>& texts) {
  for (OrderedText& text : texts) text.key = key_at(text, 0);
  // whoever writes a file whose groups divide badly has its texts compared instead
  const auto patience = 2 * static_cast<unsigned>(std::bit_width(texts.size()));
  std::vector<Group> groups = {{texts.data(), texts.data() + texts.size(), 0, patience}};
  while (!groups.empty()) {
    const Group group = groups.back();
    groups.pop_back();
    if (group.end - group.begin <= kFew)
      sort_few(group);
    else if (group.patience == 0)
      std::sort(group.begin, group.end, [&](const OrderedText& a, const OrderedText& b) {
        return is_less(a, b, group.depth);
      });
    else
      divide(group, groups);
  }
}

}  // namespace aiflame
