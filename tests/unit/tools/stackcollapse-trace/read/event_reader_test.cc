// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/read/event_reader.h"

#include <gtest/gtest.h>

#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/memory/memory_file.h"

namespace aiflame::trace {
namespace {

struct Read {
  std::vector<Event> events;
  TraceFacts facts;
};

Read read(const std::string& json, bool shapes = false) {
  const MemoryFile file(json);
  Read out;
  out.facts = read_events(file.path(), {.shapes = shapes},
                          [&](const Event& event) { out.events.push_back(event); });
  return out;
}

TEST(EventReader, FieldsOfAnEvent) {
  const Read out = read(
      R"({"distributedInfo":{"rank":3},"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,)"
      R"("tid":"stream 7","ts":1.5,"dur":2,"args":{"correlation":305,"grid":[1,2],"x":{"dur":9}}}]})");
  ASSERT_EQ(out.events.size(), 1u);
  const Event& event = out.events[0];
  EXPECT_EQ(event.phase, 'X');
  EXPECT_EQ(event.category, "kernel");
  EXPECT_EQ(event.process, "0");
  EXPECT_EQ(event.thread, "stream 7");
  EXPECT_EQ(event.start, 1500);
  EXPECT_EQ(event.duration, 2000u);
  EXPECT_EQ(event.number(NumberArg::correlation), 305u);
  EXPECT_EQ(event.number(NumberArg::external_id), Event::kNone);
  EXPECT_EQ(out.facts.rank, "3");
}

TEST(EventReader, NothingIsLeftOfTheEventBefore) {
  const Read out = read(R"([{"ph":"X","name":"a","ts":1,"args":{"correlation":1}},{"ph":"M"}])");
  ASSERT_EQ(out.events.size(), 2u);
  EXPECT_EQ(out.events[1].name, "");
  EXPECT_FALSE(out.events[1].start);
  EXPECT_EQ(out.events[1].number(NumberArg::correlation), Event::kNone);
}

TEST(EventReader, NamesOfArgumentsOutsideOfArgumentsAreNone) {
  const Read out = read(
      R"({"args":{"correlation":1},"traceEvents":[{"correlation":2,"x":{"name":"n","ts":5}}],"ph":"X"})");
  ASSERT_EQ(out.events.size(), 1u);
  EXPECT_EQ(out.events[0].number(NumberArg::correlation), Event::kNone);
  EXPECT_EQ(out.events[0].name, "");
  EXPECT_FALSE(out.events[0].start);
}

TEST(EventReader, ShapesAreReadWhereTheyAreWanted) {
  const std::string json =
      R"([{"name":"aten::mm","args":{"Input Dims":[[64, 32],[],[[8]]],"Input type":["float","int"]}},)"
      R"({"name":"nccl:all_reduce","args":{"Input Dims":[[8]]}}])";
  const Read with = read(json, true), without = read(json);
  EXPECT_EQ(with.events[0].text(TextArg::shapes), "[[64,32],[],[[8]]]");
  EXPECT_EQ(with.events[0].text(TextArg::types), "float");
  EXPECT_EQ(without.events[0].text(TextArg::shapes), "");
  EXPECT_EQ(without.events[1].text(TextArg::shapes), "[[8]]");
}

TEST(EventReader, ACutInputKeepsItsWholeEvents) {
  EXPECT_EQ(read(R"([{"ph":"X"},{"ph":"X"},)").events.size(), 2u);
  EXPECT_EQ(read(R"({"traceEvents":[{"ph":"X"},{"ph":"X","args":{)").events.size(), 1u);
}

TEST(EventReader, WhatIsNoTraceIsAnError) {
  EXPECT_THROW(read(R"({"a":[{"ph":"X"}]})"), Error);
  EXPECT_THROW(read(R"({"a":{"traceEvents":[{"ph":"X"}]}})"), Error);
  EXPECT_THROW(read("5"), Error);
  EXPECT_THROW(read(""), Error);
}

}  // namespace
}  // namespace aiflame::trace
