// SPDX-License-Identifier: MIT
#include "tests/fakes/jit_frames.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bit>
#include <cerrno>
#include <cstring>
#include <initializer_list>
#include <system_error>

namespace aiflame {
namespace {

// Each function is called as function(callback, context, argument): %rdi, %rsi, %rdx, or x0, x1,
// x2. The stack is aligned to 16 at each call, as the ABI demands.

#if defined(__aarch64__)

// calls itself; argument = frames - 1
constexpr uint32_t kThrough[] = {
    0xa9bf7bfd,  // stp  x29,x30,[sp,#-16]!
    0x910003fd,  // mov  x29,sp
    0xb40000a2,  // cbz  x2,last
    0xd1000442,  // sub  x2,x2,#1
    0x97fffffc,  // bl   to the first instruction
    0xa8c17bfd,  // ldp  x29,x30,[sp],#16
    0xd65f03c0,  // ret
    0xaa0003e9,  // last: mov x9,x0
    0xaa0103e0,  // mov  x0,x1
    0xd63f0120,  // blr  x9
    0xa8c17bfd,  // ldp  x29,x30,[sp],#16
    0xd65f03c0,  // ret
};

// argument = the frame pointer
constexpr uint32_t kWithFramePointer[] = {
    0xa9bf7bfd,  // stp  x29,x30,[sp,#-16]!
    0xaa0203fd,  // mov  x29,x2
    0xaa0003e9,  // mov  x9,x0
    0xaa0103e0,  // mov  x0,x1
    0xd63f0120,  // blr  x9
    0xa8c17bfd,  // ldp  x29,x30,[sp],#16
    0xd65f03c0,  // ret
};

constexpr uint32_t kInLoop[] = {
    0xa9be7bfd,  // stp  x29,x30,[sp,#-32]!
    0x910043fd,  // add  x29,sp,#16
    0x100000aa,  // adr  x10,back
    0xa9012bfd,  // stp  x29,x10,[sp,#16]: the caller's frame is this one, and returns to `back`
    0xaa0003e9,  // mov  x9,x0
    0xaa0103e0,  // mov  x0,x1
    0xd63f0120,  // blr  x9
    0xa8c27bfd,  // back: ldp x29,x30,[sp],#32
    0xd65f03c0,  // ret
};

#else

// calls itself; argument = frames - 1
constexpr unsigned char kThrough[] = {
    0x55,                          // push %rbp
    0x48, 0x89, 0xe5,              // mov  %rsp,%rbp
    0x48, 0x85, 0xd2,              // test %rdx,%rdx
    0x74, 0x0a,                    // je   last
    0x48, 0xff, 0xca,              // dec  %rdx
    0xe8, 0xef, 0xff, 0xff, 0xff,  // call to the first byte
    0x5d,                          // pop  %rbp
    0xc3,                          // ret
    0x48, 0x89, 0xf8,              // last: mov %rdi,%rax
    0x48, 0x89, 0xf7,              // mov  %rsi,%rdi
    0xff, 0xd0,                    // call *%rax
    0x5d,                          // pop  %rbp
    0xc3,                          // ret
};

// argument = the frame pointer
constexpr unsigned char kWithFramePointer[] = {
    0x55,              // push %rbp
    0x48, 0x89, 0xd5,  // mov  %rdx,%rbp
    0x48, 0x89, 0xf8,  // mov  %rdi,%rax
    0x48, 0x89, 0xf7,  // mov  %rsi,%rdi
    0xff, 0xd0,        // call *%rax
    0x5d,              // pop  %rbp
    0xc3,              // ret
};

constexpr unsigned char kInLoop[] = {
    0x55,                                      // push %rbp
    0x48, 0x83, 0xec, 0x10,                    // sub  $16,%rsp
    0x48, 0x89, 0x24, 0x24,                    // mov  %rsp,(%rsp): the caller's frame is this one
    0x48, 0x8d, 0x05, 0x10, 0x00, 0x00, 0x00,  // lea  back(%rip),%rax
    0x48, 0x89, 0x44, 0x24, 0x08,              // mov  %rax,8(%rsp): and returns to `back`
    0x48, 0x89, 0xe5,                          // mov  %rsp,%rbp
    0x48, 0x89, 0xf8,                          // mov  %rdi,%rax
    0x48, 0x89, 0xf7,                          // mov  %rsi,%rdi
    0xff, 0xd0,                                // call *%rax
    0x48, 0x83, 0xc4, 0x10,                    // back: add $16,%rsp
    0x5d,                                      // pop  %rbp
    0xc3,                                      // ret
};

#endif

using Function = void (*)(JitFrames::Callback callback, void* context, uintptr_t argument);

Function function_at(const std::byte* code) {
  return std::bit_cast<Function>(code);
}

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

size_t page_size() {
  return static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

std::byte* map(size_t size, int protection) {
  void* memory = mmap(nullptr, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) fail("mmap");
  return static_cast<std::byte*>(memory);
}

}  // namespace

JitFrames::JitFrames() : size_(page_size()) {
  code_ = map(size_, PROT_READ | PROT_WRITE);
  size_t used = 0;
  const auto put = [&](const void* bytes, size_t size) {
    const size_t at = used;
    std::memcpy(code_ + at, bytes, size);
    used = (used + size + 15) / 16 * 16;
    return at;
  };
  through_ = put(kThrough, sizeof kThrough);
  with_frame_pointer_ = put(kWithFramePointer, sizeof kWithFramePointer);
  in_loop_ = put(kInLoop, sizeof kInLoop);
  // AArch64 fetches instructions past the cache that they were stored through
  auto* const begin = reinterpret_cast<char*>(code_);
  __builtin___clear_cache(begin, begin + used);
  if (mprotect(code_, size_, PROT_READ | PROT_EXEC) != 0) {
    munmap(code_, size_);
    fail("mprotect");
  }
}

JitFrames::~JitFrames() {
  munmap(code_, size_);
}

void JitFrames::call_through(size_t frames, Callback callback, void* context) const {
  function_at(code_ + through_)(callback, context, frames - 1);
}

void JitFrames::call_with_frame_pointer(uintptr_t frame_pointer, Callback callback,
                                        void* context) const {
  function_at(code_ + with_frame_pointer_)(callback, context, frame_pointer);
}

void JitFrames::call_in_loop(Callback callback, void* context) const {
  function_at(code_ + in_loop_)(callback, context, 0);
}

bool JitFrames::contains(uintptr_t address) const {
  const auto start = reinterpret_cast<uintptr_t>(code_);
  return address >= start && address < start + size_;
}

WrongFramePointers::WrongFramePointers() {
  const size_t page = page_size();
  forbidden_ = map(page, PROT_NONE);
  std::byte* edge = map(2 * page, PROT_READ | PROT_WRITE);
  edge_ = edge;
  if (mprotect(edge + page, page, PROT_NONE) != 0) fail("mprotect");
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) fail("/proc/self/exe");
  file_ = mmap(nullptr, page, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (file_ == MAP_FAILED) fail("mmap");

  const auto address = [](const void* pointer) { return reinterpret_cast<uintptr_t>(pointer); };
  // On the heap: a frame that is its own caller, two that are each other's, a ladder downwards.
  heap_.resize(16);
  const uintptr_t heap = address(heap_.data());
  const uintptr_t somewhere = heap + 8 * sizeof(uintptr_t);  // a return address, not in code
  const auto frame = [&](size_t at, size_t caller) {
    heap_[at] = heap + caller * sizeof(uintptr_t);
    heap_[at + 1] = somewhere;
  };
  frame(0, 0);
  frame(2, 4);
  frame(4, 2);
  frame(14, 12);
  frame(12, 10);
  frame(10, 2);
  const auto at = [&](size_t index) { return heap + index * sizeof(uintptr_t); };

  cases_ = {
      {"zero", 0},
      {"one", 1},
      {"all bits", ~uintptr_t{0}},
      {"no canonical address", 0x4141414141414141},
      {"the kernel's half", 0xffff800000000000},
      {"an unmapped page", 0x1000},
      {"the last word of the user's half", 0x7ffffffffff8},
      {"a forbidden page", address(forbidden_)},
      {"the word before a forbidden page", address(edge + page) - sizeof(uintptr_t)},
      {"the byte before a forbidden page", address(edge + page) - 1},
      {"a file's mapping", address(file_)},
      {"code", address(reinterpret_cast<const void*>(&page_size))},
      {"the heap, its own caller", at(0)},
      {"the heap, two frames in a circle", at(2)},
      {"the heap, downwards into the circle", at(14)},
      {"the heap, unaligned", at(0) + 3},
  };
}

WrongFramePointers::~WrongFramePointers() {
  const size_t page = page_size();
  munmap(forbidden_, page);
  munmap(edge_, 2 * page);
  munmap(file_, page);
}

}  // namespace aiflame
