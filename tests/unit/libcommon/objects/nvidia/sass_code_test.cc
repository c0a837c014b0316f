// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/sass_code.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <random>

#include "libcommon/device/device_symbolizer.h"
#include "libcommon/objects/nvidia/cubin.h"
#include "libcommon/objects/nvidia/nv_info.h"

namespace aiflame {
namespace {

using Indices = std::vector<uint32_t>;

// Builds code of sm_80.
class Assembler {
 public:
  static constexpr unsigned kNone = 7;

  uint32_t add(uint64_t low, unsigned write = kNone, unsigned waits = 0, unsigned read = kNone,
               uint64_t upper = 0) {
    constexpr uint64_t kAlways = uint64_t{7} << 23;  // of the second predicate
    const uint64_t high =
        kAlways | uint64_t{write} << 46 | uint64_t{read} << 49 | uint64_t{waits} << 52 | upper;
    for (const uint64_t word : {low, high})
      code_.append(reinterpret_cast<const char*>(&word), sizeof word);
    return static_cast<uint32_t>(code_.size() / 16 - 1);
  }
  uint32_t load(unsigned scoreboard) { return add(0x7981, scoreboard); }
  uint32_t use(unsigned waits) { return add(0x7221, kNone, waits); }
  uint32_t jump(uint64_t low, int from_here) {  // in instructions
    const auto units = static_cast<uint64_t>(int64_t{from_here - 1} * 4);
    return add(low | units << 34, kNone, 0, kNone, units >> 30 & 0x3ffff);
  }
  SassCode code(const std::vector<FlowEdge>& indirect = {}) const {
    return SassCode(code_, 80, indirect);
  }

 private:
  std::string code_;
};

constexpr uint64_t kBraIf = 0x0947, kExit = 0x794d, kCall = 0x7944, kRet = 0x7950, kBrx = 0x7949,
                   kLdgsts = 0x7fae, kLdgdepbar = 0x79af;

TEST(SassCode, AllThatCountOnAScoreboard) {
  Assembler a;
  a.load(0);                              // 0
  a.load(0);                              // 1
  a.load(1);                              // 2
  a.use(1);                               // 3
  a.load(0);                              // 4
  a.use(3);                               // 5
  a.add(0x7986, Assembler::kNone, 0, 2);  // 6: a store counts until its operands are read
  a.use(4);                               // 7
  a.use(0);                               // 8
  const SassCode code = a.code();
  EXPECT_EQ(code.producers(3), (Indices{0, 1}));
  EXPECT_EQ(code.producers(5), (Indices{2, 4}));
  EXPECT_EQ(code.producers(7), Indices{6});
  EXPECT_EQ(code.producers(8), Indices{});
  EXPECT_EQ(code.producers(99), Indices{});
}

TEST(SassCode, BranchesAndSwitches) {
  Assembler a;
  a.load(0);           // 0, before the loop
  a.use(1);            // 1, its top
  a.load(0);           // 2
  a.jump(kBraIf, -2);  // 3, to 1
  a.add(kBrx);         // 4
  a.load(2);           // 5: nothing leads here but the table
  a.use(5);            // 6: nor is anything known of what comes from elsewhere
  a.add(kExit);        // 7
  a.use(4);            // 8
  EXPECT_EQ(a.code().producers(1), (Indices{0, 2}));
  EXPECT_EQ(a.code().producers(6), Indices{5});
  EXPECT_EQ(a.code({{4 * 16, 5 * 16}, {4 * 16, 8}, {4 * 16, 4096}}).producers(6), (Indices{2, 5}));
  EXPECT_EQ(a.code().producers(8), Indices{});
}

TEST(SassCode, Calls) {
  Assembler a;
  a.load(0);         // 0
  a.jump(kCall, 4);  // 1, of 5
  a.use(2);          // 2
  a.add(0x7344);     // 3: a call through a register
  a.use(3);          // 4
  a.use(1);          // 5, the function
  a.load(1);         // 6
  a.add(kRet);       // 7
  EXPECT_EQ(a.code().producers(5), Indices{0});
  EXPECT_EQ(a.code().producers(2), Indices{6});
  EXPECT_EQ(a.code().producers(4), Indices{});
}

// cp.async: the groups are counted, and the copies are what is late.
TEST(SassCode, GroupsOfAsynchronousCopies) {
  Assembler a;
  a.add(kLdgsts);             // 0
  a.add(kLdgsts);             // 1
  a.add(kLdgdepbar, 0);       // 2
  a.add(kLdgsts);             // 3
  a.add(kLdgdepbar, 0);       // 4
  a.add(0x000080400000791a);  // 5: DEPBAR.LE SB0, 0x1
  a.add(0x000080000000791a);  // 6: DEPBAR.LE SB0, 0x0
  EXPECT_EQ(a.code().producers(5), (Indices{0, 1}));
  EXPECT_EQ(a.code().producers(6), Indices{3});
}

TEST(SassCode, HostileCodeEnds) {
  std::mt19937_64 random(1);
  std::string bytes;
  std::vector<FlowEdge> indirect;
  for (uint32_t i = 0; i < 20000; ++i) {
    const uint64_t kinds[] = {kBraIf, kCall, kRet, 0x7941, 0x7945, 0x7981};
    const uint64_t words[] = {kinds[random() % 6] | (random() % 4000 * 4) << 34, random()};
    bytes.append(reinterpret_cast<const char*>(words), sizeof words);
    indirect.push_back({static_cast<uint32_t>(random() % 320000) & ~15U, 0});
  }
  for (const unsigned architecture : {75u, 100u}) {
    const SassCode code(bytes, architecture, indirect);
    for (uint32_t i = 0; i < 20; ++i) code.producers(i * 997);
  }
  EXPECT_EQ(SassCode("too short", 80, {}).size(), 0u);
}

TEST(NvInfo, JumpsThroughTables) {
  // an attribute before it, a jump at 0x110 with two targets, one at 0x1d0 with one
  const std::string_view info(
      "\x04\x37\x04\0\x82\0\0\0\x01\x35\0\0\x04\x34\x24\0"
      "\x10\x01\0\0\0\0\0\0\x02\0\0\0\x50\x01\0\0\x20\x01\0\0"
      "\xd0\x01\0\0\0\0\0\0\x01\0\0\0\xb0\x03\0\0",
      52);
  const std::vector<FlowEdge> jumps = indirect_jumps(info);
  ASSERT_EQ(jumps.size(), 3u);
  EXPECT_EQ(jumps[1].from, 0x110u);
  EXPECT_EQ(jumps[1].to, 0x120u);
  EXPECT_EQ(jumps[2].from, 0x1d0u);
  for (size_t size = 0; size < info.size(); ++size)
    EXPECT_LE(indirect_jumps(info.substr(0, size)).size(), 3u);
}

struct Counts {
  size_t waits = 0, unexplained = 0;       // no producer
  size_t asynchronous = 0, unawaited = 0;  // no scoreboard
};

// Operations whose results take an unknown time: loads, special math, special registers, atomics.
bool is_asynchronous(const SassWord& word) {
  constexpr unsigned kKinds[] = {0x108, 0x119, 0x180, 0x181, 0x183, 0x184, 0x189, 0x1a8, 0x1a9};
  constexpr uint64_t kNoRegister = 0xff;
  return (word.low >> 16 & 0xff) != kNoRegister &&
         std::find(std::begin(kKinds), std::end(kKinds), word.kind()) != std::end(kKinds);
}

Counts counts_of(const std::string& path) {
  Counts out;
  DeviceSymbolizer symbolizer;
  const ElfFile elf(path);
  const Cubin cubin(elf);
  for (const KernelCode& kernel : cubin.kernels().all()) {
    ElfSection section;
    section.offset = kernel.offset;
    section.size = kernel.size;
    const std::string code = elf.bytes_of(section);
    const auto at = [&](uint64_t offset) {
      return SassWord::of(std::string_view(code).substr(offset, 16));
    };
    for (uint64_t i = 0; i < code.size(); i += 16) {
      const SassControl control = sass_control(at(i));
      if (control.waits != 0 || sass_depbar(at(i))) {
        ++out.waits;
        const bool explained = !symbolizer.producers_of({path, kernel.offset + i}).empty();
        out.unexplained += !explained;
        EXPECT_TRUE(explained) << path << " " << kernel.name << " " << i;
        for (const uint64_t producer : symbolizer.producers_of({path, kernel.offset + i})) {
          EXPECT_NE(symbolizer.operation_at({path, producer}), "") << path << " " << producer;
        }
      }
      if (!is_asynchronous(at(i))) continue;
      ++out.asynchronous;
      // loads from shared memory end in order: the last of some has the scoreboard
      uint64_t last = i;
      constexpr unsigned kLds = 0x184;
      while (at(i).kind() == kLds && sass_control(at(last)).write == SassControl::kNone &&
             last + 16 < code.size())
        do last += 16;
        while (last + 16 < code.size() && at(last).kind() != kLds);
      const bool awaited = sass_control(at(last)).write != SassControl::kNone;
      out.unawaited += !awaited;
      EXPECT_TRUE(awaited) << path << " " << kernel.name << " " << i;
    }
  }
  return out;
}

TEST(SassCode, GenuineCubins) {
  size_t waits = 0;
  for (const char* name : {"kernels.sm_75", "kernels.sm_80", "kernels.sm_90", "kernels.sm_100",
                           "demo/cuda_matmul", "demo/one"})
    waits += counts_of(std::string("tests/data/cubin/") + name + ".cubin").waits;
  EXPECT_EQ(waits, 249u);
}

// Of what nvcc makes here, for GPUs from Turing to Blackwell: every wait has something to wait for,
// and every asynchronous result can be waited for.
TEST(SassCode, EachWaitOfCompiledCodeHasAProducer) {
  namespace fs = std::filesystem;
  const fs::path out = fs::path(testing::TempDir()) / "sass_code_test.cubin";
  const std::string path = "PATH=$PATH:/usr/local/cuda/bin ";
  if (std::system((path + "nvcc --version > /dev/null 2>&1").c_str()) != 0)
    GTEST_SKIP() << "nvcc is not installed (CUDA toolkit)";
  for (const char* architecture : {"75", "80", "90", "100", "120"}) {
    const std::string command = path + "nvcc -O3 -cubin -arch=sm_" + architecture + " -o '" +
                                out.string() + "' tests/cubin/waits.cu > /dev/null 2>&1";
    if (std::system(command.c_str()) != 0) continue;  // a toolkit may lack one
    const Counts counts = counts_of(out);
    EXPECT_GT(counts.waits, 200u) << architecture;
    EXPECT_GT(counts.asynchronous, 100u) << architecture;
    fs::remove(out);
  }
}

}  // namespace
}  // namespace aiflame
