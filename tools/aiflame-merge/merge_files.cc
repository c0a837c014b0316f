// SPDX-License-Identifier: MIT
#include "tools/aiflame-merge/merge_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

#include "libcommon/base/count_sum.h"
#include "libcommon/base/program.h"
#include "libcommon/io/file_kind.h"
#include "libcommon/parallel/parallel.h"
#include "libcommon/parallel/processors.h"

namespace aiflame::merge {
namespace {

// Inputs that are read at once by a thread. Each has a buffer of 320 kB (input.cc), and 128 * 128
// files are merged twice.
constexpr size_t kWidest = 128;

// How many inputs a thread reads at once, so that the files that are open stay below the limit of
// the process: its inputs, and in each round up to as many temporary files that wait for others.
size_t width(size_t files) {
  constexpr size_t kOthers = 16;  // the standard files, and those that are being written
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return kWidest;
  size_t width = kWidest;
  for (; width > 2; --width) {
    size_t rounds = 1;
    for (size_t left = files; left > width; left = (left + width - 1) / width) ++rounds;
    if (width * (processors() + rounds) + kOthers <= limit.rlim_cur) break;
  }
  return width;
}

// The inputs that are not at their end, the one with the least stack first: a binary heap.
class Heap {
 public:
  Heap(std::vector<SortedInput>& inputs, LaunchFacts& launches) : launches_(launches) {
    for (SortedInput& input : inputs)
      if (input.next(launches_)) heap_.push_back(&input);
    for (size_t i = heap_.size() / 2; i > 0; --i) sink(i - 1);
  }
  bool empty() const { return heap_.empty(); }
  const SortedInput& first() const { return *heap_.front(); }
  // Moves the first input to its next stack.
  void advance() {
    if (!heap_.front()->next(launches_)) {
      heap_.front() = heap_.back();
      heap_.pop_back();
    }
    if (!heap_.empty()) sink(0);
  }

 private:
  void sink(size_t at) {
    SortedInput* const input = heap_[at];
    for (;;) {
      size_t below = 2 * at + 1;
      if (below >= heap_.size()) break;
      if (below + 1 < heap_.size() && heap_[below + 1]->stack() < heap_[below]->stack()) ++below;
      if (input->stack() <= heap_[below]->stack()) break;
      heap_[at] = heap_[below];
      at = below;
    }
    heap_[at] = input;
  }

  std::vector<SortedInput*> heap_;
  LaunchFacts& launches_;
};

void add(CountSum& sum, const SortedInput& input) {
  if (!sum.add(input.count())) throw Error(input.place() + ": " + kCountsTooLarge);
}

// Temporary files by round. As soon as a round has `width` of them, they become one of the next.
class Rounds {
 public:
  explicit Rounds(size_t width) : width_(width) {}

  void add(Spool&& spool, size_t round = 0) {
    if (round == spools_.size()) spools_.emplace_back();
    spools_[round].push_back(std::move(spool));
    if (spools_[round].size() == width_) add(merged(std::exchange(spools_[round], {})), round + 1);
  }
  // What is left of all rounds.
  void finish(Spool& out) {
    std::vector<Spool> left;
    for (std::vector<Spool>& round : spools_) {
      std::move(round.begin(), round.end(), std::back_inserter(left));
      round.clear();
      if (left.size() < width_) continue;
      Spool one = merged(std::exchange(left, {}));
      left.push_back(std::move(one));
    }
    merge(left, out);
  }

 private:
  static void merge(std::vector<Spool>& spools, Spool& out) {
    std::vector<SortedInput> inputs;
    for (Spool& spool : spools) inputs.emplace_back(spool.read());
    merge_inputs(inputs, out);
  }
  static Spool merged(std::vector<Spool>&& spools) {
    Spool out;
    merge(spools, out);
    return out;
  }

  const size_t width_;
  std::vector<std::vector<Spool>> spools_;
};

Said merge_group(const std::string* begin, const std::string* end, Spool& out) {
  std::vector<SortedInput> inputs;
  for (; begin != end; ++begin) inputs.emplace_back(open_folded(*begin));
  return merge_inputs(inputs, out);
}

}  // namespace

Said merge_inputs(std::vector<SortedInput>& inputs, Spool& out) {
  Said said;
  Heap heap(inputs, said.launches);
  std::string line;
  while (!heap.empty()) {
    line = heap.first().stack();
    CountSum sum;
    for (; !heap.empty() && heap.first().stack() == line; heap.advance()) add(sum, heap.first());
    if (sum.value() == 0) continue;
    line.append(" ").append(format_count(sum.value(), sum.decimals())).append("\n");
    out.write(line);
  }
  for (const SortedInput& input : inputs) said.quantities.push_back(input.quantity());
  return said;
}

Said merge_files(const std::vector<std::string>& paths, Spool& out) {
  const size_t wide = width(paths.size());
  const std::string* const all = paths.data();
  if (paths.size() <= wide) return merge_group(all, all + paths.size(), out);
  Said said;
  Rounds rounds(wide);
  const size_t groups = (paths.size() + wide - 1) / wide;
  for (size_t begin = 0; begin < groups; begin += processors()) {
    struct Group {
      Spool spool;
      Said said;
      std::exception_ptr thrown;
    };
    std::vector<Group> some(std::min<size_t>(processors(), groups - begin));
    in_parallel(some.size(), [&](size_t i) {
      const size_t first = (begin + i) * wide;
      try {
        some[i].said =
            merge_group(all + first, all + std::min(first + wide, paths.size()), some[i].spool);
      } catch (...) {
        some[i].thrown = std::current_exception();
      }
    });
    for (Group& group : some) {
      // that of the first group, however the threads ran
      if (group.thrown) std::rethrow_exception(group.thrown);
      std::move(group.said.quantities.begin(), group.said.quantities.end(),
                std::back_inserter(said.quantities));
      said.launches.add(group.said.launches);
      rounds.add(std::move(group.spool));
    }
  }
  rounds.finish(out);
  return said;
}

}  // namespace aiflame::merge
