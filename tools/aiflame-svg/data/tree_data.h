// SPDX-License-Identifier: MIT
// The whole flame tree as compact text inside the picture, for the script to draw what is too
// narrow to stand as an element, and to merge and sort anew. tree_data.js reads it.
//
//   <metadata id="tree" data-nodes="4" data-names="4" data-total="4" data-total-before="0">
//   <g class="names">
//   app
//   read
//   write</g>
//   <g class="colours">…</g>
//   <g class="nodes">?@CAA@D@B…</g></metadata>
//
// Numbers are written as in Google's "encoded polyline": five bits a character, the lowest first,
// 0x20 added where more follow, then 63. That makes ?@A…Z[\]^_`a…z{|}~, none of which XML or a
// script knows, and needs no table to read. `names` has a name a line, the first (the root's)
// empty, those that occur most in front. `colours` has a number each, red * 65536 + green * 256 +
// blue. `nodes` has the root, then what is on top of it from left to right, each followed by its
// own descendants (pre-order). A node is
//
//   up * 4 + extra * 2 + own   up: levels to go back from the node before to find the parent
//   name                       its line
//   self [before]              where own is 1: the count of the node itself; `before` in a
//                              differential
//   extras                     where extra is 1: 1 gap, 2 rest; then, for each of them:
//     gap                      what lies between this node and the one left of it (or the parent's
//                              edge, behind the parent's own count): left out, or of the parent
//                              itself in a flame chart
//     rest [before] frames     what was left out of its children: their count, and how many frames
//                              they and their descendants are
//
// A node's total is its self, its children's totals and its rest.
// `names` and `nodes` may be in several such elements, one behind the other: libxml2 refuses text
// longer than 10 MB. A node is never cut in two, a name may be.
#pragma once

#include <cstdint>

#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/draw/palette.h"
#include "tools/aiflame-svg/draw/sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

inline constexpr uint64_t kEmbedAll = UINT64_MAX;

// Writes as many nodes as fit `budget` bytes, the widest first; nothing where not even the root
// fits. Nodes that count nothing are never written.
void write_tree_data(const FlameTree& tree, const TreeSizes& sizes, const Palette& palette,
                     uint64_t budget, const Sink& sink);
void write_tree_data(const FlameTree& tree, const Palette& palette, uint64_t budget,
                     const Sink& sink);

// Appends `value` as described above.
void append_number(std::string& out, uint64_t value);

}  // namespace aiflame::svg
