#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# aiflame-dlfilter.so inside perf script gives the same bytes as stackcollapse-aiflame on perf
# script's text.
load common
load recording

filter=$AIFLAME_BUILD/dlfilters/aiflame-dlfilter.so

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  [ -e "$filter" ] || skip 'aiflame-dlfilter.so was left out: no perf/perf_dlfilter.h (linux-perf)'
  skip_without perf
  skip_unless_samples
  # built with a sanitizer, it needs the sanitizer's library in a program that lacks it
  sanitizer=$(ldd "$filter" | awk '/libasan/ { print $3 }')
}

# record FILE PERF-OPTIONS...
record() {
  local file=$1
  shift
  perf record -q -o "$file" "$@" -- "$AIFLAME_BUILD/tests/deep" 0.3 > program.out 2> record.err ||
    skip "perf record $* fails here: $(head -n 1 record.err)"
}

# fold PERF-SCRIPT-OPTIONS...
fold() { LD_PRELOAD=$sanitizer ASAN_OPTIONS=detect_leaks=0 perf script --dlfilter "$filter" "$@"; }

# same_as_text FILE WORDS...: the words are stackcollapse-aiflame's options, and --dlarg of the filter
same_as_text() {
  local file=$1 arguments=() word
  shift
  for word; do arguments+=(--dlarg "$word"); done
  perf script --no-inline -i "$file" 2> script.err | stackcollapse-aiflame "$@" > text.folded 2> text.err
  fold "${arguments[@]}" -i "$file" > filter.folded 2> filter.err
  diff -u text.folded filter.folded | head -n 20 | cut -c 1-400
  cmp text.folded filter.folded
  [ "$(wc -l < filter.folded)" -ge "${least:-5}" ]
  diff <(sed 's/^stackcollapse-aiflame/aiflame-dlfilter/' text.err) filter.err
}

@test "call graphs by frame pointers, with every option" {
  record a.data -F 999 -g
  same_as_text a.data
  grep -q '^deep;.*Level<40>::run;.*Level<0>::run' filter.folded
  same_as_text a.data --kernel
  grep -q '_\[k\]' filter.folded
  same_as_text a.data --all --addrs --jit
}

@test "process and thread ids are those of perf script -F +pid" {
  record a.data -F 999 -g
  for option in pid tid; do
    perf script --no-inline -F +pid -i a.data 2> script.err | stackcollapse-aiflame --$option > text.folded
    fold --dlarg $option -i a.data | diff text.folded -
  done
  grep -qE '^deep-[0-9]+/[0-9]+;' text.folded
}

@test "samples without call graphs, a fixed period, compressed, the whole machine" {
  record a.data -F 999
  same_as_text a.data --kernel --addrs
  record b.data -z -e cpu-clock -c 1000000 -g
  same_as_text b.data
  record c.data -a -e cpu-clock -g
  same_as_text c.data --kernel
  [ "$(cut -d ';' -f 1 filter.folded | sort -u | wc -l)" -ge 2 ]
}

@test "several events: the first, or the one that is asked for" {
  record a.data -g -e cpu-clock -e page-faults -e sched:sched_switch
  same_as_text a.data
  grep -q '^aiflame-dlfilter: drawn: .*; not drawn: ' filter.err
  least=1
  for event in cpu-clock page-faults sched:sched_switch; do
    same_as_text a.data --event="$event"
    same_as_text a.data --event-filter="$event"
  done
  same_as_text a.data --event=cpu-clock --kernel
  # in any words that stackcollapse-aiflame takes
  same_as_text a.data --event='page*'
  grep -q '^aiflame-dlfilter: drawn: page-faults; not drawn: ' filter.err
  same_as_text a.data --event='nosuch,sched:*'
  same_as_text a.data --event='sched:*,cpu-clock'
  record b.data -g -e '{cpu-clock,page-faults}:S'
  same_as_text b.data
}

@test "an event is found without its modifiers, and one that is not there is named" {
  record a.data -F 999 -g -e cpu-clock:u
  same_as_text a.data --event=cpu-clock
  same_as_text a.data --event='cpu-*'
  run -1 --separate-stderr fold --dlarg event=cycles -i a.data
  assert_equal "$output" ''
  [[ $stderr == "aiflame-dlfilter: --dlarg 'event': no samples of 'cycles'; the input has cpu-clock:u ("*')' ]]
  run -0 --separate-stderr fold --dlarg event-filter=cycles -i a.data
  assert_equal "$output" ''
  [[ $stderr == "aiflame-dlfilter: warning: --dlarg 'event-filter': no samples of 'cycles'; the input has cpu-clock:u ("*')' ]]
}

@test "tracepoints without call graphs are all there" {
  record a.data -e cpu-clock -e sched:sched_switch
  stackcollapse-aiflame --event sched:sched_switch a.data | stacks > direct.folded
  fold --dlarg event=sched:sched_switch -i a.data | diff direct.folded -
  [ -s direct.folded ]
}

@test "a pipe" {
  perf record -q -o - -F 999 -g -- "$AIFLAME_BUILD/tests/deep" 0.3 > a.pipe 2> record.err ||
    skip "perf record -o - fails here: $(head -n 1 record.err)"
  perf script --no-inline -i - < a.pipe 2> script.err | stackcollapse-aiflame > text.folded
  fold -i - < a.pipe > filter.folded
  cmp text.folded filter.folded
  [ "$(wc -l < filter.folded)" -ge 5 ]
}

@test "perf's own filters hold" {
  record a.data -F 999 -g
  for option in --comms=deep --time=10%-60%; do
    perf script --no-inline "$option" -i a.data 2> script.err | stackcollapse-aiflame > text.folded
    fold "$option" -i a.data | diff text.folded -
    [ -s text.folded ]
  done
}

@test "dwarf call graphs are not seen, and one warning says so" {
  record a.data -F 499 --call-graph dwarf
  fold -i a.data > filter.folded 2> filter.err
  assert_equal "$(cut -d "'" -f 1,3 filter.err)" "aiflame-dlfilter: warning: event ' has dwarf call graphs, of which perf shows a dlfilter the kernel"
  stackcollapse-aiflame a.data > direct.folded
  assert_equal "$(sum_of filter.folded)" "$(sum_of direct.folded)"
}

@test "a mistake, and a full disk, end perf with a message and not with success" {
  record a.data -F 99 -g
  run ! --separate-stderr fold --dlarg source -i a.data
  [ -z "$output" ]
  assert_equal "$stderr" "aiflame-dlfilter: unknown --dlarg 'source'; known are pid, tid, kernel, jit, all, addrs and event=NAME"
  run -1 --separate-stderr bash -c "$(declare -f fold)
    filter='$filter' sanitizer='$sanitizer'; fold -i a.data > /dev/full"
  assert_equal "$stderr" 'aiflame-dlfilter: write error: No space left on device'
}

@test "files cut anywhere do not crash perf" {
  record a.data -F 999 -g
  local size part status own
  size=$(stat -c %s a.data)
  for part in 1 3 5 7 9; do
    head -c $((size * part / 10)) a.data > cut.data
    own=0 status=0
    timeout 60 perf script --no-inline -i cut.data > /dev/null 2> own.err || own=$?
    timeout 60 bash -c "$(declare -f fold)
      filter='$filter' sanitizer='$sanitizer'; fold -i cut.data" > out 2> err || status=$?
    echo "part $part: status $status, of perf alone $own: $(tail -n 1 err)"
    # it must neither hang nor die by a signal if perf alone does not; its own errors are 234 and so on
    [ "$status" -lt 124 ] || [ "$status" -gt 191 ] || [ "$status" -eq "$own" ]
  done
}

@test "perf lists it, with its description" {
  [ -z "$sanitizer" ] || skip 'perf does not load a sanitized library by itself'
  cp "$filter" .
  perf script --list-dlfilters 2> err | grep -q '^ *aiflame-dlfilter.so  *fold samples into merged stacks (aiflame)$'
  perf script -v --list-dlfilters 2> err | grep -q 'see aiflame-dlfilter(1)'
  # a build directory of its own: make notes its flags there, and would compile all anew for others
  make -s -C "$AIFLAME_ROOT" -n install PREFIX=/usr/local DESTDIR=/stage O="$PWD/out" > install
  grep -qF " /stage$(perf --exec-path)/dlfilters/aiflame-dlfilter.so" install
}
