// SPDX-License-Identifier: MIT
// Runs the call frame instructions of an entry of .eh_frame: finds the rules for an address. See
// the top of eh_frame.h.
#pragma once

#include <cstdint>

#include "libcommon/symbols/eh_frame.h"

namespace aiflame::eh_frame {

// How to find the caller's value of one register.
struct Register {
  enum class Rule : uint8_t { same, undefined, at_offset, at_expression, unsupported };
  Rule rule = Rule::same;
  int64_t offset = 0;  // from the CFA
  Expression expression;
};

// The rule for the CFA. Callers that want rules of registers derive from it and define
//   Register* find(uint64_t number)
// which returns where to store the rule of that register, or nullptr.
struct Row {
  static constexpr uint64_t kExpression = UINT64_MAX;
  uint64_t base = kExpression - 1;  // the register to which the offset is added
  int64_t offset = 0;
  Expression expression;
};

// The states that instructions may remember at once.
template <typename Rules>
struct Remembered {
  static constexpr int kMax = 8;
  Rules rows[kMax];
};

// The instructions of a CIE or an FDE while they run. They change `row`; `initial` has the rules to
// which an instruction may return. The numbers are in DWARF 4, section 7.23.
//
// Agents run this while a program launches a kernel, so everything is inlined into run().
template <typename Rules>
class CallFrameProgram {
 public:
  CallFrameProgram(Reader instructions, const Entry& entry, Rules& initial, Rules& row,
                   Remembered<Rules>& remembered)
      : reader_(instructions),
        entry_(entry),
        initial_(initial),
        row_(row),
        remembered_(remembered) {}

  // Runs up to the row for `pc`; `end` is set to the end of that row. False if an instruction is
  // damaged or unknown.
  [[nodiscard]] bool run(uint64_t pc, uint64_t& end) {
    uint64_t at = entry_.first_pc;
    while (reader_.ok && reader_.at < reader_.end) {
      uint64_t advance = 0;
      if (!step(advance)) return false;
      at += advance * entry_.code_alignment;
      if (at > pc) {
        end = at;
        return true;
      }
    }
    end = entry_.first_pc + entry_.bytes;
    return reader_.ok;
  }

 private:
  // Runs one instruction. `advance` is set by those that begin the next row.
  [[gnu::always_inline]] bool step(uint64_t& advance) {
    const auto instruction = reader_.fixed<uint8_t>();
    const uint8_t low = instruction & 0x3f;
    switch (instruction & 0xc0) {
      case 0x40:  // advance_loc
        advance = low;
        return true;
      case 0x80:  // offset
        set(low, at_offset(reader_.uleb()));
        return true;
      case 0xc0:  // restore
        restore(low);
        return true;
      default:
        break;
    }
    switch (instruction) {
      case 0x00:  // nop
        return true;
      case 0x01:  // set_loc: no compiler writes it
        return false;
      case 0x02:  // advance_loc1, 2 and 4
        advance = reader_.fixed<uint8_t>();
        return true;
      case 0x03:
        advance = reader_.fixed<uint16_t>();
        return true;
      case 0x04:
        advance = reader_.fixed<uint32_t>();
        return true;
      case 0x0a:  // remember_state
        if (depth_ == Remembered<Rules>::kMax) return false;
        remembered_.rows[depth_++] = row_;
        return true;
      case 0x0b:  // restore_state
        if (depth_ == 0) return false;
        row_ = remembered_.rows[--depth_];
        return true;
      case 0x2d:  // AARCH64_negate_ra_state: the return address is signed from here on, or no more
        return true;  // whoever reads one takes a signature off where there is one
      case 0x2e:      // GNU_args_size
        reader_.uleb();
        return true;
      default:
        return define_cfa(instruction) || define_register(instruction);
    }
  }

  // Runs an instruction that defines the CFA; false if it is another one.
  [[gnu::always_inline]] bool define_cfa(uint8_t instruction) {
    switch (instruction) {
      case 0x0c:  // def_cfa
        row_.base = reader_.uleb();
        row_.offset = static_cast<int64_t>(reader_.uleb());
        return true;
      case 0x0d:  // def_cfa_register
        row_.base = reader_.uleb();
        return true;
      case 0x0e:  // def_cfa_offset
        row_.offset = static_cast<int64_t>(reader_.uleb());
        return true;
      case 0x0f:  // def_cfa_expression
        row_.base = Row::kExpression;
        row_.expression = reader_.block();
        return true;
      case 0x12:  // def_cfa_sf
        row_.base = reader_.uleb();
        row_.offset = scaled(static_cast<uint64_t>(reader_.sleb()));
        return true;
      case 0x13:  // def_cfa_offset_sf
        row_.offset = scaled(static_cast<uint64_t>(reader_.sleb()));
        return true;
      default:
        return false;
    }
  }

  // Runs an instruction that sets the rule of a register, whose number is its first operand; false
  // if it is another one.
  [[gnu::always_inline]] bool define_register(uint8_t instruction) {
    const uint64_t number = reader_.uleb();
    Register rule;
    switch (instruction) {
      case 0x05:  // offset_extended
        rule = at_offset(reader_.uleb());
        break;
      case 0x06:  // restore_extended
        restore(number);
        return true;
      case 0x07:  // undefined
        rule.rule = Register::Rule::undefined;
        break;
      case 0x08:  // same_value
        break;
      case 0x09:  // register
        reader_.uleb();
        rule.rule = Register::Rule::unsupported;
        break;
      case 0x10:  // expression
        rule.rule = Register::Rule::at_expression;
        rule.expression = reader_.block();
        break;
      case 0x11:  // offset_extended_sf
        rule = at_offset(static_cast<uint64_t>(reader_.sleb()));
        break;
      case 0x16:  // val_expression
        reader_.block();
        rule.rule = Register::Rule::unsupported;
        break;
      default:
        return false;
    }
    set(number, rule);
    return true;
  }

  void set(uint64_t number, const Register& rule) {
    if (Register* const place = row_.find(number)) *place = rule;
  }
  void restore(uint64_t number) {
    if (const Register* const rule = initial_.find(number)) set(number, *rule);
  }
  int64_t scaled(uint64_t factored) const {
    return static_cast<int64_t>(factored * static_cast<uint64_t>(entry_.data_alignment));
  }
  Register at_offset(uint64_t factored) const {
    Register rule;
    rule.rule = Register::Rule::at_offset;
    rule.offset = scaled(factored);
    return rule;
  }

  Reader reader_;
  const Entry& entry_;
  Rules& initial_;
  Rules& row_;
  Remembered<Rules>& remembered_;
  int depth_ = 0;
};

// The row for `pc`. `room` is for callers that are short of stack.
template <typename Rules>
[[nodiscard]] bool find_row(const Entry& entry, uint64_t pc, Rules& row, uint64_t& end,
                            Remembered<Rules>& room) {
  Rules none, initial;
  if (!CallFrameProgram<Rules>(entry.initial, entry, none, initial, room).run(UINT64_MAX, end))
    return false;
  row = initial;
  return CallFrameProgram<Rules>(entry.program, entry, initial, row, room).run(pc, end);
}
template <typename Rules>
[[nodiscard]] bool find_row(const Entry& entry, uint64_t pc, Rules& row, uint64_t& end) {
  Remembered<Rules> room;
  return find_row(entry, pc, row, end, room);
}

// Whether an entry can be read to its end and names only registers that a machine has. libdw
// allocates room for any register number that it meets, gigabytes if need be.
inline bool is_sound(const Entry& entry) {
  constexpr uint64_t kMostRegisters = 255;  // x86-64's numbers end at 130, AArch64's at 127
  struct Numbers : Row {
    uint64_t* largest = nullptr;
    Register* find(uint64_t number) {
      if (number > *largest) *largest = number;
      return nullptr;
    }
  };
  uint64_t largest = 0, end = 0;
  Numbers initial, row;
  initial.largest = row.largest = &largest;
  Remembered<Numbers> room;
  return CallFrameProgram<Numbers>(entry.initial, entry, initial, row, room).run(UINT64_MAX, end) &&
         CallFrameProgram<Numbers>(entry.program, entry, initial, row, room).run(UINT64_MAX, end) &&
         largest <= kMostRegisters;
}

}  // namespace aiflame::eh_frame
