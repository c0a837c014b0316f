// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/merge/name_order.h"

#include <algorithm>

#include "libcommon/text/byte_scan.h"

namespace aiflame::svg {

bool is_left(std::string_view a, char a_end, std::string_view b, char b_end) {
  const size_t same = common_prefix(a, b);
  const auto byte = [same](std::string_view text, char end) {
    return static_cast<unsigned char>(same < text.size() ? text[same] : end);
  };
  const unsigned char left = byte(a, a_end), right = byte(b, b_end);
  return left != right ? left < right : a.size() < b.size();
}

std::vector<uint32_t> sorted_names(const NameTable& names) {
  // Eight bytes decide most comparisons. No name contains a ';', so the one after a short name
  // distinguishes it from longer names that begin with it.
  struct Item {
    uint64_t key;
    uint32_t name;
  };
  std::vector<Item> items(names.size());
  for (uint32_t i = 0; i < items.size(); ++i) {
    const std::string_view name = names[i];
    char bytes[8] = {};
    const size_t size = std::min(name.size(), sizeof bytes);
    std::copy_n(name.data(), size, bytes);
    if (size < sizeof bytes) bytes[size] = ';';
    items[i] = {__builtin_bswap64(load_bytes(bytes, sizeof bytes)), i};
  }
  std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
    if (a.key != b.key) return a.key < b.key;
    return is_left(names[a.name], ';', names[b.name], ';');
  });
  std::vector<uint32_t> order;
  order.reserve(items.size());
  for (const Item& item : items) order.push_back(item.name);
  return order;
}

std::vector<uint32_t> places_of(const std::vector<uint32_t>& order) {
  std::vector<uint32_t> places(order.size());
  for (uint32_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  return places;
}

}  // namespace aiflame::svg
