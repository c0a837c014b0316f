// SPDX-License-Identifier: MIT
#include "plugins/dlfilter/folded_samples.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame::dlfilter {
namespace {

std::string written(const FoldedSamples& samples) {
  const std::string path = testing::TempDir() + "folded_samples." + std::to_string(getpid());
  Output out(path);
  samples.write(out);
  out.close();
  std::string text;
  LineReader lines(path);
  for (std::string_view line; lines.next(line);) text.append(line).append("\n");
  std::remove(path.c_str());
  return text;
}

TEST(FoldedSamples, FoldsAsPerfScriptsTextIsFolded) {
  FoldedSamples it((FrameRules()));
  it.begin("V8 Worker ", 7, 8);
  it.frame(0x10, "run(float*)", "/usr/bin/node");
  it.frame(0xffffffff81000000, "", "[kernel.kallsyms]");
  it.frame(0x20, "", "");
  it.end(10);
  it.begin("a;b", 7, 7);
  it.frame(0x10, "odd\nname;", "/a");
  it.end(1);
  it.begin("V8 Worker", 9, 9);  // the same, but for parameters and addresses
  it.frame(0x11, "run(int)", "/usr/bin/node");
  it.frame(0xffffffff81000001, "", "[kernel.kallsyms]");
  it.frame(0x30, "", "");
  it.end(5);
  EXPECT_EQ(written(it), "V8_Worker;[unknown];[[kernel.kallsyms]];run 15\na:b;odd\\012name: 1\n");
}

TEST(FoldedSamples, RulesAreThoseOfTheProgram) {
  FrameRules rules;
  rules.tid = rules.kernel = rules.jit = rules.addresses = true;
  FoldedSamples it(rules);
  for (int address : {0x10, 0x20}) {
    it.begin("app", 7, 8);
    it.frame(0x1, "do_syscall_64", "[kernel.kallsyms]");
    it.frame(0x2, "f", "/tmp/perf-7.map");
    it.frame(static_cast<uint64_t>(address), "", "/a");
    it.end(1);
  }
  EXPECT_EQ(written(it),
            "app-7/8;[a <10>];f_[j];do_syscall_64_[k] 1\n"
            "app-7/8;[a <20>];f_[j];do_syscall_64_[k] 1\n");
}

TEST(FoldedSamples, JavaIsTidiedForJavaAlone) {
  FoldedSamples it((FrameRules()));
  for (const char* comm : {"java", "app"}) {
    it.begin(comm, 7, 7);
    it.frame(1, "Lorg/x/Main", "/tmp/perf-7.map");
    it.end(1);
  }
  EXPECT_EQ(written(it), "app;Lorg/x/Main 1\njava;org/x/Main 1\n");
}

TEST(FoldedSamples, NothingAndTooMuch) {
  FoldedSamples it((FrameRules()));
  EXPECT_EQ(written(it), "");
  it.begin("a", 1, 1);
  it.end(UINT64_MAX);
  it.begin("b", 1, 1);
  EXPECT_THROW(it.end(1), Error);
}

}  // namespace
}  // namespace aiflame::dlfilter
