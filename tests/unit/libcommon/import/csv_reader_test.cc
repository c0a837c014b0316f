// SPDX-License-Identifier: MIT
#include "libcommon/import/csv_reader.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame {
namespace {

using Record = std::vector<std::string>;

std::vector<Record> read(const std::string& csv) {
  const MemoryFile file(csv);
  CsvReader reader(file.path());
  std::vector<Record> records;
  std::vector<std::string_view> fields;
  while (reader.next(fields)) records.emplace_back(fields.begin(), fields.end());
  return records;
}

TEST(CsvReader, Fields) {
  EXPECT_EQ(read("a,b,c\r\n\n1, 2 ,\n"), (std::vector<Record>{{"a", "b", "c"}, {"1", "2", ""}}));
  EXPECT_EQ(read("\"a, b\", \"c\"\"d\" ,\"\",e"), (std::vector<Record>{{"a, b", "c\"d", "", "e"}}));
  EXPECT_EQ(read("\"two\nlines\",2\n3,4\n"),
            (std::vector<Record>{{"two\nlines", "2"}, {"3", "4"}}));
  EXPECT_TRUE(read("").empty());
}

TEST(CsvReader, BadQuotes) {
  EXPECT_THROW(read("\"a\n"), Error);
  EXPECT_THROW(read("\"a\"b,c\n"), Error);
  EXPECT_EQ(read("a\"b\",c\n"), (std::vector<Record>{{"a\"b\"", "c"}}));
}

TEST(CsvReader, SplitsALine) {
  std::vector<std::string_view> fields;
  std::string unquoted;
  EXPECT_TRUE(split_csv("a, \"b, c\" ,\"d\"\"e\"", fields, unquoted));
  EXPECT_EQ(fields, (std::vector<std::string_view>{"a", "b, c", "d\"e"}));
  EXPECT_FALSE(split_csv("a,\"b", fields, unquoted));
  EXPECT_FALSE(split_csv("x\",\"", fields, unquoted));
  EXPECT_FALSE(split_csv("\"a\"b", fields, unquoted));
  EXPECT_TRUE(split_csv("", fields, unquoted));
  EXPECT_EQ(fields.size(), 1U);
}

TEST(CsvReader, Places) {
  const MemoryFile file("a\n\n\"x\ny\"\nb\n");
  CsvReader reader(file.path());
  std::vector<std::string_view> fields;
  std::string places;
  while (reader.next(fields)) places += reader.place().substr(file.path().size());
  EXPECT_EQ(places, ":1:3:5");
}

TEST(CsvColumns, ByName) {
  const CsvColumns columns({"a", "b", "a"});
  EXPECT_EQ(columns.find("a"), 0U);
  EXPECT_EQ(columns.find("c"), std::nullopt);
  EXPECT_EQ(columns.need("b", "x:1"), 1U);
  EXPECT_THROW(columns.need("c", "x:1"), Error);
}

}  // namespace
}  // namespace aiflame
