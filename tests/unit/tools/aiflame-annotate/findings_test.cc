// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>

#include "tools/aiflame-annotate/function_causes.h"

namespace aiflame::annotate {
namespace {

const FunctionKey kKey{"k", "", "k.so", 0};

// k.cl:1 has a load at 0x0 that 0x10 waits for, a multiplication whose pipe was busy, and the sum.
class FindingsTest : public testing::Test {
 protected:
  FindingsTest() {
    file_ = testing::TempDir() + "findings_test.cl";
    std::ofstream(file_) << "sum += a[k] * b[k * n];\n";
    it_.kernel = it_.symbol = "k";
    it_.lines = {{"", 0, 0}, {file_, 1, 0}};
    add(0x0, "LDG", 15, {});
    it_.code.back().operation = Operation::load;
    add(0x10, "FFMA", 5, {{"long_scoreboard", 60}, {"selected", 20}});
    it_.code.back().producers = {0x0};
    add(0x20, "FMUL", 5, {{"math_pipe_throttle", 15}, {"not_selected", 5}});
  }
  ~FindingsTest() override { std::remove(file_.c_str()); }

  void add(uint64_t offset, const std::string& mnemonic, uint32_t column, const Reasons& reasons) {
    AnnotatedInstruction& each = it_.code.emplace_back();
    each.offset = offset;
    each.size = 16;
    each.mnemonic = mnemonic;
    each.line = 1;
    each.column = column;
    each.reasons = reasons;
    for (const auto& [reason, count] : reasons) each.samples += count;
  }
  EventSamples event(Reasons AnnotatedInstruction::*reasons) const {
    EventSamples out;
    FunctionSamples& function = out.functions[kKey];
    for (const AnnotatedInstruction& each : it_.code)
      for (const auto& [reason, count] : each.*reasons) {
        out.read += count;
        function.count += count;
        function.instructions[each.offset].count += count;
        function.instructions[each.offset].reasons[reason] += count;
      }
    return out;
  }
  std::vector<Finding> find(const EventSamples& all, const EventSamples* exposed = nullptr) {
    it_.tells_exposed = exposed != nullptr;
    add_stall_causes({}, 0, 1000000, it_);
    return FindingMaker(all, exposed).find(kKey, it_, sources_);
  }
  std::vector<std::string> texts(const std::vector<Finding>& findings) const {
    std::vector<std::string> out;
    for (const Finding& each : findings) out.push_back(finding_text(each, it_, false));
    return out;
  }

  std::string file_;
  Annotation it_;
  SourceTexts sources_{{testing::TempDir()}};
};

TEST_F(FindingsTest, NameLineOperandCauseAndBound) {
  const EventSamples all = event(&AnnotatedInstruction::reasons);
  const std::vector<Finding> found = find(all);
  EXPECT_EQ(texts(found),
            (std::vector<std::string>{
                "load of b[k * n] at findings_test.cl:1 feeds 80.00% of k's stalls; at most 2.50 "
                "times faster",
                "FMUL at findings_test.cl:1 has 20.00% of k's stalls (most of them "
                "math_pipe_throttle); at most 1.18 times faster"}));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].id, "k feeds load findings_test.cl:1:15");
  EXPECT_EQ(*found[0].gain.overlapped, 100.0 / 80);  // only 20 samples of work could hide it
  EXPECT_EQ(found[0].evidence.size(), 1u);
  EXPECT_EQ(found[0].evidence[0].index, 1u);
}

TEST_F(FindingsTest, CountExposedStallsWhereTheyAreKnown) {
  it_.code[1].exposed = {{"long_scoreboard", 10}};
  it_.code[2].exposed = {{"math_pipe_throttle", 10}};
  const EventSamples all = event(&AnnotatedInstruction::reasons),
                     exposed = event(&AnnotatedInstruction::exposed);
  const std::vector<Finding> found = find(all, &exposed);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(texts(found)[0],
            "load of b[k * n] at findings_test.cl:1 feeds 50.00% of k's exposed stalls; at most "
            "1.12 times faster");
}

TEST_F(FindingsTest, CopiesOfOneExpressionAreOne) {
  add(0x30, "LDG", 15, {});
  it_.code.back().operation = Operation::load;
  add(0x40, "FFMA", 5, {{"long_scoreboard", 40}});
  it_.code.back().producers = {0x30};
  const EventSamples all = event(&AnnotatedInstruction::reasons);
  const std::vector<Finding> found = find(all);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].samples, 100u);
  EXPECT_EQ(found[0].causes.size(), 2u);
}

TEST_F(FindingsTest, SamplesOfTimeTellNoReason) {
  for (AnnotatedInstruction& each : it_.code) {
    each.reasons.clear();
    each.samples = 0;
  }
  it_.code[1].samples = 80;
  it_.code[1].producers.clear();
  it_.code[2].samples = 20;
  EventSamples all;
  all.read = 100;
  all.functions[kKey].count = 100;
  all.functions[kKey].instructions[0x10].count = 80;
  all.functions[kKey].instructions[0x20].count = 20;
  const std::vector<Finding> found = find(all);
  EXPECT_EQ(texts(found),
            (std::vector<std::string>{
                "findings_test.cl:1 has 100.00% of k's samples; nothing else has samples"}));
  EXPECT_EQ(found[0].id, "k takes findings_test.cl:1");
  EXPECT_EQ(found[0].cause, "");
}

TEST_F(FindingsTest, OneLineHasAFindingForEachCause) {
  for (AnnotatedInstruction& each : it_.code) each.column = 0;
  add(0x30, "STG", 0, {{"lg_throttle", 30}});
  it_.code.back().operation = Operation::store;
  add(0x40, "LDS", 0, {});
  it_.code.back().operation = Operation::local_load;
  add(0x50, "FADD", 0, {{"short_scoreboard", 10}});
  it_.code.back().producers = {0x40};
  const std::vector<Finding> found = find(event(&AnnotatedInstruction::reasons));
  EXPECT_EQ(
      texts(found),
      (std::vector<std::string>{
          "load at findings_test.cl:1 feeds 52.17% of k's stalls; at most 1.75 times faster",
          "store at findings_test.cl:1 has 26.09% of k's stalls (most of them lg_throttle); at "
          "most 1.28 times faster",
          "FMUL at findings_test.cl:1 has 13.04% of k's stalls (most of them "
          "math_pipe_throttle); at most 1.12 times faster",
          "local load at findings_test.cl:1 feeds 8.70% of k's stalls; at most 1.08 times "
          "faster"}));
  std::set<std::string> ids;
  for (const Finding& each : found) ids.insert(each.id);
  EXPECT_EQ(ids.size(), 4u);
}

TEST_F(FindingsTest, OfTwoPossibleCausesTheSharesAreAnEstimate) {
  it_.code.clear();
  add(0x0, "LDG", 15, {});
  it_.code.back().operation = Operation::load;
  add(0x10, "STG", 5, {});
  it_.code.back().operation = Operation::store;
  add(0x20, "FFMA", 5, {{"stl_mem", 60}, {"stl_hid", 30}});
  it_.code.back().producers = {0x0, 0x10};
  std::vector<Finding> found = find(event(&AnnotatedInstruction::reasons));
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].estimated && found[1].estimated);
  // of HPCToolkit's stalls the hidden ones have a reason of their own
  EXPECT_TRUE(found[0].exposed && found[1].exposed);
  EXPECT_NE(texts(found)[0].find(" by estimate, "), std::string::npos);
  EXPECT_EQ(texts(found)[0].find("store at findings_test.cl:1:5 holds up, by estimate, "), 0u);
}

TEST_F(FindingsTest, MostMeansMoreThanHalfOfAllSamples) {
  // twenty instructions, more than a finding names as evidence
  it_.code.clear();
  for (uint64_t i = 0; i < 20; ++i)
    add(0x10 * i, "FMUL", 5,
        {{"math_pipe_throttle", i < 10 ? 10 : 0},
         {"dispatch_stall", i < 10 ? 0 : 9},
         {"other", 1}});
  EXPECT_EQ(texts(find(event(&AnnotatedInstruction::reasons))),
            (std::vector<std::string>{
                "FMUL at findings_test.cl:1 has 100.00% of k's stalls (47.62% of them "
                "math_pipe_throttle); nothing else has samples"}));
}

}  // namespace
}  // namespace aiflame::annotate
