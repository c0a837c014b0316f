// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/tree_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "libcommon/program.h"
#include "tools/aiflame-svg/xml.h"

namespace aiflame {
namespace {

// Far below the 10 MB that libxml2 allows without its option "huge".
constexpr size_t kChunk = size_t{1} << 20;
constexpr uint32_t kUnused = UINT32_MAX;
constexpr size_t kFrameworkBytes = 300;  // the elements around the text; 30 more for each chunk

size_t number_size(uint64_t value) {
  return std::max<size_t>(1, (static_cast<size_t>(std::bit_width(value)) + 4) / 5);
}

// Classes of widths: exact below 32, then 16 to each doubling, so that "widest first" holds to 6 %.
constexpr size_t kClasses = size_t{64} * 16;
size_t class_of(uint64_t width) {
  if (width < 32) return static_cast<size_t>(width);
  const auto shift = static_cast<size_t>(std::bit_width(width)) - 5;
  return shift * 16 + static_cast<size_t>(width >> shift);
}

class TreeData {
 public:
  TreeData(const FlameTree& tree, const Palette& palette, const Sink& sink)
      : tree_(tree), palette_(palette), sink_(sink), differential_(tree.differential()) {}

  void write(uint64_t budget) {
    measure();
    uint64_t goal = budget;
    // the sizes below are estimates: where they were too low, the next try aims lower
    while (goal > kFrameworkBytes) {
      choose(goal - kFrameworkBytes);
      number_names();
      encode();
      uint64_t size = nodes_.size() + colours_.size() + names_.size() + kFrameworkBytes;
      size += size / kChunk * 30;
      if (size <= budget) return put();
      goal -= goal / 8;
    }
  }

 private:
  struct Step {
    uint32_t node;
    uint32_t depth;
    uint64_t gap;
  };

  uint64_t width(uint32_t node) const {
    return std::max(tree_.total(node), tree_.total_before(node));
  }

  // What each class of widths takes, and how wide each name's widest node is.
  void measure() {
    widest_.assign(tree_.names().size(), 0);
    uses_.assign(tree_.names().size(), 0);
    name_number_size_ = number_size(tree_.names().size() / 8);
    for (uint32_t node = 0; node < tree_.size(); ++node) {
      const uint64_t w = width(node);
      if (w == 0) continue;
      const uint32_t name = tree_.name_id(node);
      widest_[name] = std::max(widest_[name], w);
      cost_[class_of(w)] += node_size(node, w);
    }
    for (uint32_t name = 0; name < tree_.names().size(); ++name)
      if (widest_[name] > 0) cost_[class_of(widest_[name])] += name_size(name);
  }

  uint64_t name_size(uint32_t name) const {
    std::string text;
    append_xml(text, tree_.names()[name]);
    return text.size() + 1 + 5;  // with its line's end and its colour
  }

  // The narrowest class of which anything fits.
  void choose(uint64_t goal) {
    room_ = goal;
    for (class_ = kClasses - 1; class_ > 0 && cost_[class_] <= room_; --class_)
      room_ -= cost_[class_];
  }

  void number_names() {
    const uint32_t count = tree_.names().size();
    std::fill(uses_.begin(), uses_.end(), 0);
    for (uint32_t node = 0; node < tree_.size(); ++node)
      if (const uint64_t w = width(node); w > 0 && class_of(w) >= class_)
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
    const size_t c = class_of(w);
    if (c != class_) return c > class_;
    // its name was paid for when it has a wider node
    const uint32_t name = tree_.name_id(node);
    uint64_t size = node_size(node, w);
    if (class_of(widest_[name]) == class_ && !paid_[name]) size += name_size(name);
    if (size > room_) return false;
    room_ -= size;
    paid_[name] = true;
    return true;
  }

  // A guess, before it is known which number the name has, and what is left out below.
  uint64_t node_size(uint32_t node, uint64_t w) const {
    const uint64_t own = tree_.children(node).empty() ? w : w / 16;
    return 1 + name_number_size_ + number_size(own) * (differential_ ? 2 : 1);
  }

  void encode() {
    nodes_.clear();
    cuts_.clear();
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
    if (tree_.children(node).size() > 1) tree_.fetch(tree_.children(node));
    const size_t first = pending.size();
    uint64_t at = tree_.order() == FlameTree::Order::input ? tree_.start(node) : 0;
    for (const uint32_t child : tree_.children(node)) {
      const uint64_t w = width(child);
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
      rest_frames += frames_below(child) + 1;
    }
    std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(first), pending.end());

    const size_t begin = nodes_.size();
    if (begin - (cuts_.empty() ? 0 : cuts_.back()) > kChunk) cuts_.push_back(begin);
    const uint64_t self = tree_.self(node), self_before = tree_.self_before(node);
    const bool own = self > 0 || self_before > 0, extra = step.gap > 0 || rest_frames > 0;
    const uint32_t up = written_ == 0 ? 0 : last_depth + 1 - step.depth;
    append_number(nodes_, uint64_t{up} * 4 + (extra ? 2 : 0) + (own ? 1 : 0));
    append_number(nodes_, number_[tree_.name_id(node)]);
    if (own) {
      append_number(nodes_, self);
      if (differential_) append_number(nodes_, self_before);
    }
    if (extra) {
      append_number(nodes_, (step.gap > 0 ? 1 : 0) + (rest_frames > 0 ? 2 : 0));
      if (step.gap > 0) append_number(nodes_, step.gap);
      if (rest_frames > 0) {
        append_number(nodes_, rest);
        if (differential_) append_number(nodes_, rest_before);
        append_number(nodes_, rest_frames);
      }
    }
    ++written_;
  }

  // How many frames that count are on top of `node`.
  uint32_t frames_below(uint32_t node) {
    if (frames_.empty()) {
      frames_.assign(tree_.size(), 0);
      for (uint32_t i = tree_.size() - 1; i > 0; --i)
        if (width(i) > 0) frames_[tree_.parent(i)] += frames_[i] + 1;
    }
    return frames_[node];
  }

  void put() {
    sink_(
        format("<metadata id=\"tree\" data-nodes=\"%llu\" data-names=\"%zu\" "
               "data-total=\"%llu\"",
               static_cast<unsigned long long>(written_), order_.size(),
               static_cast<unsigned long long>(tree_.total(FlameTree::kRoot))));
    if (differential_)
      sink_(format(" data-total-before=\"%llu\"",
                   static_cast<unsigned long long>(tree_.total_before(FlameTree::kRoot))));
    if (tree_.order() == FlameTree::Order::input) sink_(" data-order=\"input\"");
    sink_(">\n");
    for (size_t at = 0; at == 0 || at < names_.size();) {
      size_t end = std::min(names_.size(), at + kChunk);
      // neither an entity nor a character may be cut in two
      if (end < names_.size()) end = cut_before(end);
      sink_("<g class=\"names\">");
      sink_(std::string_view(names_).substr(at, end - at));
      sink_("</g>\n");
      at = end;
      if (at == names_.size()) break;
    }
    sink_("<g class=\"colours\">");
    sink_(colours_);
    sink_("</g>\n");
    cuts_.push_back(nodes_.size());
    size_t at = 0;
    for (const size_t cut : cuts_) {
      sink_("<g class=\"nodes\">");
      sink_(std::string_view(nodes_).substr(at, cut - at));
      sink_("</g>\n");
      at = cut;
    }
    sink_("</metadata>\n");
  }

  // Where names_ may be cut, at `end` or a little before.
  size_t cut_before(size_t end) const {
    while ((static_cast<unsigned char>(names_[end]) & 0xc0) == 0x80) --end;
    for (size_t i = 1; i <= 6; ++i)  // &quot; is the longest
      if (names_[end - i] == '&') return names_.find(';', end - i) < end ? end : end - i;
    return end;
  }

  const FlameTree& tree_;
  const Palette& palette_;
  const Sink& sink_;
  const bool differential_;
  std::array<uint64_t, kClasses> cost_{};
  std::vector<uint64_t> widest_;  // by name
  std::vector<uint32_t> uses_;    // by name: nodes that may be written
  std::vector<uint32_t> number_;  // by name: its line
  std::vector<uint32_t> order_;   // the names, by line
  std::vector<uint32_t> frames_;
  std::string names_, colours_, nodes_;
  std::vector<size_t> cuts_;
  size_t class_ = 0;
  size_t name_number_size_ = 0;
  uint64_t room_ = 0;       // for nodes of class_
  std::vector<bool> paid_;  // by name: it has a node of class_ that is written
  uint64_t written_ = 0;
};

}  // namespace

void append_number(std::string& out, uint64_t value) {
  for (; value >= 32; value >>= 5) out += static_cast<char>(63 + 32 + (value & 31));
  out += static_cast<char>(63 + value);
}

void write_tree_data(const FlameTree& tree, const Palette& palette, uint64_t budget,
                     const Sink& sink) {
  TreeData(tree, palette, sink).write(budget);
}

}  // namespace aiflame
