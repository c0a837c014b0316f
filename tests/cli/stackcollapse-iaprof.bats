# SPDX-License-Identifier: MIT
# stackcollapse-iaprof. All inputs are made by hand after iaprof's source: no genuine profile was at
# hand.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-iaprof
  tmp=$BATS_TEST_TMPDIR
}

@test "each stack, instruction and reason" {
  golden profile stackcollapse-iaprof $data/profile.in
  golden by_time stackcollapse-iaprof --by-time 10 --pid --full-paths $data/profile.in
}

@test "no count is lost" {
  for options in '' '--by-time 1000'; do
    stackcollapse-iaprof $options $data/profile.in 2> "$tmp/stderr" | stacks - |
      awk '{ sum += $NF } END { print sum }' > "$tmp/sum"
    awk -F'\t' '/^eustall/ { for (i = 4; i <= NF; ++i) sum += $i } END { print sum }' $data/profile.in |
      cmp - "$tmp/sum"
    assert_equal "$(< "$tmp/stderr")" \
      'stackcollapse-iaprof: gpu-stall: 110 stalls of 4 records: 2.73 % without a launch; 0 lost'
  done
}

@test "the statistics" {
  stackcollapse-iaprof --stats "$tmp/stats" $data/profile.in > "$tmp/out" 2>&1
  [ "$(jq -c '[.event, .read.weight, .drawn.weight, .lost]' "$tmp/stats")" = '["gpu-stall",110,110,{}]' ]
}

@test "a pipe, compressed" {
  gzip -c $data/profile.in | stackcollapse-iaprof 2> /dev/null | cmp - $data/profile.out
}

# profile LINE...: a profile of these lines, \t for tabs
profile() { printf '%b\n' "$@" > "$tmp/profile"; }

@test "counts of reasons to come are lost by name" {
  profile 'eustall\t0x8\t0\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0\t5\t6'
  run -0 --separate-stderr stackcollapse-iaprof "$tmp/profile"
  assert_equal "$output" '# aiflame: event gpu-stall, unit stalls
[device];[unknown launch];-;jit_[G];[unknown kernel]_[G];[unknown]_[g];active_[g];0x8_[g] 1'
  assert_equal "$stderr" 'stackcollapse-iaprof: gpu-stall: 1 stalls of 1 records: 100.00 % without a launch; 11 stalls lost: columns behind those of the known reasons'
}

@test "a string may be defined anew, as in two profiles one behind the other" {
  profile 'string\t1\ta' 'kernel\t0x1\t1\t7\t0\t0\t1' 'eustall\t0x8\t1\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0' \
    'string\t1\tb' 'kernel\t0x1\t1\t7\t0\t0\t1' 'eustall\t0x8\t1\t2\t0\t0\t0\t0\t0\t0\t0\t0\t0'
  run -0 --separate-stderr stackcollapse-iaprof "$tmp/profile"
  assert_equal "$output" '# aiflame: event gpu-stall, unit stalls
a;[unknown launch];-;jit_[G];a_[G];a_[g];active_[g];0x8_[g] 1
b;[unknown launch];-;jit_[G];b_[G];b_[g];active_[g];0x8_[g] 2'
}

@test "unknown records are skipped with one warning; a cut line, too" {
  profile 'interval\t0\t1.000000' 'e\t1' 'e\t2'
  printf 'eustall\t0x8\t0\t1' >> "$tmp/profile"
  run -0 --separate-stderr stackcollapse-iaprof "$tmp/profile"
  assert_equal "$stderr" "stackcollapse-iaprof: warning: $tmp/profile:4: the file is cut; what is whole is used
stackcollapse-iaprof: warning: $tmp/profile: 2 lines of an unknown kind are skipped, first in line 2: 'e'
stackcollapse-iaprof: gpu-stall: 0 stalls of 0 records; 0 lost"
}

@test "inputs that are refused, with their place" {
  local line
  for line in 'eustall\t8\t0\t1\t0\t0\t0\t0\t0\t0\t0\t0\t0' 'eustall\t0x8\t0\t1\t0\t0\t0\t0\t0\t0\t0\t0' \
    'eustall\t0x8\t0\t-1\t0\t0\t0\t0\t0\t0\t0\t0\t0' 'kernel\t0x1\t1\tx\t0\t0\t1' 'kernel\t0x1\t1' \
    'string\tx\ty' 'interval\t1\tnoon' \
    'eustall\t0x8\t0\t18446744073709551615\t1\t0\t0\t0\t0\t0\t0\t0\t0'; do
    profile 'metric\tbusy-percent\t9' "$line"
    run -1 --separate-stderr stackcollapse-iaprof "$tmp/profile"
    [ -z "$output" ]
    assert_equal "$stderr" "stackcollapse-iaprof: $tmp/profile:2: is not '${line%%\\*}' as iaprof writes it"
  done
  profile 'app;main 3'
  run -1 --separate-stderr stackcollapse-iaprof "$tmp/profile"
  assert_equal "$stderr" \
    "stackcollapse-iaprof: $tmp/profile: this is folded stacks; draw them: aiflame-svg $tmp/profile"
  for line in '' 'other text'; do
    profile "$line"
    run -1 --separate-stderr stackcollapse-iaprof "$tmp/profile"
    assert_equal "$stderr" "stackcollapse-iaprof: $tmp/profile: has no line of a profile of iaprof"
  done
}

@test "options, a full disk, a missing file" {
  assert_help_and_version stackcollapse-iaprof
  assert_usage_error stackcollapse-iaprof --nosuch
  assert_usage_error stackcollapse-iaprof --by-time 0
  assert_full_disk_noticed stackcollapse-iaprof $data/profile.in
  run -1 --separate-stderr stackcollapse-iaprof "$tmp/none"
  [ "$stderr" = "stackcollapse-iaprof: cannot open '$tmp/none': No such file or directory" ]
}
