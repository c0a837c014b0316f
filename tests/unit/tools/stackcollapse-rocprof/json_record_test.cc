// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/json_record.h"

#include <gtest/gtest.h>

namespace aiflame::rocprof {
namespace {

// As the stream has it: key by key, with the object around it.
void set(JsonRecord& record, const char* around, const char* key, uint64_t number) {
  record.set_number(key_of(around).key, key_of(key), number);
}

TEST(RocprofJsonRecord, HandlesBelongToTheObjectAroundThem) {
  JsonRecord record;
  set(record, "agent_id", "handle", 1);
  set(record, "queue_id", "handle", 2);
  set(record, "stream_id", "handle", 3);
  set(record, "src_agent_id", "handle", 4);
  set(record, "correlation_id", "internal", 5);
  set(record, "other", "internal", 6);
  EXPECT_EQ(record.agent, 1u);
  EXPECT_EQ(record.queue, 2u);
  EXPECT_EQ(record.stream, 3u);
  EXPECT_EQ(record.correlation, 5u);
  set(record, "corr_id", "internal", 7);
  EXPECT_EQ(record.correlation, 7u);
}

TEST(RocprofJsonRecord, AStallIsExposedIfNoPipeMovedOn) {
  JsonRecord record;
  EXPECT_FALSE(record.is_exposed());  // the file does not tell
  set(record, "snapshot", "arb_state_issue_valu", 0);
  set(record, "snapshot", "arb_state_issue_lds", 1);
  set(record, "snapshot", "arb_state_stall_valu", 0);
  EXPECT_FALSE(record.is_exposed());
  set(record, "snapshot", "arb_state_stall_lds", 1);
  EXPECT_TRUE(record.is_exposed());
  set(record, "snapshot", "arb_state_issue_of_tomorrow", 1);
  EXPECT_FALSE(record.is_exposed());
}

TEST(RocprofJsonRecord, NumbersOfReasons) {
  JsonRecord record;
  set(record, "snapshot", "stall_reason", 3);
  EXPECT_EQ(record.reason, "waitcnt");
  set(record, "snapshot", "stall_reason", 77);
  EXPECT_EQ(record.reason, "77");
}

TEST(RocprofJsonRecord, ClearForgetsAll) {
  JsonRecord record;
  set(record, "", "inst_index", 4);
  set(record, "", "dispatch_id", 4);
  record.set_text(Key::kernel_name, "a");
  record.clear();
  EXPECT_EQ(record.inst_index, -1);
  EXPECT_EQ(record.dispatch, 0u);
  EXPECT_EQ(record.name, "");
}

}  // namespace
}  // namespace aiflame::rocprof
