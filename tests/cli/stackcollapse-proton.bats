# SPDX-License-Identifier: MIT
# stackcollapse-proton. All inputs are made by hand after Proton's source and the examples in its
# tests: no genuine profile was at hand.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-proton
  tmp=$BATS_TEST_TMPDIR
}

# sum_of KEY: the sum of a metric over all frames, by another reader of JSON
sum_of() {
  jq --arg key "$1" '[.. | objects | select(has("frame")) | .metrics[$key] // 0] | add' $data/train.in
}

total() { stacks "$1" | awk '{ sum += $NF } END { printf "%.0f", sum }'; }

@test "device time: Python, scopes, graphs, kernels" {
  golden time stackcollapse-proton $data/train.in
  [ "$(total "$tmp/out")" = "$(sum_of 'time (ns)')" ]
  golden names stackcollapse-proton --srcline --full-paths --full-names $data/train.in
}

@test "launches" {
  golden count stackcollapse-proton --metric count $data/train.in
  [ "$(total "$tmp/out")" = "$(sum_of count)" ]
}

@test "stalls by reason; what the reasons lack has no reason" {
  golden stalled stackcollapse-proton --metric stalled $data/train.in
  [ "$(total "$tmp/out")" = "$(sum_of num_stalled_samples)" ]
  stackcollapse-proton --metric stalled --stats "$tmp/stats" $data/train.in > "$tmp/out" 2> "$tmp/stderr"
  assert_equal "$(< "$tmp/stderr")" \
    'stackcollapse-proton: gpu-stall: 61 stalls of 6 records: 11.48 % issued, not stalled, 4.92 % without a reason; 0 lost'
  [ "$(jq -c '[.read.weight, .drawn.weight, .parts."without a reason".weight]' "$tmp/stats")" = '[61,61,3]' ]
}

@test "scopes within a kernel, and timed scopes of the CPU, without what they contain" {
  golden cycles stackcollapse-proton --metric cycles $data/train.in
  golden cpu_time stackcollapse-proton --metric CPU_Time $data/train.in
}

@test "a program's own metrics" {
  golden flops stackcollapse-proton --metric flops16 $data/train.in
  golden samples stackcollapse-proton --metric num_samples $data/train.in
}

@test "a pipe, compressed" {
  gzip -c $data/train.in | stackcollapse-proton 2> /dev/null | cmp - $data/time.out
}

# tree METRICS: a profile of one kernel
tree() { printf '[{"children": [{"frame": {"name": "k"}, "metrics": {%s}}], "frame": {"name": "ROOT"}}]' "$1" > "$tmp/tree"; }

@test "fractions are rounded and values below 0 lost, by name" {
  tree '"device_id": "0", "x": 2.5, "X (s)": -7'
  run -0 --separate-stderr stackcollapse-proton --metric x "$tmp/tree"
  assert_equal "$output" '# aiflame: event x, unit events
ROOT;[unknown launch];-;k_[G] 3'
  assert_equal "$stderr" 'stackcollapse-proton: x: 3 events of 1 records: 100.00 % rounded to whole numbers, 100.00 % without a launch; 1 records without a weight lost: values below 0 or above 2^64'
}

@test "a cut file is used as far as it is whole" {
  tree '"device_id": "0", "time (ns)": 7'
  head -c -5 "$tmp/tree" > "$tmp/cut"
  run -0 --separate-stderr stackcollapse-proton "$tmp/cut"
  [ "${lines[1]}" = 'ROOT;[unknown launch];-;k_[G] 7' ]
  [ "${stderr_lines[0]}" = "stackcollapse-proton: warning: $tmp/cut: the file is cut; what is whole is used" ]
  head -c -25 "$tmp/tree" > "$tmp/cut"
  run -0 --separate-stderr stackcollapse-proton < "$tmp/cut"
  [ "${stderr_lines[0]}" = "stackcollapse-proton: warning: <stdin>: the file is cut; what is whole is used" ]
  for size in 0 1 20; do
    head -c $size "$tmp/tree" > "$tmp/cut"
    run -1 --separate-stderr stackcollapse-proton "$tmp/cut"
    [ -z "$output" ]
    [[ $stderr == "stackcollapse-proton: $tmp/cut: has no "* ]]
    [ "${#stderr_lines[@]}" -eq 1 ]
  done
}

# refused TEXT MESSAGE: a file with this text is refused; the message may name it FILE
refused() {
  printf '%s' "$1" > "$tmp/bad"
  run -1 --separate-stderr stackcollapse-proton "$tmp/bad"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-proton: ${2//FILE/$tmp/bad}"
}

@test "inputs that are refused" {
  local trees='FILE: is not a list of trees, as Proton writes it for Hatchet'
  refused '{"traceEvents": []}' 'FILE: this is a trace of events; fold it first: stackcollapse-trace FILE'
  refused '{"other": []}' "$trees"
  refused '7' "$trees"
  refused '"x"' "$trees"
  refused '' 'FILE: has no frames, as Proton writes them for Hatchet'
  refused '[]' 'FILE: has no frames, as Proton writes them for Hatchet'
  refused '[{"frame": {"name": "k"}, "metrics": {"b": 1, "a (ns)": 2}}]' \
    "FILE: has no metric 'time'; it has a (ns), b"
  refused '[{"frame": {"name": "k"}' "FILE: has no metric 'time'; it has none"
  refused '[{"frame": x}]' 'FILE:1: not JSON: no value'
}

@test "options, a full disk, a missing file" {
  assert_help_and_version stackcollapse-proton
  assert_usage_error stackcollapse-proton --nosuch
  assert_full_disk_noticed stackcollapse-proton $data/train.in
  run -1 --separate-stderr stackcollapse-proton "$tmp/none"
  [ "$stderr" = "stackcollapse-proton: cannot open '$tmp/none': No such file or directory" ]
}
