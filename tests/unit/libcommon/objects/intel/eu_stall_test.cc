// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/eu_stall.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "libcommon/code/stall_reasons.h"
#include "tests/fakes/xe/eu_stall_bits.h"

namespace aiflame {
namespace {

using Fields = std::map<std::string, uint64_t>;
using Bytes = std::vector<unsigned char>;

constexpr std::pair<EuStallLayout, const char*> kLayouts[] = {
    {EuStallLayout::pvc, "pvc"}, {EuStallLayout::xe2, "xe2"}, {EuStallLayout::xe3p, "xe3p"}};

Bytes padded(Bytes bytes) {
  bytes.resize(kEuStallRecordBytes);
  return bytes;
}

// The fields of a record by name, counts of 0 included.
Fields decoded(EuStallLayout layout, const Bytes& record) {
  const EuStallRecord out = decode_eu_stall(layout, record.data());
  Fields fields{{"ip", out.address / 8}};
  EXPECT_EQ(out.address % 8, 0u);
  const auto reasons = eu_stall_reasons(layout);
  for (size_t i = 0; i < reasons.size(); ++i) fields[reasons[i]] = out.counts[i];
  for (size_t i = reasons.size(); i < kMaxEuStallReasons; ++i) EXPECT_EQ(out.counts[i], 0);
  return fields;
}

// The bytes that gcc makes of the kernel's structures (bit-fields) with these values.
const Bytes kXe2 = padded({0xcf, 0x8a, 0x46, 0x22, 0x40, 0x60, 0x80, 0xa0, 0xc0, 0xe0, 0x00, 0x21,
                           0x41, 0x01, 0x01, 0x00});
const Bytes kPvc = padded({0xcf, 0x8a, 0x46, 0x22, 0x40, 0x60, 0x80, 0xa0, 0xc0, 0xe0, 0x00, 0x21,
                           0x01, 0x00, 0x00, 0x00});
const Bytes kXe3p =
    padded({0x78, 0x35, 0xf1, 0xac, 0x68, 0x24, 0x00, 0x20, 0x40, 0x60, 0x80, 0xa0,
            0xc0, 0xe0, 0x00, 0x21, 0x41, 0x01, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00});

const Fields kXe2Fields{{"ip", 0x12345678 / 8}, {"tdr", 1},       {"other", 2},
                        {"control", 3},         {"pipestall", 4}, {"send", 5},
                        {"dist_acc", 6},        {"sbid", 7},      {"sync", 8},
                        {"inst_fetch", 9},      {"active", 10}};

TEST(EuStall, KnownRecords) {
  EXPECT_EQ(decoded(EuStallLayout::xe2, kXe2), kXe2Fields);
  EXPECT_EQ(decoded(EuStallLayout::pvc, kPvc), (Fields{{"ip", 0x12345678 / 8},
                                                       {"active", 1},
                                                       {"other", 2},
                                                       {"control", 3},
                                                       {"pipestall", 4},
                                                       {"send", 5},
                                                       {"dist_acc", 6},
                                                       {"sbid", 7},
                                                       {"sync", 8},
                                                       {"inst_fetch", 9}}));
  Fields xe3p = kXe2Fields;
  xe3p["ip"] = 0x123456789abc0 / 8;
  EXPECT_EQ(decoded(EuStallLayout::xe3p, kXe3p), xe3p);
}

TEST(EuStall, TheTestsOwnEncoderMakesTheKnownRecords) {
  Fields fields = kXe2Fields;
  fields["end_flag"] = 1;
  EXPECT_EQ(eu_stall_bits::encode("xe2", 64, fields), kXe2);
  fields["ip"] = 0x123456789abc0 / 8;
  EXPECT_EQ(eu_stall_bits::encode("xe3p", 64, fields), kXe3p);
}

TEST(EuStall, RandomRecordsOfEachLayout) {
  std::mt19937_64 random(20250611);  // NOLINT(cert-msc32-c): the same records each time
  for (const auto& [layout, name] : kLayouts) {
    for (int i = 0; i < 20000; ++i) {
      Fields fields, visible;
      for (const auto& [field, bits] : eu_stall_bits::format_of(name)) {
        const int width = bits.last - bits.first + 1;
        // all ones and zero, since a wrong shift would spill them into the neighbours
        uint64_t value = random() >> (64 - width);
        if (random() % 4 == 0) value = random() % 2 == 0 ? 0 : ~uint64_t{0} >> (64 - width);
        fields[field] = value;
        if (field != "ex_id" && field != "end_flag") visible[field] = value;
      }
      ASSERT_EQ(decoded(layout, eu_stall_bits::encode(name, 64, fields)), visible) << name << i;
    }
  }
}

TEST(EuStall, BytesAfterTheCountersChangeNothing) {
  for (const auto& [layout, name] : kLayouts) {
    Bytes record = eu_stall_bits::encode(name, 64, kXe2Fields);
    const Fields before = decoded(layout, record);
    for (size_t i = 24; i < record.size(); ++i) record[i] = 0xff;
    EXPECT_EQ(decoded(layout, record), before) << name;
  }
}

TEST(EuStall, LayoutsOfGraphicsVersions) {
  EXPECT_EQ(eu_stall_layout(0, 0), EuStallLayout::pvc);
  EXPECT_EQ(eu_stall_layout(12, 60), EuStallLayout::pvc);
  EXPECT_EQ(eu_stall_layout(12, 61), EuStallLayout::pvc);
  EXPECT_EQ(eu_stall_layout(12, 55), std::nullopt);  // Arc A-series
  EXPECT_EQ(eu_stall_layout(12, 74), std::nullopt);
  EXPECT_EQ(eu_stall_layout(20, 1), EuStallLayout::xe2);
  EXPECT_EQ(eu_stall_layout(30, 0), EuStallLayout::xe2);
  EXPECT_EQ(eu_stall_layout(34, 99), EuStallLayout::xe2);
  EXPECT_EQ(eu_stall_layout(35, 0), EuStallLayout::xe3p);
}

TEST(EuStall, EachReasonIsExplained) {
  for (const auto& [layout, name] : kLayouts)
    for (const char* reason : eu_stall_reasons(layout)) {
      const StallReason* known = find_stall_reason(reason);
      ASSERT_NE(known, nullptr) << reason;
      EXPECT_STREQ(known->vendor, "Intel");
    }
}

using Sum = std::vector<std::tuple<uint64_t, std::string, uint64_t>>;

Sum taken(EuStallTally& tally) {
  Sum sum;
  tally.take([&](uint64_t address, const char* reason, uint64_t count) {
    sum.emplace_back(address, reason, count);
  });
  return sum;
}

TEST(EuStallTally, AddsUpByInstructionAndReason) {
  EuStallTally tally(EuStallLayout::xe2);
  Bytes records;
  const auto add = [&](const Fields& fields) {
    const Bytes one = eu_stall_bits::encode("xe2", 64, fields);
    records.insert(records.end(), one.begin(), one.end());
  };
  add({{"ip", 0x200}, {"sbid", 255}, {"active", 1}});
  add({{"ip", 0x100}, {"send", 3}});
  add({});
  add({{"ip", 0x300}, {"end_flag", 1}});
  add({{"ip", 0x200}, {"sbid", 255}});
  tally.add(records, 64);
  EXPECT_EQ(taken(tally), (Sum{{0x800, "send", 3}, {0x1000, "sbid", 510}, {0x1000, "active", 1}}));
  EXPECT_TRUE(taken(tally).empty());
}

TEST(EuStallTally, RecordsOfAnotherSizeAndARest) {
  EuStallTally tally(EuStallLayout::pvc);
  Bytes records = eu_stall_bits::encode("pvc", 128, {{"ip", 1}, {"sync", 7}});
  const Bytes second = eu_stall_bits::encode("pvc", 128, {{"ip", 2}, {"sync", 9}});
  records.insert(records.end(), second.begin(), second.end());
  records.resize(records.size() + 100, 0xff);
  tally.add(records, 128);
  EXPECT_EQ(taken(tally), (Sum{{8, "sync", 7}, {16, "sync", 9}}));
  tally.add({}, 64);
  EXPECT_TRUE(taken(tally).empty());
}

}  // namespace
}  // namespace aiflame
