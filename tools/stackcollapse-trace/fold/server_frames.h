// SPDX-License-Identifier: MIT
// The stacks of what vLLM's server for Gaudi did (keep/server_events.h):
//
//   warm-up;prefill;batch 4, sequence 128, context 0 blocks, graphs on;model_forward_[r]
//   serving;decode;batch 8, sequence 1, context 64 blocks, graphs on;[padding]
//   serving;prefill;batch 1, sequence 300, …;model_forward_[r];[recompilation] batch 1,
//   …;RECIPE_[m]
//
// A batch is an event that stands on no other one but the warm-up. Its phase and bucket are those
// of the first event on it that names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "libcommon/import/imported_stacks.h"
#include "tools/stackcollapse-trace/join/nesting.h"
#include "tools/stackcollapse-trace/keep/server_events.h"
#include "tools/stackcollapse-trace/keep/trace.h"

namespace aiflame::trace {

class ServerFrames {
 public:
  // The slices of `trace` are nested spans. Whether they are the server's:
  static bool fits(const Trace& trace);
  ServerFrames(const Trace& trace, ImportedStacks& stacks);

  // The stack of a slice.
  uint32_t stack(uint32_t slice) const { return stacks_of_[slice]; }
  // Adds time of a slice to its stack on top of `root`, and to the padding beside it.
  void add(uint32_t root, uint32_t slice, uint64_t time);

 private:
  struct Info {
    uint32_t batch = kNoNumber;
    bool warms_up = false;
    bool compiles = false;  // or stands on what does
  };
  struct BatchInfo {
    uint32_t slice = 0;
    int64_t start = 0, end = 0;
    bool warms_up = false, recompiled = false;
    Phase phase = Phase::unknown;
    uint32_t bucket = kNoNumber;             // the frame of the event that names it
    uint64_t tokens = 0, bucket_tokens = 0;  // 0: not known
    uint32_t stack = 0;
  };

  const ServerEvent& event(uint32_t frame);
  std::string bucket_of(const BatchInfo& batch) {
    return batch.bucket == kNoNumber ? std::string() : event(batch.bucket).bucket;
  }
  void find_batches();
  void count_tokens();
  void find_recompilations();
  void make_stacks();
  uint32_t batch_stack(const BatchInfo& batch);
  uint32_t slice_stack(uint32_t slice);

  const Trace& trace_;
  ImportedStacks& stacks_;
  std::vector<std::optional<ServerEvent>> events_;  // by frame
  std::vector<Info> infos_;                         // by slice
  std::vector<BatchInfo> batches_;                  // by time
  std::vector<uint32_t> stacks_of_;                 // by slice
  int64_t first_warm_up_ = INT64_MAX;
  bool compilations_ = false;  // while serving
};

}  // namespace aiflame::trace
