// SPDX-License-Identifier: MIT
// The name of an instruction, or why it has none.
#pragma once

#include <cstddef>
#include <string>

#include "libcommon/objects/disassembly.h"

namespace aiflame {

enum class Unnamed {
  no,               // it has a name
  no_object,        // the recording has no code object for its address
  unreadable,       // the code object cannot be read
  no_disassembler,  // none is installed that knows such instructions, or there is none
  unknown_device,   // the installed disassembler does not know the device
  gave_up,          // the disassembler crashed, took too long or printed too much
  undecodable,      // the bytes are no instruction
};
inline constexpr size_t kUnnamedReasons = static_cast<size_t>(Unnamed::undecodable) + 1;

struct Mnemonic {
  std::string name;  // `send.ugm`, `IMAD.WIDE.U32`, `mulss`
  Unnamed unnamed = Unnamed::no;
};

// `name`, or where that is empty: why, after a listing of all code that failed or did not.
Mnemonic mnemonic_of(const std::string& name, DisassemblyFailure failure);

// "no_disassembler", as the JSON of statistics has it.
const char* unnamed_key(Unnamed reason);
// "no disassembler", for people.
const char* unnamed_phrase(Unnamed reason);

}  // namespace aiflame
