// SPDX-License-Identifier: MIT
#include "libcommon/code/stall_causes.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "libcommon/base/program.h"
#include "tests/unit/libcommon/code/made_up_code.h"

namespace aiflame {
namespace {

using Awaited = std::map<uint32_t, std::vector<uint32_t>>;

StallCauses find(const CodeFlow& code, const std::vector<InstructionStalls>& sampled,
                 const Awaited& awaited = {}) {
  return find_stall_causes(code, sampled, [&](uint32_t index) {
    const auto found = awaited.find(index);
    return found == awaited.end() ? std::vector<uint32_t>() : found->second;
  });
}

InstructionStalls stalled(uint32_t index, const char* reason, uint64_t samples,
                          uint64_t issued = 0) {
  return {index, issued, {{awaited_operations(reason), reason[0] == 0, samples}}};
}

// "0:75 2:25"
std::string causes(const CausesOfStalls& its) {
  std::string out;
  for (const StallCause& each : its.causes)
    out += format("%s%u:%.0f", out.empty() ? "" : " ", each.index, each.share * 100);
  return out;
}

// "4<-2<-0 root"
std::string chain(const CausesOfStalls& its) {
  std::string out;
  for (const uint32_t each : its.chain) out += (out.empty() ? "" : "<-") + std::to_string(each);
  return out + " " + chain_end_name(its.end);
}

// "2=90(4=60,5=30)"
std::string roots(const StallCauses& its) {
  std::string out;
  for (const StallRoot& root : its.roots) {
    out += format("%s%u=%llu(", out.empty() ? "" : " ", root.index,
                  static_cast<unsigned long long>(root.samples));
    for (const StallRoot::Victim& each : root.victims)
      out += format("%s%u=%llu", &each == &root.victims.front() ? "" : ",", each.index,
                    static_cast<unsigned long long>(each.samples));
    out += ")";
  }
  return out;
}

// The address, the load, the conversion of what it has read.
TEST(StallCauses, ALoadAndItsAddress) {
  const CodeFlow code = made_up_code(
      {"add r1 <-", "add r2 <- r1", "load r4 <- r2", "add r7 <-", "add r5 <- r4", "store r5 r2"});
  const StallCauses out = find(code, {stalled(4, "sbid", 100)}, {{4, {2}}});
  ASSERT_EQ(out.instructions.size(), 1u);
  EXPECT_EQ(causes(out.instructions[0]), "2:100");
  EXPECT_EQ(chain(out.instructions[0]), "4<-2<-1<-0 root");
  EXPECT_EQ(roots(out), "2=100(4=100)");
  EXPECT_EQ(out.coverage.single.instructions, 1u);
}

TEST(StallCauses, SharesByWeightAreAnEstimate) {
  const CodeFlow code = made_up_code({"load r1 <-", "load r2 <-", "add r3 <- r1 r2"});
  InstructionStalls both = stalled(2, "sbid", 30);
  both.stalls.push_back({awaited_operations("pipe"), false, 10});
  const StallCauses out = find(code, {both}, {{2, {0, 1}}});
  EXPECT_EQ(causes(out.instructions[0]), "1:50 0:25 2:25");
  for (const StallCause& each : out.instructions[0].causes)
    EXPECT_EQ(each.estimated, each.index != 2) << each.index;
}

TEST(StallCauses, ReasonsThatWaitForNoResultAreTheInstructionsOwn) {
  const CodeFlow code = made_up_code({"load r1 <-", "add r2 <- r1"});
  InstructionStalls both = stalled(1, "long_scoreboard", 30);
  both.stalls.push_back({awaited_operations("lg_throttle"), false, 10});
  const StallCauses out = find(code, {both}, {{1, {0}}});
  EXPECT_EQ(causes(out.instructions[0]), "0:75 1:25");
  EXPECT_EQ(roots(out), "0=30(1=30) 1=10(1=10)");
  EXPECT_FALSE(out.instructions[0].causes[0].estimated);  // the reasons tell them apart
  // the larger part is its own
  both.stalls[1].samples = 50;
  EXPECT_EQ(chain(find(code, {both}, {{1, {0}}}).instructions[0]), "1 root");
}

TEST(StallCauses, AMemoryReasonKeepsMemoryAndAnExecutionReasonArithmetic) {
  const CodeFlow code = made_up_code({"load r1 <-", "add r2 <-", "add r3 <- r1 r2"});
  const Awaited awaited = {{2, {0}}};
  EXPECT_EQ(causes(find(code, {stalled(2, "long_scoreboard", 9)}, awaited).instructions[0]),
            "0:100");
  EXPECT_EQ(causes(find(code, {stalled(2, "wait", 9)}, awaited).instructions[0]), "1:100");
  EXPECT_EQ(causes(find(code, {stalled(2, "barrier", 9)}, awaited).instructions[0]), "2:100");
  // a load that it waits for, though the reason counts others
  EXPECT_EQ(causes(find(code, {stalled(2, "short_scoreboard", 9)}, awaited).instructions[0]),
            "0:100");
}

TEST(StallCauses, ALoadThatWasWaitedForBeforeIsNoCause) {
  const CodeFlow code =
      made_up_code({"load r1 <-", "load r2 <-", "add r3 <- r1", "add r4 <- r1 r2"});
  const StallCauses out = find(code, {stalled(3, "long_scoreboard", 9)}, {{2, {0}}, {3, {1}}});
  EXPECT_EQ(causes(out.instructions[0]), "1:100");
  EXPECT_EQ(out.coverage.single_before.instructions, 0u);
  EXPECT_EQ(out.coverage.single.instructions, 1u);
}

TEST(StallCauses, ArithmeticFarAwayIsHidden) {
  std::vector<std::string> lines = {"add r1 <-"};
  for (uint32_t i = 1; i < kArithmeticLatency; ++i) lines.push_back("add r9 <-");
  lines.push_back("add r2 <- r1");
  const CodeFlow far = made_up_code(lines);
  EXPECT_EQ(causes(find(far, {stalled(kArithmeticLatency, "wait", 9)}).instructions[0]), "16:100");
  lines.erase(lines.begin() + 1);
  const CodeFlow near = made_up_code(lines);
  EXPECT_EQ(causes(find(near, {stalled(kArithmeticLatency - 1, "wait", 9)}).instructions[0]),
            "0:100");
}

TEST(StallCauses, NearerProducersAndThoseIssuedMoreOftenHaveLargerShares) {
  const CodeFlow code = made_up_code({"load r1 <-", "add r9 <-", "load r2 <-", "add r3 <- r1 r2"});
  const Awaited awaited = {{3, {0, 2}}};
  EXPECT_EQ(causes(find(code, {stalled(3, "waitcnt", 9)}, awaited).instructions[0]), "2:75 0:25");
  EXPECT_EQ(causes(find(code, {{0, 8, {}}, stalled(3, "waitcnt", 9)}, awaited).instructions[0]),
            "0:75 2:25");
}

TEST(StallCauses, SharesBecomeWholeSamplesAndNoneIsLost) {
  const CodeFlow code = made_up_code(
      {"load r1 <-", "load r2 <-", "load r4 <-", "add r3 <- r1 r2 r4", "add r5 <- r4"});
  const Awaited awaited = {{3, {0, 1, 2}}, {4, {2}}};
  const StallCauses out =
      find(code, {stalled(3, "waitcnt", 100), stalled(4, "waitcnt", 7)}, awaited);
  EXPECT_EQ(roots(out), "2=62(3=55,4=7) 1=27(3=27) 0=18(3=18)");
}

// A sum in a loop waits for itself; the pointer of a list for the load of the round before.
TEST(StallCauses, AChainEndsInALoop) {
  Flow flow;
  flow.jumps = {{3, 1}};
  const CodeFlow sum = made_up_code({"add r1 <-", "add r1 <- r1", "add r9 <-", "jump p0"}, flow);
  const CausesOfStalls self =
      find(sum, {{0, 0, {}}, {1, 9, {{awaited_operations("wait"), false, 9}}}}).instructions[0];
  EXPECT_EQ(causes(self), "1:77 0:23");
  const CodeFlow list =
      made_up_code({"add r1 <-", "add r2 <- r1", "load r1 <- r2", "jump p0"}, flow);
  const CausesOfStalls its =
      find(list, {{2, 9, {}}, stalled(1, "sbid", 9)}, {{1, {2}}}).instructions[0];
  EXPECT_EQ(chain(its), "1<-2 loop");
}

TEST(StallCauses, AChainEndsWhereRegistersAreNotKnown) {
  const CodeFlow code = made_up_code({"add r1 <-", "? r1", "load r4 <- r1", "add r5 <- r4"});
  CodeFlow other = code;
  other.registers[2].known = false;
  EXPECT_EQ(chain(find(code, {stalled(3, "sbid", 9)}, {{3, {2}}}).instructions[0]), "3<-2<-0 root");
  const StallCauses out = find(other, {stalled(3, "sbid", 9)}, {{3, {2}}});
  EXPECT_EQ(chain(out.instructions[0]), "3<-2 unknown");
  EXPECT_EQ(out.coverage.unknown.instructions, 0u);
  other.registers.clear();
  other.operations.clear();
  const StallCauses bare = find(other, {stalled(3, "sbid", 9)}, {{3, {2}}});
  EXPECT_EQ(chain(bare.instructions[0]), "3<-2 unknown");
  EXPECT_EQ(bare.coverage.unknown.instructions, 1u);
}

TEST(StallCauses, AChainHasALimit) {
  std::vector<std::string> lines = {"add r1 <-"};
  for (int i = 0; i < 40; ++i) lines.push_back("add r1 <- r1");
  const CausesOfStalls its = find(made_up_code(lines), {stalled(40, "wait", 9)}).instructions[0];
  EXPECT_EQ(its.chain.size(), kMaxChain);
  EXPECT_EQ(its.end, ChainEnd::limit);
}

// A CPU's samples have no reason: what is read behind arithmetic, and the instruction itself.
TEST(StallCauses, WithoutReasonsTheNearestLoadsAndDivides) {
  const CodeFlow code = made_up_code({"load r1 <-", "add r2 <- r1", "add r3 <- r2", "add r9 <-"});
  EXPECT_EQ(causes(find(code, {stalled(2, "", 9)}).instructions[0]), "0:100");
  EXPECT_EQ(causes(find(code, {stalled(0, "", 9)}).instructions[0]), "0:100");
  EXPECT_EQ(causes(find(code, {stalled(3, "", 9)}).instructions[0]), "3:100");
  const CodeFlow two = made_up_code({"divide r1 <-", "add r2 <- r1", "load r4 <- r2"});
  EXPECT_EQ(causes(find(two, {stalled(2, "", 9)}).instructions[0]), "2:67 0:33");
}

TEST(StallCauses, WithoutReasonsALoadBeforeTheLoopIsNoCause) {
  Flow flow;
  flow.jumps = {{4, 1}};
  const CodeFlow code = made_up_code(
      {"load r1 <-", "load r2 <- r1", "add r1 <- r1", "add r3 <- r2", "jump p0"}, flow);
  EXPECT_EQ(causes(find(code, {stalled(2, "", 9)}).instructions[0]), "2:100");
  EXPECT_EQ(causes(find(code, {stalled(3, "", 9)}).instructions[0]), "1:100");
}

TEST(StallCauses, IndicesThatDoNotExistAreIgnored) {
  const CodeFlow code = made_up_code({"load r1 <-", "add r2 <- r1"});
  const StallCauses out = find(code, {stalled(1, "sbid", 9), stalled(7, "sbid", 9)}, {{1, {0, 5}}});
  EXPECT_EQ(roots(out), "0=9(1=9)");
  EXPECT_TRUE(find(CodeFlow(), {stalled(0, "sbid", 9)}).instructions.empty());
}

}  // namespace
}  // namespace aiflame
