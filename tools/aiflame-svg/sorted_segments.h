// SPDX-License-Identifier: MIT
// The segments of several tries as those of one, in order.
#pragma once

#include <cstdint>
#include <vector>

#include "tools/aiflame-svg/growing_array.h"
#include "tools/aiflame-svg/stack_trie.h"

namespace aiflame {

// Segments lie level by level: first the root, then what hangs from it, sorted, then what hangs
// from those, first of the first, and so on. So who goes through them depth first goes through each
// level from front to back: nothing is looked for in memory.
class SortedSegments {
 public:
  struct Segment {
    uint64_t count;
    uint32_t frames;    // where its frames begin; they end where the next one's do
    uint32_t children;  // the same for what hangs from it
  };

  // The names of all tries are numbered alike, in their order. The tries are empty then.
  explicit SortedSegments(std::vector<StackTrie>& tries);

  static constexpr uint32_t kRoot = 0;
  // One behind the last can be asked for, too.
  const Segment& operator[](uint32_t segment) const { return segments_[segment]; }
  uint64_t before(uint32_t segment) const { return differential_ ? before_[segment] : 0; }
  bool differential() const { return differential_; }
  const uint32_t* frames(uint32_t segment) const {
    return frames_.begin() + segments_[segment].frames;
  }
  uint32_t size() const { return static_cast<uint32_t>(segments_.size() - 1); }

 private:
  // What hangs from a segment in one of the tries: a part of its children_.
  struct Source {
    uint32_t trie;
    uint32_t begin, end;
    uint32_t segment;  // of the level, that they hang from
  };
  // What a thread makes of a part of a level.
  struct Part;
  struct Candidate {
    const uint32_t* frames;
    uint32_t length, trie, segment;
  };

  void gather_children(size_t trie);
  void make_level(uint32_t first, uint32_t last);
  void make_part(Part& part) const;
  void prefetch(const Part& part, size_t source) const;
  void merge(std::vector<Candidate>& candidates, Part& part) const;
  void append(std::vector<Part>& parts);
  void copy(const Part& part);

  std::vector<StackTrie>& tries_;
  std::vector<GrowingArray<uint32_t>> children_;  // by trie
  GrowingArray<Source> sources_;                  // of the level made last
  bool differential_ = false;
  GrowingArray<Segment> segments_;
  GrowingArray<uint64_t> before_;  // only of a differential
  GrowingArray<uint32_t> frames_;
};

}  // namespace aiflame
