// SPDX-License-Identifier: MIT
#include "libcommon/folded/note.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/printable.h"

namespace aiflame {
namespace {

constexpr std::string_view kBegin = "# aiflame-note: ";

}  // namespace

std::string note_line(std::string_view text) {
  std::string out(kBegin);
  out += printable(text);
  if (is_digit(out.back())) out += '.';
  return out + "\n";
}

void Notes::read(std::string_view line) {
  line = trim_right(line);
  if (line.size() > kLongest || !take_prefix(line, kBegin)) return;
  if (const std::string_view text = trim_left(line); !text.empty()) add(printable(text));
}

void Notes::add(const std::string& note) {
  if (notes_.size() < kMost && std::find(notes_.begin(), notes_.end(), note) == notes_.end())
    notes_.push_back(note);
}

void Notes::add(const Notes& other) {
  for (const std::string& note : other.notes_) add(note);
}

}  // namespace aiflame
