// SPDX-License-Identifier: MIT
// The external merge: how stacks in any order become one sorted order of distinct stacks
//
// A flame graph whose x axis is alphabetical needs the sum of each distinct stack, with equal
// prefixes next to each other. The obvious way is a tree that every line is added to from its root.
// With millions of stacks of thirty frames that is a look-up in a large table per frame, and each
// look-up waits for memory. Sorting is cheaper: in sorted order a stack has most frames in common
// with the previous stack, and these frames need no look-up at all.
//
// Runs. Input comes in blocks of 2 MB (read_stacks.cc). StackSorter::add() sorts the texts of one
// block, which is fast because they fit the processor's cache, and appends them as one run. If the
// block's first stack does not sort before the end of the last run (the input was already sorted),
// they continue that run. A run holds distinct stacks in order.
//
// What neighbours share. For a stack, a run stores only how many frames it shares with the previous
// one and the names of the others, each as a number from the sorter's NameTable:
//
//     a;b;c 5           (shared 0) a b c    5
//     a;b;d;e 2         (shared 2) d e      2
//     a;f 1             (shared 1) f        1
//
// common_prefix() of the two texts says how many frames are shared, so only names that are not
// shared are hashed. They are looked up 64 at a time, so that their cache misses overlap. Every
// 128th stack is stored whole, which makes a run seekable: RunReader can start there and binary
// search finds any stack.
//
// Order. Within a run stacks are in order of their texts, by frame. That order does not depend on
// numbers, which are given in order of first occurrence and differ between sorters. For a merge,
// all names are sorted once (name_order.h) and numbers are translated into places in that order, so
// that comparing two frames means comparing two integers.
//
// Merging. RunMerger is a tournament tree over any number of runs. It remembers how many frames
// each candidate shares with the stack taken last and compares names only from there on. Equal
// stacks are added up. The result is again a run in the same format, with the same sharing, ready
// to become nodes of a tree: a stack adds one node for each frame that it does not share.
//
// Memory. When a sorter has 256 runs, or 64 MB of them (or twice what the last merge left, if that
// is more), merge_runs() replaces them by one run. So a sorter takes memory for the distinct stacks
// it has seen and a constant factor, not for the length of the input. Nothing goes to disk.
//
// Several threads. While reading, each thread has a sorter of its own and takes blocks as it gets
// to them, so threads share nothing. At the end (sorter_merge.cc) the names of all sorters become
// one table, and stacks sampled from all runs are chosen as borders, which cut the whole order into
// parts of about equal size. Binary search finds the borders in each run, and each thread merges
// one part at a time across all runs. The parts in sequence are the whole order, so the result does
// not depend on how many threads there were or which of them read which block. The tree is built in
// the same parts (tree/tree_assembly.h).
#include "tools/aiflame-svg/merge/stack_sorter.h"

#include <algorithm>
#include <utility>

#include "libcommon/text/byte_scan.h"
#include "libcommon/text/text_hash.h"
#include "tools/aiflame-svg/merge/name_order.h"
#include "tools/aiflame-svg/merge/run_merger.h"

namespace aiflame::svg {
namespace {

// With more runs or bytes than this, the runs are merged into one: stacks that occur again and
// again must not take more memory than they do once. 32 runs take 10 % more time, and without this
// limit it is no less (`make bench`, svg, shuffled).
constexpr size_t kMostRuns = 256;
constexpr size_t kMostBytes = size_t{64} << 20;

// Sorted texts are scattered over the block, so they are prefetched this many stacks ahead (6 %),
// up to this many bytes of each (2 % over 64 bytes; `make bench`, svg, shuffled).
constexpr size_t kAhead = 4, kAheadBytes = 512;

std::string_view without_empty_end(std::string_view stack) {
  return stack.substr(0, stack.find_last_not_of(';') + 1);
}

}  // namespace

void StackSorter::add(std::string_view stack, uint64_t count, uint64_t before) {
  if (before != count) make_differential();
  const CountedStack one{stack, count, before};
  add(std::span(&one, 1));
}

void StackSorter::add(std::span<const CountedStack> stacks) {
  if (stacks.empty()) return;
  texts_.clear();
  for (const CountedStack& stack : stacks) {
    const std::string_view text = without_empty_end(stack.text);
    texts_.push_back(
        {0, text.data(), static_cast<uint32_t>(text.size()), static_cast<uint32_t>(texts_.size())});
  }
  const auto is_behind = [](const OrderedText& a, const OrderedText& b) {
    return compare_texts(a.view(), b.view(), TextOrder::frames) > 0;
  };
  if (std::adjacent_find(texts_.begin(), texts_.end(), is_behind) != texts_.end())
    sort_texts(texts_, TextOrder::frames);
  last_ = kept_;
  if (runs_.runs().empty() || compare_texts(texts_[0].view(), last_, TextOrder::frames) < 0) {
    merge_runs();
    runs_.begin_run();
    depth_ = 0;
    last_ = {};
  }
  for (size_t i = 0; i < texts_.size(); ++i) {
    if (i + kAhead < texts_.size()) {
      const OrderedText& text = texts_[i + kAhead];
      __builtin_prefetch(&stacks[text.number]);
      for (size_t at = 0; at < std::min<size_t>(text.size, kAheadBytes); at += 64)
        __builtin_prefetch(text.text + at);
    }
    append(texts_[i].view(), stacks[texts_[i].number]);
  }
  look_up_names();
  kept_.assign(last_);
}

void StackSorter::append(std::string_view frames, const CountedStack& stack) {
  const size_t same = common_prefix(frames, last_);
  const StackRuns::Run& run = runs_.runs().back();
  if (same == frames.size() && same == last_.size() && run.last > run.first) {
    runs_.add(stack.count, stack.before);
    return;
  }
  last_ = frames;
  const uint32_t shared = shared_frames(frames, same);
  const size_t begin = shared == 0 ? 0 : ends_[shared - 1] + size_t{1};
  // in the worst case each byte ends a frame
  if (const size_t most = shared + (frames.size() - std::min(begin, frames.size())) + 1;
      ends_.size() < most)
    ends_.resize(2 * most);
  uint32_t* end = ends_.data() + shared;
  each_place(';', frames, begin, [&](size_t place) { *end++ = static_cast<uint32_t>(place); });
  if (begin < frames.size()) *end++ = static_cast<uint32_t>(frames.size());
  depth_ = static_cast<uint32_t>(end - ends_.data());
  const uint32_t from =
      runs_.append({stack.count, shared, depth_}, stack.before, runs_.names() + waiting_size_);
  append_names(frames.data(), from == 0 ? 0 : ends_[from - 1] + size_t{1}, ends_.data() + from,
               end);
}

// How many frames this stack shares with the previous one, when their first `same` bytes are equal:
// the frames that end within these bytes in both.
uint32_t StackSorter::shared_frames(std::string_view frames, size_t same) const {
  if (frames.empty()) return 0;
  const uint32_t* const first = ends_.data();
  auto shared = static_cast<uint32_t>(
      std::upper_bound(first, first + depth_, static_cast<uint32_t>(same)) - first);
  if (shared > 0 && ends_[shared - 1] == same && same < frames.size() && frames[same] != ';')
    --shared;
  return shared;
}

// Queues names of a stack's text for look-up: the first begins at `begin`, and [at, end) are the
// places where they end.
void StackSorter::append_names(const char* text, size_t begin, const uint32_t* at,
                               const uint32_t* end) {
  const char* name = text + begin;
  while (at < end) {
    const size_t some = std::min<size_t>(static_cast<size_t>(end - at), kWaiting - waiting_size_);
    std::string_view* waiting = waiting_.data() + waiting_size_;
    for (const uint32_t* const some_end = at + some; at < some_end; ++at) {
      const char* const name_end = text + *at;
      *waiting++ = {name, static_cast<size_t>(name_end - name)};
      name = name_end + 1;
    }
    waiting_size_ += some;
    if (waiting_size_ == kWaiting) look_up_names();
  }
}

void StackSorter::look_up_names() {
  std::array<uint64_t, kWaiting> hashes;
  hash_texts(std::span(waiting_).first(waiting_size_), hash_seed(), hashes.data());
  for (size_t i = 0; i < waiting_size_; ++i) names_.prefetch(hashes[i]);
  uint32_t* number = runs_.append_names(waiting_size_);
  for (size_t i = 0; i < waiting_size_; ++i) *number++ = names_.intern(waiting_[i], hashes[i]);
  waiting_size_ = 0;
}

void StackSorter::merge_runs() {
  const size_t most = std::max(kMostBytes, 2 * merged_);
  if (runs_.runs().size() < kMostRuns && runs_.bytes() < most) return;
  const std::vector<uint32_t> order = sorted_names(names_), places = places_of(order);
  std::vector<RunReader> readers;
  for (const StackRuns::Run& run : runs_.runs()) readers.emplace_back(runs_, run, places.data());
  StackRuns merged;
  if (runs_.differential()) merged.make_differential();
  RunMerger(std::move(readers)).append_to(merged, order.data());
  runs_ = std::move(merged);
  merged_ = runs_.bytes();
}

}  // namespace aiflame::svg
