# SPDX-License-Identifier: MIT
# aiflame-diff: options, errors, goldens.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/aiflame-diff
  tmp=$BATS_TEST_TMPDIR
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
    # shellcheck disable=SC2086  # several words, as on a command line
    assert_usage_error aiflame-diff $arguments
  done
}

@test "help and version" {
  assert_help_and_version aiflame-diff
}

@test "a full disk is noticed" {
  assert_full_disk_noticed aiflame-diff $data/before.in $data/after.in
}

@test "each side is the mean of its runs, with exact sums" {
  printf 'a 10\nb 1\n' > "$tmp/b1"
  printf 'a 14\n' > "$tmp/b2"
  printf 'a 9\nc 2\n' > "$tmp/a1"
  expected=$'a 12 9\nb 1 0\nc 0 2'
  assert_equal "$(aiflame-diff --before "$tmp/b1" "$tmp/b2" --after "$tmp/a1")" "$expected"
  assert_equal "$(aiflame-diff --after "$tmp/a1" --before "$tmp/b1" --before "$tmp/b2")" "$expected"
  # 25 in two runs are 12.5, rounded to 13; of equal remainders the first gets the half
  [ "$(aiflame-diff --before "$tmp/b1" "$tmp/b2" --after "$tmp/a1" "$tmp/a1" |
    awk '{ b += $(NF - 1); a += $NF } END { print b, a }')" = '13 11' ]
}

@test "one run a side is the same as two files" {
  aiflame-diff --before $data/before.in --after $data/after.in | cmp - $data/plain.out
}

@test "--normalize-by makes the counts before those of as much work" {
  printf 'a 30\nb 10\n' > "$tmp/before"
  printf 'a 50\n' > "$tmp/after"
  # 100 launches before, 250 after
  assert_equal "$(aiflame-diff --normalize-by 100,250 "$tmp/before" "$tmp/after")" $'a 75 50\nb 25 0'
  # over all runs of a side: 40 samples in 200 launches are 20 in 100
  assert_equal "$(aiflame-diff --normalize-by 200,100 "$tmp/before" "$tmp/after")" $'a 15 50\nb 5 0'
  assert_equal "$(aiflame-diff --normalize-by 200.5,401 --before "$tmp/before" "$tmp/before" \
    --after "$tmp/after" "$tmp/after")" $'a 60 50\nb 20 0'
}

@test "--normalize-by takes two numbers" {
  for work in '' 5 '5,' ',5' 0,1 1,0 1,2,3 a,b -1,2; do
    [ -n "$work" ] || continue
    run -2 --separate-stderr aiflame-diff "--normalize-by=$work" $data/before.in $data/after.in
    [ "$stderr" = "aiflame-diff: option '--normalize-by': '$work' is not two numbers greater than 0 with a comma between them; try 'aiflame-diff --help'" ]
  done
  run -2 aiflame-diff -n --normalize-by 1,2 $data/before.in $data/after.in
}

@test "sides are two, and files belong to them" {
  run -2 --separate-stderr aiflame-diff --before $data/before.in
  [ "$stderr" = "aiflame-diff: --before and --after belong together; try 'aiflame-diff --help'" ]
  run -2 --separate-stderr aiflame-diff --before $data/before.in --after $data/after.in -n stray
  [ "$stderr" = "aiflame-diff: 'stray' belongs to neither --before nor --after; try 'aiflame-diff --help'" ]
  run -2 aiflame-diff --before - --after -
}

@test "pipes, compressed files and files are joined alike" {
  gzip -c $data/before.in > "$tmp/before.gz"
  aiflame-diff "$tmp/before.gz" <(cat $data/after.in) | cmp - $data/plain.out
  sort $data/before.in > "$tmp/before.sorted"
  sort $data/after.in > "$tmp/after.sorted"
  aiflame-diff "$tmp/before.sorted" "$tmp/after.sorted" | cmp - $data/plain.out
  aiflame-diff "$tmp/before.sorted" <(cat "$tmp/after.sorted") | cmp - $data/plain.out
}

@test "a fault is named the same, sorted or not, and nothing is written" {
  printf 'a 2\nb\n' > "$tmp/bad"
  printf 'b 2\na 1\nc\n' > "$tmp/worse"
  for file in bad worse; do
    run -1 --separate-stderr aiflame-diff "$tmp/$file" "$tmp/worse"
    [ "$stderr" = "aiflame-diff: $tmp/$file:$(wc -l < "$tmp/$file"): missing count" ]
    [ -z "$output" ]
  done
}

@test "the same as difffolded.pl, but sorted" {
  skip_without difffolded.pl 'difffolded.pl is not on PATH'
  grep -v '^#' $data/before.in | grep . > "$tmp/before"
  grep -v '^#' $data/after.in | grep . > "$tmp/after"
  for options in '' -s; do
    difffolded.pl $options "$tmp/before" "$tmp/after" | sort > "$tmp/theirs"
    aiflame-diff $options "$tmp/before" "$tmp/after" | sort | diff "$tmp/theirs" -
  done
}

@test "a last frame that is blank stays a frame" {
  printf 'a;  3\na 1\n' > "$tmp/before"
  printf 'a;  2\na  5\n' > "$tmp/after"
  assert_equal "$(aiflame-diff "$tmp/before" "$tmp/after")" $'a 1 0\na  0 5\na;  3 2'
  assert_equal "$(aiflame-diff "$tmp/before" - < "$tmp/after")" $'a 1 0\na  0 5\na;  3 2'
}

@test "a folded text that is hostile neither crashes nor hangs" {
  python3 - "$tmp" << 'END'
import sys
open(sys.argv[1] + '/zeros', 'wb').write(b'b' * 64 + b' 1\n' + b''.join(b'a' + b'\0' * n + b' 1\n' for n in range(2000, 0, -1)))
open(sys.argv[1] + '/long', 'wb').write((b'x' * 1000000 + b';') * 15 + b' 9223372036854775807\n' + b'\xff;\x01 1\n')
END
  aiflame-diff "$tmp/zeros" "$tmp/long" > "$tmp/out"
  [ "$(wc -l < "$tmp/out")" -eq 2003 ]
  aiflame-diff "$tmp/long" "$tmp/long" > /dev/null
}

@test "--strict: as without it, the first malformed line is an error" {
  printf 'a;b 1\nc\n' > "$tmp/bad"
  for option in '' --strict; do
    run -1 --separate-stderr aiflame-diff $option "$tmp/bad" "$tmp/bad"
    assert_equal "$output$stderr" "aiflame-diff: $tmp/bad:2: missing count"
  done
}

# Two builds of a kernel: every instruction has moved, and one has become two.
two_builds() {
  printf '%s\n' 'm;main;-;m.cl_[G];k_[G];add_[g];0x10_[g] 30' 'm;main;-;m.cl_[G];k_[G];mul_[g];0x18_[g] 60' \
    'm;main;0x7f12 5' > "$tmp/before"
  printf '%s\n' 'm;main;-;m.cl_[G];k_[G];add_[g];0x24_[g] 3' 'm;main;-;m.cl_[G];k_[G];add_[g];0x40_[g] 2' \
    'm;main;-;m.cl_[G];k_[G];mul_[g];0x2c_[g] 9' 'm;main;0x7f12 5' > "$tmp/after"
}

@test "instructions that moved are compared by what they are" {
  two_builds
  expected=$'m;main;-;m.cl_[G];k_[G];add_[g] 30 5\nm;main;-;m.cl_[G];k_[G];mul_[g] 60 9\nm;main;0x7f12 5 5'
  for match in '' '--match structure' '--match=structure'; do
    assert_equal "$(aiflame-diff $match "$tmp/before" "$tmp/after")" "$expected"
    assert_equal "$(aiflame-diff $match "$tmp/before" - < "$tmp/after")" "$expected"
  done
}

@test "--match offset: instructions that moved are others" {
  two_builds
  aiflame-diff --match offset "$tmp/before" "$tmp/after" > "$tmp/out"
  assert_equal "$(grep -c '_\[g\] [0-9]* 0$\|_\[g\] 0 [0-9]*$' "$tmp/out")" 5
  run -2 --separate-stderr aiflame-diff --match name "$tmp/before" "$tmp/after"
  [ "$stderr" = "aiflame-diff: option '--match': 'name' is neither structure nor offset; try 'aiflame-diff --help'" ]
}

# Of each side, the percentage of samples in frames of a device that the other side has, too.
matched() {
  awk '/_\[[gG]\] / {
    before += $(NF - 1); after += $NF
    if ($(NF - 1) > 0 && $NF > 0) { in_both_before += $(NF - 1); in_both_after += $NF }
  } END { printf "%d %d", 100 * in_both_before / before, 100 * in_both_after / after }'
}

# multiply_basic of tests/demo/matmul.cl, recorded with PoCL ('-g -cl-opt-disable'): with a `% (n * n)`
# around both indices, and without. The rebuilt kernel has the same loads, additions and shifts elsewhere.
@test "two real builds of a kernel line up" {
  slow=$data/wrapped_index.folded fast=$data/plain_index.folded
  assert_equal "$(aiflame-diff --match offset $slow $fast | matched)" '13 0'
  assert_equal "$(aiflame-diff $slow $fast | matched)" '88 79'
}

@test "no count is lost when offsets are dropped, sorted or not" {
  two_builds
  for reorder in cat tac; do
    aiflame-diff "$tmp/before" <($reorder "$tmp/after") > "$tmp/out"
    assert_equal "$(awk '{ b += $(NF - 1); a += $NF } END { print b, a }' "$tmp/out")" '95 19'
  done
}

@test "the quantity is carried on" {
  line='# aiflame: event gpu-clock, unit samples, period 1003009 ns'
  printf '%s\na 1\n' "$line" > "$tmp/before"
  printf 'a 2\n%s\n' "$line" > "$tmp/after"
  for reorder in cat tac; do
    $reorder "$tmp/after" > "$tmp/reordered"
    assert_equal "$(aiflame-diff --confidence 0 "$tmp/before" "$tmp/reordered")" "$line, columns two"$'\na 1 2'
  done
  # text without the line is compared with anything
  printf 'a 3\n' > "$tmp/plain"
  assert_equal "$(aiflame-diff --confidence 0 "$tmp/before" "$tmp/plain")" "$line, columns two"$'\na 1 3'
  assert_equal "$(aiflame-diff "$tmp/plain" "$tmp/plain")" 'a 3 3'
}

@test "different units are refused" {
  printf '# aiflame: event gpu-clock, unit samples, period 1003009 ns\na 1\n' > "$tmp/before"
  printf '# aiflame: event gpu-time, unit ns\na 2\n' > "$tmp/after"
  for option in '' -n '--normalize-by 1,2'; do
    run -1 --separate-stderr aiflame-diff $option "$tmp/before" "$tmp/after"
    assert_equal "$output$stderr" "aiflame-diff: $tmp/after:1: counts are ns (gpu-time), those of $tmp/before are samples of 1003009 ns (gpu-clock); --mixed compares them all the same"
  done
  assert_equal "$(aiflame-diff --mixed "$tmp/before" "$tmp/after")" 'a 1 2'
  # of one side, and in one file
  run -1 --separate-stderr aiflame-diff --before "$tmp/before" "$tmp/after" --after "$tmp/after"
  [[ $stderr = "aiflame-diff: $tmp/after:1: counts are ns (gpu-time), those of $tmp/before are "* ]]
  cat "$tmp/before" "$tmp/after" > "$tmp/both"
  run -1 --separate-stderr aiflame-diff "$tmp/both" - < "$tmp/both"
  assert_equal "$output$stderr" "aiflame-diff: $tmp/both:3: counts are ns (gpu-time), those of line 1 are samples of 1003009 ns (gpu-clock); --mixed adds them all the same"
}

@test "different events of one unit are refused" {
  printf '# aiflame: event gpu-stall, unit stalls\na 10\n' > "$tmp/before"
  printf '# aiflame: unit stalls\n# aiflame: event gpu-stall-exposed, unit stalls\na 4\n' > "$tmp/after"
  for option in '' -n; do
    run -1 --separate-stderr aiflame-diff $option "$tmp/before" "$tmp/after"
    assert_equal "$output$stderr" "aiflame-diff: $tmp/after:2: counts are stalls (gpu-stall-exposed), those of $tmp/before are stalls (gpu-stall); --mixed compares them all the same"
  done
  assert_equal "$(aiflame-diff --mixed "$tmp/before" "$tmp/after")" 'a 10 4'
  run -1 --separate-stderr aiflame-report --before "$tmp/before" --after "$tmp/after"
  [[ $output = '' && $stderr = "aiflame-report: $tmp/after:2: counts are stalls (gpu-stall-exposed), "* ]]
  run -1 --separate-stderr aiflame-svg "$tmp/before" "$tmp/after"
  [[ $stderr = "aiflame-svg: $tmp/after:2: counts are stalls (gpu-stall-exposed), those of $tmp/before:1 are stalls (gpu-stall); "* ]]
}

@test "slices of time cannot be compared" {
  line='# aiflame: event gpu-clock, unit samples'
  printf '%s\n1.000;a 3\n1.010;a 4\n' "$line" > "$tmp/before"
  printf '%s\n7.200;b 4\n7.100;a 3\n' "$line" > "$tmp/after" # not sorted
  for files in before,before before,after after,before; do
    run -1 --separate-stderr aiflame-diff "$tmp/${files%,*}" "$tmp/${files#*,}"
    assert_equal "$output$stderr" "aiflame-diff: $tmp/${files%,*}:2: stacks begin with time slices (--by-time); fold without --by-time to compare"
  done
  run -1 --separate-stderr aiflame-diff - "$tmp/after" < "$tmp/before"
  [[ $stderr = 'aiflame-diff: <stdin>:2: stacks begin '* ]]
  # one side alone has none in common with the other, and text without the line is only text
  printf '%s\nc 1\n' "$line" > "$tmp/plain"
  assert_equal "$(aiflame-diff --confidence 0 "$tmp/plain" "$tmp/before")" "$line, columns two"$'\n1.000;a 0 3\n1.010;a 0 4\nc 1 0'
  for file in before after; do sed -i 1d "$tmp/$file"; done
  assert_equal "$(aiflame-diff "$tmp/before" "$tmp/after")" $'1.000;a 3 0\n1.010;a 4 0\n7.100;a 0 3\n7.200;b 0 4'
}

@test "different periods: only shares can be compared" {
  printf '# aiflame: event gpu-stall, unit stalls, period 1000 cycles\na 40\n' > "$tmp/before"
  printf '# aiflame: event gpu-stall, unit stalls, period 4000 cycles\na 10\n' > "$tmp/after"
  for option in '' '--normalize-by 1,1'; do
    run -1 --separate-stderr aiflame-diff $option "$tmp/before" "$tmp/after"
    assert_equal "$output$stderr" "aiflame-diff: $tmp/after:1: counts are stalls of 4000 cycles (gpu-stall), those of $tmp/before are stalls of 1000 cycles (gpu-stall); --normalize compares shares, --mixed compares them all the same"
  done
  assert_equal "$(aiflame-diff --confidence 0 -n "$tmp/before" "$tmp/after")" $'# aiflame: event gpu-stall, unit stalls, period 4000 cycles, columns two\na 10 10'
  assert_equal "$(aiflame-diff --mixed "$tmp/before" "$tmp/after")" 'a 40 10'
}

@test "the order of quantities does not matter" {
  sample='# aiflame: unit samples' one=', period 1000000 ns' any='' four=', period 4000000 ns'
  for order in 'one any four' 'one four any' 'any one four' 'any four one'; do
    for name in $order; do echo "$sample${!name}"; done > "$tmp/before"
    printf 'b 1\na 1\n' >> "$tmp/before"
    run -1 --separate-stderr aiflame-diff "$tmp/before" "$tmp/before"
    [[ $output = '' && $stderr = "aiflame-diff: $tmp/before:"*': counts are samples of '*' ns, those of line '*' are samples of '*' ns; '* ]]
  done
}

@test "a hostile quantity is passed over, and its event escaped" {
  printf '# aiflame: unit \033[31m\na 1\n' > "$tmp/before"
  printf '# aiflame: event \033[31m, unit ns\na 1\n' > "$tmp/after"
  assert_equal "$(aiflame-diff "$tmp/before" "$tmp/before")" 'a 1 1'
  assert_equal "$(aiflame-diff "$tmp/before" "$tmp/after")" $'# aiflame: event \\033[31m, unit ns, columns two\na 1 1'
}

changes() { grep '^# aiflame-\(change\|note\)' || true; }

@test "noise: as the runs differ" {
  for i in 1 2 3; do
    printf '%s\n' '# aiflame: event gpu-clock, unit samples' "app;fast $((100 + i))" "app;slow $((900 + 9 * i))" > "$tmp/b$i"
    printf '%s\n' '# aiflame: event gpu-clock, unit samples' "app;fast $((300 + i))" "app;slow $((905 + 9 * i))" > "$tmp/a$i"
  done
  aiflame-diff --before "$tmp"/b? --after "$tmp"/a? > "$tmp/out"
  assert_equal "$(head -n 3 "$tmp/out")" $'# aiflame: event gpu-clock, unit samples, columns two\napp;fast 102 302\napp;slow 918 923'
  changes < "$tmp/out" > "$tmp/changes"
  assert_equal "$(head -n 1 "$tmp/changes")" '# aiflame-note: beyond noise: 3 of 4 frames; noise is as 6 runs differ.'
  # the change is within the bounds, and both lie on one side of 0 but for app;slow
  awk -F', ' '/change/ { split($1, b, " "); split($2, a, " "); split($3, low, " "); split($4, high, " ")
      change = a[2] - b[4]
      if (low[2] > change || high[2] < change) bad = 1
      print substr($5, 8), (low[2] > 0 || high[2] < 0 ? "beyond" : "within") } END { exit bad }' \
    "$tmp/changes" > "$tmp/judged"
  assert_equal "$(cat "$tmp/judged")" $'; beyond\napp; beyond\napp;fast; beyond\napp;slow; within'
  assert_equal "$(aiflame-diff --confidence 0 --before "$tmp"/b? --after "$tmp"/a? | changes)" ''
  run -2 --separate-stderr aiflame-diff --confidence 100 "$tmp/b1" "$tmp/a1"
  [[ $stderr = "aiflame-diff: option '--confidence': must be less than 100; try "* ]]
}

@test "noise: of counting samples, where each side is one run" {
  line='# aiflame: event gpu-clock, unit samples'
  printf '%s\na;basic 4298\na;tiled 700\n' "$line" > "$tmp/before"
  printf '%s\na;basic 4202\na;tiled 400\n' "$line" > "$tmp/after"
  aiflame-diff "$tmp/before" "$tmp/after" | changes > "$tmp/changes"
  assert_equal "$(head -n 1 "$tmp/changes")" '# aiflame-note: beyond noise: 3 of 4 frames; noise is of counting samples alone, as each side is one run.'
  grep -q '^# aiflame-change: before 4298, after 4202, low -[0-9.]*, high [0-9.]*, frames a;basic;$' "$tmp/changes"
  # times that were measured once have none, and memory is counted to the byte
  for unit in 'event gpu-time, unit ns, weights measured' 'event gpu-memory, unit bytes'; do
    for side in before after; do sed "1s/.*/# aiflame: $unit/" "$tmp/$side" > "$tmp/$side.exact"; done
    assert_equal "$(aiflame-diff "$tmp/before.exact" "$tmp/after.exact" | changes)" ''
  done
  # text that does not say what it counts stays as difffolded.pl has it
  for side in before after; do sed 1d "$tmp/$side" > "$tmp/$side.plain"; done
  assert_equal "$(aiflame-diff "$tmp/before.plain" "$tmp/after.plain" | grep -c '#')" 0
}

@test "noise: each frame's counts are those of its lines, in any order of the input" {
  for side in b1 b2 a1 a2; do
    { echo '# aiflame: event gpu-clock, unit samples'
      awk -v seed="$side" 'BEGIN { srand(length(seed) + (seed ~ /2/) + 7 * (seed ~ /a/))
        for (i = 0; i < 4000; ++i) { stack = "app"
          for (depth = int(rand() * 6); depth >= 0; --depth)
            stack = stack ";" substr("a a.a;ab b.", 1 + int(rand() * 9), 1 + int(rand() * 3))
          gsub(/;+/, ";", stack); sub(/;$/, "", stack); sub(/ +$/, "", stack)
          print stack, 1 + int(rand() * 20) } }' | LC_ALL=C sort; } > "$tmp/$side"
    shuf "$tmp/$side" > "$tmp/$side.shuffled"
  done
  aiflame-diff --before "$tmp"/b1 "$tmp"/b2 --after "$tmp"/a1 "$tmp"/a2 > "$tmp/out"
  aiflame-diff --before "$tmp"/b1.shuffled "$tmp"/b2.shuffled --after "$tmp"/a1.shuffled "$tmp"/a2.shuffled |
    cmp - "$tmp/out"
  python3 - "$tmp/out" << 'END'
import collections, re, sys
sums = collections.defaultdict(lambda: [0, 0])
said = {}
for line in open(sys.argv[1]):
    if change := re.match(r"# aiflame-change: before (\d+), after (\d+), .*?frames (.*);$", line):
        said[change[3]] = [int(change[1]), int(change[2])]
    if line.startswith("#"):
        continue
    stack, before, after = line.rsplit(" ", 2)
    frames = stack.split(";")
    for end in range(len(frames) + 1):
        for side, count in enumerate((before, after)):
            sums[";".join(frames[:end])][side] += int(count)
wide = {frames: counts for frames, counts in sums.items()
        if any(count > sums[""][side] // 1000 for side, count in enumerate(counts))}
assert len(wide) > 100 and said == wide, (len(wide), len(said))
END
}
