// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/stack_sorter.h"

#include <algorithm>
#include <utility>

#include "libcommon/byte_scan.h"
#include "libcommon/text_hash.h"
#include "tools/aiflame-svg/name_order.h"
#include "tools/aiflame-svg/run_merger.h"

namespace aiflame {
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
    ends_.clear();
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
  // a frame of the stack before is one of this, too, when it ends within what is the same
  while (!ends_.empty() && (frames.empty() || ends_.back() > same ||
                            (ends_.back() < frames.size() && frames[ends_.back()] != ';')))
    ends_.pop_back();
  const auto shared = static_cast<uint32_t>(ends_.size());
  const size_t begin = ends_.empty() ? 0 : ends_.back() + size_t{1};
  each_place(';', frames, begin,
             [&](size_t place) { ends_.push_back(static_cast<uint32_t>(place)); });
  if (begin < frames.size()) ends_.push_back(static_cast<uint32_t>(frames.size()));
  const auto depth = static_cast<uint32_t>(ends_.size());
  const uint32_t from =
      runs_.append({stack.count, shared, depth}, stack.before, runs_.names() + waiting_size_);
  size_t name = from == 0 ? 0 : ends_[from - 1] + size_t{1};
  for (uint32_t i = from; i < depth; ++i) {
    waiting_[waiting_size_++] = {frames.data() + name, ends_[i] - name};
    if (waiting_size_ == kWaiting) look_up_names();
    name = ends_[i] + size_t{1};
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

FlameTree StackSorter::finish() {
  std::vector<StackSorter> sorters;
  sorters.push_back(std::move(*this));
  return merged_tree(std::move(sorters));
}

}  // namespace aiflame
