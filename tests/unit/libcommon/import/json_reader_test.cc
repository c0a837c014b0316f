// SPDX-License-Identifier: MIT
#include "libcommon/import/json_reader.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"
#include "tests/unit/libcommon/io/as_gzip.h"

namespace aiflame {
namespace {

// The tokens as text, one behind the other.
class Tokens : public JsonHandler {
 public:
  void begin_object() override { text += '{'; }
  void end_object() override { text += '}'; }
  void begin_array() override { text += '['; }
  void end_array() override { text += ']'; }
  void key(std::string_view key) override { text.append(key).append(":"); }
  void string(std::string_view value) override { text.append("'").append(value).append("'"); }
  void number(std::string_view value) override { text.append(value).append(","); }
  void word(std::string_view value) override { text.append(value).append("."); }

  std::string text;
};

struct Result {
  std::string tokens, error;
  bool cut = false;
};

Result read(const std::string& json) {
  const MemoryFile file(json);
  ByteSource source(file.path());
  Tokens tokens;
  Result result;
  try {
    result.cut = read_json(source, tokens) == JsonEnd::cut;
  } catch (const Error& error) {
    result.error = error.what();
    result.error.erase(0, file.path().size());
  }
  result.tokens = tokens.text;
  return result;
}

TEST(JsonReader, TokensInOrder) {
  EXPECT_EQ(
      read(R"( {"a": [1, -2.50, 1e3], "b\n": {"c": null, "d": true, "": "\u00e9;\"x"}} )").tokens,
      "{a:[1,-2.50,1e3,]b\n:{c:null.d:true.:'\xc3\xa9;\"x'}}");
  EXPECT_EQ(read("[]").tokens, "[]");
}

TEST(JsonReader, NumbersKeepAllDigits) {
  EXPECT_EQ(read("[1759330000000000000.123456789012345678901]").tokens,
            "[1759330000000000000.123456789012345678901,]");
}

// All kinds of tokens.
const std::string kDocument =
    "{\"a\": [1, -20.5e+3, \"text\", \"\\u00e9\\\\\", true,false , null],\r\n \t\"b\":{},\"c\" : "
    "[[]], \"d\": [nan,-nan , NaN,-Infinity,inf]}";
const std::string kDocumentTokens =
    "{a:[1,-20.5e+3,'text''\xc3\xa9\\'true.false.null.]b:{}c:[[]]d:[nan.nan.NaN.Infinity.inf.]}";

TEST(JsonReader, TokensMayLieInTwoBlocks) {
  constexpr size_t kBlock = size_t{256} << 10;
  ASSERT_EQ(read(kDocument).tokens, kDocumentTokens);
  for (size_t shift = 0; shift <= kDocument.size() + 1; ++shift)
    EXPECT_EQ(read(std::string(kBlock - shift, ' ') + kDocument).tokens, kDocumentTokens) << shift;
}

TEST(JsonReader, ATokenMayBeLongerThanABlock) {
  const std::string text(3 << 20, 'x'), digits(1 << 20, '7');
  EXPECT_TRUE(read("[\"" + text + "\\n\"," + digits + "]").tokens ==
              "['" + text + "\n'" + digits + ",]");
}

TEST(JsonReader, ResolvesEscapes) {
  const auto text = [](const std::string& escapes) { return read('"' + escapes + '"').tokens; };
  EXPECT_EQ(text(R"(\"\\\/\b\f\n\r\t)"), "'\"\\/\b\f\n\r\t'");
  EXPECT_EQ(text(R"(\u0041\u00E9\u20ac)"), "'A\xc3\xa9\xe2\x82\xac'");
  EXPECT_EQ(text(R"(\uD83d\uDe00)"), "'\xf0\x9f\x98\x80'");
  // halves of pairs
  EXPECT_EQ(text(R"(\udcff)"), "'\xef\xbf\xbd'");
  EXPECT_EQ(text(R"(\ud83dx)"), "'\xef\xbf\xbdx'");
  EXPECT_EQ(text(R"(\ud83d\u0041)"), "'\xef\xbf\xbd\x41'");
  EXPECT_EQ(text(R"(\ud83d\ud83d\ude00)"), "'\xef\xbf\xbd\xf0\x9f\x98\x80'");
}

TEST(JsonReader, ACutInputIsNoError) {
  for (size_t size = 0; size < kDocument.size(); ++size) {
    const Result result = read(kDocument.substr(0, size));
    EXPECT_TRUE(result.cut) << size;
    EXPECT_EQ(result.error, "") << size;
    // a number that may go on is not handed out
    EXPECT_EQ(kDocumentTokens.compare(0, result.tokens.size(), result.tokens), 0) << size;
  }
  EXPECT_EQ(read("12").tokens, "12,");
  EXPECT_FALSE(read("12").cut);
  EXPECT_TRUE(read("[{},").cut);  // as vLLM for Gaudi ends its file
}

// Long enough to be decompressed in a thread.
TEST(JsonReader, ReadsCompressedInput) {
  std::string json = "[", tokens = "[";
  for (int i = 0; i < 500000; ++i) {
    const std::string number = std::to_string(i);
    json += number + ", ";
    tokens += number + ",";
  }
  json += "\n1 2]";
  const std::string bytes = as_gzip(json);
  const Result wrong = read(bytes);
  EXPECT_EQ(wrong.error, ":2: not JSON: no comma or ] after an array element");
  EXPECT_TRUE(wrong.tokens == tokens + "1,");

  const Result half = read(bytes.substr(0, bytes.size() / 2));
  EXPECT_TRUE(half.cut);
  EXPECT_GT(half.tokens.size(), tokens.size() / 4);
  EXPECT_EQ(tokens.compare(0, half.tokens.size(), half.tokens), 0);

  std::string damaged = bytes;
  damaged.replace(damaged.size() / 2, 100, 100, '\xff');
  EXPECT_NE(read(damaged).error, "");
}

TEST(JsonReader, AnExceptionOfTheHandlerEndsTheReading) {
  struct Throws : JsonHandler {
    void word(std::string_view) override { throw Error("no words"); }
  };
  const MemoryFile file("[true, x");
  ByteSource source(file.path());
  Throws handler;
  EXPECT_THROW(read_json(source, handler), Error);
}

TEST(JsonReader, SaysWhereItIsWrong) {
  const auto error = [](const std::string& json) {
    const std::string text = read(json).error;
    const std::string_view begin = ":1: not JSON: ";
    return text.starts_with(begin) ? text.substr(begin.size()) : text;
  };
  EXPECT_EQ(error("{\n\"a\":\n }"), ":3: not JSON: no value");
  EXPECT_EQ(error("[1]\n[2]"), ":2: more follows the JSON value");
  EXPECT_EQ(error(std::string("[1]\0", 4)), ":1: more follows the JSON value");
  EXPECT_EQ(error(std::string("[\"a\0b\"]", 7)), "a string without a closing quotation mark");
  EXPECT_EQ(error("[\"a\nb\"]"), "a control character in a string");
  EXPECT_EQ(error("\"\\x41\""), "an unknown escape in a string");
  EXPECT_EQ(error("\"\\u00g0\""), "no four hexadecimal digits after \\u in a string");
  EXPECT_EQ(error("\"\\ud800\\u12\""), "no four hexadecimal digits after \\u in a string");
  EXPECT_EQ(error("[1,]"), "no value");
  EXPECT_EQ(error("[tru]"), "no value");
  EXPECT_EQ(error("[-]"), "no value");
  EXPECT_EQ(error("[+1]"), "no value");
  EXPECT_EQ(error("[-null]"), "no value");
  EXPECT_EQ(error("[nul]"), "no value");
  EXPECT_EQ(error("[-Inf]"), "no value");
  EXPECT_EQ(error("[1.]"), "a number without digits after its point");
  EXPECT_EQ(error("[1e+]"), "a number without digits in its exponent");
  EXPECT_EQ(error("[01]"), "no comma or ] after an array element");
  EXPECT_EQ(error("[1}"), "no comma or ] after an array element");
  EXPECT_EQ(error("{\"a\":1]"), "no comma or } after an object member");
  EXPECT_EQ(error("{\"a\":1,}"), "an object member without a quoted name");
  EXPECT_EQ(error("{a:1}"), "an object member without a quoted name");
  EXPECT_EQ(error("{\"a\" 1}"), "no colon after an object member's name");
}

TEST(JsonReader, HasLimits) {
  EXPECT_EQ(read(std::string(1000, '[') + std::string(1000, ']')).error, "");
  EXPECT_EQ(read(std::string(1001, '[')).error, ":1: values are nested deeper than 1000");
  EXPECT_EQ(read("\n[\"" + std::string(20 << 20, 'x') + "\"]").error,
            ":2: a token is longer than 16 MiB");
  EXPECT_EQ(read("[" + std::string(20 << 20, '1') + "]").error,
            ":1: a token is longer than 16 MiB");
  EXPECT_EQ(read("[" + std::string(20 << 20, ' ') + "]").error, "");
}

}  // namespace
}  // namespace aiflame
