// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/filter/sample_filter.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-aiflame/attribute/sample_origins.h"

namespace aiflame::collapse {
namespace {

const SampleOrigin kWorker{"V8 Worker", 7, 8, 5000000000};

FilterOptions with(std::vector<std::string> FilterOptions::*list, std::vector<std::string> texts) {
  FilterOptions options;
  options.*list = std::move(texts);
  return options;
}

TEST(SampleFilter, NoOptionsLetAllPass) {
  const SampleFilter it{FilterOptions()};
  EXPECT_FALSE(it.any());
  EXPECT_TRUE(it.passes(kWorker));
  EXPECT_TRUE(it.passes({"", std::nullopt, -1, std::nullopt}));
  EXPECT_TRUE(it.passes_device(3, ""));
  EXPECT_TRUE(it.passes_kernel({"k"}));
}

TEST(SampleFilter, ByProcessAndThread) {
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::pids, {"1, 7"})).passes(kWorker));
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::pids, {"1", "7"})).passes(kWorker));
  EXPECT_FALSE(SampleFilter(with(&FilterOptions::pids, {"8,70"})).passes(kWorker));
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::tids, {"8"})).passes(kWorker));
  EXPECT_FALSE(SampleFilter(with(&FilterOptions::tids, {"7"})).passes(kWorker));
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::tids, {"-1"})).passes({"", {}, -1, {}}));
  FilterOptions both = with(&FilterOptions::pids, {"7"});
  both.tids = {"9"};
  EXPECT_FALSE(SampleFilter(both).passes(kWorker));
}

TEST(SampleFilter, ByComm) {
  for (const char* glob : {"V8 Worker", "V8*", "*8?Work[e-f]r", "x,V8*", "*"})
    EXPECT_TRUE(SampleFilter(with(&FilterOptions::comms, {glob})).passes(kWorker)) << glob;
  for (const char* glob : {"V8", "v8*", "V8_Worker", "?"})
    EXPECT_FALSE(SampleFilter(with(&FilterOptions::comms, {glob})).passes(kWorker)) << glob;
  // bytes, not characters
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::comms, {"a?b"}))
                  .passes({"a\xff"
                           "b",
                           1, 1, 1}));
}

TEST(SampleFilter, ByDevice) {
  const std::string_view max = "level-zero, Intel(R) Data Center GPU Max 1550, 0000:3d:00.0 tile 0";
  for (const char* item :
       {"0", "1,0", "*Max*", "Intel(R) Data Center GPU Max 1550", "level-zero*", "*tile 0"})
    EXPECT_TRUE(SampleFilter(with(&FilterOptions::devices, {item})).passes_device(0, max)) << item;
  for (const char* item : {"1", "Max", "00", "xe*"})
    EXPECT_FALSE(SampleFilter(with(&FilterOptions::devices, {item})).passes_device(1000, max))
        << item;
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::devices, {"*"})).passes_device(0, ""));
  EXPECT_TRUE(
      SampleFilter(with(&FilterOptions::devices, {"cpu"})).passes_device(0, "opencl-cpu, cpu"));
}

TEST(SampleFilter, ByKernelUnderAnyOfItsNames) {
  for (const char* glob : {"_Z8multiplyPf", "multiply(float*)", "multiply", "mul*"}) {
    const SampleFilter filter(with(&FilterOptions::kernels, {glob}));
    SampleOrigins origins(filter);
    EXPECT_TRUE(origins.passes(origins.kernel("_Z8multiplyPf"))) << glob;
    EXPECT_FALSE(origins.passes(origins.kernel("_Z6dividePf"))) << glob;
  }
}

TEST(SampleFilter, ASampleWithoutTheFieldDoesNotPass) {
  const SampleOrigin text{"app", std::nullopt, 8, std::nullopt};
  EXPECT_FALSE(SampleFilter(with(&FilterOptions::pids, {"8"})).passes(text));
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::pids, {"8"})).lacks(text));
  EXPECT_FALSE(SampleFilter(with(&FilterOptions::time, {",9"})).passes(text));
  EXPECT_TRUE(SampleFilter(with(&FilterOptions::time, {",9"})).lacks(text));
  EXPECT_FALSE(SampleFilter(with(&FilterOptions::time, {",4"})).lacks(kWorker));
}

TEST(SampleFilter, TheLastTimeHolds) {
  const SampleFilter it(with(&FilterOptions::time, {"6,", "5,5"}));
  EXPECT_TRUE(it.any());
  EXPECT_TRUE(it.passes(kWorker));
}

TEST(SampleFilter, Refused) {
  for (const char* text : {"", "a", "1,", ",1", "1 2", "0x1", "99999999999999999999"}) {
    EXPECT_THROW(SampleFilter{with(&FilterOptions::pids, {text})}, UsageError) << text;
    EXPECT_THROW(SampleFilter{with(&FilterOptions::tids, {text})}, UsageError) << text;
  }
  EXPECT_THROW(SampleFilter{with(&FilterOptions::comms, {""})}, UsageError);
  EXPECT_THROW(SampleFilter{with(&FilterOptions::kernels, {"a,,b"})}, UsageError);
  EXPECT_THROW(SampleFilter{with(&FilterOptions::devices, {" "})}, UsageError);
  EXPECT_THROW(SampleFilter{with(&FilterOptions::time, {""})}, UsageError);
}

// The same device number means another device in the next recording.
TEST(SampleOrigins, DevicesAreOfTheirRecording) {
  const SampleFilter filter(with(&FilterOptions::devices, {"Max"}));
  SampleOrigins it(filter);
  it.describe_device(0, "xe, Max");
  const uint32_t before = it.device(0);
  EXPECT_TRUE(it.passes(before));
  it.forget_devices();
  EXPECT_FALSE(it.passes(it.device(0)));
  it.describe_device(0, "xe, Arc");
  EXPECT_FALSE(it.passes(it.device(0)));
  it.describe_device(0, "xe, Max");
  EXPECT_EQ(it.device(0), before);
}

}  // namespace
}  // namespace aiflame::collapse
