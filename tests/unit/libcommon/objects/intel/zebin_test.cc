// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/zebin.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"
#include "libcommon/objects/intel/zebin_debug.h"
#include "libcommon/symbols/dwarf.h"
#include "tests/unit/genuine_zebins.h"

namespace aiflame {
namespace {

using namespace std::string_literals;

std::string note(const std::string& owner, uint32_t type, const std::string& description) {
  const auto word = [](size_t n) {
    std::string out;
    for (int i = 0; i < 4; ++i) out += static_cast<char>(n >> 8 * i & 0xff);
    return out;
  };
  const auto padded = [](std::string text) {
    while (text.size() % 4 != 0) text += '\0';
    return text;
  };
  return word(owner.size()) + word(description.size()) + word(type) + padded(owner) +
         padded(description);
}

TEST(Zebin, NotesSayForWhichGpu) {
  const std::string owner = "IntelGT\0"s;
  const std::string notes = note("GNU\0"s, 6, "\1\2\3\4"s) + note(owner, 4, "1.73\0"s) +
                            note(owner, 1, "\xf7\x04\0\0"s) + note(owner, 2, "\x08\x0c\0\0"s) +
                            note(owner, 6, "\7\0\x0f\3"s);
  const ZebinTarget target = read_zebin_notes(notes);
  EXPECT_EQ(target.product_family, 1271u);
  EXPECT_EQ(target.core_family, 0x0c08u);
  EXPECT_EQ(target.product_config, 0x030f0007u);
  EXPECT_EQ(iga_platform(target), "xehpc");
  // truncated, or with lengths that point elsewhere
  for (size_t size = 0; size < notes.size(); ++size) read_zebin_notes(notes.substr(0, size));
  for (size_t i = 0; i < notes.size(); ++i) {
    std::string damaged = notes;
    damaged[i] = '\xff';
    read_zebin_notes(damaged);
  }
}

TEST(Zebin, PlatformByWhateverIsThere) {
  const auto by_config = [](uint32_t architecture, uint32_t release) {
    return iga_platform({{}, {}, architecture << 22 | release << 14 | 3});
  };
  EXPECT_EQ(by_config(12, 0), "xe");
  EXPECT_EQ(by_config(12, 55), "xehpg");
  EXPECT_EQ(by_config(12, 60), "xehpc");
  EXPECT_EQ(by_config(12, 71), "xehpg");
  EXPECT_EQ(by_config(20, 1), "xe2");
  EXPECT_EQ(by_config(30, 0), "xe3");
  EXPECT_EQ(by_config(99, 0), "");
  EXPECT_EQ(iga_platform({1270, 0, {}}), "xehpg");  // as the compiler of 2022 writes them
  EXPECT_EQ(iga_platform({{}, 0x0c09, {}}), "xe2");
  EXPECT_EQ(iga_platform({99999, 99999, {}}), "");
  EXPECT_EQ(iga_platform({}), "");
}

TEST(Zebin, AnotherMachinesObjectHasNoCode) {
  const ElfFile self("/proc/self/exe");
  EXPECT_TRUE(Zebin(self).kernels().all().empty());
  EXPECT_EQ(Zebin(self).platform(), "");
}

TEST(Zebin, GenuineOnes) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  const std::map<std::string, std::string> platforms = {
      {"pvc", "xehpc"}, {"dg2", "xehpg"}, {"bmg", "xe2"}, {"lnl", "xe2"}, {"ptl", "xe3"}};
  for (const auto& [generation, platform] : platforms) {
    const ElfFile elf(genuine::zebin(generation));
    const Zebin zebin(elf);
    EXPECT_EQ(zebin.platform(), platform);
    ASSERT_EQ(zebin.kernels().all().size(), 3u);
    for (const KernelCode& code : zebin.kernels().all()) {
      EXPECT_EQ(zebin.kernels().at(code.offset), &code);
      EXPECT_EQ(zebin.kernels().at(code.offset + code.size - 1), &code);
      // the symbol table has the function, not an `_entry` inside it
      const auto function = elf.function_at(code.offset + 0x200);
      ASSERT_TRUE(function);
      EXPECT_EQ(function->name, code.name);
      EXPECT_EQ(function->start, code.offset);
    }
    EXPECT_EQ(zebin.kernels().at(0), nullptr);
    EXPECT_EQ(zebin.kernels().at(UINT64_MAX), nullptr);
  }
}

// Each instruction of each kernel of each generation has exactly the line in llvm-dwarfdump's
// table. Bytes after the code have none.
TEST(ZebinDebug, EveryInstructionHasItsLine) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  size_t instructions = 0, behind = 0;
  for (const std::string& generation : genuine::generations()) {
    const std::string path = genuine::zebin(generation);
    const ElfFile elf(path);
    const Zebin zebin(elf);
    const std::string image = relocated_debug_information(elf, zebin);
    DwarfFile dwarf(MemoryFile(image).path(), path);
    const auto tables = genuine::line_tables(generation);
    ASSERT_EQ(tables.size(), 3u);
    for (const KernelCode& code : zebin.kernels().all()) {
      const genuine::Lines& lines = tables.at(code.name);
      for (const auto& [offset, text] : genuine::assembly(generation, code.name)) {
        const auto& frames = dwarf.frames_at(code.offset + offset);
        const std::string where =
            format("%s %s %zu %s", generation.c_str(), code.name.c_str(), offset, text.c_str());
        if (offset >= lines.rbegin()->first) {
          EXPECT_TRUE(frames.empty()) << where;
          ++behind;
          continue;
        }
        ASSERT_EQ(frames.size(), 1u) << where;
        EXPECT_EQ(frames[0].function, code.name);
        EXPECT_EQ(frames[0].line, std::prev(lines.upper_bound(offset))->second) << where;
        EXPECT_TRUE(frames[0].file.ends_with("/matmul.cl")) << frames[0].file;
        EXPECT_TRUE(frames[0].declared.ends_with("/matmul.cl")) << frames[0].declared;
        ++instructions;
      }
    }
  }
  EXPECT_EQ(instructions, 1446u);
  EXPECT_EQ(behind, 141u);
}

TEST(ZebinDebug, CompilerOf2022) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  for (const auto& [line, kernel] : genuine::kernels())
    for (const char* device : {"pvc", "acm-g10"}) {
      const std::string path =
          genuine::directory() + "/bookworm/" + kernel + "." + device + ".zebin";
      const ElfFile elf(path);
      const Zebin zebin(elf);
      EXPECT_EQ(zebin.platform(), device == "pvc"s ? "xehpc" : "xehpg");
      DwarfFile dwarf(MemoryFile(relocated_debug_information(elf, zebin)).path(), path);
      const auto& frames = dwarf.frames_at(zebin.kernels().all().at(0).offset + 0x200);
      ASSERT_EQ(frames.size(), 1u);
      EXPECT_EQ(frames[0].function, kernel);
      EXPECT_GT(frames[0].line, 0u);
    }
}

TEST(ZebinDebug, InlinedFunctionsAndThoseThatAreCalled) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  for (const char* generation : {"pvc", "bmg"}) {
    const std::string path = genuine::zebin(generation, "helper");
    const ElfFile elf(path);
    const Zebin zebin(elf);
    DwarfFile dwarf(MemoryFile(relocated_debug_information(elf, zebin)).path(), path);
    std::map<std::string, int> chains;
    for (uint64_t at = 0; at < zebin.kernels().all().at(0).size; at += 8) {
      std::string chain;
      for (const SourceFrame& frame : dwarf.frames_at(zebin.kernels().all()[0].offset + at))
        chain += frame.function + "<";
      ++chains[chain];
    }
    EXPECT_GT(chains["with_helpers<"], 10);
    EXPECT_GT(chains["dot_step<with_helpers<"], 2);
    EXPECT_GT(chains["slow_tail<"], 10);
  }
}

// Truncated anywhere and with any byte inverted: no crash, no hang, and no image longer than the
// file.
TEST(ZebinDebug, Damaged) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  const std::string whole = genuine::slurp(genuine::zebin("bmg"));
  size_t read = 0;
  const auto try_one = [&](const std::string& bytes) {
    const MemoryFile file(bytes);
    try {
      const ElfFile elf(file.path());
      const Zebin zebin(elf);
      const std::string image = relocated_debug_information(elf, zebin);
      EXPECT_LE(image.size(), bytes.size() + 4096);
      if (image.empty()) return;
      DwarfFile dwarf(MemoryFile(image).path());
      for (const KernelCode& code : zebin.kernels().all()) dwarf.frames_at(code.offset + 0x200);
      ++read;
    } catch (const std::exception&) {
    }
  };
  for (size_t size = 0; size < whole.size(); size += 97) try_one(whole.substr(0, size));
  for (size_t i = 0; i < whole.size(); i += i < 64 || i > whole.size() - 2000 ? 1 : 13) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(~damaged[i]);
    try_one(damaged);
  }
  EXPECT_GT(read, 500u);
}

}  // namespace
}  // namespace aiflame
