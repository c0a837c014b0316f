// SPDX-License-Identifier: MIT
// Words of nvcc 13.0's code, a few of them changed by hand, with operands that were read from their
// fields by hand (no nvdisasm was at hand); and the registers of the cubins in tests/data/cubin, or
// in the directory AIFLAME_CUBINS.
#include "libcommon/objects/nvidia/sass_registers.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <set>

#include "libcommon/base/program.h"
#include "libcommon/objects/nvidia/cubin.h"
#include "libcommon/objects/nvidia/cubin_object.h"
#include "tests/unit/libcommon/objects/register_flow.h"
#include "tests/unit/libcommon/objects/register_text.h"

namespace aiflame {
namespace {

TEST(SassRegisters, KnownInstructions) {
  const struct {
    const char* text;
    unsigned architecture;
    SassWord word;
    const char* registers;
  } kInstructions[] = {
      {"FFMA R24, R12, R13, R14",
       80,
       {0x0000000d0c187223, 0x000fc8000000000e},
       "r12 r13 r14 > r24"},
      {"IMAD.WIDE R2, R2, R3, c[0x0][0x160]",
       80,
       {0x0000580002027625, 0x000fd600078e0003},
       "r2 r3 > r2-3"},
      {"IMAD.WIDE R4, R21, 0x10, R18",
       80,
       {0x0000001015047825, 0x100fe200078e0212},
       "r21 r18-19 > r4-5"},
      {"IMAD R5, RZ, RZ, RZ", 80, {0x000000ffff057224, 0x000fe200078e00ff}, "> r5"},
      {"IADD3 R6, P0, R2, R4, RZ", 80, {0x0000000402067210, 0x000fe20007f1e0ff}, "r2 r4 > p0 r6"},
      {"FADD R9, R2, R9", 80, {0x0000000902097221, 0x004fca0000000000}, "r2 r9 > r9"},
      {"ISETP.NE.AND P0, PT, R2, RZ, PT", 80, {0x000000ff0200720c, 0x041fe40003f05270}, "r2 > p0"},
      {"PLOP3.LUT P0, PT, PT, PT, PT, 0x80, 0x0",
       80,
       {0x000000000000781c, 0x000fd60003f0f070},
       "> p0"},
      {"@!P0 MUFU.RCP R14, R14", 80, {0x0000000e000e8308, 0x000ff00000000800}, "c p0 r14 > r14"},
      {"DADD R8, R8, R18", 80, {0x0000000008087229, 0x0203ce0000000012}, "r8-9 r18-19 > r8-9"},
      {"DFMA R20, R10, R8, R4",
       80,
       {0x000000080a14722b, 0x001e080000000004},
       "r10-11 r8-9 r4-5 > r20-21"},
      {"F2I.F64.TRUNC R16, R16", 80, {0x0000001000107311, 0x000e24000030d100}, "r16-17 > r16"},
      {"LDG.E R2, [R2.64]", 75, {0x0000000002027381, 0x000ea200001ee900}, "r2-3 > r2"},
      {"LDG.E R2, desc[UR6][R2.64]",
       80,
       {0x0000000602027981, 0x0000a2000c1e1900},
       "r2-3 u6-7 > r2"},
      {"LDG.E.128 R4, desc[UR6][R2.64]",
       80,
       {0x0000000602047981, 0x0000a2000c1e1d00},
       "r2-3 u6-7 > r4-7"},
      {"STG.E desc[UR6][R2.64], R5",
       80,
       {0x0000000502007986, 0x002fe2000c101906},
       "r2-3 u6-7 r5 >"},
      {"@P0 ST.E.STRONG.SYS [R6], R4",
       75,
       {0x0000000006000385, 0x0001e20000116b04},
       "c p0 r6-7 r4-5 >"},
      {"UMOV.64 UR10, URZ", 120, {0x000000ff000a7c82, 0x000fd20008010000}, "> u10-11"},
      {"LDS R0, [RZ]", 80, {0x00000000ff007984, 0x000e240000000800}, "> r0"},
      {"@!P0 STS [RZ], RZ", 80, {0x000000ffff008388, 0x000fe80000000800}, "c p0 >"},
      {"LDGSTS.E.BYPASS.128 [R17], desc[UR6][R18.64]",
       80,
       {0x0000000012117fae, 0x0003e8000b901c46},
       "r18-19 u6-7 r17 >"},
      {"ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR10][R4.64], R3",
       80,
       {0x00001403040379a8, 0x000ea8000c1ee1ca},
       "r4-5 u10-11 r3 > r3"},
      {"SHFL.BFLY PT, R13, R6, 0x3, 0x1f",
       80,
       {0x0c601f00060d7f89, 0x000e2200000e0000},
       "r6 > r13"},
      {"SHFL.IDX PT, R9, R5, R6, 0x1f", 80, {0x00001f0605097589, 0x004e2400000e0000}, "r5 r6 > r9"},
      {"BAR.SYNC.DEFER_BLOCKING 0x0", 80, {0x0000000000007b1d, 0x000fec0000010000}, ">"},
      {"HMMA.16816.F16 R6, R8, R12, R6",
       80,
       {0x0000000c0806723c, 0x044fe60000000806},
       "r8-11 r12-13 r6-7 > r6-7"},
      {"IMMA.16816.S8.S8 R12, R4, R7, R12",
       80,
       {0x00000007040c7237, 0x044fe6000040540c},
       "r4-5 r7 r12-15 > r12-15"},
      {"S2R R2, SR_TID.X", 80, {0x0000000000027919, 0x000e220000002100}, "> r2"},
      {"CS2R R2, SR_CLOCKLO", 80, {0x0000000000027805, 0x000fe40000015000}, "> r2-3"},
      {"ULDC.64 UR6, c[0x0][0x118]", 80, {0x0000460000067ab9, 0x000fe20000000a00}, "> u6-7"},
      {"LDCU.64 UR6, c[0x0][0x358]", 120, {0x00006b00ff0677ac, 0x000eac0008000a00}, "> u6-7"},
      {"R2UR UR8, R14", 90, {0x000000000e0872ca, 0x000fe200000e0000}, "r14 > u8"},
      {"R2UR UR6, R13", 75, {0x000000000d0673c2, 0x00072800000e0000}, "r13 > u6"},
      {"MOV R4, UR5", 80, {0x0000000500047c02, 0x002fd20008000f00}, "u5 > r4"},
      {"MOV.64 R8, UR4", 120, {0x0000000400087c02, 0x002fcc0008010f00}, "u4-5 > r8-9"},
      {"VOTEU.ANY UR4, UPT, PT", 80, {0x0000000000047886, 0x000fc400038e0100}, "> u4"},
      {"RET.REL.NODEC R20, 0x0", 80, {0xfffff16014007950, 0x004fec0003c3ffff}, "r20-21 >"},
      {"@P0 BRA P1, 0x770", 75, {0x0000073000000947, 0x000fea0000800000}, "c p0 p1 >"},
      // what the fields do not tell
      {"TEX", 80, {0x3000580c0a0a7b60, 0x040f4200019e09ff}, "? r10 r12 > r10-11"},
      {"HMMA.SP.16816.F32", 80, {0x0001000c0608723c, 0x004fde0000001a08}, "? >"},
      {"HMMA.884 of sm_70", 70, {0x0000000c0806723c, 0x044fe60000000806}, "? >"},
      {"nothing", 80, {0xffffffffffffffff, 0xffffffffffffffff}, "? c >"},
  };
  for (const auto& each : kInstructions)
    EXPECT_EQ(text_of(sass_registers(each.word, each.architecture)), each.registers) << each.text;
}

TEST(SassRegisters, Operations) {
  const auto is = [](uint64_t low) { return sass_operation_kind({low, 0}, 80); };
  EXPECT_EQ(is(0x0000000d0c187223), Operation::arithmetic);
  EXPECT_EQ(is(0x0000000e000e8308), Operation::slow_arithmetic);
  EXPECT_EQ(is(0x0000000c0806723c), Operation::slow_arithmetic);
  EXPECT_EQ(is(0x0000000602027981), Operation::load);
  EXPECT_EQ(is(0x0000000012117fae), Operation::load);
  EXPECT_EQ(is(0x00000000ff007984), Operation::local_load);
  EXPECT_EQ(is(0x0000460000067ab9), Operation::constant_load);
  EXPECT_EQ(is(0x0000000502007986), Operation::store);
  EXPECT_EQ(is(0x00001403040379a8), Operation::atomic);
  EXPECT_EQ(is(0x0000000000007b1d), Operation::barrier);
  EXPECT_EQ(is(0x0000073000000947), Operation::control);
  EXPECT_EQ(is(0x000000000000794d), Operation::control);
  EXPECT_EQ(is(0xffffffffffffffff), Operation::unknown);
}

struct Found {
  size_t instructions = 0, unknown = 0;
  std::set<std::string> reads_nothing, in_vain, unwaited;
};

// An asynchronous result, which counts on a scoreboard, is waited for before it is read: by the
// instruction that reads it, or by one between them.
bool is_awaited(const CodeFlow& code, const std::vector<SassWord>& words, uint32_t index) {
  const unsigned scoreboard = sass_control(words[index]).write;
  std::set<uint32_t> seen;
  std::vector<uint32_t> open{index};
  const auto overlaps = [&](const RegisterRange& a, const RegisterRange& b) {
    return a.kind == b.kind && a.first < b.first + b.count && b.first < a.first + a.count;
  };
  // successors, which FlowGraph does not have
  std::vector<std::vector<uint32_t>> next(words.size());
  for (uint32_t i = 0; i < words.size(); ++i)
    code.ways.each_predecessor(i, [&](uint32_t from, FlowGraph::Way way, uint32_t) {
      if (way == FlowGraph::Way::within) next[from].push_back(i);
    });
  while (!open.empty()) {
    const uint32_t from = open.back();
    open.pop_back();
    for (const uint32_t to : next[from]) {
      if (!seen.insert(to).second) continue;
      const auto depbar = sass_depbar(words[to]);
      if ((sass_control(words[to]).waits >> scoreboard & 1) != 0) continue;
      if (depbar && depbar->scoreboard == scoreboard) continue;
      for (const RegisterRange& read : code.registers[to].reads)
        for (const RegisterRange& written : code.registers[index].writes)
          if (overlaps(read, written)) return false;
      open.push_back(to);
    }
  }
  return true;
}

void check(const std::string& path, Found& found) {
  ElfFile elf(path);
  const Cubin cubin(elf);
  const auto opener = cubin_format();
  const auto object = opener->open(ElfFile(path));
  for (const KernelCode& kernel : cubin.kernels().all()) {
    const CodeFlow code = object->code_flow_at(kernel.offset);
    ASSERT_EQ(code.registers.size(), code.offsets.size());
    ASSERT_EQ(code.operations.size(), code.offsets.size());
    ElfSection section;
    section.offset = kernel.offset;
    section.size = kernel.size;
    const std::string bytes = elf.bytes_of(section);
    std::vector<SassWord> words;
    bool has_calls = false;  // whose targets and returns may not be known
    for (size_t i = 0; i < code.offsets.size(); ++i) {
      words.push_back(SassWord::of(std::string_view(bytes).substr(i * 16, 16)));
      const SassFlow flow = sass_step(words[i], cubin.architecture()).flow;
      has_calls = has_calls || flow == SassFlow::call || flow == SassFlow::leave;
      found.unknown += code.registers[i].known ? 0 : 1;
    }
    found.instructions += words.size();
    const auto name = [&](uint32_t index) {
      return format("%s %s 0x%x: 0x%016llx 0x%016llx", path.c_str(), kernel.name.c_str(),
                    index * 16, static_cast<unsigned long long>(words[index].low),
                    static_cast<unsigned long long>(words[index].high));
    };
    for (uint32_t i = 0; i < words.size(); ++i)
      if (sass_control(words[i]).write < kSassScoreboards && !is_awaited(code, words, i))
        found.unwaited.insert(name(i));
    if (has_calls) continue;
    const RegisterFlow flow(code);
    // R1 is the stack's address
    for (const uint32_t index : flow.reads_nothing([](RegisterKind kind, uint32_t unit) {
           return kind == RegisterKind::general && unit == 1;
         }))
      found.reads_nothing.insert(name(index));
    if (!flow.known()) continue;
    for (const uint32_t index : flow.writes_in_vain())
      if (code.registers[index].writes.front().first != 1) found.in_vain.insert(name(index));
  }
}

TEST(SassRegisters, OfWholeKernels) {
  const char* named = std::getenv("AIFLAME_CUBINS");
  Found found;
  for (const auto& each :
       std::filesystem::recursive_directory_iterator(named != nullptr ? named : "tests/data/cubin"))
    if (each.path().extension() == ".cubin") check(each.path().string(), found);
  EXPECT_GT(found.instructions, 200u);
  EXPECT_EQ(found.reads_nothing, std::set<std::string>());
  EXPECT_EQ(found.unwaited, std::set<std::string>());
  EXPECT_LE(found.in_vain.size() * 1000, found.instructions) << *found.in_vain.begin();
  EXPECT_LE(found.unknown * 50, found.instructions);
}

}  // namespace
}  // namespace aiflame
