// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/iga.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <random>

#include "libcommon/objects/intel/zebin.h"
#include "tests/unit/genuine_zebins.h"

namespace aiflame {
namespace {

bool library_is_there() {
  static const bool is = dlopen("libiga64.so.1", RTLD_LAZY) != nullptr;
  return is;
}

// Sets PATH for as long as it lives.
class Path {
 public:
  explicit Path(const std::string& path) : before_(value()) { setenv("PATH", path.c_str(), 1); }
  ~Path() { setenv("PATH", before_.c_str(), 1); }
  Path(const Path&) = delete;
  Path& operator=(const Path&) = delete;

 private:
  static std::string value() {
    const char* path = std::getenv("PATH");
    return path == nullptr ? "" : path;
  }

  std::string before_;
};

// Writes a program into a directory of its own.
class Program {
 public:
  explicit Program(const std::string& text)
      : directory_(testing::TempDir() + "iga_test." + std::to_string(getpid())) {
    std::filesystem::create_directory(directory_);
    std::ofstream(directory_ + "/iga64") << text;
    std::filesystem::permissions(directory_ + "/iga64", std::filesystem::perms::owner_all);
  }
  ~Program() { std::filesystem::remove_all(directory_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  const std::string& directory() const { return directory_; }

 private:
  std::string directory_;
};

std::string code_of(const std::string& generation, const std::string& kernel) {
  const ElfFile elf(genuine::zebin(generation));
  const Zebin zebin(elf);
  for (const KernelCode& code : zebin.kernels().all())
    if (code.name == kernel) {
      ElfSection section;
      section.offset = code.offset;
      section.size = code.size;
      return elf.bytes_of(section);
    }
  return "";
}

TEST(Iga, TheLibraryNamesEveryInstructionOfTheGenerationsThatItKnows) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  if (!library_is_there()) GTEST_SKIP() << "no libiga64.so.1 (libigc1)";
  const Path path("/nonexistent");
  Iga iga;
  size_t instructions = 0;
  for (const auto& [generation, platform] :
       std::map<std::string, std::string>{{"pvc", "xehpc"}, {"dg2", "xehpg"}})
    for (const auto& [line, kernel] : genuine::kernels()) {
      const Iga::Listing listing = iga.disassemble(platform, code_of(generation, kernel));
      EXPECT_EQ(listing.failure, DisassemblyFailure::none);
      const auto expected = genuine::assembly(generation, kernel);
      // the padding at the end of the code may be split differently
      for (const auto& [offset, text] : expected) {
        const IgaInstruction* found = instruction_at(listing.code, offset);
        const std::string mnemonic = genuine::mnemonic(text);
        if (mnemonic == "illegal") continue;
        ASSERT_NE(found, nullptr) << generation << " " << kernel << " " << offset;
        EXPECT_EQ(found->offset, offset);
        EXPECT_EQ(found->mnemonic, mnemonic);
        ++instructions;
      }
    }
  EXPECT_EQ(instructions, 659u);
}

TEST(Iga, AGpuThatIsNewerThanTheLibrary) {
  if (!library_is_there()) GTEST_SKIP() << "no libiga64.so.1 (libigc1)";
  {
    const Path path("/nonexistent");
    const Iga::Listing listing = Iga().disassemble("xe99", std::string(64, '\0'));
    EXPECT_EQ(listing.failure, DisassemblyFailure::unknown_gpu);
    EXPECT_TRUE(listing.code.empty());
  }
  // a program that does not know the GPU either
  const Program old("#!/bin/sh\nexit 1\n");
  const Path path(old.directory() + ":/usr/bin:/bin");
  EXPECT_EQ(Iga().disassemble("xe99", std::string(64, '\0')).failure,
            DisassemblyFailure::unknown_gpu);
}

TEST(Iga, TheProgramIsRunWhereTheLibraryDoesNotKnowTheGpu) {
  const Program program(
      "#!/bin/sh\n"
      "[ \"$*\" = '-d -p=xe99 -Xprint-pc /dev/fd/3' ] || exit 1\n"
      "printf 'L0:\\n/* [0000]  */ (W)  send.ugm (1|M0)  r1  r2 {$0}\\n'\n"
      "printf '/* [%04X]  */  mov (1|M0)  r1 {$0.dst}\\n' $(wc -c < /dev/fd/3)\n");
  const Path path(program.directory() + ":/usr/bin:/bin");
  Iga iga;
  const Iga::Listing listing = iga.disassemble("xe99", std::string(64, 'x'));
  EXPECT_EQ(listing.failure, DisassemblyFailure::none);
  ASSERT_EQ(listing.code.size(), 2u);
  EXPECT_EQ(listing.code[0].mnemonic, "send.ugm");
  EXPECT_EQ(listing.code[1].offset, 64u);
}

TEST(Iga, AProgramThatFailsOnOneKernelIsRunForTheNext) {
  const Program program(
      "#!/bin/sh\n"
      "case $(wc -c < /dev/fd/3) in 64) exit 1 ;; 80) kill -11 $$ ;; esac\n"
      "echo '/* [0000]  */ mov'\n");
  const Path path(program.directory() + ":/usr/bin:/bin");
  Iga iga;
  EXPECT_EQ(iga.disassemble("xe99", std::string(64, 'x')).failure, DisassemblyFailure::failed);
  EXPECT_EQ(iga.disassemble("xe99", std::string(80, 'x')).failure, DisassemblyFailure::failed);
  EXPECT_EQ(iga.disassemble("xe99", std::string(32, 'x')).failure, DisassemblyFailure::none);
  EXPECT_EQ(iga.disassemble("xe99", "").failure, DisassemblyFailure::failed);
}

TEST(Iga, AProgramThatDoesNotEndIsNotRunAgain) {
  const Program program(
      "#!/bin/sh\n"
      "case $(wc -c < /dev/fd/3) in 64) kill -XCPU $$ ;; esac\n"  // as its time limit does
      "echo '/* [0000]  */ mov'\n");
  const Path path(program.directory() + ":/usr/bin:/bin");
  Iga iga;
  EXPECT_EQ(iga.disassemble("xe99", std::string(32, 'x')).failure, DisassemblyFailure::none);
  EXPECT_EQ(iga.disassemble("xe99", std::string(64, 'x')).failure, DisassemblyFailure::out_of_time);
  EXPECT_EQ(iga.disassemble("xe99", std::string(32, 'x')).failure, DisassemblyFailure::out_of_time);
}

TEST(Iga, AProgramThatWasKilledDidNotTakeTooLong) {
  const Program program("#!/bin/sh\nkill -9 $$\n");
  const Path path(program.directory() + ":/usr/bin:/bin");
  Iga iga;
  EXPECT_EQ(iga.disassemble("xe99", std::string(64, 'x')).failure, DisassemblyFailure::killed);
}

// The library of Debian 12 crashes on some of these; this process does not.
TEST(Iga, DamagedCode) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  if (!library_is_there()) GTEST_SKIP() << "no libiga64.so.1 (libigc1)";
  const Path path("/nonexistent");
  const std::string whole = code_of("pvc", "multiply_basic");
  std::mt19937 random(1);
  Iga iga;
  for (int i = 0; i < 60; ++i) {
    std::string code = whole;
    for (int bits = 0; bits < 30; ++bits)
      code[random() % code.size()] ^= static_cast<char>(1 << random() % 8);
    const Iga::Listing listing = iga.disassemble("xehpc", code);
    EXPECT_LE(listing.code.size(), code.size() / 8);
    for (const IgaInstruction& each : listing.code) EXPECT_LT(each.offset, code.size());
  }
}

}  // namespace
}  // namespace aiflame
