// SPDX-License-Identifier: MIT
// The whole flame tree as compact text inside the picture. From it the script draws frames that are
// too narrow to be elements, and merges and sorts stacks in other ways. page/tree_data.js reads it.
//
//   <metadata id="tree" data-nodes="4" data-names="4" data-total="4" data-total-before="0">
//   <g class="names">
//   app
//   read
//   write</g>
//   <g class="colours">…</g>
//   <g class="totals">…</g>
//   <g class="nodes">?@CAA@D@B…</g></metadata>
//
// Numbers are written as in Google's "encoded polyline": five bits a character, the lowest first.
// 0x20 is added when more characters follow, then 63. That gives the characters ?@A…Z[\]^_`a…z{|}~,
// which are neither markup nor script, and reading them needs no table. `names` has one name a
// line: first the root's, which is empty, then those that occur most often. `colours` has a number
// for each name, red * 65536 + green * 256 + blue. `totals` is there when nodes were left out: what
// names count in the whole tree, for those that count most (NameTotals). An entry is
//
//   step             lines from the previous entry; the first counts from the root's line
//   self above       the count of its nodes themselves; the other counts of the stacks it is in,
//                    however often it is in one
//   [self above      before, in a differential
//   [room]]          with data-room: how wide its nodes' own parts are
//
// `nodes` has the nodes in pre-order: the root, then its children from left to right, each followed
// by its own descendants. A node is
//
//   up * 4 + extra * 2 + own   up: levels from the previous node back to the parent
//   name                       its line
//   self [before]              if own is 1: the count of the node itself; `before` in a
//                              differential
//   extras                     if extra is 1: 1 for gap, 2 for rest, 3 for both; followed by these:
//     gap                      the counts between this node and its left neighbour (or the parent's
//                              left edge plus the parent's own count): nodes that were left out or,
//                              in a flame chart, counts of the parent itself
//     rest [before [room]] frames
//                              the children that were left out: their count, and how many frames
//                              they and their descendants have
//
// A node's total is its self, its children's totals and its rest.
// With data-room, the width of the root, a node is drawn wider than its total: its own part is as
// wide as the greater of its two counts (FlameTree::show_vanished()), gaps are such widths, and
// `room` is that of the children that were left out.
// `names` and `nodes` may be spread over several consecutive elements, since libxml2 refuses text
// longer than 10 MB. A name may be cut in two, a node never is.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/text/sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

inline constexpr uint64_t kEmbedAll = UINT64_MAX;

// Writes the widest nodes, as many as fit `budget` bytes; nothing when not even the root fits.
// Nodes without counts are never written.
void write_tree_data(const FlameTree& tree, const TreeSizes& sizes, const Palette& palette,
                     uint64_t budget, const Sink& sink);
void write_tree_data(const FlameTree& tree, const Palette& palette, uint64_t budget,
                     const Sink& sink);

}  // namespace aiflame::svg
