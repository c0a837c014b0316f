// SPDX-License-Identifier: MIT
// A frame as an element of the SVG: tooltip, rectangle, label.
#pragma once

#include <string>
#include <string_view>

#include "tools/aiflame-svg/colour/palette.h"
#include "tools/aiflame-svg/draw/drawing.h"
#include "tools/aiflame-svg/draw/geometry.h"
#include "tools/aiflame-svg/draw/layout.h"
#include "tools/aiflame-svg/draw/name_attributes.h"
#include "tools/aiflame-svg/tree/flame_tree.h"

namespace aiflame::svg {

class FrameWriter {
 public:
  // `total` is what the whole width stands for, `greatest_change` the greatest change of any frame.
  FrameWriter(const FlameTree& tree, const Palette& palette, const Drawing& drawing,
              const Geometry& geometry, uint64_t total, uint64_t greatest_change)
      : tree_(tree),
        palette_(palette),
        drawing_(drawing),
        geometry_(geometry),
        total_(total),
        greatest_change_(greatest_change) {}

  // `given`: null where the user gives it no attributes.
  void append(std::string& out, const Frame& frame, const NameAttributes::Entry* given) const;

 private:
  void append_rectangle(std::string& out, const Frame& frame, Colour fill) const;
  void append_label(std::string& out, const Frame& frame, Colour fill) const;
  void append_hatching(std::string& out, const Frame& frame, uint64_t start, uint64_t count,
                       const char* pattern) const;
  std::string_view one_sided_edge(const Frame& frame) const;
  std::string label_text(const Frame& frame, Colour fill, double width) const;
  bool is_boundary(const Frame& frame) const;
  bool is_noise(const Frame& frame) const;
  std::string share_text(const Frame& frame) const;
  Colour colour(const Frame& frame) const;

  const FlameTree& tree_;
  const Palette& palette_;
  const Drawing& drawing_;
  const Geometry& geometry_;
  uint64_t total_, greatest_change_;
};

}  // namespace aiflame::svg
