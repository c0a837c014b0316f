// SPDX-License-Identifier: MIT
#include "libcommon/folded/device_match.h"

#include <gtest/gtest.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

std::string frame(std::string_view text) {
  std::string buffer;
  return std::string(structure_of_frame(text, buffer));
}

std::string stack(std::string_view text) {
  std::string buffer;
  return std::string(structure_of_stack(text, buffer));
}

TEST(DeviceMatch, OffsetsAreNoPartOfAFrame) {
  EXPECT_EQ(frame("0x4f_[g]"), "");
  EXPECT_EQ(frame("0xFFFFFFFFFFFFFFFFF_[g]"), "");
  EXPECT_EQ(frame("waits for send.ugm at 0x70_[g]"), "waits for send.ugm_[g]");
  EXPECT_EQ(frame("waits for send.ugm at 0x70, matmul.cl:41_[g]"),
            "waits for send.ugm, matmul.cl:41_[g]");
  EXPECT_EQ(frame("waits for a at 0x1, m.cl:4 or b at 0x2 or b at 0x3 or a at 0x4, m.cl:4_[g]"),
            "waits for a, m.cl:4 or b or a, m.cl:4_[g]");
  EXPECT_EQ(frame("waits for a at 0x1 or b at 0x2 or others_[g]"),
            "waits for a or b or others_[g]");
}

TEST(DeviceMatch, WhatOnlyLooksLikeAnOffsetStays) {
  for (const char* text :
       {"0x4f", "0x4f_[G]", "0x_[g]", "0x4g_[g]", "x4f_[g]", "0x4f _[g]", "4f_[g]", "_[g]", "",
        "mad_[g]", "sbid_[g]", "matmul.cl:41_[G]", "waits for a at 0x70", "waits for _[g]",
        "waits for a at 0x_[g]", "waits for a at 0x7z_[g]", "waits for a at 0x7,b_[g]",
        "waits for a at b_[g]",

        "waits at 0x70_[g]"})
    EXPECT_EQ(frame(text), text);
}

TEST(DeviceMatch, LoopsWithoutALineAreAlike) {
  EXPECT_EQ(frame("loop at 0x40_[G]"), "loop_[G]");
  for (const char* text : {"loop at m.cl:4_[G]", "loop at 0x40_[g]", "loop at _[G]"})
    EXPECT_EQ(frame(text), text);
  EXPECT_EQ(stack("m;-;k_[G];loop at 0x40_[G];mad_[g];0x44_[g]"), "m;-;k_[G];loop_[G];mad_[g]");
}

TEST(DeviceMatch, StacksLoseTheirOffsets) {
  EXPECT_EQ(stack("m;main;-;m.cl_[G];k_[G];mulss_[g];0x4f_[g]"),
            "m;main;-;m.cl_[G];k_[G];mulss_[g]");
  EXPECT_EQ(stack("m;main;-;0x4f_[g]"), "m;main;-");
  EXPECT_EQ(stack("m;-;0x4f_[g];0x50_[g]"), "m;-");
  EXPECT_EQ(stack("-;k_[G];send_[g];sbid_[g];waits for load at 0x70_[g];0x90_[g]"),
            "-;k_[G];send_[g];sbid_[g];waits for load_[g]");
  // --gpu-frames=offset,mnemonic,kernel
  EXPECT_EQ(stack("m;-;0x4f_[g];mulss_[g];k_[G]"), "m;-;mulss_[g];k_[G]");
  EXPECT_EQ(stack("0x4f_[g];mulss_[g];0x4f_[g]"), "mulss_[g]");
}

TEST(DeviceMatch, ABeginningIsNoCopy) {
  const std::string_view text = "m;-;k_[G];mulss_[g];0x4f_[g]";
  std::string buffer;
  EXPECT_EQ(structure_of_stack(text, buffer).data(), text.data());
  EXPECT_EQ(buffer, "");
}

TEST(DeviceMatch, OtherStacksStay) {
  for (const char* text : {"", ";", ";;", "a", "a;0x4f", "m;0x7f2c9a3b1aaa;[unknown]", "m;read_[k]",
                           "-", "m;-", "0x4f_[g];-;main", "0x4f_[g]", "0x4f_[g];0x50_[g]",
                           "m;-;k_[G]", "waits for a at 0x70", "m;f_[g] ", "_[g]", "_[G];_[g]"})
    EXPECT_EQ(stack(text), text);
  // beyond the first frame that is of no device
  EXPECT_EQ(stack("0x4f_[g];-;0x50_[g]"), "0x4f_[g];-");
  EXPECT_EQ(stack(";0x50_[g]"), "");
  EXPECT_EQ(stack(";;0x50_[g]"), ";");
}

TEST(DeviceMatch, ByName) {
  EXPECT_EQ(parse_match("structure"), Match::structure);
  EXPECT_EQ(parse_match("offset"), Match::offset);
  for (const char* text : {"", "Offset", "struct", "offset "})
    EXPECT_THROW(parse_match(text), UsageError);
}

}  // namespace
}  // namespace aiflame
