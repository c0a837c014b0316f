// SPDX-License-Identifier: MIT
#include "libcommon/symbols/call_frames.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <sstream>

#include "libcommon/symbols/elf.h"

#if defined(__x86_64__)

// Functions with different call frame information. `plain`: as compilers write it. `strange`: by
// expressions, as in signal handlers and linkage tables. Its frame address is read from 8(%rsp),
// the return address from 16(%rsp), and %rbx is 5 more than %rax. `outermost`: has no caller.
// `unsound`: names register 16777215.
asm(R"(
  .text
  .globl aiflame_frames_plain, aiflame_frames_strange, aiflame_frames_outermost
  .type aiflame_frames_plain, @function
aiflame_frames_plain:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  pop %rbp
  .cfi_def_cfa %rsp, 8
  .cfi_restore %rbp
  ret
  .cfi_endproc
  .size aiflame_frames_plain, . - aiflame_frames_plain
  .type aiflame_frames_strange, @function
aiflame_frames_strange:
  .cfi_startproc
  .cfi_signal_frame
  .cfi_escape 0x0f, 3, 0x77, 8, 0x06
  .cfi_escape 0x10, 16, 2, 0x77, 16
  .cfi_escape 0x16, 3, 2, 0x70, 5
  nop
  ret
  .cfi_endproc
  .size aiflame_frames_strange, . - aiflame_frames_strange
  .type aiflame_frames_outermost, @function
aiflame_frames_outermost:
  .cfi_startproc
  .cfi_undefined %rip
  nop
  ret
  .cfi_endproc
  .size aiflame_frames_outermost, . - aiflame_frames_outermost
  .type aiflame_frames_unsound, @function
aiflame_frames_unsound:
  .cfi_startproc
  .cfi_escape 0x0f, 3, 0x77, 8, 0x06
  .cfi_escape 0x05, 0xff, 0xff, 0xff, 0x07, 1
  nop
  ret
  .cfi_endproc
  .size aiflame_frames_unsound, . - aiflame_frames_unsound
)");

#endif

namespace aiflame {
namespace {

using Step = CallFrames::Step;

uint64_t start_of(const ElfFile& elf, const char* name) {
  for (const ElfFunction& function : elf.functions())
    if (function.name == name) return function.start;
  return 0;
}

struct Stack {
  std::map<uint64_t, uint64_t> words;
  CallFrames::Read read = [this](uint64_t address, uint64_t& out) {
    const auto found = words.find(address);
    if (found == words.end()) return false;
    out = found->second;
    return true;
  };
};

Step step(CallFrames& frames, uint64_t vaddr, const Stack& stack, Registers& registers,
          bool& is_signal) {
  const CallRule& rule = frames.rule_at(vaddr);
  is_signal = rule.is_signal;
  return frames.step(vaddr, rule, stack.read, registers);
}

#if defined(__x86_64__)

TEST(CallFrames, APlainFunctionsCaller) {
  const ElfFile self("/proc/self/exe");
  CallFrames frames("/proc/self/exe");
  const uint64_t start = start_of(self, "aiflame_frames_plain");
  ASSERT_NE(start, 0u);
  Stack stack;
  stack.words = {{0x1000, 0xb0b}, {0x1008, 0xcafe}};
  // the stack pointer before `push` and after it
  for (const auto& [offset, pointer] : {std::pair<uint64_t, uint64_t>{0, 0x1008}, {1, 0x1000}}) {
    Registers registers;
    registers.at[kThisMachine.stack_pointer] = pointer;
    registers.at[kThisMachine.frame_pointer] = offset == 0 ? 0xb0b : 0;
    registers.at[3] = 33;
    bool is_signal = true;
    ASSERT_EQ(step(frames, start + offset, stack, registers, is_signal), Step::done);
    EXPECT_FALSE(is_signal);
    EXPECT_EQ(registers.at[kThisMachine.instruction], 0xcafeu);
    EXPECT_EQ(registers.at[kThisMachine.stack_pointer], 0x1010u);
    EXPECT_EQ(registers.at[kThisMachine.frame_pointer], 0xb0bu);
    EXPECT_EQ(registers.at[3], 33u);
  }
  Registers registers;  // the return address was not copied
  registers.at[kThisMachine.stack_pointer] = 0x9000;
  bool is_signal = false;
  EXPECT_EQ(step(frames, start, stack, registers, is_signal), Step::end);
}

#endif

// What CPython writes for a trampoline: sub $24,%rsp; call *%rdi; add $24,%rsp; ret. The tables
// follow the 11 bytes of code at the next address that 8 divides.
std::string trampoline_tables() {
  constexpr unsigned char kTables[] = {
      // CIE: version 1, "zR", code alignment 1, data alignment -8, return address in register 16,
      // pointers of 4 bytes, relative to themselves; CFA = rsp + 8, return address at CFA - 8
      20, 0, 0, 0, 0, 0, 0, 0, 1, 'z', 'R', 0, 1, 0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1, 0, 0,
      // FDE: from 48 bytes before the field on, 11 bytes; after 4 CFA = rsp + 32, after 10 rsp + 8
      20, 0, 0, 0, 28, 0, 0, 0, 0xd0, 0xff, 0xff, 0xff, 11, 0, 0, 0, 0, 0x44, 0x0e, 32, 0x46, 0x0e,
      8, 0,
      // .eh_frame_hdr: forms, .eh_frame, one function: where it begins, its FDE
      1, 0x1b, 0x03, 0x3b, 0xcc, 0xff, 0xff, 0xff, 1, 0, 0, 0, 0xc0, 0xff, 0xff, 0xff, 0xe8, 0xff,
      0xff, 0xff};
  return {reinterpret_cast<const char*>(kTables), sizeof kTables};
}

TEST(CallFrames, TablesWithoutAnObject) {
  const std::string tables = trampoline_tables();
  CallFrames frames(tables, 20, 16, kX86_64);
  Stack stack;
  stack.words = {{0x1018, 0xcafe}, {0x1000, 0xbeef}};
  for (const auto& [vaddr, back] :
       {std::pair<uint64_t, uint64_t>{0, 0xbeef}, {5, 0xcafe}, {10, 0xbeef}}) {
    Registers registers(kX86_64);
    registers.stack_pointer() = 0x1000;
    bool is_signal = true;
    ASSERT_EQ(step(frames, vaddr, stack, registers, is_signal), Step::done) << vaddr;
    EXPECT_EQ(registers.instruction(), back) << vaddr;
    EXPECT_FALSE(is_signal);
  }
  for (const uint64_t vaddr : {uint64_t{11}, uint64_t{1000}, UINT64_MAX})
    EXPECT_EQ(frames.rule_at(vaddr).kind, CallRule::Kind::unknown) << vaddr;
}

TEST(CallFrames, DamagedTablesWithoutAnObject) {
  const std::string tables = trampoline_tables();
  const auto look_up = [](std::string_view bytes, uint64_t header_size) {
    CallFrames frames(bytes, header_size, 16, kX86_64);
    for (const uint64_t vaddr : {uint64_t{0}, uint64_t{5}, uint64_t{10}, uint64_t{11}})
      frames.rule_at(vaddr);
  };
  for (uint64_t header_size :
       {uint64_t{0}, uint64_t{3}, uint64_t{12}, uint64_t{68}, uint64_t{69}, UINT64_MAX})
    look_up(tables, header_size);
  for (size_t at = 0; at < tables.size(); ++at) {
    for (const int change : {0x01, 0x7f, 0x80, 0xff}) {
      std::string damaged = tables;
      damaged[at] = static_cast<char>(damaged[at] ^ change);
      look_up(damaged, 20);
    }
    // in memory of its own, so that a sanitizer sees what is read beyond it
    const std::string cut = tables.substr(at);
    look_up(cut, std::min<size_t>(20, cut.size()));
  }
}

#if defined(__x86_64__)

TEST(CallFrames, Expressions) {
  const ElfFile self("/proc/self/exe");
  CallFrames frames("/proc/self/exe");
  const uint64_t start = start_of(self, "aiflame_frames_strange");
  ASSERT_NE(start, 0u);
  Stack stack;
  stack.words = {{0x1008, 0x2000}, {0x1010, 0xcafe}};
  Registers registers;
  registers.at[0] = 100;
  registers.at[kThisMachine.stack_pointer] = 0x1000;
  bool is_signal = false;
  ASSERT_EQ(step(frames, start, stack, registers, is_signal), Step::done);
  EXPECT_TRUE(is_signal);
  EXPECT_EQ(registers.at[kThisMachine.instruction], 0xcafeu);
  EXPECT_EQ(registers.at[kThisMachine.stack_pointer], 0x2000u);
  EXPECT_EQ(registers.at[3], 105u);
  // the memory that the expressions read was not copied
  Registers lost;
  lost.at[kThisMachine.stack_pointer] = 0x5000;
  EXPECT_EQ(step(frames, start, stack, lost, is_signal), Step::end);
}

#endif

// libdw inflates debug information in place, and with it changes the file's image.
TEST(CallFrames, CompressedDebugInformationBesideFrames) {
  char path[] = "/tmp/call_frames_XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  close(fd);
  // with .eh_frame alone, and with a .debug_frame that is too short to be compressed
  for (const std::string frames : {"", "-fno-asynchronous-unwind-tables "}) {
    const std::string compile = "echo 'int main() { return 0; }' | gcc -x c -g -gz " + frames +
                                "-o " + path + " - 2>/dev/null";
    if (std::system(compile.c_str()) != 0) GTEST_SKIP() << "no gcc";
    const uint64_t start = start_of(ElfFile(path), "main");
    ASSERT_NE(start, 0u);
    CallFrames known(path, CallFrames::Reader::libdw);
    EXPECT_NE(known.rule_at(start).kind, CallRule::Kind::unknown);
    EXPECT_EQ(known.rule_at(1).kind, CallRule::Kind::unknown);
  }
  unlink(path);
}

#if defined(__x86_64__)

TEST(CallFrames, TheOutermostHasNoCaller) {
  const ElfFile self("/proc/self/exe");
  CallFrames frames("/proc/self/exe");
  Registers registers;
  registers.at[kThisMachine.stack_pointer] = 0x1000;
  Stack stack;
  stack.words = {{0x1000, 0xcafe}};
  bool is_signal = false;
  EXPECT_EQ(step(frames, start_of(self, "aiflame_frames_outermost"), stack, registers, is_signal),
            Step::end);
  EXPECT_EQ(step(frames, 1, stack, registers, is_signal), Step::unknown);
}

TEST(CallFrames, LibdwMustNotAllocateForAHugeRegisterNumber) {
  const ElfFile self("/proc/self/exe");
  CallFrames frames("/proc/self/exe");
  const uint64_t start = start_of(self, "aiflame_frames_unsound");
  ASSERT_NE(start, 0u);
  EXPECT_EQ(frames.rule_at(start).kind, CallRule::Kind::unknown);
}

#endif

TEST(CallFrames, UnreadableFilesHaveNoRules) {
  for (const char* path : {"", "/nonexistent", "/", "/dev/zero", "/etc/passwd"}) {
    CallFrames frames(path);
    Registers registers;
    bool is_signal = false;
    EXPECT_EQ(step(frames, 0x1000, Stack(), registers, is_signal), Step::unknown) << path;
  }
}

// Real objects, large ones and ones with assembly: our reader and libdw give the same rules. They
// are compared at the start of functions, inside them and after their end.
TEST(CallFrames, AgreesWithLibdw) {
  size_t compared = 0, plain = 0;
  for (const char* path :
       {"/proc/self/exe", "/bin/bash", "/lib/x86_64-linux-gnu/libc.so.6",
        "/lib/x86_64-linux-gnu/libm.so.6", "/lib64/ld-linux-x86-64.so.2",
        "/usr/lib/x86_64-linux-gnu/libstdc++.so.6", "/usr/lib/x86_64-linux-gnu/libdw.so.1",
        "/lib/aarch64-linux-gnu/libc.so.6", "/lib/aarch64-linux-gnu/libm.so.6",
        "/usr/lib/aarch64-linux-gnu/libstdc++.so.6"}) {
    if (access(path, R_OK) != 0) continue;
    const ElfFile elf(path);
    const std::vector<ElfFunction> functions = elf.functions();
    CallFrames ours(path), theirs(path, CallFrames::Reader::libdw);
    const size_t step = std::max<size_t>(functions.size() / 2000, 1);
    for (size_t i = 0; i < functions.size(); i += step) {
      const auto& [start, size, name] = functions[i];
      for (const uint64_t inside : {uint64_t{0}, uint64_t{1}, uint64_t{4}, size / 3, size / 2,
                                    size - size / 8, size - 1, size}) {
        const CallRule& rule = ours.rule_at(start + inside);
        EXPECT_EQ(rule, theirs.rule_at(start + inside))
            << path << ": " << name << " + " << inside << " at " << std::hex << start + inside;
        ++compared;
        if (rule.kind == CallRule::Kind::plain) ++plain;
      }
    }
  }
  EXPECT_GT(compared, 10000u);
  EXPECT_GT(plain, compared / 2);
}

// ---- AArch64, read on any machine --------------------------------------------------------------

const char* const kArmObject = "tests/data/aarch64/frames.so";

uint64_t start_of_arm(const char* name) {
  return ElfFile(kArmObject).export_at(name).value_or(0);
}

TEST(CallFrames, AnAarch64FunctionSavesItsReturnAddress) {
  CallFrames frames(kArmObject);
  EXPECT_EQ(&frames.machine(), &kAarch64);
  const uint64_t start = start_of_arm("through");
  ASSERT_NE(start, 0u);
  Stack stack;
  stack.words = {{0x1000, 0xb0b}, {0x1008, 0xcafe}, {0x1010, 19}, {0x1018, 20}};
  // at `stp x29, x30, [sp, #-32]!`, then behind it, then with x19 and x20 saved
  for (const auto& [offset, pointer] :
       {std::pair<uint64_t, uint64_t>{0, 0x1020}, {4, 0x1000}, {12, 0x1000}}) {
    Registers registers(kAarch64);
    registers.stack_pointer() = pointer;
    registers.frame_pointer() = offset == 0 ? 0xb0b : 0;
    registers.at[30] = offset == 0 ? 0xcafe : 0;
    registers.at[19] = offset == 12 ? 0 : 19;
    bool is_signal = true;
    ASSERT_EQ(step(frames, start + offset, stack, registers, is_signal), Step::done) << offset;
    EXPECT_FALSE(is_signal);
    EXPECT_EQ(registers.instruction(), 0xcafeu) << offset;
    EXPECT_EQ(registers.stack_pointer(), 0x1020u) << offset;
    EXPECT_EQ(registers.frame_pointer(), 0xb0bu) << offset;
    EXPECT_EQ(registers.at[19], 19u) << offset;
  }
  EXPECT_TRUE(frames.rule_at(start + 4).saves(30));
  EXPECT_FALSE(frames.rule_at(start).saves(30));
}

// paciasp and pacibsp: the rules go on behind the instruction that tells of the signature, which is
// taken off.
TEST(CallFrames, SignedReturnAddresses) {
  CallFrames frames(kArmObject);
  for (const char* name : {"with_signature", "with_key_b"}) {
    const uint64_t start = start_of_arm(name);
    ASSERT_NE(start, 0u) << name;
    Stack stack;
    stack.words = {{0x1000, 0xb0b}, {0x1008, 0x00a500000000cafe}};
    Registers registers(kAarch64);
    registers.stack_pointer() = 0x1000;
    bool is_signal = true;
    ASSERT_EQ(step(frames, start + 12, stack, registers, is_signal), Step::done) << name;
    EXPECT_EQ(registers.instruction(), 0xcafeu) << name;
    EXPECT_EQ(registers.stack_pointer(), 0x1010u) << name;
  }
}

TEST(CallFrames, Aarch64AgreesWithLibdw) {
  CallFrames ours(kArmObject), theirs(kArmObject, CallFrames::Reader::libdw);
  // libdw 0.188 does not know the instruction that tells of signatures
  const uint64_t end = start_of_arm("with_signature");
  size_t plain = 0;
  for (uint64_t vaddr = start_of_arm("leaf"); vaddr < end; vaddr += 4) {
    EXPECT_EQ(ours.rule_at(vaddr), theirs.rule_at(vaddr)) << std::hex << vaddr;
    if (ours.rule_at(vaddr).kind == CallRule::Kind::plain) ++plain;
  }
  EXPECT_GT(plain, 20u);
}

// Call frame information with flipped bits: any result but a crash or a hang. The object is small,
// because the tables are found by searching the file for their first bytes.
TEST(CallFrames, SurvivesDamagedTables) {
  std::ifstream in("/bin/true", std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  const std::string bytes = text.str();
  // `zR`, the augmentation of the first entry of .eh_frame, is 9 bytes after the start of the entry
  const size_t at = bytes.find(std::string("\x01zR\0\x01\x78\x10\x01", 8));
  if (at == std::string::npos || at < 8) GTEST_SKIP() << "/bin/true has no usual .eh_frame";
  const ElfFile elf("/bin/true");
  const std::string path = "/tmp/aiflame-frames-" + std::to_string(getpid());
  const size_t table = bytes.find("\x01\x1b\x03\x3b");
  ASSERT_NE(table, std::string::npos);
  for (size_t flip = 0; flip < 400; ++flip) {
    std::string damaged = bytes;
    // in turn .eh_frame_hdr, the ELF and program headers, and .eh_frame
    const size_t from = flip % 4 == 0 ? table : flip % 4 == 1 ? 0 : at - 8;
    char& byte = damaged[from + flip * 7 % 1000];
    byte = static_cast<char>(byte ^ (flip % 3 == 0 ? 0xff : 1 << flip % 8));
    std::ofstream(path, std::ios::binary) << damaged;
    CallFrames frames(path);
    for (uint64_t vaddr = 0x1000; vaddr < 0x6000; vaddr += 61) {
      Registers registers;
      bool is_signal = false;
      step(frames, vaddr, Stack(), registers, is_signal);
    }
  }
  unlink(path.c_str());
}

}  // namespace
}  // namespace aiflame
