// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/scoreboard.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/genuine_zebins.h"

namespace aiflame {
namespace {

// One instruction for each 16 bytes.
std::vector<IgaInstruction> code_of(const std::vector<std::string>& lines) {
  std::string listing;
  char offset[32];
  for (size_t i = 0; i < lines.size(); ++i) {
    snprintf(offset, sizeof offset, "/* [%04zX] */ ", i * 16);
    listing += offset + lines[i] + "\n";
  }
  return parse_iga_listing(listing);
}

using Indices = std::vector<uint32_t>;

TEST(Scoreboard, TheLastThatTookTheToken) {
  const auto code = code_of({"send.ugm {$0}", "send.slm {$1}", "send.ugm {$0}", "add {I@1}",
                             "mul {$0.dst}", "mul {$1.src}", "mul {$7.dst}", "add"});
  const Scoreboard scoreboard(code);
  EXPECT_EQ(scoreboard.producers(4), Indices{2});
  EXPECT_EQ(scoreboard.producers(5), Indices{1});
  EXPECT_EQ(scoreboard.producers(6), Indices{});
  EXPECT_EQ(scoreboard.producers(7), Indices{});
  // the token is not free until the first send is done
  EXPECT_EQ(scoreboard.producers(2), Indices{0});
  EXPECT_EQ(scoreboard.producers(0), Indices{});
}

TEST(Scoreboard, AroundALoop) {
  // the load for the next round is at the end of the loop
  const auto code = code_of({"send.ugm {$0}",      // 0, before the loop
                             "mad {$0.dst}",       // 1, its top
                             "send.ugm {$0}",      // 2
                             "(W&f0.0) jmpi L16",  // 3
                             "mov",                // 4
                             "send.gtwy {EOT}"});  // 5
  EXPECT_EQ(Scoreboard(code).producers(1), (Indices{0, 2}));
}

// Whoever takes a token waits for the last that held it, unless the code has waited for that one.
TEST(Scoreboard, ATokenThatWasWaitedForIsFree) {
  const auto code = code_of({"send.ugm {$0}",      // 0
                             "mad {$0.dst}",       // 1
                             "send.ugm {$0}",      // 2: free since 1, also in the loop's next round
                             "mad {$0.dst}",       // 3
                             "send.slm {$1}",      // 4
                             "mov {$1.src}",       // 5: read, but not done
                             "send.slm {$1}",      // 6
                             "sync.allwr null",    // 7
                             "send.slm {$1}",      // 8
                             "(W&f0.0) jmpi L32",  // 9
                             "send.slm {$1}"});    // 10
  const Scoreboard scoreboard(code);
  EXPECT_EQ(scoreboard.producers(2), Indices{});
  EXPECT_EQ(scoreboard.producers(4), Indices{8});
  EXPECT_EQ(scoreboard.producers(6), Indices{4});
  EXPECT_EQ(scoreboard.producers(8), Indices{});
  EXPECT_EQ(scoreboard.producers(10), Indices{8});
}

TEST(Scoreboard, InstructionsThatAreJumpedOverAreNotSearched) {
  const auto code = code_of({"send.ugm {$0}",      // 0
                             "(W) jmpi L64",       // 1
                             "send.slm {$0}",      // 2, after a jump: reached only by label 32
                             "(W) jmpi L96",       // 3
                             "mul {$0.dst}",       // 4
                             "(W&f0.0) jmpi L32",  // 5
                             "add {$0.dst}"});     // 6: from 2 by 3, from 4 by 5
  const Scoreboard scoreboard(code);
  EXPECT_EQ(scoreboard.producers(4), Indices{0});
  EXPECT_EQ(scoreboard.producers(6), (Indices{0, 2}));
}

TEST(Scoreboard, ABarrierWaitsForAllTokensInUse) {
  const auto code =
      code_of({"send.ugm {$0}", "send.ugm {$1}", "send.ugm {$2}", "mul {$0.dst}", "mul {$1.src}",
               "sync.allwr null", "send.ugm {$3}", "sync.allrd null", "sync.allwr ($2,$3)"});
  const Scoreboard scoreboard(code);
  EXPECT_EQ(scoreboard.producers(5), (Indices{1, 2}));
  EXPECT_EQ(scoreboard.producers(7), Indices{6});
  EXPECT_EQ(scoreboard.producers(8), (Indices{2, 6}));
}

TEST(Scoreboard, HostileCodeEnds) {
  std::vector<std::string> lines;
  for (int i = 0; i < 200000; ++i)
    lines.push_back("(W&f0.0) jmpi L" + std::to_string(i % 100 * 16) + " L0 L16");
  lines[99] = "sync.allwr null";
  const auto code = code_of(lines);
  const Scoreboard scoreboard(code);
  for (uint32_t i = 0; i < 20; ++i) EXPECT_TRUE(scoreboard.producers(99).empty());
}

// In genuine code each waiting instruction has a producer, which took that token. Where neither a
// jump nor a label lies between the two, the producer is the nearest instruction that took it.
TEST(Scoreboard, Genuine) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  size_t waiting = 0, straight = 0;
  for (const std::string& generation : genuine::generations())
    for (const auto& [line, kernel] : genuine::kernels()) {
      const auto code = parse_iga_listing(genuine::slurp(genuine::listing(generation, kernel)));
      const Scoreboard scoreboard(code);
      std::vector<bool> label(code.size());
      for (const IgaInstruction& each : code)
        for (const uint32_t target : each.targets)
          label[static_cast<size_t>(instruction_at(code, target) - code.data())] = true;
      for (uint32_t i = 0; i < code.size(); ++i) {
        if (code[i].waits() == 0) continue;
        ++waiting;
        const Indices found = scoreboard.producers(i);
        EXPECT_FALSE(found.empty()) << generation << " " << kernel << " " << code[i].offset;
        for (const uint32_t each : found) EXPECT_NE(code[each].sets & code[i].waits(), 0u);
        uint32_t back = i;
        while (back > 0 && !label[back] && code[back - 1].targets.empty() &&
               (code[back - 1].sets & code[i].waits()) == 0)
          --back;
        if (back == 0 || label[back] || !code[back - 1].targets.empty()) continue;
        ++straight;
        EXPECT_TRUE(std::find(found.begin(), found.end(), back - 1) != found.end());
        if ((code[i].waits() & (code[i].waits() - 1)) == 0) {
          EXPECT_EQ(found, Indices{back - 1});
        }
      }
    }
  EXPECT_EQ(waiting, 217u);
  EXPECT_GT(straight, 100u);
}

}  // namespace
}  // namespace aiflame
