// SPDX-License-Identifier: MIT
// aiflame-diff: what changed between two profiles, as folded lines with two counts.
//
//   aiflame-diff before.folded after.folded | aiflame-svg > diff.svg
//
// Reads folded(5), twice:
//   matmul;main;run_basic 57        matmul;main;run_basic 40
//   matmul;main;write 3             matmul;main;run_tiled 9
// Writes every stack of either, with its count before and after:
//   matmul;main;run_basic 57 40
//   matmul;main;run_tiled 0 9
//   matmul;main;write 3 0
// and, where noise is known, how much of a frame's change may be noise
// (libcommon/folded/frame_change.h):
//   # aiflame-change: before 57, after 40, low -37.2, high 3.1, frames matmul;main;run_basic;
//
// Frames of a device are compared by their structure: without the offsets of instructions.
// A drop-in replacement for difffolded.pl.
#include <algorithm>
#include <charconv>
#include <numeric>

#include "libcommon/base/output.h"
#include "libcommon/base/program.h"
#include "libcommon/parallel/parallel.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-diff/diff_settings.h"
#include "tools/aiflame-diff/frame_sums.h"
#include "tools/aiflame-diff/noise.h"
#include "tools/aiflame-diff/scaling.h"
#include "tools/aiflame-diff/sorted_rows.h"
#include "tools/aiflame-diff/table_rows.h"

namespace aiflame::diff {
namespace {

using Scalings = std::array<Scaling, kSides>;

std::unique_ptr<Rows> read(const DiffSettings& settings) {
  // stripping changes the order of stacks
  if (!settings.rewriting.strip_hex)
    if (std::unique_ptr<Rows> sorted = SortedRows::open(settings.paths, settings.rewriting.match))
      return sorted;
  return std::make_unique<TableRows>(settings.paths, settings.rewriting);
}

// Two recordings have no slice of time in common: every stack would be gone, and new. Where no file
// of a side says what it counts, frames are only text, as for difffolded.pl.
void refuse_slices(const DiffSettings& settings, const Rows& rows) {
  std::string what;
  size_t file = 0;
  for (const std::vector<std::string>& side : settings.paths) {
    bool sliced = false;
    for (const std::string& path : side) {
      const uint64_t line = rows.slices()[file];
      const bool known = rows.quantities()[file++].quantity().is_known();
      if (!known || line == 0) continue;
      sliced = true;
      if (what.empty()) what = input_name(path) + ":" + std::to_string(line);
    }
    if (!sliced) return;
  }
  throw Error(what +
              ": stacks begin with time slices (--by-time); fold without --by-time to compare");
}

// The counts of a side become the mean of its runs. Then BEFORE is scaled to compare with AFTER.
Scalings plan(const DiffSettings& settings, const Rows& rows) {
  const Pair totals = rows.totals();
  const uint64_t runs_before = settings.paths[0].size(), runs_after = settings.paths[1].size();
  Pair targets{};
  bool fits = proportion(totals[1], 1, runs_after, 1, targets[1]);
  if (settings.normalize && totals[0] == 0)
    throw Error("cannot normalize: '" + settings.paths[0][0] + "' has no counts");
  if (settings.normalize)
    targets[0] = targets[1];
  else if (settings.work)
    // the work is the sum over all runs of a side, and AFTER shows the mean of its runs
    fits = proportion(totals[0], (*settings.work)[1], (*settings.work)[0], runs_after, targets[0]);
  else
    fits = fits && proportion(totals[0], 1, runs_before, 1, targets[0]);
  if (!fits) throw Error("the counts are too large to be scaled in 64 bits");
  return {Scaling(totals[0], targets[0]), Scaling(totals[1], targets[1])};
}

// Chooses the counts that are rounded up. Returns how many rows come before each piece.
std::vector<size_t> round(const Rows& rows, Scalings& scalings) {
  std::vector<size_t> starts(rows.pieces() + 1);
  if (!scalings[0].changes() && !scalings[1].changes()) return starts;
  std::vector<std::array<std::vector<uint64_t>, kSides>> remainders(rows.pieces());
  in_parallel(rows.pieces(), [&](size_t piece) {
    rows.visit(piece, [&](std::string_view, const Pair& counts, std::span<const uint64_t>) {
      for (size_t side = 0; side < kSides; ++side)
        if (scalings[side].changes())
          remainders[piece][side].push_back(scalings[side].remainder(counts[side]));
      ++starts[piece + 1];
    });
  });
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  for (size_t side = 0; side < kSides; ++side) {
    if (!scalings[side].changes()) continue;
    std::vector<uint64_t> all;
    all.reserve(starts.back());
    for (const auto& piece : remainders)
      all.insert(all.end(), piece[side].begin(), piece[side].end());
    scalings[side].choose(all);
  }
  return starts;
}

void append_count(std::string& text, uint64_t count, unsigned decimals) {
  text += ' ';
  if (decimals > 0) {
    text += format_count(count, decimals);
    return;
  }
  char digits[20];  // 18446744073709551615
  text.append(digits, std::to_chars(digits, digits + sizeof digits, count).ptr);
}

// What one piece of the rows adds up to.
struct PieceSums {
  Columns all;
  FrameSums::Sums frames;
};

// Writes the lines of one piece.
PieceSums write_piece(const Rows& rows, size_t piece, size_t place, const Scalings& scalings,
                      const Noise& noise, std::string& text) {
  FrameSums frames(noise.least());
  Columns columns(noise.least().size());
  PieceSums out;
  out.all.resize(columns.size());
  rows.visit(piece,
             [&](std::string_view stack, const Pair& counts, std::span<const uint64_t> runs) {
               uint64_t* const written = std::copy(runs.begin(), runs.end(), columns.data());
               text += stack;
               for (size_t side = 0; side < kSides; ++side) {
                 written[side] = scalings[side].scaled(place, counts[side]);
                 append_count(text, written[side], rows.decimals());
               }
               text += '\n';
               ++place;
               for (size_t i = 0; i < columns.size(); ++i) out.all[i] += columns[i];
               if (noise.is_known()) frames.add(stack, columns);
             });
  out.frames = frames.take();
  return out;
}

void write(const DiffSettings& settings, const Quantity& quantity, const Rows& rows,
           const std::vector<size_t>& starts, const Scalings& scalings) {
  Output out;
  Quantity written = quantity;
  written.two_counts = true;
  if (quantity.is_known()) out.write(quantity_line(written));
  const Noise noise(settings, quantity, {scalings[0].target(), scalings[1].target()},
                    rows.decimals());
  std::vector<PieceSums> sums(rows.pieces());
  write_in_order(
      rows.pieces(), [&](std::string_view text) { out.write(text); },
      [&](size_t piece, std::string& text) {
        sums[piece] = write_piece(rows, piece, starts[piece], scalings, noise, text);
      });
  PieceSums whole{Columns(noise.least().size()), {}};
  for (PieceSums& piece : sums) {
    for (size_t i = 0; i < whole.all.size(); ++i) whole.all[i] += piece.all[i];
    FrameSums::join(whole.frames, std::move(piece.frames));
  }
  // conservation: the counts written add up to those read
  for (size_t side = 0; side < kSides; ++side)
    if (whole.all[whole.all.size() - kSides + side] != scalings[side].target())
      throw Error("an input changed while it was read");
  // last, as it takes all rows to know them
  if (noise.is_known()) out.write(noise.lines(whole.frames, whole.all));
  out.close();
}

std::vector<std::string> all_paths(const DiffSettings& settings) {
  std::vector<std::string> out;
  for (const auto& side : settings.paths) out.insert(out.end(), side.begin(), side.end());
  return out;
}

int run(int argc, char** argv) {
  const std::optional<DiffSettings> settings = parse_diff_settings(argc, argv);
  if (!settings) return 0;
  if (!settings->no_sandbox) drop_rights({.files = all_paths(*settings)});
  const std::unique_ptr<Rows> rows = read(*settings);
  const Quantity quantity =
      compared_quantity(settings->paths, rows->quantities(), settings->comparison);
  refuse_slices(*settings, *rows);
  Scalings scalings = plan(*settings, *rows);
  const std::vector<size_t> starts = round(*rows, scalings);
  write(*settings, quantity, *rows, starts, scalings);
  return 0;
}

}  // namespace
}  // namespace aiflame::diff

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-diff", argc, argv, aiflame::diff::run);
}
