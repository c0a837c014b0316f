# SPDX-License-Identifier: MIT
# aiflame-report: options, errors, goldens.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/aiflame-report
  tmp=$BATS_TEST_TMPDIR
}

# three runs of each side
runs() { printf '%s ' --before $data/before.{1,2,3}.in --after $data/after.{1,2,3}.in; }

@test "one profile" {
  golden profile aiflame-report $data/before.1.in
}

@test "what changed between several runs" {
  golden changes aiflame-report $(runs)
}

@test "what changed between two profiles" {
  golden change aiflame-report --before $data/before.1.in --after $data/after.1.in --sections kernel,reason
}

@test "a difference is both sides" {
  before=tests/data/aiflame-diff/before.in after=tests/data/aiflame-diff/after.in
  aiflame-report --top 0 --before "$before" --after "$after" > "$tmp/files"
  aiflame-diff "$before" "$after" | aiflame-report --top 0 > "$tmp/difference"
  grep -q '^# Functions, change of self' "$tmp/files"
  # the lines of the two files are not the lines of their difference
  diff <(grep -v ' lines' "$tmp/files") <(grep -v ' lines' "$tmp/difference")
  printf '# aiflame: unit stalls, columns two\na;b 1 2\na;c 3 4\na;c 5\n' > "$tmp/mixed"
  run -1 aiflame-report "$tmp/mixed"
  [ "$output" = "aiflame-report: $tmp/mixed:4: one count, and the first line has two" ]
}

@test "JSON of one profile" {
  golden profile.json aiflame-report --json --top 3 $data/before.1.in
  # all of the total has a reason, except the stacks of fib and write
  aiflame-report --json --top 0 $data/before.1.in |
    jq -e '.total == ([.sections[] | select(.kind == "reason").rows[].total] | add) + 13 + 7'
}

@test "JSON of two sides" {
  golden changes.json aiflame-report --json --top 2 $(runs) --fail-on 'total<-99%'
  jq -e '.before.runs == 3 and .conditions[0].failed == false' $data/changes.json.out
  # an interval contains its change
  jq -e '[.. | objects | select(has("low")) | .low <= .change and .change <= .high] | all' \
    $data/changes.json.out
}

@test "no count is lost" {
  # each stack has exactly one last function: the sum of the self costs is the total
  sum=$(awk '/^#|^$/ { next } { sum += $NF } END { print sum }' $data/before.1.in)
  [ "$(aiflame-report --json --top 0 $data/before.1.in |
    jq '[.sections[] | select(.kind == "function").rows[].self] | add')" = "$sum" ]
  [ "$(aiflame-report --json $data/before.1.in | jq .total)" = "$sum" ]
}

@test "files of one side add up, and a dash is standard input" {
  one=$(aiflame-report --json --sections kernel $data/before.1.in | jq .total)
  two=$(aiflame-report --json --sections kernel - $data/before.1.in < $data/before.1.in | jq .total)
  [ "$two" -eq $((2 * one)) ]
  aiflame-report < $data/before.1.in | cmp - $data/profile.out
  gzip -c $data/before.1.in | aiflame-report | cmp - $data/profile.out
}

@test "the same bytes from any order of lines" {
  shuf $data/before.1.in | aiflame-report | cmp - $data/profile.out
  shuf $data/before.1.in | aiflame-report --json --top 3 | cmp - $data/profile.json.out
}

@test "lines are at most as wide as asked" {
  printf 'a;a_very_long_name_of_a_function_that_begins_so_and_ends_so 5\n' > "$tmp/long"
  run -0 aiflame-report --width 50 "$tmp/long"
  [[ $output == *'a_very_l…_ends_so'* ]]
  [ "$(wc -L <<< "$output")" -le 50 ]
  aiflame-report --width 60 $data/before.1.in > "$tmp/out"
  [ "$(wc -L < "$tmp/out")" -le 60 ]
}

@test "--sort orders functions and kernels" {
  order() { aiflame-report --json --sections function "$@" $data/before.1.in | jq -r '.sections[0].rows[0].name'; }
  [ "$(order)" = 'multiply_basic_[G]' ]
  [ "$(order --sort self)" = 'multiply_basic_[G]' ]
  [ "$(order --sort total)" = main ]
}

@test "operators and modules of a model are sections where there are any" {
  printf '%s\n' '# aiflame: event gpu-time, unit ns' \
    'py::f:t.py;Net_0_[m];Linear_0_[m];aten::linear_[o];aten::mm_[o];-;gemm_[G] 5000' \
    'py::f:t.py;Net_0_[m];Linear_1_[m];aten::mm_[o];-;gemm_[G] 3000' \
    'py::f:t.py;Net_0_[m];-;copy_[G] 1000' > "$tmp/model"
  run -0 aiflame-report "$tmp/model"
  [[ $output == *'# Operators, by self
#     Self       %     Total       %  Operator
  8.000 us  88.89%  8.000 us  88.89%  aten::mm
'* && $output == *'# Modules, by self
#     Self       %     Total        %  Module
  8.000 us  88.89%  8.000 us   88.89%  Linear
  1.000 us  11.11%  9.000 us  100.00%  Net
'* ]]
  run -0 aiflame-report --json "$tmp/model"
  assert_equal "$(jq -c '[.sections[].kind]' <<< "$output")" \
    '["reason","kernel","operator","module","function","line","instruction"]'
  echo 'main;k_[G] 3' | aiflame-report --json | jq -e '[.sections[].kind] | index("operator") == null'
  run -3 --separate-stderr aiflame-report --fail-on 'operator:aten::mm>50%' "$tmp/model"
  assert_equal "$stderr" \
    'aiflame-report: failed: operator:aten::mm>50%: 8.000 us of 9.000 us (88.89%)'
  run -0 aiflame-report --sections operator --sort total "$tmp/model"
  [[ $output == *'# Operators, by total'* ]]
}

@test "a condition that holds: status 3 and a line on stderr, after a whole report" {
  run -3 --separate-stderr aiflame-report $data/before.1.in --fail-on 'reason:sbid>50%' \
    --fail-on 'total>1000000' --fail-on '/^write$/>6'
  assert_equal "$output" "$(cat $data/profile.out)"
  assert_equal "$stderr" "aiflame-report: failed: reason:sbid>50%: 586 of 801 (73.16%)
aiflame-report: failed: /^write$/>6: 7 of 801 (0.87%)"
  run -0 --separate-stderr aiflame-report $data/before.1.in --fail-on 'reason:sbid<50%'
  [ -z "$stderr" ]
}

@test "conditions on changes hold when the change is beyond noise" {
  run -3 --separate-stderr aiflame-report $(runs) --fail-on 'kernel:multiply_tiled>+20%'
  [[ $stderr == "aiflame-report: failed: kernel:multiply_tiled>+20%: "*" 95% interval +"* ]]
  # a larger change, but in few samples
  run -0 --separate-stderr aiflame-report $(runs) --fail-on '/^write$/>+20%'
  run -3 --separate-stderr aiflame-report $(runs) --fail-on '/^write$/>+20%' --confidence 0
  run -3 aiflame-report $(runs) --fail-on 'kernel:multiply_basic<-10'
  run -0 aiflame-report $(runs) --fail-on 'kernel:multiply_basic>+0'
  # shares
  run -0 aiflame-report -n $(runs) --fail-on 'total>+0.1%' --fail-on 'total<-0.1%'
}

@test "a condition on what is in no input fails" {
  run -3 --separate-stderr aiflame-report $data/before.1.in --fail-on 'kernel:nosuch>5' --fail-on '/nosuch/>5'
  assert_equal "$stderr" "aiflame-report: failed: kernel:nosuch>5: no such kernel in the input
aiflame-report: failed: /nosuch/>5: no frame matches in the input"
  assert_equal "$output" "$(cat $data/profile.out)"
  run -3 --separate-stderr aiflame-report $(runs) --fail-on 'kernel:nosuch>+5%' --fail-on 'frame:nosuch>+1'
  assert_equal "$stderr" "aiflame-report: failed: kernel:nosuch>+5%: no such kernel on either side
aiflame-report: failed: frame:nosuch>+1: no such frame on either side"
  # on one side is enough
  run -0 aiflame-report $(runs) --fail-on 'kernel:prefetch<+0'
  # a condition that something must not come back needs the name of what is not there
  run -0 aiflame-report --allow-missing $(runs) --fail-on 'kernel:nosuch>+5%' --fail-on '/nosuch/>5'
  run -3 aiflame-report --allow-missing $(runs) --fail-on '/nosuch/<5'
  aiflame-report --json $data/before.1.in --fail-on 'kernel:nosuch>5' > "$tmp/json" || [ $? -eq 3 ]
  jq -e '.conditions[0] | .failed and .trouble == "no such kernel in the input"' "$tmp/json"
}

@test "a condition fails when a file or a side has no counts" {
  printf '# a comment\na;b 0\n' > "$tmp/empty"
  for sides in "--before $tmp/empty --after $data/after.1.in" "--before $data/before.1.in --after $tmp/empty" \
    "--before $data/before.1.in $tmp/empty --after $data/after.1.in" "$tmp/empty" "$data/before.1.in $tmp/empty"; do
    run -3 --separate-stderr aiflame-report $sides --fail-on 'total>99999999' --allow-missing
    assert_equal "$stderr" "aiflame-report: failed: total>99999999: '$tmp/empty' has no counts"
  done
  printf 'a 0 5\n' > "$tmp/difference"
  run -3 --separate-stderr aiflame-report "$tmp/difference" --fail-on 'total>99'
  assert_equal "$stderr" "aiflame-report: failed: total>99: the side before has no counts"
}

@test "several conditions are judged together" {
  # 110 more than 900 are beyond noise alone, but not as one of twenty
  for i in {1..20}; do echo "f$i 900"; done > "$tmp/before"
  sed 's/^f1 900/f1 1010/' "$tmp/before" > "$tmp/after"
  sides="--before $tmp/before --after $tmp/after"
  run -3 aiflame-report $sides --fail-on 'function:f1>+0%'
  # shellcheck disable=SC2046
  run -0 aiflame-report $sides $(for i in {1..20}; do echo "--fail-on function:f$i>+0%"; done)
}

@test "counts have a unit" {
  (echo '# aiflame: event gpu-time, unit ns' && printf 'a;-;k_[G] 104300721\na 12345\n') > "$tmp/time"
  run -0 aiflame-report "$tmp/time" --sections function
  assert_equal "$output" "# total: 104.3 ms in 2 lines
# counts: ns (gpu-time)

# Functions, by self
#     Self       %     Total        %  Function
  104.3 ms  99.99%  104.3 ms   99.99%  k_[G]
  12.35 us   0.01%  104.3 ms  100.00%  a"
  aiflame-report --json "$tmp/time" | jq -e '.unit == "ns" and .event == "gpu-time" and .total == 104313066'
  run -3 --separate-stderr aiflame-report "$tmp/time" --fail-on 'kernel:k>1000000'
  assert_equal "$stderr" "aiflame-report: failed: kernel:k>1000000: 104.3 ms of 104.3 ms (99.99%)"
  (echo '# aiflame: event gpu-clock, unit samples, period 1003009 ns' && cat $data/before.1.in) > "$tmp/clock"
  run -0 aiflame-report "$tmp/clock"
  [ "${lines[0]}" = '# total: 801 samples in 7 lines' ]
  [ "${lines[1]}" = '# counts: samples of 1003009 ns (gpu-clock)' ]
  aiflame-report --json "$tmp/clock" | jq -e '.period == 1003009 and .period_unit == "ns"'
  # a sample is one, however many the lines have
  (echo '# aiflame: event gpu-stall, unit stalls' && echo 'a 30000') > "$tmp/before"
  (echo '# aiflame: event gpu-stall, unit stalls' && echo 'a 33000') > "$tmp/after"
  aiflame-report --json --before "$tmp/before" --after "$tmp/after" | jq -e '.before.sample == 1 and .total.beyond_noise'
}

@test "the help says what one sample is taken for" {
  [[ $(aiflame-report --help | tr -s ' \n' ' ') = *'default: what the input says, else of a single run'* ]]
}

@test "counts of different units are neither added nor compared" {
  printf '# aiflame: event gpu-time, unit ns\na 5\n' > "$tmp/time"
  printf 'a 5\n# aiflame: event gpu-clock, unit samples, period 1003009 ns\n' > "$tmp/clock"
  sentence="aiflame-report: $tmp/time:1: counts are ns (gpu-time), those of $tmp/clock are samples of 1003009 ns (gpu-clock); --mixed"
  for files in "--before $tmp/clock --after $tmp/time" "$tmp/clock $tmp/time"; do
    run -1 --separate-stderr aiflame-report $files --fail-on 'total>0'
    verb=adds
    [[ $files != --before* ]] || verb=compares
    assert_equal "$output$stderr" "$sentence $verb them all the same"
    run -0 --separate-stderr aiflame-report --mixed $files
    [[ $output != *samples\ of* && $stderr = '' ]]
  done
  # text that does not say is compared with anything
  run -0 aiflame-report --before "$tmp/time" --after $data/after.1.in
  # shares of samples of another period can be compared
  sed 's/1003009/4000000/' "$tmp/clock" > "$tmp/slow"
  run -1 --separate-stderr aiflame-report --before "$tmp/slow" --after "$tmp/clock"
  [[ $stderr = *'--normalize compares shares'* ]]
  run -0 aiflame-report -n --before "$tmp/slow" --after "$tmp/clock"
  # each run is scaled by itself, so those of one side may differ too
  run -0 --separate-stderr aiflame-report -n --before "$tmp/slow" "$tmp/clock" --after "$tmp/clock"
  [[ $output = *'# counts: samples of 1003009 ns (gpu-clock)'* && $stderr = '' ]]
  run -1 --separate-stderr aiflame-report --before "$tmp/slow" "$tmp/clock" --after "$tmp/clock"
  run -1 --separate-stderr aiflame-report -n --before "$tmp/time" "$tmp/clock" --after "$tmp/clock"
}

@test "device frames of two sides are compared by structure" {
  printf '%s\n' 'a;-;k_[G];k.cl:3_[G];mad_[g];0x10_[g] 90' 'a;-;k_[G];k.cl:3_[G];mad_[g];0x20_[g] 10' \
    'a;-;k_[G];send_[g];sbid_[g];0x30_[g] 500' > "$tmp/before"
  sed 's/0x/0x1/' "$tmp/before" > "$tmp/after"
  changes() {
    aiflame-report --json --before "$tmp/before" --after "$tmp/after" --sections instruction,frame "$@" |
      jq -c '[.sections[].rows[] | select(.total.change != 0) | .name]'
  }
  [ "$(changes)" = '[]' ]
  [ "$(changes --match offset | jq length)" -eq 12 ]
  run -0 aiflame-report --before "$tmp/before" --after "$tmp/after" --sections instruction
  [[ $output = *'  k k.cl:3 mad'* && $output = *'  k send'* ]]
  # aiflame-diff compares so too
  aiflame-diff "$tmp/before" "$tmp/after" | aiflame-report --json | jq -e '.total.change == 0'
  # one side keeps its offsets
  run -0 aiflame-report "$tmp/before" --sections instruction
  [[ $output = *'  k+0x30 send'* ]]
}

@test "slices of time show how much two single runs vary" {
  # bursts: every fifth slice has ten times as much
  slices() { awk -v all="$1" 'BEGIN { for (i = 0; i < all; ++i) printf "%d.%03d;a;f %d\n", 5012 + int(i / 100), i % 100 * 10, i * 7 % 31 < 6 ? 100 : 10 }'; }
  slices 1000 > "$tmp/before"
  slices 1020 > "$tmp/after"
  run -0 aiflame-report --before "$tmp/before" --after "$tmp/after"
  [[ $output = *'blocks of time within the runs, plain 95% +-'* ]]
  [[ $output != *5012.* ]]
  aiflame-report --json --before "$tmp/before" --after "$tmp/after" > "$tmp/json"
  jq -e '.noise.blocks > .noise.counting and .before.blocks > 32 and (.total.beyond_noise | not)' "$tmp/json"
  # the order does not matter, and is the same each time
  shuf "$tmp/before" > "$tmp/shuffled"
  aiflame-report --json --before "$tmp/shuffled" --after "$tmp/after" | cmp - "$tmp/json"
  # without slices, counting alone
  sed 's/^[^;]*;//' "$tmp/before" > "$tmp/b"
  sed 's/^[^;]*;//' "$tmp/after" > "$tmp/a"
  aiflame-report --json --before "$tmp/b" --after "$tmp/a" | jq -e '.noise.blocks == null'
  # a profile adds up its slices
  diff <(aiflame-report "$tmp/before") <(aiflame-report "$tmp/b")
  echo 'a;f 5' >> "$tmp/before"
  run -1 --separate-stderr aiflame-report "$tmp/before"
  assert_equal "$stderr" "aiflame-report: $tmp/before:1001: no slice of time, and the first line has one"
}

@test "--normalize-by compares the cost of as much work" {
  printf 'a 1000\n' > "$tmp/before"
  printf 'a 2000\n' > "$tmp/after"
  sides="--before $tmp/before --after $tmp/after"
  change() { aiflame-report --json $sides "$@" | jq -c '.total | [.before, .after]'; }
  [ "$(change)" = '[1000,2000]' ]
  [ "$(change --normalize-by 10,20)" = '[2000,2000]' ]
  [ "$(change -n)" = '[2000,2000]' ]
  # two runs before, whose work together is that of the one after
  [ "$(change --normalize-by 20,20 --before "$tmp/before")" = '[2000,2000]' ]
}

@test "changes of amounts are percent of the row, those of shares are points" {
  printf 'a;same 50\na;fixed 50\n' > "$tmp/before"
  printf 'a;same 50\na;fixed 10\n' > "$tmp/after"
  sides="--confidence 0 --sections function --before $tmp/before --after $tmp/after"
  run -0 aiflame-report $sides
  [[ $output == *'
      50     10     -40  -80.0%   -40  -40     fixed
      50     50       0   +0.0%     0    0  ~  same
'* ]]
  run -0 aiflame-report -n $sides
  [[ $output == *'# compared: shares of all, in points (pt)
'*'
# Before  After  Change     Share  From   To    Function
      30     50     +20  +33.3 pt   +20  +20    same
      30     10     -20  -33.3 pt   -20  -20    fixed
'* ]]
  aiflame-diff -n "$tmp/before" "$tmp/after" > "$tmp/difference"
  run -0 aiflame-report --confidence 0 --sections function "$tmp/difference"
  [[ $output == *'+33.3 pt   +20  +20    same'* ]]
}

@test "the noise comes from the weight of one sample" {
  printf 'a 10000\nb 1000\n' > "$tmp/before"
  printf 'a 13000\nb 1000\n' > "$tmp/after"
  noise() { aiflame-report --json --before "$tmp/before" --after "$tmp/after" "$@" | jq .total.beyond_noise; }
  # the smallest count, 1000, is taken for one sample: the sides have 11 and 14
  [ "$(noise)" = false ]
  [ "$(noise --sample 1)" = true ]
  # counts as small as these are taken for samples
  printf 'a 30\nb 9\n' > "$tmp/before"
  printf 'a 90\nb 9\n' > "$tmp/after"
  [ "$(noise)" = true ]
}

@test "of one measurement each no noise is known, and the plain change is judged" {
  for says in 'unit ns' 'unit ns, weights measured'; do
    printf '# aiflame: event gpu-time, %s\na;-;k_[G] 100000\n' "$says" > "$tmp/before"
    sed 's/100000/1000000/' "$tmp/before" > "$tmp/after"
    sides="--sections kernel --before $tmp/before --after $tmp/after"
    run -3 --separate-stderr aiflame-report $sides --fail-on 'kernel:k>+50%'
    assert_equal "$stderr" \
      'aiflame-report: failed: kernel:k>+50%: 100.0 us -> 1.000 ms, +900.0 us (+900.0%), no noise known'
    noise='one measurement each: no noise known; record several runs of each side'
    [[ $says == *measured ]] || noise='the input does not say whether its counts were sampled: no noise known'
    assert_equal "$output" "# before: 100.0 us
# after: 1.000 ms
# change: +900.0 us (+900.0%), no noise known
# counts: ns (gpu-time)
# noise: $noise

# Kernels, change of total
#   Before     After     Change        %  Kernel
  100.0 us  1.000 ms  +900.0 us  +900.0%  k"
    run -0 aiflame-report $sides --fail-on 'kernel:k>+950%'
    # neither noise nor real
    aiflame-report --json $sides | jq -e '.total | .low == null and .beyond_noise == null'
  done
  aiflame-report --json $sides | jq -e '.weights == "measured" and .before.sample == null'
  # text that says what a sample counts, or a user who does
  printf '# aiflame: event cpu-clock, unit ns, period 100000 ns\na;-;k_[G] 100000\n' > "$tmp/before"
  sed '2s/100000/300000/' "$tmp/before" > "$tmp/after"
  run -0 aiflame-report $sides --fail-on 'kernel:k>+50%'
  # one file that says nothing takes the word of the other away
  printf '# aiflame: event gpu-time, unit ns, weights measured\na;-;k_[G] 100000\n' > "$tmp/before"
  printf 'a;-;k_[G] 1000000\n' > "$tmp/after"
  aiflame-report --json $sides | jq -e 'has("weights") | not'
}

@test "runs, steps and slices show how durations vary" {
  says='# aiflame: event gpu-time, unit ns, weights measured'
  for i in 1 2 3; do
    (echo "$says" && echo "a;-;k_[G] $((100000 + 900 * i))") > "$tmp/before.$i"
    (echo "$says" && echo "a;-;k_[G] $((120000 + 900 * i))") > "$tmp/after.$i"
  done
  run -3 --separate-stderr aiflame-report --before "$tmp"/before.* --after "$tmp"/after.* --fail-on 'total>+5%'
  [[ $output == *'# noise: as the runs differ (Welch)
# From, To: '* ]]
  # runs that agree to the last nanosecond say nothing
  cp "$tmp/before.1" "$tmp/before.2"
  cp "$tmp/after.1" "$tmp/after.2"
  run -0 aiflame-report --before "$tmp"/before.[12] --after "$tmp"/after.[12]
  [[ $output == *'# change: +20.00 us (+19.8%), no noise known
'*'# noise: the runs are equal to the last count: no noise known

'*'+20.00 us  +19.8%  k'* ]]
  # steps; what happens in one of them only has no known noise
  steps() {
    echo "$says"
    for i in {1..8}; do echo "rank 0;ProfilerStep#$((i + 2))_[r];a;-;k_[G] $(($1 + i * 7 % 5 * 100))"; done
    echo "rank 0;ProfilerStep#3_[r];a;-;once_[G] $2"
  }
  steps 100000 5000 > "$tmp/before"
  steps 110000 500000 > "$tmp/after"
  run -3 --separate-stderr aiflame-report --before "$tmp/before" --after "$tmp/after" --sections kernel \
    --fail-on 'kernel:k>+5%' --fail-on 'kernel:once>+50%'
  assert_equal "$stderr" \
    'aiflame-report: failed: kernel:k>+5%: 801.7 us -> 881.7 us, +80.00 us (+10.0%), 95% interval +78.43 us to +81.57 us
aiflame-report: failed: kernel:once>+50%: 5.000 us -> 500.0 us, +495.0 us (+9900.0%), no noise known'
  [[ $output == *'# noise: of 8 and 8 blocks of time or steps within the runs, plain 95% +-978.8 us
'*'# ~: within noise; ?: no noise known
'*'
  801.7 us  881.7 us  +80.00 us    +10.0%  +78.03 us  +81.97 us     k
  5.000 us  500.0 us  +495.0 us  +9900.0%          -          -  ?  once' ]]
}

@test "the instances of a range are blocks, as steps are" {
  says='# aiflame: event gpu-time, unit ns, weights measured'
  instances() {
    echo "$says"
    for i in {1..8}; do echo "decode #${i}_[r];rank 0;a;-;k_[G] $(($1 + i * 7 % 5 * 100))"; done
    echo "[outside decode];rank 0;a;-;once_[G] 5000"
  }
  instances 100000 > "$tmp/before"
  instances 110000 > "$tmp/after"
  run -0 aiflame-report --before "$tmp/before" --after "$tmp/after" --sections kernel
  [[ $output == *'# noise: of 8 and 8 blocks of time or steps within the runs'*'k
'* ]]
  # a range that is no root frame is none
  sed -i 's/^decode/a;decode/' "$tmp/before" "$tmp/after"
  run -0 aiflame-report --before "$tmp/before" --after "$tmp/after" --sections kernel
  [[ $output == *'no noise known'* ]]
}

@test "a line without a count is an error with its place" {
  printf 'a 2\nb\n' > "$tmp/bad"
  run -1 --separate-stderr aiflame-report "$tmp/bad"
  [ "$stderr" = "aiflame-report: $tmp/bad:2: missing count" ]
  [ -z "$output" ]
}

@test "counts that do not fit are an error with its place" {
  printf 'a 18446744073709551615\nb 1\n' > "$tmp/big"
  run -1 --separate-stderr aiflame-report "$tmp/big"
  [ "$stderr" = "aiflame-report: $tmp/big:2: the counts are too large to be added in 64 bits" ]
  printf 'a 18446744073709551615\n' > "$tmp/big"
  run -0 aiflame-report "$tmp/big"
  [[ $output == *18,446,744,073,709,551,615* ]]
  run -0 aiflame-report --before "$tmp/big" "$tmp/big" --after "$tmp/big" "$tmp/big"
}

@test "an empty input" {
  assert_equal "$(aiflame-report /dev/null)" '# total: 0 in 0 lines'
  run -0 aiflame-report --before /dev/null --after $data/after.1.in
  run -1 --separate-stderr aiflame-report -n --before /dev/null --after $data/after.1.in
  [ "$stderr" = "aiflame-report: cannot normalize: '/dev/null' has no counts" ]
  aiflame-report --json /dev/null | jq -e '.total == 0'
}

@test "hostile names reach neither the terminal nor the JSON as they are" {
  printf 'a\033[2J;b"\\\xff\x01;\xf0\x9f\x94\xa5 5\n' > "$tmp/hostile"
  run -0 aiflame-report --sort total "$tmp/hostile"
  [[ $output != *$'\033'* ]]
  aiflame-report --json --sort total "$tmp/hostile" > "$tmp/json"
  run ! grep -q $'[\001\033\377]' "$tmp/json"
  jq -e '[.sections[].rows[].name] | contains(["a\u001b[2J", "b\"\\\u00ff\u0001", "\ud83d\udd25"])' "$tmp/json"
}

@test "deep stacks and long names" {
  python3 -c 'print("f;" * 100000 + "g 1"); print("n" * 1000000 + " 2")' > "$tmp/deep"
  run -0 aiflame-report --width 40 "$tmp/deep" --fail-on '/^(f*)*$/>5'
  [[ $output == *'# total: 3 in 2 lines'* ]]
}

@test "an unreadable input" {
  run -1 --separate-stderr aiflame-report "$tmp/none"
  [ "$stderr" = "aiflame-report: cannot open '$tmp/none': No such file or directory" ]
}

@test "usage errors are one line and status 2" {
  for arguments in '--nosuch' '--top x' '--top -1' '--width' '--sections kernels' '--sections ,' '--sort name' \
    '--confidence 100' '--confidence x' '--before a' '--after a' '--before a --after b -n c' '- -' \
    '--before - --after -' '-n' '--normalize-by 1,2' '--normalize-by 1 --before a --after b' \
    '-n --normalize-by 1,2 --before a --after b' '--fail-on total>+3% a' '--fail-on total' \
    '--fail-on /(/>3' '--sample -1' '--match name'; do
    assert_usage_error aiflame-report $arguments
  done
}

@test "help and version" {
  assert_help_and_version aiflame-report
  run -0 aiflame-report -h
}

@test "a full disk is noticed, and no condition hides it" {
  assert_full_disk_noticed aiflame-report $data/before.1.in --fail-on 'total>0'
}

@test "--strict: as without it, the first malformed line is an error" {
  printf 'a;b 1\nc\n' > "$tmp/bad"
  for option in '' --strict; do
    run -1 --separate-stderr aiflame-report $option "$tmp/bad"
    assert_equal "$output$stderr" "aiflame-report: $tmp/bad:2: missing count"
  done
}

@test "HPCToolkit's and AMD's reasons are reasons, with what to try" {
  printf '%s\n' 'a;-;jit_[G];k_[G];v_fma_f64_[g];stl_idep_[g];0x8_[g] 5' \
    'a;-;jit_[G];k_[G];v_fma_f64_[g];isu_vec_[g];0x8_[g] 3' \
    'a;-;jit_[G];k_[G];s_waitcnt_[g];waitcnt_[g];0x10_[g] 2' > "$tmp/in"
  aiflame-report --json --sections reason,instruction "$tmp/in" > "$tmp/json"
  jq -e '[.sections[] | select(.kind == "reason").rows[] | [.name, .vendor, .total]] ==
    [["stl_idep", "HPCToolkit", 5], ["isu_vec", "HPCToolkit", 3], ["waitcnt", "AMD", 2]]' "$tmp/json"
  aiflame-report --width 100 --sections reason "$tmp/in" > "$tmp/text"
  grep -q 'Interleave independent operations' "$tmp/text"
  # in the picture, too
  aiflame-svg "$tmp/in" | grep -qE '<g data-name="stl_idep" [^>]*data-vendor="HPCToolkit">Waited for the result'
}

@test "the time of the device: idle time is apart from work, and has its advice" {
  cat > "$tmp/in" << 'END'
# aiflame: event gpu-time, unit ns
[exposed];py::f;aten::copy__[o];-;Memcpy HtoD_[G] 3000
[hidden];py::f;aten::copy__[o];-;Memcpy HtoD_[G] 1000
[gpu idle];[host copies];py::f;aten::copy__[o];hipMemcpyWithStream 493000
[gpu idle];[untraced];[next launch];py::f;cudaLaunchKernel 7000
py::f;aten::mm_[o];-;gemm_[G] 6000
END
  assert_equal "$(aiflame-report --sections device,idle,operator "$tmp/in" | grep -v '^#\|^$\|^        ')" \
'  6.000 us   1.18%      0 ns  0.00%  computation
  3.000 us   0.59%  1.000 us  0.20%  copies
  500.0 us  98.04%      0 ns  0.00%  [gpu idle]
  493.0 us  96.67%      0 ns  0.00%  [host copies]
  7.000 us   1.37%      0 ns  0.00%  [untraced]
  493.0 us  96.67%  493.0 us  96.67%  hipMemcpyWithStream
  7.000 us   1.37%  7.000 us   1.37%  cudaLaunchKernel
  6.000 us  1.18%  6.000 us  1.18%  aten::mm
  4.000 us  0.78%  4.000 us  0.78%  aten::copy_'
  aiflame-report "$tmp/in" | grep -q 'Copy from pinned memory and'
  aiflame-report --json "$tmp/in" | jq -e '.sections[0].kind == "device" and
    (.sections[0].rows | map([.name, .exposed, .hidden]) ==
      [["computation", 6000, 0], ["copies", 3000, 1000], ["[gpu idle]", 500000, 0],
       ["[host copies]", 493000, 0], ["[untraced]", 7000, 0]]) and
    (.sections[0].rows[3].advice | startswith("Copy from pinned"))'
  run -3 --separate-stderr aiflame-report --fail-on 'device:[gpu idle]>90%' "$tmp/in"
  assert_equal "$stderr" 'aiflame-report: failed: device:[gpu idle]>90%: 500.0 us of 510.0 us (98.04%)'
  # stalls have the marks, too, and are no time
  sed 's/gpu-time, unit ns/gpu-stall, unit stalls/; /idle/d' "$tmp/in" | aiflame-report | run ! grep -q 'Time of the device'
}

@test "the time of the device of two runs" {
  for side in 10 20; do
    printf '# aiflame: event gpu-time, unit ns\n[gpu idle];[host busy];py::f %d000\npy::f;-;k_[G] 50000\n' $side > "$tmp/$side"
  done
  aiflame-report --confidence 0 --before "$tmp/10" --after "$tmp/20" --sections device > "$tmp/out"
  grep -Eqx '10\.00 us +20\.00 us +\+10\.00 us +\+100\.0% +\+10\.00 us +\+10\.00 us +\[host busy\]' <(sed 's/^ *//' "$tmp/out")
}

@test "what a fix could gain, at most" {
  cat > "$tmp/in" << 'END'
# aiflame: event gpu-stall, unit stalls
[exposed];app;-;k.cl_[G];hot_[G];send_[g];sbid_[g];0x30_[g] 60
[hidden];app;-;k.cl_[G];hot_[G];send_[g];sbid_[g];0x30_[g] 20
[hidden];app;-;k.cl_[G];hot_[G];mad_[g];active_[g];0x40_[g] 20
[hidden];app;-;k.cl_[G];other_[G];add_[g];pipe_[g];0x0_[g] 90
[exposed];app;-;k.cl_[G];other_[G];add_[g];pipe_[g];0x0_[g] 10
END
  aiflame-report --sections finding "$tmp/in" > "$tmp/out"
  # 100 / 40, 100 / 80, 200 / 140; 100 / 90 and no work to overlap with, 200 / 190; rounded up
  grep -Ex '# +Stalls  Of all  Removed  Overlap  Whole  Finding' "$tmp/out"
  assert_equal "$(grep -v '^#\|^$' "$tmp/out")" \
'      60  30.00%    2.50x    1.25x  1.43x  sbid in hot
      10   5.00%    1.12x    1.00x  1.06x  pipe in other'
  grep -q '^# counted: exposed stalls' "$tmp/out"
  aiflame-report --json "$tmp/in" | jq -e '.sections[] | select(.kind == "finding") | .exposed and
    .rows[0] == {name: "sbid in hot", self: 60, total: 80, id: "sbid in hot", kind: "stalls",
                 kernel: "hot", reason: "sbid", share: 1,
                 at_most: {removed: 2.5, overlapped: 1.25, whole: 1.42857142857},
                 evidence: [{samples: 60, offset: 48, mnemonic: "send"}]}'
  # without them all stalls count
  sed 's/^\[[a-z]*\];//' "$tmp/in" | aiflame-report --sections finding > "$tmp/out"
  assert_equal "$(grep -v '^#\|^$' "$tmp/out")" \
'     100  50.00%  no limit    1.00x  2.00x  pipe in other
      80  40.00%     5.00x    1.25x  1.67x  sbid in hot'
  grep -q '^# which of them are hidden, and cost nothing, is not known' "$tmp/out"
  # of exposed stalls alone, or of time, it is not known how long a kernel took
  for quantity in 'event gpu-stall-exposed, unit stalls' 'unit ns'; do
    sed "1s/.*/# aiflame: $quantity/" "$tmp/in" | aiflame-report --json |
      jq -e '[.sections[].kind] | index("finding") == null'
  done
  # what is never exposed, and work
  printf '%s\n' 'a;-;k_[G];LDG_[g];stl_hid_[g] 5' 'a;-;k_[G];LDG_[g];isu_vec_[g] 3' 'a;-;k_[G];LDG_[g];stl_gmem_[g] 2' |
    aiflame-report --sections finding > "$tmp/out"
  assert_equal "$(grep -v '^#\|^$' "$tmp/out")" '       2  20.00%    1.25x    1.25x  1.25x  stl_gmem in k'
  grep -q '^# counted: exposed stalls' "$tmp/out"
}

@test "kernels of one name in several files are apart; files of two sides are not" {
  cat > "$tmp/in" << 'END'
main;-;a.cl_[G];k_[G];mad_[g];sbid_[g];0x10_[g] 50
main;-;b.cl_[G];k_[G];mad_[g];sbid_[g];0x10_[g] 20
main;-;c.cl_[G];only_[G];mad_[g];sbid_[g];0x10_[g] 10
END
  aiflame-report --sections kernel,instruction,finding "$tmp/in" | grep -v '^#\|^$' > "$tmp/out"
  assert_equal "$(cat "$tmp/out")" \
'    50  62.50%     50  62.50%  a.cl;k
    20  25.00%     20  25.00%  b.cl;k
    10  12.50%     10  12.50%  only
     50  62.50%  a.cl;k+0x10 mad
     20  25.00%  b.cl;k+0x10 mad
     10  12.50%  only+0x10 mad
      50  62.50%  no limit        -  2.67x  sbid in a.cl;k
      20  25.00%  no limit        -  1.34x  sbid in b.cl;k
      10  12.50%  no limit        -  1.15x  sbid in only'
  aiflame-report --json "$tmp/in" | jq -e '.sections[] | select(.kind == "finding") |
    .rows[1].kernel == "b.cl;k" and .rows[1].evidence == [{samples: 20, offset: 16, mnemonic: "mad"}]'

  # a kernel of one file a side is one, whatever its files are called
  sed 's/c\.cl/d.cl/; s/ 10$/ 30/' "$tmp/in" > "$tmp/after"
  aiflame-report --sections kernel --before "$tmp/in" --after "$tmp/after" --json |
    jq -e '[.sections[0].rows[] | [.name, .total.before, .total.after]] | sort ==
      [["a.cl;k", 50, 50], ["b.cl;k", 20, 20], ["only", 10, 30]]'
  grep -v b.cl "$tmp/in" > "$tmp/before"
  sed 's/a\.cl/e.cl/' "$tmp/before" > "$tmp/after"
  aiflame-report --sections kernel,instruction --before "$tmp/before" --after "$tmp/after" --json |
    jq -e '[.sections[].rows[] | [.name, .total.before, .total.after]] | sort ==
      [["k", 50, 50], ["k mad", 50, 50], ["only", 10, 10], ["only mad", 10, 10]]'

  # by time, with counts that have decimals
  for slice in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
    sed "s/^main/[$slice.000 s];main/; s/\$/.5/" "$tmp/before"
    sed "s/^main/[$slice.000 s];main/; s/a\\.cl/f.cl/" "$tmp/before"
  done > "$tmp/sliced"
  aiflame-report --sections kernel --before "$tmp/sliced" --after "$tmp/sliced" --json |
    jq -e '[.sections[0].rows[] | [.name, .total.before, .total.change]] | sort ==
      [["a.cl;k", 656.5, 0], ["f.cl;k", 650, 0], ["only", 266.5, 0]]'

  run -3 --separate-stderr aiflame-report --sections kernel --fail-on 'kernel:k>90%' --fail-on 'kernel:a.cl;k>90%' "$tmp/in"
  assert_equal "$stderr" "aiflame-report: failed: kernel:k>90%: kernels of several files have this name; name one: kernel:a.cl;k"
}
