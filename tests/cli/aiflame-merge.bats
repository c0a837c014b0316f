# SPDX-License-Identifier: MIT
# aiflame-merge: sums of sorted folded files.
load common

# made NAME SEED LINES: a sorted folded file of few names
made() {
  awk -v seed="$2" -v lines="$3" 'BEGIN {
    srand(seed)
    for (i = 0; i < lines; ++i) {
      text = "app"
      for (depth = int(rand() * 5); depth >= 0; --depth) text = text ";f" int(rand() * 4)
      print text, int(rand() * 9) + 1
    }
  }' | LC_ALL=C sort -k 1,1 > "$1"
}
# what awk adds up
added_up() {
  awk '!/^#/ { sum[$1] += $2 } END { for (stack in sum) print stack, sum[stack] }' "$@" | LC_ALL=C sort -k 1,1
}

@test "help, version, usage" {
  assert_help_and_version aiflame-merge
  assert_usage_error aiflame-merge
  assert_usage_error aiflame-merge --nosuch
  assert_usage_error aiflame-merge - -
  assert_usage_error aiflame-merge --files0-from - -
}

@test "the sums are those that awk adds up, of any number of files" {
  for i in $(seq 300); do made "$i.folded" "$i" 40; done
  added_up ./*.folded > expected
  aiflame-merge ./*.folded > all
  cmp all expected
  aiflame-merge 7.folded | cmp - <(added_up 7.folded)
  aiflame-merge 7.folded 7.folded | cmp - <(added_up 7.folded 7.folded)
  aiflame-merge - 8.folded < 7.folded | cmp - <(added_up 7.folded 8.folded)
  # merged again
  aiflame-merge ./1*.folded > some.merged
  aiflame-merge ./[2-9]*.folded some.merged | cmp - expected
  printf '%s\0' ./*.folded | aiflame-merge --files0-from - | cmp - expected
  printf '%s\0' ./[2-9]*.folded > list
  aiflame-merge ./1*.folded --files0-from list | cmp - expected
}

@test "few files may be open, and little memory is taken" {
  is_sanitized && skip 'sanitizers open files of their own'
  for i in $(seq 300); do made "$i.folded" "$i" 40; done
  added_up ./*.folded > expected
  for limit in 24 40 100; do
    (ulimit -n "$limit" && aiflame-merge ./*.folded) | cmp - expected
  done
  # 400 MB of text, in 300 MB of addresses
  made large 1 250000
  for i in $(seq 100); do ln -s large "$i.large"; done
  (ulimit -v 300000 && aiflame-merge ./*.large) > all
  added_up large | awk '{ print $1, $2 * 100 }' | cmp - all
}

@test "units are kept, launches added up, and what cannot be added is refused" {
  printf '# aiflame: event gpu-stall, unit stalls, period 7 cycles\n# aiflame-launch: launches 2, items 64x1x1, kernel k_[G]\na;k_[G] 1\n' > a
  printf '# aiflame-launch: launches 3, items 64x1x1, kernel k_[G]\na;k_[G] 4\n# aiflame: event gpu-stall, unit stalls\n' > b
  printf '# aiflame: event gpu-time, unit ns\na;k_[G] 4\n' > c
  printf 'a;k_[G] 0.5\nz 0\n' > d
  assert_equal "$(aiflame-merge a b d)" '# aiflame: event gpu-stall, unit stalls
# aiflame-launch: launches 5, items 64x1x1, kernel k_[G]
a;k_[G] 5.5'
  run -1 --separate-stderr aiflame-merge d a c
  [ -z "$output" ]
  assert_equal "$stderr" "aiflame-merge: c:1: counts are ns (gpu-time), those of a are stalls of 7 cycles (gpu-stall); --mixed adds them all the same"
  cat a c > both
  run -1 --separate-stderr aiflame-merge b both
  [[ $stderr = "aiflame-merge: both:4: counts are ns (gpu-time), those of line 1 are "* ]]
  assert_equal "$(aiflame-merge --mixed a c)" '# aiflame-launch: launches 2, items 64x1x1, kernel k_[G]
a;k_[G] 5'
}

@test "an error in the last line of the last file leaves no output" {
  for i in $(seq 300); do made "$i.folded" "$i" 40; done
  printf 'a 1\nc 1\nb 1\n' > unsorted
  run -1 --separate-stderr aiflame-merge ./*.folded unsorted
  [ -z "$output" ]
  assert_equal "$stderr" "aiflame-merge: unsorted:3: the stacks are not sorted bytewise; fold anew, or sort the file with LC_ALL=C sort"
  printf 'a 1\nb\n' > cut
  run -1 --separate-stderr aiflame-merge cut ./*.folded
  [ -z "$output" ]
  assert_equal "$stderr" "aiflame-merge: cut:2: missing count"
  printf 'a 18446744073709551615\n' > large
  run -1 --separate-stderr aiflame-merge large large
  [ -z "$output" ]
  assert_equal "$stderr" "aiflame-merge: large:1: the counts are too large to be added in 64 bits"
  run -1 --separate-stderr aiflame-merge large absent
  assert_equal "$stderr" "aiflame-merge: cannot open 'absent': No such file or directory"
  printf 'x\0\0' > list
  run -1 --separate-stderr aiflame-merge --files0-from list
  assert_equal "$stderr" "aiflame-merge: list: an empty path"
  assert_full_disk_noticed aiflame-merge 1.folded
}

@test "controls are escaped, and compressed files read" {
  printf 'a;\033[2J 1\nb 2\n' > controls
  assert_equal "$(aiflame-merge controls)" 'a;\033[2J 1
b 2'
  made 1.folded 1 100
  gzip -k 1.folded
  zstd -q 1.folded
  aiflame-merge 1.folded.gz 1.folded.zst | cmp - <(added_up 1.folded 1.folded)
}

@test "what the folder writes can be merged, and a profile merged with itself is twice it" {
  genuine=$AIFLAME_ROOT/tests/data/stackcollapse-aiflame
  for recording in "$genuine"/*.gpustall; do
    stackcollapse-aiflame "$recording" > one 2> /dev/null || continue
    aiflame-merge one > merged
    cmp merged one
    aiflame-merge one one | sed '/^#/d' > twice
    awk '!/^#/ { n = $NF; sub(/ [^ ]*$/, ""); print $0, 2 * n }' one | cmp - twice
  done
  [ -s twice ]
}
