// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/operand.h"

#include <algorithm>
#include <array>

#include "libcommon/objects/code_listing.h"

namespace aiflame::annotate {
namespace {

// Longer ones are cut: a person has to read them in a sentence.
constexpr size_t kLongest = 60;

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

bool is_opening(char c) {
  return c == '(' || c == '[' || c == '{';
}
bool is_closing(char c) {
  return c == ')' || c == ']' || c == '}';
}

size_t word_end(std::string_view line, size_t at) {
  while (at < line.size() && is_word(line[at])) ++at;
  return at;
}

// Behind the bracket that closes the one at `at`; npos where the line ends before.
size_t closed(std::string_view line, size_t at) {
  size_t depth = 0;
  for (; at < line.size(); ++at) {
    if (is_opening(line[at])) ++depth;
    if (is_closing(line[at]) && --depth == 0) return at + 1;
  }
  return std::string_view::npos;
}

// The length of `.`, `->` or `::` at `at`; 0: none of them.
size_t access(std::string_view line, size_t at) {
  const std::string_view rest = line.substr(std::min(at, line.size()));
  if (rest.starts_with("->") || rest.starts_with("::")) return 2;
  return rest.starts_with('.') ? 1 : 0;
}

// Where the expression begins whose last member is at `at`.
size_t holder_begin(std::string_view line, size_t at) {
  for (;;) {
    size_t before = at;
    if (before >= 2 && access(line, before - 2) == 2)
      before -= 2;
    else if (before >= 1 && line[before - 1] == '.')
      before -= 1;
    else
      return at;
    size_t depth = 0;
    while (before > 0 && (depth > 0 || is_closing(line[before - 1]) || is_word(line[before - 1]))) {
      --before;
      if (is_closing(line[before])) ++depth;
      if (depth > 0 && is_opening(line[before])) --depth;
    }
    at = before;
  }
}

bool is_keyword(std::string_view word) {
  static constexpr std::array kWords = {"break", "case", "continue", "do",     "else", "for",
                                        "goto",  "if",   "return",   "switch", "while"};
  return std::find(kWords.begin(), kWords.end(), word) != kWords.end();
}

// `*p` is an operand, `a * p` is not.
bool is_prefix(std::string_view line, size_t at) {
  if (line[at] != '*' && line[at] != '&') return false;
  const size_t before = line.substr(0, at).find_last_not_of(" \t");
  return before == std::string_view::npos || !(is_word(line[before]) || is_closing(line[before]));
}

// Where the expression at `at` ends; `at` where there is none.
size_t operand_end(std::string_view line, size_t at) {
  size_t end = at;
  while (end < line.size() && is_prefix(line, end)) ++end;
  const size_t begin = end;
  if (end < line.size() && line[end] == '(') {
    end = closed(line, end);
  } else {
    end = word_end(line, end);
    if (end == begin || line[begin] <= '9' || is_keyword(line.substr(begin, end - begin)))
      return at;
  }
  while (end < line.size()) {
    const size_t dots = access(line, end);
    if (dots > 0 && word_end(line, end + dots) > end + dots)
      end = word_end(line, end + dots);
    else if (line[end] == '[' || line[end] == '(')
      end = closed(line, end);
    else
      break;
  }
  return std::min(end, line.size());
}

}  // namespace

std::string operand_at(std::string_view line, uint32_t column) {
  if (column == 0 || column > line.size()) return "";
  const size_t at = column - 1, end = operand_end(line, at);
  if (end == at) return "";
  const size_t begin = holder_begin(line, at);
  std::string out = single_spaced(line.substr(begin, end - begin));
  if (out.size() <= kLongest) return out;
  size_t cut = kLongest;  // not within a code point
  while (cut > 0 && (static_cast<unsigned char>(out[cut]) & 0xc0) == 0x80) --cut;
  return out.substr(0, cut) + "...";
}

}  // namespace aiflame::annotate
