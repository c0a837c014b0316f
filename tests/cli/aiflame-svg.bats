# SPDX-License-Identifier: MIT
# aiflame-svg: options, errors, goldens.
# shellcheck disable=SC2086  # the tests' own paths have no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/aiflame-svg
  tmp=$BATS_TEST_TMPDIR
}

# golden NAME COMMAND...: what the command draws is data/NAME.out, the script left out. `make bless`
# rewrites it.
golden() {
  local expected=$data/$1.out
  shift
  "$@" > "$tmp/drawn.svg"
  xmllint --noout "$tmp/drawn.svg"
  sed '/^<script>/,/^<\/script>/d' "$tmp/drawn.svg" > "$tmp/drawn"
  assert_golden "$tmp/drawn" "$expected"
}

draw() {
  printf '%b' "$1" | aiflame-svg "${@:2}"
}

@test "an AI flame graph: layers, legend, title" {
  golden layers aiflame-svg $data/layers.in
}

@test "a frame is drawn once below its parent" {
  golden split aiflame-svg $data/split.in
}

@test "a differential" {
  golden differential aiflame-svg --colors aiflame $data/differential.in
}

@test "an icicle of hostile names" {
  golden hostile aiflame-svg --inverted --title '<&>"' --subtitle ']]>' --notes '-->' \
    --nametype '"' --countname '<b>' --fonttype 'x;}</style>' $data/hostile.in
}

@test "the same bytes on every run, and from any order of lines" {
  for _ in 1 2 3; do
    shuf $data/layers.in | aiflame-svg > "$tmp/again.svg"
    aiflame-svg $data/layers.in | cmp - "$tmp/again.svg"
  done
  aiflame-svg --random $data/layers.in > "$tmp/random.svg"
  aiflame-svg --random $data/layers.in | cmp - "$tmp/random.svg"
}

@test "the script is the only one, whatever the names" {
  aiflame-svg $data/hostile.in > "$tmp/hostile.svg"
  [ "$(grep -c '<script' "$tmp/hostile.svg")" -eq 1 ]
  # and every name is text of a title: the parsed document has as many as there are frames
  frames=$(xmllint --xpath 'count(//*[@id="frames"]/*)' "$tmp/hostile.svg")
  titles=$(xmllint --xpath 'count(//*[local-name()="title"])' "$tmp/hostile.svg")
  [ "$frames" = "$titles" ]
}

@test "flamegraph.pl's ways to write options" {
  aiflame-svg --title X --colors java --inverted $data/split.in > "$tmp/a.svg"
  aiflame-svg -title X --color=java --inv $data/split.in | cmp - "$tmp/a.svg"
  aiflame-svg --TITLE=X -colors=java $data/split.in -inverted | cmp - "$tmp/a.svg"
}

@test "reads standard input, a dash, several files and compressed ones" {
  aiflame-svg $data/split.in > "$tmp/a.svg"
  aiflame-svg < $data/split.in | cmp - "$tmp/a.svg"
  aiflame-svg - < $data/split.in | cmp - "$tmp/a.svg"
  gzip -c $data/split.in > "$tmp/a.gz"
  aiflame-svg "$tmp/a.gz" | cmp - "$tmp/a.svg"
  draw 'a 2\na.x 2\na;b 2\n' > "$tmp/two.svg"
  aiflame-svg $data/split.in $data/split.in | cmp - "$tmp/two.svg"
}

@test "frames merge from the leaves, and in the order of the input" {
  draw 'x;a 1\ny;a 2\n' --reverse | grep -F '<title>a (3 samples, 100.00%)</title>'
  [ "$(draw 'a 1\nb 1\na 1\n' --flamechart | grep -c '<title>a (1')" -eq 2 ]
  draw 'a 1\n' --flamechart --inverted | grep -F '>Flame Chart</text>'
}

@test "narrow frames are left out" {
  run -0 draw 'a 1\nb 9999\n' --minwidth 0.2
  [[ $output != *'<title>a '* ]]
  run -0 draw 'a 1\nb 99\n' --minwidth 2%
  [[ $output != *'<title>a '* ]]
  run -0 draw 'a 1\nb 99\n' --minwidth 1%
  [[ $output = *'<title>a '* ]]
}

@test "fractions and a factor" {
  draw 'a 0.156\nb 99.844\n' | grep -F 'a (0.156 samples, 0.16%)'
  draw 'a 1\nb 3.5\n' --factor 1000 --countname us | grep -F 'b (3,500 us, 77.78%)'
  draw 'a 5\n' --total 50 | grep -F 'a (5 samples, 10.00%)'
  run -0 --separate-stderr draw 'a 5\n' --total 3
  [ "$stderr" = "aiflame-svg: warning: --total is less than the counts' sum of 5, and ignored" ]
}

@test "a differential tells both counts, and --negate swaps" {
  draw 'a;b 2 4\na 6 6\n' > "$tmp/a.svg"
  grep -A1 -F '<title>b (4 samples, 40.00%; +20.00%)' "$tmp/a.svg" | grep -F '2 before, 4 after</title>'
  grep -A1 -F '<title>a (10 samples, 100.00%; 0.00%)' "$tmp/a.svg" |
    grep -F '8 before, 10 after; itself 6 before, 6 after'
  grep -F 'fill="rgb(255,0,0)"' "$tmp/a.svg"
  draw 'a;b 2 4\na 6 6\n' --negate > "$tmp/a.svg"
  grep -F '<title>b (4 samples, 40.00%; -20.00%)' "$tmp/a.svg"
  grep -F 'fill="rgb(0,0,255)"' "$tmp/a.svg"
}

@test "--delta=total colours by the change of a frame and all on top of it" {
  draw 'a;b;c 10 30\na;d 20 5\n' --delta=total > "$tmp/a.svg"
  grep -A1 -F '<title>b (30 samples, 85.71%; +57.14%)' "$tmp/a.svg" | grep -F 'fill="rgb(255,0,0)"'
  grep -A1 -F '<title>d (5 samples, 14.29%; -42.86%)' "$tmp/a.svg" | grep -F 'fill="rgb(52,52,255)"'
  grep -A1 -F '<title>a (35 samples, 100.00%; +14.29%)' "$tmp/a.svg" | grep -F 'fill="rgb(255,157,157)"'
  # by default a frame that has no samples itself has not changed
  draw 'a;b;c 10 30\na;d 20 5\n' > "$tmp/b.svg"
  grep -A1 -F '<title>b (30 samples, 85.71%; 0.00%)' "$tmp/b.svg" | grep -F 'fill="rgb(255,255,255)"'
  draw 'a;b;c 10 30\na;d 20 5\n' --delta self | cmp - "$tmp/b.svg"
  run -2 draw 'a 1 2\n' --delta leaf
}

@test "lines of one count among lines of two are said" {
  run -0 --separate-stderr draw 'a 1 2\nb 3\nb 4\n'
  [ "$stderr" = "aiflame-svg: warning: 1 of 3 lines have two counts; the others are taken as unchanged" ]
}

@test "lines without a count are counted, comments and blank lines are not" {
  run -0 --separate-stderr draw '# made by hand\n\na 1\nb\nc -3\nd 2\n'
  [ "$stderr" = "aiflame-svg: warning: 2 of 4 lines ignored, first at <stdin>:4: missing count" ]
  [[ $output = *'all (3 samples, 100%)'* ]]
}

@test "palettes: hot, and aiflame where there are device frames" {
  draw 'main 1\n' | grep -F 'fill="rgb(243,179,42)"'
  run -0 draw 'main 1\n'
  [[ $output != *'id="legend"'* ]]
  draw 'main;k_[G] 1\n' | grep -F '>AI Flame Graph</text>'
  draw 'main;k_[G] 1\n' | grep -F '>device source</text>'
  run -0 draw 'main;k_[G] 1\n' --colors hot
  [[ $output != *'id="legend"'* ]]
}

@test "no input: an image that says so, one line, status 1" {
  run -1 --separate-stderr aiflame-svg /dev/null
  [ "$stderr" = "aiflame-svg: no stacks with counts in the input" ]
  [[ $output = *'ERROR: no stacks with counts in the input'* ]]
  xmllint --noout - <<< "$output"
}

@test "an unreadable input" {
  run -1 --separate-stderr aiflame-svg "$tmp/none"
  [ "$stderr" = "aiflame-svg: cannot open '$tmp/none': No such file or directory" ]
  run -1 --separate-stderr aiflame-svg "$tmp"
  [[ $stderr = "aiflame-svg: cannot "*"Is a directory" ]]
}

@test "counts that do not fit are an error with its place" {
  run -1 --separate-stderr draw 'a 18446744073709551615\nb 1\n'
  [ "$stderr" = "aiflame-svg: <stdin>:2: the counts are too large to be added in 64 bits" ]
  run -1 --separate-stderr draw 'a 18446744073709551616\n'
  [ "$stderr" = "aiflame-svg: <stdin>:1: the counts are too large to be added in 64 bits" ]
  run -0 draw 'a 9223372036854775807\n'
  [[ $output = *'a (9,223,372,036,854,775,807 samples, 100.00%)'* ]]
}

@test "a stack 100 000 frames deep" {
  { yes 'f;' | head -100000 | tr -d '\n'; echo 'g 3'; } > "$tmp/deep"
  aiflame-svg "$tmp/deep" > "$tmp/deep.svg"
  xmllint --noout --huge "$tmp/deep.svg"
  [ "$(grep -c '<rect x=' "$tmp/deep.svg")" -eq 100003 ]  # with root and background
}

@test "usage errors are one line and status 2" {
  for arguments in '--nosuch' '--width' '--width x' '--width 5' '--fontsize 0' '--minwidth 1x' \
    '--minwidth -1' '--colors mauve' '--bgcolors #12' '--total x' '--t 3' '--encoding latin1'; do
    # shellcheck disable=SC2086  # words, as on a command line
    run -2 --separate-stderr aiflame-svg $arguments
    [ -z "$output" ]
    [[ $stderr = "aiflame-svg: "*"; try 'aiflame-svg --help'" ]]
    [ "$(wc -l <<< "$stderr")" -eq 1 ]
  done
}

@test "help and version" {
  run -0 --separate-stderr aiflame-svg --help
  [[ $output = "Usage: aiflame-svg "* ]]
  [ -z "$stderr" ]
  run -0 aiflame-svg --version
  [[ $output = "aiflame-svg "* ]]
}

@test "a full disk is noticed" {
  run -1 --separate-stderr bash -c "aiflame-svg $data/layers.in > /dev/full"
  [ "$stderr" = "aiflame-svg: write error: No space left on device" ]
}

@test "upstream's folded stacks: the counts drawn are the counts read" {
  folded=../shared/data/flamegraph/folded
  [ -d $folded ] || skip "no upstream test data at $folded"
  for file in "$folded"/*-collapsed-all.txt; do
    sum=$(awk '{ sum += $NF } END { printf "%d", sum }' "$file")
    aiflame-svg "$file" > "$tmp/a.svg"
    xmllint --noout "$tmp/a.svg"
    [ "$(grep -o 'data-d="0" data-x="0" data-n="[0-9]*"' "$tmp/a.svg" | tr -dc '0-9 ' |
      awk '{ print $3 }')" = "$sum" ]
  done
}

# frames SVG: title, place and colour of each frame.
frames() {
  grep -o '<title>.*</title><rect x="[^"]*" y="[^"]*" width="[^"]*" height="[^"]*" fill="[^"]*"' |
    sort
}

@test "the frames of flamegraph.pl, where it is on PATH" {
  command -v flamegraph.pl > /dev/null || skip "no flamegraph.pl"
  folded=../shared/data/flamegraph/folded
  [ -d $folded ] || skip "no upstream test data at $folded"
  # not vertx, where the original draws a frame twice; see "a frame is drawn once"
  for file in $folded/perf-java-stacks-01-collapsed-all.txt \
    $folded/perf-iperf-stacks-pidtid-01-collapsed-all.txt \
    $folded/perf-numa-stacks-01-collapsed-kernel.txt; do
    sum=$(awk '{ sum += $NF } END { printf "%d", sum }' $file)
    for options in '' '--color=java --hash' '--inv --colors mem --countname us' '--colors js' \
      '--reverse --width 800 --height 20' '--flamechart --minwidth 1% --fontsize 11' \
      "--colors perl --total $((2 * sum))" '--colors io --negate'; do
      flamegraph.pl $options $file 2> "$tmp/err" | frames > "$tmp/theirs"
      aiflame-svg $options $file | frames > "$tmp/ours"
      [ -s "$tmp/ours" ]
      diff "$tmp/theirs" "$tmp/ours"
    done
  done
}
