// SPDX-License-Identifier: MIT
#include "libcommon/import/json_repair.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/import/json_reader.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

bool is_key(std::string_view key) {
  return key == "ph" || key == "name" || key == "dur" || key == "args";
}
const JsonElements kElements{"list", "ph", is_key, "name", "dur"};

// The texts of the strings and bare values, or "-": it has no reading.
std::string texts(std::string_view element) {
  std::vector<JsonToken> tokens;
  if (!read_broken_element(element, kElements, tokens)) return "-";
  std::string out;
  for (const JsonToken& token : tokens)
    if (token.kind == JsonToken::Kind::string || token.kind == JsonToken::Kind::bare)
      out.append(token.text).append("|");
  return out;
}

TEST(JsonRepair, ATextEndsWhereTheRestIsAnElement) {
  EXPECT_EQ(texts(R"j({"ph":"X","name":"a"b","dur":1})j"), "X|a\"b|1|");
  EXPECT_EQ(texts(R"j({"ph":"X","name":"f("a", "b")","dur":1})j"), "X|f(\"a\", \"b\")|1|");
  EXPECT_EQ(texts(R"j({"ph":"X","name":"{"k": "v", "c": 1}","dur":1})j"),
            "X|{\"k\": \"v\", \"c\": 1}|1|");
  EXPECT_EQ(texts(R"j({"ph":"X","args":{"k":"{"a":"b"}"},"dur":1})j"), "X|{\"a\":\"b\"}|1|");
  EXPECT_EQ(texts(R"j({"ph":"X","name":"C:\d\","dur":1})j"), "X|C:\\d\\|1|");
  EXPECT_EQ(texts(R"j({"ph":"X","name":"\"q\"","args":{"x":N/A,"y":}})j"), "X|\\\"q\\\"|N/A||");
}

TEST(JsonRepair, AnElementWithoutOneReadingIsLost) {
  EXPECT_EQ(texts(R"j({"ph":"X","dur":1,5})j"), "-");
  EXPECT_EQ(texts(R"j({"ph":"X","dur":1,"dur":2})j"), "-");
  EXPECT_EQ(texts(R"j({"name":"a"b","dur":1})j"), "-");
  EXPECT_EQ(texts(R"j({"ph":"X","other":"a"b"})j"), "-");
  EXPECT_EQ(texts(R"j({"ph":"X","name":"a","dur":1,"x","dur":2})j"), "-");
  EXPECT_EQ(texts(R"j({"ph":"X"Y","name":"a"})j"), "-");
  EXPECT_EQ(texts(R"j({"ph":"X","name":"a)j"), "-");
  EXPECT_EQ(texts(""), "-");
}

TEST(JsonRepair, FindsWhereAnElementEnds) {
  const auto end = [](std::string_view text, bool is_all) {
    size_t seen = 0;
    return find_element_end(text, 0, kElements, is_all, &seen);
  };
  EXPECT_EQ(end(R"({"x":{}},{"ph":1})", true), 8U);
  EXPECT_EQ(end("{}\n{\"ph\":1}", true), 2U);
  EXPECT_EQ(end(R"({}],"other":1)", true), 2U);
  EXPECT_EQ(end("{}]}", true), 2U);
  EXPECT_EQ(end("{}", true), 2U);
  EXPECT_EQ(end("{}, ", false), SIZE_MAX);
  EXPECT_EQ(end(R"({},{"other":1} )", true), 14U);
}

TEST(JsonRepair, NumbersAreThoseOfJson) {
  for (const char* yes : {"0", "-1", "12.5", "1e3", "1.0E-7"}) EXPECT_TRUE(is_json_number(yes));
  for (const char* no : {"", "-", "01", "1.", ".5", "1e", "+1", "5us", "N/A"})
    EXPECT_FALSE(is_json_number(no)) << no;
}

// What a reader that mends hands out, a token after the other; taken back as it is told.
class Names : public JsonHandler {
 public:
  void begin_object() override { ++depth; }
  void end_object() override { --depth; }
  void begin_array() override { ++depth; }
  void end_array() override { --depth; }
  void string(std::string_view text) override { out.append(text).append("|"); }
  void number(std::string_view text) override { string(text); }
  void take_back(size_t to) override {
    depth = to;
    out += "<";
  }

  size_t depth = 0;
  std::string out;
};

struct Mended {
  Names names;
  JsonRepair repair{.elements = kElements};
};

Mended mend(const std::string& json) {
  const MemoryFile file(json);
  ByteSource source(file.path());
  Mended out;
  read_json(source, out.names, &out.repair);
  if (!out.repair.first.empty()) out.repair.first.erase(0, file.path().size());
  return out;
}

TEST(JsonRepair, SoundJsonIsNotTouched) {
  const Mended mended =
      mend(R"({"a":[{"x":1}],"list":[{"ph":"X","v":["{","}"]},{"ph":2}],"b":"c"})");
  EXPECT_EQ(mended.names.out, "1|X|{|}|2|c|");
  EXPECT_EQ(mended.repair.mended + mended.repair.lost, 0U);
  EXPECT_EQ(mended.repair.first, "");
}

// An element must be mended alike wherever the blocks of the input end.
TEST(JsonRepair, ABrokenElementMayLieInTwoBlocks) {
  const std::string before = R"([{"ph":"A"},)", broken = R"({"ph":"X","name":"a"}b","dur":7},)",
                    behind = R"({"ph":"B"}])";
  constexpr size_t kBlock = size_t{256} << 10;
  for (size_t shift = 0; shift < broken.size() + 4; ++shift) {
    const std::string blanks(kBlock - before.size() - shift, ' ');
    std::string json = before;
    json.append(blanks).append(broken).append(behind);
    const Mended mended = mend(json);
    EXPECT_EQ(mended.names.out, "A|X|a|<X|a\"}b|7|B|") << shift;
    EXPECT_EQ(mended.repair.mended, 1U);
    EXPECT_EQ(mended.names.depth, 0U);
  }
}

TEST(JsonRepair, WhatIsLostIsCounted) {
  const Mended mended =
      mend("[{\"ph\":1},\n{\"ph\":2,\"dur\":1,5},\n{\"ph\":3} garbage, {\"ph\":4}]");
  EXPECT_EQ(mended.repair.lost, 2U);
  EXPECT_EQ(mended.repair.first, ":2: an event that is not JSON");
  EXPECT_EQ(mended.names.depth, 0U);
}

TEST(JsonRepair, StrictRefuses) {
  for (const char* json : {"[{\"ph\":\"\x01\"}]", "[{\"ph\":\"\\U\"}]", "[{\"ph\":\"\xe9\"}]",
                           "[{\"ph\":N/A}]", "[{\"ph\":1},]", "[]]"}) {
    EXPECT_EQ(mend(json).repair.mended, 1U) << json;
    const MemoryFile file(json);
    ByteSource source(file.path());
    Names names;
    JsonRepair repair{.elements = kElements, .strict = true};
    EXPECT_THROW(read_json(source, names, &repair), Error) << json;
  }
}

}  // namespace
}  // namespace aiflame
