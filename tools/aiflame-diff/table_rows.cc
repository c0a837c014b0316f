// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/table_rows.h"

#include <algorithm>

#include "libcommon/folded.h"
#include "libcommon/input.h"
#include "libcommon/parallel.h"
#include "libcommon/program.h"

namespace aiflame {
namespace {

// Of the first part, in one piece: about as much text as SortedRows has in one.
constexpr size_t kPieceRows = 4096;

// How many rows further on the texts are asked for.
constexpr size_t kAhead = 8;

// Stacks on their way into a table: it is told what to bring into the cache some stacks before.
class Queue {
 public:
  explicit Queue(StackTable& table, const unsigned& decimals)
      : table_(table), decimals_(decimals) {}

  void push(std::string_view stack, uint64_t hash, size_t side, const Count& count) {
    if (size_ == kLength) pop();
    Entry& entry = at(size_++);
    entry.stack.assign(stack);
    entry.hash = hash;
    entry.side = side;
    entry.count = count;
    table_.prefetch_first(hash);
    if (size_ > kLength / 3) table_.prefetch_second(at(size_ - kLength / 3).hash);
    if (size_ > kLength * 2 / 3) table_.prefetch_third(at(size_ - kLength * 2 / 3).hash);
  }
  void flush() {
    while (size_ > 0) pop();
  }

 private:
  static constexpr size_t kLength = 24;
  struct Entry {
    std::string stack;
    uint64_t hash = 0;
    size_t side = 0;
    Count count;
  };

  Entry& at(size_t i) { return entries_[(first_ + i) % kLength]; }
  void pop() {
    Entry& entry = at(0);
    widen(entry.count, decimals_);  // the side's sum fits
    table_.add(entry.stack, entry.hash, entry.side, entry.count.value);
    first_ = (first_ + 1) % kLength;
    --size_;
  }

  StackTable& table_;
  const unsigned& decimals_;  // of the table's counts
  std::array<Entry, kLength> entries_;
  size_t first_ = 0, size_ = 0;
};

bool is_hex_digit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

void strip_hex(std::string_view stack, std::string& out) {
  out.clear();
  for (size_t i = 0; i < stack.size();) {
    if (stack.substr(i, 2) == "0x" && i + 2 < stack.size() && is_hex_digit(stack[i + 2])) {
      out += "0x...";
      for (i += 2; i < stack.size() && is_hex_digit(stack[i]);) ++i;
    } else {
      out += stack[i++];
    }
  }
}

TableRows::TableRows(const Paths& paths, bool strip_hex) {
  bool twice = true;  // all files can be read more than once
  for (const std::vector<std::string>& side : paths)
    for (const std::string& path : side) twice = twice && SortedFile::possible(path);
  parts_.resize(twice ? workers() : 1);
  in_parallel(parts_.size(), [&](size_t number) {
    read(paths, strip_hex, number, parts_.size(), parts_[number]);
    parts_[number].table.sort();
  });
  totals_ = parts_.front().totals;
  decimals_ = parts_.front().decimals;
  cut();
}

void TableRows::read(const Paths& paths, bool strip, size_t number, size_t parts, Part& part) {
  Queue queue(part.table, part.decimals);
  std::string stripped;
  std::string_view line;
  // all counts of a side are summed up, those of the other parts too: they have one unit
  std::array<Sum, kSides> sums;
  const auto use_decimals = [&](unsigned decimals) {
    for (; part.decimals < decimals; ++part.decimals) part.table.scale(10);
    return std::all_of(sums.begin(), sums.end(),
                       [&](Sum& sum) { return sum.widen_to(part.decimals); });
  };
  for (size_t side = 0; side < kSides; ++side) {
    for (const std::string& path : paths[side]) {
      LineReader reader(path);
      while (reader.next(line)) {
        if (is_blank_or_comment(line)) continue;
        FoldedLine folded;
        if (!split_folded(line, false, folded)) throw Error(reader.place() + ": missing count");
        std::optional<Count> count = parse_count(folded.count);
        if (!count || !sums[side].add(*count) || !use_decimals(sums[side].decimals()))
          throw Error(reader.place() + ": " + kTooLarge);
        if (strip) {
          strip_hex(folded.stack, stripped);
          folded.stack = stripped;
        }
        const uint64_t hash = StackTable::hash_of(folded.stack);
        if ((hash & 0xffff) % parts != number) continue;
        queue.push(folded.stack, hash, side, *count);
      }
    }
  }
  queue.flush();
  for (size_t side = 0; side < kSides; ++side) part.totals[side] = sums[side].value();
}

void TableRows::cut() {
  const auto& rows = parts_.front().table.rows();
  borders_.emplace_back(parts_.size(), 0);
  for (size_t i = kPieceRows; i < rows.size(); i += kPieceRows) {
    std::vector<size_t>& border = borders_.emplace_back();
    for (const Part& part : parts_) {
      const auto& own = part.table.rows();
      border.push_back(static_cast<size_t>(std::partition_point(own.begin(), own.end(),
                                                                [&](const StackTable::Row& row) {
                                                                  return row.stack() <
                                                                         rows[i].stack();
                                                                }) -
                                           own.begin()));
    }
  }
  std::vector<size_t>& end = borders_.emplace_back();
  for (const Part& part : parts_) end.push_back(part.table.rows().size());
}

void TableRows::visit(size_t piece, const Visit& row) const {
  std::vector<size_t> at = borders_[piece];
  const std::vector<size_t>& end = borders_[piece + 1];
  for (;;) {
    const StackTable::Row* first = nullptr;
    size_t of = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (at[i] == end[i]) continue;
      const std::vector<StackTable::Row>& rows = parts_[i].table.rows();
      const StackTable::Row& own = rows[at[i]];
      if (first != nullptr && first->stack() <= own.stack()) continue;
      first = &own;
      of = i;
    }
    if (first == nullptr) return;
    ++at[of];
    if (at[of] + kAhead < end[of]) parts_[of].table.rows()[at[of] + kAhead].prefetch();
    row(first->stack(), first->counts);
  }
}

}  // namespace aiflame
