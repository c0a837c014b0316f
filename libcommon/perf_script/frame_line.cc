// SPDX-License-Identifier: MIT
#include "libcommon/perf_script/frame_line.h"

#include <cstring>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

constexpr std::string_view kNoObject = "[unknown]";

bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// memrchr(3) looks at many bytes at once, string_view::rfind() at one
size_t find_last(std::string_view text, char byte) {
  const void* found = text.empty() ? nullptr : memrchr(text.data(), byte, text.size());
  return found == nullptr ? std::string_view::npos
                          : static_cast<size_t>(static_cast<const char*>(found) - text.data());
}

// The position of the '(' that opens the object's parenthesis; a blank precedes it.
size_t find_object(std::string_view line, size_t close) {
  // mostly the last '(', with no other parenthesis after it
  const size_t nearest = find_last(line.substr(0, close), '(');
  if (nearest == std::string_view::npos) return nearest;
  if (nearest > 0 && line[nearest - 1] == ' ' &&
      std::memchr(line.data() + nearest, ')', close - nearest) == nullptr)
    return nearest;
  size_t depth = 0;
  for (size_t i = close + 1; i-- > 0;) {
    if (line[i] == ')') ++depth;
    if (line[i] == '(' && --depth == 0) {
      if (i > 0 && line[i - 1] == ' ') return i;
      break;
    }
  }
  // unbalanced: the last one, as in stackcollapse-perf.pl
  const size_t last = line.substr(0, close).rfind(" (");
  return last == std::string_view::npos ? last : last + 1;
}

// Whether the text ends in an offset: `main+0x1f`.
bool has_offset(std::string_view text) {
  const size_t plus = text.rfind("+0x");
  return plus != std::string_view::npos && is_hex(text.substr(plus + 3));
}

// Whether a '(' that find_object() has found begins an object. In `f<void (int)>(int)+0x1f` and in
// `f<void (int)>(int)` it does not.
bool is_object(std::string_view line, size_t open, size_t close) {
  if (open == std::string_view::npos) return false;
  const std::string_view object = line.substr(open + 1, close - open - 1);
  if (object.starts_with('/') || object.starts_with('[')) return true;
  return !has_offset(trim_right(line.substr(close + 1))) && object.find(')') >= object.find('(');
}

// A frame of `perf script -F ip,sym`, which prints no object: `\t  401146 f(int)+0x1f`. perf begins
// frames with a tab. On a header's line, and where the tab was lost, only the offset shows that the
// text is a symbol.
bool split_without_object(std::string_view line, FrameText& out) {
  const std::string_view text = trim(line);
  size_t at = 0;
  while (at < text.size() && is_word(text[at])) ++at;
  out.address = text.substr(0, at);
  out.symbol = trim_left(text.substr(at));
  out.object = kNoObject;
  out.has_object = false;
  if (!is_hex(out.address) || (at < text.size() && !is_blank(text[at]))) return false;
  if (out.symbol.empty()) out.symbol = kNoObject;
  return line.front() == '\t' || has_offset(out.symbol);
}

}  // namespace

bool split_frame(std::string_view line, FrameText& out) {
  size_t at = 0;
  while (at < line.size() && is_blank(line[at])) ++at;
  if (at == line.size()) return false;
  const size_t begin = at;
  while (at < line.size() && is_word(line[at])) ++at;
  if (at == begin) return false;
  const size_t close = find_last(line, ')');
  if (close == std::string_view::npos) return split_without_object(line, out);
  const size_t open = find_object(line, close);
  if (open == std::string_view::npos || open <= at || !is_object(line, open, close))
    return split_without_object(line, out);
  out.address = line.substr(begin, at - begin);
  out.object = line.substr(open + 1, close - open - 1);
  out.has_object = true;
  // -F +dsoff: `(/usr/lib/libfoo.so.1+0x2a1c3)`
  if (has_offset(out.object)) out.object.remove_suffix(out.object.size() - out.object.rfind("+0x"));
  // The blank before "(object)" is a separator. Where the symbol is empty there are two blanks, and
  // the symbol is one of them.
  const std::string_view between = line.substr(at, open - 1 - at);
  out.symbol = trim_left(between);
  if (out.symbol.empty() && !between.empty()) out.symbol = between.substr(between.size() - 1);
  return true;
}

bool parse_frame(std::string_view line, ScriptFrame& out) {
  FrameText text;
  if (!split_frame(line, text)) return false;
  const auto address = parse_hex(text.address);
  if (!address) return false;
  out.address = *address;
  out.symbol = text.symbol;
  out.object = text.object;
  out.has_offset = false;
  out.offset = 0;
  const size_t plus = text.symbol.rfind("+0x");
  if (plus != std::string_view::npos) {
    const auto offset = parse_hex(text.symbol.substr(plus + 3));
    if (offset) {
      out.symbol = text.symbol.substr(0, plus);
      out.has_offset = true;
      out.offset = *offset;
    }
  }
  return true;
}

bool looks_like_frame(std::string_view line) {
  FrameText frame;
  return split_frame(line, frame) && is_hex(frame.address) && !frame.symbol.empty();
}

}  // namespace aiflame
