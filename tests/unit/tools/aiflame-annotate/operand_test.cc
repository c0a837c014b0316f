// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/operand.h"

#include <gtest/gtest.h>

namespace aiflame::annotate {
namespace {

// The operand where `^` stands in the second line below the first.
std::string at(std::string_view line, std::string_view mark) {
  return operand_at(line, static_cast<uint32_t>(mark.find('^') + 1));
}

TEST(Operand, AnElementWithItsIndex) {
  const std::string_view line = "  sum += a[row * n + k] * b[k * n + col];";
  EXPECT_EQ(at(line, "         ^"), "a[row * n + k]");
  EXPECT_EQ(at(line, "                          ^"), "b[k * n + col]");
  EXPECT_EQ(at("x = m[i][ j[k ] ].y->z(1, 2);", "    ^"), "m[i][ j[k ] ].y->z(1, 2)");
}

TEST(Operand, AMemberWithItsHolder) {
  EXPECT_EQ(at("x = p->items[i];", "       ^"), "p->items[i]");
  EXPECT_EQ(at("x = f(a).rows[i].y;", "                 ^"), "f(a).rows[i].y");
  EXPECT_EQ(at("ns::f(x);", "^"), "ns::f(x)");
}

TEST(Operand, APointer) {
  EXPECT_EQ(at("x = *p;", "    ^"), "*p");
  EXPECT_EQ(at("x = y + *(p + 1);", "        ^"), "*(p + 1)");
  EXPECT_EQ(at("x = y * p;", "      ^"), "");
  EXPECT_EQ(at("x = y[1] * p;", "         ^"), "");
}

TEST(Operand, OperatorsNumbersAndKeywordsAreNone) {
  EXPECT_EQ(at("sum += a;", "    ^"), "");
  EXPECT_EQ(at("return a;", "^"), "");
  EXPECT_EQ(at("for (;;) {", "^"), "");
  EXPECT_EQ(at("x = 12;", "    ^"), "");
  EXPECT_EQ(operand_at("a", 0), "");
  EXPECT_EQ(operand_at("a", 2), "");
  EXPECT_EQ(operand_at("", 1), "");
  EXPECT_EQ(operand_at("*&*", 1), "");
}

TEST(Operand, WhatTheLineDoesNotCloseEndsWithIt) {
  EXPECT_EQ(at("x = a[i +", "    ^"), "a[i +");
  EXPECT_EQ(at("x = f(", "    ^"), "f(");
  EXPECT_EQ(at(")))).x", "     ^"), ")))).x");
}

TEST(Operand, LongOnesAreCutBetweenCharacters) {
  const std::string inside(58, 'i');
  EXPECT_EQ(operand_at("a[" + inside + "]", 1), "a[" + inside + "...");
  EXPECT_EQ(operand_at("a[" + inside.substr(1) + "\xc3\xa9]", 1), "a[" + inside.substr(1) + "...");
}

}  // namespace
}  // namespace aiflame::annotate
