// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/line_program.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

using namespace std::string_literals;

std::string number(size_t value, size_t bytes) {
  std::string out;
  for (size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i & 0xff);
  return out;
}

// A table as ptxas writes it: instructions of 1 byte, special opcodes from 10, lines -5 … 8.
std::string table(const std::string& program, const std::string& more_header = "",
                  size_t version = 2) {
  const std::string prologue =
      (version >= 4 ? "\1\1\1\xfb\x0e\x0a"s : "\1\1\xfb\x0e\x0a"s) + "\0\1\1\1\1\0\0\0\1"s +
      "/src\0\0"s + "a.cu\0\1\xa1\x94\x08\x87\x09"s + "b.cuh\0\0\0\0"s + "\0"s + more_header;
  const std::string unit = number(version, 2) + number(prologue.size(), 4) + prologue + program;
  return number(unit.size(), 4) + unit;
}

std::string address(size_t at) {
  return "\0\x09\x02"s + number(at, 8);
}

const std::string kEnd = "\0\1\1"s;

TEST(LineProgram, RowsOfEachKind) {
  const std::string program = address(0x100) +
                              "\4\2\3\x0e\1"s      // file 2, 14 lines on, a row
                              "\xf0"s              // 16 bytes and 1 line on, a row
                              "\2\x80\2\3\x7e\1"s  // 256 bytes on, 2 lines back, a row
                              "\x08\1\x09\x10\0\1"s +
                              kEnd;
  const std::string bytes = table(program);  // the names are views into them
  const auto tables = read_line_tables(bytes);
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].names, 0u);
  ASSERT_EQ(tables[0].files.size(), 2u);
  EXPECT_EQ(tables[0].directories[0], "/src");
  EXPECT_EQ(tables[0].files[0].name, "a.cu");
  EXPECT_EQ(tables[0].files[0].directory, 1u);
  EXPECT_EQ(tables[0].files[1].name, "b.cuh");
  ASSERT_EQ(tables[0].sequences.size(), 1u);
  const LineSequence& sequence = tables[0].sequences[0];
  // 0x8: as opcode 255 without a row, 17 bytes; 0x9: 16 bytes
  EXPECT_EQ(sequence.rows, (std::vector<LineRow>{{0x100, 2, 15, 0, 0},
                                                 {0x110, 2, 16, 0, 0},
                                                 {0x210, 2, 14, 0, 0},
                                                 {0x221, 2, 14, 0, 0},
                                                 {0x231, 2, 14, 0, 0}}));
  EXPECT_EQ(sequence.end, 0x231u);
}

TEST(LineProgram, InlinedFunctionsAndRowsThatDoNotCount) {
  const std::string program = address(0) +
                              "\1"s                    // row 1
                              "\3\0\1"s                // a repeated row
                              "\0\3\x90\1\x0c\3\4\1"s  // inlined at row 1
                              "\0\3\x90\0\0\3\x7c\2\x10\1"s +
                              kEnd;
  const auto tables = read_line_tables(table(program, number(7, 4)));
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].names, 7u);
  ASSERT_EQ(tables[0].sequences.size(), 1u);
  EXPECT_EQ(tables[0].sequences[0].rows,
            (std::vector<LineRow>{{0, 1, 1, 0, 0}, {0, 1, 5, 1, 12}, {0x10, 1, 1, 0, 0}}));
}

TEST(LineProgram, SequencesAreApart) {
  const std::string program =
      address(0x100) + "\0\3\x90\1\2\1"s + kEnd + address(0x80) + "\1"s + kEnd;
  const auto tables =
      read_line_tables(table(program) + table(address(0x300) + "\1"s + kEnd, "", 4));
  ASSERT_EQ(tables.size(), 2u);
  ASSERT_EQ(tables[0].sequences.size(), 2u);
  EXPECT_EQ(tables[0].sequences[1].rows[0], (LineRow{0x80, 1, 1, 0, 0}));
  ASSERT_EQ(tables[1].sequences.size(), 1u);
  EXPECT_EQ(tables[1].sequences[0].rows[0].address, 0x300u);
}

TEST(LineProgram, WhatIsDamagedIsLeftOut) {
  const std::string good = address(0x100) + "\1"s + kEnd;
  const auto sequences = [](const std::string& bytes) {
    size_t out = 0;
    for (const LineTable& each : read_line_tables(bytes)) out += each.sequences.size();
    return out;
  };
  EXPECT_EQ(sequences(table(good)), 1u);
  EXPECT_EQ(sequences(table(good + address(0x200) + "\1"s)), 1u);  // no end
  EXPECT_EQ(sequences(table(good + address(0x200) + "\1"s + address(0x100) + "\1"s + kEnd)), 1u);
  EXPECT_EQ(sequences(table(good, "", 5) + table(good)), 1u);
  EXPECT_EQ(sequences(table(good).substr(0, table(good).size() - 1)), 0u);
  EXPECT_EQ(sequences("\xff\xff\xff\xff"s + table(good)), 0u);
  EXPECT_EQ(sequences(number(0, 4) + table(good)), 0u);
  const std::string whole = table(good) + table(good + good, number(9, 4));
  for (size_t size = 0; size < whole.size(); ++size) sequences(whole.substr(0, size));
  for (size_t i = 0; i < whole.size(); ++i)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = whole;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      sequences(damaged);
    }
}

}  // namespace
}  // namespace aiflame
