// SPDX-License-Identifier: MIT
#include "libcommon/import/json_reader.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <initializer_list>
#include <string>

#include "libcommon/base/program.h"
#include "libcommon/import/json_bytes.h"
#include "libcommon/import/json_escapes.h"
#include "libcommon/memory/read_buffer.h"

namespace aiflame {
namespace {

// Fits into the second-level cache, so that what was read is still cached when it is searched.
constexpr size_t kBlock = size_t{256} << 10;
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxToken = size_t{16} << 20;

// The input ends before the value does.
struct CutShort {};

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
  // Reads more behind the bytes from `token` on, which it keeps and moves. False: there is no more.
  bool more(const char*& token) {
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
  [[noreturn]] void fail(const char* at, const std::string& what) const {
    const uint64_t line = lines_ + 1 + newlines(static_cast<size_t>(at - buffer_.data()));
    throw Error(format("%s:%llu: ", source_.name().c_str(), static_cast<unsigned long long>(line)) +
                what);
  }

 private:
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
  uint64_t lines_ = 0;  // before the buffer
};

// The end of the number that `at` begins with, or of the part of it that is right: then `wrong`
// says what is not.
//
//   -?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?
inline const char* number_end(const char* at, const char*& wrong) {
  const char* digits = *at == '-' ? at + 1 : at;
  const char* end = skip_json_digits(digits);
  if (end == digits) wrong = "Invalid value.";
  if (*digits == '0' && end > digits) end = digits + 1;
  if (*end == '.' && wrong == nullptr) {
    digits = end + 1;
    end = skip_json_digits(digits);
    if (end == digits) wrong = "Miss fraction part in number.";
  }
  if ((*end == 'e' || *end == 'E') && wrong == nullptr) {
    digits = end[1] == '+' || end[1] == '-' ? end + 2 : end + 1;
    end = skip_json_digits(digits);
    if (end == digits) wrong = "Miss exponent in number.";
  }
  return end;
}

// In all functions, `at` is where they begin to read; they return where they end.
class Reader {
 public:
  Reader(ByteSource& source, JsonHandler& handler) : window_(source), handler_(handler) {}

  void read() {
    const char* at = blanks(values(window_.end()));
    if (!ends_at(at)) window_.fail(at, "more follows the JSON value");
  }

 private:
  // Whether `at` is behind the last byte of the window. A NUL there may be one of the input, too.
  bool ends_at(const char* at) const { return at == window_.end(); }
  void more(const char*& token) {
    if (!window_.more(token)) throw CutShort();
  }
  [[noreturn]] void fail(const char* at, const char* what) const {
    window_.fail(at, std::string("not JSON: ") + what);
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
  const char* values(const char* at);
  const char* scalar(const char* at);
  const char* key(const char* at);
  const char* string(const char* at, std::string_view& text);
  const char* number(const char* at);
  const char* word(const char* at, std::initializer_list<std::string_view> words);
  void open(const char* at, char closer);
  char closer() const { return closers_[depth_ - 1]; }

  Window window_;
  JsonHandler& handler_;
  size_t depth_ = 0;
  std::array<char, kMaxDepth> closers_{};  // of the objects and arrays that are open
  std::string unescaped_;
};

const char* Reader::blanks(const char* at) {
  at = skip_json_blanks(at);
  while (*at == '\0' && ends_at(at) && window_.more(at)) at = skip_json_blanks(at);
  return at;
}

// Reads the outermost value, with all that are in it.
const char* Reader::values(const char* at) {
  for (;;) {
    at = blanks_before(at);
    switch (*at) {
      case '{':
        open(at, '}');
        handler_.begin_object();
        at = blanks_before(at + 1);
        if (*at == '}') break;
        at = key(at);
        continue;
      case '[':
        open(at, ']');
        handler_.begin_array();
        at = blanks_before(at + 1);
        if (*at == ']') break;
        continue;
      default:
        at = scalar(at);
    }
    // what follows a value: the ends of those around it, and a comma
    for (;;) {
      if (depth_ == 0) return at;
      at = blanks_before(at);
      const char close = closer();
      if (*at == ',') {
        ++at;
        if (close == '}') at = key(blanks_before(at));
        break;
      }
      if (*at != close)
        fail(at, close == '}' ? "Missing a comma or } after an object member."
                              : "Missing a comma or ] after an array element.");
      ++at;
      --depth_;
      if (close == '}')
        handler_.end_object();
      else
        handler_.end_array();
    }
  }
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
  if (*at != '"') fail(at, "Missing a name for object member.");
  std::string_view text;
  at = string(at, text);
  handler_.key(text);
  at = blanks_before(at);
  if (*at != ':') fail(at, "Missing a colon after a name of object member.");
  return at + 1;
}

inline const char* Reader::string(const char* at, std::string_view& text) {
  bool escapes = false;
  for (const char* stop = at + 1;;) {
    stop = find_json_string_stop(stop);
    if (*stop == '"') {
      text = {at + 1, static_cast<size_t>(stop - at - 1)};
      if (escapes) {
        if (const char* wrong = unescape_json(text, unescaped_)) fail(at, wrong);
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
    } else {
      fail(stop, *stop == '\0' ? "Missing a closing quotation mark in string."
                               : "A control character in a string.");
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
    if (wrong != nullptr) fail(end, wrong);
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
    if (!may_go_on) fail(at, "Invalid value.");
    more(at);
  }
}

}  // namespace

JsonEnd read_json(ByteSource& source, JsonHandler& handler) {
  try {
    Reader(source, handler).read();
  } catch (const CutShort&) {
    return JsonEnd::cut;
  }
  return JsonEnd::whole;
}

}  // namespace aiflame
