// SPDX-License-Identifier: MIT
#include "libcommon/folded/stack_order.h"

#include <gtest/gtest.h>

namespace aiflame {
namespace {

using Found = StackOrder::Found;

TEST(StackOrder, IsBytewise) {
  StackOrder order;
  for (const char* stack : {"", "a", "a", "a b", "a;b", "aa", "b", "b\xc3\xa4", "b\xc3\xa9"})
    EXPECT_EQ(order.next(stack), Found::in_order) << stack;
  for (const char* stack : {"", "a", "b", "b\xc3\xa4"})
    EXPECT_EQ(order.next(stack), Found::out_of_order) << stack;
  EXPECT_EQ(order.last(), "b\xc3\xa9");
  EXPECT_EQ(order.next("c"), Found::in_order);
}

TEST(StackOrder, SeesWhatIsNotPrintableAfterACommonBeginning) {
  StackOrder order;
  EXPECT_EQ(order.next("a;b\xc3\xa4"), Found::in_order);
  EXPECT_EQ(order.next("a;b\xc3\xa4\x1b"), Found::not_printable);
  // one byte of a character is shared
  EXPECT_EQ(order.next("a;b\xc3x"), Found::out_of_order);
  EXPECT_EQ(order.next("a;b\xc3\xff"), Found::not_printable);
  EXPECT_EQ(order.last(), "a;b\xc3\xa4");
}

}  // namespace
}  // namespace aiflame
