// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/change_marks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <vector>

#include "libcommon/text/text_hash.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/draw/shown_count.h"

namespace aiflame::svg {
namespace {

// aiflame-diff judges frames of a thousandth of a side or more.
constexpr uint64_t kJudged = 1001;

// Of frames from the root: each is added to the hash of those below it.
uint64_t hash_of(std::string_view frames) {
  uint64_t hash = hash_seed();
  while (!frames.empty()) {
    const size_t end = std::min(frames.find(';'), frames.size());
    hash = hash_text(frames.substr(0, end), hash);
    frames.remove_prefix(std::min(end + 1, frames.size()));
  }
  return hash;
}

bool is_count(Count count, unsigned decimals, uint64_t value) {
  return count.decimals <= decimals && widen(count, decimals) && count.value == value;
}

// "-278", in the unit that is shown.
std::string bound_text(double bound, const Drawing& drawing) {
  const double value = std::round(std::fabs(bound) * std::pow(10.0, drawing.decimals));
  // beyond this a double has no whole numbers
  const auto count = static_cast<uint64_t>(std::min(value, 9e15));
  return (bound < 0 ? "-" : "+") + shown_count(count, drawing);
}

}  // namespace

ChangeMarks::ChangeMarks(const FlameTree& tree, unsigned decimals, const FrameChanges& changes) {
  if (changes.empty() || !tree.differential() || tree.order() != FlameTree::Order::merged) return;
  std::unordered_map<uint64_t, const FrameChange*> by_hash;
  for (const FrameChange& change : changes.all()) by_hash.emplace(hash_of(change.frames), &change);
  const auto mark = [&](uint32_t node, uint64_t hash, std::string_view frames) {
    const auto known = by_hash.find(hash);
    if (known == by_hash.end() || known->second->frames != frames) return;
    const FrameChange& change = *known->second;
    if (is_count(change.before, decimals, tree.total_before(node)) &&
        is_count(change.after, decimals, tree.total(node)))
      marks_.emplace(node, change);
  };
  const auto is_judged = [&](uint32_t node) {
    return tree.total(node) > tree.total(FlameTree::kRoot) / kJudged ||
           tree.total_before(node) > tree.total_before(FlameTree::kRoot) / kJudged;
  };
  struct Open {
    uint32_t end;
    uint64_t hash;
    size_t length;  // of the frames' text
  };
  mark(FlameTree::kRoot, hash_seed(), "");
  std::vector<Open> open{{tree.end(FlameTree::kRoot), hash_seed(), 0}};
  std::string frames;
  for (uint32_t node = FlameTree::kRoot + 1; node < tree.size();) {
    while (open.back().end <= node) open.pop_back();
    if (!is_judged(node)) {
      node = tree.end(node);
      continue;
    }
    frames.resize(open.back().length);
    if (open.size() > 1) frames += ';';
    frames += tree.name(node);
    open.push_back({tree.end(node), hash_text(tree.name(node), open.back().hash), frames.size()});
    mark(node, open.back().hash, frames);
    ++node;
  }
}

const FrameChange* ChangeMarks::find(uint32_t node) const {
  const auto known = marks_.find(node);
  return known == marks_.end() ? nullptr : &known->second;
}

bool ChangeMarks::is_noise(uint32_t node) const {
  const FrameChange* const change = find(node);
  return change != nullptr && !change->is_beyond_noise();
}

std::string ChangeMarks::text(uint32_t node, const Drawing& drawing) const {
  const FrameChange* const change = find(node);
  if (change == nullptr) return "";
  const double low = drawing.negate ? -change->high : change->low;
  const double high = drawing.negate ? -change->low : change->high;
  return (change->is_beyond_noise() ? "beyond noise: " : "within noise: ") +
         bound_text(low, drawing) + " to " + bound_text(high, drawing) + " " + drawing.count_name;
}

std::string ChangeMarks::element(const Drawing& drawing) const {
  if (marks_.empty()) return "";
  std::map<std::string_view, uint32_t> nodes;  // by frames, so that the file has one order
  for (const auto& [node, change] : marks_) nodes.emplace(change.frames, node);
  std::string out = "<metadata id=\"framechanges\">\n";
  for (const auto& [frames, node] : nodes)
    out += "<g data-frames=\"" + xml(frames) + "\">" + xml(text(node, drawing)) + "</g>\n";
  return out + "</metadata>\n";
}

}  // namespace aiflame::svg
