// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/text_columns.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/printable.h"
#include "libcommon/base/utf8.h"

namespace aiflame::report {
namespace {

// This many characters of a name are shown, however narrow the lines are.
constexpr size_t kLeastName = 16;
// Notes are indented like names or, if those are further right than kFarIndent, by kNearIndent.
constexpr size_t kFarIndent = 24, kNearIndent = 8;

void append_wrapped(std::string& out, std::string_view text, size_t indent, size_t width) {
  size_t column = width;
  while (!text.empty()) {
    const std::string_view word = take_field(text);
    if (word.empty()) break;
    if (column > indent && column + 1 + word.size() > width) {
      if (column != width) out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    // the first word was appended after its indentation
    if (column == width) ++column;
  }
  out += '\n';
}

}  // namespace

std::string cut_middle(std::string_view text, size_t width) {
  std::string shown = printable(text);
  std::vector<size_t> begins;  // of each character
  for (std::string_view rest = shown; !rest.empty(); take_code_point(rest))
    begins.push_back(shown.size() - rest.size());
  if (begins.size() <= width) return shown;
  const size_t front = width / 2, back = width > 0 ? (width - 1) / 2 : 0;
  begins.push_back(shown.size());
  return shown.substr(0, begins[front]) + "…" + shown.substr(begins[begins.size() - 1 - back]);
}

void TextColumns::append_to(std::string& out, size_t width, size_t note_width) const {
  std::vector<size_t> widths;
  for (const Row& row : rows_) {
    widths.resize(std::max(widths.size(), row.cells.size()));
    for (size_t i = 0; i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], row.cells[i].size());
  }
  size_t indent = 2;
  for (const size_t one : widths) indent += one + 2;
  const size_t room = width == 0 ? SIZE_MAX : std::max(kLeastName, width - std::min(width, indent));
  for (const Row& row : rows_) {
    out += &row == rows_.data() ? "# " : "  ";
    for (size_t i = 0; i < row.cells.size(); ++i)
      out.append(widths[i] - row.cells[i].size(), ' ').append(row.cells[i]).append("  ");
    out += cut_middle(row.last, room) + "\n";
    const size_t note_indent = indent > kFarIndent ? kNearIndent : indent;
    if (!row.note.empty())
      append_wrapped(out, row.note, note_indent, std::max(note_width, note_indent + kLeastName));
  }
}

}  // namespace aiflame::report
