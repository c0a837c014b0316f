// SPDX-License-Identifier: MIT
// A tree's nodes as text, made in pieces by several threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tools/aiflame-svg/data/tree_cut.h"
#include "tools/aiflame-svg/data/tree_sizes.h"
#include "tools/aiflame-svg/draw/sink.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

// tree_data.h has the format.
class NodeText {
 public:
  // `numbers` are the lines of the names, by number.
  NodeText(const FlameTree& tree, const TreeSizes& sizes, const TreeCut& cut,
           const std::vector<uint32_t>& numbers);

  size_t pieces() const { return pieces_.size(); }
  // To be called once for each piece; several at a time may be.
  void make(size_t piece);
  // How much text, and of how many nodes, the pieces made up to now have.
  uint64_t size() const;
  uint64_t nodes() const;

  // Hands out the text of all pieces. `cut` is called between nodes, `chunk` bytes or a little more
  // after the last time.
  void put(const Sink& sink, size_t chunk, const std::function<void()>& cut) const;

 private:
  // A node that is to be written.
  struct Step {
    uint32_t node;
    uint32_t depth;
    uint64_t gap;
  };
  // A part of the text. How many levels its first node goes back is known when the piece before is
  // made: that node's first number is not in `text`.
  struct Piece {
    size_t first = 0, last = 0;  // what is to be made of steps_
    std::string text;
    uint32_t nodes = 0;
    uint32_t flags = 0, depth = 0;  // of the first node
    uint32_t last_depth = 0;
  };

  void divide();
  void write(Piece& piece, const Step& step, std::vector<Step>& pending) const;

  const FlameTree& tree_;
  const TreeSizes& sizes_;
  const TreeCut& cut_;
  const std::vector<uint32_t>& numbers_;
  const bool differential_, in_input_order_;
  std::vector<Step> steps_;
  std::vector<Piece> pieces_;
};

// A number as text, of at most kNumberSize characters; returns the end.
inline constexpr size_t kNumberSize = 13;
inline char* put_number(char* out, uint64_t value) {
  for (; value >= 32; value >>= 5) *out++ = static_cast<char>(63 + 32 + (value & 31));
  *out++ = static_cast<char>(63 + value);
  return out;
}

}  // namespace aiflame::svg
