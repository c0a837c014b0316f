// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/iga_listing.h"

#include <gtest/gtest.h>

#include "tests/unit/genuine_zebins.h"

namespace aiflame {
namespace {

IgaInstruction one(const std::string& text) {
  const auto code = parse_iga_listing("/* [0040]  */ " + text + "\n");
  EXPECT_EQ(code.size(), 1u) << text;
  return code.empty() ? IgaInstruction() : code.front();
}

TEST(IgaListing, Mnemonics) {
  EXPECT_EQ(one("(W)     mul (1|M0)  acc0.0<1>:d  r4.4<0;1,0>:d").mnemonic, "mul");
  EXPECT_EQ(one("        sync.nop    null    {I@1}").mnemonic, "sync.nop");
  EXPECT_EQ(one("(W&~f1.0) jmpi   L768").mnemonic, "jmpi");
  EXPECT_EQ(one("(f0.0)  goto.b (16|M0)  L1768  L720").mnemonic, "goto.b");
  EXPECT_EQ(one("        bfn.(s0&s1|s2) (16|M0)  r1.0<1>:ud").mnemonic, "bfn.(s0&s1|s2)");
  EXPECT_EQ(one("        dpas.8x8 (16|M0)  r1:f  null:f  r9:bf  r2:bf {$3}").mnemonic, "dpas.8x8");
  EXPECT_EQ(one("        illegal {Compacted} // add: 40 1b : invalid register").mnemonic, "");
  for (const char* none : {"", "<b>", "Mul (1)", "(W", "()", "mul;x", "\x81\x82", "{", "//", "_x"})
    EXPECT_EQ(one(none).mnemonic, "") << none;
}

TEST(IgaListing, Tokens) {
  IgaInstruction each = one("(W) send.ugm (1|M0) r1 r127 null:0 0x0 0x1 {A@1,$0} // load {$9}");
  EXPECT_EQ(each.sets, 1u);
  EXPECT_EQ(each.waits(), 0u);
  each = one("mul (1|M0) r1.0<1>:d r2.0<1>:d {Compacted,A@1,$31.dst}");
  EXPECT_EQ(each.sets, 0u);
  EXPECT_EQ(each.waits_done, 1u << 31);
  each = one("sync.nop null {Compacted,$4.src}");
  EXPECT_EQ(each.waits_read, 1u << 4);
  EXPECT_EQ(each.waits_done, 0u);
  each = one("sync.allwr ($4,$6)");
  EXPECT_EQ(each.waits_done, 1u << 4 | 1u << 6);
  EXPECT_FALSE(each.waits_for_all);
  EXPECT_EQ(one("sync.allrd 0x3").waits_read, 3u);
  EXPECT_TRUE(one("sync.allwr null {I@1}").waits_for_all);
  EXPECT_EQ(one("sync.bar null").waits(), 0u);
  for (const char* none : {"nop {$32}", "nop {$}", "nop {$-1}", "nop {$1.foo}", "sync.allwr ($99)",
                           "sync.allwr ($1", "sync.allwr", "nop {$4294967296.dst}"}) {
    EXPECT_EQ(one(none).sets, 0u) << none;
    EXPECT_EQ(one(none).waits(), 0u) << none;
  }
}

TEST(IgaListing, WhereItGoesOn) {
  EXPECT_EQ(one("(W&f0.0) jmpi L504").targets, std::vector<uint32_t>{504});
  EXPECT_TRUE(one("(W&f0.0) jmpi L504").falls_through);
  EXPECT_FALSE(one("(W) jmpi L768").falls_through);
  EXPECT_EQ(one("goto (16|M0) L488 L1768").targets, (std::vector<uint32_t>{488, 1768}));
  EXPECT_FALSE(one("goto (16|M0) L488 L1768").falls_through);
  EXPECT_TRUE(one("join (16|M0) L1784").falls_through);
  EXPECT_TRUE(one("(W) call (16|M0) r9.0 L816").falls_through);
  EXPECT_FALSE(one("(W) ret (16|M0) r9.0").falls_through);
  EXPECT_FALSE(one("(W) send.gtwy (8|M0) null r127 {EOT,A@1}").falls_through);
  EXPECT_EQ(operands_in_hex(one("goto (16|M0) L488 L1768 {A@1}")), "(16|M0) 0x1e8 0x6e8 {A@1}");
  EXPECT_EQ(operands_in_hex(one("mov (16|M0) r1 L r2 Lx")), "(16|M0) r1 L r2 Lx");
  EXPECT_TRUE(one("jmpi L1 L2 L3 L4 Lx L99999999999").targets.size() == 3);
}

TEST(IgaListing, OrderedAndOnce) {
  const auto code = parse_iga_listing(
      "L0:\n/* [0020] */ mov\n/* [0000] */ add\r\nnoise\n/* [0020] */ mul\n/* [zz] */ x\n"
      "/* [100000000] */ x\n/* [1\n*/ [2]\n/* [0010] */ nop");
  ASSERT_EQ(code.size(), 3u);
  EXPECT_EQ(code[0].offset, 0u);
  EXPECT_EQ(code[2].mnemonic, "mov");
  EXPECT_EQ(instruction_at(code, 0x2f), &code[2]);
  EXPECT_EQ(instruction_at(code, 0x30), nullptr);
  EXPECT_EQ(instruction_at(code, 0x18), &code[1]);
  EXPECT_EQ(instruction_at({}, 0), nullptr);
}

// Everything that iga64 of 2026 prints for kernels of five generations.
TEST(IgaListing, Genuine) {
  SKIP_WITHOUT_GENUINE_ZEBINS();
  size_t instructions = 0;
  for (const std::string& generation : genuine::generations())
    for (const auto& [line, kernel] : genuine::kernels()) {
      const auto code = parse_iga_listing(genuine::slurp(genuine::listing(generation, kernel)));
      const auto expected = genuine::assembly(generation, kernel);
      ASSERT_EQ(code.size(), expected.size());
      for (const IgaInstruction& each : code) {
        const std::string mnemonic = genuine::mnemonic(expected.at(each.offset));
        EXPECT_EQ(each.mnemonic, mnemonic == "illegal" ? "" : mnemonic);
        for (const uint32_t target : each.targets) EXPECT_EQ(expected.count(target), 1u);
        ++instructions;
      }
    }
  EXPECT_EQ(instructions, 1587u);
}

}  // namespace
}  // namespace aiflame
