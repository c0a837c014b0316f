// SPDX-License-Identifier: MIT
// Lines as IGA prints them for kernels of Intel's compiler; those of dpas, atomics, sends with a
// descriptor in a register and rare regions are made up in its syntax.
#include "libcommon/objects/intel/eu_registers.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "libcommon/objects/intel/scoreboard.h"
#include "tests/unit/libcommon/objects/register_flow.h"
#include "tests/unit/libcommon/objects/register_text.h"

namespace aiflame {
namespace {

IgaInstruction instruction(const std::string& text) {
  const auto code = parse_iga_listing("/* [0000]  */ " + text + "\n");
  return code.empty() ? IgaInstruction() : code.front();
}

std::string registers(const std::string& text, unsigned size = 64) {
  return text_of(eu_registers(instruction(text), size));
}

TEST(EuRegisters, Regions) {
  EXPECT_EQ(registers("(W) mov (16|M0) r127.0<1>:ud 0x0:ud"), "> r8128-8191");
  EXPECT_EQ(registers("(W) mov (16|M0) r127.0<1>:ud 0x0:ud", 32), "> r4064-4127");
  EXPECT_EQ(registers("add (16|M0) r54.0<1>:q r50.0<1;1,0>:q r3.3<0;1,0>:q {Compacted,I@2}"),
            "r3200-3327 r216-223 > r3456-3583");
  // the lower halves of 64 bits: what lies between them stays
  EXPECT_EQ(registers("mov (2|M0) r38.0<2>:ud r12.0<1;1,0>:ud"),
            "r768-775 > r2432-2435 r2440-2443");
  EXPECT_EQ(registers("shl (2|M0) r50.0<1>:q r38.0<2;1,0>:d 2:w"),
            "r2432-2435 r2440-2443 > r3200-3215");
  EXPECT_EQ(registers("(W) mov (2|M0) r5.10<1>:ub r0.11<0;1,0>:ub {F@1}"), "r11 > r330-331");
  EXPECT_EQ(registers("add (16|M0) r20.0<1>:w r10.0<8;4,2>:w -r11.0<0;1,0>:w"),
            "r640-641 r644-645 r648-649 r652-653 r656-657 r660-661 r664-665 r668-669 r672-673 "
            "r676-677 r680-681 r684-685 r688-689 r692-693 r696-697 r700-701 r704-705 > r1280-1311");
  EXPECT_EQ(registers("add3 (32|M0) r5.0<1>:d r3.0<0;0>:d r2.0<1;0>:uw r4.1<0>:d {$0.dst}"),
            "r192-195 r128-191 r260-263 > r320-447");
  EXPECT_EQ(registers("mul (16|M16) r5.0<1>:f (abs)r3.0<1;1,0>:f -(abs)r4.0<0;1,0>:f"),
            "r192-255 r256-259 > r320-383");
  EXPECT_EQ(registers("madm (8|M0) r8.mme6:df r9.mme0:df acc0.mme2:df -r20.nomme:df"),
            "r576-639 a0-63 r1280-1343 > r512-575");
  EXPECT_EQ(registers("mov (1|M0) r5.0<1>:f r[a0.2,16]<0;1,0>:f"), "? > r320-323");
}

TEST(EuRegisters, FlagsAndAccumulator) {
  EXPECT_EQ(registers("(W) cmp (32|M0) (gt)f0.0 null<1>:d r4.12<0;1,0>:d 0:w"), "r304-307 > f0-1");
  EXPECT_EQ(registers("cmp (16|M16) (lt)f1.0 null<1>:d r4.0<1;1,0>:d 0:w"), "r256-319 > f3");
  EXPECT_EQ(registers("(W&f1.0) jmpi L504"), "c f2 >");
  EXPECT_EQ(registers("(~f0.0) sel (16|M0) r6.0<1>:d r7.0<1;1,0>:d 0:w"), "f0 r448-511 > r384-447");
  EXPECT_EQ(registers("sel (16|M0) (ge)f0.0 r6.0<1>:d r7.0<1;1,0>:d 0:w"), "r448-511 > r384-447");
  EXPECT_EQ(registers("(f0.1) mov (16|M0) r6.0<1>:d 1:w"), "c f1 > r384-447");
  EXPECT_EQ(registers("(W) mul (1|M0) acc0.0<1>:d r4.4<0;1,0>:d r0.12<0;1,0>:uw"),
            "r272-275 r24-25 > a0-3");
  EXPECT_EQ(registers("(W) macl (1|M0) r3.0<1>:d r4.4<0;1,0>:d r0.6<0;1,0>:d"),
            "a0-3 r272-275 r24-27 > r192-195");
  EXPECT_EQ(registers("(W) mov (1|M0) a0.0<1>:ud r3.2<0;1,0>:ud"), "r200-203 > c0-3");
  EXPECT_EQ(registers("(W) or (1|M0) cr0.0<1>:ud cr0.0<0;1,0>:ud 0x4C0:uw"), ">");
  EXPECT_EQ(registers("sync.allrd ($0)"), ">");
}

TEST(EuRegisters, SendsAndMatrices) {
  EXPECT_EQ(registers("send.ugm (32|M0) r19 r14 null:0 0x0 0x08200580 {$3} // wr:4+0, rd:2"),
            "r896-1151 > r1216-1343");
  EXPECT_EQ(registers("send.slm (32|M0) null r126 r26:2 0x0 0x04000504 {$3}"),
            "r8064-8191 r1664-1791 >");
  EXPECT_EQ(registers("send.ugm (16|M0) r12 r10 null:0 a0.1 0x24280500 {ExBSO,A@2,$6}", 32),
            "c4-7 r320-383 > r384-447");
  // the descriptor is in a register
  EXPECT_EQ(registers("send.ugm (16|M0) r12 r10 null:0 0x0 a0.2 {$6}", 32),
            "? c8-11 r320-351 > r384-415");
  EXPECT_EQ(registers("sends (8|M0) r12 r10 r20 0x4C 0x0 a0.2", 32), "? >");
  EXPECT_EQ(registers("dpas.8x4 (16|M0) r10:f r20:f r30:bf r40.0:bf {$1}"),
            "r1280-1535 r1920-2431 r2560-2687 > r640-895");
}

TEST(EuRegisters, Operations) {
  const auto is = [](const std::string& text) { return eu_operation(instruction(text)); };
  EXPECT_EQ(is("add (16|M0) r54.0<1>:q r50.0<1;1,0>:q 1:w"), Operation::arithmetic);
  EXPECT_EQ(is("math.inv (16|M0) r5.0<1>:f r6.0<1;1,0>:f"), Operation::slow_arithmetic);
  EXPECT_EQ(is("dpas.8x4 (16|M0) r10:f r20:f r30:bf r40.0:bf"), Operation::slow_arithmetic);
  EXPECT_EQ(is("send.ugm (32|M0) r19 r14 null:0 0x0 0x08200580 {$3}"), Operation::load);
  EXPECT_EQ(is("send.slm (32|M0) r8 r116 null:0 0x0 0x04200500 {$11}"), Operation::local_load);
  EXPECT_EQ(is("send.slm (32|M0) null r126 r26:2 0x0 0x04000504"), Operation::store);
  EXPECT_EQ(is("send.ugm (32|M0) r5 r14 r9:2 0x0 0x0820058C"), Operation::atomic);
  EXPECT_EQ(is("(W) send.slm (1|M0) r3 r0 null:0 0x0 0x0210001F {$5}"), Operation::barrier);
  EXPECT_EQ(is("(W) send.gtwy (1|M0) null r5 null:0 0x0 0x02000004 {$6}"), Operation::barrier);
  EXPECT_EQ(is("(W) send.gtwy (1|M0) null r127 null:0 0x0 0x02000010 {EOT,A@1}"),
            Operation::control);
  EXPECT_EQ(is("send.dc0 (8|M0) r1 r127 null:0 0x0 0x022843FD"), Operation::load);
  EXPECT_EQ(is("(W&f0.0) jmpi L504"), Operation::control);
  EXPECT_EQ(is("sync.bar 0x0"), Operation::barrier);
  EXPECT_EQ(is("sync.nop null {$1.dst}"), Operation::control);
  EXPECT_EQ(is("illegal"), Operation::unknown);
}

TEST(EuRegisters, SizeOfRegisters) {
  EXPECT_EQ(eu_register_size("xehpc"), 64u);
  EXPECT_EQ(eu_register_size("xe2"), 64u);
  EXPECT_EQ(eu_register_size("xe3pxpc"), 64u);
  EXPECT_EQ(eu_register_size("xehpg"), 32u);
  EXPECT_EQ(eu_register_size("xe"), 32u);
}

// Listings of Intel's compiler, if ../shared/data/zebin lies beside the repository.
// found by a fuzzer
TEST(EuRegisters, MoreOperandsThanAnInstructionHas) {
  std::string text = "add (32|M0) r6.0<1>:d";
  for (int i = 0; i < 100; ++i) text += " r84.0<824,2>:uw";
  EXPECT_LT(eu_registers(instruction(text), 64).reads.size(), 300u);
}

TEST(EuRegisters, OfWholeKernels) {
  const std::filesystem::path folder = "../shared/data/zebin";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no ../shared/data/zebin";
  size_t instructions = 0;
  for (const auto& each : std::filesystem::directory_iterator(folder)) {
    const std::string path = each.path().string();
    if (each.path().extension() != ".asm") continue;
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    const auto listing = parse_iga_listing(text.str());
    const unsigned size = path.find(".dg2.") == std::string::npos ? 64 : 32;
    CodeFlow code;
    code.ways = Scoreboard(listing).ways();
    for (const IgaInstruction& one : listing) {
      code.registers.push_back(eu_registers(one, size));
      EXPECT_EQ(code.registers.back().known, !one.mnemonic.empty()) << one.operands;
    }
    instructions += listing.size();
    const RegisterFlow flow(code);
    // the first registers are the thread's payload; of messages only some bytes are set
    for (const uint32_t index : flow.reads_nothing([&](RegisterKind kind, uint32_t unit) {
           return kind == RegisterKind::general && unit < size * 4;
         }))
      EXPECT_TRUE(listing[index].operands.find("r5.0<0;1,0>:ud") != std::string::npos ||
                  listing[index].mnemonic.starts_with("send."))
          << path << ' ' << listing[index].offset << ' ' << listing[index].operands;
    for (const uint32_t index : flow.writes_in_vain())
      EXPECT_EQ(listing[index].mnemonic.substr(0, 5), "send.") << path << ' ' << index;
  }
  EXPECT_GT(instructions, 1000u);
}

}  // namespace
}  // namespace aiflame
