// SPDX-License-Identifier: MIT
#include "libcommon/folded/folded_lines.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cstring>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/base/sample_sum.h"
#include "libcommon/parallel/parallel.h"

namespace aiflame {
namespace {

// Lines that a thread makes and writes at a time: some ten thousand frames, half a megabyte of deep
// stacks. 8192 lines, which leave the cache, take 24 % longer (`make bench`, collapse, distinct).
constexpr uint32_t kBatch = 512;
// One thread needs half a millisecond for this many batches of shallow stacks. With fewer it does
// not pay to start other threads.
constexpr size_t kWorth = 4;

// One thread sorts this many texts or lines in half a millisecond. Starting threads for less takes
// up to 15 % longer (`make bench`, collapse, 2 cores).
constexpr size_t kAlone = 4096;

template <typename Less>
void sort_in_parallel(std::vector<uint32_t>& items, const Less& less) {
  const size_t parts = items.size() < kAlone ? 1 : workers();
  const auto bound = [&](size_t part) {
    return items.begin() + static_cast<ptrdiff_t>(items.size() * part / parts);
  };
  in_parallel(parts, [&](size_t part) { std::sort(bound(part), bound(part + 1), less); });
  for (size_t part = 1; part < parts; ++part)
    std::inplace_merge(items.begin(), bound(part), bound(part + 1), less);
}

// Whether `a` followed by `a_end` sorts before `b` followed by `b_end`. An end is ';', or -1 for
// nothing.
bool precedes(std::string_view a, int a_end, std::string_view b, int b_end) {
  const size_t common = std::min(a.size(), b.size());
  const int order = common == 0 ? 0 : std::memcmp(a.data(), b.data(), common);
  if (order != 0) return order < 0;
  const auto next = [common](std::string_view text, int end) {
    return common < text.size() ? static_cast<unsigned char>(text[common]) : end;
  };
  // where a text goes on, its next byte counts, else its end
  return next(a, a_end) < next(b, b_end);
}

}  // namespace

void FoldedLines::split_texts() {
  for (auto text = static_cast<uint32_t>(of_text_.size()); text < texts_.size(); ++text) {
    Parts parts{static_cast<uint32_t>(parts_.size()), 1};
    std::string_view rest = texts_.text(text);
    // the last place that every name passes on its way out, from whichever input it came
    std::string clean;
    if (!is_printable(rest)) rest = clean = printable(rest);
    size_t end = rest.find(';');
    if (end == std::string_view::npos) {
      parts_.push_back(clean.empty() ? text : texts_.number(clean));
    } else {
      for (; end != std::string_view::npos; end = rest.find(';'), ++parts.count) {
        parts_.push_back(texts_.number(rest.substr(0, end)));
        rest.remove_prefix(end + 1);
      }
      parts_.push_back(texts_.number(rest));
    }
    of_text_.push_back(parts);
  }
}

void FoldedLines::make_batch(uint32_t begin, uint32_t end, const Make& make, Batch& batch) const {
  std::vector<uint32_t> frames;
  for (uint32_t number = begin; number < end; ++number) {
    frames.clear();
    const uint64_t count = make(number, frames);
    if (count == 0) continue;
    const size_t first = batch.items.size();
    for (const uint32_t text : frames) {
      const Parts parts = of_text_[text];
      for (uint32_t i = 0; i < parts.count; ++i) batch.items.push_back(parts_[parts.begin + i] * 2);
    }
    ++batch.items.back();
    batch.lines.push_back({nullptr, static_cast<uint32_t>(batch.items.size() - first), count});
  }
  uint32_t* at = batch.items.data();
  for (Line& line : batch.lines) {
    line.frames = at;
    at += line.depth;
  }
}

void FoldedLines::add(uint32_t count, const Make& make) {
  split_texts();
  const size_t first = batches_.size(), added = (count + kBatch - 1) / kBatch;
  batches_.resize(first + added);
  in_parallel(
      added,
      [&](size_t i) {
        const auto begin = static_cast<uint32_t>(i * kBatch);
        make_batch(begin, std::min(count - begin, kBatch) + begin, make, batches_[first + i]);
      },
      kWorth);
  for (size_t i = first; i < batches_.size(); ++i)
    lines_.insert(lines_.end(), batches_[i].lines.begin(), batches_[i].lines.end());
}

void FoldedLines::rank_frames() {
  std::vector<uint32_t> ranks(texts_.size() * 2);
  in_parallel(
      batches_.size(),
      [&](size_t batch) {
        for (const uint32_t item : batches_[batch].items)
          std::atomic_ref(ranks[item]).store(1, std::memory_order_relaxed);
      },
      kWorth);
  for (uint32_t item = 0; item < ranks.size(); ++item)
    if (ranks[item] != 0) ranked_.push_back(item);
  const auto end = [](uint32_t item) { return item % 2 != 0 ? -1 : ';'; };
  sort_in_parallel(ranked_, [&](uint32_t a, uint32_t b) {
    return precedes(texts_.text(a / 2), end(a), texts_.text(b / 2), end(b));
  });
  for (uint32_t rank = 0; rank < ranked_.size(); ++rank) ranks[ranked_[rank]] = rank + 1;
  in_parallel(
      batches_.size(),
      [&](size_t batch) {
        for (uint32_t& item : batches_[batch].items) item = ranks[item];
      },
      kWorth);
}

// Sorts by two frames at a time. Lines that are equal so far are then sorted by the next two.
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
  // sorts a range by its next two frames, and adds the runs of equal ones to `ranges`
  const auto sort_range = [&](const Range& range, std::vector<Range>& ranges) {
    bool ended = true, same = true;
    for (uint32_t i = range.begin; i < range.end; ++i) {
      const Line& line = lines_[keys[i].line];
      keys[i].frames =
          uint64_t{item(line, range.depth)} << 32 | uint64_t{item(line, range.depth + 1)};
      ended = ended && line.depth <= range.depth + 2;
      same = same && keys[i].frames == keys[range.begin].frames;
    }
    if (!same)
      std::sort(keys.begin() + range.begin, keys.begin() + range.end,
                [](const Key& a, const Key& b) { return a.frames < b.frames; });
    if (ended) return;
    for (uint32_t begin = range.begin, end; begin < range.end; begin = end) {
      for (end = begin + 1; end < range.end && keys[end].frames == keys[begin].frames;) ++end;
      if (end - begin > 1) ranges.push_back({begin, end, range.depth + 2});
    }
  };
  // Long ranges are sorted first, by one thread, into short ones, which threads share.
  const size_t shared = std::max<size_t>(kAlone, keys.size() / (4 * workers()));
  std::vector<Range> ranges{{0, static_cast<uint32_t>(keys.size()), 0}}, short_ranges;
  while (!ranges.empty()) {
    const Range range = ranges.back();
    ranges.pop_back();
    if (range.end - range.begin < shared)
      short_ranges.push_back(range);
    else
      sort_range(range, ranges);
  }
  const auto sort_short = [&](size_t number) {
    std::vector<Range> left{short_ranges[number]};
    while (!left.empty()) {
      const Range range = left.back();
      left.pop_back();
      sort_range(range, left);
    }
  };
  in_parallel(short_ranges.size(), sort_short);
  std::vector<Line> sorted;
  sorted.reserve(lines_.size());
  for (const Key& key : keys) sorted.push_back(lines_[key.line]);
  lines_.swap(sorted);
}

bool FoldedLines::same(const Line& a, const Line& b) {
  return a.depth == b.depth && std::equal(a.frames, a.frames + a.depth, b.frames);
}

// Each line's text is made from the preceding line's text, cut where the two differ.
void FoldedLines::append(size_t begin, size_t end, std::string& out) const {
  std::string text;
  std::vector<size_t> ends;  // where each frame's text ends, with its ';'
  for (size_t i = begin; i < end;) {
    const Line& line = lines_[i];
    size_t depth = 0;
    if (i > begin) {
      const Line& before = lines_[i - 1];
      while (depth < line.depth && depth < before.depth &&
             line.frames[depth] == before.frames[depth])
        ++depth;
    }
    ends.resize(depth);
    text.resize(depth == 0 ? 0 : ends.back());
    for (; depth < line.depth; ++depth) {
      text.append(texts_.text(ranked_[line.frames[depth] - 1] / 2)).append(1, ';');
      ends.push_back(text.size());
    }
    uint64_t count = line.count;
    for (++i; i < end && same(line, lines_[i]); ++i) add_samples(count, lines_[i].count);
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
  // equal lines must be in one piece
  std::vector<size_t> ends;
  for (size_t end = kBatch; end < lines_.size(); end += kBatch) {
    while (end < lines_.size() && same(lines_[end - 1], lines_[end])) ++end;
    ends.push_back(end);
  }
  ends.push_back(lines_.size());
  write_in_order(
      ends.size(), [&](std::string_view text) { out.write(text); },
      [&](size_t piece, std::string& text) {
        append(piece == 0 ? 0 : ends[piece - 1], ends[piece], text);
      },
      kWorth);
  uint64_t written = 0;
  for (const Line& line : lines_) written += line.count;
  return written;
}

}  // namespace aiflame
