// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/tree_data.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/parallel/parallel.h"
#include "libcommon/text/byte_scan.h"
#include "tools/aiflame-svg/data/node_text.h"
#include "tools/aiflame-svg/data/tree_cut.h"
#include "tools/aiflame-svg/draw/xml.h"

namespace aiflame::svg {
namespace {

// Far below the 10 MB that libxml2 allows without its option "huge".
constexpr size_t kChunk = size_t{1} << 20;
// Fewer nodes are gone through before another thread has begun.
constexpr uint32_t kAlone = 100000;
constexpr size_t kFrameworkBytes = 300;  // the elements around the text; 30 more for each chunk
// Every so many pieces one is made to see how large all would be.
constexpr size_t kSample = 16;

// The tree's nodes as text, the widest ones first until there is so much of it.
class TreeData {
 public:
  // About `goal` bytes of nodes and names.
  TreeData(const FlameTree& tree, const TreeSizes& sizes, const Palette& palette, uint64_t goal)
      : tree_(tree), sizes_(sizes), palette_(palette), cut_(tree, sizes, goal) {
    number_names();
    nodes_.emplace(tree, sizes, cut_, numbers_);
  }

  // The size that all has, as far as some pieces tell. Where that is more than `most`, no more is
  // made.
  uint64_t make(uint64_t most) {
    const size_t pieces = nodes_->pieces();
    const size_t step = cut_.takes_all() || pieces < 2 * kSample ? 1 : kSample;
    const size_t sample = (pieces + step - 1) / step;
    in_parallel(sample + 1, [&](size_t i) {
      if (i == 0)
        write_names();
      else
        nodes_->make((i - 1) * step);
    });
    if (step == 1 || size() > most) return size();
    in_parallel(pieces - sample, [&](size_t i) { nodes_->make(i + i / (step - 1) + 1); });
    return size();
  }

  void put(const Sink& sink) {
    sink(
        format("<metadata id=\"tree\" data-nodes=\"%llu\" data-names=\"%zu\" "
               "data-total=\"%llu\"",
               static_cast<unsigned long long>(nodes_->nodes()), order_.size(),
               static_cast<unsigned long long>(tree_.total(FlameTree::kRoot))));
    if (tree_.differential())
      sink(format(" data-total-before=\"%llu\"",
                  static_cast<unsigned long long>(tree_.total_before(FlameTree::kRoot))));
    if (tree_.order() == FlameTree::Order::input) sink(" data-order=\"input\"");
    sink(">\n");
    for (size_t at = 0; at == 0 || at < names_.size();) {
      size_t end = std::min(names_.size(), at + kChunk);
      // neither an entity nor a character may be cut in two
      if (end < names_.size()) end = cut_before(end);
      sink("<g class=\"names\">");
      sink(std::string_view(names_).substr(at, end - at));
      sink("</g>\n");
      at = end;
      if (at == names_.size()) break;
    }
    sink("<g class=\"colours\">");
    sink(colours_);
    sink("</g>\n<g class=\"nodes\">");
    nodes_->put(sink, kChunk, [&] { sink("</g>\n<g class=\"nodes\">"); });
    sink("</g>\n</metadata>\n");
  }

 private:
  // Names that occur more come first: their numbers are shorter.
  void number_names() {
    const uint32_t count = tree_.names().size();
    const size_t parts = tree_.size() < kAlone ? 1 : workers();
    std::vector<std::vector<uint32_t>> uses(parts);
    in_parallel(parts, [&](size_t i) {
      uses[i].assign(count, 0);
      const auto last = static_cast<uint32_t>(uint64_t{tree_.size()} * (i + 1) / parts);
      for (auto node = static_cast<uint32_t>(uint64_t{tree_.size()} * i / parts); node < last;
           ++node)
        if (cut_.takes(node, sizes_.width(node))) ++uses[i][tree_.name_id(node)];
    });
    struct Use {
      uint32_t times, name;
      uint64_t key;  // the name's first bytes, which compare like it as far as they go
    };
    std::vector<Use> used;
    const uint32_t root = tree_.name_id(FlameTree::kRoot);
    for (uint32_t name = 0; name < count; ++name) {
      uint32_t times = 0;
      for (const std::vector<uint32_t>& one : uses) times += one[name];
      written_ += times;
      // the root's is the first in any case, and other nodes may have it, too
      if (name == root) times = UINT32_MAX;
      const std::string_view text = tree_.names()[name];
      if (times > 0)
        used.push_back({times, name, __builtin_bswap64(load_bytes(text.data(), text.size()))});
    }
    std::sort(used.begin(), used.end(), [&](const Use& a, const Use& b) {
      if (a.times != b.times) return a.times > b.times;
      return a.key != b.key ? a.key < b.key : tree_.names()[a.name] < tree_.names()[b.name];
    });
    numbers_.resize(count);
    for (uint32_t i = 0; i < used.size(); ++i) {
      numbers_[used[i].name] = i;
      order_.push_back(used[i].name);
    }
  }

  void write_names() {
    for (const uint32_t number : order_) {
      const std::string_view name = tree_.names()[number];
      if (number != order_.front()) names_ += '\n';
      append_xml(names_, name);
      const Colour colour = palette_.colour(name);
      append_number(colours_, static_cast<uint64_t>(colour.red) << 16 |
                                  static_cast<uint64_t>(colour.green) << 8 | colour.blue);
    }
  }

  // Of all, when what is not made yet is like what is.
  uint64_t size() const {
    uint64_t size = nodes_->size();
    if (const uint64_t nodes = nodes_->nodes(); nodes < written_)
      size =
          static_cast<uint64_t>(static_cast<long double>(size) / static_cast<long double>(nodes) *
                                static_cast<long double>(written_));
    size += colours_.size() + names_.size() + kFrameworkBytes;
    return size + size / kChunk * 30;
  }

  // Where names_ may be cut, at `end` or a little before.
  size_t cut_before(size_t end) const {
    while ((static_cast<unsigned char>(names_[end]) & 0xc0) == 0x80) --end;
    for (size_t i = 1; i <= 6; ++i)  // &quot; is the longest
      if (names_[end - i] == '&') return names_.find(';', end - i) < end ? end : end - i;
    return end;
  }

  const FlameTree& tree_;
  const TreeSizes& sizes_;
  const Palette& palette_;
  TreeCut cut_;
  std::vector<uint32_t> order_;    // the names that are written, by line
  std::vector<uint32_t> numbers_;  // by name: its line
  std::string names_, colours_;
  std::optional<NodeText> nodes_;
  uint64_t written_ = 0;  // how many nodes will be
};

}  // namespace

void append_number(std::string& out, uint64_t value) {
  std::array<char, kNumberSize> text;
  out.append(text.data(), put_number(text.data(), value));
}

void write_tree_data(const FlameTree& tree, const TreeSizes& sizes, const Palette& palette,
                     uint64_t budget, const Sink& sink) {
  // The estimates are a little too low as a rule. Where that was not enough, the next try aims
  // lower still.
  for (uint64_t goal = budget - budget / 32; goal > kFrameworkBytes;) {
    TreeData data(tree, sizes, palette, goal - kFrameworkBytes);
    const uint64_t size = data.make(budget);
    if (size <= budget) return data.put(sink);
    const auto share = static_cast<long double>(budget) / static_cast<long double>(size);
    goal = static_cast<uint64_t>(static_cast<long double>(goal) * std::min(share, 1.0L) * 0.98L);
  }
}

void write_tree_data(const FlameTree& tree, const Palette& palette, uint64_t budget,
                     const Sink& sink) {
  if (budget <= kFrameworkBytes) return;
  write_tree_data(tree, TreeSizes(tree), palette, budget, sink);
}

}  // namespace aiflame::svg
