// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read/stack_sorter.h"

#include <algorithm>
#include <utility>

#include "libcommon/text/byte_scan.h"
#include "libcommon/text/text_hash.h"
#include "tools/aiflame-svg/read/run_merger.h"
#include "tools/aiflame-svg/tree/name_order.h"

namespace aiflame::svg {
namespace {

// So many runs are kept, and so many bytes of them, before they are made one: stacks that come
// again and again must not take more memory than they do once. Merging a hundred runs at a time
// costs little more than two.
constexpr size_t kMostRuns = 256;
constexpr size_t kMostBytes = size_t{64} << 20;

// Texts in order lie here and there in the block: so many ahead they are asked for.
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
  // each byte may be a frame's end
  if (const size_t most = shared + (frames.size() - std::min(begin, frames.size())) + 1;
      ends_.size() < most)
    ends_.resize(2 * most);
  uint32_t* end = ends_.data() + shared;
  each_place(';', frames, begin, [&](size_t place) { *end++ = static_cast<uint32_t>(place); });
  if (begin < frames.size()) *end++ = static_cast<uint32_t>(frames.size());
  depth_ = static_cast<uint32_t>(end - ends_.data());
  const uint32_t from =
      runs_.append({stack.count, shared, depth_}, stack.before, runs_.names() + waiting_size_);
  const char* name = frames.data() + (from == 0 ? 0 : ends_[from - 1] + size_t{1});
  for (const uint32_t* at = ends_.data() + from; at < end;) {
    const size_t some = std::min<size_t>(static_cast<size_t>(end - at), kWaiting - waiting_size_);
    std::string_view* waiting = waiting_.data() + waiting_size_;
    for (const uint32_t* const some_end = at + some; at < some_end; ++at) {
      const char* const name_end = frames.data() + *at;
      *waiting++ = {name, static_cast<size_t>(name_end - name)};
      name = name_end + 1;
    }
    waiting_size_ += some;
    if (waiting_size_ == kWaiting) look_up_names();
  }
}

// How many frames of the stack before are also this one's, which has its first `same` bytes: those
// that end there in both.
uint32_t StackSorter::shared_frames(std::string_view frames, size_t same) const {
  if (frames.empty()) return 0;
  const uint32_t* const first = ends_.data();
  auto shared = static_cast<uint32_t>(
      std::upper_bound(first, first + depth_, static_cast<uint32_t>(same)) - first);
  if (shared > 0 && ends_[shared - 1] == same && same < frames.size() && frames[same] != ';')
    --shared;
  return shared;
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

FlameTree StackSorter::finish() {
  std::vector<StackSorter> sorters;
  sorters.push_back(std::move(*this));
  return merged_tree(std::move(sorters));
}

}  // namespace aiflame::svg
