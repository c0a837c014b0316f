// SPDX-License-Identifier: MIT
// A small pickle of plain data, whole: numbers, texts, lists, dictionaries and tuples (pure). It
// executes nothing: any opcode that would import, call or build something is an error. A pickle is
// a program for a machine with a stack, see pickle_opcodes.h:
//
//   }  ( K\x07  \x8c\x04name  u  .          {7: 'name'}
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace aiflame {

class PlainPickle {
 public:
  enum class Kind : uint8_t { other, number, text, list, dictionary };
  struct Value {
    Kind kind = Kind::other;  // other: None, a boolean, bytes, a number that is no uint64_t
    uint64_t number = 0;
    std::string_view text{};        // in the bytes
    std::vector<uint32_t> items{};  // of a list or tuple; keys and values of a dictionary in turn
  };

  // Reads protocols 2 to 5. Throws Error: "byte OFFSET: what". `bytes` must live as long as this.
  explicit PlainPickle(std::string_view bytes);

  const Value& root() const { return values_[root_]; }
  const Value& at(uint32_t number) const { return values_[number]; }

 private:
  class Machine;

  std::vector<Value> values_;
  uint32_t root_ = 0;
};

}  // namespace aiflame
