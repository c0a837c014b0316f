// SPDX-License-Identifier: MIT
#include "tools/aiflame-export/push_target.h"

#include <gtest/gtest.h>

namespace aiflame::exporter {
namespace {

ExportSettings settings(Door door) {
  ExportSettings out;
  out.service = "train/x";
  out.push.emplace();
  out.push->door = door;
  out.push->series = {{"rank", "3"}, {"zone", "eu 1&\xc3\xa4"}};
  out.taken.start = 1700000000500000000;
  out.taken.duration = 1000000000;
  return out;
}

TEST(PushTarget, PyroscopeHasNameLabelsAndTimesInTheQuery) {
  const PushTarget target = push_target(settings(Door::pyroscope));
  EXPECT_EQ(target.path,
            "/ingest?name=train%2Fx%7Brank%3D3%2Czone%3Deu%201%26%C3%A4%7D"
            "&from=1700000000&until=1700000002&format=pprof&spyName=aiflame");
  EXPECT_EQ(target.encoding, "");
}

TEST(PushTarget, OthersHaveThemInTheBody) {
  EXPECT_EQ(push_target(settings(Door::parca)).path, "/profiles/writeraw");
  EXPECT_EQ(push_target(settings(Door::parca)).type, "application/json");
  EXPECT_EQ(push_target(settings(Door::otlp)).path, "/v1development/profiles");
  EXPECT_EQ(push_target(settings(Door::otlp)).encoding, "gzip");
}

}  // namespace
}  // namespace aiflame::exporter
