// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/name_text.h"

#include <algorithm>
#include <string_view>

#include "libcommon/parallel/parallel.h"
#include "libcommon/text/byte_scan.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/data/packed_number.h"

namespace aiflame::svg {
namespace {

// Fewer nodes than this are counted by one thread: starting another takes longer.
constexpr uint32_t kAlone = 100000;

}  // namespace

// Names that occur more often come first, since their lines have shorter numbers.
NameText::NameText(const FlameTree& tree, const TreeSizes& sizes, const TreeCut& cut,
                   const std::vector<uint32_t>& more)
    : tree_(tree) {
  struct Use {
    uint32_t times, name;
    uint64_t key;  // the name's first bytes, which compare as the name does
  };
  const std::vector<uint32_t> uses = count_uses(sizes, cut);
  std::vector<bool> wanted(uses.size());
  for (const uint32_t name : more) wanted[name] = true;
  std::vector<Use> used;
  const uint32_t root = tree_.name_id(FlameTree::kRoot);
  for (uint32_t name = 0; name < uses.size(); ++name) {
    nodes_ += uses[name];
    // the root's name is always first; other nodes may have it too
    const uint32_t times = name == root ? UINT32_MAX : uses[name];
    const std::string_view text = tree_.names()[name];
    if (times > 0 || wanted[name])
      used.push_back({times, name, __builtin_bswap64(load_bytes(text.data(), text.size()))});
  }
  std::sort(used.begin(), used.end(), [&](const Use& a, const Use& b) {
    if (a.times != b.times) return a.times > b.times;
    return a.key != b.key ? a.key < b.key : tree_.names()[a.name] < tree_.names()[b.name];
  });
  lines_.resize(uses.size());
  for (uint32_t i = 0; i < used.size(); ++i) {
    lines_[used[i].name] = i;
    order_.push_back(used[i].name);
  }
}

// By name: how many of its nodes are written.
std::vector<uint32_t> NameText::count_uses(const TreeSizes& sizes, const TreeCut& cut) const {
  const uint32_t count = tree_.names().size();
  const size_t parts = tree_.size() < kAlone ? 1 : workers();
  std::vector<std::vector<uint32_t>> uses(parts);
  in_parallel(parts, [&](size_t i) {
    uses[i].assign(count, 0);
    const auto last = static_cast<uint32_t>(uint64_t{tree_.size()} * (i + 1) / parts);
    for (auto node = static_cast<uint32_t>(uint64_t{tree_.size()} * i / parts); node < last; ++node)
      if (cut.takes(node, sizes.width(node))) ++uses[i][tree_.name_id(node)];
  });
  for (size_t i = 1; i < parts; ++i)
    for (uint32_t name = 0; name < count; ++name) uses[0][name] += uses[i][name];
  return std::move(uses[0]);
}

void NameText::make(const Palette& palette) {
  for (const uint32_t number : order_) {
    const std::string_view name = tree_.names()[number];
    if (number != order_.front()) names_ += '\n';
    append_xml(names_, name);
    const Colour colour = palette.colour(name);
    append_number(colours_, static_cast<uint64_t>(colour.red) << 16 |
                                static_cast<uint64_t>(colour.green) << 8 | colour.blue);
  }
}

void NameText::put(const Sink& sink, size_t chunk) const {
  for (size_t at = 0; at == 0 || at < names_.size();) {
    size_t end = std::min(names_.size(), at + chunk);
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
}

// The last place up to `end` where names_ may be cut: not within an entity or a character.
size_t NameText::cut_before(size_t end) const {
  while ((static_cast<unsigned char>(names_[end]) & 0xc0) == 0x80) --end;
  for (size_t i = 1; i <= 6; ++i)  // &quot; is the longest
    if (names_[end - i] == '&') return names_.find(';', end - i) < end ? end : end - i;
  return end;
}

}  // namespace aiflame::svg
