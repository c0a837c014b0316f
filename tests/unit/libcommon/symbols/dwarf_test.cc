// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf.h"

#include <elf.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "libcommon/io/read_text.h"
#include "libcommon/symbols/elf.h"

// The tests find these functions in this program: one, and the one inlined into it.
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
  DwarfFile dwarf("/proc/self/exe"), named("/proc/self/exe", "", SourceDetail::names);
  std::optional<ElfFunction> outer;
  for (const ElfFunction& function : elf.functions())
    if (function.name == "aiflame_dwarf_test_outer") outer = function;
  ASSERT_TRUE(outer);
  std::set<std::string> innermost;
  for (uint64_t at = outer->start; at < outer->start + outer->size; ++at) {
    const auto& frames = dwarf.frames_at(at);
    ASSERT_FALSE(frames.empty());
    const auto& names = named.frames_at(at);
    ASSERT_EQ(names.size(), frames.size());
    for (size_t i = 0; i < names.size(); ++i) {
      EXPECT_EQ(names[i].function, frames[i].function);
      EXPECT_EQ(names[i].linkage, frames[i].linkage);
      EXPECT_EQ(names[i].file + names[i].declared, "");
      EXPECT_EQ(names[i].line, 0u);
    }
    EXPECT_EQ(frames.back().function, "aiflame_dwarf_test_outer");
    EXPECT_TRUE(frames.back().declared.ends_with("dwarf_test.cc"));
    innermost.insert(frames.front().function);
    if (frames.size() == 2) {
      EXPECT_TRUE(frames.back().file.ends_with("dwarf_test.cc"));
      EXPECT_GT(frames.back().line, 0u);
      EXPECT_GT(frames.back().column, 0u);  // of the call
    }
  }
  EXPECT_EQ(innermost.count("_Z26aiflame_dwarf_test_inlinedPKfi"), 1u);
}

TEST(Dwarf, UnreadableFilesHaveNoFrames) {
  for (const char* path : {"/nonexistent", "/", "/dev/zero", "/bin/sh", "/etc/passwd"})
    EXPECT_TRUE(DwarfFile(path).frames_at(0x1000).empty()) << path;
}

// An object of a small program, compiled by each test.
class DwarfOfObject : public testing::Test {
 protected:
  const std::string path_ = testing::TempDir() + "dwarf_test_object." + std::to_string(getpid());

  // False when there is no compiler.
  bool compile(const std::string& options) {
    const std::string source = path_ + ".cc";
    std::ofstream(source) << "inline int g(int x) { return x * x ^ 3; }\n"
                             "extern \"C\" int f(int x) { return g(x) + g(x + 1); }\n";
    return run("g++ -g -O1 -fPIC " + options + " -o '" + path_ + "' '" + source + "'");
  }
  static bool run(const std::string& command) {
    return std::system((command + " 2>/dev/null").c_str()) == 0;
  }
  std::string bytes() const { return read_text(path_, size_t{1} << 30); }
  void write(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << bytes;
  }
  uint64_t f() const {
    const ElfFile elf(path_);  // owns the names
    for (const ElfFunction& function : elf.functions())
      if (function.name == "f") return function.start;
    return 0;
  }
  // The frames of 16 bytes from `f` on, as text.
  std::string frames(uint64_t f) const {
    std::ostringstream out;
    DwarfFile dwarf(path_);
    for (uint64_t at = f; at < f + 16; ++at)
      for (const SourceFrame& frame : dwarf.frames_at(at))
        out << at << ' ' << frame.function << ' ' << frame.line << ' ' << frame.declared << '\n';
    return out.str();
  }
  ~DwarfOfObject() override {
    unlink(path_.c_str());
    unlink((path_ + ".cc").c_str());
  }
};

// Inverted bytes: any result but a crash or a hang.
TEST_F(DwarfOfObject, DamagedDebugInformation) {
  for (const char* options : {"-shared", "-shared -gz"}) {
    if (!compile(options)) GTEST_SKIP() << "no g++";
    const std::string good = bytes();
    const uint64_t at = f();
    ASSERT_NE(frames(at), "");
    for (size_t i = good.size() / 2; i < good.size(); i += 5) {
      std::string damaged = good;
      damaged[i] = static_cast<char>(~damaged[i]);
      write(damaged);
      frames(at);
    }
  }
}

// Also in an object that is not linked. libdwfl relocates it and places it at kFirst; before
// elfutils 0.189 libdwfl cannot read zstd.
TEST_F(DwarfOfObject, CompressedDebugInformationIsTheSame) {
  constexpr uint64_t kFirst = 0x10000;
  for (const std::string options : {"-shared", "-c"}) {
    if (!compile(options)) GTEST_SKIP() << "no g++";
    const uint64_t at = options == "-c" ? kFirst : f();
    const std::string plain = bytes(), expected = frames(at);
    ASSERT_NE(expected.find("_Z1gi"), std::string::npos) << options;
    for (const std::string kind : {"zlib-gabi", "zlib-gnu", "zstd"}) {
      if (options == "-c" && kind == "zstd") continue;
      write(plain);
      // an older objcopy does not support zstd
      if (!run("objcopy --compress-debug-sections=" + kind + " '" + path_ + "'")) continue;
      EXPECT_NE(bytes(), plain) << kind;
      EXPECT_EQ(frames(at), expected) << kind << ' ' << options;
    }
  }
}

// The names are followed by zeros, up to 2 or 64 MiB: compressed, that is next to nothing. It is
// read only below the limit of InflatedSections.
TEST_F(DwarfOfObject, CompressedSectionsThatInflateToTooMuch) {
  if (!compile("-shared")) GTEST_SKIP() << "no g++";
  const std::string plain = bytes();
  const uint64_t at = f();
  for (const std::string kind : {"zlib-gabi", "zlib-gnu"})
    for (const bool too_much : {false, true}) {
      write(plain);
      const std::string names = path_ + ".names";
      const uintmax_t size = uintmax_t{too_much ? 64u : 2u} << 20;
      const auto objcopy = [this](std::string option) {
        return run(option.insert(0, "objcopy ").append(" '").append(path_).append("'"));
      };
      ASSERT_TRUE(objcopy("--dump-section .debug_str=" + names));
      std::filesystem::resize_file(names, size);
      ASSERT_TRUE(objcopy("--update-section .debug_str=" + names));
      ASSERT_TRUE(objcopy("--compress-debug-sections=" + kind));
      unlink(names.c_str());
      ASSERT_LT(bytes().size(), size_t{1} << 20);
      EXPECT_EQ(frames(at).find("_Z1gi") == std::string::npos, too_much) << kind;
    }
}

// A section must not make us allocate memory that it cannot fill.
TEST_F(DwarfOfObject, CompressedSectionsThatClaimTooMuch) {
  if (!compile("-shared -gz")) GTEST_SKIP() << "no g++";
  const std::string good = bytes();
  const uint64_t at = f();
  size_t damaged_headers = 0;
  for (const ElfSection& section : ElfFile(path_).sections()) {
    if ((section.flags & SHF_COMPRESSED) == 0) continue;
    for (const uint64_t claimed : {uint64_t{1}, uint64_t{1} << 40, UINT64_MAX}) {
      std::string damaged = good;
      std::memcpy(damaged.data() + section.offset + offsetof(Elf64_Chdr, ch_size), &claimed,
                  sizeof claimed);
      write(damaged);
      frames(at);
      ++damaged_headers;
    }
  }
  EXPECT_GT(damaged_headers, 0u);
}

}  // namespace
}  // namespace aiflame
