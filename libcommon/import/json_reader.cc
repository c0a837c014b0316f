// SPDX-License-Identifier: MIT
#include "libcommon/import/json_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/base/utf8.h"
#include "libcommon/import/json_bytes.h"
#include "libcommon/import/json_escapes.h"
#include "libcommon/memory/read_buffer.h"

namespace aiflame {
namespace {

// Fits into the second-level cache, so that what was read is still cached when it is searched.
constexpr size_t kBlock = size_t{256} << 10;
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxToken = size_t{16} << 20;

// Longer elements are not mended.
constexpr size_t kMaxElement = size_t{1} << 20;
// The ends that are tried for a broken element: a text of it may look like the next element.
constexpr size_t kMaxEnds = 4;

// The input ends before the value does.
struct CutShort {};
// Whether a text of an element goes on behind one of the places where the element may end: then it
// holds the whole next element.
bool spans_any(const std::vector<JsonToken>& tokens, const char* begin,
               const std::vector<size_t>& ends) {
  return std::any_of(tokens.begin(), tokens.end(), [&](const JsonToken& token) {
    const auto from = static_cast<size_t>(token.text.data() - begin);
    return token.kind == JsonToken::Kind::string &&
           std::any_of(ends.begin(), ends.end(),
                       [&](size_t end) { return from < end && end <= from + token.text.size(); });
  });
}

// What is at `at` is not JSON, and a single token does not say how to mend it.
struct Broken {
  const char* at;
  std::string what;
};

// The part of the input that is looked at. A NUL stands behind it, as json_bytes.h wants it.
class Window {
 public:
  explicit Window(ByteSource& source) : source_(source) {
    source.accept_cut();
    source.read_ahead();
    resize(kBlock);
    mark_end();
  }

  const char* end() const { return buffer_.data() + end_; }
  // Keeps the bytes from `at` on, until release(): an element may have to be read again. Those of
  // one that gets too long are let go.
  void hold(const char* at) { held_ = at; }
  void release() { held_ = nullptr; }
  const char* held() const { return held_; }
  // Reads more behind the bytes from `token` on, which it keeps and moves. False: there is no more.
  bool more(const char*& token) {
    if (held_ == nullptr || static_cast<size_t>(end() - held_) > 2 * kMaxElement) {
      held_ = nullptr;
      return more_behind(token);
    }
    const auto offset = token - held_;
    const bool any = more_behind(held_);
    token = held_ + offset;
    return any;
  }
  uint64_t line_of(const char* at) const {
    return lines_ + 1 + newlines(static_cast<size_t>(at - buffer_.data()));
  }
  std::string place(const char* at) const {
    return format("%s:%llu: ", source_.name().c_str(),
                  static_cast<unsigned long long>(line_of(at)));
  }
  [[noreturn]] void fail(const char* at, const std::string& what) const {
    throw Error(place(at) + what);
  }

 private:
  bool more_behind(const char*& token) {
    const auto begin = static_cast<size_t>(token - buffer_.data());
    const size_t kept = end_ - begin;
    if (kept > kMaxToken) fail(token, format("a token is longer than %zu MiB", kMaxToken >> 20));
    lines_ += newlines(begin);
    std::memmove(buffer_.data(), token, kept);
    if (kept > size() / 2) resize(std::min(2 * size(), kMaxToken + kBlock));
    end_ = kept;
    // fills the buffer, so that a long token is not searched from its beginning many times
    while (end_ < size()) {
      const size_t n = source_.read(buffer_.data() + end_, size() - end_);
      if (n == 0) break;
      end_ += n;
    }
    mark_end();
    token = buffer_.data();
    return end_ > kept;
  }
  size_t size() const { return buffer_.size() - kJsonPadding; }
  void resize(size_t size) { buffer_.resize(size + kJsonPadding); }
  void mark_end() { std::memset(buffer_.data() + end_, 0, kJsonPadding); }
  uint64_t newlines(size_t end) const {
    return static_cast<uint64_t>(
        std::count(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(end), '\n'));
  }

  ByteSource& source_;
  ReadBuffer buffer_;
  size_t end_ = 0;
  const char* held_ = nullptr;
  uint64_t lines_ = 0;  // before the buffer
};

// The end of the number that `at` begins with, or of the part of it that is right: then `wrong`
// says what is not.
//
//   -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
inline const char* number_end(const char* at, const char*& wrong) {
  const char* digits = *at == '-' ? at + 1 : at;
  const char* end = skip_json_digits(digits);
  if (end == digits) wrong = "no value";
  if (*digits == '0' && end > digits) end = digits + 1;
  if (*end == '.' && wrong == nullptr) {
    digits = end + 1;
    end = skip_json_digits(digits);
    if (end == digits) wrong = "a number without digits after its point";
  }
  if ((*end == 'e' || *end == 'E') && wrong == nullptr) {
    digits = end[1] == '+' || end[1] == '-' ? end + 2 : end + 1;
    end = skip_json_digits(digits);
    if (end == digits) wrong = "a number without digits in its exponent";
  }
  return end;
}

// In all functions, `at` is where they begin to read; they return where they end.
class Reader {
 public:
  Reader(ByteSource& source, JsonHandler& handler, JsonRepair* repair)
      : window_(source), handler_(handler), repair_(repair) {}

  void read() {
    const char* at = window_.end();
    for (;;) {
      try {
        at = values(at, value_ended_);
        break;
      } catch (const Broken& broken) {
        if (repair_ == nullptr || repair_->strict) window_.fail(broken.at, broken.what);
        if ((at = mend(broken)) == nullptr) return;
      }
    }
    at = blanks(at);
    if (ends_at(at)) return;
    if (!mends(at, "more follows its end")) window_.fail(at, "more follows the JSON value");
    while (!ends_at(at = blanks(at))) {
      if (*at != '\0' && *at != ']' && *at != '}' && *at != ',')
        window_.fail(at, "more follows the JSON value");
      ++at;
    }
  }

 private:
  static constexpr size_t kNoList = SIZE_MAX;

  // Whether `at` is behind the last byte of the window. A NUL there may be one of the input, too.
  bool ends_at(const char* at) const { return at == window_.end(); }
  void more(const char*& token) {
    if (!window_.more(token)) throw CutShort();
  }
  [[noreturn]] void fail(const char* at, const char* what) const {
    throw Broken{at, std::string("not JSON: ") + what};
  }
  const char* blanks(const char* at);
  // Blanks that something follows.
  const char* blanks_before(const char* at) {
    // most tokens follow one another, or one space: that much is inlined
    if (static_cast<unsigned char>(*at) > ' ') return at;
    if (*at == ' ' && static_cast<unsigned char>(at[1]) > ' ') return at + 1;
    at = blanks(at);
    if (*at == '\0' && ends_at(at)) throw CutShort();
    return at;
  }
  // `value_ended`: begins behind a value.
  const char* values(const char* at, bool value_ended);
  const char* scalar(const char* at);
  const char* key(const char* at);
  const char* string(const char* at, std::string_view& text);
  const char* number(const char* at);
  const char* word(const char* at, std::initializer_list<std::string_view> words);
  const char* bare(const char* at, const char* wrong_at, const char* what);
  void open(const char* at, char closer);
  void open_list();
  const char* confirm_element_end(const char* at, bool& comma);
  char closer() const { return closers_[depth_ - 1]; }

  // Whether what is wrong at a place is to be mended; then it counts.
  bool mends(const char* at, const char* what);
  // Mends what a token alone cannot, and returns where the reading goes on: behind a value or
  // before one, as value_ended_ says. nullptr: it ends.
  const char* mend(const Broken& broken);
  const char* mend_element();
  const char* mend_header(const char* at);
  const char* skip_to_element(const char* at);
  void take_back(size_t depth);
  void hand_out(const std::vector<JsonToken>& tokens);
  void count_lost(const char* at, const char* what);
  void remember_first(const char* at, const char* what);

  Window window_;
  JsonHandler& handler_;
  JsonRepair* repair_;
  size_t depth_ = 0;
  std::array<char, kMaxDepth> closers_{};  // of the objects and arrays that are open
  std::string unescaped_;
  // what the repair needs
  size_t list_depth_ = kNoList;  // the depth in the list of elements, while in it
  bool is_list_next_ = false;    // the outermost object's last key was the list's
  bool list_read_ = false;
  bool value_ended_ = false;
  uint64_t mended_before_ = 0;  // the element
};

bool Reader::mends(const char* at, const char* what) {
  if (repair_ == nullptr || repair_->strict) return false;
  remember_first(at, what);
  ++repair_->mended;
  return true;
}

void Reader::remember_first(const char* at, const char* what) {
  if (repair_->first.empty()) repair_->first = window_.place(at) + what;
}

void Reader::count_lost(const char* at, const char* what) {
  remember_first(at, what);
  ++repair_->lost;
}

const char* Reader::blanks(const char* at) {
  at = skip_json_blanks(at);
  while (*at == '\0' && ends_at(at) && window_.more(at)) at = skip_json_blanks(at);
  return at;
}

// Reads the outermost value, with all that are in it.
const char* Reader::values(const char* at, bool value_ended) {
  for (;; value_ended = false) {
    if (!value_ended) {
      at = blanks_before(at);
      switch (*at) {
        case '{':
          if (depth_ == list_depth_) {
            window_.hold(at);
            mended_before_ = repair_->mended;
          }
          open(at, '}');
          handler_.begin_object();
          at = blanks_before(at + 1);
          if (*at == '}') break;
          at = key(at);
          continue;
        case '[':
          open(at, ']');
          open_list();
          handler_.begin_array();
          at = blanks_before(at + 1);
          if (*at == ']') break;
          continue;
        default:
          at = scalar(at);
      }
    }
    // what follows a value: the ends of those around it, and a comma
    for (;;) {
      if (depth_ == 0) return at;
      at = blanks_before(at);
      const char close = closer();
      if (*at == ',') {
        at = blanks_before(at + 1);
        if (*at == close && mends(at, "a comma behind the last value")) continue;
        if (close == '}') at = key(at);
        break;
      }
      if (*at != close) {
        // ranks that write into one file leave out the commas between them
        if (*at == '{' && depth_ == list_depth_ && mends(at, "a comma is missing")) break;
        fail(at, close == '}' ? "no comma or } after an object member"
                              : "no comma or ] after an array element");
      }
      ++at;
      bool comma = false;
      if (depth_ - 1 == list_depth_) {
        at = confirm_element_end(at, comma);
        window_.release();
      }
      --depth_;
      if (depth_ + 1 == list_depth_) {
        list_depth_ = kNoList;
        list_read_ = true;
      }
      if (close == '}')
        handler_.end_object();
      else
        handler_.end_array();
      if (comma) break;
    }
  }
}

// Looks behind an element before it is handed out: a name like `x"}` would end it too early. Takes
// the comma, too.
const char* Reader::confirm_element_end(const char* at, bool& comma) {
  at = blanks(at);
  if (*at == ',') {
    at = blanks(at + 1);
    comma = *at != ']' || !mends(at, "a comma behind the last value");
  }
  if (*at != '{' && *at != ']' && *at != 'n' && !ends_at(at))
    fail(at, "no comma or ] after an array element");
  return at;
}

void Reader::open_list() {
  if (repair_ == nullptr || list_read_) return;
  if (depth_ == 1 || (depth_ == 2 && closers_[0] == '}' && is_list_next_)) list_depth_ = depth_;
}

void Reader::open(const char* at, char closer) {
  if (depth_ == kMaxDepth) window_.fail(at, format("values are nested deeper than %zu", kMaxDepth));
  closers_[depth_++] = closer;
}

inline const char* Reader::scalar(const char* at) {
  switch (*at) {
    case '"': {
      std::string_view text;
      at = string(at, text);
      handler_.string(text);
      return at;
    }
    case 't':
      return word(at, {"true"});
    case 'f':
      return word(at, {"false"});
    case 'n':
      return word(at, {"null", "nan"});
    default:
      return number(at);
  }
}

// A key with its colon.
inline const char* Reader::key(const char* at) {
  if (*at != '"') fail(at, "an object member without a quoted name");
  std::string_view text;
  at = string(at, text);
  handler_.key(text);
  if (depth_ == 1 && repair_ != nullptr) is_list_next_ = text == repair_->elements.list;
  at = blanks_before(at);
  if (*at != ':') fail(at, "no colon after an object member's name");
  return at + 1;
}

inline const char* Reader::string(const char* at, std::string_view& text) {
  bool escapes = false, maybe_high = false;
  for (const char* stop = at + 1;;) {
    stop = find_json_string_stop(stop, maybe_high);
    if (*stop == '"') {
      text = {at + 1, static_cast<size_t>(stop - at - 1)};
      if (maybe_high && repair_ != nullptr && !is_utf8(text) && !mends(at, "a text is not UTF-8"))
        fail(at, "a text is not UTF-8");
      if (escapes) {
        if (const char* wrong = unescape_json(text, unescaped_)) {
          if (!mends(at, "a backslash that escapes nothing")) fail(at, wrong);
          unescape_broken_json(text, unescaped_);
        }
        text = unescaped_;
      }
      return stop + 1;
    }
    if (*stop == '\\' && !ends_at(stop + 1)) {
      escapes = true;
      stop += 2;
    } else if (*stop == '\\' || ends_at(stop)) {
      const auto searched = stop - at;
      more(at);
      stop = at + searched;
    } else if (mends(stop, "a control character in a string")) {
      ++stop;
    } else {
      fail(stop, *stop == '\0' ? "a string without a closing quotation mark"
                               : "a control character in a string");
    }
  }
}

const char* Reader::number(const char* at) {
  for (;;) {
    const char* wrong = nullptr;
    const char* end = number_end(at, wrong);
    if (ends_at(end)) {
      const auto size = end - at;
      if (window_.more(at)) continue;
      // only the outermost value is known to be whole where the input ends
      if (wrong != nullptr || depth_ > 0) throw CutShort();
      end = at + size;
    }
    // printf() writes what is no number so (older Kineto's "memory bandwidth (GB/s)"), and Python's
    // json another way; JSON has no form for it
    if (wrong != nullptr && end <= at + 1 && std::isalpha(static_cast<unsigned char>(*end)) != 0)
      return word(end, {"nan", "inf", "NaN", "Infinity"});
    if (wrong != nullptr) return bare(at, end, wrong);
    handler_.number({at, static_cast<size_t>(end - at)});
    return end;
  }
}

const char* Reader::word(const char* at, std::initializer_list<std::string_view> words) {
  for (;;) {
    bool may_go_on = false;
    for (const std::string_view word : words) {
      const auto [stop, missing] = std::mismatch(word.begin(), word.end(), at);
      if (stop == word.end()) {
        handler_.word(word);
        return missing;
      }
      may_go_on = may_go_on || ends_at(missing);
    }
    if (!may_go_on) return bare(at, at, "no value");
    more(at);
  }
}

// What is no value of JSON: N/A, or nothing at all.
const char* Reader::bare(const char* at, const char* wrong_at, const char* what) {
  if (repair_ == nullptr || repair_->strict) fail(wrong_at, what);
  std::string_view value;
  for (;;) {
    value = bare_value({at, static_cast<size_t>(window_.end() - at)});
    if (!ends_at(value.data() + value.size()) || value.empty()) break;
    const auto offset = wrong_at - at;
    more(at);
    wrong_at = at + offset;
  }
  const bool missing = value.empty() && depth_ > 0 && (*at == ',' || *at == closer());
  if (value.empty() && !missing) fail(wrong_at, what);
  mends(at, missing ? "a value is missing" : "a value that is none");
  handler_.word(missing ? "null" : value);
  return at + value.size();
}

const char* Reader::mend(const Broken& broken) {
  if (window_.held() != nullptr) return mend_element();
  if (list_depth_ != kNoList) {
    count_lost(broken.at, "what stands between two events");
    return skip_to_element(broken.at);
  }
  if (list_read_) {  // what follows the list says nothing that anybody needs
    mends(broken.at, "what follows the events is not JSON");
    return nullptr;
  }
  const std::string place = window_.place(broken.at);
  const char* at = mend_header(broken.at);
  if (at == nullptr) throw Error(place + broken.what);
  return at;
}

// The element that is held is read again: with each of the places where it may end.
const char* Reader::mend_element() {
  const char* at = window_.held();
  const auto text = [&] {
    at = window_.held();
    return std::string_view(at, static_cast<size_t>(window_.end() - at));
  };
  repair_->mended = mended_before_;
  take_back(list_depth_);
  value_ended_ = true;
  std::vector<size_t> ends;  // that were tried
  size_t from = 0;
  bool is_all = false;
  while (ends.size() < kMaxEnds && from < kMaxElement) {
    size_t seen = 0;
    const size_t end = find_element_end(text(), from, repair_->elements, is_all, &seen);
    if (end == SIZE_MAX) {
      if (is_all) break;
      from = seen;
      const char* token = window_.held();
      is_all = !window_.more(token);
      if (window_.held() == nullptr) window_.hold(token);
      continue;
    }
    std::vector<JsonToken> tokens;
    if (read_broken_element(text().substr(0, end), repair_->elements, tokens) &&
        !spans_any(tokens, at, ends)) {
      mends(at, "quotes within a string");
      hand_out(tokens);
      window_.release();
      return at + end;
    }
    from = end;
    ends.push_back(end);
  }
  count_lost(text().data(), "an event that is not JSON");
  window_.release();
  return !ends.empty() ? at + ends[0] : skip_to_element(at + from);
}

void Reader::take_back(size_t depth) {
  depth_ = depth;
  handler_.take_back(depth);
}

void Reader::hand_out(const std::vector<JsonToken>& tokens) {
  using Kind = JsonToken::Kind;
  for (const JsonToken& token : tokens) {
    switch (token.kind) {
      case Kind::begin_object:
        handler_.begin_object();
        break;
      case Kind::end_object:
        handler_.end_object();
        break;
      case Kind::begin_array:
        handler_.begin_array();
        break;
      case Kind::end_array:
        handler_.end_array();
        break;
      case Kind::key:
        unescape_broken_json(token.text, unescaped_);
        handler_.key(unescaped_);
        break;
      case Kind::string:
        unescape_broken_json(token.text, unescaped_);
        handler_.string(unescaped_);
        break;
      case Kind::bare:
        if (is_json_number(token.text))
          handler_.number(token.text);
        else
          handler_.word(token.text.empty() ? "null" : token.text);
        break;
    }
  }
}

// What stands between two elements is lost, whatever it is.
const char* Reader::skip_to_element(const char* at) {
  take_back(list_depth_);
  value_ended_ = false;
  for (size_t from = 0;;) {
    size_t seen = 0;
    const std::string_view text(at, static_cast<size_t>(window_.end() - at));
    const size_t found = find_element(text, from, repair_->elements, false, &seen);
    if (found != SIZE_MAX) return at + found;
    at += seen;
    from = 0;
    more(at);
  }
}

// The list is looked for behind what is wrong in the outermost object.
const char* Reader::mend_header(const char* at) {
  if (depth_ == 0 || closers_[0] != '}') return nullptr;
  const std::string wanted = "\"" + std::string(repair_->elements.list) + "\"";
  mends(at, "what precedes the events is not JSON");
  for (;;) {
    const std::string_view text(at, static_cast<size_t>(window_.end() - at));
    const size_t found = text.find(wanted);
    if (found == text.npos) {
      at += text.size() - std::min(text.size(), wanted.size() - 1);
      if (!window_.more(at)) return nullptr;
      continue;
    }
    at = blanks_before(at + found + wanted.size());
    if (*at == ':') break;
  }
  take_back(1);
  handler_.key(repair_->elements.list);
  is_list_next_ = true;
  value_ended_ = false;
  return at + 1;
}

}  // namespace

JsonEnd read_json(ByteSource& source, JsonHandler& handler, JsonRepair* repair) {
  try {
    Reader(source, handler, repair).read();
  } catch (const CutShort&) {
    return JsonEnd::cut;
  }
  return JsonEnd::whole;
}

}  // namespace aiflame
