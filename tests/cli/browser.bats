# SPDX-License-Identifier: MIT
# An SVG of aiflame-svg in headless Chromium; what is done there is in tests/browser/viewer_test.py.
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  for program in chromium chromedriver python3; do skip_without "$program"; done
}

viewer() {
  PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 tests/browser/viewer_test.py "$@"
}

data_in_the_browser() {
  PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 tests/browser/tree_data_test.py "$@"
}

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
  PYTHONDONTWRITEBYTECODE=1 timeout 120 python3 tests/browser/page_test.py
}

@test "zoom in, further, out by an ancestor, reset" {
  viewer test_zoom test_zoom_shows_more_of_a_name
}

@test "search, matched percentage of the view, annotations" {
  viewer test_search test_matched_is_of_the_view test_search_finds_annotations_and_no_counts
}

@test "ignore case, a bad regular expression" {
  viewer test_ignore_case test_bad_expression
}

@test "Ctrl-F, F3, Esc" {
  viewer test_keys
}

@test "a permalink is restored, and a stale one harmless" {
  viewer test_permalink
}

@test "details of the frame under the pointer, counts beyond 2^53" {
  viewer test_details test_huge_counts
}

@test "hostile names do not run" {
  viewer test_hostile_names
}

@test "labels fit their frames" {
  viewer test_labels_fit_at_load
}

@test "labels without JavaScript and in an <img>" {
  viewer test_without_javascript test_as_an_image
}
