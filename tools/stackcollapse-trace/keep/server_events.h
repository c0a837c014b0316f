// SPDX-License-Identifier: MIT
// What the server of vLLM for Gaudi writes of itself (pure): server_events_*.json with
// VLLM_PROFILER_ENABLED, or the same events within a trace of PyTorch. A list that is never closed;
// events have no category. Written from vLLM's source (vllm_gaudi/extension/profiler.py), not tried
// on a genuine file.
//
//   [{"pid":9,"tid":3,"ph":"X","name":"warmup","ts":1759330000000000.0,"dur":9000.0,"args":null},
//   {"pid":9,"tid":3,"ph":"X","name":"model_forward_bs4_seq128_ctx0_graphsT","ts":1759330000010002.0,
//    "dur":300.25,"args":null},
//   {"pid":9,"tid":3,"ph":"X","name":"prefill","ts":1759330000010001.0,"dur":400.5,"args":null},
//   {"pid":9,"tid":1,"ph":"C","name":"utils","ts":1759330000010000.75,"args":
//    {"prompt_bucket_batch_size":4,"prompt_batch_size":3,"prompt_bucket_seq_len":128,
//    "prompt_batch_token_utilization":0.5}},
//
// A graph is compiled for each bucket: the size to which a batch is filled up.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "tools/stackcollapse-trace/read/event.h"

namespace aiflame::trace {

enum class Phase : uint8_t { unknown, prefill, decode };

struct ServerEvent {
  enum class Kind : uint8_t {
    other,
    warm_up,  // all of it: "warmup"
    phase,    // a batch: "prefill", "prompt", "decode"
    model,    // of a bucket
    compile,  // of a graph: "GRAPH COMPILE: recipe"
  };
  Kind kind = Kind::other;
  Phase phase = Phase::unknown;
  // Without the bucket: "model_forward", "compute_logits"; of a compilation, the recipe.
  std::string_view name;
  // "batch 4, sequence 128, context 0 blocks, graphs on"; empty: it names none
  std::string bucket;
};

ServerEvent parse_server_event(std::string_view name);
// Whether nobody else has events of this name.
bool is_server_event(std::string_view name);

// The tokens of a batch, and those of the bucket that it was filled up to.
struct Batch {
  int64_t time = 0;  // when its event begins, or just before
  Phase phase = Phase::unknown;
  uint64_t tokens = 0, bucket_tokens = 0;
};

// The batch that a counter says something of, or nothing.
std::optional<Batch> parse_batch(const Event& event);

}  // namespace aiflame::trace
