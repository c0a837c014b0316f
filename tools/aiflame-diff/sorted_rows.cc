// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/sorted_rows.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-diff/stack_cursor.h"

namespace aiflame::diff {
namespace {

// Bytes of text in a piece, of all files together. Small enough for several pieces a thread, so
// that all threads end at the same time, and large enough that starting a piece costs nothing.
constexpr uint64_t kPieceSize = uint64_t{2} << 20;

}  // namespace

std::unique_ptr<SortedRows> SortedRows::open(const Paths& paths, Match match) {
  std::unique_ptr<SortedRows> rows(new SortedRows(match));
  for (size_t side = 0; side < kSides; ++side) {
    for (const std::string& path : paths[side]) {
      if (!SortedFile::possible(path)) return nullptr;
      rows->files_.push_back({SortedFile(path, match), side});
    }
  }
  std::atomic<bool> unsorted = false;
  std::vector<std::exception_ptr> thrown(rows->files_.size());
  in_parallel(rows->files_.size(), [&](size_t i) {
    try {
      if (!rows->files_[i].file.check(unsorted)) unsorted = true;
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  });
  // If a file is unsorted, TableRows reads all files again, and finds errors in a fixed order.
  if (unsorted) return nullptr;
  for (const std::exception_ptr& one : thrown)
    if (one) std::rethrow_exception(one);
  rows->sum_up();
  rows->cut();
  return rows;
}

void SortedRows::sum_up() {
  for (const File& one : files_) {
    quantities_.push_back(one.file.quantity());
    slices_.push_back(one.file.slice());
  }
  for (const File& one : files_) decimals_ = std::max(decimals_, one.file.sum().decimals());
  for (const File& one : files_) {
    CountSum sum = one.file.sum();
    if (!sum.widen_to(decimals_) || !add_checked(totals_[one.side], sum.value()))
      throw Error(kCountsTooLarge);
  }
}

// Cuts at marks. Between two marks of one file lies a fixed number of bytes, so every kMarks-th of
// the sorted marks of all files gives pieces of about equal size.
void SortedRows::cut() {
  std::vector<std::string_view> stacks;
  for (const File& one : files_)
    for (const SortedFile::Mark& mark : one.file.marks()) stacks.emplace_back(mark.stack);
  std::sort(stacks.begin(), stacks.end());
  constexpr size_t kMarks = kPieceSize / SortedFile::kMarkDistance;
  std::vector<std::string_view> borders;
  for (size_t i = kMarks; i < stacks.size(); i += kMarks)
    if (borders.empty() || borders.back() != stacks[i]) borders.push_back(stacks[i]);
  pieces_.assign(borders.size() + 1, Piece(files_.size()));
  in_parallel(borders.size(), [&](size_t border) {
    std::string buffer;
    for (size_t i = 0; i < files_.size(); ++i) {
      const uint64_t offset = files_[i].file.lower_bound(borders[border], buffer);
      pieces_[border][i].end = pieces_[border + 1][i].begin = offset;
    }
  });
  for (size_t i = 0; i < files_.size(); ++i) {
    pieces_.front()[i].begin = 0;
    pieces_.back()[i].end = files_[i].file.size();
  }
}

void SortedRows::visit(size_t piece, const Visit& row) const {
  // one buffer for each file, reused for the next piece of this thread
  thread_local std::vector<std::string> buffers;
  buffers.resize(std::max(buffers.size(), files_.size()));
  std::vector<StackCursor> cursors;
  std::vector<size_t> live;  // cursors that are not at their end
  for (size_t i = 0; i < files_.size(); ++i) {
    const Range& range = pieces_[piece][i];
    cursors.emplace_back(files_[i].file.read(range.begin, range.end, buffers[i]), decimals_,
                         match_);
    if (cursors[i].next()) live.push_back(i);
  }
  std::vector<size_t> first;  // the cursors at the least stack
  std::vector<uint64_t> runs(files_.size());
  while (!live.empty()) {
    first.assign(1, live[0]);
    for (size_t i = 1; i < live.size(); ++i) {
      const int order = cursors[live[i]].stack().compare(cursors[first[0]].stack());
      if (order < 0) first.clear();
      if (order <= 0) first.push_back(live[i]);
    }
    Pair counts{};
    for (const size_t i : first) {
      counts[files_[i].side] += cursors[i].count();
      runs[i] = cursors[i].count();
    }
    row(cursors[first[0]].stack(), counts, runs);
    for (const size_t i : first) {
      runs[i] = 0;
      if (!cursors[i].next()) std::erase(live, i);
    }
  }
}

}  // namespace aiflame::diff
