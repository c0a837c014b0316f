// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/read_stacks.h"

#include <algorithm>
#include <utility>

#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-svg/merge/stack_sorter.h"
#include "tools/aiflame-svg/read/ledger.h"
#include "tools/aiflame-svg/tree/flame_chart.h"
#include "tools/aiflame-svg/tree/merged_tree.h"

namespace aiflame::svg {
namespace {

// About what a processor's own cache and its share of the common cache hold. The more text is
// sorted at once, the fewer names are looked up.
constexpr size_t kBlock = size_t{2} << 20;
// One thread reads this many blocks of 2 MB alone: a shorter input ends before others have started.
constexpr uint64_t kAlone = 6;
// Each thread takes memory for runs and names of its own.
constexpr size_t kMostThreads = 4;

// Reads blocks up to block `until` or the end of the input.
void read_blocks(InputBlocks& blocks, StackLexer& lexer, Ledger& ledger, uint64_t until) {
  InputBlock block;
  do {
    BlockReport report;
    try {
      if (!blocks.next(block)) return;
      report = lexer.read(block);
    } catch (...) {
      report.number = block.number;
      report.failure = std::current_exception();
    }
    if (!ledger.add(std::move(report))) blocks.stop();
  } while (block.number + 1 < until);
}

std::vector<StackSorter> read_sorted(InputBlocks& blocks, const LexOptions& options,
                                     Ledger& ledger) {
  const size_t most = workers(kMostThreads);
  std::vector<StackSorter> sorters(1);
  sorters.reserve(most);  // lexers point to them
  std::vector<StackLexer> lexers;
  lexers.emplace_back(options, sorters[0]);
  lexers.reserve(most);
  read_blocks(blocks, lexers[0], ledger, kAlone);
  if (!blocks.ended()) {
    const LexOptions known = lexers[0].options();
    while (sorters.size() < most) lexers.emplace_back(known, sorters.emplace_back());
    in_threads(most,
               [&](size_t number) { read_blocks(blocks, lexers[number], ledger, UINT64_MAX); });
  }
  ledger.close();
  for (StackLexer& lexer : lexers) lexer.use_decimals(ledger.decimals());
  return sorters;
}

Stacks stacks_of(FlameTree&& tree, const Ledger& ledger) {
  return {std::move(tree),     ledger.decimals(), ledger.quantity(),
          ledger.adds_units(), ledger.lines(),    ledger.ignored(),
          ledger.launches(),   ledger.notes(),    ledger.changes()};
}

}  // namespace

Stacks read_stacks(const std::vector<std::string>& paths, const LexOptions& options) {
  InputBlocks blocks(paths, kBlock);
  Ledger ledger(options.strict, options.mixed);
  if (options.merges) {
    FlameTree tree = merged_tree(read_sorted(blocks, options, ledger));
    return stacks_of(std::move(tree), ledger);
  }
  FlameChart chart;
  StackLexer lexer(options, chart);
  read_blocks(blocks, lexer, ledger, UINT64_MAX);
  ledger.close();
  return stacks_of(chart.finish(), ledger);
}

}  // namespace aiflame::svg
