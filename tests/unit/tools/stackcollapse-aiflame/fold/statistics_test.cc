// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/fold/statistics.h"

#include <gtest/gtest.h>

namespace aiflame::collapse {
namespace {

TEST(Statistics, LineAndJson) {
  Statistics it;
  it.drawn = "gpu-stall";
  it.device["gpu-stall"] = {.samples = 10, .exact = 6, .apportioned = 3, .unattributed = 1};
  it.device["gpu-clock"] = {.samples = 4, .exact = 4, .apportioned = 0, .unattributed = 0};
  it.cpu["cycles"] = 7;
  it.lost = 2;
  it.lost_unknown = true;
  it.lost_launches = 1;
  EXPECT_EQ(it.line(),
            "gpu-stall: 10 samples: 6 exact, 3 apportioned, 1 unattributed, 2 lost and more, "
            "1 launches lost; not drawn: 4 gpu-clock, 7 cycles");
  it.busy_measured = true;
  it.busy = 500000000;
  it.recorded = 2000000000;
  it.devices[0] = {500000000, 2000000000, 1, true};
  it.cpu_drawn = true;
  it.cpu_event = "cycles";
  EXPECT_EQ(it.line(),
            "gpu-stall: 10 samples: 6 exact, 3 apportioned, 1 unattributed, 2 lost and more, "
            "1 launches lost; device busy 0.500 s of 2.000 s (25.0 %); not drawn: 4 gpu-clock");
  const std::string unnamed =
      ",\"unnamed\":{\"no_object\":0,\"unreadable\":0,\"no_disassembler\":0,\"unknown_device\":0,"
      "\"gave_up\":0,\"undecodable\":0}";
  EXPECT_EQ(it.json(),
            "{\"event\":\"gpu-stall\",\"unit\":null,\"device\":{"
            "\"gpu-clock\":{\"samples\":4,\"exact\":4,\"apportioned\":0,\"apportioned_by_number\":"
            "0,\"presumed\":0,\"unattributed\":0,"
            "\"filtered\":0" +
                unnamed +
                "},"
                "\"gpu-stall\":{\"samples\":10,\"exact\":6,\"apportioned\":3,\"apportioned_by_"
                "number\":0,\"presumed\":0,\"unattributed\":1,"
                "\"filtered\":0" +
                unnamed +
                "}},"
                "\"cpu\":{\"cycles\":7},\"cpu_drawn\":true,\"cpu_filtered\":0,\"lost\":2,\"lost_"
                "unknown\":true,"
                "\"launches\":0,\"lost_launches\":1,\"lost_launches_unknown\":false,"
                "\"busy_seconds\":0.500000000,\"recorded_seconds\":2.000000000,"
                "\"devices\":[{\"device\":0,\"busy_seconds\":0.500000000,"
                "\"recorded_seconds\":2.000000000,\"processes\":1}]}\n");
}

TEST(Statistics, OfACpuEventBesideADevice) {
  Statistics it;
  it.drawn = it.cpu_event = "cpu-clock";
  it.device["gpu-stall"] = {.samples = 68, .exact = 68, .apportioned = 0, .unattributed = 0};
  it.cpu["cpu-clock"] = 2;
  it.chosen = true;
  EXPECT_EQ(it.line(), "cpu-clock: 2 samples; not drawn: 68 gpu-stall");
  it.lost = 4;
  it.lost_launches_unknown = true;
  it.filtering = true;
  it.cpu_filtered = 1;
  EXPECT_EQ(it.line(),
            "cpu-clock: 1 of 2 samples filtered out; 4 device samples lost; 0 and more launches "
            "lost; not drawn: 68 gpu-stall");
}

TEST(Statistics, EachDeviceIsBusyForItself) {
  constexpr uint64_t kSecond = 1000000000;
  Statistics it;
  EXPECT_EQ(it.busy_line(), "");
  it.devices[0] = {kSecond / 2, kSecond, 1, true};
  EXPECT_EQ(it.busy_line(), "; device busy 0.500 s of 1.000 s (50.0 %)");
  // never more than all of the time
  it.devices[0] = {1741 * kSecond / 1000, kSecond, 2, true};
  EXPECT_EQ(it.busy_line(),
            "; device busy 1.741 s of 1.000 s (87.0 % each of 2 processes that share it)");
  it.devices[0].processes = 1;
  EXPECT_EQ(it.busy_line(), "; device busy 1.741 s of 1.000 s (its launches overlap)");
  it.devices[0] = {kSecond / 2, kSecond, 1, true};
  it.devices[3] = {kSecond / 4, kSecond, 1, true};
  it.devices[4] = {0, kSecond, 0, false};
  EXPECT_EQ(
      it.busy_line(),
      "; device 0 busy 0.500 s of 1.000 s (50.0 %), device 3 busy 0.250 s of 1.000 s (25.0 %)");
  for (uint64_t index = 10; index < 20; ++index) it.devices[index] = it.devices[0];
  EXPECT_TRUE(it.busy_line().ends_with(", 4 more devices")) << it.busy_line();
}

TEST(Statistics, JsonIsUtf8WhateverAnEventIsCalled) {
  Statistics it;
  it.cpu["a\"\\\x01"] = 1;
  it.cpu["\xc3\xa9"] = 2;      // UTF-8
  it.cpu["\xe9"] = 3;          // Latin-1
  it.cpu["\xed\xa0\x80"] = 4;  // half of a surrogate pair
  EXPECT_EQ(it.json().substr(0, it.json().find(",\"cpu_drawn")),
            "{\"event\":\"\",\"unit\":null,\"device\":{},\"cpu\":{\"a\\\"\\\\\\u0001\":1,"
            "\"\xc3\xa9\":2,\"\\u00e9\":3,"
            "\"\\u00ed\\u00a0\\u0080\":4}");
}

TEST(Statistics, InstructionsWithoutAName) {
  Statistics it;
  it.drawn = "gpu-stall";
  EventCounts& counts =
      it.device["gpu-stall"] = {.samples = 10, .exact = 10, .apportioned = 0, .unattributed = 0};
  counts.unnamed[static_cast<size_t>(Unnamed::no)] = 4;
  EXPECT_EQ(it.line().find("unnamed"), std::string::npos);
  counts.unnamed[static_cast<size_t>(Unnamed::no_disassembler)] = 5;
  counts.unnamed[static_cast<size_t>(Unnamed::undecodable)] = 1;
  EXPECT_EQ(it.line(),
            "gpu-stall: 10 samples: 10 exact, 0 apportioned, 0 unattributed, 0 lost; "
            "6 of unnamed instructions (5 no disassembler, 1 not decodable)");
  EXPECT_NE(it.json().find("\"unnamed\":{\"no_object\":0,\"unreadable\":0,\"no_disassembler\":5,"
                           "\"unknown_device\":0,\"gave_up\":0,\"undecodable\":1}}"),
            std::string::npos);
}

TEST(Statistics, WhatWasFilteredOut) {
  Statistics it;
  it.drawn = "gpu-clock";
  it.device["gpu-clock"] = {
      .samples = 10, .exact = 3, .apportioned = 0, .unattributed = 0, .filtered = 7};
  it.cpu["cycles"] = 20;
  it.cpu["faults"] = 1;
  it.cpu_event = "cycles";
  it.cpu_filtered = 5;
  EXPECT_EQ(it.line(),
            "gpu-clock: 10 samples: 3 exact, 0 apportioned, 0 unattributed, 0 lost; "
            "not drawn: 20 cycles, 1 faults");
  it.filtering = it.cpu_drawn = true;
  EXPECT_EQ(
      it.line(),
      "gpu-clock: 10 samples: 3 exact, 0 apportioned, 0 unattributed, 0 lost, 7 filtered out; "
      "cycles: 5 of 20 samples filtered out; not drawn: 1 faults");
  it.incomplete = 2;
  EXPECT_EQ(it.filter_line(),
            "5 of 20 samples filtered out, 2 of them for not telling their process or time");
  it.drawn = "gpu-time";
  it.device["gpu-time"] = {.samples = 5000000000,
                           .exact = 3000000000,
                           .apportioned = 0,
                           .unattributed = 0,
                           .filtered = 2000000000};
  it.cpu_drawn = false;
  EXPECT_TRUE(it.line().starts_with(
      "gpu-time: 5.000000000 s of 0 launches, 0 launches lost, 2.000000000 s filtered out"));
}

TEST(Statistics, GuessesAreClassesOfTheirOwn) {
  Statistics it;
  it.drawn = "gpu-stall";
  it.device["gpu-stall"] = {.samples = 20,
                            .exact = 1,
                            .apportioned = 9,
                            .presumed = 7,
                            .unattributed = 3,
                            .by_number = 4};
  EXPECT_EQ(it.line(),
            "gpu-stall: 20 samples: 1 exact, 9 apportioned (4 by number of launches), 7 presumed, "
            "3 unattributed, 0 lost");
}

}  // namespace
}  // namespace aiflame::collapse
