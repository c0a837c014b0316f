// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/server_events.h"

#include <gtest/gtest.h>

namespace aiflame::trace {
namespace {

using Kind = ServerEvent::Kind;

struct Expected {
  const char* text;
  Kind kind;
  Phase phase;
  const char* name;
  const char* bucket;
};

// The names that vLLM writes: version 1, then those before it.
TEST(ServerEvents, Names) {
  for (const Expected& one : {
           Expected{"warmup", Kind::warm_up, Phase::unknown, "warmup", ""},
           {"prefill", Kind::phase, Phase::prefill, "prefill", ""},
           {"decode", Kind::phase, Phase::decode, "decode", ""},
           {"model_forward_bs4_seq128_ctx0_graphsT", Kind::model, Phase::prefill, "model_forward",
            "batch 4, sequence 128, context 0 blocks, graphs on"},
           {"model_forward_bs8_seq1_ctx64_graphsF", Kind::model, Phase::decode, "model_forward",
            "batch 8, sequence 1, context 64 blocks, graphs off"},
           {"compute_logits4_seq128_ctx0", Kind::other, Phase::unknown, "compute_logits", ""},
           {"GRAPH COMPILE: graph_7", Kind::compile, Phase::unknown, "graph_7", ""},
           {"sampler", Kind::other, Phase::unknown, "sampler", ""},
           {"prompt", Kind::phase, Phase::prefill, "prompt", ""},
           {"warmup_decode_bs2_seq1_ctx8_multimodalF_graphsT", Kind::model, Phase::decode,
            "warmup_decode", "batch 2, sequence 1, context 8 blocks, graphs on"},
           {"model_prompt_bs2_seq128_graphsT", Kind::model, Phase::prefill, "model_prompt",
            "batch 2, sequence 128, graphs on"},
           {"sample_decode_bs2_seq1_ctx8", Kind::other, Phase::decode, "sample_decode", ""},
           // what looks like one of them
           {"model_forward_bs_seq128", Kind::other, Phase::unknown, "model_forward_bs_seq128", ""},
           {"layer3_norm", Kind::other, Phase::unknown, "layer3_norm", ""},
           {"", Kind::other, Phase::unknown, "", ""},
       }) {
    const ServerEvent event = parse_server_event(one.text);
    EXPECT_EQ(event.kind, one.kind) << one.text;
    EXPECT_EQ(event.phase, one.phase) << one.text;
    EXPECT_EQ(event.name, one.name) << one.text;
    EXPECT_EQ(event.bucket, one.bucket) << one.text;
  }
}

Event counter() {
  Event event;
  event.clear();
  event.phase = 'C';
  event.name = "utils";
  event.start = 1000;
  return event;
}

TEST(ServerEvents, BatchesOfPrompts) {
  Event event = counter();
  event.number(NumberArg::prompt_bucket_batch) = 4;
  event.number(NumberArg::prompt_bucket_sequence) = 128;
  event.text(TextArg::prompt_utilization) = "0.37109375";
  const auto batch = parse_batch(event);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->phase, Phase::prefill);
  EXPECT_EQ(batch->tokens, 190u);
  EXPECT_EQ(batch->bucket_tokens, 512u);
  for (const char* wrong : {"", "x", "1.5", "-1", "nan", "0.5x"}) {
    event.text(TextArg::prompt_utilization) = wrong;
    EXPECT_FALSE(parse_batch(event)) << wrong;
  }
}

TEST(ServerEvents, BatchesOfDecodes) {
  Event event = counter();
  EXPECT_FALSE(parse_batch(event));
  event.number(NumberArg::decode_batch) = 6;
  EXPECT_FALSE(parse_batch(event));
  event.number(NumberArg::decode_bucket_batch) = 8;
  const auto batch = parse_batch(event);
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->phase, Phase::decode);
  EXPECT_EQ(batch->tokens, 6u);
  EXPECT_EQ(batch->bucket_tokens, 8u);
  event.number(NumberArg::decode_batch) = 9;
  EXPECT_EQ(parse_batch(event)->tokens, 8u);
  event.name = "other";
  EXPECT_FALSE(parse_batch(event));
}

}  // namespace
}  // namespace aiflame::trace
