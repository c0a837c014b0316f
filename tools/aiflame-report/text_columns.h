// SPDX-License-Identifier: MIT
// Rows of text in columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace aiflame::report {

// `text` in at most `width` characters. "…" replaces the middle, since the beginning of a name says
// where it comes from and its end what it is. Invalid UTF-8 becomes U+FFFD, control characters '?'.
std::string cut_middle(std::string_view text, size_t width);

// A table: a row of headings, which becomes a comment, then rows. Cells are aligned to the right;
// the last cell may have any length, and a note may follow below it.
class TextColumns {
 public:
  void begin_row() { rows_.emplace_back(); }
  void cell(std::string text) { rows_.back().cells.push_back(std::move(text)); }
  void last(std::string text) { rows_.back().last = std::move(text); }
  void note(std::string text) { rows_.back().note = std::move(text); }

  // `width`: of a line, 0 for no limit; `note_width`: where notes are wrapped.
  void append_to(std::string& out, size_t width, size_t note_width) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    std::string last, note;
  };
  std::vector<Row> rows_;
};

}  // namespace aiflame::report
