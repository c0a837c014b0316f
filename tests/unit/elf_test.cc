// SPDX-License-Identifier: MIT
#include "libcommon/symbols/elf.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "libcommon/program.h"

// Two names of one address and a function with C linkage, found again in this very program.
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

const ElfFunction* by_name(const ElfFile& file, const std::string& name) {
  for (const ElfFunction& function : file.functions())
    if (function.name == name) return &function;
  return nullptr;
}

TEST(Elf, FindsAFunctionByItsAddress) {
  const ElfFile self("/proc/self/exe");
  EXPECT_EQ(self.machine(), EM_X86_64);
  const ElfFunction* target = by_name(self, "aiflame_elf_test_target");
  ASSERT_NE(target, nullptr);
  ASSERT_GT(target->size, 0u);
  EXPECT_EQ(self.function_at(target->start), target);
  EXPECT_EQ(self.function_at(target->start + target->size - 1), target);
  EXPECT_NE(self.function_at(target->start + target->size), target);
  EXPECT_EQ(self.function_at(UINT64_MAX), nullptr);
}

TEST(Elf, OfAliasesTheGlobalWinsOverTheWeak) {
  const ElfFile self("/proc/self/exe");
  EXPECT_EQ(by_name(self, "aiflame_elf_test_weak"), nullptr);
}

TEST(Elf, OffsetsAndAddressesAreInverse) {
  const ElfFile self("/proc/self/exe");
  const ElfFunction* target = by_name(self, "aiflame_elf_test_target");
  ASSERT_NE(target, nullptr);
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
  EXPECT_NE(by_name(libc, "qsort"), nullptr);
}

TEST(Elf, WhatIsNotElfIsAnError) {
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

// A small object, cut at every length and with every header byte turned over: never a crash.
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
