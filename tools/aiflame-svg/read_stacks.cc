// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read_stacks.h"

#include <algorithm>

#include "libcommon/program.h"
#include "tools/aiflame-svg/handover.h"

namespace aiflame {
namespace {

// A smaller file is read before another thread has begun.
constexpr size_t kAlone = 8;
// Enough for one thread to go on while the other waits for a disk or a page.
constexpr size_t kAhead = 6;

class StackReader {
 public:
  explicit StackReader(const LexOptions& options)
      : stacks_{FlameTree(options.merges ? FlameTree::Order::merged : FlameTree::Order::input)} {}

  void take(const StackBatch& batch) {
    pending_.clear();
    first_ = 0;
    for (size_t i = 0; i < batch.lines.size(); ++i) {
      const StackBatch::Line& line = batch.lines[i];
      use_decimals(std::max(line.count.decimals, line.before.decimals), batch, i);
      Count count = line.count, before = line.before;
      if (!widen(count, stacks_.decimals) || !widen(before, stacks_.decimals)) fail(batch, i);
      const bool last = i + 1 == batch.lines.size();
      const size_t text_end = last ? batch.text.size() : batch.lines[i + 1].text;
      const size_t marks_end = last ? batch.marks.size() : batch.lines[i + 1].marks;
      FlameTree::Stack& stack = pending_.emplace_back();
      stack.shared = line.shared;
      stack.marks = std::span(batch.marks).subspan(line.marks, marks_end - line.marks);
      stack.text = std::string_view(batch.text).substr(line.text, text_end - line.text);
      stack.sorted = line.sorted;
      stack.differs = line.differs;
      stack.count = count.value;
      stack.before = before.value;
    }
    add_pending(batch);
  }

  Stacks finish() {
    stacks_.tree.finish();
    return std::move(stacks_);
  }

 private:
  // Finer counts than before: what is in the tree is counted in the finer unit from here on.
  void use_decimals(unsigned decimals, const StackBatch& batch, size_t line) {
    if (stacks_.decimals >= decimals) return;
    add_pending(batch);
    for (; stacks_.decimals < decimals; ++stacks_.decimals)
      if (!stacks_.tree.scale(10)) fail(batch, line);
  }

  void add_pending(const StackBatch& batch) {
    const size_t added = stacks_.tree.add(pending_);
    if (added < pending_.size()) fail(batch, first_ + added);
    first_ += added;
    pending_.clear();
  }

  [[noreturn]] static void fail(const StackBatch& batch, size_t line) {
    throw Error(format("%s:%llu: the counts are too large to be added in 64 bits",
                       batch.path.c_str(),
                       static_cast<unsigned long long>(batch.lines[line].number)));
  }

  Stacks stacks_;
  std::vector<FlameTree::Stack> pending_;  // of the batch, not yet in the tree
  size_t first_ = 0;                       // the line of the first of them
};

}  // namespace

Stacks read_stacks(const std::vector<std::string>& paths, const LexOptions& options) {
  StackLexer lexer(paths, options);
  StackReader reader(options);
  {
    StackBatch batch;
    size_t batches = 0;
    bool more = true;
    while (batches++ < kAlone && (more = lexer.next(batch))) reader.take(batch);
    if (more) {
      Handover<StackBatch> handover(kAhead, [&](StackBatch& next) { return lexer.next(next); });
      while (handover.next(batch)) reader.take(batch);
    }
  }
  lexer.warn_of_lines();
  return reader.finish();
}

}  // namespace aiflame
