// SPDX-License-Identifier: MIT
#include "libcommon/import/plain_pickle.h"

#include <cstddef>
#include <string>

#include "libcommon/base/program.h"
#include "libcommon/import/pickle_opcodes.h"
#include "libcommon/io/byte_cursor.h"

namespace aiflame {
namespace {

using enum pickle::Opcode;

constexpr uint8_t kProtocol = 0x80;
// A value takes 56 bytes here and one in the file.
constexpr size_t kMostValues = size_t{1} << 22;

}  // namespace

class PlainPickle::Machine {
 public:
  Machine(std::string_view bytes, std::vector<Value>& values)
      : size_(bytes.size()), bytes_(bytes), values_(values) {}

  uint32_t run() {
    for (;;) {
      begin_ = size_ - bytes_.left();
      const auto opcode = bytes_.take<uint8_t>();
      if (!bytes_.ok()) fail("the pickle ends in the middle");
      if (opcode == kStop) return pop();
      step(opcode);
      if (!bytes_.ok()) fail("the pickle ends in the middle");
      if (values_.size() > kMostValues) fail(format("more than %zu values", kMostValues));
    }
  }

 private:
  [[noreturn, gnu::cold]] void fail(const std::string& what) const {
    throw Error(format("byte %zu: ", begin_) + what);
  }

  void step(uint8_t opcode) {
    switch (opcode) {
      case kProtocol:
        if (const auto version = bytes_.take<uint8_t>(); version < 2 || version > 5)
          fail(format("a pickle of protocol %u; 2 to 5 are read", version));
        return;
      case kFrame:
        bytes_.u64();
        return;
      case kMark:
        marks_.push_back(stack_.size());
        return;
      case kBinInt1:
        return push_number(bytes_.take<uint8_t>());
      case kBinInt2:
        return push_number(bytes_.take<uint16_t>());
      case kBinInt:
        return push_number(bytes_.take<int32_t>());
      case kLong1:
        return push_long(bytes_.bytes(bytes_.take<uint8_t>()));
      case kLong4:
        return push_long(bytes_.bytes(bytes_.u32()));
      case kShortBinUnicode:
        return push_text(bytes_.bytes(bytes_.take<uint8_t>()));
      case kBinUnicode:
        return push_text(bytes_.bytes(bytes_.u32()));
      case kBinUnicode8:
        return push_text(bytes_.bytes(bytes_.u64()));
      case kShortBinBytes:
        bytes_.bytes(bytes_.take<uint8_t>());
        return push({});
      case kBinBytes:
        bytes_.bytes(bytes_.u32());
        return push({});
      case kBinFloat:
        bytes_.u64();
        return push({});
      case kNone:
      case kNewTrue:
      case kNewFalse:
        return push({});
      case kEmptyDict:
        return push({.kind = Kind::dictionary});
      case kEmptyList:
      case kEmptyTuple:
        return push({.kind = Kind::list});
      case kAppend:
        return fill(top(1), Kind::list);
      case kAppends:
        return fill(pop_mark(), Kind::list);
      case kSetItem:
        return fill(top(2), Kind::dictionary);
      case kSetItems:
        return fill(pop_mark(), Kind::dictionary);
      case kTuple:
        return make_tuple(pop_mark());
      case kTuple1:
      case kTuple2:
      case kTuple3:
        return make_tuple(top(size_t{opcode} - kTuple1 + 1));
      case kMemoize:
        memo_.push_back(peek());
        return;
      case kBinPut:
        return put(bytes_.take<uint8_t>());
      case kLongBinPut:
        return put(bytes_.u32());
      case kBinGet:
        return get(bytes_.take<uint8_t>());
      case kLongBinGet:
        return get(bytes_.u32());
      default:
        fail(pickle::opcode_name(opcode) + ": only plain data is read, and nothing was executed");
    }
  }

  void push(Value value) {
    stack_.push_back(static_cast<uint32_t>(values_.size()));
    values_.push_back(std::move(value));
  }
  void push_number(int64_t number) {
    if (number < 0) return push({});
    push({.kind = Kind::number, .number = static_cast<uint64_t>(number)});
  }
  // Two's complement, the low byte first.
  void push_long(std::string_view digits) {
    const bool positive = digits.empty() || (static_cast<uint8_t>(digits.back()) & 0x80) == 0;
    if (!positive || digits.size() > 9 || (digits.size() == 9 && digits[8] != 0)) return push({});
    uint64_t number = 0;
    for (size_t i = digits.size(); i-- > 0;)
      if (i < 8) number = number << 8 | static_cast<uint8_t>(digits[i]);
    push({.kind = Kind::number, .number = number});
  }
  void push_text(std::string_view text) { push({.kind = Kind::text, .text = text}); }

  uint32_t peek() const {
    if (stack_.empty()) fail("takes a value where there is none");
    return stack_.back();
  }
  uint32_t pop() {
    const uint32_t out = peek();
    stack_.pop_back();
    return out;
  }
  // The place of the first of the last `count` values.
  size_t top(size_t count) const {
    if (stack_.size() < count) fail("takes a value where there is none");
    return stack_.size() - count;
  }
  size_t pop_mark() {
    if (marks_.empty() || marks_.back() > stack_.size()) fail("needs a mark, and there is none");
    const size_t out = marks_.back();
    marks_.pop_back();
    return out;
  }

  // Moves the values from `first` on into the container below them.
  void fill(size_t first, Kind kind) {
    if (first == 0 || values_[stack_[first - 1]].kind != kind)
      fail("fills a thing that is no list or dictionary");
    if (kind == Kind::dictionary && (stack_.size() - first) % 2 != 0)
      fail("a key without its value");
    std::vector<uint32_t>& items = values_[stack_[first - 1]].items;
    items.insert(items.end(), stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    stack_.resize(first);
  }
  void make_tuple(size_t first) {
    Value tuple{.kind = Kind::list};
    tuple.items.assign(stack_.begin() + static_cast<std::ptrdiff_t>(first), stack_.end());
    stack_.resize(first);
    push(std::move(tuple));
  }

  // Writers number the places as they come.
  void put(uint32_t place) {
    if (place > memo_.size()) fail("skips a place of the memo");
    if (place == memo_.size()) memo_.push_back(0);
    memo_[place] = peek();
  }
  void get(uint32_t place) {
    if (place >= memo_.size()) fail("a place of the memo that is empty");
    stack_.push_back(memo_[place]);
  }

  size_t size_;
  ByteCursor bytes_;
  std::vector<Value>& values_;
  size_t begin_ = 0;  // of the opcode
  std::vector<uint32_t> stack_, memo_;
  std::vector<size_t> marks_;
};

PlainPickle::PlainPickle(std::string_view bytes) : root_(Machine(bytes, values_).run()) {}

}  // namespace aiflame
