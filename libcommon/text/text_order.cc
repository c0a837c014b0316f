// SPDX-License-Identifier: MIT
#include "libcommon/text/text_order.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "libcommon/text/byte_scan.h"

namespace aiflame {
namespace {

// Texts with the same first `depth` bytes. Their keys hold the following eight.
struct Group {
  OrderedText* begin;
  OrderedText* end;
  size_t depth;
  unsigned patience;  // how many more times it may be divided
};

// Smaller groups are sorted by comparing the texts. 4 or 24 cost 1 to 2 % (`make bench`, svg,
// shuffled).
constexpr std::ptrdiff_t kFew = 12;

// The bytes of the text this many places further on are prefetched. This saves 1 to 4 %
// (`make bench`, diff, shuffled).
constexpr std::ptrdiff_t kAhead = 16;

template <TextOrder order>
struct Sorter {
  // The length of the ';' that is assumed at the end of each text.
  static constexpr size_t kEnd = order == TextOrder::frames ? 1 : 0;

  // The eight bytes from `depth` on, padded with zeros.
  static uint64_t key_at(const OrderedText& text, size_t depth) {
    if (text.size >= depth + 8) [[likely]]
      return __builtin_bswap64(load_bytes(text.text + depth, 8));
    const size_t left = text.size - depth;
    char bytes[8] = {};
    if (left > 0) std::memcpy(bytes, text.text + depth, left);  // an empty text may be null
    if (kEnd > 0) bytes[left] = ';';
    return __builtin_bswap64(load_bytes(bytes, sizeof bytes));
  }

  static bool is_less(const OrderedText& a, const OrderedText& b, size_t depth) {
    if (a.key != b.key) return a.key < b.key;
    const size_t same = std::min<size_t>({depth, a.size, b.size});
    return compare_texts(a.view().substr(same), b.view().substr(same), order) < 0;
  }

  static void sort_few(const Group& group) {
    if (group.begin == group.end) return;  // an empty group may be null, where `+ 1` has no meaning
    for (OrderedText* one = group.begin; one < group.end; ++one)
      if (one->size > group.depth + 8) __builtin_prefetch(one->text + group.depth + 8);
    for (OrderedText* one = group.begin + 1; one < group.end; ++one) {
      const OrderedText text = *one;
      OrderedText* place = one;
      for (; place != group.begin && is_less(text, place[-1], group.depth); --place)
        *place = place[-1];
      *place = text;
    }
  }

  static uint64_t median(uint64_t a, uint64_t b, uint64_t c) {
    return std::max(std::min(a, b), std::min(std::max(a, b), c));
  }

  // Multikey quicksort: divides a group into keys less than, equal to and greater than one of the
  // keys. Texts with equal keys continue with their next eight bytes. The pending groups are in a
  // list, not in recursive calls: a text of 16 MB would need two million of these.
  static void divide(const Group& group, std::vector<Group>& groups) {
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
    // Among texts with equal keys, those that end within the eight bytes come first, shorter ones
    // before longer ones: the key cannot tell a zero byte from the end of the text.
    const size_t depth = group.depth + 8;
    OrderedText* longer = less;
    // most groups are small: prefetch their first texts before waiting for any
    for (OrderedText* at = less; at < greater && at - less < kAhead; ++at)
      if (at->size > depth) __builtin_prefetch(at->text + depth);
    for (OrderedText* at = less; at < greater; ++at) {
      if (at->size + kEnd <= depth)
        std::swap(*longer++, *at);
      else
        load(at, greater, depth);
    }
    const auto is_shorter = [](const OrderedText& a, const OrderedText& b) {
      return a.size < b.size;
    };
    std::sort(less, longer, is_shorter);
    add(longer, greater, depth, group.patience);
  }

  static void load(OrderedText* text, const OrderedText* end, size_t depth) {
    if (end - text > kAhead && text[kAhead].size > depth)
      __builtin_prefetch(text[kAhead].text + depth);
    text->key = key_at(*text, depth);
  }

  static void sort(std::span<OrderedText> texts) {
    OrderedText* begin = texts.data();
    OrderedText* end = begin + texts.size();
    for (OrderedText* text = begin; text < end; ++text) load(text, end, 0);
    // in a hostile file whose groups divide badly, texts are compared instead
    const auto patience = 2 * static_cast<unsigned>(std::bit_width(texts.size()));
    std::vector<Group> groups = {{begin, end, 0, patience}};
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
};

}  // namespace

int compare_texts(std::string_view a, std::string_view b, TextOrder order) {
  const size_t same = common_prefix(a, b);
  if (same == a.size() && same == b.size()) return 0;
  if (order == TextOrder::plain && (same == a.size() || same == b.size()))
    return a.size() < b.size() ? -1 : 1;
  const int left = same == a.size() ? ';' : static_cast<unsigned char>(a[same]);
  const int right = same == b.size() ? ';' : static_cast<unsigned char>(b[same]);
  if (left != right) return left - right;
  return a.size() < b.size() ? -1 : 1;
}

void sort_texts(std::span<OrderedText> texts, TextOrder order) {
  if (order == TextOrder::frames)
    Sorter<TextOrder::frames>::sort(texts);
  else
    Sorter<TextOrder::plain>::sort(texts);
}

}  // namespace aiflame
