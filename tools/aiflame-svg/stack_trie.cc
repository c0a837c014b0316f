// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/stack_trie.h"

#include "libcommon/program.h"
#include "libcommon/text_hash.h"
#include "tools/aiflame-svg/byte_scan.h"

namespace aiflame {
namespace {

// Where the frame that begins at `begin` ends.
size_t frame_end(std::string_view text, size_t begin) {
  for (size_t at = begin; at < text.size(); at += 8)
    if (const uint64_t found = bytes_that_are(';', load_bytes(text.data() + at, text.size() - at)))
      return at + first_of(found);
  return text.size();
}

}  // namespace

StackTrie::StackTrie() {
  segments_.push_back({0, kRoot, 0});
  names_.intern("");  // the root's
}

// In three rounds, each of which asks for the memory that the next one looks at.
void StackTrie::add(std::span<const CountedStack> stacks) {
  if (stacks.empty()) return;
  cuts_.clear();
  fresh_.clear();
  new_names_.clear();
  for (const CountedStack& stack : stacks) cut(stack.text);
  const auto first = [&](size_t i) { return i == 0 ? 0 : cuts_[i - 1].fresh; };
  for (size_t i = 0; i < cuts_.size(); ++i) find(cuts_[i], first(i));
  for (size_t i = 0; i < cuts_.size(); ++i) add(cuts_[i], first(i), stacks[i]);
  last_.assign(cuts_.back().text);
}

// From the back: in front of what is there all is.
void StackTrie::find(Cut& cut, uint32_t first) {
  for (uint32_t at = cut.fresh; at-- > first;) {
    cut.segment = table_.find(fresh_[at].hash);
    if (cut.segment != SegmentTable::kNone) {
      cut.known = at + 1 - first;
      return;
    }
    take_frames(cut.text, fresh_[at]);
  }
}

void StackTrie::add(const Cut& cut, uint32_t first, const CountedStack& stack) {
  path_.resize(cut.shared);
  for (uint32_t at = first; at < first + cut.known; ++at)
    path_.push_back({fresh_[at].hash, SegmentTable::kNone});
  uint32_t segment = kRoot;
  if (cut.known > 0) {
    segment = path_.back().segment = cut.segment;
  } else if (!path_.empty()) {
    Step& last = path_.back();
    if (last.segment == SegmentTable::kNone) last.segment = table_.find(last.hash);
    segment = last.segment;
  }
  for (uint32_t at = first + cut.known; at < cut.fresh; ++at) {
    // one of the batch before it may be the same
    const uint32_t found = table_.find(fresh_[at].hash);
    segment = found != SegmentTable::kNone ? found : append(segment, fresh_[at]);
    path_.push_back({fresh_[at].hash, segment});
  }
  count(segment, stack.count, stack.before);
}

void StackTrie::add(std::string_view stack, uint64_t count) {
  add(stack, count, count);
}

void StackTrie::add(std::string_view stack, uint64_t count, uint64_t before) {
  if (before != count && !differential_) make_differential();
  const CountedStack one{stack, count, before};
  add(std::span(&one, 1));
}

void StackTrie::cut(std::string_view text) {
  text = text.substr(0, text.find_last_not_of(';') + 1);
  const std::string_view last = cuts_.empty() ? std::string_view(last_) : cuts_.back().text;
  const size_t same = common_prefix(text, last);
  // what the stack before has, too, ends there in this one, too
  size_t shared = 0;
  while (shared < pieces_.size() && pieces_[shared].end <= same &&
         (pieces_[shared].end == text.size() ||
          (pieces_[shared].full && text[pieces_[shared].end] == ';')))
    ++shared;
  pieces_.resize(shared);
  uint64_t hash = pieces_.empty() ? hash_seed() : pieces_.back().hash;
  size_t begin = pieces_.empty() ? 0 : pieces_.back().end + size_t{1};
  const size_t size = text.size();
  const auto add = [&](size_t end, bool full) {
    hash = hash_text(text.substr(begin, end - begin), hash);
    pieces_.push_back({hash, static_cast<uint32_t>(begin), static_cast<uint32_t>(end), full, 0, 0});
    fresh_.push_back(pieces_.back());
    begin = end + 1;
  };
  size_t frames = 0;  // that have ended, of the segment
  for (size_t at = begin; at < size; at += 8) {
    uint64_t found = bytes_that_are(';', load_bytes(text.data() + at, size - at));
    const unsigned ends = how_many(found);
    if (frames + ends < kFrames) {
      frames += ends;
      continue;
    }
    for (; found != 0; found &= found - 1) {
      if (++frames < kFrames) continue;
      add(at + first_of(found), true);
      frames = 0;
    }
  }
  if (begin < size) add(size, frames + 1 == kFrames);
  cuts_.push_back({text, static_cast<uint32_t>(shared), static_cast<uint32_t>(fresh_.size())});
  // most stacks have no more that is new
  constexpr size_t kMost = 3;
  for (size_t i = std::max(pieces_.size(), shared + kMost) - kMost; i < pieces_.size(); ++i)
    table_.prefetch(pieces_[i].hash);
}

// Takes the piece, which is new, into its frames.
void StackTrie::take_frames(std::string_view stack, Piece& piece) {
  piece.names = static_cast<uint32_t>(new_names_.size());
  const std::string_view frames = stack.substr(0, piece.end);
  for (size_t begin = piece.begin, end = begin; end < frames.size(); begin = end + 1) {
    end = frame_end(frames, begin);
    const std::string_view name = frames.substr(begin, end - begin);
    new_names_.push_back({name, hash_text(name, hash_seed())});
    names_.prefetch(new_names_.back().hash);
  }
  piece.count = static_cast<uint32_t>(new_names_.size()) - piece.names;
}

uint32_t StackTrie::append(uint32_t parent, const Piece& piece) {
  if (segments_.size() >= SegmentTable::kNone - 1 || frames_.size() >= UINT32_MAX - kFrames)
    throw Error("more than 4294967288 frames");
  const auto segment = static_cast<uint32_t>(segments_.size());
  segments_.push_back({0, parent, static_cast<uint32_t>(frames_.size())});
  if (differential_) before_.push_back(0);
  for (uint32_t i = piece.names; i < piece.names + piece.count; ++i)
    frames_.push_back(names_.intern(new_names_[i].text, new_names_[i].hash));
  table_.add(piece.hash, segment);
  return segment;
}

void StackTrie::count(uint32_t segment, uint64_t count, uint64_t before) {
  segments_[segment].count += count;
  if (differential_) before_[segment] += before;
}

void StackTrie::make_differential() {
  if (differential_) return;
  differential_ = true;
  for (const Segment& segment : segments_) before_.push_back(segment.count);
}

void StackTrie::scale(uint64_t factor) {
  for (Segment& segment : segments_) segment.count *= factor;
  for (uint64_t& before : before_) before *= factor;
}

}  // namespace aiflame
