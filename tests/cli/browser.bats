# SPDX-License-Identifier: MIT
# An SVG of aiflame-svg in headless Chromium and Firefox; the test steps are in tests/browser.
# bats file_tags=long
load common

needed=(chromium chromedriver python3)

setup() {
  cd "$AIFLAME_ROOT" || return
  for program in "${needed[@]}"; do skip_without "$program"; done
  [ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || skip 'fonts-dejavu-core is not installed' # see fonts.conf
}

# one Chromium for all tests, as its start takes longer than most of them
setup_file() {
  for program in "${needed[@]}"; do command -v "$program" > /dev/null || return 0; done
  exec {said}< <(PYTHONDONTWRITEBYTECODE=1 exec python3 "$AIFLAME_ROOT/tests/browser/chromium.py" 3>&-)
  chromium=$!
  read -r -t 60 -u "$said" CHROMIUM_RUNNING
  export CHROMIUM_RUNNING chromium
}
teardown_file() { [ -z "${chromium:-}" ] || kill "$chromium"; }

# in_the_browser FILE TEST...: runs these tests of tests/browser/FILE
in_the_browser() {
  local file=$1
  shift
  PYTHONDONTWRITEBYTECODE=1 timeout 300 python3 "tests/browser/$file" "$@"
}
# in_firefox FILE TEST...: these tests in Firefox ESR
in_firefox() {
  local file=$1 python='' candidate
  shift
  skip_without firefox-esr
  for candidate in /usr/bin/python3 python3; do # Debian's has Debian's modules
    "$candidate" -c 'import websocket' 2> /dev/null && python=$candidate && break
  done
  [ -n "$python" ] || skip 'python3-websocket is not installed'
  BROWSER=firefox PYTHONDONTWRITEBYTECODE=1 timeout 300 "$python" "tests/browser/$file" "$@"
}
viewer() { in_the_browser viewer_test.py "$@"; }
table() { in_the_browser table_test.py "$@"; }
data_in_the_browser() { in_the_browser tree_data_test.py "$@"; }
card() { in_the_browser card_test.py "$@"; }
view_tree() { in_the_browser view_tree_test.py "$@"; }

@test "the embedded tree is the folded text's, its elements' places are its nodes'" {
  data_in_the_browser test_whole_tree test_order_of_the_input
}

@test "the embedded tree of a differential, and of counts beyond 2^53" {
  data_in_the_browser test_differential test_what_vanished_is_there test_counts_beyond_doubles
}

@test "--embed: the widest frames, and what is left out is counted" {
  data_in_the_browser test_a_budget test_none
}

@test "the embedded tree holds any name, and any number of them" {
  data_in_the_browser test_names_that_are_markup test_long_data_is_in_pieces
}

@test "in a page of HTML, where hostile names do not run, and under a strict policy" {
  in_the_browser page_test.py
}

@test "merged anew: from the leaves, hidden, folded, focused, reasons first, sorted" {
  view_tree test_merged_anew test_merged_anew_beyond_doubles test_merged_anew_of_differences
}

@test "merged again, the stacks left out of the file stay counted" {
  view_tree test_what_was_left_out_stays_counted test_what_vanished_and_was_left_out_has_room
}

@test "from the leaves, what was left out of the file has its names" {
  view_tree test_from_the_leaves_of_a_tree_that_was_cut
}

@test "sums by layer and function, matches and the steps between them, beside the folded text" {
  view_tree test_sums_and_matches test_sums_of_functions test_sums_of_what_is_zoomed_to
}

@test "callers and callees of a name, beside the folded text; recursion, a tree that was cut" {
  view_tree test_between_callers_and_callees test_between_callers_and_callees_of_a_tree_that_was_cut \
    test_between_callers_and_callees_of_a_genuine_profile
}

@test "moved and zoomed by wheel, drag, fingers and keys" {
  in_the_browser camera_test.py
}

@test "layers that line up, beside the folded text; a tree that was cut" {
  view_tree test_layers_that_line_up test_layers_that_line_up_of_a_tree_that_was_cut \
    test_layers_that_line_up_of_a_genuine_profile
}

@test "layers that line up: rows, zoom, search, keys, a phone" {
  in_the_browser aligned_test.py
}

@test "callers above, callees below: from a frame, its menu, the table; back" {
  in_the_browser sandwich_test.py
}

@test "the searches' regular expressions are the browser's, but end" {
  view_tree test_expressions_are_the_browsers test_expressions_end test_expressions_that_are_refused
}

toolbar() { in_the_browser toolbar_test.py "$@"; }
export_page() { in_the_browser export_test.py "$@"; }

@test "the toolbar: its buttons, their contrast, in a narrow window" {
  toolbar test_buttons test_contrast test_narrow
}

@test "the search follows the typing, counts its matches, and keeps what was valid" {
  toolbar test_search_follows_the_typing test_typing_does_not_scroll test_place_among_the_matches test_what_is_no_expression
}

@test "several terms, and only the stacks with a match" {
  toolbar test_several_terms test_filter test_a_link_to_a_filter
}

@test "what a link changes is said" {
  toolbar test_what_a_link_changes_is_said
}

@test "copied as a link and as folded text, which is drawn as the same picture" {
  export_page test_link test_folded test_folded_unit_and_fractions test_folded_filter \
    test_folded_launches
}

@test "copied as folded text: from the leaves, reasons first, zoomed" {
  export_page test_folded_views
}

@test "saved as a picture without script, and as pixels" {
  export_page test_svg test_png
}

@test "on paper: one sheet, or sheets that end between rows" {
  export_page test_print
}

@test "zoom in, further, out by an ancestor, reset" {
  viewer test_zoom test_zoom_shows_more_of_a_name
}

@test "zooming draws frames that were too narrow to be elements" {
  viewer test_zoom_shows_what_was_too_narrow
}

@test "back and forward; fingers" {
  viewer test_back_and_forward test_touch
}

@test "the script draws the same picture as the file" {
  viewer test_drawn_as_in_the_file
}

@test "search, matched percentage of the view, annotations" {
  viewer test_search test_search_for_a_long_name test_matched_is_of_the_view test_search_finds_annotations_and_no_counts
}

@test "several terms, next and previous match" {
  viewer test_several_terms test_next_and_previous_match
}

@test "ignore case, a bad regular expression, one that would never end" {
  viewer test_ignore_case test_bad_expression test_search_ends
}

@test "Ctrl-F, F3, Esc" {
  viewer test_keys
}

@test "root on top, merged from the leaves, sorted by width" {
  viewer test_root_on_top test_merged_from_the_leaves test_sorted_by_width
}

@test "hide, focus, copy" {
  viewer test_hide_and_focus test_copy
}

@test "colours for the colour-blind, the legend, dark" {
  viewer test_safe_colours test_legend test_dark
}

@test "text is legible on every colour, and the page chooses it as the program does" {
  in_the_browser colour_test.py test_contrast_of_layers_and_reasons test_contrast_of_palettes \
    test_ancestors_keep_their_colour
}

@test "colours of reasons: genuine samples, the boundary, the colour-blind, the legend" {
  in_the_browser colour_test.py test_contrast_of_genuine_samples test_colour_blind \
    test_the_boundary_says_where_the_cpu_is test_legend_in_the_page test_title
}

@test "layers are folded away and back, reasons come before instructions" {
  viewer test_layers test_no_layers_without_a_device test_layers_of_a_model
}

@test "the meaning of a reason" {
  viewer test_hint test_reasons_of_hpctoolkit_and_amd
}

@test "the table: stalls, functions, changes; nothing is lost" {
  table test_stalls test_reasons_of_hpctoolkit_and_amd test_functions test_changes \
    test_changes_that_may_be_noise test_nothing_is_lost \
    test_a_unit
}

@test "the table of a model: operators and modules" {
  table test_model test_idle_time test_the_legend_of_a_model_is_in_the_window
}

@test "the table stands beside the picture, and its rows search, focus and outline" {
  table test_rows test_keyboard test_beside_the_picture test_address test_a_row_types_nothing \
    test_rows_of_a_sheet_are_close
}

@test "the verdict above the picture, and what its parts do" {
  table test_verdict
}

@test "the table: kinds of reasons, kernels of like names, the legend" {
  table test_kinds_of_reasons test_kernels_of_like_names test_the_legend_stays
}

@test "by keyboard, with names for screen readers" {
  viewer test_frames_by_keyboard test_cards_by_keyboard
}

@test "a permalink is restored, and a stale one harmless" {
  viewer test_permalink
}

@test "without data, and with data left out" {
  viewer test_without_data test_what_was_left_out test_links \
    test_attributes_are_a_functions test_parts_of_the_whole
}

@test "counts beyond 2^53" {
  viewer test_huge_counts
}

@test "what a frame is, its card, and how the card hides" {
  card test_kinds test_hover_card test_hover_card_in_differentials test_hover_card_hides
}

@test "why all on top of a frame stalls, in its card and the status bar" {
  card test_reasons_of_all_on_top_of_a_frame
}

@test "the card lies beside the pointer, or the frame with the keyboard" {
  card test_hover_card_lies_beside_the_pointer test_card_of_the_focused_frame
}

@test "the status bar; the trail folds, and copies a link" {
  card test_status_bar test_status_bar_is_in_the_window test_trail test_trail_folds test_copy_link
}

@test "counts in the unit of the text" {
  viewer test_the_same_times_as_in_the_file test_a_unit
}

@test "hostile names do not run" {
  viewer test_hostile_names
}

@test "labels fit their frames, controls lie beside the title" {
  viewer test_labels_fit_at_load test_controls_beside_the_title
}

@test "labels without JavaScript and in an <img>" {
  viewer test_without_javascript test_as_an_image
}

@test "large profiles (AIFLAME_MILLION=1: a million stacks)" {
  in_the_browser large_test.py test_many_stacks test_deep >&3 2>&1
}

@test "no profile draws more rectangles than a large one" {
  in_the_browser large_test.py test_small_profiles_draw_no_more
}

@test "a differential: what vanished, colours, a look at before, options, address" {
  in_the_browser difference_test.py test_what_vanished_is_seen_at_first_glance test_noise test_colours test_bins \
    test_hold test_found_and_merged test_without_data test_options_are_the_beginning test_address test_negate \
    test_drawn_as_in_the_file test_no_bar_without_a_difference test_without_data
}

@test "a differential's widths before, after and of both add up" {
  in_the_browser difference_test.py test_widths test_widths_add_up
}

layout() { in_the_browser layout_test.py "$@"; }

@test "the picture is as wide as the window, or as --width says; a phone's rows are for fingers" {
  layout test_as_wide_as_the_window test_a_phone_shows_the_picture_at_its_own_size \
    test_a_width_that_is_given_stays
}

@test "rows fill the window, which opens at the root; the picture is as high as its rows" {
  layout test_rows_fill_the_window test_opens_at_the_root test_the_height_is_that_of_the_rows \
    test_the_root_stays_in_a_smaller_window
}

@test "links have the coordinates of the file, however wide the window is" {
  layout test_links_keep_the_coordinates_of_the_file
}

@test "background, font and boundary are the page's own unless they are given; one row of buttons" {
  layout test_the_page_has_its_own_background test_the_size_of_the_font_leaves_the_font \
    test_the_boundary_has_the_colour_of_a_palette_that_is_given test_one_row_of_buttons
}

@test "labels keep what matters of a name, with the share where there is room; layers at the side" {
  layout test_labels_keep_what_matters test_labels_have_shares_where_there_is_room \
    test_layers_at_the_side test_layers_of_ragged_towers test_kernels_of_like_names test_labels_are_the_names \
    test_outlines
}

@test "frames that repeat on top of each other fold into one; those too thin to draw are counted" {
  layout test_frames_that_repeat_are_folded test_frames_too_thin_to_draw_are_counted
}

@test "to screen readers a tree, from load on; the focus stays where it was" {
  in_the_browser a11y_test.py test_tree test_frames_too_narrow_to_draw test_first_arrow_moves \
    test_arrow_without_focus test_home_and_end
}

@test "the focus stays, by key, pointer and menu; reduced motion, forced colours" {
  in_the_browser a11y_test.py test_focus_stays test_focus_stays_with_the_pointer \
    test_focus_of_a_menu_goes_back test_preferences
}

# SOAK=1: each profile in each size, light and dark, the last with a million stacks
@test "readable and within the window, the focus kept: genuine profiles of three vendors" {
  in_the_browser matrix_test.py test_contrast_is_computed test_intel test_nvidia test_amd
}

@test "readable and within the window, the focus kept: a compiler, a differential, many stacks" {
  in_the_browser matrix_test.py test_compiler test_differential test_stacks
}

@test "axe-core has no serious finding" {
  npm_packages=$(scripts/npm-packages.sh "$AIFLAME_BUILD" 2>&1) || skip "$npm_packages"
  in_the_browser matrix_test.py test_axe_is_here
}

@test "Firefox: genuine profiles of three vendors" {
  in_firefox matrix_test.py test_intel test_nvidia test_amd
}

@test "Firefox: a compiler, a differential, many stacks" {
  in_firefox matrix_test.py test_compiler test_differential test_stacks
}

@test "Firefox: by keyboard" {
  in_firefox a11y_test.py test_tree test_first_arrow_moves test_focus_of_a_menu_goes_back
  in_firefox camera_test.py test_keys test_wheel test_drag
}

@test "Firefox: zoom, history, fingers, other views" {
  in_firefox viewer_test.py test_zoom test_back_and_forward test_touch test_sorted_by_width \
    test_root_on_top
}

@test "Firefox: instructions beside the picture, several profiles, layers that line up" {
  in_firefox listing_test.py test_keys test_the_pane_follows_the_picture
  in_firefox tabs_test.py
  in_firefox aligned_test.py test_rows test_zoom_shows_instructions test_key_stays_on_the_kernel
}

@test "instructions beside the picture: numbers, the page's rows, loop, keys, clicks, the way back" {
  in_the_browser listing_test.py
}

@test "several profiles in one page: each is its file, zoom and search survive, small multiples" {
  in_the_browser tabs_test.py
}

@test "the page of aiflame-annotate: hot spots, source and instructions, arrows, policy, many rows" {
  in_the_browser annotate_test.py
}
