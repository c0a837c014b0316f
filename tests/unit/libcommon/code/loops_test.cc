// SPDX-License-Identifier: MIT
#include "libcommon/code/loops.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "libcommon/code/dominators.h"

namespace aiflame {
namespace {

using Jumps = std::vector<FlowEdge>;

// Instructions that all fall through, but for those in `ends`.
Flow flow(size_t size, Jumps jumps, const std::vector<uint32_t>& ends) {
  Flow out;
  out.falls_through.assign(size, true);
  for (const uint32_t each : ends) out.falls_through[each] = false;
  out.jumps = std::move(jumps);
  return out;
}

bool holds(const Loops& loops, uint32_t loop, uint32_t instruction) {
  uint32_t at = loops.innermost[instruction];
  while (at != Loop::kNone && at != loop) at = loops.all[at].parent;
  return at == loop;
}

// The loops, each behind those in it, by their members: "1(2 3)" has the head 1.
std::vector<std::string> loops(const Flow& code) {
  const Loops found = find_loops(FlowGraph(code));
  std::vector<std::string> out;
  for (uint32_t loop = 0; loop < found.all.size(); ++loop) {
    std::string text;
    for (uint32_t i = 0; i < found.innermost.size(); ++i)
      if (i != found.all[loop].head && holds(found, loop, i))
        text += (text.empty() ? "" : " ") + std::to_string(i);
    out.push_back(std::to_string(found.all[loop].head) + "(" + text + ")");
  }
  return out;
}

using Texts = std::vector<std::string>;

TEST(Loops, StraightCodeHasNone) {
  EXPECT_EQ(loops(flow(4, {{0, 2}}, {3})), Texts());
  EXPECT_EQ(loops(Flow()), Texts());
}

TEST(Loops, ALoopHasItsBodyAlone) {
  EXPECT_EQ(loops(flow(6, {{3, 1}}, {5})), Texts({"1(2 3)"}));
  EXPECT_EQ(loops(flow(2, {{0, 0}}, {1})), Texts({"0()"}));
}

// 1 is the test and jumps out to 5; 4 jumps back
TEST(Loops, ALoopWithItsTestAtTheHead) {
  EXPECT_EQ(loops(flow(6, {{1, 5}, {4, 1}}, {4, 5})), Texts({"1(2 3 4)"}));
}

TEST(Loops, AJumpToItselfBehindTheEndIsNone) {
  EXPECT_EQ(loops(flow(3, {{1, 1}}, {0, 1})), Texts());
  EXPECT_EQ(loops(flow(3, {{1, 1}}, {1})), Texts({"1()"}));
  EXPECT_EQ(loops(flow(3, {{1, 1}}, {0})), Texts({"1()"}));
}

// What leaves a loop for good is not in it: 3 ends.
TEST(Loops, AnExitInTheMiddleIsNoMember) {
  EXPECT_EQ(loops(flow(7, {{2, 4}, {5, 1}}, {3, 6})), Texts({"1(2 4 5)"}));
}

TEST(Loops, NestedLoopsInnerFirst) {
  const Flow code = flow(9, {{4, 3}, {5, 2}, {7, 1}}, {8});
  EXPECT_EQ(loops(code), Texts({"3(4)", "2(3 4 5)", "1(2 3 4 5 6 7)"}));
  const Loops found = find_loops(FlowGraph(code));
  EXPECT_EQ(found.all[0].parent, 1u);
  EXPECT_EQ(found.all[1].parent, 2u);
  EXPECT_EQ(found.all[2].parent, Loop::kNone);
  EXPECT_EQ(found.innermost[4], 0u);
  EXPECT_EQ(found.innermost[5], 1u);
  EXPECT_EQ(found.innermost[7], 2u);
  EXPECT_EQ(found.innermost[8], Loop::kNone);
  EXPECT_EQ(found.all[1].back_jumps, std::vector<uint32_t>({5}));
}

TEST(Loops, TwoApartInOne) {
  EXPECT_EQ(loops(flow(9, {{3, 2}, {6, 5}, {7, 1}}, {8})),
            Texts({"5(6)", "2(3)", "1(2 3 4 5 6 7)"}));
}

// `continue` in 3, and the end in 5
TEST(Loops, TwoJumpsBackToOneHeadAreOneLoop) {
  const Flow code = flow(7, {{3, 1}, {5, 1}}, {6});
  EXPECT_EQ(loops(code), Texts({"1(2 3 4 5)"}));
  EXPECT_EQ(find_loops(FlowGraph(code)).all[0].back_jumps, std::vector<uint32_t>({3, 5}));
}

// 0 enters at 1 and at 3; the two jump to each other
TEST(Loops, CodeThatIsEnteredTwiceIsNone) {
  EXPECT_EQ(loops(flow(6, {{0, 3}, {4, 1}}, {5})), Texts());
}

// 2 and 4 are entered from outside and go round, within a loop of head 1
TEST(Loops, AroundCodeThatIsEnteredTwiceThereMayBeOne) {
  EXPECT_EQ(loops(flow(8, {{1, 4}, {5, 2}, {6, 1}}, {7})), Texts({"1(2 3 4 5 6)"}));
}

// No way is known to 3: a case of a table of jumps. It goes round by itself, and back to 1.
TEST(Loops, UnreachableCodeTakesNothingFromOthers) {
  EXPECT_EQ(loops(flow(7, {{2, 1}, {4, 3}, {5, 1}}, {2, 5, 6})), Texts({"3(4)", "1(2)"}));
}

// 4 is a function: 2 calls it. The loop 1 to 3 goes over the call.
TEST(Loops, ACallIsAStepAndAFunctionHasItsOwn) {
  Flow code = flow(8, {{3, 1}, {6, 5}}, {2, 3, 7});
  code.falls_through[3] = true;
  code.jumps.push_back({3, 7});
  code.comes_back.assign(8, false);
  code.comes_back[2] = true;
  code.calls = {{2, 4}};
  EXPECT_EQ(loops(code), Texts({"5(6)", "1(2 3)"}));
}

// What "dominates" means, taken at its word: without `earlier`, no way from an entry leads there.
bool must_pass(const Flow& code, uint32_t earlier, uint32_t later) {
  if (earlier == later) return true;
  std::vector<bool> seen(code.falls_through.size());
  std::vector<uint32_t> open;
  const auto visit = [&](uint32_t index) {
    if (index >= seen.size() || seen[index] || index == earlier) return;
    seen[index] = true;
    open.push_back(index);
  };
  visit(0);
  while (!open.empty()) {
    const uint32_t index = open.back();
    open.pop_back();
    if (code.falls_through[index]) visit(index + 1);
    for (const FlowEdge& jump : code.jumps)
      if (jump.from == index) visit(jump.to);
  }
  return !seen[later];
}

TEST(Dominators, OfRandomCodeAreThoseOnEveryWay) {
  std::mt19937 random(22);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  for (int round = 0; round < 300; ++round) {
    const uint32_t size = 2 + below(20);
    Flow code;
    for (uint32_t i = 0; i < size; ++i) {
      code.falls_through.push_back(below(4) != 0);
      if (below(3) == 0) code.jumps.push_back({i, below(size)});
      if (below(9) == 0) code.jumps.push_back({i, below(size)});
    }
    const FlowGraph graph(code);
    const Dominators dominators(graph);
    for (uint32_t later = 0; later < size; ++later) {
      if (must_pass(code, UINT32_MAX, later)) continue;  // no way leads there
      for (uint32_t earlier = 0; earlier < size; ++earlier)
        ASSERT_EQ(dominators.dominates(earlier, later), must_pass(code, earlier, later))
            << "round " << round << ": " << earlier << " before " << later;
    }
  }
}

// Of each loop by itself: the head, and what leads to its jumps back without going over the head.
TEST(Loops, OfRandomCodeHaveTheMembersOfTheDefinition) {
  std::mt19937 random(4);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  size_t nested = 0;
  for (int round = 0; round < 300; ++round) {
    const uint32_t size = 2 + below(30);
    Flow code;
    for (uint32_t i = 0; i < size; ++i) {
      code.falls_through.push_back(true);
      if (below(3) == 0) code.jumps.push_back({i, below(size)});
    }
    const FlowGraph graph(code);
    const Dominators dominators(graph);
    const Loops found = find_loops(graph);
    size_t heads = 0;
    for (uint32_t head = 0; head < size; ++head) {
      std::vector<bool> member(size);
      std::vector<uint32_t> open;
      const auto add = [&](uint32_t index) {
        if (!member[index]) open.push_back(index);
        member[index] = true;
      };
      dominators.each_predecessor(head, [&](uint32_t before) {
        if (dominators.dominates(head, before)) add(before);
      });
      if (open.empty()) continue;
      ++heads;
      member[head] = true;
      while (!open.empty()) {
        const uint32_t index = open.back();
        open.pop_back();
        if (index != head) dominators.each_predecessor(index, add);
      }
      uint32_t loop = 0;
      while (loop < found.all.size() && found.all[loop].head != head) ++loop;
      ASSERT_LT(loop, found.all.size()) << "round " << round;
      nested += found.all[loop].parent != Loop::kNone;
      for (uint32_t i = 0; i < size; ++i)
        ASSERT_EQ(holds(found, loop, i), member[i]) << "round " << round << ": " << i;
    }
    ASSERT_EQ(heads, found.all.size()) << "round " << round;
  }
  EXPECT_GT(nested, 100u);
}

// Instructions that all jump back to one head; that each jump to the one above; and that
// jump anywhere.
TEST(Loops, HostileCodeTakesLinearTime) {
  constexpr uint32_t kSize = 200000;
  Jumps to_one, nested, wild;
  std::mt19937 random(1);
  for (uint32_t i = 1; i + 1 < kSize; ++i) {
    to_one.push_back({i, 1});
    if (i >= kSize / 2) nested.push_back({i, kSize - 1 - i});
    wild.push_back({i, static_cast<uint32_t>(random() % kSize)});
  }
  EXPECT_EQ(find_loops(FlowGraph(flow(kSize, to_one, {}))).all.size(), 1u);
  EXPECT_EQ(find_loops(FlowGraph(flow(kSize, nested, {}))).all.size(), size_t{kSize / 2 - 1});
  find_loops(FlowGraph(flow(kSize, wild, {})));
}

}  // namespace
}  // namespace aiflame
