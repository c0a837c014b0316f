// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/folded_lines.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "libcommon/parallel.h"
#include "libcommon/program.h"
#include "tools/stackcollapse-aiflame/checked_sum.h"

namespace aiflame {
namespace {

// Half a megabyte of deep stacks: what one thread writes at a time.
constexpr size_t kPiece = 512;

// Is `a` with `a_end` behind it in front of `b` with `b_end`? An end is ';', or -1 for nothing.
bool precedes(std::string_view a, int a_end, std::string_view b, int b_end) {
  const size_t common = std::min(a.size(), b.size());
  const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  if (order != 0) return order < 0;
  const auto next = [common](std::string_view text, int end) {
    return common < text.size() ? static_cast<unsigned char>(text[common]) : end;
  };
  // a ';' at the same place is the end of both
  return next(a, a_end) < next(b, b_end);
}

}  // namespace

FoldedLines::Parts FoldedLines::parts_of(uint32_t text) {
  if (text >= of_text_.size()) of_text_.resize(std::max(texts_.size(), text + size_t{1}));
  Parts& known = of_text_[text];
  if (known.count > 0) return known;
  Parts parts{static_cast<uint32_t>(parts_.size()), 1};
  std::string_view rest = texts_.text(text);
  size_t end = rest.find(';');
  if (end == std::string_view::npos) {
    parts_.push_back(text);
  } else {
    for (; end != std::string_view::npos; end = rest.find(';'), ++parts.count) {
      parts_.push_back(texts_.number(rest.substr(0, end)));
      rest.remove_prefix(end + 1);
    }
    parts_.push_back(texts_.number(rest));
  }
  return known = parts;
}

void FoldedLines::add(const std::vector<uint32_t>& frames, uint64_t count) {
  Line line{items_.size(), 0, count};
  for (const uint32_t text : frames) {
    const Parts parts = parts_of(text);
    for (uint32_t i = 0; i < parts.count; ++i) items_.push_back(parts_[parts.begin + i] * 2);
  }
  ++items_.back();
  line.frames = static_cast<uint32_t>(items_.size() - line.begin);
  lines_.push_back(line);
}

void FoldedLines::rank_frames() {
  std::vector<uint32_t> ranks(texts_.size() * 2);
  for (const uint32_t item : items_) ranks[item] = 1;
  for (uint32_t item = 0; item < ranks.size(); ++item)
    if (ranks[item] != 0) ranked_.push_back(item);
  const auto end = [](uint32_t item) { return item % 2 != 0 ? -1 : ';'; };
  std::sort(ranked_.begin(), ranked_.end(), [&](uint32_t a, uint32_t b) {
    return precedes(texts_.text(a / 2), end(a), texts_.text(b / 2), end(b));
  });
  for (uint32_t rank = 0; rank < ranked_.size(); ++rank) ranks[ranked_[rank]] = rank + 1;
  for (uint32_t& item : items_) item = ranks[item];
}

// By two frames at a time: lines that are the same so far are sorted by the next two.
void FoldedLines::sort() {
  struct Key {
    uint64_t frames;
    uint32_t line;
  };
  struct Range {
    uint32_t begin, end;
    size_t depth;
  };
  std::vector<Key> keys(lines_.size());
  for (uint32_t line = 0; line < keys.size(); ++line) keys[line].line = line;
  std::vector<Range> ranges{{0, static_cast<uint32_t>(keys.size()), 0}};
  while (!ranges.empty()) {
    const Range range = ranges.back();
    ranges.pop_back();
    bool ended = true, same = true;
    for (uint32_t i = range.begin; i < range.end; ++i) {
      const Line& line = lines_[keys[i].line];
      keys[i].frames =
          uint64_t{item(line, range.depth)} << 32 | uint64_t{item(line, range.depth + 1)};
      ended = ended && line.frames <= range.depth + 2;
      same = same && keys[i].frames == keys[range.begin].frames;
    }
    if (!same)
      std::sort(keys.begin() + range.begin, keys.begin() + range.end,
                [](const Key& a, const Key& b) { return a.frames < b.frames; });
    if (ended) continue;
    for (uint32_t begin = range.begin, end; begin < range.end; begin = end) {
      for (end = begin + 1; end < range.end && keys[end].frames == keys[begin].frames;) ++end;
      if (end - begin > 1) ranges.push_back({begin, end, range.depth + 2});
    }
  }
  std::vector<Line> sorted;
  sorted.reserve(lines_.size());
  for (const Key& key : keys) sorted.push_back(lines_[key.line]);
  lines_.swap(sorted);
}

bool FoldedLines::same(const Line& a, const Line& b) const {
  const uint32_t* const frames = items_.data() + a.begin;
  return a.frames == b.frames && std::equal(frames, frames + a.frames, items_.data() + b.begin);
}

// Lines are mostly what the line before is: its text is cut where they part, and goes on.
void FoldedLines::append(size_t begin, size_t end, std::string& out) const {
  std::string text;
  std::vector<size_t> ends;  // of each frame's text, with its ';'
  for (size_t i = begin; i < end;) {
    const Line& line = lines_[i];
    const uint32_t* const frames = items_.data() + line.begin;
    size_t depth = 0;
    if (i > begin) {
      const uint32_t* const before = items_.data() + lines_[i - 1].begin;
      while (depth < line.frames && depth < lines_[i - 1].frames && frames[depth] == before[depth])
        ++depth;
    }
    ends.resize(depth);
    text.resize(depth == 0 ? 0 : ends.back());
    for (; depth < line.frames; ++depth) {
      text.append(texts_.text(ranked_[frames[depth] - 1] / 2)).append(1, ';');
      ends.push_back(text.size());
    }
    uint64_t count = line.count;
    for (++i; i < end && same(line, lines_[i]); ++i) add_checked(count, lines_[i].count);
    char digits[24];
    digits[0] = ' ';
    char* const last = std::to_chars(digits + 1, digits + sizeof digits - 1, count).ptr;
    *last = '\n';
    out.append(text, 0, text.size() - 1);
    out.append(digits, static_cast<size_t>(last + 1 - digits));
  }
}

uint64_t FoldedLines::write(Output& out) {
  if (lines_.size() > UINT32_MAX) throw Error("more than 4294967295 lines");
  rank_frames();
  sort();
  // equal lines are in one piece
  std::vector<size_t> ends;
  for (size_t end = kPiece; end < lines_.size(); end += kPiece) {
    while (end < lines_.size() && same(lines_[end - 1], lines_[end])) ++end;
    ends.push_back(end);
  }
  ends.push_back(lines_.size());
  write_in_order(
      ends.size(), [&](std::string_view text) { out.write(text); },
      [&](size_t piece, std::string& text) {
        append(piece == 0 ? 0 : ends[piece - 1], ends[piece], text);
      });
  uint64_t written = 0;
  for (const Line& line : lines_) written += line.count;
  return written;
}

}  // namespace aiflame
