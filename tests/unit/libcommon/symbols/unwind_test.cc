// SPDX-License-Identifier: MIT
#include "libcommon/symbols/unwind.h"

#include <gtest/gtest.h>
#include <link.h>
#include <ucontext.h>

#include <cstring>

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
  constexpr int kOrder[Registers::kCount] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
                                             REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                             REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP};
  for (size_t i = 0; i < Registers::kCount; ++i)
    out.state.registers.at[i] = static_cast<uint64_t>(context.uc_mcontext.gregs[kOrder[i]]);
  const char* top = nullptr;
  std::memcpy(&top, &out.state.registers.at[Registers::kStackPointer], sizeof top);
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
  state.registers.at[Registers::kInstruction] = 0x1234;
  const auto nothing = [](uint64_t, UnwindPlace&) { return false; };
  EXPECT_EQ(chain_of(state, nothing, 127), std::vector<uint64_t>{0x1234});
}

}  // namespace
}  // namespace aiflame
