// SPDX-License-Identifier: MIT
// LLVM's disassemblers, which PoCL brings along. The only file that uses LLVM.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace aiflame {

// Use it in a child: LLVM ends the process on processors that it does not know, and standard error
// becomes a file of this class, for what LLVM prints.
class LlvmLibrary {
 public:
  // Loads the newest library that is installed. It is never unloaded.
  LlvmLibrary();
  bool found() const { return found_; }

  // Whether it can disassemble code of `processor` (`gfx90a`; empty: any of the machine's).
  bool knows(const std::string& triple, const std::string& processor);
  struct Text {
    size_t size = 0;   // of the instruction in bytes; 0: the bytes are none
    std::string text;  // such as "\tvmovss\txmm0, dword ptr [rdi]"
  };
  // The first instruction in `code`. Only where knows().
  Text text(const std::string& triple, const std::string& processor, std::string_view code);

 private:
  using Disassembler = void*;
  // the part of llvm-c/Disassembler.h that is used here
  using Create = Disassembler (*)(const char* triple, const char* processor, void* info,
                                  int tag_type, void* get_operand_info, void* look_up_symbol);
  using SetOptions = int (*)(Disassembler, unsigned long options);
  using Instruction = size_t (*)(Disassembler, unsigned char* code, unsigned long size,
                                 unsigned long address, char* text, size_t text_size);

  template <typename Function>
  [[nodiscard]] bool find(const char* name, Function& function);
  long printed() const;  // bytes; -1: it cannot be told
  Disassembler make(const std::string& triple, const std::string& processor) const;

  void* handle_ = nullptr;
  bool found_ = false;
  int printed_ = -1;
  Create create_ = nullptr;
  SetOptions set_options_ = nullptr;
  Instruction instruction_ = nullptr;
  // By triple and processor; null: not known.
  std::map<std::pair<std::string, std::string>, Disassembler> disassemblers_;
};

}  // namespace aiflame
