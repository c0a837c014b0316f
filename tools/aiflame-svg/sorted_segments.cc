// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/sorted_segments.h"

#include <algorithm>
#include <span>

#include "libcommon/parallel.h"
#include "libcommon/program.h"

namespace aiflame {
namespace {

// A level of fewer sources is made before another thread has begun.
constexpr size_t kAlone = 4096;

}  // namespace

struct SortedSegments::Part {
  std::span<const Source> sources;
  uint32_t first, last;  // the segments that they hang from
  // What hangs from those. Places in `frames`, and of `children`, are the part's own.
  GrowingArray<Segment> segments;
  GrowingArray<uint64_t> before;
  GrowingArray<uint32_t> frames;
  GrowingArray<uint32_t> children;  // where those of `first` begin, of the next one, and so on
  GrowingArray<Source> next;        // of `segments`

  uint32_t segments_begin = 0, frames_begin = 0, next_begin = 0;  // where it is to be copied to
};

SortedSegments::SortedSegments(std::vector<StackTrie>& tries)
    : tries_(tries), children_(tries.size()) {
  for (const StackTrie& trie : tries) differential_ = differential_ || trie.differential_;
  in_parallel(tries.size(), [&](size_t i) {
    if (differential_) tries_[i].make_differential();
    gather_children(i);
  });
  Segment root{0, 0, 1};
  uint64_t root_before = 0;
  for (uint32_t i = 0; i < tries.size(); ++i) {
    const auto& segments = tries_[i].segments_;
    root.count += segments[StackTrie::kRoot].count;
    if (differential_) root_before += tries_[i].before_[StackTrie::kRoot];
    sources_.push_back({i, segments[StackTrie::kRoot].parent, segments[1].parent, kRoot});
  }
  segments_.push_back(root);
  if (differential_) before_.push_back(root_before);
  for (uint32_t first = 0; first < segments_.size();) {
    const auto last = static_cast<uint32_t>(segments_.size());
    make_level(first, last);
    first = last;
  }
  segments_.push_back(
      {0, static_cast<uint32_t>(frames_.size()), static_cast<uint32_t>(segments_.size())});
  sources_ = {};
  children_.clear();
  tries_.clear();
}

// children_ has those of segment 0, of segment 1 and so on; a segment's `parent` is, from here on,
// where its own children begin.
void SortedSegments::gather_children(size_t trie) {
  auto& segments = tries_[trie].segments_;
  GrowingArray<uint32_t> begins;
  begins.assign(segments.size() + 1, 0);
  // first how many, then where they end, then, filled from the back, begin
  for (size_t i = 1; i < segments.size(); ++i) ++begins[segments[i].parent];
  for (size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
  children_[trie].assign(segments.size(), 0);
  for (size_t i = segments.size(); i-- > 1;)
    children_[trie][--begins[segments[i].parent]] = static_cast<uint32_t>(i);
  for (size_t i = 0; i < segments.size(); ++i) segments[i].parent = begins[i];
  segments.push_back(
      {0, begins[segments.size()], static_cast<uint32_t>(tries_[trie].frames_.size())});
}

// What hangs from the segments first … last - 1, whose sources are sources_.
void SortedSegments::make_level(uint32_t first, uint32_t last) {
  const size_t count = sources_.size() < kAlone ? 1 : std::min<size_t>(2 * workers(), last - first);
  std::vector<Part> parts(count);
  const Source* source = sources_.begin();
  for (size_t i = 0; i < count; ++i) {
    Part& part = parts[i];
    part.first = first + static_cast<uint32_t>((last - first) * i / count);
    part.last = first + static_cast<uint32_t>((last - first) * (i + 1) / count);
    const Source* begin = source;
    source = std::partition_point(begin, static_cast<const Source*>(sources_.end()),
                                  [&](const Source& one) { return one.segment < part.last; });
    part.sources = {begin, source};
  }
  in_parallel(count, [&](size_t i) { make_part(parts[i]); });
  append(parts);
}

void SortedSegments::make_part(Part& part) const {
  std::vector<Candidate> candidates;
  size_t at = 0;
  for (uint32_t segment = part.first; segment < part.last; ++segment) {
    part.children.push_back(static_cast<uint32_t>(part.segments.size()));
    if (at == part.sources.size() || part.sources[at].segment != segment) continue;
    candidates.clear();
    for (; at < part.sources.size() && part.sources[at].segment == segment; ++at) {
      prefetch(part, at);
      const Source& source = part.sources[at];
      const StackTrie& trie = tries_[source.trie];
      for (uint32_t i = source.begin; i < source.end; ++i) {
        const uint32_t child = children_[source.trie][i];
        candidates.push_back({trie.frames_.begin() + trie.segments_[child].names,
                              trie.segments_[child + 1].names - trie.segments_[child].names,
                              source.trie, child});
      }
    }
    merge(candidates, part);
  }
}

// Memory of hundreds of megabytes is waited for: what the sources behind this one will look at.
void SortedSegments::prefetch(const Part& part, size_t source) const {
  constexpr size_t kStep = 8, kMost = 16;
  const auto each_child = [&](size_t at, auto body) {
    if (at >= part.sources.size()) return;
    const Source& one = part.sources[at];
    const uint32_t* children = children_[one.trie].begin();
    for (size_t i = one.begin; i < std::min<size_t>(one.end, one.begin + kMost); ++i)
      body(tries_[one.trie], children[i]);
  };
  if (source + 3 * kStep < part.sources.size()) {
    const Source& far = part.sources[source + 3 * kStep];
    __builtin_prefetch(children_[far.trie].begin() + far.begin);
  }
  each_child(source + 2 * kStep, [](const StackTrie& trie, uint32_t child) {
    __builtin_prefetch(&trie.segments_[child]);
  });
  each_child(source + kStep, [](const StackTrie& trie, uint32_t child) {
    __builtin_prefetch(&trie.frames_[trie.segments_[child].names]);
  });
}

// Sorted, the same of several tries as one.
void SortedSegments::merge(std::vector<Candidate>& candidates, Part& part) const {
  const auto compare = [](const Candidate& a, const Candidate& b) {
    return std::lexicographical_compare(a.frames, a.frames + a.length, b.frames,
                                        b.frames + b.length);
  };
  std::sort(candidates.begin(), candidates.end(), compare);
  const Candidate* before = nullptr;
  for (const Candidate& one : candidates) {
    const StackTrie& trie = tries_[one.trie];
    const auto& segment = trie.segments_[one.segment];
    const bool same = before != nullptr && before->length == one.length &&
                      std::equal(one.frames, one.frames + one.length, before->frames);
    before = &one;
    if (!same) {
      part.segments.push_back({0, static_cast<uint32_t>(part.frames.size()), 0});
      if (differential_) part.before.push_back(0);
      for (uint32_t i = 0; i < one.length; ++i) part.frames.push_back(one.frames[i]);
    }
    part.segments.back().count += segment.count;
    if (differential_) part.before.back() += trie.before_[one.segment];
    const uint32_t begin = segment.parent, end = trie.segments_[one.segment + 1].parent;
    if (begin != end)
      part.next.push_back({one.trie, begin, end, static_cast<uint32_t>(part.segments.size() - 1)});
  }
}

void SortedSegments::append(std::vector<Part>& parts) {
  size_t segments = segments_.size(), frames = frames_.size(), next = 0;
  for (Part& part : parts) {
    part.segments_begin = static_cast<uint32_t>(segments);
    part.frames_begin = static_cast<uint32_t>(frames);
    part.next_begin = static_cast<uint32_t>(next);
    segments += part.segments.size();
    frames += part.frames.size();
    next += part.next.size();
    if (segments >= UINT32_MAX || frames >= UINT32_MAX) throw Error("more than 4294967294 frames");
  }
  GrowingArray<Source>().swap(sources_);
  sources_.extend(next);
  if (differential_) before_.extend(segments - segments_.size());
  segments_.extend(segments - segments_.size());
  frames_.extend(frames - frames_.size());
  in_parallel(parts.size(), [&](size_t i) { copy(parts[i]); });
}

void SortedSegments::copy(const Part& part) {
  for (uint32_t i = part.first; i < part.last; ++i)
    segments_[i].children = part.segments_begin + part.children[i - part.first];
  Segment* segment = segments_.begin() + part.segments_begin;
  for (const Segment& one : part.segments)
    *segment++ = {one.count, part.frames_begin + one.frames, 0};
  if (differential_)
    std::copy(part.before.begin(), part.before.end(), before_.begin() + part.segments_begin);
  std::copy(part.frames.begin(), part.frames.end(), frames_.begin() + part.frames_begin);
  Source* source = sources_.begin() + part.next_begin;
  for (Source one : part.next) {
    one.segment += part.segments_begin;
    *source++ = one;
  }
}

}  // namespace aiflame
