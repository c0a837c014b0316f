// SPDX-License-Identifier: MIT
// Compares the two ways of joining files with each other and with a std::map.
#include "tools/aiflame-diff/rows.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <random>

#include "libcommon/base/program.h"
#include "tools/aiflame-diff/sorted_rows.h"
#include "tools/aiflame-diff/table_rows.h"

namespace aiflame::diff {
namespace {

using Lines = std::vector<std::string>;

// Files that are removed at the end of the test.
class Files {
 public:
  ~Files() {
    for (const std::string& path : paths_) std::remove(path.c_str());
  }
  std::string add(const Lines& lines, const char* end = "\n") {
    std::string& path =
        paths_.emplace_back(testing::TempDir() + "rows_test." + std::to_string(getpid()) + "." +
                            std::to_string(paths_.size()));
    std::ofstream out(path, std::ios::binary);
    for (size_t i = 0; i < lines.size(); ++i)
      out << lines[i] << (i + 1 < lines.size() ? "\n" : end);
    return path;
  }

 private:
  std::vector<std::string> paths_;
};

Lines joined(const Rows& rows) {
  Lines out;
  Pair sums{};
  for (size_t piece = 0; piece < rows.pieces(); ++piece) {
    rows.visit(piece, [&](std::string_view stack, const Pair& counts, std::span<const uint64_t>) {
      out.push_back(std::string(stack) + " " + format_count(counts[0], rows.decimals()) + " " +
                    format_count(counts[1], rows.decimals()));
      for (size_t side = 0; side < kSides; ++side) sums[side] += counts[side];
    });
  }
  EXPECT_EQ(sums, rows.totals());
  return out;
}

// Joins both ways if the input is sorted, and checks that they agree.
Lines join(const Lines& before, const Lines& after, Match match = Match::structure) {
  Files files;
  const Paths paths{{{files.add(before)}, {files.add(after)}}};
  Lines out = joined(TableRows(paths, {match}));
  if (const auto rows = SortedRows::open(paths, match)) {
    EXPECT_EQ(joined(*rows), out);
  }
  return out;
}

TEST(Rows, UnionOfStacksSorted) {
  EXPECT_EQ(join({"a 2", "b 1", "d 3"}, {"b 4", "b 2", "c 5"}),
            (Lines{"a 2 0", "b 1 6", "c 0 5", "d 3 0"}));
  EXPECT_EQ(join({"b 1", "a 2", "d 3"}, {"c 5", "b 4", "b 2"}),
            (Lines{"a 2 0", "b 1 6", "c 0 5", "d 3 0"}));
}

TEST(Rows, AreOrderedByStackNotByLine) {
  // as lines, "a" comes after "a !": a blank is less than '1'
  EXPECT_EQ(join({"a ! 1", "a 1", "a;b 1"}, {"a.x 1"}),
            (Lines{"a 1 0", "a ! 1 0", "a.x 0 1", "a;b 1 0"}));
}

TEST(Rows, DeviceFramesMatchByStructure) {
  const Lines before{"m;-;k_[G];add_[g];0x10_[g] 3", "m;-;k_[G];add_[g];0x20_[g] 4",
                     "m;-;k_[G];mul_[g];0x24_[g] 1", "m;0x10 1"};
  const Lines after{"m;-;k_[G];add_[g];0x18_[g] 5", "m;0x10 1", "m;0x18 2"};
  EXPECT_EQ(join(before, after),
            (Lines{"m;-;k_[G];add_[g] 7 5", "m;-;k_[G];mul_[g] 1 0", "m;0x10 1 1", "m;0x18 0 2"}));
  EXPECT_EQ(join(before, after, Match::offset).size(), 6U);
}

TEST(Rows, OffsetsThatAreNotLastMatchByStructure) {
  const Lines before{"-;add_[g];waits for ld at 0x10_[g];0x20_[g] 3",
                     "-;add_[g];waits for ld at 0x1_[g];0x30_[g] 4", "-;k_[G];0x1_[g];mul_[g] 9"};
  const Lines after{"-;k_[G];0x2_[g];mul_[g] 8"};
  EXPECT_EQ(join(before, after), (Lines{"-;add_[g];waits for ld_[g] 7 0", "-;k_[G];mul_[g] 9 8"}));
}

// Without its offset a stack may sort behind its neighbours.
TEST(Rows, StacksThatAreNoLongerSortedMatchByStructure) {
  EXPECT_EQ(
      join({"a!;-;b_[g] 1", "a;-;b_[G];0x1_[g] 1", "a;-;b_[G].x_[g] 2", "m.x 1", "m;0x1_[g] 2"},
           {}),
      (Lines{"a!;-;b_[g] 1 0", "a;-;b_[G] 1 0", "a;-;b_[G].x_[g] 2 0", "m 2 0", "m.x 1 0"}));
}

TEST(Rows, Empty) {
  EXPECT_EQ(join({}, {}), Lines());
  EXPECT_EQ(join({"a 1"}, {}), Lines{"a 1 0"});
  EXPECT_EQ(join({"# a 1", "", "  "}, {"a 1"}), Lines{"a 0 1"});
}

// Both ways find what a file says of its counts, wherever it stands.
TEST(Rows, QuantitiesOfTheFiles) {
  Files files;
  Lines lines{"# aiflame: unit ns"};
  for (int i = 0; i < 200000; ++i) lines.push_back("stack 1");
  lines.push_back("# aiflame: unit samples");
  const Paths paths{{{files.add({"a 1"}), files.add(lines)}, {files.add({"a 1"})}}};
  const auto sorted = SortedRows::open(paths, Match::structure);
  ASSERT_NE(sorted, nullptr);
  const TableRows table(paths, {});
  for (const Rows* rows :
       {static_cast<const Rows*>(sorted.get()), static_cast<const Rows*>(&table)}) {
    ASSERT_EQ(rows->quantities().size(), 3U);
    EXPECT_FALSE(rows->quantities()[0].quantity().is_known());
    EXPECT_EQ(rows->quantities()[1].places().front().line, 1U);
    ASSERT_TRUE(rows->quantities()[1].conflict());
    EXPECT_EQ(rows->quantities()[1].conflict()->place.line, 200002U);
  }
}

TEST(Rows, Fractions) {
  EXPECT_EQ(join({"a 3", "a 0.25", "b 7"}, {"b 0.5"}), (Lines{"a 3.25 0", "b 7 0.5"}));
}

TEST(Rows, ALastLineWithoutNewline) {
  Files files;
  const Paths paths{{{files.add({"a 1", "b 2"}, "")}, {files.add({"b 3"}, "")}}};
  const auto rows = SortedRows::open(paths, Match::structure);
  ASSERT_NE(rows, nullptr);
  EXPECT_EQ(joined(*rows), (Lines{"a 1 0", "b 2 3"}));
}

TEST(Rows, OnlySortedFilesAreSortedRows) {
  Files files;
  const std::string sorted = files.add({"a 1", "b 1"}), unsorted = files.add({"b 1", "a 1"});
  EXPECT_NE(SortedRows::open({{{sorted}, {sorted}}}, Match::structure), nullptr);
  EXPECT_EQ(SortedRows::open({{{sorted}, {unsorted}}}, Match::structure), nullptr);
  EXPECT_EQ(SortedRows::open({{{sorted, unsorted}, {sorted}}}, Match::structure), nullptr);
}

TEST(Rows, SumsThatDoNotFitAreRefused) {
  Files files;
  const std::string big = files.add({"a 18446744073709551615"}), one = files.add({"a 0.5"});
  const auto message = [](const auto& open) -> std::string {
    try {
      open();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  for (const Paths& paths : {Paths{{{big, big}, {one}}}, Paths{{{big}, {one}}}}) {
    EXPECT_NE(message([&] { SortedRows::open(paths, Match::structure); }).find("too large"),
              std::string::npos);
    EXPECT_NE(message([&] { TableRows(paths, {}); }).find("too large"), std::string::npos);
  }
}

// Several threads read the blocks; the error names the first wrong line of the input.
TEST(Rows, TheFirstMistakeOfManyBlocks) {
  const auto message = [](const Paths& paths) -> std::string {
    try {
      TableRows rows(paths, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  Lines good;
  for (int i = 300000; i > 0; --i)
    good.push_back("a stack that is rather long;" + std::to_string(i) + " 1");
  Files files;
  const std::string first = files.add(good);
  Lines bad = good;
  bad[199999] = "no count";
  bad[299998] = "nor here";
  std::string path = files.add(bad);
  EXPECT_EQ(message({{{first}, {path}}}), path + ":200000: missing count");
  bad = good;
  bad[123455] = "a 18446744073709551000";  // too large when added to the counts before it
  bad[150000] = "no count";
  bad[123454] = "a 300000";
  path = files.add(bad);
  EXPECT_EQ(message({{{path}, {first}}}), path + ":123456: " + kCountsTooLarge);
  // a later count may need a finer unit, in which the other side's sum does not fit
  Lines fine = good;
  fine[250000] = "b 0.5";
  path = files.add(fine);
  const std::string great = files.add({"a 18446744073709551000"});
  EXPECT_EQ(message({{{great}, {path}}}), path + ":250001: " + kCountsTooLarge);
  EXPECT_NE(message({{{first}, {"/nonexistent/file"}}}).find("/nonexistent/file"),
            std::string::npos);
}

// Several files a side, of several megabytes, so that there are several pieces. Compares with a
// map.
TEST(Rows, AgreeWithAMap) {
  std::mt19937_64 random(7);
  Files files;
  std::map<std::string, Pair> expected;
  // of a name before the next ';': bytes below, at and above it
  const std::vector<std::string> kEnds = {"", ";", ";;", ";;.", ";;. ", ";;. x", ";;. x\xc3\xbf"};
  Paths sorted, shuffled;
  for (size_t file = 0; file < 5; ++file) {
    const size_t side = file < 2 ? 0 : 1;
    Lines lines;
    std::vector<std::pair<std::string, uint64_t>> stacks;
    for (int i = 0; i < 30000; ++i) {
      std::string stack = "program";
      for (uint64_t depth = random() % 12 + file; depth > 0; --depth)
        stack += kEnds[random() % kEnds.size()] + ";function_" + std::to_string(random() % 3);
      stacks.emplace_back(stack, random() % 100);
    }
    std::sort(stacks.begin(), stacks.end());
    for (const auto& [stack, count] : stacks) {
      // a stack ends before blanks
      expected[stack][side] += count;
      lines.push_back(stack + " " + std::to_string(count));
    }
    sorted[side].push_back(files.add(lines));
    std::shuffle(lines.begin(), lines.end(), random);
    shuffled[side].push_back(files.add(lines));
  }
  Lines all;
  for (const auto& [stack, counts] : expected)
    all.push_back(stack + " " + std::to_string(counts[0]) + " " + std::to_string(counts[1]));
  const auto rows = SortedRows::open(sorted, Match::structure);
  ASSERT_NE(rows, nullptr);
  EXPECT_GT(rows->pieces(), 3U);
  EXPECT_TRUE(joined(*rows) == all);
  EXPECT_TRUE(joined(TableRows(shuffled, {})) == all);
}

}  // namespace
}  // namespace aiflame::diff
