// SPDX-License-Identifier: MIT
// How a flame graph is drawn: texts, sizes, and what to show.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcommon/folded/quantity.h"
#include "tools/aiflame-svg/draw/change_marks.h"
#include "tools/aiflame-svg/draw/label.h"
#include "tools/aiflame-svg/draw/launches.h"
#include "tools/aiflame-svg/sums/reason_sums.h"

namespace aiflame::svg {

class NameAttributes;

// The unit of samples of stall reasons.
inline constexpr std::string_view kStalls = "stalls";

struct Drawing {
  std::string title = "Flame Graph";
  std::string subtitle;
  std::string notes;  // a comment in the file
  std::string tab;    // --tab: the profile's name, of several; empty: it is the one
  std::string count_name = "samples";  // what is counted
  // The input's unit, also used as count_name; empty if the input states none, or the user gives
  // another name. Nanoseconds are shown in ns, us, ms or s.
  std::string unit;
  Quantity quantity;                    // as the input says, whatever it is called
  std::string name_type = "Function:";  // what a frame is
  uint64_t width = 1200;                // of the image, pixels
  uint64_t row_height = 16;
  Font font;
  // What the user chose. The page leaves it as it is, and chooses the rest by its window.
  bool given_width = false, given_row_height = false, given_font = false, given_font_size = false;
  bool given_background = false;
  bool keeps_background = false;  // the page does, too: it is the user's, or --classic's
  std::string background_top = "#eeeeee", background_bottom = "#eeeeb0";
  std::string layout;             // how the page begins: aligned or flame; empty: by the input
  bool ai = false;                // the look of an AI flame graph, not flamegraph.pl's
  bool classic = false;           // --classic
  bool hatches_boundary = false;  // the palette's colour otherwise
  bool inverted = false;          // root on top
  bool reversed = false;          // merged from the leaves, so that the GPU is next to the root
  bool negate = false;            // blue for more, red for fewer
  // A differential has room for what vanished, and our colours: change_bin.h. Else it is drawn as
  // flamegraph.pl does.
  bool shows_vanished = false;
  bool absolute = true;      // colours: the change itself, not that of the share of all
  bool delta_total = false;  // a frame's change includes its descendants'
  // How the page begins, which may differ from the picture that flamegraph.pl would draw: the same
  // two.
  bool opens_with_vanished = false, opens_with_total = false;
  bool legend = false;            // show the layers of an AI flame graph
  double least_width = 0.1;       // narrower frames are left out; pixels
  bool least_is_percent = false;  // of the total, not pixels
  size_t most_frames = SIZE_MAX;  // narrower frames are left out, too, where there are more
  uint64_t total = 0;             // what the whole width stands for, if more than the counts
  unsigned decimals = 0;          // the tree's counts are in units of 10^-decimals
  double factor = 1;              // multiplies the counts that are shown
  const NameAttributes* attributes = nullptr;  // --nameattr
  bool links_listings = false;                 // --annotate: the attributes are links to listings
  std::string listings;                        // the element with them; empty: there are none
  LaunchTexts launches;                        // what the input says of kernels
  std::vector<std::string> launch_lines;       // the same, as folded text
  ChangeMarks changes;                         // of a differential: which are more than noise
  ReasonSums reasons;                          // of the samples
  bool html = false;                           // write a page of HTML around the SVG
  bool says_encoding = false;                  // name it in the XML declaration
  // Bytes for the script's data (data/tree_data.h). By default, as many as keep the file within
  // kFileSize.
  std::optional<uint64_t> embed;
};

// A size that browsers open and mail servers accept.
inline constexpr uint64_t kFileSize = 20000000;

}  // namespace aiflame::svg
