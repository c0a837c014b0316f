// SPDX-License-Identifier: MIT
#include "libcommon/symbols/unwind.h"

#include <gtest/gtest.h>
#include <link.h>
#include <ucontext.h>

#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "libcommon/symbols/elf.h"

namespace aiflame {
namespace {

constexpr size_t kStack = 1024;  // a few frames; the main thread's arguments lie above

struct Copy {
  UnwindState state;
  char stack[kStack];
};

// Registers and stack of this place, as perf_event_open(2) copies them.
[[gnu::noinline]] void copy_here(Copy& out) {
  static ucontext_t context;  // static, so that its kilobyte does not lie between the frames
  getcontext(&context);
#if defined(__aarch64__)
  for (size_t i = 0; i < 31; ++i) out.state.registers.at[i] = context.uc_mcontext.regs[i];
  out.state.registers.stack_pointer() = context.uc_mcontext.sp;
  out.state.registers.instruction() = context.uc_mcontext.pc;
#else
  constexpr int kOrder[] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                            REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                            REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (size_t i = 0; i < std::size(kOrder); ++i)
    out.state.registers.at[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[kOrder[i]]);
#endif
  const char* top = nullptr;
  std::memcpy(&top, &out.state.registers.stack_pointer(), sizeof top);
  // byte by byte, because for a sanitizer the stack is not ours to read
  for (size_t i = 0; i < kStack; ++i) out.stack[i] = static_cast<const volatile char*>(top)[i];
  out.state.stack = std::string_view(out.stack, kStack);
}

[[gnu::noinline]] void caller_of_copy(Copy& out) {
  copy_here(out);
  asm volatile("");  // no tail call
}

uint64_t base_of_self() {
  uint64_t base = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_addr;
        return 1;  // the first object is the program
      },
      &base);
  return base;
}

bool find_self(uint64_t address, UnwindPlace& out) {
  static const ElfFile self("/proc/self/exe");
  static CallFrames frames("/proc/self/exe");
  out.object = &frames;
  out.vaddr = address - base_of_self();
  return self.function_at(out.vaddr).has_value();
}

template <typename Find>
std::vector<uint64_t> chain_of(const UnwindState& state, const Find& find, size_t limit) {
  std::vector<uint64_t> chain;
  unwind(state, limit, [&](uint64_t address, UnwindPlace& out) {
    chain.push_back(address);
    return find(address, out);
  });
  return chain;
}

TEST(Unwinder, ACopiedStackTellsItsCallers) {
#ifdef AIFLAME_SANITIZED
  GTEST_SKIP() << "the stack is not the program's alone";
#endif
  Copy copy;
  caller_of_copy(copy);
  const std::vector<uint64_t> chain = chain_of(copy.state, find_self, 127);
  ASSERT_GE(chain.size(), 3u);
  const ElfFile self("/proc/self/exe");
  const uint64_t base = base_of_self();
  for (const auto& [index, name] :
       {std::pair<size_t, std::string>{0, "copy_here"}, {1, "caller_of_copy"}}) {
    const auto function = self.function_at(chain[index] - base);
    ASSERT_TRUE(function);
    EXPECT_NE(function->name.find(name), std::string::npos) << function->name;
  }
  // repeats with the same objects as often as asked
  EXPECT_EQ(chain_of(copy.state, find_self, 1).size(), 1u);
}

TEST(Unwinder, WhereNothingIsKnownTheLeafIsLeft) {
  UnwindState state;
  state.registers.instruction() = 0x1234;
  const auto nothing = [](uint64_t, UnwindPlace&) { return false; };
  EXPECT_EQ(chain_of(state, nothing, 127), std::vector<uint64_t>{0x1234});
}

// ---- AArch64, on any machine -------------------------------------------------------------------

// Addresses in frames.so: `leaf` + 4, and where calls of the others return to.
constexpr uint64_t kBase = 0x10000000, kVdso = 0x20000000, kNoTables = 0x30000000;
constexpr uint64_t kLeaf = kBase + 0x414, kThrough = kBase + 0x440, kSigned = kBase + 0x494;
constexpr uint64_t kWithRoom = kBase + 0x470;

// A stack of words, from kStackStart up.
class ArmStack {
 public:
  static constexpr uint64_t kStart = 0x7fff0000;

  void put(uint64_t address, uint64_t word) { words_[address] = word; }
  UnwindState state(uint64_t pc, uint64_t frame_pointer, uint64_t link) {
    bytes_.assign(4096, '\0');
    for (const auto& [address, word] : words_)
      std::memcpy(bytes_.data() + (address - kStart), &word, sizeof word);
    UnwindState out;
    out.registers = Registers(kAarch64);
    out.registers.instruction() = pc;
    out.registers.stack_pointer() = kStart;
    out.registers.frame_pointer() = frame_pointer;
    out.registers.at[30] = link;
    out.stack = bytes_;
    return out;
  }

 private:
  std::map<uint64_t, uint64_t> words_;
  std::string bytes_;
};

bool find_arm(uint64_t address, UnwindPlace& out) {
  static CallFrames frames("tests/data/aarch64/frames.so");
  static constexpr CallRule kUnknown;
  if (address >= kNoTables) {
    out.rule = &kUnknown;
  } else if (address >= kVdso - 4) {
    EXPECT_TRUE(out.is_call);
    out.rule = &kSignalReturn;
  } else {
    out.object = &frames;
    out.vaddr = address - kBase;
  }
  return true;
}

// A leaf, whose return address is in x30; a function with it on the stack; one with a signature;
// one whose frame is found from x29, which a signal's handler called; and the interrupted leaf.
TEST(Unwinder, Aarch64ThroughLeafSignatureAndSignal) {
  ArmStack stack;
  const uint64_t start = ArmStack::kStart;
  stack.put(start, start + 32);  // of `through`: x29, x30
  stack.put(start + 8, kSigned | uint64_t{0xa5} << 48);
  stack.put(start + 32, start + 112);  // of `with_signature`
  stack.put(start + 40, kWithRoom);
  stack.put(start + 112, 0);  // of `with_room`, below which it has its room
  stack.put(start + 120, kVdso);
  const uint64_t x0 = start + 128 + 128 + 176 + 8, outer = start + 2048;
  const auto saved = [&](uint64_t number) { return x0 + 8 * number; };
  stack.put(saved(30), kThrough);
  stack.put(saved(31), outer);
  stack.put(saved(32), kLeaf);
  const UnwindState state = stack.state(kLeaf, start, kThrough);
  EXPECT_EQ(chain_of(state, find_arm, 127),
            (std::vector<uint64_t>{kLeaf, kThrough - 1, kSigned - 1, kWithRoom - 1, kVdso - 1,
                                   kLeaf, kThrough - 1}));
}

// Code without tables has only x29, and its caller's stack pointer is found from the caller's rule.
TEST(Unwinder, Aarch64BehindCodeWithoutTables) {
  ArmStack stack;
  const uint64_t start = ArmStack::kStart;
  stack.put(start + 16, start + 64);  // whatever lies between the frames
  stack.put(start + 24, kThrough);
  stack.put(start + 64, start + 256);
  stack.put(start + 72, kWithRoom);
  EXPECT_EQ(chain_of(stack.state(kNoTables, start + 16, 0), find_arm, 127),
            (std::vector<uint64_t>{kNoTables, kThrough - 1, kWithRoom - 1}));
  // x29 leads below the frame: not believed
  stack.put(start + 16, start);
  EXPECT_EQ(chain_of(stack.state(kNoTables, start + 16, 0), find_arm, 127),
            (std::vector<uint64_t>{kNoTables, kThrough - 1}));
}

// A function that has made a call has saved x30. A rule without that is wrong, and x30 is not
// taken.
TEST(Unwinder, Aarch64ALeafIsNobodysCaller) {
  ArmStack stack;
  const uint64_t start = ArmStack::kStart;
  stack.put(start, start + 32);
  stack.put(start + 8, kLeaf);
  EXPECT_EQ(chain_of(stack.state(kThrough, start, kWithRoom), find_arm, 127),
            (std::vector<uint64_t>{kThrough, kLeaf - 1}));
}

}  // namespace
}  // namespace aiflame
