// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/cubin_lines.h"

#include <algorithm>
#include <utility>

#include "libcommon/objects/nvidia/inlined_names.h"

namespace aiflame {
namespace {

// A longer chain of inlined functions comes from a damaged object.
constexpr size_t kMaxFrames = 256;

// The last row at or below an address. The address must not be below the first row.
size_t row_at(const std::vector<LineRow>& rows, uint64_t address) {
  const auto next =
      std::upper_bound(rows.begin(), rows.end(), address,
                       [](uint64_t at, const LineRow& row) { return at < row.address; });
  return static_cast<size_t>(next - rows.begin()) - 1;
}

}  // namespace

CubinLines::CubinLines(std::string debug_line, std::string debug_str)
    : debug_line_(std::move(debug_line)),
      debug_str_(std::move(debug_str)),
      tables_(read_line_tables(debug_line_)),
      name_bases_(inlined_name_bases(tables_, debug_str_)) {
  for (uint32_t t = 0; t < tables_.size(); ++t)
    for (uint32_t s = 0; s < tables_[t].sequences.size(); ++s)
      places_.push_back({tables_[t].sequences[s].rows.front().address, t, s});
  std::stable_sort(places_.begin(), places_.end(),
                   [](const Place& a, const Place& b) { return a.start < b.start; });
}

const CubinLines::Place* CubinLines::place_of(uint64_t address) const {
  auto next = std::upper_bound(places_.begin(), places_.end(), address,
                               [](uint64_t at, const Place& place) { return at < place.start; });
  if (next == places_.begin()) return nullptr;
  --next;
  return address < sequence(*next).end ? &*next : nullptr;
}

std::string CubinLines::file_of(const LineTable& table, uint32_t number) const {
  if (number == 0 || number > table.files.size()) return "";
  const LineFile& file = table.files[number - 1];
  const bool has_directory = file.directory != 0 && file.directory <= table.directories.size() &&
                             !file.name.starts_with('/');
  std::string out(has_directory ? table.directories[file.directory - 1] : std::string_view());
  if (has_directory) out += '/';
  return out.append(file.name);
}

std::string CubinLines::name_of(uint32_t table, uint32_t name) const {
  if (!name_bases_[table] || *name_bases_[table] + name >= debug_str_.size()) return "";
  // c_str(), so that a name without an end stops at the end of the section
  return debug_str_.c_str() + *name_bases_[table] + name;
}

// A function's file is the one of its first row that is not inlined code.
const std::string& CubinLines::declared(const Place& place, uint64_t start) {
  const auto [at, added] = declared_.try_emplace(start);
  if (!added) return at->second;
  const std::vector<LineRow>& rows = sequence(place).rows;
  const auto first = std::find_if(rows.begin(), rows.end(), [&](const LineRow& row) {
    return row.address >= start && row.context == 0;
  });
  if (first != rows.end()) at->second = file_of(tables_[place.table], first->file);
  return at->second;
}

std::vector<SourceFrame> CubinLines::frames_at(uint64_t address, std::string_view holder,
                                               uint64_t start) {
  std::vector<SourceFrame> out;
  const Place* const place = place_of(address);
  if (place == nullptr) return out;
  const LineTable& table = tables_[place->table];
  const std::vector<LineRow>& rows = sequence(*place).rows;
  size_t at = row_at(rows, address);
  // The compiler's own functions, such as division, have no rows: the row found belongs to the
  // function that precedes them.
  if (rows[at].address < start) return out;
  for (;;) {
    const LineRow& row = rows[at];
    SourceFrame& frame = out.emplace_back();
    frame.file = file_of(table, row.file);
    frame.line = row.line;
    frame.linkage = true;
    // A caller's row precedes the rows inlined into it. Anything else is damage; following it might
    // never end.
    if (row.context == 0 || row.context > at || out.size() == kMaxFrames) break;
    frame.function = name_of(place->table, row.name);
    at = row.context - 1;
  }
  out.back().function = holder;
  out.back().declared = declared(*place, start);
  return out;
}

}  // namespace aiflame
