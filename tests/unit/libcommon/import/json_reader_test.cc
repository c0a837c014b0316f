// SPDX-License-Identifier: MIT
#include "libcommon/import/json_reader.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"

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

TEST(JsonReader, TokensMayLieInTwoBlocks) {
  std::string json = "[", expected = "[";
  for (int i = 0; i < 100000; ++i) {
    const std::string name = "n" + std::to_string(i);
    json += (i > 0 ? ",\"" : "\"") + name + "\"";
    expected += "'" + name + "'";
  }
  EXPECT_EQ(read(json + "]").tokens, expected + "]");
}

TEST(JsonReader, ACutInputIsNoError) {
  const std::string whole = R"({"a": [1, "b", {"c": tru)";
  for (size_t size = 0; size <= whole.size(); ++size) {
    const Result result = read(whole.substr(0, size));
    EXPECT_TRUE(result.cut) << size;
    EXPECT_EQ(result.error, "") << size;
  }
}

TEST(JsonReader, SaysWhereItIsWrong) {
  EXPECT_EQ(read("{\n\"a\":\n }").error, ":3: not JSON: Invalid value.");
  EXPECT_EQ(read("[1]\n[2]").error, ":2: more follows the JSON value");
  EXPECT_EQ(read(std::string("[\"a\0b\"]", 7)).error,
            ":1: not JSON: Missing a closing quotation mark in string.");
  EXPECT_EQ(read(std::string(2000, '[')).error, ":1: values are nested deeper than 1000");
  EXPECT_EQ(read("[\"" + std::string(20 << 20, 'x') + "\"]").error,
            ":1: a token is longer than 16 MiB");
}

}  // namespace
}  // namespace aiflame
