// SPDX-License-Identifier: MIT
#include "libcommon/objects/llvm/llvm_disassembler.h"

#include <gtest/gtest.h>

#include <random>

namespace aiflame {
namespace {

const LlvmTarget kX86 = {"x86_64-unknown-linux-gnu", ""};
const LlvmTarget kAmd = {"amdgcn-amd-amdhsa", "gfx90a"};

#define SKIP_WITHOUT_LLVM(llvm) \
  if (llvm.unnamed(kX86) == Unnamed::no_disassembler) GTEST_SKIP() << "no libLLVM (libllvm15)"

TEST(LlvmMnemonic, OfItsText) {
  EXPECT_EQ(llvm_mnemonic("\tvprold\tzmm3, zmm0, 7"), "vprold");
  EXPECT_EQ(llvm_mnemonic("\trep\t\tstosq\tqword ptr es:[rdi], rax"), "rep stosq");
  EXPECT_EQ(llvm_mnemonic("\ts_waitcnt lgkmcnt(0)"), "s_waitcnt");
  EXPECT_EQ(llvm_mnemonic("\ts_endpgm"), "s_endpgm");
  EXPECT_EQ(llvm_mnemonic("\tlock\t"), "");
  EXPECT_EQ(llvm_mnemonic(" \t"), "");
  EXPECT_EQ(llvm_mnemonic(""), "");
}

TEST(LlvmDisassembler, NamesInstructionsOfSeveralMachines) {
  LlvmDisassembler llvm;
  SKIP_WITHOUT_LLVM(llvm);
  EXPECT_EQ(llvm.name(kX86, std::string_view("\x62\xf1\x65\x48\x72\xc8\x07", 7)).name, "vprold");
  EXPECT_EQ(llvm.name(kX86, "\x06").unnamed, Unnamed::undecodable);
  EXPECT_EQ(llvm.name(kX86, "").unnamed, Unnamed::undecodable);
  if (llvm.unnamed(kAmd) != Unnamed::no) GTEST_SKIP() << "a libLLVM without AMDGPU";
  EXPECT_EQ(llvm.name(kAmd, std::string_view("\0\0\x81\xbf", 4)).name, "s_endpgm");
}

// More than one answer holds, with something in the middle that is no instruction.
TEST(LlvmDisassembler, AllInstructions) {
  LlvmDisassembler llvm;
  SKIP_WITHOUT_LLVM(llvm);
  if (llvm.unnamed(kAmd) != Unnamed::no) GTEST_SKIP() << "a libLLVM without AMDGPU";
  std::string code;
  for (int i = 0; i < 3000; ++i) {
    code.append("\x70\x0f\x8c\xbf", 4);              // s_waitcnt vmcnt(0)
    code.append("\0\x80\x50\xdc\x02\0\x7f\x04", 8);  // global_load_dword v4, v[2:3], off
    if (i == 1500) code.append("\xff\xff\xff\xff", 4);
  }
  code.append("\0\0\x81\xbf", 4);
  const auto all = llvm.all(kAmd, code, 4);
  ASSERT_EQ(all.size(), 6002u);
  EXPECT_EQ(all[2998].mnemonic.name + " " + all[2998].operands, "s_waitcnt vmcnt(0)");
  EXPECT_EQ(all[2999].operands, "v4, v[2:3], off");
  EXPECT_EQ(all[2999].size, 8u);
  EXPECT_EQ(all[3002].mnemonic.name, "");
  EXPECT_EQ(all[3002].size, 4u);
  EXPECT_EQ(all[6001].mnemonic.name, "s_endpgm");
  EXPECT_TRUE(llvm.all(kAmd, "", 4).empty());
  EXPECT_EQ(llvm.all(kAmd, "\x70\x0f", 4).at(0).size, 2u);
}

// LLVM ends the process, or goes on as if for another one.
TEST(LlvmDisassembler, AProcessorThatItDoesNotKnow) {
  LlvmDisassembler llvm;
  SKIP_WITHOUT_LLVM(llvm);
  const LlvmTarget future = {"amdgcn-amd-amdhsa", "gfx9999"}, other = {kX86.triple, "i99999"};
  EXPECT_EQ(llvm.unnamed(future), Unnamed::unknown_device);
  EXPECT_EQ(llvm.name(future, std::string_view("\0\0\x81\xbf", 4)).unnamed,
            Unnamed::unknown_device);
  EXPECT_EQ(llvm.unnamed(other), Unnamed::unknown_device);
  EXPECT_EQ(llvm.unnamed({"no-such-machine", ""}), Unnamed::unknown_device);
  EXPECT_EQ(llvm.name(kX86, "\xc3").name, "ret");
}

TEST(LlvmDisassembler, AnyBytes) {
  LlvmDisassembler llvm;
  SKIP_WITHOUT_LLVM(llvm);
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string code(LlvmDisassembler::kLongest, '\0');
    for (char& byte : code) byte = static_cast<char>(random());
    for (const LlvmTarget& target : {kX86, kAmd}) {
      const Mnemonic& it = llvm.name(target, code);
      EXPECT_EQ(it.name.empty(), it.unnamed != Unnamed::no);
    }
  }
}

// A child that code took over may answer anything.
TEST(LlvmDisassembler, AnswersAreChecked) {
  LlvmDisassembler lying([] {
    return [](std::string_view request) -> std::string {
      if (request.ends_with('\0')) return "k";
      if (request.ends_with('e')) return "n\x1b[31m";
      if (request.ends_with('l')) return "n" + std::string(1000, 'x');
      if (request.ends_with('n')) return "n";
      if (request.ends_with('c')) __builtin_trap();
      if (request.ends_with('s')) return "nmov\n99\n\n";
      return request.ends_with('?') ? "?" : "nmov\n3\neax, ebx\n";
    };
  });
  for (const char* code : {"e", "l", "n", "c", "s"})
    EXPECT_EQ(lying.name(kX86, code).unnamed, Unnamed::gave_up) << code;
  EXPECT_EQ(lying.name(kX86, "?").unnamed, Unnamed::undecodable);
  EXPECT_EQ(lying.name(kX86, "m").name, "mov");
  EXPECT_EQ(lying.instruction(kX86, "m").operands, "eax, ebx");
  // more than was asked for
  EXPECT_TRUE(lying.all(kX86, "m", 1).empty());
}

TEST(LlvmDisassembler, AnswersForManyAreChecked) {
  std::string answer;
  const auto all = [&answer](const std::string& code) {
    LlvmDisassembler lying([&answer] {
      return [&answer](std::string_view request) {
        return request.starts_with('*') ? answer : std::string("k");
      };
    });
    return lying.all(kX86, code, 1).size();
  };
  for (const char* wrong : {"n", "?", "n\n", "nmov\n", "nmov\nx\n\n", "nmov\n99\n\n", "n\n1\n\n",
                            "nmov\n1\n\x1b[31m\n"}) {
    answer = wrong;
    EXPECT_EQ(all("code"), 0u) << wrong;
  }
  answer = "nmov\n1\n\nadd\n2\neax\nmore\n4\n\n";
  EXPECT_EQ(all("123"), 2u);
}

TEST(LlvmDisassembler, OneThatAlwaysCrashesIsGivenUp) {
  LlvmDisassembler broken([] {
    return [](std::string_view request) -> std::string {
      if (!request.ends_with('\0')) __builtin_trap();
      return "k";
    };
  });
  for (int i = 0; i < 100; ++i)
    EXPECT_EQ(broken.name(kX86, std::to_string(i)).unnamed, Unnamed::gave_up);
  LlvmDisassembler missing([] { return [](std::string_view) { return std::string("l"); }; });
  EXPECT_EQ(missing.name(kX86, "\xc3").unnamed, Unnamed::no_disassembler);
}

}  // namespace
}  // namespace aiflame
