// SPDX-License-Identifier: MIT
#include "libcommon/import/json_repair.h"

#include <algorithm>

namespace aiflame {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
// A key of an element is shorter.
constexpr size_t kLongestKey = 32;
// Bytes that are looked at for each byte of an element: a text with n quotes may end at each.
constexpr size_t kLooksPerByte = 32;
constexpr size_t kMinLooks = 4096;
constexpr size_t kMaxDepth = 64;

size_t skip_blanks(std::string_view text, size_t at) {
  return std::min(text.find_first_not_of(kBlanks, at), text.size());
}

// What stands at a place, as far as the text goes.
enum class Seen : uint8_t { yes, no, cut };

// {"ph":
Seen element_begins(std::string_view text, size_t at, const JsonElements& elements) {
  if (at >= text.size()) return Seen::cut;
  if (text[at] != '{') return Seen::no;
  at = skip_blanks(text, at + 1);
  if (at == text.size()) return Seen::cut;
  if (text[at] != '"') return Seen::no;
  const size_t quote = text.find('"', at + 1);
  if (quote == text.npos && text.size() - at <= kLongestKey) return Seen::cut;
  if (quote == text.npos || !elements.is_key(text.substr(at + 1, quote - at - 1))) return Seen::no;
  const size_t colon = skip_blanks(text, quote + 1);
  if (colon == text.size()) return Seen::cut;
  return text[colon] == ':' ? Seen::yes : Seen::no;
}

// Behind the list's bracket: the end of the trace, or another member of it.
Seen list_ends(std::string_view text, size_t at, bool is_all) {
  at = skip_blanks(text, at);
  if (at == text.size()) return is_all ? Seen::yes : Seen::cut;
  if (text[at] == '}') return Seen::yes;
  if (text[at] != ',') return Seen::no;
  at = skip_blanks(text, at + 1);
  if (at == text.size()) return Seen::cut;
  if (text[at] != '"') return Seen::no;
  const size_t quote = text.find('"', at + 1);
  const size_t colon = quote == text.npos ? text.size() : skip_blanks(text, quote + 1);
  if (colon == text.size()) return Seen::cut;
  return text[colon] == ':' ? Seen::yes : Seen::no;
}

// Behind an element's bracket.
Seen element_ended(std::string_view text, size_t at, const JsonElements& elements, bool is_all) {
  at = skip_blanks(text, at);
  if (at == text.size()) return is_all ? Seen::yes : Seen::cut;
  if (text[at] == ']') return list_ends(text, at + 1, is_all);
  if (text[at] == ',') at = skip_blanks(text, at + 1);
  // a comma may be missing, or be the last thing in the list
  if (at < text.size() && text[at] == ']') return list_ends(text, at + 1, is_all);
  return element_begins(text, at, elements);
}

template <typename Test>
size_t find_place(std::string_view text, char wanted, size_t from, bool is_all, size_t* seen,
                  const Test& test) {
  for (size_t at = text.find(wanted, from); at != text.npos; at = text.find(wanted, at + 1)) {
    const Seen found = test(at);
    if (found == Seen::yes) return at;
    if (found == Seen::cut && !is_all) {
      *seen = at;
      return SIZE_MAX;
    }
  }
  *seen = text.size();
  return SIZE_MAX;
}

// Reads an element by trying, for each text of it, the quotes that may end it, the nearest first.
class ElementReader {
 public:
  ElementReader(std::string_view text, const JsonElements& elements, bool escapes,
                std::vector<JsonToken>& tokens)
      : text_(text),
        elements_(elements),
        escapes_(escapes),
        looks_(text.size() * kLooksPerByte + kMinLooks),
        tokens_(tokens) {}

  bool read() {
    tokens_.clear();
    for (;;) {
      const Step step = take();
      if (step == Step::whole) return true;
      if (looks_ == 0 || (step == Step::wrong && !go_back())) return false;
    }
  }

 private:
  enum class Next : uint8_t { value, key, key_or_end, value_or_end, after };
  enum class Step : uint8_t { taken, wrong, whole };
  struct State {
    size_t at = 0;
    std::string closers{};  // of the brackets that are open
    size_t tokens = 0, keys = 0;
    Next next = Next::value;
  };
  // A string of which another end can be tried.
  struct Choice {
    State state;
    size_t search;
  };
  using Kind = JsonToken::Kind;

  void look(size_t bytes) { looks_ -= std::min(looks_, bytes); }
  void put(Kind kind, std::string_view text) {
    tokens_.resize(state_.tokens);
    tokens_.push_back({kind, text});
    ++state_.tokens;
  }
  // Takes a later end of the last text that has one.
  bool go_back() {
    while (!choices_.empty() && looks_ > 0) {
      const Choice choice = choices_.back();
      choices_.pop_back();
      state_ = choice.state;
      keys_.resize(state_.keys);
      if (take_string(choice.search)) return true;
    }
    return false;
  }
  Step take();
  Step open(char closer);
  Step close();
  bool take_key();
  bool take_bare();
  // The string that begins at the place, with the first end that is not before `search`.
  bool take_string(size_t search);
  bool may_hold_quotes() const;
  bool holds_weight(std::string_view text) const;
  bool is_escaped(size_t begin, size_t quote) const;

  std::string_view text_;
  const JsonElements& elements_;
  const bool escapes_;  // whether a quote behind a backslash never ends a text
  size_t looks_;
  std::vector<JsonToken>& tokens_;
  State state_;
  std::vector<Choice> choices_;
  std::vector<std::string_view> keys_;  // of the element itself
};

ElementReader::Step ElementReader::take() {
  const size_t at = skip_blanks(text_, state_.at);
  look(at - state_.at + 1);
  if (at == text_.size()) return Step::wrong;
  state_.at = at;
  const char c = text_[at];
  const auto done = [](bool right) { return right ? Step::taken : Step::wrong; };
  switch (state_.next) {
    case Next::key_or_end:
      if (c == '}') return close();
      return done(take_key());
    case Next::key:
      return c == '}' ? close() : done(take_key());
    case Next::value_or_end:
      if (c == ']') return close();
      break;
    case Next::after:
      if (c == ',') {
        ++state_.at;
        state_.next = state_.closers.back() == '}' ? Next::key : Next::value_or_end;
        return Step::taken;
      }
      return c == state_.closers.back() ? close() : Step::wrong;
    case Next::value:
      break;
  }
  if (c == '{') return open('}');
  if (state_.closers.empty()) return Step::wrong;
  if (c == '[') return open(']');
  return done(c == '"' ? take_string(at + 1) : take_bare());
}

ElementReader::Step ElementReader::open(char closer) {
  if (state_.closers.size() == kMaxDepth) return Step::wrong;
  put(closer == '}' ? Kind::begin_object : Kind::begin_array, {});
  state_.closers += closer;
  state_.next = closer == '}' ? Next::key_or_end : Next::value_or_end;
  ++state_.at;
  return Step::taken;
}

ElementReader::Step ElementReader::close() {
  put(state_.closers.back() == '}' ? Kind::end_object : Kind::end_array, {});
  state_.closers.pop_back();
  ++state_.at;
  state_.next = Next::after;
  if (!state_.closers.empty()) return Step::taken;
  const bool whole = state_.at == text_.size() &&
                     std::find(keys_.begin(), keys_.end(), elements_.needed) != keys_.end();
  return whole ? Step::whole : Step::wrong;
}

bool ElementReader::take_key() {
  if (text_[state_.at] != '"') return false;
  const size_t begin = state_.at + 1;
  size_t quote = text_.find('"', begin);
  while (quote != text_.npos && is_escaped(begin, quote)) quote = text_.find('"', quote + 1);
  look(std::min(quote, text_.size()) - begin);
  const size_t colon = quote == text_.npos ? text_.size() : skip_blanks(text_, quote + 1);
  if (colon == text_.size() || text_[colon] != ':') return false;
  const std::string_view key = text_.substr(begin, quote - begin);
  if (state_.closers.size() == 1) {
    // a key that is there twice would have two values
    if (!elements_.is_key(key) || std::find(keys_.begin(), keys_.end(), key) != keys_.end())
      return false;
    keys_.push_back(key);
    ++state_.keys;
  }
  put(Kind::key, key);
  state_.at = colon + 1;
  state_.next = Next::value;
  return true;
}

bool ElementReader::take_bare() {
  const std::string_view value = bare_value(text_.substr(state_.at));
  look(value.size());
  const char c = text_[state_.at];
  if (value.empty() && c != ',' && c != state_.closers.back()) return false;
  put(Kind::bare, value);
  state_.at += value.size();
  state_.next = Next::after;
  return true;
}

bool ElementReader::is_escaped(size_t begin, size_t quote) const {
  size_t backslashes = 0;
  while (quote - backslashes > begin && text_[quote - backslashes - 1] == '\\') ++backslashes;
  return backslashes % 2 == 1;
}

bool ElementReader::may_hold_quotes() const {
  return state_.closers.size() > 1 || (!keys_.empty() && keys_.back() == elements_.text);
}

bool ElementReader::holds_weight(std::string_view text) const {
  const size_t at = text.find(elements_.weight);
  return at != text.npos && at > 0 && text[at - 1] == '"' &&
         text.substr(at + elements_.weight.size()).starts_with('"');
}

bool ElementReader::take_string(size_t search) {
  const size_t begin = state_.at + 1;
  size_t quote = text_.find('"', search);
  while (escapes_ && quote != text_.npos && is_escaped(begin, quote))
    quote = text_.find('"', quote + 1);
  look(std::min(quote, text_.size()) - search + 1);
  if (quote == text_.npos) return false;
  const std::string_view text = text_.substr(begin, quote - begin);
  if (may_hold_quotes()) choices_.push_back({state_, quote + 1});
  if (search > begin && holds_weight(text)) return false;
  put(Kind::string, text);
  state_.at = quote + 1;
  state_.next = Next::after;
  return true;
}

}  // namespace

bool read_broken_element(std::string_view text, const JsonElements& elements,
                         std::vector<JsonToken>& tokens) {
  // a directory of Windows ends with a backslash: "C:\traces\"
  return ElementReader(text, elements, true, tokens).read() ||
         ElementReader(text, elements, false, tokens).read();
}

size_t find_element_end(std::string_view text, size_t from, const JsonElements& elements,
                        bool is_all, size_t* seen) {
  const size_t at = find_place(text, '}', from, is_all, seen, [&](size_t place) {
    return element_ended(text, place + 1, elements, is_all);
  });
  return at == SIZE_MAX ? at : at + 1;
}

size_t find_element(std::string_view text, size_t from, const JsonElements& elements, bool is_all,
                    size_t* seen) {
  return find_place(text, '{', from, is_all, seen,
                    [&](size_t place) { return element_begins(text, place, elements); });
}

// -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
bool is_json_number(std::string_view text) {
  size_t at = 0;
  const auto digits = [&] {
    const size_t begin = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - begin;
  };
  const auto take = [&](std::string_view any) {
    if (at == text.size() || any.find(text[at]) == any.npos) return false;
    ++at;
    return true;
  };
  take("-");
  const size_t first = at, whole = digits();
  if (whole == 0 || (whole > 1 && text[first] == '0')) return false;
  if (take(".") && digits() == 0) return false;
  if (take("eE")) {
    take("+-");
    if (digits() == 0) return false;
  }
  return at == text.size();
}

std::string_view bare_value(std::string_view text) {
  const size_t end = std::min(text.find_first_of(",]}[{\":\r\n\t"), text.size());
  if (end < text.size() && (text[end] == '"' || text[end] == ':' || text[end] == '{')) return {};
  const size_t last = text.substr(0, end).find_last_not_of(' ');
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

}  // namespace aiflame
