// SPDX-License-Identifier: MIT
#include "libcommon/symbols/object_symbols.h"

#include <gtest/gtest.h>
#include <sys/auxv.h>

#include <algorithm>

#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/find_object.h"
#include "libcommon/symbols/kallsyms.h"

namespace aiflame {
namespace {

TEST(Kallsyms, AFunctionLastsUntilTheNext) {
  Kallsyms kernel(
      "ffffffff81000000 T _stext\nffffffff81000000 T _text\nffffffff81000100 t work\t[module]\n"
      "ffffffff81000080 A not_code\nffffffff81000200 D data\nodd line\nffffffff81000300\n");
  EXPECT_EQ(kernel.at(0xffffffff81000000), "_text");  // of two, the last
  EXPECT_EQ(kernel.at(0xffffffff810000ff), "_text");
  EXPECT_EQ(kernel.at(0xffffffff81000101), "work");
  EXPECT_EQ(kernel.at(0xffffffff81000000 - 1), std::nullopt);
  EXPECT_EQ(kernel.at(0xffffffff81009000), std::nullopt);
}

TEST(Kallsyms, TheKernelMayHaveStoodElsewhere) {
  Kallsyms kernel("ffffffff91000000 T _text\nffffffff91000100 T work\n");
  kernel.relocate("_text", 0xffffffff81000000);
  EXPECT_EQ(kernel.at(0xffffffff81000110), "work");
  EXPECT_EQ(kernel.at(0xffffffff80ffffff), std::nullopt);
}

TEST(Kallsyms, HiddenAddressesAreNone) {
  EXPECT_TRUE(Kallsyms("0000000000000000 T _text\n0000000000000000 T work\n").empty());
  EXPECT_TRUE(Kallsyms("").empty());
}

TEST(Kallsyms, IsReadInWhateverOrderAndWidth) {
  Kallsyms kernel("c0000200 t later\nc0000100 T first\t[module]\nFFFFFFFFC0000300 T wide\n");
  EXPECT_EQ(kernel.at(0xc0000100), "first");
  EXPECT_EQ(kernel.at(0xc0000201), "later");
  EXPECT_EQ(kernel.at(0xffffffffc0000301), "wide");
  EXPECT_EQ(kernel.start_of(0xffffffffc0000301), 0xffffffffc0000300);
}

TEST(JitSymbols, AMapFileIsReadAsItIs) {
  const JitSymbols jit(
      "1000 100 LMain;run(I)V with blanks\n0x2000 0x10 hex\nnot a line\n3000 10\n1000 80 again\n");
  EXPECT_EQ(jit.at(0x1000), "again");
  EXPECT_EQ(jit.at(0x1090), "LMain;run(I)V with blanks");
  EXPECT_EQ(jit.at(0x200f), "hex");
  EXPECT_EQ(jit.at(0x2010), std::nullopt);
  EXPECT_EQ(jit.at(0x3000), std::nullopt);
  EXPECT_EQ(JitSymbols("").at(0), std::nullopt);
}

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

TEST(ObjectSymbols, TheVdsoIsThisProcesses) {
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
