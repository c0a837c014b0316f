// SPDX-License-Identifier: MIT
#include "libcommon/objects/code_listing.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/parse.h"

namespace aiflame {

std::optional<uint32_t> index_of(const std::vector<ListedInstruction>& code, uint64_t offset) {
  const auto found =
      std::lower_bound(code.begin(), code.end(), offset,
                       [](const ListedInstruction& each, uint64_t at) { return each.offset < at; });
  if (found == code.end() || found->offset != offset) return std::nullopt;
  return static_cast<uint32_t>(found - code.begin());
}

std::optional<uint32_t> target_of(const std::vector<ListedInstruction>& code,
                                  std::string_view operand) {
  const auto target =
      take_prefix(operand, "0x") ? parse_hex(operand) : parse_number<uint64_t>(operand);
  if (!target || code.empty()) return std::nullopt;
  return index_of(code, code.front().offset + *target);
}

void cover(CodeListing& listing, uint32_t longest) {
  std::vector<ListedInstruction> named = std::move(listing.code);
  listing.code.clear();
  uint64_t at = listing.begin;
  const auto fill = [&](uint64_t until) {
    for (; at < until; at += listing.code.back().size) {
      ListedInstruction gap;
      gap.offset = at;
      gap.size = static_cast<uint32_t>(std::min<uint64_t>(longest, until - at));
      listing.code.push_back(std::move(gap));
    }
  };
  for (size_t i = 0; i < named.size(); ++i) {
    if (named[i].offset < at || named[i].offset >= listing.end) continue;
    fill(named[i].offset);
    const uint64_t next = i + 1 < named.size() ? named[i + 1].offset : listing.end;
    const uint64_t room = std::min(std::max(next, at + 1), listing.end) - at;
    named[i].size = static_cast<uint32_t>(std::min<uint64_t>(longest, room));
    at += named[i].size;
    listing.code.push_back(std::move(named[i]));
  }
  fill(listing.end);
}

std::string single_spaced(std::string_view text) {
  std::string out;
  for (std::string_view word = take_field(text); !word.empty(); word = take_field(text)) {
    if (!out.empty()) out += ' ';
    out.append(word);
  }
  return out;
}

}  // namespace aiflame
