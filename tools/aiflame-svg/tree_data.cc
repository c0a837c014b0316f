// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "libcommon/parallel.h"
#include "libcommon/program.h"
#include "tools/aiflame-svg/xml.h"

namespace aiflame {
namespace {

// Far below the 10 MB that libxml2 allows without its option "huge".
constexpr size_t kChunk = size_t{1} << 20;
constexpr uint32_t kUnused = UINT32_MAX;
// So little is written before another thread has begun.
constexpr uint64_t kAlone = 200000;
constexpr size_t kFrameworkBytes = 300;  // the elements around the text; 30 more for each chunk

char* put_number(char* out, uint64_t value) {
  for (; value >= 32; value >>= 5) *out++ = static_cast<char>(63 + 32 + (value & 31));
  *out++ = static_cast<char>(63 + value);
  return out;
}

// The tree's nodes as text, the widest ones first until there is so much of it.
class TreeData {
 public:
  TreeData(const FlameTree& tree, const TreeSizes& sizes, const Palette& palette)
      : tree_(tree), sizes_(sizes), palette_(palette), differential_(tree.differential()) {}

  // About `goal` bytes of nodes and names: sizes are estimates.
  void encode(uint64_t goal) {
    nodes_.reserve(std::min(goal, sizes_.all()));
    choose(goal);
    number_names();
    encode();
  }
  uint64_t size() const {
    const uint64_t size = nodes_.size() + colours_.size() + names_.size() + kFrameworkBytes;
    return size + size / kChunk * 30;
  }

  void put(const Sink& sink) {
    sink(
        format("<metadata id=\"tree\" data-nodes=\"%llu\" data-names=\"%zu\" "
               "data-total=\"%llu\"",
               static_cast<unsigned long long>(written_), order_.size(),
               static_cast<unsigned long long>(tree_.total(FlameTree::kRoot))));
    if (differential_)
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
    sink("</g>\n");
    cuts_.push_back(nodes_.size());
    size_t at = 0;
    for (const size_t cut : cuts_) {
      sink("<g class=\"nodes\">");
      sink(std::string_view(nodes_).substr(at, cut - at));
      sink("</g>\n");
      at = cut;
    }
    sink("</metadata>\n");
  }

 private:
  struct Step {
    uint32_t node;
    uint32_t depth;
    uint64_t gap;
  };

  // The narrowest class of which anything fits.
  void choose(uint64_t goal) {
    room_ = goal;
    for (class_ = TreeSizes::kClasses - 1; class_ > 0 && sizes_.class_size(class_) <= room_;
         --class_)
      room_ -= sizes_.class_size(class_);
  }

  void number_names() {
    const uint32_t count = tree_.names().size();
    uses_.assign(count, 0);
    for (uint32_t node = 0; node < tree_.size(); ++node)
      if (const uint64_t w = sizes_.width(node); w > 0 && TreeSizes::class_of(w) >= class_)
        ++uses_[tree_.name_id(node)];
    order_.clear();
    for (uint32_t name = 0; name < count; ++name)
      if (uses_[name] > 0) order_.push_back(name);
    const uint32_t root = tree_.name_id(FlameTree::kRoot);
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
      if ((a == root) != (b == root)) return a == root;
      if (uses_[a] != uses_[b]) return uses_[a] > uses_[b];
      return tree_.names()[a] < tree_.names()[b];
    });
    number_.assign(count, kUnused);
    names_.clear();
    colours_.clear();
    for (uint32_t i = 0; i < order_.size(); ++i) {
      const std::string_view name = tree_.names()[order_[i]];
      number_[order_[i]] = i;
      if (i > 0) names_ += '\n';
      append_xml(names_, name);
      const Colour colour = palette_.colour(name);
      append_number(colours_, static_cast<uint64_t>(colour.red) << 16 |
                                  static_cast<uint64_t>(colour.green) << 8 | colour.blue);
    }
  }

  // Whether a node is written. What is wider than class_ always is; of class_, from left to right,
  // as long as there is room.
  bool takes(uint32_t node, uint64_t w) {
    const size_t c = TreeSizes::class_of(w);
    if (c != class_) return c > class_;
    // its name was paid for when it has a wider node
    const uint32_t name = tree_.name_id(node);
    uint64_t size = sizes_.node_size(node, w);
    if (TreeSizes::class_of(sizes_.widest(name)) == class_ && !paid_[name])
      size += sizes_.name_size(name);
    if (size > room_) return false;
    room_ -= size;
    paid_[name] = true;
    return true;
  }

  void encode() {
    paid_.assign(tree_.names().size(), false);
    written_ = 0;
    std::vector<Step> pending = {{FlameTree::kRoot, 0, 0}};
    uint32_t last_depth = 0;
    while (!pending.empty()) {
      const Step step = pending.back();
      pending.pop_back();
      write_node(step, last_depth, pending);
      last_depth = step.depth;
    }
  }

  void write_node(const Step& step, uint32_t last_depth, std::vector<Step>& pending) {
    const uint32_t node = step.node;
    uint64_t rest = 0, rest_before = 0, rest_frames = 0, gap = 0;
    const size_t first = pending.size();
    uint64_t at = tree_.order() == FlameTree::Order::input ? tree_.start(node) : 0;
    for (const uint32_t child : tree_.children(node)) {
      const uint64_t w = sizes_.width(child);
      if (w == 0) continue;
      if (tree_.order() == FlameTree::Order::input) {
        gap += tree_.start(child) - at;
        at = tree_.start(child) + tree_.total(child);
      }
      if (takes(child, w)) {
        pending.push_back({child, step.depth + 1, gap});
        gap = 0;
        continue;
      }
      gap += tree_.total(child);
      rest += tree_.total(child);
      rest_before += tree_.total_before(child);
      rest_frames += sizes_.frames_below(child) + 1;
    }
    std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());

    const size_t begin = nodes_.size();
    if (begin - (cuts_.empty() ? 0 : cuts_.back()) > kChunk) cuts_.push_back(begin);
    const uint64_t self = tree_.self(node), self_before = tree_.self_before(node);
    const bool own = self > 0 || self_before > 0, extra = step.gap > 0 || rest_frames > 0;
    const uint32_t up = written_ == 0 ? 0 : last_depth + 1 - step.depth;
    // at most eight numbers of thirteen characters
    std::array<char, size_t{8} * 13> text;
    char* out = text.data();
    const auto number = [&out](uint64_t value) { out = put_number(out, value); };
    number(uint64_t{up} * 4 + (extra ? 2 : 0) + (own ? 1 : 0));
    number(number_[tree_.name_id(node)]);
    if (own) {
      number(self);
      if (differential_) number(self_before);
    }
    if (extra) {
      number((step.gap > 0 ? 1 : 0) + (rest_frames > 0 ? 2 : 0));
      if (step.gap > 0) number(step.gap);
      if (rest_frames > 0) {
        number(rest);
        if (differential_) number(rest_before);
        number(rest_frames);
      }
    }
    nodes_.append(text.data(), out);
    ++written_;
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
  const bool differential_;
  std::vector<uint32_t> uses_;    // by name: nodes that may be written
  std::vector<uint32_t> number_;  // by name: its line
  std::vector<uint32_t> order_;   // the names, by line
  std::string names_, colours_, nodes_;
  std::vector<size_t> cuts_;
  size_t class_ = 0;
  uint64_t room_ = 0;       // for nodes of class_
  std::vector<bool> paid_;  // by name: it has a node of class_ that is written
  uint64_t written_ = 0;
};

}  // namespace

void append_number(std::string& out, uint64_t value) {
  std::array<char, 13> text;
  out.append(text.data(), put_number(text.data(), value));
}

void write_tree_data(const FlameTree& tree, const TreeSizes& sizes, const Palette& palette,
                     uint64_t budget, const Sink& sink) {
  // Where the estimates were too low, the next try aims lower. The next one is made by another
  // thread meanwhile, unless the first is known to be small or whole.
  std::vector<uint64_t> goals;
  for (uint64_t goal = budget; goal > kFrameworkBytes; goal -= goal / 8) goals.push_back(goal);
  for (size_t first = 0; first < goals.size();) {
    std::vector<TreeData> tries;
    const bool alone = budget < kAlone || sizes.all() < goals[first] || workers() == 1;
    const size_t count = std::min<size_t>(alone ? 1 : 2, goals.size() - first);
    for (size_t i = 0; i < count; ++i) tries.emplace_back(tree, sizes, palette);
    in_parallel(count, [&](size_t i) { tries[i].encode(goals[first + i] - kFrameworkBytes); });
    for (TreeData& data : tries)
      if (data.size() <= budget) return data.put(sink);
    first += count;
  }
}

void write_tree_data(const FlameTree& tree, const Palette& palette, uint64_t budget,
                     const Sink& sink) {
  if (budget <= kFrameworkBytes) return;
  write_tree_data(tree, TreeSizes(tree), palette, budget, sink);
}

}  // namespace aiflame
