// SPDX-License-Identifier: MIT
#include "libcommon/device/device_symbolizer.h"

#include <gtest/gtest.h>

#include "tests/unit/genuine_zebins.h"

namespace aiflame {
namespace {

const std::string kCubin = "tests/data/cubin/kernels.sm_90.cubin";

// The section of kernel `plain`.
KernelCode plain() {
  const KernelTable table{ElfFile(kCubin)};
  for (const KernelCode& kernel : table.all())
    if (kernel.name == "plain") return kernel;
  return {};
}

TEST(DeviceSymbolizer, KernelAndItsFile) {
  DeviceSymbolizer symbolizer;
  const CodePlace start{kCubin, plain().offset};
  const KernelCode* kernel = symbolizer.kernel_at({kCubin, plain().offset + 0x20});
  ASSERT_NE(kernel, nullptr);
  EXPECT_EQ(kernel->name, "plain");
  EXPECT_EQ(kernel->offset, start.file_offset);
  DeviceInstruction instruction;
  instruction.kernel = "plain";
  EXPECT_EQ(symbolizer.kernel_file(instruction), "");
  instruction.place = start;
  EXPECT_EQ(symbolizer.kernel_file(instruction), "/tmp/aiflame-cubins/kernels.cu");
  instruction.helpers = {"helper"};
  EXPECT_EQ(symbolizer.kernel_file(instruction), "");
  instruction.start = start;
  EXPECT_EQ(symbolizer.kernel_file(instruction), "/tmp/aiflame-cubins/kernels.cu");
}

// plain() calls called(), which the compiler puts into the kernel's section, and into which
// chained() and scaled() are inlined.
TEST(DeviceSymbolizer, FunctionsUnderTheKernel) {
  DeviceSymbolizer symbolizer;
  DeviceInstruction instruction;
  instruction.kernel = "plain";
  size_t whole = 0, in_helper = 0;
  for (uint64_t at = 0; at < plain().size; at += 16) {
    instruction.place = CodePlace{kCubin, plain().offset + at};
    instruction.helpers.clear();
    whole += symbolizer.functions(instruction) ==
             std::vector<std::string>{"_Z6calledf", "_Z7chainedf", "_Z6scaledff"};
    // as a recording may name it
    instruction.helpers = {"called(float)"};
    in_helper += symbolizer.functions(instruction) ==
                 std::vector<std::string>{"called(float)", "_Z7chainedf", "_Z6scaledff"};
  }
  EXPECT_GT(whole, 0u);
  EXPECT_EQ(in_helper, whole);
}

TEST(DeviceSymbolizer, WhatIsNotKnownIsAbsent) {
  DeviceSymbolizer symbolizer;
  DeviceInstruction instruction;
  instruction.helpers = {"outer", "inner"};
  EXPECT_EQ(symbolizer.functions(instruction), (std::vector<std::string>{"outer", "inner"}));
  const CodePlace outside{kCubin, UINT64_MAX};
  EXPECT_TRUE(symbolizer.frames_at(outside).empty());
  EXPECT_EQ(symbolizer.kernel_at(outside), nullptr);
  EXPECT_EQ(symbolizer.mnemonic_at(outside).name, "");
  EXPECT_TRUE(symbolizer.producers_of(outside).empty());
}

TEST(DeviceSymbolizer, AnObjectThatCannotBeReadIsWarnedAboutOnce) {
  DeviceSymbolizer symbolizer;
  const CodePlace nowhere{"/nonexistent/object", 0};
  testing::internal::CaptureStderr();
  EXPECT_TRUE(symbolizer.frames_at(nowhere).empty());
  EXPECT_EQ(symbolizer.kernel_at(nowhere), nullptr);
  EXPECT_EQ(symbolizer.mnemonic_at(nowhere).name, "");
  EXPECT_TRUE(symbolizer.producers_of(nowhere).empty());
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_NE(printed.find("; no source and no instructions from it\n"), std::string::npos);
  EXPECT_EQ(printed.find('\n'), printed.size() - 1);
}

TEST(DeviceSymbolizer, ManyObjectsThatCannotBeReadAreWarnedAboutFourTimes) {
  DeviceSymbolizer symbolizer;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 70; ++i)
    EXPECT_TRUE(symbolizer.frames_at({"/nonexistent/" + std::to_string(i), 0}).empty());
  const std::string printed = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(printed.begin(), printed.end(), '\n'), 4);
  EXPECT_NE(printed.find("/nonexistent/2'"), std::string::npos);
  EXPECT_TRUE(printed.ends_with("more code objects cannot be read\n")) << printed;
}

// Half of the objects are evicted meanwhile.
TEST(DeviceSymbolizer, MoreObjectsThanCanBeOpen) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::path(testing::TempDir()) / "device_symbolizer_test";
  fs::create_directories(directory);
  DeviceSymbolizer symbolizer;
  for (int round = 0; round < 2; ++round)
    for (int i = 0; i < 200; ++i) {
      const fs::path copy = directory / std::to_string(i);
      if (round == 0) fs::copy_file(kCubin, copy, fs::copy_options::overwrite_existing);
      EXPECT_EQ(symbolizer.frames_at({copy, plain().offset}).back().function, "plain");
    }
  fs::remove_all(directory);
}

TEST(DeviceSymbolizer, ProducersOfAnIntelGpu) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  DeviceSymbolizer symbolizer;
  const std::string path = genuine::zebin("pvc");
  const KernelTable table{ElfFile(path)};
  const KernelCode& kernel = table.all().front();
  size_t producers = 0;
  for (uint64_t at = 0; at < kernel.size; at += 8)
    for (const uint64_t producer : symbolizer.producers_of({path, kernel.offset + at})) {
      EXPECT_EQ(symbolizer.kernel_at({path, producer})->name, kernel.name);
      EXPECT_NE(symbolizer.mnemonic_at({path, producer}).name, "");
      ++producers;
    }
  if (symbolizer.mnemonic_at({path, kernel.offset}).name.empty()) GTEST_SKIP() << "no disassembler";
  EXPECT_GT(producers, 0u);
}

}  // namespace
}  // namespace aiflame
