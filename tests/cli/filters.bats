#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stackcollapse-aiflame's filters and --by-time: the samples that are drawn are those that perf's own
# options select, and a filter and its opposite add up to the whole.
load common
load recording
data=$AIFLAME_ROOT/tests/data/stackcollapse-aiflame

# adds up several folded files
sum() {
  awk '{ count = $NF; sub(/ [^ ]*$/, ""); sum[$0] += count }
    END { for (stack in sum) print stack, sum[stack] }' "$@" | sort
}

# Records two programs of several processes, for half a second.
record() {
  skip_without perf
  skip_unless_samples
  perf record -q -o a.data -F 999 -g -e cpu-clock -- \
    sh -c "$AIFLAME_BUILD/tests/deep 0.2; ls -R /usr/include; $AIFLAME_BUILD/tests/deep 0.2" \
    > program.out 2> record.err || skip "perf record fails here: $(head -n 1 record.err)"
}

# as_perf PERF-OPTIONS -- OPTIONS: both select the same samples, and neither none nor all of them
as_perf() {
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  perf script --no-inline -i a.data "${options[@]}" 2> script.err |
    stackcollapse-aiflame > text.folded 2> text.err
  stackcollapse-aiflame "$@" a.data 2> direct.err | stacks > direct.folded
  [ "$(sum_of text.folded)" -gt 0 ]
  assert_equal "$(sum_of direct.folded)" "$(sum_of text.folded)"
  diff <(sed 's/;.* / /' direct.folded | sum) <(sed 's/;.* / /' text.folded | sum)
  grep -qxE 'stackcollapse-aiflame: [1-9][0-9]* of [0-9]+ samples filtered out' direct.err
}

# Two threads launch one kernel on two devices; some samples could belong to either launch.
two_of_each() {
  printf '# gpustall 1\n# device 0 : fake, One, 0, period 1 cycles\n'
  printf '# device 1 : fake, Two, 1, period 1 cycles\n'
  local n slice pid
  for n in 1 2 3 4; do
    pid=$((6 + (n + 1) / 2))
    printf '# launch %s\n\napp%s %s/1%s [000]     1.0:          1 gpu-launch: \n' $n $n $pid $n
    printf '\t            1000 k%s(int)+0x0 (o)\n\t              %s f%s+0x1 (/app)\n\n' $((n / 4)) $n $n
  done
  for slice in 1 2 3 4 5; do
    printf '# slice %s.000 %s.010\n' $slice $slice
    for n in 1 2 3 4; do printf '# launched %s %s 0.00%s\n' $n $n $n; done
    printf '# launch ?\n\n'
    for n in 1 2 3 4 5 6 7; do
      for pid in 7 8 0; do
        printf 'app %s/%s [00%s]     %s.010:          %s gpu-stall: \n' $pid $pid $((n % 2)) $slice $n
        printf '\t            100%s k%s(int)+0x%s (o)\n\n' $((n % 3)) $((n % 4 / 3)) $((n % 3))
      done
    done
  done
  printf '# end samples 420 launches 50 lost 0\n\n'
}

# ---- against perf ----

@test "--time takes the samples that perf script --time takes" {
  record
  local first
  first=$(perf script -i a.data -F time 2> script.err | awk '{ print $1 + 0; exit }')
  between=$(awk -v first="$first" 'BEGIN { printf "%.6f,%.6f", first + 0.1, first + 0.3 }')
  as_perf --time "$between" -- --time "$between"
  as_perf --time "${between%,*}," -- --time "${between%,*},"
  as_perf --time ",${between#*,}" -- --time ",${between#*,}"
  as_perf --time "${between%,*},${between%,*} ${between#*,}," -- \
    --time "${between%,*},${between%,*} ${between#*,},"
}

@test "--time in percent takes the samples that perf script takes" {
  record
  for time in 30% 10%/3 10%/2,10%/4 10%-40% 0%-20%,70%-100%; do
    as_perf --time "$time" -- --time "$time"
  done
  for n in 1 2 3 4 5; do stackcollapse-aiflame --time "20%/$n" a.data; done 2> err | stacks | sum > parts
  stackcollapse-aiflame a.data | stacks | diff - parts
}

@test "--comms, --pids and --tids take the samples that perf script takes" {
  record
  as_perf --comms deep -- --comms deep
  as_perf --comms ls,sh -- --comms '[ls]?'
  local pid
  pid=$(perf script -F comm,pid -i a.data 2> script.err | awk '$1 == "deep" { print $2; exit }')
  as_perf --pid "$pid" -- --pids "$pid"
  as_perf --tid "$pid" -- --tids "$pid"
}

@test "text is filtered as perf.data is" {
  record
  stackcollapse-aiflame --comms ls --time 0,99999999 --by-time 50 a.data 2> direct.err | stacks > direct
  perf script --no-inline --ns -i a.data 2> script.err |
    stackcollapse-aiflame --comms ls --time 0,99999999 --by-time 50 2> text.err > text
  assert_equal "$(sum_of text)" "$(sum_of direct)"
  diff <(cut -d ';' -f 1,2 text | sort -u) <(cut -d ';' -f 1,2 direct | sort -u)
  # the kernel was seen to write one once, and perf script says nothing of it
  diff text.err <(grep -v 'samples with a damaged call graph' direct.err)
}

@test "parts in percent are refused where the whole is not known" {
  for file in "$data/cpu.perf-script" "$data/matmul.gpustall"; do
    run -1 --separate-stderr stackcollapse-aiflame --time 10% "$file"
    [ -z "$output" ]
    [[ $stderr == "stackcollapse-aiflame: $file: option '--time': parts in percent need the times of the first and last sample"* ]]
  done
  skip_without perf
  skip_unless_samples
  perf record -q -o a.data -B -e cpu-clock -- true 2> record.err || skip 'perf record -B fails here'
  run -1 --separate-stderr stackcollapse-aiflame --time 10% a.data
  [[ $stderr == 'stackcollapse-aiflame: a.data: option '* ]]
}

# ---- CPU samples ----

@test "events without a process or a time do not pass, and are reported" {
  printf 'app  7 cycles: \n\t10 f+0x1 (/a)\n\napp 8/9 [000] 1.5: 3 cycles: \n\t20 g+0x1 (/a)\n\n' > text
  run -0 --separate-stderr stackcollapse-aiflame --pids 7,8 text
  assert_equal "$output" 'app;g 3'
  assert_equal "$stderr" 'stackcollapse-aiflame: 1 of 2 samples filtered out, 1 of them for not telling their process or time'
  run -0 --separate-stderr stackcollapse-aiflame --time 1,1.4 text
  assert_equal "$output" ''
  assert_equal "$stderr" 'stackcollapse-aiflame: 2 of 2 samples filtered out, 1 of them for not telling their process or time'
  run -0 --separate-stderr stackcollapse-aiflame --by-time 100 text
  assert_equal "$output" '1.500;app;g 3
[unknown time];app;f 1'
  [ -z "$stderr" ]
}

@test "the default event does not depend on the filters" {
  printf 'a 7 1.0: 1 first: \n\t1 f (/a)\n\nb 8 1.0: 1 second: \n\t1 f (/a)\n\n' > text
  run -0 --separate-stderr stackcollapse-aiflame --comms b --stats stats.json text
  [ -z "$output" ]
  assert_equal "$stderr" 'stackcollapse-aiflame: drawn: first; not drawn: 1 second
stackcollapse-aiflame: 1 of 1 samples filtered out'
  assert_equal "$(jq -c '[.cpu, .cpu_filtered]' stats.json)" '[{"first":1,"second":1},1]'
  run -0 --separate-stderr stackcollapse-aiflame --comms b --event second text
  assert_equal "$output" 'b;f 1'
}

@test "abbreviations are stackcollapse-perf.pl's options, not ours" {
  printf 'a 7/8 1.0: 1 e: \n\t1 f ([kernel.kallsyms])\n\n' > text
  for option in --pid -p --pi; do assert_equal "$(stackcollapse-aiflame $option text)" 'a-7;f 1'; done
  for option in --tid -t --TI; do assert_equal "$(stackcollapse-aiflame $option text)" 'a-7/8;f 1'; done
  for option in --kernel -k --kern; do assert_equal "$(stackcollapse-aiflame $option text)" 'a;f_[k] 1'; done
  assert_equal "$(stackcollapse-aiflame --ev=none text)" ''
  # values of perf's options are not options
  assert_equal "$(stackcollapse-aiflame --comms -p text 2> err)" ''
  assert_equal "$(stackcollapse-aiflame --comm a text 2> err)" 'a;f 1'
}

@test "mistakes in a filter are usage errors of one line" {
  for option in '--pids=x' '--tids=1,' '--comms=,' '--kernels=,' '--devices=a,,b' '--time=5' \
    '--time=2,1' '--time=50%-40%' '--by-time=0' '--by-time=-1' '--by-time=0.0000001'; do
    run -2 --separate-stderr stackcollapse-aiflame "$option" /dev/null
    [ -z "$output" ]
    [ "${#stderr_lines[@]}" -eq 1 ]
    [[ $stderr == "stackcollapse-aiflame: option '${option%%=*}': "*"; try 'stackcollapse-aiflame --help'" ]]
  done
  # an unset variable in a script gives an error, not a run without the filter
  for option in --pids --tids --comms --kernels --devices --time --by-time; do
    run -2 --separate-stderr stackcollapse-aiflame "$option" '' /dev/null
  done
}

# ---- device samples ----

@test "filters of a recording: a filter and its opposite add up to the whole" {
  two_of_each > both
  stackcollapse-aiflame both 2> err | stacks > whole
  assert_equal "$(sum_of whole)" 420
  grep -q ' apportioned, ' err
  run ! grep -q '; 0 apportioned' err
  for pair in '--pids=7 --pids=0,8' '--tids=11,12 --tids=13,14,0,7,8' '--devices=0 --devices=1' \
    '--devices=One --devices=Two' '--kernels=k0 --kernels=k1' '--kernels=k0(int) --kernels=k1*' \
    '--time=,2.5 --time=2.6,' '--comms=app[12] --comms=app,app[34]'; do
    this=${pair% *} opposite=${pair#* }
    stackcollapse-aiflame "$this" both > one 2> one.err
    stackcollapse-aiflame "$opposite" both > other 2> other.err
    [ "$(sum_of one)" -gt 0 ] && [ "$(sum_of other)" -gt 0 ]
    stacks one other | sum | diff whole -
    grep -q "420 samples: .*, $(sum_of other) filtered out" one.err
    for option in "$this" "$opposite"; do
      stackcollapse-aiflame --event gpu-time "$option" both 2>> err
    done | stacks | sum > gpu-time
    stackcollapse-aiflame --event gpu-time both 2>> err | stacks | diff - gpu-time
  done
}

@test "--by-time cuts the same samples into slices" {
  two_of_each > both
  stackcollapse-aiflame both 2> err | stacks > whole
  stackcollapse-aiflame --by-time 10 both 2> err | stacks > cut
  assert_equal "$(cut -d ';' -f 1 cut | sort -u | tr '\n' ' ')" '1.000 2.000 3.000 4.000 5.000 '
  sed 's/^[0-9.]*;//' cut | sum | diff whole -
  stackcollapse-aiflame --by-time 2000 --event gpu-time both 2> err | stacks | cut -d ';' -f 1 | sort -u > roots
  assert_equal "$(tr '\n' ' ' < roots)" '0.000 2.000 4.000 '
  # all launches are of device 0, so that device 1 has no time of its own
  sed "/^# device/s/, period.*//; /^# device/s/$/, period 1000 ns/" both > periods
  stackcollapse-aiflame --by-time 2000 --cpu periods "$data/cpu.perf-script" 2> err > mixed
  grep -qE '^[0-9]+\.000;\[cpu\];app;main;work ' mixed
  grep -qE '^4\.000;\[device\];' mixed
}

@test "--stats has what was filtered out" {
  two_of_each > both
  stackcollapse-aiflame --devices One --stats stats.json both > one 2> err
  assert_equal "$(jq -c '.device."gpu-stall" | .samples == .exact + .apportioned + .presumed + .unattributed + .filtered' stats.json)" true
  assert_equal "$(jq '.device."gpu-stall".filtered' stats.json)" $((420 - $(sum_of one)))
}

@test "filters of devices and kernels leave CPU samples alone" {
  stackcollapse-aiflame --cpu --kernels none "$data/matmul.gpustall" "$data/cpu.perf-script" > out 2> err
  assert_equal "$(stacks out)" '[cpu];app;main;work 30'
}
