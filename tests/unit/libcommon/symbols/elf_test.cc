// SPDX-License-Identifier: MIT
#include "libcommon/symbols/elf.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "libcommon/base/program.h"

// A function with C linkage and two names for its address. The tests find it in this program.
extern "C" {
__attribute__((noinline, visibility("default"))) int aiflame_elf_test_target(int x) {
  return x * 7 + 1;
}
int aiflame_elf_test_weak(int x) __attribute__((weak, alias("aiflame_elf_test_target")));
}

namespace aiflame {
namespace {

std::string temporary(const std::string& content) {
  std::string path = testing::TempDir() + "elf_test_XXXXXX";
  const int fd = mkstemp(path.data());
  EXPECT_GE(fd, 0);
  EXPECT_EQ(write(fd, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  close(fd);
  return path;
}

std::string own_bytes() {
  std::ifstream in("/proc/self/exe", std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::optional<ElfFunction> by_name(const ElfFile& file, const std::string& name) {
  for (const ElfFunction& function : file.functions())
    if (function.name == name) return function;
  return std::nullopt;
}

TEST(Elf, FindsAFunctionByItsAddress) {
  const ElfFile self("/proc/self/exe");
  EXPECT_EQ(self.machine(), EM_X86_64);
  const auto target = by_name(self, "aiflame_elf_test_target");
  ASSERT_TRUE(target);
  ASSERT_GT(target->size, 0u);
  const auto name_at = [&](uint64_t address) {
    const auto function = self.function_at(address);
    return function ? std::string(function->name) : "none";
  };
  EXPECT_EQ(name_at(target->start), target->name);
  EXPECT_EQ(name_at(target->start + target->size - 1), target->name);
  EXPECT_NE(name_at(target->start + target->size), target->name);
  EXPECT_EQ(name_at(UINT64_MAX), "none");
  EXPECT_EQ(name_at(0), "none");
}

// A look-up of one address sorts and names only a few symbols. The result is the same as in the
// list of all functions.
TEST(Elf, SingleLookUpsAgreeWithTheWholeList) {
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/proc/self/exe"}) {
    const ElfFile all(path), one(path);
    const std::vector<ElfFunction> functions = all.functions();
    ASSERT_GT(functions.size(), 1000u);
    // backwards, so that ranges are not visited in their order
    for (size_t i = functions.size(); i-- > 0;) {
      const ElfFunction& function = functions[i];
      ASSERT_TRUE(i == 0 || functions[i - 1].start < function.start);
      if (function.size == 0) continue;
      for (const uint64_t address : {function.start, function.start + function.size - 1}) {
        // of the last eight functions that start at or before the address, the last one that holds
        // it
        size_t holder = static_cast<size_t>(
            std::upper_bound(functions.begin(), functions.end(), address,
                             [](uint64_t at, const ElfFunction& f) { return at < f.start; }) -
            functions.begin());
        int steps = 0;
        do --holder;
        while (address - functions[holder].start >= functions[holder].size && holder > 0 &&
               ++steps < 8);
        if (steps == 8) continue;
        const auto found = one.function_at(address);
        ASSERT_TRUE(found) << function.name;
        ASSERT_EQ(found->name, functions[holder].name);
        ASSERT_EQ(found->start, functions[holder].start);
        ASSERT_EQ(found->size, functions[holder].size);
      }
    }
  }
}

TEST(Elf, OfAliasesTheGlobalWinsOverTheWeak) {
  const ElfFile self("/proc/self/exe");
  EXPECT_FALSE(by_name(self, "aiflame_elf_test_weak"));
}

TEST(Elf, OffsetsAndAddressesAreInverse) {
  const ElfFile self("/proc/self/exe");
  const auto target = by_name(self, "aiflame_elf_test_target");
  ASSERT_TRUE(target);
  const auto offset = self.offset_of_vaddr(target->start);
  ASSERT_TRUE(offset);
  EXPECT_EQ(self.vaddr_of_offset(*offset), target->start);
  EXPECT_FALSE(self.vaddr_of_offset(UINT64_MAX));
  EXPECT_FALSE(self.offset_of_vaddr(UINT64_MAX));
  EXPECT_EQ(self.bytes_at(target->start, 16), own_bytes().substr(*offset, 16));
  EXPECT_EQ(self.bytes_at(UINT64_MAX, 16), "");
}

TEST(Elf, BuildIdIsHexadecimal) {
  const std::string id = ElfFile("/bin/sh").build_id();
  EXPECT_EQ(id.size(), 40u);
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef"), std::string::npos);
}

TEST(Elf, AStrippedLibraryHasItsDynamicSymbols) {
  const ElfFile libc("/lib/x86_64-linux-gnu/libc.so.6");
  EXPECT_TRUE(by_name(libc, "qsort"));
}

TEST(Elf, WhatALibraryExportsHasItsAddress) {
  const ElfFile libc("/lib/x86_64-linux-gnu/libc.so.6");
  const auto qsort = by_name(libc, "qsort");
  ASSERT_TRUE(qsort);
  EXPECT_EQ(libc.export_at("qsort"), qsort->start);
  EXPECT_TRUE(libc.export_at("environ"));  // a variable
  EXPECT_FALSE(libc.export_at("qsor"));
  EXPECT_FALSE(libc.export_at(""));
  // What a program needs from others is no export of its own; no sanitizer defines this one.
  EXPECT_FALSE(ElfFile("/proc/self/exe").export_at("mkfifo"));
}

TEST(Elf, OtherFilesAreErrors) {
  EXPECT_THROW(ElfFile("/nonexistent"), Error);
  EXPECT_THROW(ElfFile("/"), Error);
  EXPECT_THROW(ElfFile("/dev/zero"), Error);
  EXPECT_THROW(ElfFile(temporary("")), Error);
  EXPECT_THROW(ElfFile(temporary("\x7f"
                                 "ELF")),
               Error);
  const std::string fifo = temporary("");
  unlink(fifo.c_str());
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_THROW(ElfFile{fifo}, Error);
  unlink(fifo.c_str());
}

TEST(Elf, AnObjectThatWasCutIsKnown) {
  const std::string path = temporary(own_bytes());
  EXPECT_FALSE(ElfFile(path).is_cut());
  const auto size = static_cast<off_t>(ElfFile(path).size());
  for (const off_t part : {size - 1, size / 2, off_t{4096}}) {
    ASSERT_EQ(truncate(path.c_str(), part), 0);
    EXPECT_TRUE(ElfFile(path).is_cut()) << part;
  }
  unlink(path.c_str());
}

// A small object, cut at every length and with every header byte inverted: never a crash.
TEST(Elf, HostileObjectsAreReadOrRefused) {
  const std::string good = own_bytes().substr(0, 4096);
  std::ifstream in("/usr/lib/x86_64-linux-gnu/crti.o", std::ios::binary);
  std::ostringstream small;
  small << in.rdbuf();
  for (const std::string& bytes : {good, small.str()}) {
    if (bytes.empty()) continue;
    for (size_t i = 0; i < bytes.size(); i += i < 256 ? 1 : 13) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(~damaged[i]);
      for (const std::string& text : {damaged, bytes.substr(0, i)}) {
        const std::string path = temporary(text);
        try {
          const ElfFile file(path);
          for (const ElfFunction& function : file.functions()) {
            file.function_at(function.start);
            file.bytes_at(function.start, 64);
          }
          file.build_id();
        } catch (const Error&) {
        }
        unlink(path.c_str());
      }
    }
  }
}

}  // namespace
}  // namespace aiflame
