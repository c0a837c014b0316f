// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/strings.h"

#include <algorithm>

namespace aiflame::nsys {
namespace {

// Longer texts are no names: what the program printed, and its files, are kept here too.
constexpr size_t kLongestName = size_t{64} << 10;

}  // namespace

Strings::Strings(const SqliteDatabase& database) {
  SqliteRows rows = database.rows("StringIds", {"id", "value"}, 2);
  while (rows.next()) {
    const std::string_view value = rows.text(1).value_or("");
    if (value.size() <= kLongestName) ids_.emplace_back(rows.need(0), texts_.number(value));
  }
  std::sort(ids_.begin(), ids_.end());
}

std::string_view Strings::text(std::optional<int64_t> id) const {
  if (!id) return {};
  const auto at = std::lower_bound(ids_.begin(), ids_.end(), std::pair(*id, uint32_t{0}));
  return at == ids_.end() || at->first != *id ? std::string_view() : texts_.text(at->second);
}

}  // namespace aiflame::nsys
