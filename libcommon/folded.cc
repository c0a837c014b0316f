// SPDX-License-Identifier: MIT
#include "libcommon/folded.h"

#include "libcommon/parse.h"

namespace aiflame {
namespace {

bool is_count(std::string_view text) {
  // \d+(?:\.\d*)?
  size_t i = 0;
  while (i < text.size() && text[i] >= '0' && text[i] <= '9') ++i;
  if (i == 0) return false;
  if (i < text.size() && text[i] == '.')
    for (++i; i < text.size() && text[i] >= '0' && text[i] <= '9';) ++i;
  return i == text.size();
}

// Cuts the count off the end of `text`.
bool cut_count(std::string_view& text, std::string_view& count) {
  const size_t blank = text.find_last_of(" \t");
  if (blank == std::string_view::npos || !is_count(text.substr(blank + 1))) return false;
  count = text.substr(blank + 1);
  text = trim_right(text.substr(0, blank));
  return true;
}

}  // namespace

bool split_folded(std::string_view line, bool two_counts, FoldedLine& out) {
  out = FoldedLine();
  std::string_view rest = trim_right(line);
  if (!cut_count(rest, out.count)) return false;
  if (two_counts) cut_count(rest, out.count_before);
  out.stack = rest;
  return true;
}

}  // namespace aiflame
