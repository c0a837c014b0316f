#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Launches that perf alone has recorded, and how stackcollapse-aiflame joins them with device samples;
# and scripts/launch-probes.sh, which defines the probes.
load common
load recording

# Writes a recording of two processes' stalls in three slices, without launches.
stalls() {
  cp "$DATA/stackcollapse-aiflame/stalls_of_two.gpustall" stalls
}

# text EVENT CLOCK LINE...: writes launches as `perf script` does, from lines PID TIME FUNCTION
# [ARGUMENTS]
text() {
  local event=$1 clock=$2 line
  shift 2
  [ -z "$clock" ] || printf '# ========\n# clockid: %s\n#\n' "$clock"
  for line in "$@"; do
    # shellcheck disable=SC2086 # several words
    set -- $line
    printf 'app %s/%s [001] %s: %s: (7f01)%s\n\t7f01 api+0x0 (/lib/api.so)\n\t401000 %s+0x9 (/app)\n\n' \
      "$1" "$1" "$2" "$event" "${4:+ $4}" "$3"
  done
}

made() { # CASE: a perf.data of that name
  skip_without python3
  PYTHONDONTWRITEBYTECODE=1 python3 "$AIFLAME_ROOT/tests/recorded/perf_data.py" "$1" > "$1"
}

# fold EXPECTED SUMMARY INPUT...
fold() {
  local expected=$1 summary=$2
  shift 2
  run -0 --separate-stderr stackcollapse-aiflame --gpu-frames=kernel "$@"
  assert_equal "$(stacks <<< "$output")" "$expected"
  assert_equal "$stderr" "$summary"
}

joined='app;[main];[api];-;first_[G] 5
app;[main];[caller];[api];-;[unknown kernel]_[G] 40
app;[main];[caller];[api];-;first_[G] 5
app;[main];[caller];[api];-;second_[G] 20
app;[main];[caller];[api];-;third_[G] 80
app;[unknown launch];-;first_[G] 3
other;[main];[caller];[api];-;first_[G] 4'
summary='stackcollapse-aiflame: gpu-stall: 157 samples: 144 exact, 10 apportioned (10 by number of launches), 3 unattributed, 0 lost'

# ---- joined by time ----

@test "perf.data: launches by slice, process and kernel, with the caller from its argument" {
  stalls
  made launches
  fold "$joined" "$summary" launches stalls
}

@test "perf.data: a pipe, and an argument of another name" {
  stalls
  made launches-pipe
  # shellcheck disable=SC2002 # this tests a pipe
  cat launches-pipe | fold "$joined" "$summary" - stalls
}

@test "the order of inputs does not matter, nor where a recording comes from" {
  stalls
  made launches
  fold "$joined" "$summary" stalls launches
  fold "$joined" "$summary" - launches < stalls
  gzip stalls
  fold "$joined" "$summary" stalls.gz launches
}

@test "without the form of the arguments kernels and callers are unknown" {
  stalls
  made launches-formless
  fold 'app;[main];[api];-;[unknown kernel]_[G] 40
app;[main];[api];-;first_[G] 10
app;[main];[api];-;second_[G] 20
app;[main];[api];-;third_[G] 80
app;[unknown launch];-;first_[G] 3
other;[main];[api];-;first_[G] 4' \
    'stackcollapse-aiflame: gpu-stall: 157 samples: 154 exact, 0 apportioned, 3 unattributed, 0 lost' \
    launches-formless stalls
}

@test "perf script text that tells its clock, with the kernel as argument" {
  stalls
  text aiflame_launch:x 'monotonic (1)' '7 1.001 f kernel="first"' '7 1.002 g kernel="second"' \
    '8 1.011 h kernel="first"' > text
  fold 'app;[unknown launch];-;[unknown kernel]_[G] 40
app;[unknown launch];-;first_[G] 3
app;[unknown launch];-;third_[G] 80
app;f;api;-;first_[G] 10
app;g;api;-;second_[G] 20
app;h;api;-;first_[G] 4' \
    'stackcollapse-aiflame: gpu-stall: 157 samples: 34 exact, 0 apportioned, 123 unattributed, 0 lost' \
    text stalls
}

@test "samples of launches of unknown kernels are presumed, on the frames that these share" {
  stalls
  text aiflame_launch:x 'monotonic (1)' '7 1.021 f' '7 1.022 f' '7 1.023 f' '7 1.024 g' \
    '7 1.025 h kernel="(fault)"' '7 1.026 other kernel="fourth"' > text
  fold 'app;[presumed];-;[unknown kernel]_[G] 40
app;[presumed];-;third_[G] 80
app;[unknown launch];-;first_[G] 17
app;[unknown launch];-;second_[G] 20' \
    'stackcollapse-aiflame: gpu-stall: 157 samples: 0 exact, 0 apportioned, 120 presumed, 37 unattributed, 0 lost' \
    text stalls
  run -0 jq -c '[.launches, .cpu]' <(stackcollapse-aiflame --stats /dev/stdout text stalls 2> /dev/null |
    grep '^{')
  assert_equal "$output" '[6,{}]'
}

@test "the recording's own launches come before those of perf" {
  text aiflame_launch:x 'monotonic (1)' '7 1.001 f kernel="first"' '7 1.001 g' > text
  fold 'app;g;api;-;second_[G] 5
app;own;-;first_[G] 10' \
    'stackcollapse-aiflame: gpu-stall: 15 samples: 15 exact, 0 apportioned, 0 unattributed, 0 lost' \
    "$DATA/stackcollapse-aiflame/own_launch.gpustall" text
}

# ---- joined without a time ----

@test "another clock joins by process and kernel alone, with one warning" {
  stalls
  made launches-timeless
  cp stalls more
  untimed="stackcollapse-aiflame: warning: launches-timeless: launch events without a time of CLOCK_MONOTONIC are joined by process alone; 'perf record -k CLOCK_MONOTONIC' gives them one"
  fold "$(sed -e '/unknown launch/d' -e 's/^other.*/other;[main];[caller];[api];-;first_[G] 14/' \
    -e '/^app/s/ \([0-9]*\)$/ @\1@/' <<< "$joined" |
    awk -F@ 'NF > 1 { print $1 2 * $2; next } 1')" "$untimed
stackcollapse-aiflame: gpu-stall: 314 samples: 294 exact, 20 apportioned (20 by number of launches), 0 unattributed, 0 lost" \
    launches-timeless stalls more
}

@test "text that does not tell its clock joins by process alone" {
  stalls
  text probe_libcuda:cuLaunchKernel '' '7 77.0 f' > text
  fold 'app;[unknown launch];-;first_[G] 7
app;f;api;-;[unknown kernel]_[G] 40
app;f;api;-;first_[G] 10
app;f;api;-;second_[G] 20
app;f;api;-;third_[G] 80' "stackcollapse-aiflame: warning: text: launch events without a time of CLOCK_MONOTONIC are joined by process alone; 'perf record -k CLOCK_MONOTONIC' gives them one
stackcollapse-aiflame: gpu-stall: 157 samples: 150 exact, 0 apportioned, 7 unattributed, 0 lost" \
    text stalls
}

# ---- which events ----

@test "launches are drawn as CPU samples where there is no device" {
  made launches
  fold 'app;[main];[api] 1
app;[main];[caller];[api] 3
other;[main];[caller];[api] 1' '' launches
  text probe_libOpenCL:clEnqueueNDRangeKernel '' '7 1.0 f' > text
  printf 'app 7/7 [001] 1.0: 5 cycles: \n\t401010 work+0x10 (/app)\n\n' > cycles
  fold 'app;f;api 1' 'stackcollapse-aiflame: drawn: probe_libOpenCL:clEnqueueNDRangeKernel; not drawn: 1 cycles' text cycles
  fold 'app;work 5' 'stackcollapse-aiflame: drawn: cycles; not drawn: 1 probe_libOpenCL:clEnqueueNDRangeKernel' cycles text
  fold 'app;f;api 1' '' cycles text --event=probe_libOpenCL:clEnqueueNDRangeKernel
}

@test "the usual names of perf probe are launches, return probes and others are not" {
  stalls
  for event in probe_libze_loader:zeCommandListAppendLaunchKernel \
    probe_libcuda:cuLaunchKernel_ptsz probe_libamdhip64:hipModuleLaunchKernel; do
    text $event 'monotonic (1)' '7 1.001 f' > text
    run -0 --separate-stderr stackcollapse-aiflame text stalls
    [[ $output == *'app;f;api;-;'* ]]
  done
  for event in probe_libcuda:cuLaunchKernel__return probe_libOpenCL:clFinish; do
    text $event 'monotonic (1)' '7 1.001 f' > text
    run -0 --separate-stderr stackcollapse-aiflame text stalls
    [[ $output != *'app;f;api;-;'* ]]
    [[ $stderr == *"; not drawn: 1 $event" ]]
  done
}

@test "--launch-event names others instead" {
  stalls
  text mine:start 'monotonic (1)' '7 1.001 f' > text
  run -0 --separate-stderr stackcollapse-aiflame --launch-event='other:*,mine:st?rt' text stalls
  [[ $output == *'app;f;api;-;'* ]]
  run -0 --separate-stderr stackcollapse-aiflame --launch-event=none text stalls
  [[ $output != *'app;f;api;-;'* ]]
}

@test "filters choose by the launch's thread, and do not change the join" {
  stalls
  made launches
  fold "$(grep '^other' <<< "$joined")" \
    'stackcollapse-aiflame: gpu-stall: 157 samples: 4 exact, 0 apportioned, 0 unattributed, 0 lost, 153 filtered out' \
    --comms=other launches stalls
  fold "$(grep second <<< "$joined")" \
    'stackcollapse-aiflame: gpu-stall: 157 samples: 20 exact, 0 apportioned, 0 unattributed, 0 lost, 137 filtered out' \
    --kernels=second launches stalls
  # drawn as CPU samples, they are filtered as such
  fold 'other;[main];[caller];[api] 1' 'stackcollapse-aiflame: 4 of 5 samples filtered out' \
    --pids=8 launches
  fold '1.010;app;[main];[caller];[api] 1
1.010;other;[main];[caller];[api] 1' 'stackcollapse-aiflame: 3 of 5 samples filtered out' \
    --by-time=10 --time=1.010,1.020 launches
}

# ---- for real ----

# The probes belong to the machine: one test at a time, and none if they are in use.
lock_probes() {
  [ "$(id -u)" -eq 0 ] || skip 'probes need root'
  skip_without perf
  skip_without flock
  exec 8> /tmp/aiflame-launch-probes.lock
  flock 8
  [ -z "$(perf probe -q -l 'aiflame_launch:*' 2> /dev/null)" ] || skip 'launch probes are in use here'
}

teardown() {
  if { true >&8; } 2> /dev/null; then
    "$AIFLAME_ROOT/scripts/launch-probes.sh" --remove 8>&- || true
    perf probe -q -d 'aiflame_test:*' > /dev/null 2>&1 || true
    exec 8>&-
  fi
}

define_probes() {
  lock_probes
  run -0 --separate-stderr "$AIFLAME_ROOT/scripts/launch-probes.sh"
  [[ $output == *aiflame_launch:clEnqueueNDRangeKernel* ]]
}

@test "launch-probes: defines, lists and removes its own probes and no others" {
  lock_probes
  library=$(/sbin/ldconfig -p | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')
  perf probe -q -x "$library" -a aiflame_test:finish=clFinish 2> probe.err ||
    skip "perf probe fails here: $(tail -n 1 probe.err)"
  PATH=$AIFLAME_ROOT/scripts:$PATH
  run -0 --separate-stderr launch-probes.sh "$library"
  assert_equal "$output" aiflame_launch:clEnqueueNDRangeKernel
  run -0 --separate-stderr launch-probes.sh "$library" # the event exists already
  assert_equal "$output" aiflame_launch:clEnqueueNDRangeKernel
  run -0 --separate-stderr launch-probes.sh --list
  [ "${#lines[@]}" -eq 1 ]
  [[ $output == *aiflame_launch:clEnqueueNDRangeKernel* ]]
  run -0 --separate-stderr launch-probes.sh --remove
  run -0 --separate-stderr launch-probes.sh --list
  assert_equal "$output" ''
  run -0 perf probe -q -l 'aiflame_test:*'
  [[ $output == *aiflame_test:finish* ]]
}

@test "launch-probes: each mistake is one line" {
  PATH=$AIFLAME_ROOT/scripts:$PATH
  run -2 --separate-stderr launch-probes.sh --bad
  assert_equal "$stderr" "launch-probes: unknown option '--bad'; try 'launch-probes --help'"
  run -2 --separate-stderr launch-probes.sh --list /bin/true
  assert_equal "$stderr" "launch-probes: option '--list' takes no library; try 'launch-probes --help'"
  run -0 --separate-stderr launch-probes.sh --help
  [[ $output == *--remove* ]]
  lock_probes
  run -1 --separate-stderr launch-probes.sh /nowhere
  assert_equal "$stderr" "launch-probes: cannot read '/nowhere'"
  run -1 --separate-stderr launch-probes.sh /bin/true
  [[ $stderr == "launch-probes: '/"*"' has no function that launches kernels" ]]
}

@test "a real program: launches of unknown kernels give no caller a share" {
  define_probes
  skip_unless_samples
  # slices are much shorter than a launch, so as a rule only one was seen; others may still run
  perf record -q -k CLOCK_MONOTONIC -g -e 'aiflame_launch:*' -o launches.data -- \
    gpustall-record --launch-stacks off --interval 1 -o stalls -- \
    "$AIFLAME_BUILD/tests/demo/callers-fp" turn > table 2> record.err || skip "$(tail -n 1 record.err)"
  stackcollapse-aiflame --stats stats launches.data stalls > folded
  stackcollapse-aiflame stalls launches.data > other-order
  cmp folded other-order
  # nothing is lost, and every launch is there
  assert_equal "$(sum_of folded)" \
    "$(at_end samples stalls)"
  assert_equal "$(jq .launches stats)" "$(awk '/^run_/ { sum += $2 } END { print sum }' table)"
  jq -e '.device[.event] | .unattributed <= 0.02 * .samples' stats
  jq -e '.device[.event] | .presumed >= 0.95 * .samples' stats
  grep -qE '^callers-fp;.*main;\[presumed\];-;.*iterate_\[G\]' folded
  # before the second function launches, the first one alone is possible
  awk '{ all += $NF } /;run_/ { own += $NF } END { exit !(own <= 0.05 * all) }' folded
}

@test "a real program: the kernel's name from a probe's argument, in perf.data and in text" {
  lock_probes
  skip_unless_samples
  library=$(/sbin/ldconfig -p | awk '$1 == "libOpenCL.so.1" { print $NF; exit }')
  perf probe -q -x "$library" -a 'aiflame_launch:named=clCreateKernel kernel=+0(%si):string' 2> probe.err ||
    skip "perf probe fails here: $(tail -n 1 probe.err)"
  # no kernel is launched at this probe; the test uses that one is created with its name
  perf record -q -k CLOCK_MONOTONIC -g -e 'aiflame_launch:*' -o named.data -- \
    "$AIFLAME_BUILD/tests/demo/callers-fp" turn > table 2> record.err || skip "$(tail -n 1 record.err)"
  read -r pid time < <(perf script -i named.data --ns -F pid,time 2> /dev/null | tail -n 1 | tr -d :)
  perf script --header -F comm,pid,tid,cpu,time,event,trace,ip,sym,dso --ns -i named.data \
    > named.text 2> /dev/null
  printf '# gpustall 1\n# slice %s.000000000 %s.999999999\n\napp %s/%s [000] %s.999999999: 5 gpu-stall: \n\t10 iterate+0x1 (/x)\n\napp %s/%s [000] %s.999999999: 6 gpu-stall: \n\t10 another+0x1 (/x)\n\n# end samples 11 launches 0 lost 0\n\n' \
    "${time%.*}" "${time%.*}" "$pid" "$pid" "${time%.*}" "$pid" "$pid" "${time%.*}" > stalls
  for input in named.data named.text; do
    stackcollapse-aiflame --gpu-frames=kernel "$input" stalls > folded 2> said
    grep -qE ';clCreateKernel;-;iterate_\[G\] [0-9]+$' folded
    grep -qE ';\[unknown launch\];-;another_\[G\] 6$' folded
    [[ $(cat said) != *warning* ]]
  done
}
