// SPDX-License-Identifier: MIT
#include "libcommon/import/json_reader.h"

#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

#include <algorithm>
#include <vector>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

constexpr size_t kBlock = size_t{256} << 10;
constexpr size_t kMaxDepth = 1000;
constexpr size_t kMaxToken = size_t{16} << 20;

// A stream in RapidJSON's sense. A NUL stands for the end; one in the input ends the reading too,
// and is told from the end by at_end().
class Stream {
 public:
  using Ch = char;

  explicit Stream(ByteSource& source) : source_(source), buffer_(kBlock) { fill(); }

  char Peek() const { return begin_ < end_ ? buffer_[begin_] : '\0'; }
  char Take() {
    if (begin_ == end_) return '\0';
    const char c = buffer_[begin_++];
    if (begin_ == end_) fill();
    return c;
  }
  size_t Tell() const { return offset_ + begin_; }
  // for parsing in place, which this does not
  char* PutBegin() { return nullptr; }
  void Put(char) {}
  size_t PutEnd(char*) { return 0; }

  bool at_end() const { return begin_ == end_; }
  // A token begins here.
  void mark() { token_ = Tell(); }
  // The line of the next byte, from 1.
  uint64_t line() const { return lines_ + 1 + newlines(begin_); }

 private:
  uint64_t newlines(size_t end) const {
    return static_cast<uint64_t>(
        std::count(buffer_.begin(), buffer_.begin() + static_cast<ptrdiff_t>(end), '\n'));
  }
  void fill() {
    lines_ += newlines(end_);
    offset_ += end_;
    if (offset_ - token_ > kMaxToken)
      throw Error(format("%s:%llu: a token is longer than %zu MiB", source_.name().c_str(),
                         static_cast<unsigned long long>(line()), kMaxToken >> 20));
    begin_ = 0;
    end_ = source_.read(buffer_.data(), buffer_.size());
  }

  ByteSource& source_;
  std::vector<char> buffer_;
  size_t begin_ = 0, end_ = 0;  // what is not taken yet
  size_t offset_ = 0;           // of the buffer
  size_t token_ = 0;
  uint64_t lines_ = 0;  // before the buffer
};

class Tokens {
 public:
  Tokens(Stream& stream, JsonHandler& handler) : stream_(stream), handler_(handler) {}

  bool Null() { return word("null"); }
  bool Bool(bool value) { return word(value ? "true" : "false"); }
  bool RawNumber(const char* text, rapidjson::SizeType size, bool) {
    stream_.mark();
    handler_.number({text, size});
    return true;
  }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    stream_.mark();
    handler_.string({text, size});
    return true;
  }
  bool Key(const char* text, rapidjson::SizeType size, bool) {
    stream_.mark();
    handler_.key({text, size});
    return true;
  }
  bool StartObject() {
    handler_.begin_object();
    return deeper();
  }
  bool EndObject(rapidjson::SizeType) {
    --depth_;
    stream_.mark();
    handler_.end_object();
    return true;
  }
  bool StartArray() {
    handler_.begin_array();
    return deeper();
  }
  bool EndArray(rapidjson::SizeType) {
    --depth_;
    stream_.mark();
    handler_.end_array();
    return true;
  }
  // of numbers that are not taken as text: none
  bool Int(int) { return false; }
  bool Uint(unsigned) { return false; }
  bool Int64(int64_t) { return false; }
  bool Uint64(uint64_t) { return false; }
  bool Double(double) { return false; }

  bool is_too_deep() const { return depth_ > kMaxDepth; }

 private:
  bool word(std::string_view text) {
    stream_.mark();
    handler_.word(text);
    return true;
  }
  bool deeper() {
    stream_.mark();
    return ++depth_ <= kMaxDepth;
  }

  Stream& stream_;
  JsonHandler& handler_;
  size_t depth_ = 0;
};

}  // namespace

JsonEnd read_json(ByteSource& source, JsonHandler& handler) {
  constexpr unsigned kFlags = rapidjson::kParseIterativeFlag | rapidjson::kParseStopWhenDoneFlag |
                              rapidjson::kParseNumbersAsStringsFlag;
  Stream stream(source);
  Tokens tokens(stream, handler);
  rapidjson::Reader reader;
  const rapidjson::ParseResult result = reader.Parse<kFlags>(stream, tokens);
  const auto fail = [&](const std::string& what) {
    throw Error(source.name() + format(":%llu: ", static_cast<unsigned long long>(stream.line())) +
                what);
  };
  if (tokens.is_too_deep()) fail(format("values are nested deeper than %zu", kMaxDepth));
  if (result.IsError()) {
    if (stream.at_end()) return JsonEnd::cut;
    fail(std::string("not JSON: ") + rapidjson::GetParseError_En(result.Code()));
  }
  rapidjson::SkipWhitespace(stream);
  if (!stream.at_end()) fail("more follows the JSON value");
  return JsonEnd::whole;
}

}  // namespace aiflame
