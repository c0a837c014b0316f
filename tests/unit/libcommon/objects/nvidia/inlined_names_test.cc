// SPDX-License-Identifier: MIT
#include "libcommon/objects/nvidia/inlined_names.h"

#include <gtest/gtest.h>

#include <string>

namespace aiflame {
namespace {

using namespace std::string_literals;
using Bases = std::vector<std::optional<uint64_t>>;

LineTable uses(const std::vector<uint32_t>& names) {
  LineTable out;
  out.sequences.push_back({{{0, 1, 1, 0, 0}}, 0x10});
  for (const uint32_t name : names) out.sequences[0].rows.push_back({0, 1, 2, 1, name});
  return out;
}

// The strings of two objects, `ab` `cde` and `f` `ghi` `jk`, with their offsets.
const std::string kStrings = "ab\0cde\0f\0ghi\0jk\0"s;
constexpr uint32_t kCde = 3, kF = 7, kGhi = 9, kJk = 13;

TEST(InlinedNames, OneTableCountsFromItsStart) {
  EXPECT_EQ(inlined_name_bases({uses({kCde})}, kStrings), Bases{0});
  LineTable moved = uses({0});
  moved.names = kF;
  EXPECT_EQ(inlined_name_bases({moved}, kStrings), Bases{kF});
}

TEST(InlinedNames, FurtherTablesTakeTheStringsThatFollow) {
  EXPECT_EQ(inlined_name_bases({uses({0, kCde}), uses({0, kGhi - kF, kJk - kF})}, kStrings),
            (Bases{0, kF}));
  // a table without names takes no strings
  EXPECT_EQ(inlined_name_bases({uses({}), uses({0, kCde}), uses({0, 2, 6})}, kStrings),
            (Bases{std::nullopt, 0, kF}));
  // offsets that the linker wrote are used
  LineTable first = uses({0}), second = uses({0});
  second.names = kGhi;
  EXPECT_EQ(inlined_name_bases({first, second}, kStrings), (Bases{0, kGhi}));
}

TEST(InlinedNames, NoBaseWhereSeveralFit) {
  // `ab` or `cde`, and any one after it
  EXPECT_EQ(inlined_name_bases({uses({0}), uses({0})}, kStrings),
            (Bases{std::nullopt, std::nullopt}));
  // the second can only be the three at the end, the first is one of two
  EXPECT_EQ(inlined_name_bases({uses({0}), uses({0, 2, 6})}, kStrings), (Bases{std::nullopt, kF}));
  // no offset fits
  EXPECT_EQ(inlined_name_bases({uses({0, 1}), uses({0})}, kStrings),
            (Bases{std::nullopt, std::nullopt}));
  EXPECT_EQ(inlined_name_bases({uses({0}), uses({0})}, ""), (Bases{std::nullopt, std::nullopt}));
  EXPECT_EQ(inlined_name_bases({uses({0}), uses({4000000000})}, kStrings),
            (Bases{std::nullopt, std::nullopt}));
  EXPECT_TRUE(inlined_name_bases({}, kStrings).empty());
}

TEST(InlinedNames, DoesNotTryForEver) {
  std::string strings;
  std::vector<uint32_t> names;
  for (uint32_t i = 0; i < 200000; ++i) {
    strings += "a\0"s;
    names.push_back(2 * i);
  }
  names.push_back(400001);
  EXPECT_EQ(inlined_name_bases({uses(names), uses(names)}, strings),
            (Bases{std::nullopt, std::nullopt}));
}

}  // namespace
}  // namespace aiflame
