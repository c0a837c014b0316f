// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/page_script.h"

namespace aiflame::svg {
namespace {

constexpr std::string_view kTabsScript[] = {
#include "tools/aiflame-svg/page/tabs.js.inc"
};

constexpr std::string_view kListingScript[] = {
#include "libcommon/listing/listing.js.inc"
    ,
#include "tools/aiflame-svg/page/listing_rows.js.inc"
    ,
#include "tools/aiflame-svg/page/listing_pane.js.inc"
};
constexpr std::string_view kListingStyle =
#include "libcommon/listing/listing.css.inc"
    ;

constexpr std::string_view kScript[] = {
#include "tools/aiflame-svg/page/tree_data.js.inc"
    ,
#include "tools/aiflame-svg/page/element_tree.js.inc"
    ,
#include "tools/aiflame-svg/page/counts.js.inc"
    ,
#include "tools/aiflame-svg/page/widths.js.inc"
    ,
#include "tools/aiflame-svg/page/difference.js.inc"
    ,
#include "tools/aiflame-svg/page/layers.js.inc"
    ,
#include "tools/aiflame-svg/page/sums.js.inc"
    ,
#include "tools/aiflame-svg/page/fills.js.inc"
    ,
#include "tools/aiflame-svg/page/reasons.js.inc"
    ,
#include "tools/aiflame-svg/page/launches.js.inc"
    ,
#include "tools/aiflame-svg/page/filtered_tree.js.inc"
    ,
#include "tools/aiflame-svg/page/unknown_callers.js.inc"
    ,
#include "tools/aiflame-svg/page/runs.js.inc"
    ,
#include "tools/aiflame-svg/page/view_tree.js.inc"
    ,
#include "tools/aiflame-svg/page/sandwich.js.inc"
    ,
#include "tools/aiflame-svg/page/aligned_tree.js.inc"
    ,
#include "tools/aiflame-svg/page/expression.js.inc"
    ,
#include "tools/aiflame-svg/page/search.js.inc"
    ,
#include "tools/aiflame-svg/page/safe_palette.js.inc"
    ,
#include "tools/aiflame-svg/page/labels.js.inc"
    ,
#include "tools/aiflame-svg/page/distinct_names.js.inc"
    ,
#include "tools/aiflame-svg/page/layout.js.inc"
    ,
#include "tools/aiflame-svg/page/gutter.js.inc"
    ,
#include "tools/aiflame-svg/page/outlines.js.inc"
    ,
#include "tools/aiflame-svg/page/slivers.js.inc"
    ,
#include "tools/aiflame-svg/page/thin_frames.js.inc"
    ,
#include "tools/aiflame-svg/page/drawing.js.inc"
    ,
#include "tools/aiflame-svg/page/permalink.js.inc"
    ,
#include "tools/aiflame-svg/page/shell.js.inc"
    ,
#include "tools/aiflame-svg/page/cards.js.inc"
    ,
#include "tools/aiflame-svg/page/kinds.js.inc"
    ,
#include "tools/aiflame-svg/page/places.js.inc"
    ,
#include "tools/aiflame-svg/page/frame_facts.js.inc"
    ,
#include "tools/aiflame-svg/page/why.js.inc"
    ,
#include "tools/aiflame-svg/page/status_bar.js.inc"
    ,
#include "tools/aiflame-svg/page/hover_card.js.inc"
    ,
#include "tools/aiflame-svg/page/trail.js.inc"
    ,
#include "tools/aiflame-svg/page/folded_text.js.inc"
    ,
#include "tools/aiflame-svg/page/static_picture.js.inc"
    ,
#include "tools/aiflame-svg/page/export.js.inc"
    ,
#include "tools/aiflame-svg/page/print.js.inc"
    ,
#include "tools/aiflame-svg/page/toolbar.js.inc"
    ,
#include "tools/aiflame-svg/page/term_names.js.inc"
    ,
#include "tools/aiflame-svg/page/changes_bar.js.inc"
    ,
#include "tools/aiflame-svg/page/match_counts.js.inc"
    ,
#include "tools/aiflame-svg/page/difference_bar.js.inc"
    ,
#include "tools/aiflame-svg/page/search_box.js.inc"
    ,
#include "tools/aiflame-svg/page/view_menu.js.inc"
    ,
#include "tools/aiflame-svg/page/help_card.js.inc"
    ,
#include "tools/aiflame-svg/page/frame_menu.js.inc"
    ,
#include "tools/aiflame-svg/page/table_rows.js.inc"
    ,
#include "tools/aiflame-svg/page/table_panel.js.inc"
    ,
#include "tools/aiflame-svg/page/verdict.js.inc"
    ,
#include "tools/aiflame-svg/page/camera.js.inc"
    ,
#include "tools/aiflame-svg/page/gestures.js.inc"
    ,
#include "tools/aiflame-svg/page/pointer.js.inc"
    ,
#include "tools/aiflame-svg/page/tree_items.js.inc"
    ,
#include "tools/aiflame-svg/page/keyboard.js.inc"
    ,
#include "tools/aiflame-svg/page/viewer.js.inc"
};

}  // namespace

std::span<const std::string_view> page_script() {
  return kScript;
}

std::span<const std::string_view> tabs_script() {
  return kTabsScript;
}

std::span<const std::string_view> listing_script() {
  return kListingScript;
}

std::string_view listing_style() {
  return kListingStyle;
}

}  // namespace aiflame::svg
