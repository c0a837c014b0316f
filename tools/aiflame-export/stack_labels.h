// SPDX-License-Identifier: MIT
// Moves what is no function out of a stack, into labels of the sample:
//
//   rank 3;app;main;-;k_[G];load_[g];sbid_[g];0x40_[g]   with `rank,mnemonic,reason`
//
// becomes app;main;-;k_[G];0x40_[g] with rank = 3, mnemonic = load, reason = sbid.
#pragma once

#include <string>
#include <vector>

#include "tools/aiflame-export/frame_table.h"
#include "tools/aiflame-export/sample_store.h"

namespace aiflame::exporter {

class StackLabels {
 public:
  // `keys`: `reason` and `mnemonic` are levels of the device; any other KEY is the first frame of
  // the CPU part of a stack that reads `KEY VALUE`.
  explicit StackLabels(const std::vector<std::string>& keys);

  // Replaces frames of a sample by labels, in the order of the keys. One frame always stays.
  void take(FrameTable& table, Sample& sample);

 private:
  uint32_t value_of(FrameTable& table, uint32_t frame, size_t cut);

  std::vector<std::string> keys_;
  Layers layers_;
  std::vector<FrameRole> roles_;
  std::vector<size_t> taken_;
};

}  // namespace aiflame::exporter
