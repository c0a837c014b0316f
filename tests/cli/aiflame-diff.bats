# SPDX-License-Identifier: MIT
# aiflame-diff: options, errors, goldens.
# shellcheck disable=SC2086  # the tests' own paths have no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/aiflame-diff
  tmp=$BATS_TEST_TMPDIR
}

# golden NAME COMMAND...: the command prints data/NAME.out. `make bless` rewrites it.
golden() {
  local expected=$data/$1.out
  shift
  "$@" > "$tmp/out"
  assert_golden "$tmp/out" "$expected"
}

@test "joins two files" {
  golden plain aiflame-diff $data/before.in $data/after.in
}

@test "-n makes the totals equal" {
  golden normalized aiflame-diff -n $data/before.in $data/after.in
  aiflame-diff --normalize $data/before.in $data/after.in |
    awk '{ before += $(NF - 1); after += $NF } END { exit before != after }'
}

@test "-x and -s take hexadecimal numbers as equal" {
  golden stripped aiflame-diff -x $data/before.in $data/after.in
  aiflame-diff -s $data/before.in $data/after.in | cmp - $data/stripped.out
  aiflame-diff -ns $data/before.in $data/after.in > /dev/null
}

@test "no count is lost" {
  sum_in() { awk '/^#|^$/ { next } { sum += $NF } END { printf "%d", sum }' "$1"; }
  read -r before after < <(aiflame-diff -x $data/before.in $data/after.in |
    awk '{ before += $(NF - 1); after += $NF } END { print before, after }')
  [ "$before" = "$(sum_in $data/before.in)" ]
  [ "$after" = "$(sum_in $data/after.in)" ]
}

@test "the same bytes from any order of lines" {
  shuf $data/before.in > "$tmp/before"
  shuf $data/after.in > "$tmp/after"
  aiflame-diff "$tmp/before" "$tmp/after" | cmp - $data/plain.out
}

@test "a dash is standard input" {
  aiflame-diff - $data/after.in < $data/before.in | cmp - $data/plain.out
  aiflame-diff $data/before.in - < $data/after.in | cmp - $data/plain.out
}

@test "fractions are kept" {
  printf 'a 0.5\nb 1\n' > "$tmp/before"
  printf 'a 2.25\n' > "$tmp/after"
  [ "$(aiflame-diff "$tmp/before" "$tmp/after")" = $'a 0.5 2.25\nb 1 0' ]
}

@test "nothing against something" {
  printf 'a 2\n' > "$tmp/after"
  [ "$(aiflame-diff /dev/null "$tmp/after")" = 'a 0 2' ]
  run -1 --separate-stderr aiflame-diff -n /dev/null "$tmp/after"
  [ "$stderr" = "aiflame-diff: cannot normalize: '/dev/null' has no counts" ]
}

@test "a file whose name ends in a bar is a file" {
  printf 'a 2\n' > "$tmp/touch hacked|"
  (cd "$tmp" && aiflame-diff 'touch hacked|' 'touch hacked|')
  [ ! -e "$tmp/hacked" ]
}

@test "a line without a count is an error with its place" {
  printf 'a 2\nb\n' > "$tmp/bad"
  run -1 --separate-stderr aiflame-diff "$tmp/bad" $data/after.in
  [ "$stderr" = "aiflame-diff: $tmp/bad:2: missing count" ]
  [ -z "$output" ]
}

@test "counts that do not fit are an error with its place" {
  printf 'a 18446744073709551615\nb 1\n' > "$tmp/big"
  run -1 --separate-stderr aiflame-diff "$tmp/big" $data/after.in
  [ "$stderr" = "aiflame-diff: $tmp/big:2: the counts are too large to be added in 64 bits" ]
}

@test "an unreadable input" {
  run -1 --separate-stderr aiflame-diff "$tmp/none" $data/after.in
  [ "$stderr" = "aiflame-diff: cannot open '$tmp/none': No such file or directory" ]
}

@test "usage errors are one line and status 2" {
  for arguments in '' 'one' 'one two three' '- -' '--nosuch one two' '--norm one two'; do
    # shellcheck disable=SC2086  # words, as on a command line
    run -2 --separate-stderr aiflame-diff $arguments
    [ -z "$output" ]
    [[ $stderr = "aiflame-diff: "*"; try 'aiflame-diff --help'" ]]
    [ "$(wc -l <<< "$stderr")" -eq 1 ]
  done
}

@test "help and version" {
  run -0 --separate-stderr aiflame-diff --help
  [[ $output = "Usage: aiflame-diff "* ]]
  [ -z "$stderr" ]
  run -0 aiflame-diff --version
  [[ $output = "aiflame-diff "* ]]
}

@test "a full disk is noticed" {
  run -1 --separate-stderr bash -c "aiflame-diff $data/before.in $data/after.in > /dev/full"
  [ "$stderr" = "aiflame-diff: write error: No space left on device" ]
}
