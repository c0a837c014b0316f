// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/name_totals.h"

#include <algorithm>

#include "libcommon/parallel/parallel.h"
#include "tools/aiflame-svg/data/packed_number.h"

namespace aiflame::svg {
namespace {

// Fewer nodes than this are summed by one thread: starting another takes longer.
constexpr uint32_t kAlone = 100000;
// Further names count less than a 32768th of the whole: a tenth of a pixel on a screen of 4k.
constexpr size_t kMostNames = size_t{1} << 15;
// A guess of the bytes that an entry needs to get from one line to the next.
constexpr uint64_t kStepSize = 2;

}  // namespace

NameTotals::NameTotals(const FlameTree& tree, const TreeSizes& sizes, uint64_t room)
    : tree_(tree), sizes_(sizes), sums_(sum()) {
  const std::vector<uint32_t> by_self = greatest(&Side::self), by_total = greatest(&Side::total);
  std::vector<bool> taken(tree.names().size());
  for (size_t i = 0; i < by_self.size() && names_.size() < kMostNames; ++i)
    for (const uint32_t name : {by_self[i], by_total[i]}) {
      if (taken[name]) continue;
      const uint64_t size = entry_size(name);
      if (size_ + size > room) continue;  // a shorter name may fit
      size_ += size;
      taken[name] = true;
      names_.push_back(name);
    }
}

uint64_t NameTotals::entry_size(uint32_t name) const {
  const auto size_of = [](const Side& side) {
    return number_size(side.self) + number_size(side.total - side.self);
  };
  uint64_t size = kStepSize + size_of(sums_.after[name]) + sizes_.name_size(name);
  if (tree_.differential()) size += size_of(sums_.before[name]);
  if (tree_.shows_vanished()) size += number_size(sums_.room[name]);
  return size;
}

NameTotals::Sums NameTotals::sum() const {
  const uint32_t names = tree_.names().size();
  const size_t parts = tree_.size() < kAlone ? 1 : workers();
  std::vector<Sums> sums(parts);
  in_parallel(parts, [&](size_t i) {
    sums[i].after.resize(names);
    if (tree_.differential()) sums[i].before.resize(names);
    if (tree_.shows_vanished()) sums[i].room.resize(names);
    const uint64_t size = tree_.size();
    // the root is no function
    sum_part(std::max(1U, static_cast<uint32_t>(size * i / parts)),
             static_cast<uint32_t>(size * (i + 1) / parts), sums[i]);
  });
  const auto add = [](std::vector<Side>& to, const std::vector<Side>& from) {
    for (size_t name = 0; name < to.size(); ++name) {
      to[name].self += from[name].self;
      to[name].total += from[name].total;
    }
  };
  for (size_t i = 1; i < parts; ++i) {
    add(sums[0].after, sums[i].after);
    add(sums[0].before, sums[i].before);
    for (size_t name = 0; name < sums[0].room.size(); ++name)
      sums[0].room[name] += sums[i].room[name];
  }
  return std::move(sums[0]);
}

// A function that calls itself is in a stack more than once. Its total is that of its outermost
// nodes: nodes are in pre-order, so a node lies within another of its name just when it comes
// before that one's end.
void NameTotals::sum_part(uint32_t first, uint32_t last, Sums& sums) const {
  if (first >= last) return;
  open_path(first, sums);
  for (uint32_t node = first; node < last; ++node) {
    const uint32_t name = tree_.name_id(node);
    Side& after = sums.after[name];
    const bool outermost = node >= after.end;
    after.self += tree_.self(node);
    if (outermost) {
      after.end = tree_.end(node);
      after.total += tree_.total(node);
    }
    if (tree_.differential()) {
      sums.before[name].self += tree_.self_before(node);
      if (outermost) sums.before[name].total += tree_.total_before(node);
    }
    if (tree_.shows_vanished()) sums.room[name] += tree_.self_room(node);
  }
}

// A part may begin within nodes of earlier parts.
void NameTotals::open_path(uint32_t node, Sums& sums) const {
  for (uint32_t below = FlameTree::kRoot; below != node;) {
    for (const uint32_t child : tree_.children(below))
      if (node < tree_.end(child)) {
        below = child;
        break;
      }
    uint32_t& end = sums.after[tree_.name_id(below)].end;
    if (below != node) end = std::max(end, tree_.end(below));
  }
}

// The names with the greatest counts on either side, the greatest first.
std::vector<uint32_t> NameTotals::greatest(uint64_t Side::*count) const {
  std::vector<uint32_t> names;
  const auto greater_side = [&](uint32_t name, uint64_t Side::*of) {
    const uint64_t after = sums_.after[name].*of;
    return tree_.differential() ? std::max(after, sums_.before[name].*of) : after;
  };
  for (uint32_t name = 0; name < sums_.after.size(); ++name)
    if (greater_side(name, &Side::total) > 0) names.push_back(name);
  const size_t most = std::min(kMostNames, names.size());
  std::partial_sort(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(most), names.end(),
                    [&](uint32_t a, uint32_t b) {
                      const uint64_t of_a = greater_side(a, count), of_b = greater_side(b, count);
                      return of_a != of_b ? of_a > of_b : tree_.names()[a] < tree_.names()[b];
                    });
  names.resize(most);
  return names;
}

std::string NameTotals::text(const std::vector<uint32_t>& lines) const {
  std::vector<uint32_t> in_order = names_;
  std::sort(in_order.begin(), in_order.end(),
            [&](uint32_t a, uint32_t b) { return lines[a] < lines[b]; });
  std::string out;
  const auto put = [&out](const Side& side) {
    append_number(out, side.self);
    append_number(out, side.total - side.self);
  };
  uint32_t line = 0;
  for (const uint32_t name : in_order) {
    append_number(out, lines[name] - line);
    line = lines[name];
    put(sums_.after[name]);
    if (tree_.differential()) put(sums_.before[name]);
    if (tree_.shows_vanished()) append_number(out, sums_.room[name]);
  }
  return out;
}

}  // namespace aiflame::svg
