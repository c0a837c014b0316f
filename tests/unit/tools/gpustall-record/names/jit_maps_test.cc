// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/names/jit_maps.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "libcommon/memory/memory_file.h"
#include "tools/gpustall-record/names/cpu_names.h"
#include "tools/gpustall-record/names/perf_map_file.h"

namespace aiflame::record {
namespace {

TEST(JitMaps, TheInnermostNumberIsTheLast) {
  EXPECT_EQ(innermost_pid("Name:\tx\nNStgid:\t4711\t12\t7\nNSpid:\t4711\t9\n"), 7U);
  EXPECT_EQ(innermost_pid("Name:\tx\nNStgid:\t4711\n"), 4711U);
  EXPECT_EQ(innermost_pid("Name:\tNStgid:\t1\n"), 0U);
  EXPECT_EQ(innermost_pid(""), 0U);
}

// A map of this process, which a child reads as it reads those of others.
class JitMapsTest : public testing::Test {
 protected:
  ~JitMapsTest() override { unlink(path_.c_str()); }

  void write(const std::string& lines) { std::ofstream(path_, std::ios::app) << lines; }
  GpustallFrame frame(uint64_t address) {
    names_.read_ahead(pid_, {{address, false}});
    return names_.frame_at(pid_, {address, false});
  }

  const uint32_t pid_ = static_cast<uint32_t>(getpid());
  const std::string path_ = JitMaps::object(pid_);
  Budgets budgets_;
  CpuNames names_{budgets_};
};

TEST_F(JitMapsTest, CompiledFunctionsHaveNamesAlsoThoseThatComeLater) {
  names_.add_mapping(pid_, 0x1000, 0x9000, 0, "");
  EXPECT_EQ(frame(0x1010).object, "//anon");
  write("1000 100 one\n2000 100 tw");
  // looked for again after some frames
  for (int i = 0; i < 4; ++i) frame(0x1010);
  EXPECT_EQ(frame(0x1010).symbol, "one");
  EXPECT_EQ(frame(0x1010).offset, 0x10U);
  EXPECT_EQ(frame(0x1010).object, path_);
  EXPECT_EQ(frame(0x2010).symbol, "[unknown]");  // half of its line is there
  write("o\n");
  for (int i = 0; i < 4; ++i) frame(0x2010);
  EXPECT_EQ(frame(0x2010).symbol, "two");
  EXPECT_EQ(names_.unread(), 0U);
  EXPECT_TRUE(names_.objects().empty());
}

TEST_F(JitMapsTest, WhatIsTooLargeIsGivenUp) {
  write("1000 100 one\n");
  ASSERT_EQ(truncate(path_.c_str(), off_t{1} << 40), 0);
  names_.add_mapping(pid_, 0x1000, 0x9000, 0, "");
  EXPECT_EQ(frame(0x1010).symbol, "[unknown]");
  EXPECT_EQ(names_.unread(), 1U);
}

}  // namespace
}  // namespace aiflame::record
