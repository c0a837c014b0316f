// SPDX-License-Identifier: MIT
#include "libcommon/symbols/frame_expression.h"

#include <dwarf.h>

namespace aiflame {
namespace {

// Limits on operations and on the stack of values. Expressions of linkage tables and signal
// handlers have ten operations.
constexpr size_t kMaxOperations = 256, kMaxValues = 64;

}  // namespace

uint64_t FrameExpression::pop() {
  if (values_.empty()) {
    failed_ = true;
    return 0;
  }
  const uint64_t value = values_.back();
  values_.pop_back();
  return value;
}

void FrameExpression::push(uint64_t value) {
  if (values_.size() >= kMaxValues) failed_ = true;
  values_.push_back(value);
}

uint64_t FrameExpression::register_value(uint64_t number) {
  if (number >= registers_.machine->numbers) failed_ = true;
  return failed_ ? 0 : registers_.at[number];
}

bool FrameExpression::binary(uint8_t operation) {
  const auto is_binary = [operation] {
    switch (operation) {
      case DW_OP_plus:
      case DW_OP_minus:
      case DW_OP_and:
      case DW_OP_or:
      case DW_OP_xor:
      case DW_OP_mul:
      case DW_OP_shl:
      case DW_OP_shr:
      case DW_OP_eq:
      case DW_OP_ne:
      case DW_OP_lt:
      case DW_OP_le:
      case DW_OP_gt:
      case DW_OP_ge:
        return true;
      default:
        return false;
    }
  };
  if (!is_binary()) return false;
  const uint64_t b = pop(), a = pop();
  const auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  switch (operation) {
    case DW_OP_plus:
      push(a + b);
      break;
    case DW_OP_minus:
      push(a - b);
      break;
    case DW_OP_and:
      push(a & b);
      break;
    case DW_OP_or:
      push(a | b);
      break;
    case DW_OP_xor:
      push(a ^ b);
      break;
    case DW_OP_mul:
      push(a * b);
      break;
    case DW_OP_shl:
      push(b < 64 ? a << b : 0);
      break;
    case DW_OP_shr:
      push(b < 64 ? a >> b : 0);
      break;
    case DW_OP_eq:
      push(a == b ? 1 : 0);
      break;
    case DW_OP_ne:
      push(a != b ? 1 : 0);
      break;
    case DW_OP_lt:
      push(sa < sb ? 1 : 0);
      break;
    case DW_OP_le:
      push(sa <= sb ? 1 : 0);
      break;
    case DW_OP_gt:
      push(sa > sb ? 1 : 0);
      break;
    default:
      push(sa >= sb ? 1 : 0);
      break;
  }
  return true;
}

void FrameExpression::apply(const Dwarf_Op& op) {
  if (op.atom >= DW_OP_lit0 && op.atom <= DW_OP_lit31) return push(op.atom - DW_OP_lit0);
  if (op.atom >= DW_OP_breg0 && op.atom <= DW_OP_breg31)
    return push(register_value(op.atom - DW_OP_breg0) + op.number);
  if (op.atom >= DW_OP_reg0 && op.atom <= DW_OP_reg31) {
    is_value_ = true;
    return push(register_value(op.atom - DW_OP_reg0));
  }
  if (binary(op.atom)) return;
  uint64_t value = 0;
  switch (op.atom) {
    case DW_OP_call_frame_cfa:
      failed_ |= !frame_address_;
      push(frame_address_.value_or(0));
      break;
    case DW_OP_plus_uconst:
      push(pop() + op.number);
      break;
    case DW_OP_addr:
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_const2u:
    case DW_OP_const2s:
    case DW_OP_const4u:
    case DW_OP_const4s:
    case DW_OP_const8u:
    case DW_OP_const8s:
    case DW_OP_constu:
    case DW_OP_consts:
      push(op.number);  // libdw has sign-extended it
      break;
    case DW_OP_bregx:
      push(register_value(op.number) + op.number2);
      break;
    case DW_OP_regx:
      is_value_ = true;
      push(register_value(op.number));
      break;
    case DW_OP_dup:
      value = pop();
      push(value);
      push(value);
      break;
    case DW_OP_drop:
      pop();
      break;
    case DW_OP_deref:
      failed_ |= !read_(pop(), value);
      push(value);
      break;
    case DW_OP_nop:
      break;
    case DW_OP_stack_value:
      is_value_ = true;
      break;
    default:  // jumps, and operations that make no sense in frames
      failed_ = true;
      break;
  }
}

std::optional<uint64_t> FrameExpression::run(const Dwarf_Op* ops, size_t count) {
  if (count == 0 || count > kMaxOperations) return std::nullopt;
  for (size_t i = 0; i < count && !failed_; ++i) apply(ops[i]);
  const uint64_t result = pop();
  return failed_ ? std::nullopt : std::optional(result);
}

}  // namespace aiflame
