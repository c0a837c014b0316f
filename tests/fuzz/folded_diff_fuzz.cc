// SPDX-License-Identifier: MIT
// folded(5) as input of aiflame-diff: BEFORE up to the first form feed, AFTER from there on. The
// two ways of joining files must give the same rows.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/base/program.h"
#include "tests/fuzz/memory_file.h"
#include "tools/aiflame-diff/sorted_rows.h"
#include "tools/aiflame-diff/table_rows.h"

using namespace aiflame;
using namespace aiflame::diff;

namespace {

struct Row {
  std::string stack;
  Pair counts;
  bool operator==(const Row&) const = default;
};

// Aborts when the rows are out of order, or do not add up to their totals.
std::vector<Row> rows_of(const Rows& rows) {
  std::vector<Row> out;
  Pair sums{};
  for (size_t piece = 0; piece < rows.pieces(); ++piece)
    rows.visit(piece, [&](std::string_view stack, const Pair& counts, std::span<const uint64_t>) {
      if (!out.empty() && stack <= out.back().stack) abort();
      out.push_back({std::string(stack), counts});
      for (size_t side = 0; side < kSides; ++side) sums[side] += counts[side];
    });
  if (sums != rows.totals()) abort();
  return out;
}

// What the files say of their counts, and where.
std::string quantities_of(const Rows& rows) {
  std::string out;
  for (const FileQuantity& file : rows.quantities()) {
    for (const FileQuantity::Place& place : file.places())
      out += describe(place.quantity) + "@" + std::to_string(place.line) + ",";
    out += file.conflict() ? "!" + std::to_string(file.conflict()->place.line)
                           : describe(file.quantity());
    out += ";";
  }
  return out;
}

// Aborts when the two ways disagree.
void compare(const Paths& paths, Match match) {
  std::string refused[2], quantities[2];
  std::vector<Row> joined[2];
  try {
    const TableRows table(paths, {match});
    joined[0] = rows_of(table);
    quantities[0] = quantities_of(table);
  } catch (const Error& error) {
    refused[0] = error.what();
  }
  try {
    const auto sorted = SortedRows::open(paths, match);
    if (sorted == nullptr) return;
    joined[1] = rows_of(*sorted);
    quantities[1] = quantities_of(*sorted);
  } catch (const Error& error) {
    refused[1] = error.what();
  }
  if (refused[0].empty() != refused[1].empty() || joined[0] != joined[1] ||
      quantities[0] != quantities[1])
    abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile before_file, after_file;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t half = std::min(text.find('\f'), text.size());
  before_file.set(text.substr(0, half));
  after_file.set(half == text.size() ? "" : text.substr(half + 1));
  const Paths paths = {{{before_file.path()}, {after_file.path()}}};
  try {
    rows_of(TableRows(paths, {Match::structure, true}));
  } catch (const Error&) {
  }
  for (const Match match : {Match::structure, Match::offset}) compare(paths, match);
  return 0;
}
