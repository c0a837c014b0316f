// SPDX-License-Identifier: MIT
// The opcodes of pickles (pure).
#pragma once

#include <cstdint>
#include <string>

namespace aiflame::pickle {

// The opcodes that make plain data. All others are refused: they import, call or build objects, or
// belong to the old protocols of text.
enum Opcode : uint8_t {
  kMark = '(',
  kStop = '.',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kBinFloat = 'G',
  kNone = 'N',
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kBinUnicode = 'X',
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kEmptyList = ']',
  kAppend = 'a',
  kAppends = 'e',
  kEmptyDict = '}',
  kSetItem = 's',
  kSetItems = 'u',
  kEmptyTuple = ')',
  kTuple = 't',
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kBinGet = 'h',
  kLongBinGet = 'j',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kMemoize = 0x94,
  kFrame = 0x95,
  // refused, with the name of what they would import
  kGlobal = 'c',
  kStackGlobal = 0x93,
};

// "REDUCE"; "opcode 0xff" for a byte that is none.
std::string opcode_name(uint8_t opcode);

}  // namespace aiflame::pickle
