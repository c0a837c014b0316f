// SPDX-License-Identifier: MIT
// The texts of StringIds, by id.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "libcommon/import/sqlite_database.h"
#include "libcommon/text/text_table.h"

namespace aiflame::nsys {

class Strings {
 public:
  explicit Strings(const SqliteDatabase& database);

  // The text of an id; empty if there is none.
  std::string_view text(std::optional<int64_t> id) const;

 private:
  TextTable texts_;
  std::vector<std::pair<int64_t, uint32_t>> ids_;  // sorted
};

}  // namespace aiflame::nsys
