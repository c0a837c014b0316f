// SPDX-License-Identifier: MIT
// Folded stacks in any order, each held once, with what they have in common.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/aiflame-svg/flame_tree.h"
#include "tools/aiflame-svg/growing_array.h"
#include "tools/aiflame-svg/name_table.h"
#include "tools/aiflame-svg/segment_table.h"
#include "tools/aiflame-svg/stack_sink.h"

namespace aiflame {

// A stack is cut into segments of six frames, the last one of up to six. A segment hangs from
// the one before it, and is found by a hash of the whole text up to its end: a stack of 50 frames,
// most of which it shares with others, takes some three looks into a large table instead of 50, as
// a segment is there if one behind it is, and only the frames of new segments are looked at one by
// one. As for millions of stacks each look waits for memory, a batch of stacks is cut, and what
// they will look at is fetched, before the first is looked up.
class StackTrie : public StackSink {
 public:
  static constexpr size_t kFrames = 6;
  static constexpr uint32_t kRoot = 0;

  struct Segment {
    uint64_t count;  // of the stacks that end with it
    uint32_t parent;
    uint32_t names;  // where its frames begin in names()
  };

  StackTrie();

  void add(std::span<const CountedStack> stacks) override;
  // The same for few stacks.
  void add(std::string_view stack, uint64_t count);
  void add(std::string_view stack, uint64_t count, uint64_t before);
  void make_differential() override;
  bool differential() const { return differential_; }
  void scale(uint64_t factor) override;
  // merged_tree() of this one. Nothing can be added any more.
  FlameTree finish();

 private:
  friend class SortedSegments;
  friend class TrieWalk;
  // A segment of a stack that is being added.
  struct Piece {
    uint64_t hash;
    uint32_t begin, end;    // in the stack's text
    bool full;              // more may hang from it
    uint32_t names, count;  // its frames in new_names_, if it was not found
  };
  struct Name {
    std::string_view text;
    uint64_t hash;
  };
  struct Cut {
    std::string_view text;
    uint32_t shared;  // how many pieces it shares with the stack before
    uint32_t fresh;   // where those that it does not share end in fresh_
    // of those, which are there already, and the segment of the last one that is
    uint32_t known = 0, segment = kRoot;
  };
  // Of the stack that was added last. Segments that nobody had to look at are SegmentTable::kNone.
  struct Step {
    uint64_t hash;
    uint32_t segment;
  };

  void cut(std::string_view stack);
  void find(Cut& cut, uint32_t first);
  void take_frames(std::string_view stack, Piece& piece);
  void add(const Cut& cut, uint32_t first, const CountedStack& stack);
  uint32_t append(uint32_t parent, const Piece& piece);
  void count(uint32_t segment, uint64_t count, uint64_t before);

  NameTable names_;
  SegmentTable table_;
  GrowingArray<Segment> segments_;  // a parent before its children
  GrowingArray<uint32_t> frames_;   // of all segments, by the numbers of their names
  GrowingArray<uint64_t> before_;   // by segment, only of a differential
  bool differential_ = false;

  // of the batch
  std::vector<Cut> cuts_;
  std::vector<Piece> fresh_;
  std::vector<Name> new_names_;
  std::vector<Piece> pieces_;  // all of the stack that was cut last
  std::vector<Step> path_;
  std::string last_;  // of the batch before, the last stack
};

// The tree of all stacks of the tries, in which the x axis is the alphabet.
FlameTree merged_tree(std::vector<StackTrie>&& tries);

}  // namespace aiflame
