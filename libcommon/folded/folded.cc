// SPDX-License-Identifier: MIT
#include "libcommon/folded/folded.h"

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

// Cuts the count off the end of `text`, \s\d+(?:\.\d*)?. More blanks before it belong to the stack,
// as in flamegraph.pl: its last frame may be nothing but blanks. It looks only at the end, since a
// profile has a million long names.
bool cut_count(std::string_view& text, std::string_view& count) {
  size_t begin = text.size();
  bool point = false;
  for (; begin > 0; --begin) {
    const char c = text[begin - 1];
    if (c == '.' && !point)
      point = true;
    else if (c < '0' || c > '9')
      break;
  }
  const bool is_number = begin < text.size() && text[begin] != '.';
  if (!is_number || begin == 0 || (text[begin - 1] != ' ' && text[begin - 1] != '\t')) return false;
  count = text.substr(begin);
  text = text.substr(0, begin - 1);
  return true;
}

}  // namespace

bool is_blank_or_comment(std::string_view line) {
  // of most lines this looks at one byte
  for (const char c : line)
    if (!is_blank(c) && c != '\r') return line.starts_with("# ");
  return true;
}

bool split_folded(std::string_view line, bool two_counts, FoldedLine& out) {
  out = FoldedLine();
  std::string_view rest = trim_right(line);
  if (!cut_count(rest, out.count)) return false;
  if (two_counts) cut_count(rest, out.count_before);
  out.stack = rest;
  return true;
}

std::string_view annotation(std::string_view frame) {
  constexpr std::string_view kLetters = "kwijgGomr";
  if (frame.size() < 4) return {};
  const std::string_view end = frame.substr(frame.size() - 4);
  const bool is_one =
      end.starts_with("_[") && end[3] == ']' && kLetters.find(end[2]) != std::string_view::npos;
  return is_one ? end : std::string_view();
}

std::string_view without_annotation(std::string_view frame) {
  return frame.substr(0, frame.size() - annotation(frame).size());
}

}  // namespace aiflame
