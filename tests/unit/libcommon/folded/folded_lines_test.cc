// SPDX-License-Identifier: MIT
#include "libcommon/folded/folded_lines.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <random>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

struct Written {
  std::string text;
  uint64_t sum = 0;
};

Written write(FoldedLines& lines) {
  const MemoryFile file("");
  Output out(file.path());
  Written written;
  written.sum = lines.write(out);
  out.close();
  std::ifstream in(file.path());
  written.text = {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return written;
}

using Stacks = std::vector<std::pair<std::vector<uint32_t>, uint64_t>>;

void add(FoldedLines& lines, const Stacks& stacks) {
  lines.add(static_cast<uint32_t>(stacks.size()),
            [&](uint32_t number, std::vector<uint32_t>& frames) {
              frames = stacks[number].first;
              return stacks[number].second;
            });
}

TEST(FoldedLines, AreSortedBytewiseAndEqualOnesAreOne) {
  // frames that are beginnings of others, with bytes below and above ';', and texts of several
  // frames
  const std::vector<std::string> names = {
      "a",         "a b", "a:",    "a<b>", "ab", "a;b", "b;a;a b", "\xc3\xbf", "!",   "a!b",
      "a\xc3\xbf", "-",   "a_[k]", "[b]",  ";",  "a;",  ";b",      "A",        "a+1", "a<"};
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    TextTable texts;
    texts.number("");
    FoldedLines lines(texts);
    Stacks stacks;
    std::map<std::string, uint64_t> expected;
    uint64_t sum = 0;
    for (unsigned n = seed * 2; n > 0; --n) {
      std::vector<uint32_t> frames;
      std::string stack;
      for (auto depth = 1 + random() % (seed % 7 + 1); depth > 0; --depth) {
        const std::string& name = names[random() % (seed % names.size() + 1)];
        frames.push_back(texts.number(name));
        stack.append(stack.empty() && frames.size() == 1 ? "" : ";").append(name);
      }
      const uint64_t count = 1 + random() % 1000;
      stacks.emplace_back(frames, count);
      expected[stack] += count;
      sum += count;
    }
    std::string text;
    for (const auto& [stack, count] : expected) text += stack + " " + std::to_string(count) + "\n";
    stacks.push_back({{}, 0});  // no line
    const size_t half = stacks.size() / 2;
    add(lines, {stacks.begin(), stacks.begin() + static_cast<ptrdiff_t>(half)});
    add(lines, {stacks.begin() + static_cast<ptrdiff_t>(half), stacks.end()});
    const Written written = write(lines);
    ASSERT_EQ(written.text, text) << seed;
    ASSERT_EQ(written.sum, sum);
  }
}

TEST(FoldedLines, PiecesOfManyLinesAreWrittenInOrder) {
  TextTable texts;
  FoldedLines lines(texts);
  Stacks stacks;
  std::map<std::string, uint64_t> expected;
  std::mt19937 random(1);
  for (unsigned i = 1; i < 20000; ++i) {
    // a tenth of them repeats, so that equal lines lie where pieces would end
    const std::string leaf = "f" + std::to_string(random() % 10 == 0 ? random() : random() % 10);
    stacks.push_back({{texts.number("root"), texts.number(leaf)}, i});
    expected["root;" + leaf] += i;
  }
  std::string text;
  for (const auto& [stack, count] : expected) text += stack + " " + std::to_string(count) + "\n";
  add(lines, stacks);
  EXPECT_EQ(write(lines).text, text);
}

TEST(FoldedLines, DeepStacksAndLongNamesAreWrittenWhole) {
  TextTable texts;
  FoldedLines lines(texts);
  const uint32_t frame = texts.number(std::string(100, 'f')), last = texts.number("last");
  std::vector<uint32_t> frames(65536, frame);
  Stacks stacks{{frames, 1}};
  frames.back() = last;
  stacks.emplace_back(frames, 2);
  frames.push_back(last);
  stacks.emplace_back(frames, 3);
  add(lines, stacks);
  const Written written = write(lines);
  EXPECT_EQ(written.sum, 6U);
  EXPECT_EQ(written.text.size(), 3 * 65535 * 101 + (100 + 3) + (4 + 3) + (5 + 4 + 3));
}

TEST(FoldedLines, ASumThatIsTooLargeIsAnError) {
  TextTable texts;
  FoldedLines lines(texts);
  const uint32_t frame = texts.number("a");
  add(lines, {{{frame}, UINT64_MAX}, {{frame}, 1}});
  EXPECT_THROW(write(lines), Error);
}

}  // namespace
}  // namespace aiflame
