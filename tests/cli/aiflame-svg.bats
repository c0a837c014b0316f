# SPDX-License-Identifier: MIT
# aiflame-svg: options, errors, goldens.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/aiflame-svg
  tmp=$BATS_TEST_TMPDIR
}

# golden NAME COMMAND...: what the command draws, without the script, equals data/NAME.out. `make
# bless` rewrites that file.
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

# many_stacks: 60 000 stacks, 8 MB, so that several threads read and sort them
many_stacks() {
  awk 'BEGIN {
    for (i = 0; i < 60000; ++i) {
      stack = "main"
      for (n = i + 7; n > 0; n = int(n / 3)) stack = stack ";function_" n % 101 "_of_" n % 3
      print stack, 1 + i % 7
    }
  }'
}

@test "the same bytes from many stacks in any order, files, pipes and threads" {
  many_stacks | LC_ALL=C sort > "$tmp/sorted"
  aiflame-svg "$tmp/sorted" > "$tmp/sorted.svg"
  shuf "$tmp/sorted" > "$tmp/shuffled"
  aiflame-svg "$tmp/shuffled" | cmp - "$tmp/sorted.svg"
  taskset -c 0 aiflame-svg "$tmp/shuffled" | cmp - "$tmp/sorted.svg"
  # shellcheck disable=SC2002 # this tests a pipe
  cat "$tmp/shuffled" | aiflame-svg | cmp - "$tmp/sorted.svg"
  gzip -k "$tmp/shuffled"
  head -n 20000 "$tmp/sorted" > "$tmp/first"
  tail -n +20001 "$tmp/sorted" | tac > "$tmp/second"
  aiflame-svg "$tmp/shuffled.gz" | cmp - "$tmp/sorted.svg"
  aiflame-svg "$tmp/second" "$tmp/first" | cmp - "$tmp/sorted.svg"
  # the count is the input's
  total=$(awk '{ sum += $NF } END { print sum }' "$tmp/sorted")
  grep -q "data-total=\"$total\"" "$tmp/sorted.svg"
}

@test "the first of several mistakes is reported, whichever thread finds it" {
  many_stacks > "$tmp/many"
  awk 'NR == 41234 || NR == 59000 { $NF = "20000000000000000000" } { print }' "$tmp/many" > "$tmp/bad"
  for _ in 1 2 3 4 5; do
    run --separate-stderr aiflame-svg "$tmp/bad"
    [ "$status" -eq 1 ]
    [ "$stderr" = "aiflame-svg: $tmp/bad:41234: the counts are too large to be added in 64 bits" ]
  done
  # a sum that is too large, followed by a missing file
  awk 'NR == 30000 || NR == 50000 { $NF = "9300000000000000000" } { print }' "$tmp/many" > "$tmp/sum"
  run --separate-stderr aiflame-svg "$tmp/many" "$tmp/sum" "$tmp/none"
  [ "$status" -eq 1 ]
  [ "$stderr" = "aiflame-svg: $tmp/sum:50000: the counts are too large to be added in 64 bits" ]
  run --separate-stderr aiflame-svg "$tmp/many" "$tmp/none" "$tmp/bad"
  [ "$status" -eq 1 ]
  [ "$stderr" = "aiflame-svg: cannot open '$tmp/none': No such file or directory" ]
  # lines without a count are not mistakes
  awk 'NR == 7 || NR == 55555 { $0 = "no;count" } { print }' "$tmp/many" > "$tmp/ignored"
  run --separate-stderr aiflame-svg "$tmp/ignored"
  [ "$status" -eq 0 ]
  [ "$stderr" = "aiflame-svg: warning: 2 of 60000 lines ignored, first at $tmp/ignored:7: missing count" ]
}

@test "many counts that are fractions, and many with two" {
  many_stacks | awk '{ $NF = $NF ".5" } NR == 50000 { $NF = "0.125" } { print }' > "$tmp/fractions"
  aiflame-svg "$tmp/fractions" > "$tmp/fractions.svg"
  shuf "$tmp/fractions" | aiflame-svg | cmp - "$tmp/fractions.svg"
  many_stacks | awk 'BEGIN { print "# aiflame: unit stalls, columns two" }
    NR > 30000 { $NF = NR % 5 " " $NF } { print }' > "$tmp/two"
  aiflame-svg "$tmp/two" > "$tmp/two.svg" 2> "$tmp/warning"
  grep -q '30000 of 60000 lines have two counts' "$tmp/warning"
  { head -1 "$tmp/two" && tail -n +2 "$tmp/two" | shuf; } | aiflame-svg 2> "$tmp/warning" | cmp - "$tmp/two.svg"
}

@test "the script is the only one, whatever the names" {
  aiflame-svg $data/hostile.in > "$tmp/hostile.svg"
  [ "$(grep -c '<script' "$tmp/hostile.svg")" -eq 1 ]
  # every name is the text of a title: the parsed document has as many titles as frames, and its own
  frames=$(xmllint --xpath 'count(//*[@id="frames"]/*)' "$tmp/hostile.svg")
  titles=$(xmllint --xpath 'count(//*[local-name()="title"])' "$tmp/hostile.svg")
  [ "$((frames + 1))" = "$titles" ]
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
  # by default a frame without samples of its own has not changed
  draw 'a;b;c 10 30\na;d 20 5\n' > "$tmp/b.svg"
  grep -A1 -F '<title>b (30 samples, 85.71%; 0.00%)' "$tmp/b.svg" | grep -F 'fill="rgb(255,255,255)"'
  draw 'a;b;c 10 30\na;d 20 5\n' --delta self | sed 's/data-delta="self"/data-delta="total"/' |
    cmp - "$tmp/b.svg"  # but the page begins with it
  run -2 draw 'a 1 2\n' --delta leaf
}

@test "lines with one count among lines with two are reported" {
  run -0 --separate-stderr draw '# aiflame: unit stalls, columns two\na 1 2\nb 3\nb 4\n'
  [ "$stderr" = "aiflame-svg: warning: 1 of 3 lines have two counts; the others are taken as unchanged" ]
}

@test "lines without a count are counted, comments and blank lines are not" {
  run -0 --separate-stderr draw '# made by hand\n\na 1\nb\nc -3\nd 2\n'
  [ "$stderr" = "aiflame-svg: warning: 2 of 4 lines ignored, first at <stdin>:4: missing count" ]
  [[ $output = *'all (3 samples, 100%)'* ]]
}

@test "lines without a count are counted in the picture, too" {
  run -0 --separate-stderr draw 'a 1\nb\nc\nd\n' --subtitle 'one <run>'
  [[ $output = *'<text id="subtitle"'*'>one &lt;run&gt;; 3 of 4 lines were not folded stacks</text>'* ]]
  run -0 --separate-stderr draw 'a 1\nb\n'
  [[ $output = *'<text id="subtitle"'*'>1 of 2 lines were not folded stacks</text>'* ]]
  run -0 draw 'a 1\n'
  [[ $output != *'id="subtitle"'* ]]
  # with none at all there is no picture
  run -1 --separate-stderr draw 'a\nb\n'
  [ "${stderr_lines[-1]}" = 'aiflame-svg: no stacks with counts in the input' ]
}

@test "--strict: a line that is no stack is an error, and nothing is written" {
  run -1 --separate-stderr draw '# made by hand\n\na 1\nb\nc 2\n' --strict
  assert_equal "$output$stderr" 'aiflame-svg: <stdin>:4: missing count'
  run -1 --separate-stderr draw '# aiflame: unit stalls, columns two\na 1 2\nb 1 3\nc 2\n' --strict
  assert_equal "$output$stderr" 'aiflame-svg: <stdin>:4: one count, and the first line has two'
  run -1 --separate-stderr draw '' --strict
  assert_equal "$output$stderr" 'aiflame-svg: no stacks with counts in the input'
  # the same error from several threads
  many_stacks | awk 'NR > 30000 && NR % 1000 == 1 { $0 = "no;count" } { print }' > "$tmp/many"
  run -1 --separate-stderr aiflame-svg --strict "$tmp/many"
  assert_equal "$output$stderr" "aiflame-svg: $tmp/many:30001: missing count"
  draw '# made by hand\n\na 1\nb 2\n' > "$tmp/plain"
  draw '# made by hand\n\na 1\nb 2\n' --strict | cmp - "$tmp/plain"
}

@test "palettes: hot, and aiflame where there are device frames" {
  draw 'main 1\n' | grep -F 'fill="rgb(243,179,42)"'
  run -0 draw 'main 1\n'
  [[ $output != *'id="legend"'* ]]
  draw 'main;k_[G] 1\n' | grep -F '>AI Flame Graph</text>'
  draw 'main;k_[G] 1\n' | grep -F '>device source</text>'
  # operators, modules and ranges are of AI flame graphs too; their annotations are not shown
  draw 'py::f:t.py;step_[r];Linear_0_[m];aten::mm_[o] 1\n' > "$tmp/model"
  for text in 'AI Flame Graph' operators modules ranges Python step Linear_0; do
    grep -F ">$text" "$tmp/model"
  done
  grep -F 'data-a="_[o]"' "$tmp/model" | grep -F '<title>aten::mm (1 samples, 100.00%)</title>'
  run -1 grep -F '>device source</text>' "$tmp/model"
  run -0 draw 'main;k_[G] 1\n' --colors hot
  [[ $output != *'id="legend"'* ]]
}

@test "--classic draws an AI flame graph as it was drawn before; options win over both looks" {
  aiflame-svg --classic $data/layers.in | sed '/^<script>/,/^<\/script>/d' > "$tmp/classic"
  grep -F '<stop stop-color="#eeeeb0"' "$tmp/classic"
  run -1 grep -F 'url(#boundary)' "$tmp/classic"
  run -1 grep -F '>offsets</text>' "$tmp/classic"
  grep -F '<title>sbid (812' "$tmp/classic" | grep -F 'fill="rgb(98,244,98)"'
  grep -F '<title>- (' "$tmp/classic" | grep -F 'fill="rgb(200,200,200)"'
  # the look of AI flame graphs, and options
  draw 'main;k_[G] 1\n' | grep -F '<stop stop-color="#ffffff" offset="95%"/>'
  draw 'main;k_[G] 1\n' --bgcolors blue | grep -F '<stop stop-color="#e0e0ff"'
  draw 'main;k_[G] 1\n' --colors red | grep -F 'fill="rgb(242,112,112)"'
  # --bgcolors and --colors win over a dark system and the hatching
  draw 'main;f 1\n' --bgcolors blue | sed '/^<script>/,$d' > "$tmp/blue"
  run -1 grep -F 'prefers-color-scheme: dark' "$tmp/blue"
  draw 'main;f 1\n' --bgcolors '#203040' | grep -F '#subtitle { fill:rgb(170,170,170); }'
  draw 'main;-;k_[G] 1\n' --colors hot | sed '/^<script>/,$d' > "$tmp/hot"
  run -1 grep -F 'url(#boundary)' "$tmp/hot"
  grep -F '<title>- (' "$tmp/hot" | grep -F 'fill="rgb(200,200,200)"'
  # ordinary input has but one look, and a sentence that only the page shows
  draw 'main;f 1\n' | sed '/<g id="verdict" class="hide"/,/^<\/g>/d; /^#verdict/d' > "$tmp/plain"
  # but its page keeps the yellow background
  draw 'main;f 1\n' --classic > "$tmp/classic"
  grep -F ' data-given="background"' "$tmp/classic"
  sed 's/ data-given="background"//' "$tmp/classic" | cmp - "$tmp/plain"
}

# reasons: prints "NAME CATEGORY" of each stall reason that the SVG on standard input explains
reasons() {
  sed -n 's/^<g data-name="\([^"]*\)" data-category="\([^"]*\)".*/\1 \2/p'
}

@test "what is a reason in genuine samples of Intel's, NVIDIA's and AMD's GPUs" {
  genuine=$AIFLAME_ROOT/../shared/data/hpctoolkit
  [ -d "$genuine" ] || skip "no genuine samples at $genuine"
  cd "$genuine"
  drawn() { stackcollapse-aiflame "genuine_$1.gpustall" 2> "$tmp/err" | aiflame-svg; }
  drawn intel > "$tmp/a.svg"
  assert_equal "$(reasons < "$tmp/a.svg")" "$(printf '%s\n' 'active issuing' 'insfetch fetch' \
    'other other' 'pipe pipe busy' 'sbid memory')"
  grep -F '<title>sbid (429,' "$tmp/a.svg" | grep -F 'class="light"'
  grep -F '<title>0x448 (261,437' "$tmp/a.svg" | grep -vF 'class="light"'
  drawn nvidia > "$tmp/a.svg"
  assert_equal "$(reasons < "$tmp/a.svg")" "$(printf '%s\n' 'isu_unk issuing' 'stl_gmem memory' \
    'stl_idep dependency' 'stl_ifet fetch' 'stl_mthr memory' 'stl_othr other' 'stl_pipe pipe busy')"
  drawn amd > "$tmp/a.svg"
  assert_equal "$(reasons < "$tmp/a.svg")" "$(printf '%s\n' 'isu_brnt issuing' 'isu_flat issuing' \
    'isu_sclr issuing' 'isu_vec issuing' 'stl_hid other' 'stl_idep dependency' 'stl_ifet fetch' \
    'stl_mem memory')"
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
  aiflame-svg --minwidth 0.1 "$tmp/deep" > "$tmp/deep.svg"
  xmllint --noout --huge "$tmp/deep.svg"
  [ "$(grep -c '<rect x=' "$tmp/deep.svg")" -eq 100003 ]  # with root and background
  aiflame-svg "$tmp/deep" > "$tmp/deep.svg"
  [ "$(grep -c '<rect x=' "$tmp/deep.svg")" -eq 10001 ] # and the background
}

@test "an abbreviation of one flamegraph.pl option means that option, despite our own" {
  aiflame-svg --e utf-8 --height 20 <<< 'a;b 1' > "$tmp/short.svg"
  aiflame-svg --encoding utf-8 --height 20 <<< 'a;b 1' > "$tmp/long.svg"
  cmp "$tmp/short.svg" "$tmp/long.svg"
}

@test "usage errors are one line and status 2" {
  for arguments in '--nosuch' '--width' '--width x' '--width 5' '--fontsize 0' '--minwidth 1x' \
    '--width 18446744073709551615' '--height 18446744073709551615' '--minwidth -1' '--colors mauve' '--bgcolors #12' '--total x' '--t 3' '--encoding latin1' '--layout sideways'; do
    # shellcheck disable=SC2086  # several words, as on a command line
    assert_usage_error aiflame-svg $arguments
  done
  assert_usage_error aiflame-svg --width 0
  assert_equal "$stderr" \
    "aiflame-svg: option '--width': 0 is not between 30 and 1000000; try 'aiflame-svg --help'"
}

@test "help and version" {
  assert_help_and_version aiflame-svg
}

@test "a full disk is noticed" {
  assert_full_disk_noticed aiflame-svg $data/layers.in
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

# frames: prints title, place and colour of each frame of the SVG on standard input. It drops the
# second line of a differential's titles, which only our program writes.
frames() {
  sed ':a; /<title>[^<]*$/ { N; ba; }; s/\n[^<]*<\/title>/<\/title>/' |
    grep -o '<title>.*</title><rect x="[^"]*" y="[^"]*" width="[^"]*" height="[^"]*" fill="[^"]*"' |
    sort
}

# same_frames FILE OPTION...: flamegraph.pl draws the same. NYTProf's copy, which is older than
# colours by name, is compared only in places and titles.
same_frames() {
  local file=$1 perl=flamegraph.pl colours=cat
  shift
  if ! command -v $perl > /dev/null; then
    perl=/usr/share/perl5/Devel/NYTProf/flamegraph.pl
    colours='sed s/fill=.*//'
  fi
  $perl "$@" "$file" 2> "$tmp/err" | frames | $colours > "$tmp/theirs"
  aiflame-svg "$@" "$file" 2> "$tmp/err" | frames | $colours > "$tmp/ours"
  [ -s "$tmp/ours" ]
  diff "$tmp/theirs" "$tmp/ours"
}

skip_without_flamegraph() {
  command -v flamegraph.pl /usr/share/perl5/Devel/NYTProf/flamegraph.pl > /dev/null ||
    skip 'no flamegraph.pl'
}

@test "flamegraph.pl's frames: every palette, by sum and by hash" {
  skip_without_flamegraph
  # shellcheck disable=SC2016  # a backquote is part of a name
  printf '%s 7\n' 'a;main_[k];std::vector<int>::at(int)' 'a;Lorg/apache/Foo:::bar_[j];memcpy_[i]' \
    'a;java/lang/Object;do_sys_poll_[k]' 'a;~/x/y.js:12_[j];v8::Handle' 'a;Builtin:~foo;Perl_pp' \
    'a;b.pl; ;x' 'b;`tick;libc`main;é漢字' 'b;--;c_[w];--;d' 'b;-;e;_Z3foov' 'b;net/x;sun/y;Lio/z_[k]' \
    > "$tmp/names"
  grep -e '--' "$tmp/names" > "$tmp/chains"  # to these the original adds a frame
  same_frames "$tmp/chains" --colors chain
  same_frames "$tmp/chains" --colors chain --hash
  for palette in hot mem io wakeup java js perl red green blue aqua yellow purple orange; do
    same_frames "$tmp/names" --colors $palette
    same_frames "$tmp/names" --colors $palette --hash
  done
}

@test "flamegraph.pl's frames: every option that moves, names or colours them" {
  skip_without_flamegraph
  printf '%s\n' 'a;b;c 10' 'a;b;d 1' 'a;e 500' 'f 40' 'a;b 3' 'g;h;i;j;k_[k] 333' > "$tmp/folded"
  for options in '' --inverted --reverse --flamechart '--width 777' '--height 31' '--minwidth 3' \
    '--minwidth 1%' '--fontsize 17' '--fontsize 9.5 --fontwidth 0.7' '--countname us' \
    '--nametype Frame:' '--total 2000' '--factor 3' '--negate' '--subtitle below' '--title T' \
    '--fonttype Courier' '--bgcolors blue' '--notes n' '--encoding utf-8' '--cp' \
    '-inv -ti T -wi 900 --heig=20 --MINW 2 --color=io'; do
    (cd "$tmp" && rm -f palette.map && same_frames folded $options)
  done
  printf '%s\n' 'a;b 10 20' 'a;c 7 3' 'a 5 5' 'd;- 1 2' 'e;-- 9 0' > "$tmp/folded"
  for options in '' --negate '--inverted --total 100'; do same_frames "$tmp/folded" $options; done
}

@test "flamegraph.pl's frames: its own test data" {
  skip_without_flamegraph
  folded=../shared/data/flamegraph/folded
  [ -d $folded ] || skip "no upstream test data at $folded"
  # leaves out vertx, where the original draws a frame twice; see "a frame is drawn once"
  for file in $folded/perf-java-stacks-01-collapsed-all.txt \
    $folded/perf-iperf-stacks-pidtid-01-collapsed-all.txt \
    $folded/perf-numa-stacks-01-collapsed-kernel.txt; do
    for options in '' '--color=java --hash' '--inv --colors mem --countname us' '--colors js' \
      '--reverse --width 800 --height 20' '--flamechart --minwidth 1% --fontsize 11'; do
      same_frames $file $options
    done
  done
}

@test "flamegraph.pl's ids, and its classes" {
  aiflame-svg --subtitle s $data/layers.in > "$tmp/a.svg"
  for id in title subtitle details unzoom search ignorecase matched frames background; do
    [ "$(xmllint --xpath "count(//*[@id='$id'])" "$tmp/a.svg")" -eq 1 ]
  done
  [ "$(xmllint --xpath 'string(//*[@id="unzoom"]/@class)' "$tmp/a.svg")" = hide ]
  grep -F '.parent' "$tmp/a.svg"
}

@test "--cp keeps the colours of names" {
  cd "$tmp"
  draw 'operator->;b 1\nc 3\n' --cp | frames > first
  [ "$(cut -d'>' -f1 palette.map | tr '\n' ' ')" = '- b- c- operator- ' ]
  sed -i 's/^b->.*/b->rgb(1,2,3)/; s/^operator->->.*/operator->->rgb(4,5,6)/' palette.map
  draw 'operator->;b 1\nd 3\n' --cp --colors mem > second.svg
  grep -F '<title>b (1 samples, 25.00%)</title>' second.svg | grep -F 'fill="rgb(1,2,3)"'
  grep -F '<title>operator-&gt; (1' second.svg | grep -F 'fill="rgb(4,5,6)"'
  [ "$(grep -c -- '->' palette.map)" -eq 5 ]  # all, b, c, d, operator->
  echo 'b->url(javascript:alert(1))' > palette.map
  run -1 --separate-stderr draw 'b 1\n' --cp
  [ "$stderr" = "aiflame-svg: palette.map:1: expected a name, '->' and 'rgb(R,G,B)'" ]
}

@test "--nameattr: links, titles, classes and what is left of markup" {
  printf '%s\t%s\n' a $'href=https://example.org/?a=1&b=2\ttitle=<b>"x"</b>\tclass=k' \
    b $'id=one\tg_extra=data-owner="<libc>" role=\'img\'' > "$tmp/names"
  draw 'a;b 1\n' --nameattr "$tmp/names" > "$tmp/a.svg"
  xmllint --noout "$tmp/a.svg"
  grep -F 'class="k"><title>&lt;b&gt;&quot;x&quot;&lt;/b&gt;</title>' "$tmp/a.svg" |
    grep -F '<a data-d="1"' | grep -F 'xlink:href="https://example.org/?a=1&amp;b=2" target="_top"'
  grep -F ' id="one" data-owner="&lt;libc&gt;" role="img"><title>b (' "$tmp/a.svg"
}

@test "--nameattr runs nothing" {
  while IFS='|' read -r attributes message; do
    printf 'main\tclass=x\na\t%b\n' "$attributes" > "$tmp/names"
    run -1 --separate-stderr draw 'a 1\n' --nameattr "$tmp/names"
    assert_equal "$stderr" "aiflame-svg: $tmp/names:2: $message"
    [[ $output = *ERROR* ]]
  done << 'END'
href=javascript:alert(1)|'javascript:alert(1)' is no link to a place
href= JavaScript:alert(1)|' JavaScript:alert(1)' is no link to a place
href=java\001script:alert(1)|'java\001script:alert(1)' is no link to a place
href=data:text/html,x|'data:text/html,x' is no link to a place
g_extra=onclick="alert(1)"|the attribute 'onclick' may not be set
g_extra=OnMouseOver="alert(1)"|the attribute 'OnMouseOver' may not be set
g_extra=><script>alert(1)</script>|'><script>alert(1)</script>' is not an attribute's name
g_extra=xmlns="http://www.w3.org/1999/xhtml"|the attribute 'xmlns' may not be set
g_extra=xlink:href="javascript:alert(1)"|'xlink:href' is not an attribute's name
g_extra=style="background:url(http://x.org/)"|the attribute 'style' may not be set
g_extra=fill="url(http://x.org/a.svg#b)"|the attribute 'fill' may not be set
g_extra=src="x.js"|the attribute 'src' may not be set
g_extra=data-n="1"|the attribute 'data-n' may not be set
href=a\ta_extra=HREF="javascript:alert(1)"|the attribute 'HREF' may not be set
href=a\ta_extra=ping="http://x.org/"|the attribute 'ping' may not be set
g_extra=role="1" Role="2"|the attribute 'Role' is there twice
g_extra=role=1|the value of 'role' is not in quotes
href|expected name=value, not 'href'
END
  printf 'a\n' > "$tmp/names"
  run -1 --separate-stderr draw 'a 1\n' --nameattr "$tmp/names"
  [ "$stderr" = "aiflame-svg: $tmp/names:1: expected a name, a tab, and name=value" ]
}

# As flamegraph.pl writes them, which says nothing.
@test "--nameattr: attributes without a value, unknown and repeated ones" {
  printf 'a\tid=\tonclick=1\ttitle=x\ttitle=y\t\tclass=\nb\thref=\tbar=\ttarget=\n' > "$tmp/names"
  run --separate-stderr draw 'a;b 1\n' --nameattr "$tmp/names"
  [ "$status" -eq 0 ]
  grep -F '<g data-d="1" data-x="0" data-n="1" data-given="a" data-titled="1" id="" class=""><title>y</title>' <<< "$output"
  grep -F '<g data-d="2" data-x="0" data-n="1"><title>b (1 samples, 100.00%)</title>' <<< "$output"
  assert_equal "$stderr" "aiflame-svg: warning: $tmp/names:1: attribute 'onclick' is none of id, class, title, href, target, g_extra, a_extra, and is ignored (and 1 more)
aiflame-svg: warning: $tmp/names:1: attribute 'title' is repeated; the last one counts
aiflame-svg: warning: $tmp/names:1: attribute 'id' has no value (and 3 more)"
}

titles_of() {
  sed -n 's/^<[ag] .*<title>\([^<]*\).*/\1/p'
}
# titles OPTION...: the first lines of what the frames of standard input say
titles() {
  aiflame-svg "$@" | titles_of
}

kTime='# aiflame: event gpu-time, unit ns'
kTimes="$kTime, columns two" # of a difference
kStalls='# aiflame: event gpu-stall, unit stalls, period 1004 cycles'

@test "samples of work are not called stalls, and the subtitle says how many stall" {
  printf '%s\n' "$kStalls" 'a;-;k_[G];FFMA_[g];selected_[g] 60' 'a;-;k_[G];FFMA_[g];not_selected_[g] 15' \
    'a;-;k_[G];LDG_[g];long_scoreboard_[g] 25' > "$tmp/work"
  aiflame-svg "$tmp/work" > "$tmp/work.svg"
  grep -F '>width: samples of 1,004 cycles (gpu-stall); 25% of them stalls</text>' "$tmp/work.svg"
  grep -F '<title>LDG (25 samples, 25.00%)</title>' "$tmp/work.svg"
  grep -v selected "$tmp/work" | aiflame-svg | grep -F '>width: stalls of 1,004 cycles (gpu-stall)</text>'
  # a differential has two sums
  sed -e 's/\([0-9]*\)$/\1 \1/' -e '1s/cycles.*/cycles, columns two/' "$tmp/work" | aiflame-svg |
    grep -F '>width: samples of 1,004 cycles (gpu-stall); '
}

# verdict_of FILE: the lines of text above the picture
verdict_of() {
  sed -n '/<g id="verdict"/,/^<\/g>$/p' "$1" | sed -n 's/<tspan[^>]*>//g; s/<\/tspan>//g; s/^<text class[^>]*>\(.*\)<\/text>$/\1/p'
}

@test "the verdict: kinds of reasons, the largest kernel, why and by whom, and aiflame-report's findings" {
  local cpu='app;main;run;cuLaunchKernel;-;k.cu_[G]'
  printf '%s\n' "$kStalls" "$cpu;gemm_[G];FFMA_[g];selected_[g] 500" "$cpu;gemm_[G];FFMA_[g];not_selected_[g] 100" \
    "$cpu;gemm_[G];LDS_[g];short_scoreboard_[g] 120" "$cpu;gemm_[G];LDG_[g];long_scoreboard_[g] 180" \
    "app;main;other;cuLaunchKernel;-;k.cu_[G];copy_[G];LDG_[g];long_scoreboard_[g] 100" > "$tmp/in"
  aiflame-svg "$tmp/in" > "$tmp/verdict.svg"
  xmllint --noout "$tmp/verdict.svg"
  assert_equal "$(verdict_of "$tmp/verdict.svg")" \
    'gemm takes 90% of the samples: waits for memory in 33% of them (long_scoreboard); launched by run
long_scoreboard in gemm: at most 1.25 times faster, all kernels 1.22
short_scoreboard in gemm: at most 1.16 times faster, all kernels 1.14'
  assert_equal "$(grep -o 'data-kind="[^"]*" data-share="[^"]*"' "$tmp/verdict.svg" | paste -sd ' ')" \
    'data-kind="issuing" data-share="50" data-kind="memory" data-share="40" data-kind="hidden" data-share="10"'
  # the same bounds
  aiflame-report "$tmp/in" | sed -n '/What a fix could gain/,/^$/p' > "$tmp/report"
  grep -E '180 +18.00% +1.25x +1.25x +1.22x +long_scoreboard in gemm' "$tmp/report"
  grep -E '120 +12.00% +1.16x +1.16x +1.14x +short_scoreboard in gemm' "$tmp/report"
  # times have no reasons
  printf '%s\n' "$kTime" 'app;f;-;k_[G] 30' 'app;g;-;k_[G] 10' 'app;g;-;l_[G] 5' | aiflame-svg > "$tmp/time.svg"
  assert_equal "$(verdict_of "$tmp/time.svg")" 'k takes 89% of the time; launched by f (75% of it)'
  # a device that was idle for longer than any kernel ran
  printf '%s\n' "$kTime" '[gpu idle];[host busy];app;f 40' '[gpu idle];[launch latency];app;g 15' 'app;f;-;k_[G] 45' |
    aiflame-svg > "$tmp/idle.svg"
  assert_equal "$(verdict_of "$tmp/idle.svg")" 'Idle 55% of the time (host busy 40%); k takes 45% of the time; launched by f'
  printf '%s\n' "$kTime" '[gpu idle];[host busy];app;f 45' 'app;f;-;k_[G] 55' | aiflame-svg > "$tmp/idle.svg"
  assert_equal "$(verdict_of "$tmp/idle.svg")" 'k takes 55% of the time; launched by f'
  # text without a header keeps the layout of flamegraph.pl
  grep -v '^#' "$tmp/in" | aiflame-svg 2> "$tmp/err" > "$tmp/plain.svg"
  grep -F '<g id="verdict" class="hide" display="none">' "$tmp/plain.svg"
  for options in --classic --reverse; do
    run -1 grep 'id="verdict"' <(aiflame-svg "$options" "$tmp/in")
  done
  # what has no kernel
  run -1 grep 'id="verdict"' <(printf '%s\na;aten::mm_[o];-;[idle] 1\n' "$kTime" | aiflame-svg)
  run -1 grep 'id="verdict"' <(printf '%s\na;-;k_[G] 1 2\n' "$kTimes" | aiflame-svg)
}

@test "the verdict of a profile of the CPU: the costliest function and who calls it" {
  printf '%s\n' '# aiflame: event cpu-clock, unit ns, period 1003009 ns' 'app;main;f 20' 'app;main;f;parse_[k] 30' \
    'app;main;g;parse_[k] 10' 'app;main;[app] 35' 'swapper;do_idle_[k];native_safe_halt_[k] 65' > "$tmp/in"
  aiflame-svg "$tmp/in" > "$tmp/verdict.svg"
  xmllint --noout "$tmp/verdict.svg"
  assert_equal "$(verdict_of "$tmp/verdict.svg")" 'parse takes 25% of the time itself; called by f (75% of it)'
  # the picture of text without a header is flamegraph.pl's; the page says it
  grep -v '^#' "$tmp/in" | aiflame-svg > "$tmp/plain.svg"
  assert_equal "$(verdict_of "$tmp/plain.svg")" 'parse takes 25% of the samples itself; called by f (75% of it)'
  grep -F '<g id="verdict" class="hide" display="none">' "$tmp/plain.svg"
  for options in --classic --reverse; do
    run -1 grep 'id="verdict"' <(aiflame-svg "$options" "$tmp/in")
  done
  run -1 grep 'id="verdict"' <(printf 'a;b 1 2\n' | aiflame-svg)
}

@test "the legend explains frames that are too narrow to be drawn" {
  printf 'a;-;k_[G];FFMA_[g];selected_[g] 1000000\na;py::f:a.py;-;k_[G];FFMA_[g];wait_[g] 1\n' |
    aiflame-svg > "$tmp/narrow.svg"
  run -1 grep '<title>wait ' "$tmp/narrow.svg"
  assert_equal "$(sed -n '/id="legend"/,/^<\/g>$/s/.*">\(.*\)<\/text>$/\1/p' "$tmp/narrow.svg" | paste -sd,)" \
    'instructions,device source,Python,C and other,boundary,reasons:,dependency,issuing'
}

@test "counts are shown in the unit that the text states, wherever it does" {
  assert_equal "$(printf 'a 873\na;b 104300721\n%s\n' "$kTime" | titles)" \
    $'all (104.3 ms, 100%)\na (104.3 ms, 100.00%)\nb (104.3 ms, 100.00%)'
  assert_equal "$(printf '%s\na 1234\n' "$kStalls" | titles)" \
    $'all (1,234 stalls, 100%)\na (1,234 stalls, 100.00%)'
  # the picture says once what a width is, beside a subtitle of the user
  printf '%s\na 1\n' "$kTime" | aiflame-svg | grep '<text id="subtitle".*>width: time (gpu-time)</text>'
  printf '%s\na 1\n' "$kStalls" | aiflame-svg --subtitle mine |
    grep -F '>mine; width: stalls of 1,004 cycles (gpu-stall)</text>'
  printf '# aiflame: event gpu-clock, unit samples, period 1003009 ns\na 1\n' | aiflame-svg |
    grep -F '>width: samples of 1.003 ms (gpu-clock)</text>'
  # what the user calls them wins, and --factor multiplies
  assert_equal "$(printf '%s\na 1500\n' "$kTime" | titles --countname ns | tail -1)" \
    'a (1,500 ns, 100.00%)'
  assert_equal "$(printf '%s\na 1500\n' "$kTime" | titles --factor 2 | tail -1)" \
    'a (3.000 us, 100.00%)'
  assert_equal "$(printf '%s\na 1500.5\n' "$kTime" | titles --flamechart | tail -1)" \
    'a (1.500 us, 100.00%)'
}

@test "bytes are shown as KiB, MiB and GiB, and notes under the title" {
  local text=$'# aiflame: event gpu-memory, unit bytes\n# aiflame-note: peak 6.532 GiB, 2 stacks\na 7013335044\na;b 1610612736'
  assert_equal "$(titles <<< "$text")" \
    $'all (8.032 GiB, 100%)\na (8.032 GiB, 100.00%)\nb (1.500 GiB, 18.68%)'
  assert_equal "$(printf '# aiflame: unit bytes\na 500\n' | titles)" $'all (500 bytes, 100%)\na (500 bytes, 100.00%)'
  aiflame-svg <<< "$text" | grep -F '>width: bytes (gpu-memory); peak 6.532 GiB, 2 stacks</text>'
  aiflame-svg <<< "$text" | grep -F 'data-steps="1099511627776:TiB 1073741824:GiB 1048576:MiB 1024:KiB"'
}

@test "memory has the colours of Python and C++, and its differences those of the change itself" {
  cd "$tmp"
  local unit='# aiflame: event gpu-memory, unit bytes'
  aiflame-svg <<< "$unit"$'\npy::f:a.py 10\nat::mm 10' > memory.svg
  grep -F 'data-look="ai"' memory.svg
  # each is half as large, so each shrank, though its share stayed
  aiflame-svg <<< "$unit, columns two"$'\na 400 200\nb 400 200' > change.svg
  run ! grep -F 'data-scale' change.svg
  grep -F '>after - before, % of all before</text>' change.svg
  [ "$(grep -cE '<g class="f"|fill="rgb\(31,79,163\)"' change.svg)" -ge 2 ]
}

@test "a difference is of amounts; sides of one sum have shares, in points" {
  cd "$tmp"
  local unit='# aiflame: event gpu-time, unit ns'
  printf '%s\n' "$unit, columns two" 'a;same 50 50' 'a;fixed 50 10' > amounts
  aiflame-svg amounts > amounts.svg
  grep -F '>after - before, % of all before</text>' amounts.svg
  # what did not change is white, and what shrank is blue
  grep -A1 '<title>same ' amounts.svg | grep -F 'fill="rgb(255,255,255)"'
  grep -A1 '<title>fixed ' amounts.svg | grep -F 'fill="rgb(31,79,163)"'
  grep -F '50 ns → 10 ns: -80.0%; 50.00% → 16.67% of all: -33.33 points</title>' amounts.svg
  grep -F '>width: time (gpu-time); 100 ns → 60 ns (-40.0%)</text>' amounts.svg
  (echo "$unit" && printf 'a;same 50\na;fixed 50\n') > before
  (echo "$unit" && printf 'a;same 50\na;fixed 10\n') > after
  aiflame-diff before after | aiflame-svg | cmp - amounts.svg
  aiflame-diff -n before after | aiflame-svg > shares.svg
  grep -F 'data-scale="normalised"' shares.svg
  grep -F '>share of all, after - before, points</text>' shares.svg
  grep -A1 '<title>same ' shares.svg | grep -F 'fill="rgb(179,38,30)"'
}

@test "a unit that is no unit is a comment" {
  local long
  long=$(head -c 100000 /dev/zero | tr '\0' s)
  for line in '# aiflame: hello' '# aiflame: unit' "# aiflame: unit $long" '# aiflame: unit <b>8' \
    '# aiflame:unit ns' '#aiflame: unit x'; do
    assert_equal "$(printf '%s\na 1\n' "$line" | titles 2> "$tmp/err" | tail -1)" 'a (1 samples, 100.00%)'
  done
  printf '# aiflame: event </text><script>, unit <script>\na 1\n' | aiflame-svg > "$tmp/a.svg"
  xmllint --noout "$tmp/a.svg"
  [ "$(grep -c '<script' "$tmp/a.svg")" -eq 1 ]
}

@test "different units in one input are refused, whichever thread reads them" {
  printf '%s\na 1\n' "$kTime" > "$tmp/time"
  printf 'a 2\n%s\n' "$kStalls" > "$tmp/stalls"
  run -1 --separate-stderr aiflame-svg "$tmp/time" "$tmp/stalls"
  assert_equal "$stderr" "aiflame-svg: $tmp/stalls:2: counts are stalls of 1004 cycles (gpu-stall), those of $tmp/time:1 are ns (gpu-time); --mixed draws them all the same"
  [[ $output = *'ERROR: '*'--mixed'* ]]
  run -1 --separate-stderr aiflame-svg --strict "$tmp/time" "$tmp/stalls"
  [ -z "$output" ]
  # then no unit is shown
  assert_equal "$(aiflame-svg --mixed "$tmp/time" "$tmp/stalls" "$tmp/time" | titles_of)" \
    $'all (4 counts, 100%)\na (4 counts, 100.00%)'
  aiflame-svg --mixed "$tmp/time" "$tmp/stalls" | grep -F '>counts of different units</text>'
  # other periods are other units; without one, or without a line, all go together
  printf '# aiflame: unit stalls\na 1\n' | cat - "$tmp/stalls" > "$tmp/both"
  printf 'a 1\n%s\n' "${kStalls/1004/2008}" >> "$tmp/both"
  run -1 --separate-stderr aiflame-svg "$tmp/both"
  [[ $stderr = "aiflame-svg: $tmp/both:6: counts are stalls of 2008 cycles (gpu-stall), those of $tmp/both:4 "* ]]
  printf 'a 1\n# aiflame: unit stalls\n' | aiflame-svg "$tmp/stalls" - | grep -F '(3 stalls, 100%)'
  # far into the input
  { many_stacks && cat "$tmp/time" && many_stacks && cat "$tmp/stalls"; } > "$tmp/many"
  for _ in 1 2 3; do
    run -1 --separate-stderr aiflame-svg "$tmp/many"
    [[ $stderr = "aiflame-svg: $tmp/many:120004: counts are stalls "*" of $tmp/many:60001 are ns "* ]]
  done
}

@test "what vanished has room in a differential that says what it counts" {
  local stacks='m;gone 6000 0\nm;kernel;x 6500 1000\nm;new 0 3000\nm;same 1000 1000\n'
  printf '%s\n%b' "$kTimes" "$stacks" > "$tmp/stated"
  aiflame-svg "$tmp/stated" > "$tmp/a.svg"
  xmllint --noout "$tmp/a.svg"
  # 16 500 wide: 13 500 before, of them 11 500 gone, and 3 000 new
  grep -F '<svg' "$tmp/a.svg" | grep -F 'data-total="5000" data-room="16500"'
  grep -F 'data-n="0" data-room="6000" class="vanished gone"><title>gone (0 ns, 0.00%)' "$tmp/a.svg"
  grep -F -A1 'data-n="1000" data-room="6500"' "$tmp/a.svg" | grep -F '<rect x="439.1" y="77" width="464.8" height="15.0" fill="rgb(31,79,163)" rx="2" ry="2"/><rect x="510.6" y="77" width="393.3" height="15.0" fill="url(#vanished)"/>'
  grep -F '6.500 us → 1.000 us: -84.6%; 48.15% → 20.00% of all: -28.15 points</title>' "$tmp/a.svg"
  grep -F '6.000 us → 0 ns: gone; 44.44% → 0.00% of all: -44.44 points</title>' "$tmp/a.svg"
  grep -F '0 ns → 3.000 us: new; 0.00% → 60.00% of all: +60.00 points</title>' "$tmp/a.svg"
  # totals below the title, what only one side has at the foot
  grep -F '>width: time (gpu-time); 13.50 us → 5.000 us (-63.0%)</text>' "$tmp/a.svg"
  grep -F '>only before: 6.000 us (44.4%)</text>' "$tmp/a.svg"
  grep -F '>new: 3.000 us (60%)</text>' "$tmp/a.svg"
  # --negate: the second count is the earlier one
  aiflame-svg --negate "$tmp/stated" | grep -F '1.000 us → 6.500 us: +550.0%; 20.00% → 48.15% of all'
  # all of it may have vanished
  printf '%s\na 5 0\n' "$kTimes" | aiflame-svg | grep -F '5 ns → 0 ns: gone; 100.00% → 0.00% of all'
  # other text is drawn as ever, unless asked, but says what it does not show; the page shows it
  printf '%b' "$stacks" > "$tmp/plain"
  aiflame-svg "$tmp/plain" > "$tmp/plain.svg"
  grep -F 'data-widths="both" data-delta="total"' "$tmp/plain.svg"
  grep -F '>only before: 6,000 samples (44.4%), not drawn</text>' "$tmp/plain.svg"
  for option in '--vanished hide' --classic; do
    aiflame-svg $option "$tmp/plain" | sed 's/ data-given="background"//
      s/data-widths="second" data-delta="self"/data-widths="both" data-delta="total"/' | cmp - "$tmp/plain.svg"
  done
  sed '/^<script>/,$d' "$tmp/plain.svg" > "$tmp/picture"
  run ! grep -q 'class="vanished\|>gone (' "$tmp/picture"
  # also where there is little room
  aiflame-svg --width 200 "$tmp/plain" | grep -F '>44.4% not drawn</text>'
  aiflame-svg --vanished show "$tmp/plain" | grep -F '6,500 → 1,000 samples: -84.6%'
  aiflame-svg --vanished hide --countname ns --subtitle '' "$tmp/stated" |
    sed 's/ data-quantity="event gpu-time, unit ns, columns two"//' > "$tmp/hidden.svg"
  aiflame-svg --vanished hide --countname ns "$tmp/plain" | cmp - "$tmp/hidden.svg"
}

@test "a differential's picture stands where flamegraph.pl draws it; --negate keeps the order of time" {
  printf 'app;gone 80 0\napp;same 20 20\n' > "$tmp/two"
  aiflame-svg "$tmp/two" > "$tmp/a.svg"
  xmllint --noout "$tmp/a.svg"
  grep -F 'height="118"' "$tmp/a.svg"  # as without the legend
  grep -F '>fewer after</text>' "$tmp/a.svg"
  aiflame-svg --negate "$tmp/two" | grep -F '>same (20 samples, 100.00%; 0.00%)' -A1 | grep -F '20 before, 20 after'
  printf 'a 0 7\nb 5 5\n' | aiflame-svg --negate > "$tmp/a.svg"
  grep -F -A1 '<title>a (7 samples, 58.33%; -58.33%)' "$tmp/a.svg" | grep -F '7 before, 0 after'
  run ! grep -F ', not drawn</text>' "$tmp/a.svg"
  # a narrow picture has room for a part of it
  aiflame-svg --vanished show --width 300 "$tmp/two" > "$tmp/a.svg"
  grep -F '>only before: 80 samples (80%)</text>' "$tmp/a.svg"
  run ! grep -F '>&lt; -8</text>' "$tmp/a.svg"
}

@test "--vanished is refused where it cannot be" {
  run -2 --separate-stderr draw 'a 1 2\n' --vanished maybe
  assert_equal "$stderr" "aiflame-svg: option '--vanished': 'maybe' is neither show nor hide; try 'aiflame-svg --help'"
  run -2 --separate-stderr draw 'a 1 2\n' --vanished show --flamechart
  assert_equal "$stderr" "aiflame-svg: option '--vanished': a flame chart shows the second count; try 'aiflame-svg --help'"
  printf '%s\na 2 1\n' "$kTimes" | aiflame-svg --flamechart | grep -F '<title>a (1 ns, 100.00%; -100.00%)'
  run -1 --separate-stderr draw 'a 18446744073709551615 0\nb 0 18446744073709551615\n' --vanished show
  assert_equal "$stderr" 'aiflame-svg: both counts together are too large for 64 bits; --vanished=hide draws the second'
}

@test "a last frame that is blank stays a frame, as in flamegraph.pl" {
  assert_equal "$(printf 'a;  3\na;b   4\n  5\n' | titles)" \
    $'all (12 samples, 100%)\n  (5 samples, 41.67%)\na (7 samples, 58.33%)\n  (3 samples, 25.00%)\nb   (4 samples, 33.33%)'
  assert_equal "$(printf 'a;  3\na;b 1\n' | titles --reverse)" \
    $'all (4 samples, 100%)\n  (3 samples, 75.00%)\na (3 samples, 75.00%)\nb (1 samples, 25.00%)\na (1 samples, 25.00%)'
}

@test "--html: the same picture in a page" {
  aiflame-svg --title 'a<b' $data/hostile.in | sed '1d' > "$tmp/svg"
  aiflame-svg --title 'a<b' --html $data/hostile.in > "$tmp/html"
  [ "$(head -1 "$tmp/html")" = '<!DOCTYPE html>' ]
  grep -F '<title>a&lt;b</title>' "$tmp/html"
  # the page contains the whole SVG except its XML declaration
  sed -n '/^<svg/,/^<\/svg>/p' "$tmp/html" | cmp - "$tmp/svg"
  run -1 --separate-stderr aiflame-svg --html /dev/null
  [[ $output = '<!DOCTYPE html>'*'ERROR: no stacks'* ]]
}

@test "--embed: a size, all or none" {
  data_of() { draw 'a;b;c 1\n' "$@" | grep -c '<metadata id="tree"'; }
  [ "$(data_of)" -eq 1 ]
  [ "$(data_of --embed all)" -eq 1 ]
  [ "$(data_of --embed 8M)" -eq 1 ]
  run data_of --embed 0
  [ "$output" -eq 0 ]
  for size in -1 x 8X 8MB '' 99999999999G; do
    [ -z "$size" ] || run -2 --separate-stderr draw 'a 1\n' --embed "$size"
  done
  [ "$stderr" = "aiflame-svg: option '--embed': '99999999999G' is no size such as 8M, nor 'all'; try 'aiflame-svg --help'" ]
}

# Each input draws well-formed XML, or is refused with the place of the error.
@test "hostile input: huge names and counts, NUL, controls, invalid UTF-8, markup" {
  big=$(head -c 1000000 /dev/zero | tr '\0' n)
  printf '%s;a 3\nx;%s 4\n' "$big" "$big" > "$tmp/1"
  # among the first 64 bytes a NUL is refused
  printf '%064d 1\na\0b;\1\2\37 3\n\377\376;\300\200 4\n' 0 > "$tmp/2"
  printf '</metadata><script>alert(1)</script>;]]>;<!--;&#0; 9223372036854775807\n' > "$tmp/3"
  printf ';;;; 1\n 2\n;a;; 3\na;;b 4\n' > "$tmp/4"
  printf 'a\r\nb 3\r\n\r\nc 0\n' > "$tmp/5"
  awk 'BEGIN { for (i = 0; i < 200000; ++i) print "main;f" i " 1" }' > "$tmp/6"
  for file in 1 2 3 4 5 6; do
    for options in '' '--reverse --inverted' '--flamechart --colors chain' '--html'; do
      aiflame-svg $options "$tmp/$file" > "$tmp/out" 2> "$tmp/err"
      [ "$(grep -c '<script' "$tmp/out")" -eq 1 ]
      sed -n '/^<svg/,/^<\/svg>/p' "$tmp/out" | xmllint --noout --huge -
    done
  done
  head -c 40000000 /dev/zero | tr '\0' n > "$tmp/7"
  run -1 --separate-stderr aiflame-svg "$tmp/7"
  [ "$stderr" = "aiflame-svg: $tmp/7:1: line longer than 16 MiB" ]
  printf 'a\0b 3\n' > "$tmp/8"
  run -1 --separate-stderr aiflame-svg "$tmp/8"
  assert_equal "$stderr" \
    "aiflame-svg: $tmp/8: this is binary data of an unknown kind; no program here reads it"
}

@test "more stacks than one thread reads: every count arrives, in any order" {
  awk 'BEGIN { for (i = 0; i < 120000; ++i) print "main;a" i % 7 ";b" i % 301 ";c_" i % 1009 ";leaf_" i " 1" }' \
    > "$tmp/folded"
  [ "$(wc -c < "$tmp/folded")" -gt 3500000 ]
  aiflame-svg "$tmp/folded" | grep -F '<title>all (120,000 samples, 100%)'
  sort "$tmp/folded" > "$tmp/sorted"
  aiflame-svg "$tmp/folded" > "$tmp/a.svg"
  aiflame-svg "$tmp/sorted" | cmp - "$tmp/a.svg"
  # an error near the end is reported with its line
  echo 'a 18446744073709551615' >> "$tmp/folded"
  run -1 --separate-stderr aiflame-svg "$tmp/folded"
  [ "$stderr" = "aiflame-svg: $tmp/folded:120001: the counts are too large to be added in 64 bits" ]
}

@test "the subtitle says how many samples are of unknown launches" {
  printf '%s\n' 'app;main;[presumed];-;forces_[G] 41' 'app;main;f;-;forces_[G] 59' |
    aiflame-svg > "$tmp/unknown.svg"
  grep -qF '41 % of the samples are of unknown launches' "$tmp/unknown.svg"
  printf '%s\n' 'app;main;[presumed];-;forces_[G] 1' 'app;main;f;-;forces_[G] 599' |
    aiflame-svg > "$tmp/unknown.svg"
  grep -qF 'less than 1 % of the samples are of unknown launches' "$tmp/unknown.svg"
  echo 'app;main;f;-;forces_[G] 59' | aiflame-svg > "$tmp/unknown.svg"
  run -1 grep 'unknown launches' "$tmp/unknown.svg"
}

# listing LINE...: DIR of aiflame-annotate with these listings, beside `folded`
listing() {
  cd "$tmp" || return
  rm -rf pages
  mkdir pages
  printf 'k_[G]\thref=./k.html#k1\ttarget=_blank\n' > pages/links
  printf '# aiflame: event gpu-stall, unit stalls\nmain;-;k_[G];add_[g];sbid_[g];0x10_[g] 3\n' > folded
  printf '%b\n' '# aiflame-listings 1' "$@" > pages/listings
}

@test "--annotate DIR: the listings of kernels in the picture, with a script that other pictures lack" {
  local kernel='kernel\tk\t\tk.html\t3\tstalls\t1\t0' code='code\t10\t3\t\tadd <r1> & r2\tsbid 3\t\t\t\t'
  listing "$kernel" "$code" 'kernel\tother\t\tother.html\t0\tstalls\t1\t0'
  aiflame-svg --annotate pages folded > with.svg
  assert_equal "$(sed -n '/<metadata id="listings"/,/<.metadata>/p' with.svg)" \
    "$(printf '%b' '<metadata id="listings" data-folder="./pages/">\nkernel\tk\t\tk.html\t3\tstalls\t1\t0\ncode\t10\t3\t\tadd &lt;r1&gt; &amp; r2\tsbid 3\t\t\t\t\n</metadata>')"
  grep -qF 'function makeListingPane(' with.svg
  python3 -c 'import sys, xml.dom.minidom as dom; dom.parse(sys.argv[1])' with.svg
  # by the file of links, and of pages from before there were listings
  aiflame-svg --annotate pages/links folded > links.svg
  rm pages/listings
  aiflame-svg --annotate pages folded > without.svg
  cmp links.svg without.svg
  run ! grep -qE 'function (makeListing|readListings|listingSection)|--k0' links.svg
  # its kernel has no frame here
  listing 'kernel\tother\t\tother.html\t0\tstalls\t1\t0'
  aiflame-svg --annotate pages folded | cmp - links.svg
}

@test "--annotate DIR: a file of listings that is none, is cut, too long or hostile" {
  local kernel='kernel\tk\t\tk.html\t3\tstalls\t1\t0' code='code\t10\t3\t\tadd\tsbid 3\t\t\t\t'
  # refused WHAT LINE...
  refused() {
    local what=$1
    shift
    listing "$@"
    run -1 --separate-stderr aiflame-svg --strict --annotate pages folded
    assert_equal "$output" ''
    assert_equal "$stderr" "aiflame-svg: pages/listings:$what"
  }
  refused "3: 'code' has too few fields" "$kernel" 'code\t10\t3'
  refused "2: the instructions of 'k' have 0 samples, not 3" "$kernel"
  refused "2: 'javascript:x.html' is no page that aiflame-annotate writes" 'kernel\tk\t\tjavascript:x.html\t3\tstalls\t1\t0'
  refused "3: '</metadata><script>alert(1)</script>' is no part of a listing here" "$kernel" '</metadata><script>alert(1)</script>'
  refused "3: '\\033[2J' is no part of a listing here" "$kernel" '\x1b[2J' "$code"
  listing "$kernel" "$code"
  yes gap | head -c 2000000 >> pages/listings
  run -1 --separate-stderr aiflame-svg --strict --annotate pages folded
  [[ $stderr = "aiflame-svg: pages/listings:"*": more than aiflame-annotate writes, 2 MB" ]]
  ln -sf /dev/zero pages/listings
  run -1 --separate-stderr timeout 60 aiflame-svg --strict --annotate pages folded
  [[ $stderr = 'aiflame-svg: pages/listings:'* ]]
}

@test "--tab: several profiles in one file, each as alone" {
  cd "$tmp"
  printf 'a;b 3\na;c 1\n' > one
  printf '# aiflame: event gpu-time, unit ns\na;b;d 2000\n' > two
  aiflame-svg --tab "first <1>=one" --tab 'x=two' > tabs.svg
  xmllint --noout tabs.svg
  assert_equal "$(grep -c '<script>' tabs.svg)" 1
  assert_equal "$(grep -o '<svg [^>]*' tabs.svg | grep -o 'data-tab="[^"]*"\( display="none"\)\?')" \
    "$(printf 'data-tab="first &lt;1&gt;"\ndata-tab="x" display="none"')"
  grep -F '>first &lt;1&gt; (1 of 2 profiles)</text>' tabs.svg
  grep -F '>x (2 of 2 profiles); width: time (gpu-time)</text>' tabs.svg
  # frames and data are those of pictures of their own
  for file in one two; do
    aiflame-svg --subtitle x $file | grep -v '^<script>' | grep -E '^<(g data-d|title|rect|text x)' > "alone.$file"
  done
  grep -E '^<(g data-d|title|rect|text x)' tabs.svg > together
  assert_equal "$(grep -c '^<g data-d' together)" "$(cat alone.* | grep -c '^<g data-d')"
  assert_equal "$(grep '^<g data-d\|^<title>' together)" "$(cat alone.one alone.two | grep '^<g data-d\|^<title>')"
  assert_equal "$(aiflame-svg --tab "first <1>=one" --tab 'x=two' | md5sum)" "$(md5sum < tabs.svg)"
  # one alone is no row of tabs; files are added up
  aiflame-svg --tab x=one | cmp - <(aiflame-svg one)
  run ! grep -q 'function makeTabs' <(aiflame-svg one)
  aiflame-svg one one | grep -F '<title>b (6 samples, 75.00%)</title>'
  aiflame-svg --html --tab a=one --tab b=two | tail -n 3 | head -c 6 | grep -F '</svg>'
}

@test "--tab: wrong usage, and a profile that is none" {
  cd "$tmp"
  printf 'a 1\n' > one
  printf 'nothing\n' > bad
  assert_usage_error aiflame-svg --tab one
  assert_usage_error aiflame-svg --tab =one
  assert_usage_error aiflame-svg --tab a=
  assert_usage_error aiflame-svg --tab a=one one
  assert_usage_error aiflame-svg --tab a=one --tab a=one
  # shellcheck disable=SC2046
  assert_usage_error aiflame-svg $(for i in {1..65}; do echo --tab $i=one; done)
  run -1 --separate-stderr aiflame-svg --strict --tab a=one --tab b=bad
  assert_equal "$output" ''
  assert_equal "$stderr" "aiflame-svg: bad:1: missing count"
  run -1 --separate-stderr aiflame-svg --tab a=one --tab b=absent
  assert_equal "$stderr" "aiflame-svg: cannot open 'absent': No such file or directory"
  [[ $output == *"ERROR: cannot open"* ]]
  assert_equal "$(grep -c '<svg' <<< "$output")" 1
}
