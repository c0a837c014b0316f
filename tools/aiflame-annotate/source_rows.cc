// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/source_rows.h"

#include <algorithm>
#include <map>

#include "tools/aiflame-annotate/listing_text.h"

namespace aiflame::annotate {
namespace {

// Lines of source that are shown around those that have code.
constexpr uint64_t kContext = 3;

}  // namespace

std::vector<SourceRow> source_rows(const Annotation& annotation, SourceTexts& sources) {
  using Kind = SourceRow::Kind;
  std::map<std::string, std::map<uint64_t, size_t>> files;  // indices of lines
  for (size_t i = 0; i < annotation.lines.size(); ++i)
    if (annotation.lines[i].number > 0)
      files[annotation.lines[i].file][annotation.lines[i].number] = i;
  std::vector<SourceRow> out;
  const auto add_line = [&](Kind kind, const std::string& file, uint64_t number, size_t line) {
    const auto text = sources.line(file, number);
    if (text || kind == Kind::code)
      out.push_back({kind, number, line, text ? source_text(*text) : "", false});
  };
  for (const auto& [file, lines] : files) {
    const bool found = sources.line(file, lines.begin()->first).has_value();
    out.push_back({Kind::file, 0, 0, file, found});
    uint64_t next = 1;  // the first line that was not shown yet
    for (const auto& [number, index] : lines) {
      uint64_t from = std::max(next, number - std::min(number - 1, kContext));
      if (from == next + 1) from = next;  // as long as the row that would stand for it
      if (from > next && next > 1) out.push_back({Kind::gap, 0, 0, "", false});
      const auto after = lines.upper_bound(number);
      const uint64_t last =
          after == lines.end() ? number + kContext : std::min(number + kContext, after->first - 1);
      for (uint64_t at = from; at <= last; ++at)
        add_line(at == number ? Kind::code : Kind::context, file, at, at == number ? index : 0);
      next = last + 1;
    }
  }
  return out;
}

bool is_bare(const std::vector<SourceRow>& rows) {
  return std::none_of(rows.begin(), rows.end(), [](const SourceRow& row) { return row.found; });
}

}  // namespace aiflame::annotate
