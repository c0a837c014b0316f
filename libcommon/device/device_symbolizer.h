// SPDX-License-Identifier: MIT
// Names an instruction of a device: the kernel and the functions that it belongs to, its source
// line, its mnemonic, and the instructions that it waits for.
//
// The question is a code object's path and an offset in that file. The answers come from the
// object's symbols and debug information and from the vendor's disassembler. An answer that they do
// not have is empty, never invented. An object that cannot be read has no answers; a warning says
// so for the first few of them.
//
// Each answer is looked up when it is first asked for, and then kept for its object and offset: a
// disassembler is a process for each kernel, which a client that draws no mnemonics never pays.
// Names are linkage names; function_name.h makes display names of them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "libcommon/objects/object_file.h"
#include "libcommon/objects/object_opener.h"
#include "libcommon/symbols/dwarf.h"

namespace aiflame {

// A place in a code object.
struct CodePlace {
  std::string path;
  uint64_t file_offset = 0;
};

// What a recording knows about an instruction; empty where it does not.
struct DeviceInstruction {
  std::string_view kernel;                // its symbol
  std::vector<std::string_view> helpers;  // functions that the kernel calls, outermost first
  std::optional<CodePlace> place;         // of the instruction
  std::optional<CodePlace> start;         // of the kernel
};

class DeviceSymbolizer {
 public:
  // The functions whose code is at a place, innermost first, with files and lines: the inlined
  // ones, then the function that holds the code. Valid until a place in another object is asked
  // for, as is kernel_at().
  const std::vector<SourceFrame>& frames_at(const CodePlace& place);

  // The kernel whose section holds a place. nullptr where the object has no section for each
  // kernel.
  const KernelCode* kernel_at(const CodePlace& place);

  // Where the kernel's section or the function that holds a place begins, as an offset in the file.
  uint64_t function_start(const CodePlace& place);

  // The source file that declares the kernel, not the file of a function inlined into it.
  std::string kernel_file(const DeviceInstruction& instruction);

  // The chain of functions from the kernel, which is not part of it, down to the instruction.
  std::vector<std::string> functions(const DeviceInstruction& instruction);

  Mnemonic mnemonic_at(const CodePlace& place);

  // The mnemonic. Where no disassembler is installed, it may lack modifiers (`LDG` instead of
  // `LDG.E.64`), or be empty: of NVIDIA's instructions, those that others wait for have one.
  std::string operation_at(const CodePlace& place);

  // The function that holds a place, instruction by instruction. It is made anew at each call.
  CodeListing listing_at(const CodePlace& place);

  // The same function, as the search for causes and loops reads it. It is made anew at each call.
  CodeFlow code_flow_at(const CodePlace& place);

  // What the compiler gave the kernel that begins at a place, and what follows for its launches.
  KernelFacts kernel_facts_at(const CodePlace& place);
  Occupancy occupancy_at(const CodePlace& place, const KernelFacts& facts, const LaunchSize& size);

  // The instructions whose results the one at `place` may wait for, as ascending offsets in the
  // same file. Known for GPUs, whose compilers write it into the code.
  std::vector<uint64_t> producers_of(const CodePlace& place);

 private:
  struct Opened {
    std::unique_ptr<ObjectFile> object;  // null: it cannot be read
    uint64_t used = 0;
  };

  ObjectFile* object(const std::string& path);
  // device_function_name(), remembered, since it is asked for each instruction. Valid until the
  // next call.
  const std::string& short_name_of(std::string_view symbol);

  ObjectOpener opener_;
  std::unordered_map<std::string, Opened> objects_;
  uint64_t uses_ = 0;
  std::unordered_set<std::string> unreadable_;  // warned about
  std::unordered_map<std::string, std::string> short_names_;
};

}  // namespace aiflame
