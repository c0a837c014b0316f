// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "libcommon/symbols/elf.h"

// Found again in this very program, with what is inlined into it.
__attribute__((always_inline)) inline float aiflame_dwarf_test_inlined(const float* in, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += in[i] * 1.5f;
  return sum;
}

extern "C" __attribute__((noinline, visibility("default"))) float aiflame_dwarf_test_outer(
    const float* in, int n) {
  return aiflame_dwarf_test_inlined(in, n) + aiflame_dwarf_test_inlined(in + n, n);
}

namespace aiflame {
namespace {

TEST(Dwarf, InlinedFunctionsInnermostFirst) {
  volatile int n = 0;
  float zero[2] = {};
  EXPECT_EQ(aiflame_dwarf_test_outer(zero, n), 0.0f);
  const ElfFile elf("/proc/self/exe");
  DwarfFile dwarf("/proc/self/exe");
  std::optional<ElfFunction> outer;
  for (const ElfFunction& function : elf.functions())
    if (function.name == "aiflame_dwarf_test_outer") outer = function;
  ASSERT_TRUE(outer);
  std::set<std::string> innermost;
  for (uint64_t at = outer->start; at < outer->start + outer->size; ++at) {
    const auto& frames = dwarf.frames_at(at);
    ASSERT_FALSE(frames.empty());
    EXPECT_EQ(frames.back().function, "aiflame_dwarf_test_outer");
    EXPECT_TRUE(frames.back().declared.ends_with("dwarf_test.cc"));
    innermost.insert(frames.front().function);
    if (frames.size() == 2) {
      EXPECT_TRUE(frames.back().file.ends_with("dwarf_test.cc"));
      EXPECT_GT(frames.back().line, 0u);
    }
  }
  EXPECT_EQ(innermost.count("_Z26aiflame_dwarf_test_inlinedPKfi"), 1u);
}

TEST(Dwarf, WhatIsNotThereAnswersWithNothing) {
  for (const char* path : {"/nonexistent", "/", "/dev/zero", "/bin/sh", "/etc/passwd"})
    EXPECT_TRUE(DwarfFile(path).frames_at(0x1000).empty()) << path;
}

// Debug information with bytes turned over: anything but a crash or a hang. The section's bytes
// are found by the name of a function that only they hold.
TEST(Dwarf, DamagedDebugInformation) {
  const std::string path = testing::TempDir() + "dwarf_test_object." + std::to_string(getpid());
  const std::string source = path + ".cc";
  std::ofstream(source) << "inline int g(int x) { return x * 3; }\n"
                           "extern \"C\" int f(int x) { return g(x) + g(x + 1); }\n";
  const std::string command =
      "g++ -g -O1 -shared -fPIC -o '" + path + "' '" + source + "' 2>/dev/null";
  if (std::system(command.c_str()) != 0) GTEST_SKIP() << "no g++";
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  const std::string good = out.str();
  const ElfFile elf(path);
  uint64_t f = 0;
  for (const ElfFunction& function : elf.functions())
    if (function.name == "f") f = function.start;
  ASSERT_NE(f, 0u);
  ASSERT_FALSE(DwarfFile(path).frames_at(f).empty());
  const size_t begin = good.size() / 2;
  for (size_t i = begin; i < good.size(); i += 5) {
    std::string damaged = good;
    damaged[i] = static_cast<char>(~damaged[i]);
    std::ofstream(path, std::ios::binary | std::ios::trunc) << damaged;
    DwarfFile dwarf(path);
    for (uint64_t at = f; at < f + 16; ++at) dwarf.frames_at(at);
  }
  unlink(path.c_str());
  unlink(source.c_str());
}

}  // namespace
}  // namespace aiflame
