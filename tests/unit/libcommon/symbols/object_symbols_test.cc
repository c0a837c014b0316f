// SPDX-License-Identifier: MIT
#include "libcommon/symbols/object_symbols.h"

#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <algorithm>

#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame {
namespace {

TEST(ObjectSymbols, AnotherBuildHasNoNames) {
  EXPECT_NE(ObjectSymbols::of_file("/proc/self/exe", "").object(), nullptr);
  EXPECT_EQ(ObjectSymbols::of_file("/proc/self/exe", "1234567890123456").object(), nullptr);
  EXPECT_EQ(ObjectSymbols::of_file("/nowhere", "").object(), nullptr);
  EXPECT_EQ(ObjectSymbols::of_file("/nowhere", "").at(0), std::nullopt);
}

TEST(ObjectSymbols, CallsIntoOtherObjectsAreNamed) {
  const ElfFile self("/proc/self/exe");
  const ObjectSymbols symbols = ObjectSymbols::of_file("/proc/self/exe", "");
  const std::vector<ElfSection> sections = self.sections();
  const auto stubs = std::find_if(sections.begin(), sections.end(),
                                  [](const ElfSection& each) { return each.name == ".plt"; });
  if (stubs == sections.end()) GTEST_SKIP() << "linked without a procedure linkage table";
  constexpr uint64_t kSize = 16;
  // the first is the header, which calls nothing by name
  EXPECT_FALSE(self.stub_at(stubs->address));
  EXPECT_FALSE(self.stub_at(stubs->address + stubs->size));
  const auto last = self.stub_at(stubs->address + stubs->size - 1);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->start, stubs->address + stubs->size - kSize);
  const auto offset = self.offset_of_vaddr(last->start);
  ASSERT_TRUE(offset);
  EXPECT_EQ(symbols.at(*offset + 1), demangle(last->name, false) + "@plt");
}

// GNU ld writes no size of stubs for AArch64; its header has 32 bytes.
TEST(ObjectSymbols, Aarch64CallsIntoOtherObjectsAreNamed) {
  const char* const path = "tests/data/aarch64/frames.so";
  const ElfFile file(path);
  EXPECT_FALSE(file.stub_at(0x3d0));
  EXPECT_FALSE(file.stub_at(0x3ef));
  for (const uint64_t vaddr : {uint64_t{0x400}, uint64_t{0x40f}}) {
    const auto stub = file.stub_at(vaddr);
    ASSERT_TRUE(stub);
    EXPECT_EQ(stub->name, "other");
    EXPECT_EQ(stub->start, 0x400u);
    EXPECT_EQ(stub->size, 16u);
  }
  EXPECT_EQ(file.stub_at(0x3f0)->name, "leaf");
  EXPECT_FALSE(file.stub_at(0x410));
  const ObjectSymbols symbols = ObjectSymbols::of_file(path, "");
  EXPECT_EQ(symbols.at(0x408), "other@plt");
  EXPECT_EQ(symbols.at(0x428), "through");
}

// Of a recording without build ids, the file at a path may be this machine's.
TEST(ObjectSymbols, AnotherMachinesFileHasNoNames) {
  const char* const path = "tests/data/aarch64/frames.so";
  EXPECT_EQ(ObjectSymbols::of_file(path, "", SourceDetail::places, "x86_64").object(), nullptr);
  EXPECT_NE(ObjectSymbols::of_file(path, "", SourceDetail::places, "aarch64").object(), nullptr);
  EXPECT_NE(ObjectSymbols::of_file(path, "", SourceDetail::places, "riscv64").object(), nullptr);
}

TEST(ObjectSymbols, TheVdsoIsThatOfThisProcess) {
  if (getauxval(AT_SYSINFO_EHDR) == 0) GTEST_SKIP() << "no vdso";
  const ObjectSymbols vdso = ObjectSymbols::of_vdso("");
  ASSERT_NE(vdso.object(), nullptr);
  ASSERT_FALSE(vdso.object()->functions().empty());
  EXPECT_TRUE(vdso.at(*vdso.object()->offset_of_vaddr(vdso.object()->functions().front().start)));
  EXPECT_EQ(ObjectSymbols::of_vdso("00").object(), nullptr);
}

TEST(FindObject, FilesInTheOrderOfPerf) {
  const auto files = symbol_files("/usr/lib/x.so", "12abcd", "x.debug");
  ASSERT_GE(files.size(), 7u);
  EXPECT_EQ(files.front(), "/usr/lib/x.debug");
  EXPECT_EQ(files[2], "/usr/lib/debug/usr/lib/x.debug");
  EXPECT_EQ(files.back(), "/usr/lib/x.so");
  EXPECT_EQ(files[files.size() - 2], "/usr/lib/debug/.build-id/12/abcd.debug");
  for (const auto& file : symbol_files("/x", "../../etc", "../x"))
    EXPECT_EQ(file.find(".."), std::string::npos) << file;
}

}  // namespace
}  // namespace aiflame
