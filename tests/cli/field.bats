#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Inputs of public bug reports (tests/data/field/README.md), and others of their kind.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  # shellcheck disable=SC2153 # common.bash sets DATA
  data=$DATA/field
}

# right NAME MESSAGE OPTIONS...: NAME.txt gives NAME.folded, and this on standard error
right() {
  local name=$1 message=$2
  shift 2
  run -0 --separate-stderr stackcollapse-aiflame "$@" "$data/$name.txt"
  assert_equal "$output" "$(cat "$data/$name.folded")"
  # shellcheck disable=SC2154 # Bats sets it
  assert_equal "$stderr" "$message"
}

# sample HEADER FRAME...: perf script text of one sample
sample() {
  printf '%s\n' "$1"
  shift
  printf '\t%s\n' "$@"
  echo
}

@test "names: lambdas, operators, local entities" { right cpp-lambda ''; }

@test "names: symbols in parentheses" { right symbols-in-parentheses ''; }

@test "names: Rust and C++ that perf did not demangle" { right rust-mangled ''; }

@test "names: mangled stubs and clones; an old perf's C++ names stay" {
  sample 'rs 10 [000] 1.000001: 5 cycles:' '5581 _Znwm@plt+0x10 (/home/u/rs)' \
    '5582 _Z3foov.constprop.0+0x10 (/home/u/rs)' '5583 _RNvC2rs4main (/home/u/rs)' \
    '5584 _ZN10JavaThread3runEv (/usr/lib/libjvm.so)' '5585 _Zebra+0x1 (/x)' > text
  run -0 --separate-stderr stackcollapse-aiflame text
  assert_equal "$output" 'rs;_Zebra;_ZN10JavaThread3runEv;rs::main;foo;operator new@plt 5'
}

@test "names: lambdas and local classes of a recorded program are their own frames" {
  skip_without perf 'perf is not installed'
  skip_without g++
  skip_unless_samples
  # with other options than the program's own, perf's text and perf.data have the same names
  g++ -O1 -g -std=c++20 -fno-omit-frame-pointer -o app "$data/local_entities.cc"
  perf record -q -F 1999 -e cpu-clock:u -g -o app.data ./app > /dev/null 2> record.err ||
    skip "perf record fails here: $(head -n 1 record.err)"
  perf script --no-inline -i app.data 2> /dev/null | stackcollapse-aiflame > text.folded
  stackcollapse-aiflame app.data | stacks > direct.folded
  for folded in text.folded direct.folded; do
    # the two lambdas of step(), of which the dear one takes most
    grep -q 'app::Engine::step(int)::{lambda(double)#1}::operator()' $folded
    grep -q 'app::Engine::step(int)::{lambda(double)#2}::operator()' $folded
    grep -q 'app::freefn(double, int)::Local::run' $folded
    grep -q 'main::{lambda(double, double)#1}' $folded
    run ! grep -qE 'step;[^ ]*step |step;.*;app::Engine::step ' $folded
  done
  diff text.folded direct.folded
}

@test "headers: unknown columns are passed over, and said" {
  right misc-column "stackcollapse-aiflame: warning: unknown columns of 2 headers passed over, first at $data/misc-column.txt:1: 'U'
stackcollapse-aiflame: drawn: cycles:u; not drawn: 1 cycles:k"
}

@test "headers: threads are merged where perf printed no comm" {
  right no-comm ''
  run -0 stackcollapse-aiflame --tid "$data/no-comm.txt"
  assert_equal "$output" '?-?/21452;main;work 201198
?-?/21453;main;work 201198'
  # --root and --by-time need no comm either; a sample without frames is drawn
  sample '21452 5.5: 7 cycles:' '401146 work+0x1 (/x)' > text
  printf '21453 6.5: 2 cycles:\n\n' >> text
  run -0 stackcollapse-aiflame --by-time 1000 text
  assert_equal "$output" '5.000;work 7
6.000;[unknown] 2'
}

@test "headers: columns that are left out and added, as perf prints them, give the same stacks" {
  skip_without perf 'perf is not installed'
  skip_unless_samples
  perf record -q -a -k mono -d -F 499 -e cpu-clock -g -o a.data -- sleep 0.2 2> record.err ||
    skip "perf record fails here: $(head -n 1 record.err)"
  perf script --no-inline -i a.data 2> /dev/null | stackcollapse-aiflame > expected
  [ -s expected ]
  for fields in +misc +tod +addr -time -cpu -time,+misc -cpu,+misc +misc,+tod,+addr,+pid -event -event,+misc,+addr; do
    perf script --no-inline -F "$fields" -i a.data 2> /dev/null | stackcollapse-aiflame 2> err > folded
    diff expected folded || { echo "-F $fields" >&2; false; }
    case $fields in
      *misc* | *tod*) grep -q "^stackcollapse-aiflame: warning: unknown columns of [0-9]* headers passed over, first at <stdin>:1: '" err ;;
      *) [ ! -s err ] ;;
    esac
  done
  # the same sum without ids, and without comms
  for fields in -tid -comm -tid,-cpu,+misc -comm,+tod; do
    perf script --no-inline -F "$fields" -i a.data 2> /dev/null | stackcollapse-aiflame 2> /dev/null > folded
    assert_equal "$(awk '{ n += $NF } END { print n }' folded)" "$(awk '{ n += $NF } END { print n }' expected)"
  done
}

@test "frames: lines of -F +srcline are those that are there" { right srcline '' --srcline; }

@test "frames: offsets in objects, and no object at all" {
  right dsoff ''
  sample 'app 11 [000] 1.000001: 5 cycles:' '401146 f<void (int)>(int)+0x16' '401147 (anonymous namespace)::g(int)' \
    '401148 main+0x3' '7f01' > text
  run -0 --separate-stderr stackcollapse-aiflame text
  assert_equal "$output" 'app;[unknown];main;(anonymous namespace)::g;f<void (int)> 5'
  [ -z "$stderr" ]
  # perf record without -g: the frame is on the header's line
  printf 'app 11 1.000001: 5 cycles:    401146 work+0x16\n' > text
  run -0 --separate-stderr stackcollapse-aiflame text
  assert_equal "$output" 'app;work 5'
}

@test "lines that are no samples are passed over and counted, whatever the event" {
  right intel-pt-errors "stackcollapse-aiflame: warning: 2 lines ignored, first at $data/intel-pt-errors.txt:1: unrecognised line"
  {
    echo 'Processed 12345 events and lost 3 chunks!'
    sample 'app 11 [000] 1.000001: 5 cycles:' '401146 work+0x16 (/x)'
    echo "addr2line: Dwarf Error: this reader only handles version 2, 3 and 4 information."
    sample 'app 11 [000] 1.000002: 5 cycles:' '401146 work+0x16 (/x)'
    printf 'app 11 [000] 1.000003: 5 cycles:\n\t401146 work+0x16 (/x)\nno symbols found in /usr/bin/x (deleted), maybe install a debug package?\n\t401147 main+0x16 (/x)\n\n'
  } > text
  run -0 --separate-stderr stackcollapse-aiflame --event cycles text
  assert_equal "$output" 'app;main;work 5
app;work 10'
  assert_equal "$stderr" 'stackcollapse-aiflame: warning: 3 lines ignored, first at text:1: unrecognised line'
  run -1 --separate-stderr stackcollapse-aiflame --strict text
  assert_equal "$stderr" 'stackcollapse-aiflame: text:1: unrecognised line'
  # text of nothing else is an error
  head -n 1 text > none
  run -1 --separate-stderr stackcollapse-aiflame none
  assert_equal "$stderr" 'stackcollapse-aiflame: none:1: expected perf script text'
}

@test "events: one event of several PMUs is one profile, which is said" {
  right hybrid 'stackcollapse-aiflame: drawn: cpu_atom/cycles/Pu+cpu_core/cycles/Pu, one event of 2 PMUs'
  for event in cycles 'cycl*' 'cpu_*/cycles/' 'instructions,cycles'; do
    right hybrid 'stackcollapse-aiflame: drawn: cpu_atom/cycles/Pu+cpu_core/cycles/Pu, one event of 2 PMUs' --event "$event"
  done
  run -0 --separate-stderr stackcollapse-aiflame --event cpu_core/cycles/ "$data/hybrid.txt"
  assert_equal "$output" 'bant;main;parse 80000'
  assert_equal "$stderr" 'stackcollapse-aiflame: drawn: cpu_core/cycles/Pu; not drawn: 5 cpu_atom/cycles/Pu'
  run -0 --separate-stderr stackcollapse-aiflame --event cpu_atom/cycles/Pu "$data/hybrid.txt"
  assert_equal "$output" 'bant;main;scan 5000'
  [ -z "$stderr" ]
  # other events, and other modifiers, are not added
  sed '1,40s|cpu_atom/cycles|cpu_atom/instructions|' "$data/hybrid.txt" > two
  run -0 --separate-stderr stackcollapse-aiflame two
  [[ $output != *parse* ]]
}

@test "events: a name that fits nothing is an error with the events there are" {
  run -1 --separate-stderr stackcollapse-aiflame --event nope "$data/hybrid.txt"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-aiflame: option '--event': no samples of 'nope'; the input has cpu_atom/cycles/Pu (5), cpu_core/cycles/Pu (40)"
  run -0 --separate-stderr stackcollapse-aiflame --event-filter nope "$data/hybrid.txt"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-aiflame: warning: option '--event-filter': no samples of 'nope'; the input has cpu_atom/cycles/Pu (5), cpu_core/cycles/Pu (40)"
}

@test "events: the whole name fits best, in any order of the samples and with any threads" {
  {
    for i in $(seq 3000); do
      sample "a 1/1 [000] $i.5: 1 cycles:u:" "401146 user+0x$i (/x)"
      sample "a 1/1 [000] $i.6: 2 instructions:" '401147 other+0x1 (/x)'
    done
    sample 'a 1/1 [000] 9.5: 3 cycles:' '401148 whole+0x1 (/x)'
  } > text
  [ "$(wc -c < text)" -gt 262144 ]
  for input in text -; do
    run -0 --separate-stderr stackcollapse-aiflame --event cycles "$input" < text
    assert_equal "$output" 'a;whole 3'
  done
  run -0 --separate-stderr stackcollapse-aiflame --event 'c*:u,cycles' text
  assert_equal "$output" 'a;user 3000'
  assert_equal "$stderr" 'stackcollapse-aiflame: drawn: cycles:u; not drawn: 1 cycles, 3000 instructions'
  head -n -3 text > without
  run -0 --separate-stderr stackcollapse-aiflame --event cycles without
  assert_equal "$output" 'a;user 3000'
}

@test "text of Windows: byte order marks and UTF-16" {
  cp "$data/bom.folded" "$BATS_TEST_TMPDIR/expected"
  for name in bom utf16; do
    stackcollapse-aiflame "$data/$name.txt" | diff expected -
    stackcollapse-aiflame - < "$data/$name.txt" | diff expected -
    gzip -c "$data/$name.txt" | stackcollapse-aiflame | diff expected -
  done
  aiflame-merge "$data/folded-bom.in" | diff <(sed $'s/^\xef\xbb\xbf//' "$data/folded-bom.in" | sort) -
  assert_equal "$(aiflame-merge "$data/folded-utf16.in")" 'a;b 1
c 2'
}

@test "xz and bzip2 are read, and gzip padded with zeros" {
  for file in folded.xz folded.bz2; do
    assert_equal "$(aiflame-merge "$data/$file")" 'a;b 1'
  done
  { printf 'a;b 1\n' | gzip -c && head -c 1000 /dev/zero && printf 'a;b 2\n' | gzip -c; } > padded.gz
  assert_equal "$(aiflame-merge padded.gz)" 'a;b 3'
  head -c 40 "$data/folded.xz" > cut.xz
  run -1 --separate-stderr aiflame-merge cut.xz
  assert_equal "$stderr" 'aiflame-merge: cut.xz: compressed data ends in the middle'
}

@test "pprof's formats of before profile.proto are named, with the way to convert them" {
  local program file
  for program in aiflame stackcollapse-pprof; do
    for file in legacy_cpu.prof legacy_heap.txt legacy_goroutine.txt; do
      run -1 --separate-stderr "$program" "$data/$file"
      [ -z "$output" ]
      assert_equal "$stderr" "$program: $data/$file: this is a profile in a format of before profile.proto; convert it, and fold that: go tool pprof -proto PROGRAM $data/$file > profile.pb.gz; stackcollapse-pprof profile.pb.gz"
    done
    printf 'heap_v2/524288\n  t*: 3: 4096 [0: 0]\n' > jeprof.heap
    run -1 --separate-stderr "$program" jeprof.heap
    assert_equal "$stderr" "$program: jeprof.heap: this is a heap profile of jemalloc; fold it with jemalloc's own program: jeprof --collapsed PROGRAM jeprof.heap"
  done
}
