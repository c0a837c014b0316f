// SPDX-License-Identifier: MIT
// Reads CSV (RFC 4180): fields may be quoted, and then hold commas, doubled quotes and newlines.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/io/input.h"

namespace aiflame {

// Splits a record: false if text follows a closing quote, or a quote is not closed. Blanks around
// an unquoted field are not part of it. The fields are views into both arguments; `unquoted`
// receives the texts of quoted fields.
[[nodiscard]] bool split_csv(std::string_view record, std::vector<std::string_view>& fields,
                             std::string& unquoted);

class CsvReader {
 public:
  explicit CsvReader(const std::string& path) : lines_(path) {}
  explicit CsvReader(ByteSource&& source) : lines_(std::move(source)) {}

  // The fields of the next record that is not empty, valid until the next call; false at the end.
  // Throws Error for a quote that is never closed, and for records longer than 16 MiB.
  [[nodiscard]] bool next(std::vector<std::string_view>& fields);
  // "path:line" of the beginning of the record
  std::string place() const;
  // Whether the last record ended without a newline: the file may be cut in it.
  bool terminated() const { return lines_.terminated(); }

 private:
  LineReader lines_;
  uint64_t line_ = 0;
  std::string record_;  // with its newlines
  std::string unquoted_;
};

// The columns of a header by name. Names are compared without quotes and blanks around them.
class CsvColumns {
 public:
  CsvColumns() = default;
  explicit CsvColumns(const std::vector<std::string_view>& header)
      : names_(header.begin(), header.end()) {}

  // The first column called `name`, or nothing.
  std::optional<size_t> find(std::string_view name) const;
  // As find(). Throws Error("PLACE: no column 'NAME'").
  size_t need(std::string_view name, const std::string& place) const;
  size_t size() const { return names_.size(); }
  const std::string& name(size_t column) const { return names_[column]; }

 private:
  std::vector<std::string> names_;
};

}  // namespace aiflame
