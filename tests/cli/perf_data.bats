#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stackcollapse-aiflame on perf.data: what perf records here folds like the text of `perf script`,
# and files made by hand (tests/recorded/perf_data.py) fold to the results written here.
load common
load recording

# record FILE PERF-OPTIONS...: records tests/deep, which is built with frame pointers
record() {
  local file=$1
  shift
  skip_without perf 'perf is not installed'
  skip_unless_samples
  perf record -q -o "$file" "$@" -- "$AIFLAME_BUILD/tests/deep" 0.3 > program.out 2> record.err ||
    skip "perf record $* fails here: $(head -n 1 record.err)"
}

# The stubs of the procedure linkage table get one name: perf 6.1 calls some of them _init (as seen
# with the first one), which the manual page lists as a difference.
one_name_for_stubs() {
  sed -E 's/;(_init|[^;]*@plt)(;| [0-9]+$)/;[plt]\2/g' |
    awk '{ count = $NF; sub(/ [0-9]+$/, ""); sum[$0] += count }
      END { for (stack in sum) printf "%s %d\n", stack, sum[stack] }' | sort
}

# same_as_text FILE OPTIONS...: folds the file both ways. The bytes must be the same except for those
# stubs, and not empty; if `only` is set, only lines that match it are compared
same_as_text() {
  local file=$1
  shift
  perf script --no-inline -i "$file" 2> script.err | stackcollapse-aiflame "$@" 2> text.err |
    grep -E "${only:-.}" | one_name_for_stubs > text.folded
  stackcollapse-aiflame "$@" "$file" 2> direct.err | stacks | grep -E "${only:-.}" |
    one_name_for_stubs > direct.folded
  diff -u text.folded direct.folded > difference || {
    head -n 20 difference | cut -c 1-400 >&2
    return 1
  }
  [ "$(wc -l < direct.folded)" -ge "${least:-5}" ]
  # perf omits this silently
  sed -i '/samples with a damaged call graph drawn without it$/d' direct.err
  diff text.err direct.err
}

made() { # CASE: a file of that name
  skip_without python3
  PYTHONDONTWRITEBYTECODE=1 python3 "$AIFLAME_ROOT/tests/recorded/perf_data.py" "$1" > "$1"
}

# fold_made CASE STDERR EXPECTED OPTIONS...
fold_made() {
  local case=$1 message=$2 expected=$3
  shift 3
  made "$case"
  run -0 --separate-stderr stackcollapse-aiflame "$@" "$case"
  assert_equal "$(stacks <<< "$output")" "$expected"
  assert_equal "$stderr" "$message"
}

basic='app;main;work;leaf 10
app;work 5'

# ---- recorded ----

@test "call graphs by frame pointers are those of perf script, with every option" {
  record a.data -F 999 -g
  same_as_text a.data
  grep -q '^deep;.*Level<40>::run;.*Level<0>::run;.*std::' direct.folded
  grep -q '^ls;' direct.folded
  same_as_text a.data --kernel
  same_as_text a.data --all --addrs
}

@test "process and thread ids are those of perf script -F +pid" {
  record a.data -F 999 -g
  perf script --no-inline -F +pid -i a.data 2> /dev/null | stackcollapse-aiflame --tid |
    one_name_for_stubs > text.folded
  stackcollapse-aiflame --tid a.data | stacks | one_name_for_stubs > direct.folded
  diff text.folded direct.folded
  grep -qE '^deep-[0-9]+/[0-9]+;' direct.folded
}

@test "samples without call graphs are those of perf script" {
  record a.data -F 999
  same_as_text a.data
}

@test "a fixed period is those of perf script" {
  record a.data -e cpu-clock -c 1000000 -g
  same_as_text a.data
}

@test "several events are those of perf script, each of them" {
  record a.data -g -e cpu-clock -e page-faults -e context-switches
  least=1
  for event in cpu-clock page-faults context-switches; do
    same_as_text a.data --event-filter="$event"
  done
}

@test "of several events the first that was asked for is drawn, text draws the first that fired" {
  # a program's page faults come before its first sample in time
  record a.data -g -e cpu-clock -e page-faults
  assert_equal "$(perf evlist -i a.data | head -n 1)" cpu-clock
  stackcollapse-aiflame a.data 2> err > folded
  grep -qx 'stackcollapse-aiflame: drawn: cpu-clock; not drawn: [0-9]* page-faults' err
  stackcollapse-aiflame --event cpu-clock a.data | diff - folded
  stackcollapse-aiflame < a.data 2> err | diff - folded
  perf script --no-inline -i a.data 2> script.err | stackcollapse-aiflame 2> err > text.folded
  grep -qx 'stackcollapse-aiflame: drawn: page-faults; not drawn: [0-9]* cpu-clock' err
  # an event that never fired is not drawn, and what filters leave out does not choose
  record b.data -g -e alignment-faults -e page-faults -e cpu-clock
  stackcollapse-aiflame b.data 2> err > folded
  grep -qx 'stackcollapse-aiflame: drawn: page-faults; not drawn: [0-9]* cpu-clock' err
  stackcollapse-aiflame --event page-faults b.data | diff - folded
  stackcollapse-aiflame --comms nobody a.data 2> err > none
  [ ! -s none ]
  grep -q 'drawn: cpu-clock; not drawn: ' err
  # a group's samples are given out to all of its events
  record c.data -g -e '{cpu-clock,page-faults}:S' -e context-switches
  stackcollapse-aiflame c.data 2> err > folded
  stackcollapse-aiflame --event cpu-clock c.data | diff - folded
  # filters and slices count the event that is drawn alone
  stackcollapse-aiflame --by-time 50 --comms deep a.data 2> err > slices
  stackcollapse-aiflame --by-time 50 --comms deep --event cpu-clock a.data 2> other | diff - slices
  diff <(grep filtered err) <(grep filtered other)
}

@test "a group that is read together is that of perf script" {
  record a.data -g -e '{cpu-clock,page-faults,context-switches}:S'
  same_as_text a.data
  least=1
  same_as_text a.data --event-filter=page-faults
}

@test "a compressed recording is that of perf script" {
  record a.data -z -F 999 -g
  same_as_text a.data
}

@test "a recording by several threads is that of perf script" {
  record a.data --threads -F 999 -g
  [ -d a.data ]
  same_as_text a.data
}

@test "the monotonic clock, build ids in the maps, and no build ids" {
  record a.data -k CLOCK_MONOTONIC -F 999 -g
  same_as_text a.data
  record b.data --buildid-mmap -F 999 -g
  same_as_text b.data
  record c.data -B -F 999 -g
  same_as_text c.data
}

@test "user space alone, and the whole machine" {
  record a.data -e cpu-clock:u -g
  same_as_text a.data
  record b.data -a -e cpu-clock -g
  # other programs may change their files between the two readings
  only='^(deep|swapper);'
  same_as_text b.data --kernel
}

@test "the kernel's functions are those of its own list, with perf's copy of it and without" {
  export HOME=$PWD/home
  mkdir "$HOME"
  record kernel.data -F 1999 -g
  stackcollapse-aiflame --kernel kernel.data > copy.folded
  copy=$(find "$HOME/.debug/" -name kallsyms -type f)
  [ -n "$copy" ] || skip 'perf record has left no copy of kallsyms'
  grep -q '^0*[1-9a-f][0-9a-f]* T _text$' "$copy" || skip 'addresses of the kernel are hidden'
  grep -q '_\[k\]' copy.folded || skip 'no sample in the kernel'
  HOME=/nonexistent stackcollapse-aiflame --kernel kernel.data > list.folded
  cmp copy.folded list.folded
  # the copy is the one that is read
  cp "$copy" whole
  sed '1,/ T _text$/! s/^\([0-9a-f]* [A-Za-z] \)/\1copied_/' whole > "$copy"
  stackcollapse-aiflame --kernel kernel.data > named.folded
  grep -q ';copied_[^;]*_\[k\]' named.folded
  assert_equal "$(sed 's/;copied_/;/g' named.folded | sort)" "$(sort list.folded)"
  # unless the kernel stood elsewhere when it was made
  sed -i 's/^[0-9a-f]* T _text$/ffffffffa0000000 T _text/' "$copy"
  stackcollapse-aiflame --kernel kernel.data | cmp - list.folded
  # a truncated copy is used as far as it goes
  head -c 100000 whole > "$copy"
  stackcollapse-aiflame --kernel kernel.data | cmp - list.folded
}

@test "tracepoints with call graphs beside another event are those of perf script" {
  record a.data -g -e cpu-clock -e sched:sched_switch
  same_as_text a.data --event-filter=cpu-clock
  same_as_text a.data --event-filter=sched:sched_switch
}

@test "tracepoints without call graphs: text and perf.data have the same samples" {
  skip_without perf
  skip_unless_samples
  for event in sched:sched_switch raw_syscalls:sys_enter; do
    perf record -q -a -e "$event" -o a.data -- sh -c 'ls -R /usr/include > /dev/null; dd if=/dev/zero of=/dev/null count=9' \
      2> record.err || skip "perf record -e $event fails here: $(head -n 1 record.err)"
    perf script -i a.data > text 2> script.err
    stackcollapse-aiflame text > text.folded 2> text.err
    stackcollapse-aiflame a.data | stacks | diff text.folded -
    assert_equal "$(cat text.err)" ''
    assert_equal "$(sum_of text.folded)" "$(wc -l < text)"
    [ "$(wc -l < text.folded)" -ge 2 ]
  done
}

@test "a pipe is read as it arrives, plain and compressed" {
  skip_without perf
  skip_unless_samples
  for options in '' '-z'; do
    # shellcheck disable=SC2086
    perf record -q -o - $options -F 999 -g -- "$AIFLAME_BUILD/tests/deep" 0.3 2> record.err > a.pipe ||
      skip "perf record -o - fails here: $(head -n 1 record.err)"
    perf script --no-inline -i - < a.pipe 2> /dev/null | stackcollapse-aiflame |
      one_name_for_stubs > text.folded
    # shellcheck disable=SC2002 # this tests a pipe
    cat a.pipe | stackcollapse-aiflame | stacks | one_name_for_stubs > direct.folded
    diff text.folded direct.folded
    [ "$(wc -l < direct.folded)" -ge 5 ]
  done
}

@test "a file through a pipe, and compressed by hand, is the file" {
  record a.data -F 999 -g
  stackcollapse-aiflame a.data > file.folded
  # shellcheck disable=SC2002 # this tests a pipe
  cat a.data | stackcollapse-aiflame > pipe.folded
  cmp file.folded pipe.folded
  gzip -k a.data
  stackcollapse-aiflame a.data.gz > gzip.folded
  cmp file.folded gzip.folded
  stackcollapse-aiflame - < a.data > stdin.folded
  cmp file.folded stdin.folded
}

@test "code compiled at run time is named by its map file, for --jit too" {
  skip_without python3
  made maps
  map=/tmp/perf-7.map
  [ ! -e "$map" ] || skip "$map is there"
  printf '40000 20 jitted function\n40020 20 other\n' > "$map"
  run -0 --separate-stderr stackcollapse-aiflame --jit maps
  rm -f "$map"
  [[ $output == *'app;jitted function_[j] 1'* ]]
}

@test "dwarf call graphs are those of perf script, but for a sample in fifty" {
  # perf unwinds with another library, whose stacks sometimes end elsewhere
  record a.data -F 499 --call-graph dwarf,16384
  perf script --no-inline -i a.data 2> /dev/null | stackcollapse-aiflame | grep '^deep;' > text.folded
  stackcollapse-aiflame a.data | grep '^deep;' > direct.folded
  grep -q '^deep;_start;.*;main;.*Level<40>::run;.*Level<0>::run;' direct.folded
  [ "$(sum_of text.folded)" = "$(sum_of direct.folded)" ]
  same=$(comm -12 text.folded direct.folded | sum_of)
  [ $((same * 50)) -ge $(($(sum_of text.folded) * 49)) ] || {
    diff text.folded direct.folded | cut -c 1-300 >&2
    return 1
  }
}

@test "the same with one processor, where one thread does it all" {
  local options processor
  skip_without taskset
  processor=$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')
  record a.data -F 999 -g
  record b.data -F 499 --call-graph dwarf
  for options in '' --all --pid '--by-time 50' --addrs; do
    # shellcheck disable=SC2086
    for file in a.data b.data; do
      stackcollapse-aiflame $options "$file" > all.folded 2> all.err
      taskset -c "$processor" stackcollapse-aiflame $options "$file" > one.folded 2> one.err
      cmp all.folded one.folded
      cmp all.err one.err
    done
  done
  grep -q '^deep;.*Level<40>::run' all.folded
}

# ---- made by hand ----

@test "by hand: a file, a pipe with records that are not known, compressed blocks" {
  fold_made file '' "$basic" --event=cycles:P
  fold_made pipe '' "$basic" --event=named
  fold_made compressed '' "$basic"
}

@test "by hand: another machine's kernel has no names of this machine's" {
  grep -q ' T _text$' /proc/kallsyms || skip 'no /proc/kallsyms'
  made own-kernel
  stackcollapse-aiflame own-kernel | stacks > own
  local machine other=aarch64
  machine=$(uname -m)
  [ "$machine" != aarch64 ] || other=x86_64
  said="stackcollapse-aiflame: warning: kernel functions have no names: the recording is of kernel"
  why="without a build id; 'perf script' names them on the machine that was recorded"
  fold_made other-release "$said 5.4.0-other ($machine), $why" 'app;[[kernel.kallsyms]] 10'
  fold_made other-architecture "$said $(uname -r) ($other), $why" 'app;[[kernel.kallsyms]] 10'
  # where addresses are told, this machine's has names
  if ! grep -q '^0000000000000000 T _text$' /proc/kallsyms; then run ! grep -q kallsyms own; fi
}

@test "by hand: AArch64's leaves have their callers, on any machine" {
  fold_made arm-leaf '' 'app;with_room;[[vdso]] 8
app;with_room;through 2
app;with_room;through;leaf 5
app;with_room;through;other@plt 16'
}

@test "by hand: AArch64's copied stacks are unwound on any machine, through signals and signatures" {
  fold_made arm-stacks '' 'app;through;leaf;[[vdso]];with_room;with_signature;through;leaf 4'
}

@test "by hand: records are taken in the order of their times" {
  fold_made order '' 'app;work 20
renamed;work 30'
}

@test "by hand: events of different forms, told apart by their ids" {
  said='stackcollapse-aiflame: warning: events: 1 samples of unknown events ignored'
  fold_made events "$said
stackcollapse-aiflame: drawn: first; not drawn: 1 sys:second" 'app;main;work 3'
  fold_made events "$said" 'app 1' --event=sys:second
}

@test "by hand: a group's values count since the last sample" {
  said='stackcollapse-aiflame: warning: group: 1 samples of unknown events ignored'
  fold_made group "$said" 'app;main 50
app;main;work 100
app;work 10' --event=leader
  fold_made group "$said" 'app;main;work 7
app;work 2' --event=member
}

@test "by hand: branch stacks are skipped" {
  fold_made branches '' 'app;main;work 4'
}

@test "by hand: the call graph of lbr is the kernel's chain, then the branch stack" {
  fold_made lbr '' 'app;[middle] 8
app;[outer];[middle];[inner] 1
app;[outer];[middle];[inner];leaf 4
app;leaf 16'
}

@test "by hand: samples of every part, those not used too" {
  fold_made everything '' 'app;main 5
app;main;work 3'
}

@test "by hand: records of every kind, those not used too" {
  fold_made records '' "$basic"
}

@test "by hand: losses are reported" {
  fold_made lost 'stackcollapse-aiflame: warning: lost: 12 records lost while recording
stackcollapse-aiflame: warning: lost: 3 samples lost while recording' "$basic"
}

@test "by hand: mappings old and new, one inside another, memory of no file" {
  fold_made maps '' 'app;[inside] 1
app;[old-style] 1
app;[perf-7.map] 1
app;[unknown] 1
app;[wide] 3'
}

@test "by hand: forks, threads, an exec and a process id that comes again" {
  fold_made processes '' ':31337;[unknown] 1
execed;[child] 1
parent;[parent] 4
thread;[parent] 1'
}

# within MEBIBYTES COMMAND...: runs the command with at most that much address space
within() {
  is_sanitized && skip 'the sanitizers map memory of their own'
  # shellcheck disable=SC2016 # expanded by the inner shell
  run -0 --separate-stderr bash -c 'ulimit -v $(($1 * 1024)) && shift && exec "$@"' within "$@"
}

@test "by hand: memory does not grow with the number of processes" {
  made many-processes
  within 128 stackcollapse-aiflame many-processes
  assert_equal "$stderr" ''
  assert_equal "$(stacks <<< "$output")" 'parent;[1] 40000
parent;[own] 40000'
}

@test "by hand: memory does not grow with the length of a pipe that has marks" {
  skip_without python3
  fold() {
    # shellcheck disable=SC2016 # expanded by the inner shell
    within 96 bash -c 'set -o pipefail; python3 "$1" many-rounds | stackcollapse-aiflame' \
      fold "$AIFLAME_ROOT/tests/recorded/perf_data.py"
  }
  PYTHONDONTWRITEBYTECODE=1 fold
  assert_equal "$stderr" ''
  assert_equal "$(stacks <<< "$output")" 'app;main;work 8192'
}

@test "by hand: records of all lengths, in as many pieces as a long file is read in, and cut" {
  skip_without python3
  fold_made long '' 'app;main 400'
  head -c 9437184 long > cut
  run -0 --separate-stderr stackcollapse-aiflame cut
  assert_equal "$stderr" 'stackcollapse-aiflame: warning: cut: recording is cut short; read what is whole'
  assert_equal "$(stacks <<< "$output")" 'app;main 233'
}

@test "by hand: functions of the kernel that come and go" {
  fold_made ksymbols '' 'app;[unknown] 10
app;bpf_prog_1 10'
}

@test "by hand: kernel and user space in a chain, an unknown context, a virtual machine" {
  fold_made contexts 'stackcollapse-aiflame: warning: contexts: 1 samples of virtual machines ignored
stackcollapse-aiflame: warning: contexts: 1 samples with a damaged call graph drawn without it' \
    'app 10
app;main;[unknown];leaf 10'
}

@test "by hand: the first form of attributes, without times" {
  fold_made old '' 'old;[old] 1000'
}

@test "by hand: a recording that was not finished is used, with a warning" {
  fold_made unfinished \
    'stackcollapse-aiflame: warning: unfinished: recording is cut short; read what is whole' "$basic"
}

@test "by hand: unreadable input is one line and exit 1" {
  while IFS='|' read -r case message; do
    made "$case"
    run -1 --separate-stderr stackcollapse-aiflame "$case"
    [ -z "$output" ]
    assert_equal "$stderr" "stackcollapse-aiflame: $case: $message"
  done <<'END'
other-order|is perf.data of a machine of the other byte order; 'perf script' reads it
first-version|is perf.data of a perf before 3.0; 'perf script' reads it
short-record|a record of 3 bytes at byte 328 of the data
branches-cut|malformed sample
compressed-twice|compressed data inside of compressed data
dwarf|has dwarf call graphs of another machine than x86-64 and AArch64; they must go through 'perf script --no-inline'
aux-cut|malformed sample
registers-cut|malformed sample
END
}

@test "by hand: perf.data, gpustall and text are summed" {
  made file
  printf 'app 7/8 [001] 1.0: 10 cycles:P: \n\t401010 work+0x10 (/app)\n\n' > text
  run -0 --separate-stderr stackcollapse-aiflame file text
  assert_equal "$(stacks <<< "$output")" 'app;main;work;leaf 10
app;work 15'
}

@test "cuts and mutations give a message or the whole records" {
  skip_without python3
  PYTHONDONTWRITEBYTECODE=1 run -0 timeout 600 python3 "$AIFLAME_ROOT/tests/recorded/perf_data.py" \
    sweep "$AIFLAME_BUILD/bin/stackcollapse-aiflame" "${SWEEP_PLACES:-25}"
  [[ $output == *' runs, 0 bad' ]]
}

@test "cuts and mutations of text and recordings give a message or the whole records" {
  skip_without python3
  for program in stackcollapse-aiflame 'gpustall-record --source replay --input'; do
    PYTHONDONTWRITEBYTECODE=1 run -0 timeout 600 python3 \
      "$AIFLAME_ROOT/tests/recorded/perf_data.py" sweep "$AIFLAME_BUILD/bin/$program" \
      "${SWEEP_PLACES:-25}" "$DATA"/stackcollapse-aiflame/{cpu.perf-script,matmul.gpustall}
    [[ $output == *' runs, 0 bad' ]] || {
      printf '%s\n' "${output:0:2000}" >&2
      return 1
    }
  done
}
