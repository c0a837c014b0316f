// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-hpctoolkit/metric_choice.h"

#include <gtest/gtest.h>

#include <limits>

#include "libcommon/base/program.h"

namespace aiflame::hpctoolkit {
namespace {

MetricChoice choose(const std::vector<Metric>& metrics, std::string_view name = "") {
  return choose_metric(metrics, name, [](uint16_t number) { return number != 0; });
}

std::string reasons(const MetricChoice& choice) {
  std::string out;
  for (const Reason& one : choice.reasons) out += one.name + "=" + std::to_string(one.number) + " ";
  return out;
}

TEST(MetricChoice, InstructionSamplesAndTheirReasons) {
  const auto choice = choose({{"GPUOP (s)", 1},
                              {"GCYCLES:STL:IDEP", 2},
                              {"GCYCLES:STL", 3},
                              {"GCYCLES", 4},
                              {"GCYCLES:ISU:VEC2", 5},
                              {"GCYCLES:WAVE_ACT", 6},
                              {"GCYCLESX:STL:MEM", 7}});
  EXPECT_EQ(choice.number, 4);
  EXPECT_EQ(reasons(choice), "stl_idep=2 isu_vec2=5 ");
  EXPECT_EQ(quantity_line(choice.quantity), "# aiflame: event gpu-stall, unit cycles\n");
}

TEST(MetricChoice, InstructionSamplesBefore2025) {
  const auto choice = choose({{"GINST", 1}, {"GINST:STL_ANY", 2}, {"GINST:STL_GMEM", 3}});
  EXPECT_EQ(reasons(choice), "stl_gmem=3 ");
}

TEST(MetricChoice, TheFirstThatHasValues) {
  EXPECT_EQ(choose({{"CPUTIME (sec)", 1}, {"GPUOP (s)", 2}, {"GCYCLES", 0}}).name, "GPUOP (s)");
  EXPECT_EQ(choose({{"GCYCLES", 0}, {"PAPI_TOT_INS", 1}}).name, "PAPI_TOT_INS");
  EXPECT_THROW(choose({{"GCYCLES", 0}}), Error);
  EXPECT_THROW(choose({{"GCYCLES", 1}}, "GPUOP (s)"), Error);
}

TEST(MetricChoice, OneReasonAlone) {
  const auto choice = choose({{"GCYCLES", 1}, {"GCYCLES:STL:MEM", 2}}, "GCYCLES:STL:MEM");
  EXPECT_EQ(reasons(choice), "stl_mem=2 ");
  EXPECT_EQ(choice.quantity.unit, "cycles");
}

TEST(MetricChoice, Units) {
  const auto unit = [](std::string_view name) { return choose({{name, 1}}).quantity; };
  EXPECT_EQ(unit("GXCOPY:D2H (b)").event, "GXCOPY:D2H");
  EXPECT_EQ(unit("GXCOPY:D2H (b)").unit, "bytes");
  EXPECT_EQ(unit("CPUTIME (sec)").unit, "ns");
  EXPECT_EQ(unit("GKER (s)").event, "gpu-time");
  EXPECT_EQ(unit("GKER:COUNT").unit, "events");
}

TEST(MetricChoice, Weights) {
  const Quantity time{"gpu-time", "ns"}, count{"x", "events"};
  EXPECT_EQ(weight_of(1.09800592, time), 1098005920U);
  EXPECT_EQ(weight_of(0.0171049739999999995, time), 17104974U);
  EXPECT_EQ(weight_of(3, count), 3U);
  EXPECT_EQ(weight_of(9007199254740993.0, count), 9007199254740992U);
  EXPECT_EQ(weight_of(18446744073709549568.0, count), 18446744073709549568U);
  for (const double bad : {-1.0, 18446744073709551616.0, std::numeric_limits<double>::infinity(),
                           std::numeric_limits<double>::quiet_NaN()})
    EXPECT_EQ(weight_of(bad, count), std::nullopt);
}

}  // namespace
}  // namespace aiflame::hpctoolkit
