// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-torch-memory/pickle_machine.h"

#include <algorithm>

#include "libcommon/base/program.h"
#include "libcommon/import/pickle_opcodes.h"

namespace aiflame::torch_memory {
namespace {

using enum pickle::Opcode;

constexpr unsigned kIdBits = 27;
constexpr uint32_t kMostIds = (uint32_t{1} << kIdBits) - 1;
// Values on the stack, of 16 bytes. Python puts a thousand there, PyTorch's own writer a whole
// list.
constexpr size_t kMostValues = size_t{1} << 24;
constexpr size_t kMostMarks = 4096;
// Writers number the memo's places as they come.
constexpr uint64_t kMostSkipped = 1 << 16;

bool is_filled(const Value& value) {
  return value.kind != Value::Kind::other && value.kind != Value::Kind::empty_list;
}

}  // namespace

void PickleMachine::refuse(uint8_t opcode) {
  std::string what;
  if (opcode == kGlobal) {
    const std::string module(bytes_.line());
    what = "GLOBAL: needs the global '" + module + "." + std::string(bytes_.line()) + "'";
  } else if (opcode == kStackGlobal && stack_.size() >= 2 &&
             stack_[stack_.size() - 1].kind == Kind::text &&
             stack_[stack_.size() - 2].kind == Kind::text) {
    what = "STACK_GLOBAL: needs the global '" +
           std::string(snapshot_.texts.text(stack_[stack_.size() - 2].id)) + "." +
           std::string(snapshot_.texts.text(stack_[stack_.size() - 1].id)) + "'";
  } else {
    what = pickle::opcode_name(opcode);
  }
  fail(what + ": no memory snapshot has that, and nothing was executed");
}

Value PickleMachine::pop() {
  if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size()))
    fail("takes a value where there is none");
  const Value out = stack_.back();
  stack_.pop_back();
  return out;
}

size_t PickleMachine::pop_mark() {
  if (marks_.empty()) fail("needs a mark, and there is none");
  const size_t out = marks_.back();
  marks_.pop_back();
  return out;
}

void PickleMachine::push_text(uint64_t size) {
  const std::string_view text = bytes_.bytes(size);
  push({Kind::text, snapshot_.texts.number(text)});
}

// Two's complement, the low byte first.
void PickleMachine::push_long(uint64_t size) {
  const std::string_view digits = bytes_.bytes(size);
  if (digits.empty()) return push_number(0);
  const bool negative = (static_cast<uint8_t>(digits.back()) & 0x80) != 0;
  uint64_t value = negative ? UINT64_MAX : 0;
  for (size_t i = digits.size(); i-- > 0;) {
    if (i >= 8 && static_cast<uint8_t>(digits[i]) != (negative ? 0xff : 0))
      fail("a number of more than 64 bits");
    value = value << 8 | static_cast<uint8_t>(digits[i]);
  }
  push({Kind::integer, negative ? 1U : 0U, value});
}

// ---- the memo ------------------------------------------------------------------------------

uint32_t PickleMachine::packed(Value value) {
  uint32_t id = value.id;
  if (value.kind == Kind::integer || value.kind == Kind::boolean) {
    id = static_cast<uint32_t>(wide_.size());
    wide_.push_back(value);
  } else if (value.kind == Kind::new_dict || value.kind == Kind::new_list) {
    id &= kMostIds;
  }
  if (id > kMostIds) fail(format("more than %u things of one kind", kMostIds));
  return static_cast<uint32_t>(value.kind) << kIdBits | id;
}

Value PickleMachine::unpacked(uint32_t slot) const {
  const Value out{static_cast<Kind>(slot >> kIdBits), slot & kMostIds};
  const bool is_wide = out.kind == Kind::integer || out.kind == Kind::boolean;
  return is_wide ? wide_[out.id] : out;
}

void PickleMachine::put(uint64_t place) {
  if (stack_.empty() || (!marks_.empty() && marks_.back() == stack_.size()))
    fail("there is no value to remember");
  if (place > memo_.size() + kMostSkipped)
    fail(format("place %llu of the memo, of which %zu are in use",
                static_cast<unsigned long long>(place), memo_.size()));
  Value& top = stack_.back();
  if (top.kind == Kind::new_dict || top.kind == Kind::new_list || top.kind == Kind::open_list) {
    if (top.number != 0) fail("a container that has two places in the memo");
    top.number = place + 1;
  }
  const uint32_t slot = packed(top);
  if (place == memo_.size()) {
    memo_.push_back(slot);
    return;
  }
  while (memo_.size() <= place) memo_.push_back(static_cast<uint32_t>(Kind::mark) << kIdBits);
  memo_[place] = slot;
}

void PickleMachine::get(uint64_t place) {
  if (place >= memo_.size()) fail("a place of the memo that is empty");
  const Value value = unpacked(memo_[place]);
  switch (value.kind) {
    case Kind::mark:
      fail("a place of the memo that is empty");
    case Kind::open_list:
      push(end_waiting_list(value.id));
      break;
    case Kind::new_dict:
      // Really empty, or yet to be filled: change() will see that.
      memo_[place] = packed({Kind::other});
      push({Kind::other});
      break;
    case Kind::new_list:
      memo_[place] = packed({Kind::empty_list});
      push({Kind::empty_list});
      break;
    default:
      push(value);
  }
}

// A list is wanted again while it waits on the stack, as the frames of a segment, which its blocks
// have too: {'frames': [...], 'blocks': [{'frames': the same}]}. It is whole then, and ends now.
Value PickleMachine::end_waiting_list(uint32_t list) {
  const size_t at = list_places_[list];
  if (at >= stack_.size() || stack_[at].kind != Kind::open_list || stack_[at].id != list ||
      std::binary_search(marks_.begin(), marks_.end(), at + 1))
    fail("a list that holds itself");
  Value& waiting = stack_[at];
  const Value out = taken(waiting);
  waiting = out;
  return out;
}

void PickleMachine::change(uint64_t memo, Value from, Value to) {
  if (memo == 0) return;
  uint32_t& slot = memo_[memo - 1];
  const Value there = unpacked(slot);
  const bool is_new = from.kind == Kind::new_dict || from.kind == Kind::new_list;
  if (there.kind == from.kind && there.id == (from.id & kMostIds))
    slot = packed(to);
  else if (is_new && is_filled(to) && (there.kind == Kind::other || there.kind == Kind::empty_list))
    fail("a container that holds itself");
}

// ---- containers ----------------------------------------------------------------------------

Value PickleMachine::taken(Value value) {
  if (value.kind == Kind::new_dict) {
    change(value.number, value, {Kind::other});
    return {Kind::other};
  }
  if (value.kind == Kind::new_list) {
    change(value.number, value, {Kind::empty_list});
    return {Kind::empty_list};
  }
  if (value.kind != Kind::open_list) return value;
  const Value out = builder_.end_list(value.id);
  change(value.number, value, out);
  return out;
}

Value& PickleMachine::container(size_t at, Kind first, Kind second, const char* what) {
  if (at == 0 || (!marks_.empty() && marks_.back() >= at))
    fail("takes a value where there is none");
  Value& out = stack_[at - 1];
  if (out.kind != first && out.kind != second)
    fail(format("fills a thing that is no %s, or is filled already", what));
  return out;
}

void PickleMachine::set_items(size_t first) {
  Value& dict = container(first, Kind::new_dict, Kind::other, "dictionary");
  if ((stack_.size() - first) % 2 != 0) fail("a key without its value");
  for (size_t i = first; i < stack_.size(); i += 2) builder_.set(stack_[i], taken(stack_[i + 1]));
  const Value filled = builder_.end_dict();
  // what has a use is filled at once; of other dictionaries nothing is kept
  if (dict.kind == Kind::other && filled.kind != Kind::other)
    fail("fills a dictionary that is filled already");
  if (dict.kind == Kind::new_dict) {
    change(dict.number, dict, filled);
    dict = filled;
  }
  stack_.truncate(first);
}

void PickleMachine::append_items(size_t first) {
  Value& list = container(first, Kind::new_list, Kind::open_list, "list");
  if (first == stack_.size()) return;
  if (list.kind == Kind::new_list) {
    Value open = builder_.begin_list();
    open.number = list.number;
    if (list_places_.size() <= open.id) list_places_.resize(open.id + 1);
    list_places_[open.id] = first - 1;
    change(list.number, list, open);
    list = open;
  }
  const uint32_t id = list.id;
  for (size_t i = first; i < stack_.size(); ++i) builder_.append(id, taken(stack_[i]));
  stack_.truncate(first);
}

void PickleMachine::make_tuple(size_t first) {
  Value out{Kind::other};
  const size_t size = stack_.size() - first;
  if (size == 2) out = builder_.pair(stack_[first], stack_[first + 1]);
  for (size_t i = first; i < stack_.size(); ++i) taken(stack_[i]);
  stack_.truncate(first);
  push(out);
}

Value PickleMachine::run() {
  const auto top = [&](size_t values) {  // the place of the last values
    const size_t bottom = marks_.empty() ? 0 : marks_.back();
    if (stack_.size() - bottom < values) fail("takes a value where there is none");
    return stack_.size() - values;
  };
  for (;;) {
    begin_ = bytes_.offset();
    const uint8_t opcode = bytes_.u8();
    switch (opcode) {
      case kBinGet:
        get(bytes_.u8());
        break;
      case kLongBinGet:
        get(bytes_.number<uint32_t>());
        break;
      case kMemoize:
        put(memo_.size());
        break;
      case kBinPut:
        put(bytes_.u8());
        break;
      case kLongBinPut:
        put(bytes_.number<uint32_t>());
        break;
      case kMark:
        if (marks_.size() == kMostMarks) fail("values are nested too deep");
        marks_.push_back(stack_.size());
        break;
      case kBinInt1:
        push_number(bytes_.u8());
        break;
      case kBinInt2:
        push_number(bytes_.number<uint16_t>());
        break;
      case kBinInt:
        push_number(bytes_.number<int32_t>());
        break;
      case kLong1:
        push_long(bytes_.u8());
        break;
      case kLong4:
        push_long(bytes_.number<uint32_t>());
        break;
      case kShortBinUnicode:
        push_text(bytes_.u8());
        break;
      case kBinUnicode:
        push_text(bytes_.number<uint32_t>());
        break;
      case kBinUnicode8:
        push_text(bytes_.number<uint64_t>());
        break;
      case kShortBinBytes:
        bytes_.bytes(bytes_.u8());
        push({Kind::other});
        break;
      case kBinBytes:
        bytes_.bytes(bytes_.number<uint32_t>());
        push({Kind::other});
        break;
      case kBinFloat:
        bytes_.number<uint64_t>();
        push({Kind::other});
        break;
      case kNone:
        push({Kind::none});
        break;
      case kNewFalse:
      case kNewTrue:
        push({Kind::boolean, 0, opcode == kNewTrue ? 1U : 0U});
        break;
      case kEmptyDict:
        push({Kind::new_dict, containers_++ & kMostIds});
        break;
      case kEmptyList:
        push({Kind::new_list, containers_++ & kMostIds});
        break;
      case kEmptyTuple:
        push({Kind::other});
        break;
      case kSetItems:
        set_items(pop_mark());
        break;
      case kSetItem:
        set_items(top(2));
        break;
      case kAppends:
        append_items(pop_mark());
        break;
      case kAppend:
        append_items(top(1));
        break;
      case kTuple:
        make_tuple(pop_mark());
        break;
      case kTuple1:
        make_tuple(top(1));
        break;
      case kTuple2:
        make_tuple(top(2));
        break;
      case kTuple3:
        make_tuple(top(3));
        break;
      case kFrame:
        bytes_.number<uint64_t>();
        break;
      case kStop: {
        const Value out = taken(pop());
        if (!stack_.empty() || !marks_.empty()) fail("ends with values that nobody takes");
        return out;
      }
      default:
        refuse(opcode);
    }
    if (stack_.size() > kMostValues) fail(format("more than %zu values at once", kMostValues));
  }
}

}  // namespace aiflame::torch_memory
