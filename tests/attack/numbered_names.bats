# SPDX-License-Identifier: MIT
# Names that end in numbers, in what our importers write: no program takes one for a count.
load attack

# check: of ./folded, which an importer has written
check() {
  local total
  # one count a line: what is left of it does not end in a number
  grep -v '^#' folded > stacks
  [ -s stacks ]
  run -1 grep -E '[ \t][0-9]+(\.[0-9]*)? [0-9]+$' stacks
  grep -q 'epoch_2 ' stacks
  total=$(awk '{ sum += $NF } END { print sum }' stacks)
  for input in folded stacks; do
    aiflame-svg --factor 1 "$input" > svg
    run -1 grep -q 'data-scale' svg # of a difference
    grep -q 'epoch_2' svg
    aiflame-report "$input" > report
    grep -q "^# total: " report
    run -1 grep -q 'change' report
    aiflame-merge "$input" > merged
    assert_equal "$(awk '!/^#/ { sum += $NF } END { print sum }' merged)" "$total"
    aiflame-diff "$input" "$input" > difference
    assert_equal "$(awk '!/^#/ { before += $(NF - 1); after += $NF } END { print before, after }' difference)" "$total $total"
    aiflame-svg difference > svg
    grep -q '<title>epoch_2 (' svg
    run -1 grep -q '<title>epoch (' svg
  done
  aiflame-export -f speedscope -o exported folded
  grep -q 'epoch_2' exported
}

@test "stackcollapse-trace" {
  printf '{"traceEvents":[%s]}' "$(for number in 1 2 3; do
    printf '{"ph":"X","pid":1,"tid":1,"ts":%d0,"dur":7,"name":"epoch %d"},' $number $number
  done | sed 's/,$//')" > trace.json
  stackcollapse-trace trace.json > folded
  check
}

@test "stackcollapse-pprof" {
  printf '# aiflame: unit stalls\napp;epoch 1 5\napp;epoch 2 7\napp;loss 0.5 3\n' > text
  aiflame-export -f pprof -o profile text
  stackcollapse-pprof profile > folded
  check
}

@test "a text of our programs without names that end in numbers is what it says" {
  printf '# aiflame: event gpu-time, unit ns\nepoch 1 5\nepoch 2 7\n' > stated
  aiflame-svg stated | grep -q '<title>epoch 2 (7 ns, 58.33%)'
  aiflame-report stated > report
  grep -q 'epoch 2$' report
  # without a comment: two counts only if each line has two
  printf 'epoch 1 5\nepoch 2 7\nmain 3\n' > bare
  aiflame-svg bare | grep -q '<title>epoch 2 (7 samples, 46.67%)'
  aiflame-export -f speedscope -o exported bare
  run -1 aiflame-export -f speedscope -o exported <(printf 'a 1 5\nb 2 7\n')
  # a difference is no profile
  printf '# aiflame: event gpu-time, unit ns, columns two\na 1 5\n' > two
  local program
  for program in 'aiflame-diff two stated' 'aiflame-diff stated two' 'aiflame-merge two' 'aiflame-cost --power 300 --pue 1 two' \
    'aiflame-forecast --to h100 --from a100-sxm-40gb two'; do
    # shellcheck disable=SC2086 # words
    run -1 --separate-stderr $program
    [ -z "$output" ]
    # shellcheck disable=SC2154 # Bats sets stderr
    [[ $stderr == *'two:1: two counts on each line, of a difference; take the profiles themselves' ]]
  done
}
