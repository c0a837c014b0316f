// SPDX-License-Identifier: MIT
// Genuine cubins, each with the line table that NVIDIA's own library prints for it: those in
// tests/data/cubin, or in the directory AIFLAME_CUBINS (tests/cubin/make.sh makes them).
#include "libcommon/objects/nvidia/cubin_object.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"
#include "libcommon/objects/nvidia/cubin.h"

namespace aiflame {
namespace {

namespace fs = std::filesystem;

fs::path directory() {
  const char* named = std::getenv("AIFLAME_CUBINS");
  return named != nullptr ? named : "tests/data/cubin";
}

std::string kept(const char* name) {
  return std::string("tests/data/cubin/") + name;
}

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

struct Opened {
  explicit Opened(const std::string& path)
      : elf(path), cubin(elf), opened(format->open(ElfFile(path))), object(*opened) {}

  // The functions at an offset of a kernel, outermost first, and the line: `plain called chained
  // 12`
  std::string at(const KernelCode& code, uint64_t offset) {
    std::string out;
    const auto& frames = object.frames_at(code.offset + offset);
    for (size_t i = frames.size(); i-- > 0;) out += frames[i].function + " ";
    return frames.empty() ? "" : out + std::to_string(frames.front().line);
  }

  ElfFile elf;
  Cubin cubin;
  std::unique_ptr<ObjectFormat> format = cubin_format();
  std::unique_ptr<ObjectFile> opened;
  ObjectFile& object;
};

const KernelCode* find(const Cubin& cubin, const std::string& name) {
  for (const KernelCode& code : cubin.kernels().all())
    if (code.name == name) return &code;
  return nullptr;
}

TEST(CubinObject, EachInstructionHasTheLineThatNvidiasLibraryGives) {
  size_t objects = 0, instructions = 0, without = 0;
  for (const auto& entry : fs::directory_iterator(directory())) {
    if (entry.path().extension() != ".cubin") continue;
    ++objects;
    Opened opened(entry.path());
    std::ifstream in(fs::path(entry.path()).replace_extension(".lines"));
    const KernelCode* code = nullptr;
    for (std::string row; std::getline(in, row);) {
      const size_t blank = row.find(' ');
      if (blank == std::string::npos) {
        code = find(opened.cubin, row);
        ASSERT_NE(code, nullptr) << row;
        continue;
      }
      const uint64_t offset = std::stoull(row, nullptr, 16);
      const auto& frames = opened.object.frames_at(code->offset + offset);
      ASSERT_FALSE(frames.empty()) << entry.path() << code->name << row;
      const SourceFrame& frame = frames.front();
      const std::string place = frame.line == 0 ? "-"
                                                : frame.file.substr(frame.file.rfind('/') + 1) +
                                                      ":" + std::to_string(frame.line);
      // the library gives the compiler's own functions the line of the preceding function
      const bool has_none = frame.function.starts_with("__cuda_sm") && place == "-";
      if (!has_none) {
        EXPECT_EQ(place, row.substr(blank + 1)) << entry.path() << code->name << row;
      }
      ++(place == "-" ? without : instructions);
    }
  }
  EXPECT_GE(objects, 7u);
  EXPECT_GT(instructions, 850u);
  EXPECT_GT(without, 100u);
  RecordProperty("instructions", static_cast<int>(instructions));
}

TEST(CubinObject, Architectures) {
  for (const unsigned architecture : {75u, 80u, 90u, 100u}) {
    const ElfFile elf(kept(("kernels.sm_" + std::to_string(architecture) + ".cubin").c_str()));
    const Cubin cubin(elf);
    EXPECT_EQ(cubin.architecture(), architecture);
    EXPECT_EQ(cubin.kernels().all().size(), 3u);
    // places are offsets in the file, also those of symbols
    for (const KernelCode& code : cubin.kernels().all()) {
      EXPECT_EQ(elf.function_at(code.offset)->name, code.name);
      EXPECT_EQ(elf.vaddr_of_offset(code.offset), code.offset);
    }
  }
  EXPECT_EQ(Cubin(ElfFile("/proc/self/exe")).architecture(), 0u);
  EXPECT_TRUE(Cubin(ElfFile("/proc/self/exe")).kernels().all().empty());
}

// The lines of kernels.cu: 11 and 12 are scaled(), 16 and 17 chained(), 21 called().
TEST(CubinObject, FunctionsInlinedAndCalled) {
  for (const char* name : {"kernels.sm_75.cubin", "kernels.sm_80.cubin", "kernels.sm_90.cubin",
                           "kernels.sm_100.cubin"}) {
    Opened opened(kept(name));
    std::set<std::string> seen;
    for (const KernelCode& code : opened.cubin.kernels().all())
      for (uint64_t at = 0; at < code.size; at += Cubin::kInstruction)
        seen.insert(opened.at(code, at));
    for (const char* expected :
         {"plain 31", "_Z6calledf 21", "_Z6calledf _Z7chainedf 17",
          "_Z6calledf _Z7chainedf _Z6scaledff 12", "_Z7poweredIfET_S0_i 6",
          "_Z9templatedIfEvPT_PKS0_i _Z6scaledff 12", "__cuda_sm3x_div_rn_noftz_f32_slowpath 0"})
      EXPECT_EQ(seen.count(expected), 1u) << name << ": " << expected;
    for (const std::string& each : seen) {
      // no instruction has a line of another function
      if (each.find("scaled") != std::string::npos) {
        EXPECT_TRUE(each.ends_with(" 11") || each.ends_with(" 12")) << name << ": " << each;
      } else if (each.find("chained") != std::string::npos) {
        EXPECT_TRUE(each.ends_with(" 16") || each.ends_with(" 17")) << name << ": " << each;
      }
    }
    const KernelCode* plain = find(opened.cubin, "plain");
    ASSERT_NE(plain, nullptr);
    EXPECT_EQ(opened.object.frames_at(plain->offset).back().declared,
              "/tmp/aiflame-cubins/kernels.cu");
    ASSERT_NE(opened.object.kernel_at(plain->offset + 0x100), nullptr);
    EXPECT_EQ(opened.object.kernel_at(plain->offset + 0x100)->offset, plain->offset);
    EXPECT_EQ(opened.object.kernel_at(0), nullptr);
    EXPECT_TRUE(opened.object.frames_at(0).empty());
    EXPECT_TRUE(opened.object.frames_at(UINT64_MAX).empty());
  }
}

TEST(CubinObject, WithoutLinesFunctionsAreThereByTheirSymbols) {
  Opened opened(kept("kernels.sm_90.bare.cubin"));
  const KernelCode* plain = find(opened.cubin, "plain");
  ASSERT_NE(plain, nullptr);
  std::map<std::string, size_t> seen;
  for (uint64_t at = 0; at < plain->size; at += Cubin::kInstruction) ++seen[opened.at(*plain, at)];
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_GT(seen["plain 0"], 10u);
  EXPECT_GT(seen["_Z6calledf 0"], 5u);
  EXPECT_GT(seen["_Z7poweredIfET_S0_i 0"], 5u);
  EXPECT_GT(seen["__cuda_sm3x_div_rn_noftz_f32_slowpath 0"], 50u);
  EXPECT_EQ(opened.object.frames_at(plain->offset).back().declared, "");
}

// nvlink does not write where each object's names begin. They are known for the first object only.
TEST(CubinObject, NamesInLinkedObjects) {
  Opened opened(kept("linked.sm_90.cubin"));
  std::set<std::string> seen;
  for (const KernelCode& code : opened.cubin.kernels().all())
    for (uint64_t at = 0; at < code.size; at += Cubin::kInstruction)
      seen.insert(opened.at(code, at));
  EXPECT_EQ(seen.count("_Z5firstPfi _Z6only_af _Z7near_byf 5"), 1u);
  EXPECT_EQ(seen.count("_Z8far_awayfi _Z6only_bf 6"), 1u);
  EXPECT_EQ(seen.count("_Z8far_awayfi _Z6only_bf _Z7near_byf 5"), 1u);
  EXPECT_EQ(seen.count("_Z6secondPfi _Z6only_bf _Z7near_byf 5"), 1u);
  for (const std::string& each : seen)
    EXPECT_FALSE(
        each.find("only_a") != std::string::npos &&
        (each.find("far_away") != std::string::npos || each.find("second") != std::string::npos))
        << each;
}

// One object with debug information of nvcc -G, and one with only lines.
TEST(CubinObject, DebugInformationOfSomeOfTheObjects) {
  Opened opened(kept("linked.sm_90.mixed.cubin"));
  std::set<std::string> seen;
  for (const KernelCode& code : opened.cubin.kernels().all())
    for (uint64_t at = 0; at < code.size; at += Cubin::kInstruction)
      seen.insert(opened.at(code, at));
  EXPECT_EQ(seen.count("_Z5firstPfi _Z6only_af 6"), 1u);
  EXPECT_EQ(seen.count("_Z5firstPfi _Z6only_af _Z7near_byf 4"), 1u);
  EXPECT_EQ(seen.count("_Z6secondPfi _Z6only_bf 6"), 1u);
  EXPECT_EQ(seen.count("_Z8far_awayfi _Z6only_bf _Z7near_byf 5"), 1u);
}

// Truncated anywhere and with any byte inverted: no crash and no hang.
TEST(CubinObject, Damaged) {
  for (const char* name : {"kernels.sm_75.cubin", "linked.sm_90.mixed.cubin"}) {
    const std::string whole = slurp(kept(name));
    size_t read = 0, frames = 0;
    const auto try_one = [&](const std::string& bytes) {
      const MemoryFile file(bytes);
      try {
        Opened opened(file.path());
        for (const KernelCode& code : opened.cubin.kernels().all())
          for (uint64_t at = 0; at < code.size && at < 4096; at += 144)
            frames += opened.object.frames_at(code.offset + at).size();
        ++read;
      } catch (const Error&) {
      }
    };
    for (size_t size = 0; size < whole.size(); size += 197) try_one(whole.substr(0, size));
    for (size_t i = 0; i < whole.size(); i += i < 64 || i > whole.size() - 2600 ? 3 : 37) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(~damaged[i]);
      try_one(damaged);
    }
    EXPECT_GT(read, 500u);
    EXPECT_GT(frames, 5000u);
  }
}

}  // namespace
}  // namespace aiflame
