// SPDX-License-Identifier: MIT
#include "libcommon/import/csv_reader.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame {

bool split_csv(std::string_view record, std::vector<std::string_view>& fields,
               std::string& unquoted) {
  fields.clear();
  // never reallocated below: views into it are handed out
  unquoted.clear();
  unquoted.reserve(record.size());
  std::string_view rest = record;
  while (true) {
    rest = trim_left(rest);
    if (!rest.starts_with('"')) {
      const size_t end = std::min(rest.find(','), rest.size());
      fields.push_back(trim_right(rest.substr(0, end)));
      rest.remove_prefix(end);
    } else {
      const size_t begin = unquoted.size();
      rest.remove_prefix(1);
      while (true) {
        const size_t quote = rest.find('"');
        if (quote == std::string_view::npos) return false;
        unquoted.append(rest.substr(0, quote));
        rest.remove_prefix(quote + 1);
        if (!rest.starts_with('"')) break;
        unquoted += '"';
        rest.remove_prefix(1);
      }
      fields.push_back(std::string_view(unquoted).substr(begin));
      rest = trim(rest);
      if (!rest.empty() && rest.front() != ',') return false;
    }
    if (rest.empty()) return true;
    rest.remove_prefix(1);
  }
}

std::string CsvReader::place() const {
  return lines_.name() + ":" + std::to_string(line_);
}

bool CsvReader::next(std::vector<std::string_view>& fields) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
    line_ = lines_.line_number();
  } while (trim_right(line).empty());
  // quotes are closed where their number is even: a quote inside of quotes is doubled
  size_t quotes = static_cast<size_t>(std::count(line.begin(), line.end(), '"'));
  record_.assign(line);
  while (quotes % 2 != 0) {
    if (!lines_.next(line) || record_.size() + line.size() > LineReader::kMaxLine)
      throw Error(place() + ": a quote is not closed");
    quotes += static_cast<size_t>(std::count(line.begin(), line.end(), '"'));
    record_.append("\n").append(line);
  }
  if (!split_csv(record_, fields, unquoted_))
    throw Error(place() + ": text follows a closing quote");
  return true;
}

std::optional<size_t> CsvColumns::find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return std::nullopt;
  return static_cast<size_t>(at - names_.begin());
}

size_t CsvColumns::need(std::string_view name, const std::string& place) const {
  if (const auto column = find(name)) return *column;
  throw Error(place + ": no column '" + std::string(name) + "'");
}

}  // namespace aiflame
