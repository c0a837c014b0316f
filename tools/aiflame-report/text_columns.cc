// SPDX-License-Identifier: MIT
#include "tools/aiflame-report/text_columns.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/utf8.h"

namespace aiflame::report {
namespace {

// This many characters of a name are shown, however narrow the lines are.
constexpr size_t kLeastName = 16;
// Notes are indented like names or, if those are further right than kFarIndent, by kNearIndent.
constexpr size_t kFarIndent = 24, kNearIndent = 8;

void append_utf8(std::string& out, uint32_t code) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xc0 | code >> 6);
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xe0 | code >> 12);
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xf0 | code >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

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
  std::vector<uint32_t> codes;
  while (!text.empty()) {
    const uint32_t code = take_code_point(text);
    // C0, DEL and C1 could move a terminal's cursor
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    codes.push_back(control ? '?' : code);
  }
  std::string out;
  const size_t front = width / 2, back = width > 0 ? (width - 1) / 2 : 0;
  for (size_t i = 0; i < codes.size(); ++i) {
    if (codes.size() > width && i == front) {
      out += "…";
      i = codes.size() - back - 1;
      continue;
    }
    append_utf8(out, codes[i]);
  }
  return out;
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
