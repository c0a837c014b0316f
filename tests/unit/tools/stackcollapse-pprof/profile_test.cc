// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <protozero/pbf_writer.hpp>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-pprof/sample_types.h"

namespace aiflame::pprof {
namespace {

TEST(IdTable, IdsInOrderAndOthers) {
  IdTable ids;
  EXPECT_EQ(ids.number(0), IdTable::kNone);
  for (const uint64_t id : {uint64_t{1}, uint64_t{2}, uint64_t{7}, UINT64_MAX, uint64_t{3}})
    EXPECT_TRUE(ids.add(id));
  EXPECT_FALSE(ids.add(2));
  EXPECT_FALSE(ids.add(7));
  EXPECT_EQ(ids.number(1), 0U);
  EXPECT_EQ(ids.number(2), 1U);
  EXPECT_EQ(ids.number(7), 2U);
  EXPECT_EQ(ids.number(UINT64_MAX), 3U);
  EXPECT_EQ(ids.number(3), 4U);
  EXPECT_EQ(ids.number(4), IdTable::kNone);
}

// A profile with one sample type and a period.
std::string profile(const std::string& type, const std::string& unit,
                    const std::string& period_unit) {
  std::string out;
  protozero::pbf_writer writer(out);
  const auto value_type = [&](uint32_t field, uint64_t its_type, uint64_t its_unit) {
    protozero::pbf_writer inner(writer, field);
    inner.add_int64(1, static_cast<int64_t>(its_type));
    inner.add_int64(2, static_cast<int64_t>(its_unit));
  };
  value_type(1, 1, 2);
  value_type(11, 1, 3);
  writer.add_int64(12, 5);
  for (const std::string& text : {std::string(), type, unit, period_unit})
    writer.add_string(6, text);
  return out;
}

std::string line(const std::string& type, const std::string& unit, const std::string& period_unit) {
  const std::string message = profile(type, unit, period_unit);
  return quantity_line(choose_sample_type(Profile(message, "x"), "").quantity);
}

TEST(SampleTypes, Units) {
  EXPECT_EQ(line("samples", "count", "nanoseconds"),
            "# aiflame: event samples, unit samples, period 5 ns\n");
  EXPECT_EQ(line("cpu", "milliseconds", "milliseconds"),
            "# aiflame: event cpu, unit ns, period 5000000 ns\n");
  EXPECT_EQ(line("alloc_objects", "count", "bytes"),
            "# aiflame: event alloc_objects, unit objects\n");
  EXPECT_EQ(line("inuse_space", "bytes", "bytes"),
            "# aiflame: event inuse_space, unit bytes, period 5 bytes\n");
  EXPECT_EQ(line("contentions", "count", "count"),
            "# aiflame: event contentions, unit contentions\n");
  // what cannot stand in such a line
  EXPECT_EQ(line("x", "two words", ""), "# aiflame: event x, unit events\n");
  EXPECT_EQ(line("x", "u64", ""), "# aiflame: event x, unit events\n");
}

TEST(Profile, FieldsOfAWrongFormArePassedOver) {
  std::string message = profile("samples", "count", "count");
  protozero::pbf_writer writer(message);
  writer.add_int64(1, 7);            // a sample type as a number
  writer.add_fixed32(2, 7);          // a sample
  writer.add_string(1000, "later");  // a field of a later version
  const Profile read(message, "x");
  EXPECT_EQ(read.sample_types().size(), 1U);
  read.read_samples([](uint64_t, const Sample&) { FAIL(); });
}

TEST(Profile, CutMessagesAreErrors) {
  const std::string message = profile("samples", "count", "count");
  for (size_t size = 0; size < message.size(); ++size) {
    try {
      // a cut between two fields cannot be seen: then texts are missing
      const Profile read(std::string_view(message).substr(0, size), "x");
      choose_sample_type(read, "");
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("x: "));
    }
  }
}

}  // namespace
}  // namespace aiflame::pprof
