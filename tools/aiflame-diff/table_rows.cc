// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/table_rows.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/folded/folded.h"
#include "libcommon/folded/time_slice.h"
#include "libcommon/io/input_blocks.h"
#include "libcommon/parallel/parallel.h"

namespace aiflame::diff {
namespace {

// Rows of the first part in one piece. With the rows of the other parts, a piece has about as much
// text as a piece of SortedRows.
constexpr size_t kPieceRows = 4096;

// How many rows ahead the text is prefetched: 4 % (`make bench`, diff, shuffled).
constexpr size_t kAhead = 8;

// The bytes that a thread reads at a time, and how many such blocks it reads before they go into
// the tables: enough that threads seldom wait for each other, and few enough that the text is still
// in the cache. 16 blocks take 10 % longer (`make bench`, diff, shuffled, 2 cores).
constexpr size_t kBlock = size_t{512} << 10;
constexpr size_t kBlocks = 4;

size_t side_of(const Paths& paths, size_t file) {
  return file < paths[0].size() ? 0 : 1;
}

}  // namespace

TableRows::TableRows(const Paths& paths, const Rewriting& rewriting) {
  std::vector<std::string> files;
  for (const std::vector<std::string>& side : paths)
    files.insert(files.end(), side.begin(), side.end());
  InputBlocks blocks(files, kBlock);
  quantities_.resize(files.size());
  slices_.resize(files.size());
  begun_.resize(files.size());
  std::array<CountSum, kSides> sums;
  uint64_t line = 0;
  // small input is read by one thread, into one part
  std::vector<LineBatch> batches(1), next;
  batches[0].read(blocks, rewriting);
  const size_t parts = blocks.ended() ? 1 : workers();
  for (size_t part = 0; part < parts; ++part) parts_.emplace_back(files.size());
  next.resize(blocks.ended() ? 0 : kBlocks * workers());
  while (!batches.empty() && !batches.front().empty()) {
    settle(batches, paths, sums, line);
    // The next blocks are read while these go into the tables. The work on each part is followed by
    // a share of the reading, since two threads that read would wait for each other.
    const size_t share = 1 + next.size() / parts_.size();
    in_parallel(parts_.size() * share, [&](size_t i) {
      if (i % share == 0)
        add(batches, paths, sums[0].decimals(), i / share);
      else
        next[i - i / share - 1].read(blocks, rewriting);
    });
    decimals_ = sums[0].decimals();
    std::sort(next.begin(), next.end(), [](const LineBatch& one, const LineBatch& other) {
      return one.number() < other.number();
    });
    if (batches.size() < next.size()) batches = std::vector<LineBatch>(next.size());
    batches.swap(next);
  }
  for (size_t side = 0; side < kSides; ++side) totals_[side] = sums[side].value();
  in_parallel(parts_.size(), [&](size_t part) { parts_[part].sort(); });
  cut();
}

// Adds up the counts, and what the files say of them, and checks the lines. `line` is how many
// lines of the file came before.
void TableRows::settle(const std::vector<LineBatch>& batches, const Paths& paths,
                       std::array<CountSum, kSides>& sums, uint64_t& line) {
  for (const LineBatch& batch : batches) {
    if (batch.empty()) return;
    if (batch.first_of_file()) line = 0;
    batch.settle(sums, side_of(paths, batch.file()), line);
    quantities_[batch.file()].add(batch.quantity(), line);
    find_slice(batch, line);
    line += batch.lines_read();
  }
}

void TableRows::find_slice(const LineBatch& batch, uint64_t line) {
  if (begun_[batch.file()] || batch.lines().empty()) return;
  begun_[batch.file()] = true;
  const LineBatch::Line& first = batch.lines().front();
  if (is_slice(first_frame(first.stack))) slices_[batch.file()] = line + first.number;
}

// Adds the stacks of one part. No other thread touches the part.
void TableRows::add(const std::vector<LineBatch>& batches, const Paths& paths, unsigned decimals,
                    size_t part) {
  StackTable& table = parts_[part];
  for (unsigned i = decimals_; i < decimals; ++i) table.scale(10);
  std::vector<const LineBatch::Line*> lines;
  for (const LineBatch& batch : batches) {
    lines.clear();
    for (const LineBatch::Line& line : batch.lines())
      if ((line.hash >> 48) % parts_.size() == part) lines.push_back(&line);
    constexpr size_t kStep = 8;
    for (size_t i = 0; i < lines.size(); ++i) {
      // prefetches in two steps, since the slot names the row: 2 to 3 % (`make bench`, diff,
      // shuffled)
      if (i + 2 * kStep < lines.size()) table.prefetch_slot(lines[i + 2 * kStep]->hash);
      if (i + kStep < lines.size()) table.prefetch_row(lines[i + kStep]->hash);
      Count count = lines[i]->count;
      if (!widen(count, decimals)) throw Error(kCountsTooLarge);
      table.add(lines[i]->stack, lines[i]->hash, side_of(paths, batch.file()), batch.file(),
                count.value);
    }
  }
}

void TableRows::cut() {
  const auto& rows = parts_.front().rows();
  borders_.emplace_back(parts_.size(), 0);
  for (size_t i = kPieceRows; i < rows.size(); i += kPieceRows) {
    std::vector<size_t>& border = borders_.emplace_back();
    for (const StackTable& part : parts_) {
      const auto& own = part.rows();
      border.push_back(static_cast<size_t>(std::partition_point(own.begin(), own.end(),
                                                                [&](const StackTable::Row& row) {
                                                                  return row.stack() <
                                                                         rows[i].stack();
                                                                }) -
                                           own.begin()));
    }
  }
  std::vector<size_t>& end = borders_.emplace_back();
  for (const StackTable& part : parts_) end.push_back(part.rows().size());
}

void TableRows::visit(size_t piece, const Visit& row) const {
  std::vector<size_t> at = borders_[piece];
  const std::vector<size_t>& end = borders_[piece + 1];
  for (;;) {
    const StackTable::Row* first = nullptr;
    size_t of = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (at[i] == end[i]) continue;
      const GrowingArray<StackTable::Row>& rows = parts_[i].rows();
      const StackTable::Row& own = rows[at[i]];
      if (first != nullptr && first->stack() <= own.stack()) continue;
      first = &own;
      of = i;
    }
    if (first == nullptr) return;
    ++at[of];
    if (at[of] + kAhead < end[of]) parts_[of].rows()[at[of] + kAhead].prefetch();
    row(first->stack(), first->counts, parts_[of].runs(*first));
  }
}

}  // namespace aiflame::diff
