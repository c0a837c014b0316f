// SPDX-License-Identifier: MIT
#include "libcommon/device/device_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

DeviceRules rules(const char* levels) {
  DeviceRules out;
  out.levels = parse_levels(levels);
  return out;
}

TEST(DeviceFrames, LevelsWithoutAnythingToSayAreLeftOut) {
  DeviceFrames frames(rules("file,kernel,function,line,mnemonic,reason,offset"));
  DeviceCode code;
  EXPECT_EQ(frames.fold(code), "[unknown kernel]_[G]");
  code.kernel = "copy(float*, int)";
  EXPECT_EQ(frames.fold(code), "jit_[G];copy_[G]");
  code.reason = "send; wait";
  code.offset = 0xa30;
  code.helpers = {"outer(int)", "inner"};
  EXPECT_EQ(frames.fold(code), "jit_[G];copy_[G];outer_[G];inner_[G];send: wait_[g];0xa30_[g]");
}

TEST(DeviceFrames, AnotherProfilersNamesStandForTheObjects) {
  DeviceFrames frames(rules("file,kernel,function,line,reason"));
  DeviceCode code;
  code.kernel = "typeinfo name for copy(float*)::{lambda(auto:1)#1}";
  code.reason = "stl_idep";
  code.helpers = {"outer"};
  code.source = KnownSource{"/src/k.cl", {"mul(float)", "_Z3addf"}, "/src/x.h", 12};
  EXPECT_EQ(frames.fold(code),
            "k.cl_[G];copy::{lambda(auto:1)#1}_[G];mul_[G];add_[G];x.h:12_[G];stl_idep_[g]");
  code.source->line = 0;
  code.source->functions.clear();
  code.source->file = "";
  EXPECT_EQ(frames.fold(code), "jit_[G];copy::{lambda(auto:1)#1}_[G];stl_idep_[g]");
}

// An autotuner's variants have one name, and no lines.
TEST(DeviceFrames, KernelsOfTwoCodeObjectsAreApart) {
  DeviceFrames frames(rules("file,kernel"));
  const auto fold = [&](const char* kernel, const char* path) {
    DeviceCode code;
    code.kernel = kernel;
    if (*path != '\0') code.start = CodePlace{path, 0};
    return frames.fold(code);
  };
  EXPECT_EQ(fold("gemm", "/nowhere/a.cubin"), "jit_[G];gemm_[G]");
  EXPECT_EQ(fold("gemm", "/nowhere/b.cubin"), "jit#2_[G];gemm_[G]");
  EXPECT_EQ(fold("gemm", "/nowhere/c.cubin"), "jit#3_[G];gemm_[G]");
  EXPECT_EQ(fold("gemm", "/nowhere/a.cubin"), "jit_[G];gemm_[G]");
  EXPECT_EQ(fold("gemm", ""), "jit_[G];gemm_[G]");
  EXPECT_EQ(fold("scale", "/nowhere/b.cubin"), "jit_[G];scale_[G]");
  // a function of C++ is the same in each
  EXPECT_EQ(fold("_Z4copyPfi", "/nowhere/a.cubin"), "jit_[G];copy_[G]");
  EXPECT_EQ(fold("_Z4copyPfi", "/nowhere/b.cubin"), "jit_[G];copy_[G]");
}

TEST(DeviceFrames, FullNames) {
  DeviceRules full = rules("kernel");
  full.full_names = true;
  DeviceCode code;
  code.kernel = "copy(float*, int)";
  EXPECT_EQ(DeviceFrames(full).fold(code), "copy(float*, int)_[G]");
}

TEST(DeviceFrames, KernelsWithOneShortNameAreReported) {
  DeviceFrames frames(rules("kernel"));
  DeviceCode code;
  for (const char* kernel : {"_Z4copyPfi", "copy", "copy(float*, int)", "_Z4copyPfi"}) {
    code.kernel = kernel;
    EXPECT_EQ(frames.fold(code), "copy_[G]");
  }
  testing::internal::CaptureStderr();
  frames.report();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  code.kernel = "_Z4copyPdi";
  EXPECT_EQ(frames.fold(code), "copy_[G]");
  testing::internal::CaptureStderr();
  frames.report();
  EXPECT_THAT(
      testing::internal::GetCapturedStderr(),
      testing::HasSubstr("1 kernel is drawn as another whose name differs in parameters or "
                         "namespaces alone, such as 'copy'; --full-names keeps them apart"));
}

TEST(DeviceFrames, KernelsOfSyclHaveTheNamesOfTypes) {
  DeviceFrames frames(rules("kernel"));
  DeviceCode code;
  code.kernel = "_ZTSN3app6KernelIfEE";
  EXPECT_EQ(frames.fold(code), "app::Kernel<float>_[G]");
}

TEST(DeviceFrames, LevelNames) {
  EXPECT_EQ(parse_levels("offset,file"),
            (std::vector<DeviceLevel>{DeviceLevel::offset, DeviceLevel::file}));
  for (const char* bad : {"", ",", "file,", "files", "file,file"})
    EXPECT_THROW(parse_levels(bad), UsageError) << bad;
}

}  // namespace
}  // namespace aiflame
