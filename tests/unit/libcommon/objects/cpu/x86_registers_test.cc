// SPDX-License-Identifier: MIT
// Instructions as Capstone and LLVM print them.
#include "libcommon/objects/cpu/x86_registers.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "libcommon/objects/cpu/capstone.h"
#include "libcommon/objects/cpu/cpu_object.h"
#include "libcommon/symbols/elf.h"
#include "tests/unit/libcommon/objects/register_flow.h"
#include "tests/unit/libcommon/objects/register_text.h"

namespace aiflame {
namespace {

std::string registers(std::string_view mnemonic, std::string_view operands) {
  return text_of(x86_registers(mnemonic, operands));
}

TEST(X86Registers, General) {
  EXPECT_EQ(registers("mov", "eax, dword ptr [rdi + 4*rcx]"), "r56-63 r8-15 > r0-7");
  EXPECT_EQ(registers("mov", "dword ptr [rdi], eax"), "r56-63 r0-3 >");
  EXPECT_EQ(registers("mov", "r9d, 5"), "> r72-79");
  EXPECT_EQ(registers("mov", "ah, sil"), "r48 > r1");
  EXPECT_EQ(registers("add", "rax, rdx"), "r0-7 r16-23 > r0-7 f0");
  EXPECT_EQ(registers("add", "qword ptr [rax], rdx"), "r0-7 r16-23 > f0");
  EXPECT_EQ(registers("lea", "rcx, [rax + rdx]"), "r0-7 r16-23 > r8-15");
  EXPECT_EQ(registers("xor", "eax, eax"), "> r0-7 f0");
  EXPECT_EQ(registers("cmp", "rdi, rsi"), "r56-63 r48-55 > f0");
  EXPECT_EQ(registers("jne", "0x2c"), "f0 >");
  EXPECT_EQ(registers("jmp", "rdx"), "r16-23 >");
  EXPECT_EQ(registers("cmovge", "eax, edx"), "c r0-3 r16-19 f0 > r0-7");
  EXPECT_EQ(registers("sete", "al"), "f0 > r0");
  EXPECT_EQ(registers("idiv", "ecx"), "r8-11 r0-7 r16-23 > f0 r0-7 r16-23");
  EXPECT_EQ(registers("imul", "eax, ecx, 5"), "r8-11 > r0-7 f0");
  EXPECT_EQ(registers("imul", "eax, ecx"), "r0-3 r8-11 > r0-7 f0");
  EXPECT_EQ(registers("cqo", ""), "r0-7 > r16-23");
  EXPECT_EQ(registers("neg", "eax"), "r0-3 > r0-7 f0");
  EXPECT_EQ(registers("sar", "eax"), "r0-3 > r0-7 f0");
  EXPECT_EQ(registers("push", "rbx"), "r24-31 >");
  EXPECT_EQ(registers("pop", "r12"), "> r96-103");
  EXPECT_EQ(registers("ret", ""), ">");
  EXPECT_EQ(registers("rep stosq", "qword ptr [rdi], rax"), "r56-63 r0-7 r8-15 > r56-63 r8-15");
  EXPECT_EQ(registers("lock xadd", "dword ptr [rdi], eax"), "r56-63 r0-3 > r0-7 f0");
  EXPECT_EQ(registers("xchg", "rax, rcx"), "r0-7 r8-15 > r0-7 r8-15");
  EXPECT_EQ(registers("call", "rax"),
            "? r0-7 > r0-7 r8-15 r16-23 r48-55 r56-63 r64-95 r128-2175 p0-7 f0");
  EXPECT_EQ(registers("fld", "dword ptr [rax]").substr(0, 2), "? ");
  EXPECT_EQ(registers("paddb", "mm0, mm1").substr(0, 2), "? ");
  EXPECT_EQ(registers("", ""), "? >");
}

TEST(X86Registers, Vectors) {
  EXPECT_EQ(registers("mulss", "xmm0, dword ptr [rdi + 4*rax]"), "r128-143 r56-63 r0-7 > r128-143");
  EXPECT_EQ(registers("movaps", "xmm1, xmm0"), "r128-143 > r192-207");
  EXPECT_EQ(registers("vmulps", "ymm0, ymm1, ymmword ptr [rsp]"), "r192-223 r32-39 > r128-191");
  EXPECT_EQ(registers("vfmadd231ps", "ymm0, ymm1, ymm2"), "r128-159 r192-223 r256-287 > r128-191");
  EXPECT_EQ(registers("vxorps", "xmm0, xmm1, xmm1"), "> r128-191");
  EXPECT_EQ(registers("vucomiss", "xmm0, xmm1"), "r128-143 r192-207 > f0");
  // LLVM
  EXPECT_EQ(registers("vaddps", "%zmm0, %zmm1, %zmm2"), "r192-255 r128-191 > r256-319");
  EXPECT_EQ(registers("vaddps", "%zmm0, %zmm1, %zmm2 {%k1}"),
            "p1 r256-319 r192-255 r128-191 > r256-319");
  EXPECT_EQ(registers("vaddps", "%zmm0, %zmm1, %zmm2 {%k1} {z}"),
            "p1 r192-255 r128-191 > r256-319");
  EXPECT_EQ(registers("vmovups", "64(%rax,%rcx,4), %zmm2"), "r0-7 r8-15 > r256-319");
  EXPECT_EQ(registers("vmovups", "%zmm2, 64(%rax)"), "r0-7 r256-319 >");
  EXPECT_EQ(registers("vcmpltps", "%zmm0, %zmm1, %k2"), "r192-255 r128-191 > p2");
  EXPECT_EQ(registers("vaddps", "{rn-sae}, %zmm0, %zmm1, %zmm2"), "r192-255 r128-191 > r256-319");
}

TEST(X86Registers, Operations) {
  EXPECT_EQ(x86_operation("add", "rax, rdx"), Operation::arithmetic);
  EXPECT_EQ(x86_operation("lea", "rcx, [rax + rdx]"), Operation::arithmetic);
  EXPECT_EQ(x86_operation("vdivps", "ymm0, ymm1, ymm2"), Operation::slow_arithmetic);
  EXPECT_EQ(x86_operation("mulss", "xmm0, dword ptr [rdi]"), Operation::load);
  EXPECT_EQ(x86_operation("cmp", "dword ptr [rdi], 5"), Operation::load);
  EXPECT_EQ(x86_operation("mov", "dword ptr [rdi], eax"), Operation::store);
  EXPECT_EQ(x86_operation("vmovups", "%zmm2, 64(%rax)"), Operation::store);
  EXPECT_EQ(x86_operation("vmovups", "64(%rax), %zmm2"), Operation::load);
  EXPECT_EQ(x86_operation("lock xadd", "dword ptr [rdi], eax"), Operation::atomic);
  EXPECT_EQ(x86_operation("mfence", ""), Operation::barrier);
  EXPECT_EQ(x86_operation("jne", "0x2c"), Operation::control);
  EXPECT_EQ(x86_operation("", ""), Operation::unknown);
}

// In the C library's mathematics a function reads but its arguments, what it has to keep, and what
// it wrote.
TEST(X86Registers, OfWholeFunctions) {
  const char* const kLibrary = "/lib/x86_64-linux-gnu/libm.so.6";
  if (!std::filesystem::exists(kLibrary)) GTEST_SKIP() << "no " << kLibrary;
  if (!Capstone().is_there()) GTEST_SKIP() << "no Capstone";
  const auto opener = cpu_format();
  const ElfFile elf(kLibrary);
  const auto object = opener->open(ElfFile(kLibrary));
  size_t instructions = 0, wrong = 0;
  for (const ElfFunction& function : elf.functions()) {
    if (function.size > 4000 || instructions > 20000) continue;
    const uint64_t start = elf.offset_of_vaddr(function.start).value_or(0);
    const CodeFlow code = object->code_flow_at(start);
    const CodeListing listing = object->listing_at(start);
    instructions += code.offsets.size();
    const RegisterFlow flow(code);
    for (const uint32_t index : flow.reads_nothing([](RegisterKind kind, uint32_t unit) {
           // of r10 and r11 the low byte: it alone may be written, and all of it be read
           constexpr uint32_t kR10 = 80, kR12 = 96, kXmm8 = 128 + 8 * 64;
           return kind == RegisterKind::general && unit < kXmm8 &&
                  (unit < kR10 || unit >= kR12 || unit % 8 != 0);
         })) {
      ++wrong;
      const ListedInstruction& its = listing.code[index];
      ADD_FAILURE() << function.name << ": " << its.mnemonic << ' ' << its.operands;
    }
  }
  EXPECT_GT(instructions, 5000u);
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace aiflame
