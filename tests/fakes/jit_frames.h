// SPDX-License-Identifier: MIT
// Stack frames of code that was made at run time and has no unwind tables, like a JIT compiler's:
// with a proper chain of frame pointers, and with every kind of wrong one. They test stack walks:
// the callback runs with such frames above it. x86-64 and
// AArch64, whose frame pointer is x29.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace aiflame {

class JitFrames {
 public:
  using Callback = void (*)(void* context);

  JitFrames();  // throws std::system_error
  ~JitFrames();
  JitFrames(const JitFrames&) = delete;
  JitFrames& operator=(const JitFrames&) = delete;

  // Calls `callback` through `frames` (at least 1) made-up functions, each with `push %rbp;
  // mov %rsp,%rbp` or `stp x29,x30,[sp,#-16]!; mov x29,sp`: a walk by frame pointers crosses them
  // all.
  void call_through(size_t frames, Callback callback, void* context) const;

  // Calls `callback` from one made-up function that has put any `frame_pointer` into %rbp, and
  // restores %rbp after the call.
  void call_with_frame_pointer(uintptr_t frame_pointer, Callback callback, void* context) const;

  // Likewise; %rbp points to a frame that is its own caller: an endless chain.
  void call_in_loop(Callback callback, void* context) const;

  // Is `address` in made-up code?
  bool contains(uintptr_t address) const;

 private:
  std::byte* code_ = nullptr;
  size_t size_ = 0;
  size_t through_ = 0, with_frame_pointer_ = 0, in_loop_ = 0;  // offsets in code_
};

// Wrong frame pointers, each with a description. The mappings that they point into live as long as
// the object.
class WrongFramePointers {
 public:
  struct Case {
    const char* what;
    uintptr_t value;
  };

  WrongFramePointers();  // throws std::system_error
  ~WrongFramePointers();
  WrongFramePointers(const WrongFramePointers&) = delete;
  WrongFramePointers& operator=(const WrongFramePointers&) = delete;

  const std::vector<Case>& cases() const { return cases_; }

 private:
  void* forbidden_ = nullptr;  // a page of PROT_NONE
  void* file_ = nullptr;       // this executable's first page, read-only
  void* edge_ = nullptr;       // a page, followed by a forbidden one
  std::vector<uintptr_t> heap_;
  std::vector<Case> cases_;
};

}  // namespace aiflame
