// SPDX-License-Identifier: MIT
// What perf script's lines are as folded texts, by their bytes: a profile says the same hundred
// thousand lines a million times, and the same callers almost as often.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "libcommon/perf_script.h"
#include "tools/stackcollapse-aiflame/digest.h"
#include "tools/stackcollapse-aiflame/flat_table.h"
#include "tools/stackcollapse-aiflame/perf_frames.h"
#include "tools/stackcollapse-aiflame/stack_table.h"
#include "tools/stackcollapse-aiflame/text_table.h"

namespace aiflame {

class KnownLines {
 public:
  KnownLines(TextTable& texts, StackTable& stacks, const FrameRules& rules)
      : texts_(texts), stacks_(stacks), rules_(rules) {}

  // The root of a sample, in texts.
  uint32_t root(const PerfRecord& record);
  // A frame line as folded frames, in texts; `source` as fold_frame() has it.
  uint32_t frame(std::string_view line, std::string_view source, uint32_t root);

  // A sample by its bytes.
  struct Sample {
    uint32_t root = 0;
    bool java = false, has_leaf = false;
    Digest leaf, callers;
  };
  Sample sample(const PerfRecord& header, const SampleText& text);
  // Its stack, and how many lines it has with header and blank line; false where either its leaf
  // or its callers were not learnt.
  bool find(const Sample& sample, Stack& stack, uint64_t& lines) const;
  // `frames`, leaf first, are one for each of its lines.
  void learn(const Sample& sample, uint32_t leaf, uint32_t callers);

 private:
  // Java's names are tidied, so what a line is depends on whose it is. What is a frame somewhere
  // need not be one in front of a sample's others: only there it is known as a leaf.
  enum class Kind : uint32_t { root, frame, java_frame, leaf, java_leaf, callers, java_callers };
  struct Key {
    Digest digest;
    Kind kind = Kind::root;
    bool operator==(const Key&) const = default;
    uint64_t hash() const { return digest.low; }
  };

  bool is_java(uint32_t root) const { return texts_.text(root).starts_with("java"); }
  Key key(std::string_view text, Kind kind) const { return {digester_.of(text), kind}; }

  TextTable& texts_;
  StackTable& stacks_;
  const FrameRules& rules_;
  Digester digester_;
  FlatTable<Key> numbers_;
  std::string joined_;
};

}  // namespace aiflame
