// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/diff.h"

#include <algorithm>
#include <numeric>

namespace aiflame {
namespace {

__extension__ using Product = unsigned __int128;

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

bool CountTable::add(std::string_view stack, Count count) {
  if (count.decimals > decimals_ && !widen_to(count.decimals)) return false;
  if (!widen(count, decimals_) || !add_checked(total_, count.value)) return false;
  rows_.push_back({text_.size(), stack.size(), count.value});
  text_.insert(text_.end(), stack.begin(), stack.end());
  return true;
}

bool CountTable::widen_to(unsigned decimals) {
  for (; decimals_ < decimals; ++decimals_) {
    if (!multiply_checked(total_, 10)) return false;
    for (Row& row : rows_) row.count *= 10;
  }
  return true;
}

void CountTable::finish() {
  const auto text = [this](const Row& row) {
    return std::string_view(text_.data() + row.begin, row.size);
  };
  const auto less = [&](const Row& a, const Row& b) { return text(a) < text(b); };
  if (!std::is_sorted(rows_.begin(), rows_.end(), less))
    std::sort(rows_.begin(), rows_.end(), less);
  size_t kept = 0;
  for (const Row& row : rows_) {
    if (kept > 0 && text(rows_[kept - 1]) == text(row))
      rows_[kept - 1].count += row.count;
    else
      rows_[kept++] = row;
  }
  rows_.resize(kept);
}

void CountTable::scale_to(uint64_t total) {
  if (total == total_) return;
  std::vector<uint64_t> remainders(rows_.size());
  uint64_t given = 0;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Product product = static_cast<Product>(rows_[i].count) * total;
    rows_[i].count = static_cast<uint64_t>(product / total_);
    remainders[i] = static_cast<uint64_t>(product % total_);
    given += rows_[i].count;
  }
  // fewer than there are rows with a remainder
  const uint64_t missing = total - given;
  std::vector<size_t> order(rows_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  const auto by_remainder = [&](size_t a, size_t b) {
    return remainders[a] != remainders[b] ? remainders[a] > remainders[b] : a < b;
  };
  std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(missing), order.end(),
                   by_remainder);
  for (size_t i = 0; i < missing; ++i) ++rows_[order[i]].count;
  total_ = total;
}

void strip_hex(std::string_view stack, std::string& out) {
  out.clear();
  for (size_t i = 0; i < stack.size();) {
    if (stack.substr(i, 2) == "0x" && i + 2 < stack.size() && is_hex_digit(stack[i + 2])) {
      out += "0x...";
      for (i += 2; i < stack.size() && is_hex_digit(stack[i]);) ++i;
    } else {
      out += stack[i++];
    }
  }
}

}  // namespace aiflame
