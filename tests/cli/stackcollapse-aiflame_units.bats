# SPDX-License-Identifier: MIT
# What the counts of folded text are: stackcollapse-aiflame's first line, and what the readers of
# other projects make of it. The recordings here are made by hand, unless a test says otherwise.
load common
load recording

data=$DATA/stackcollapse-aiflame

# recording EVENT DEVICE-LINE…: a recording with a sample of 3 on device 0 and one of 4 on device 1
recording() {
  local event=$1 reason='' number=0 line
  shift
  [ "$event" = gpu-stall ] && reason=$'\t               0 sbid ([stall])\n'
  printf '# gpustall 1\n'
  for line; do
    printf '# device %s\n' "$line"
  done
  printf '\n# slice 1.000000000 1.010000000\n'
  for number in 3 4; do
    printf '\napp 7/7 [00%s]     1.010000000:          %s %s: \n%s\t            1010 k+0x10 (o)\n' \
      $((number - 3)) $number "$event" "$reason"
  done
  printf '\n# end samples 7 launches 0 lost 0\n\n'
}

# unit_of COMMAND…: the line
unit_of() { "$@" 2> err | grep '^# aiflame:'; }

@test "a recording's counts are samples or stalls of the devices' period, gpu-time is ns" {
  recording gpu-clock '0 : opencl-cpu, AMD EPYC, cpu, period 1003009 ns' \
    '1 : opencl-cpu, AMD EPYC, cpu, period 1003009 ns' > clock
  run -0 --separate-stderr stackcollapse-aiflame --gpu-frames=kernel clock
  assert_equal "$output" '# aiflame: event gpu-clock, unit samples, period 1003009 ns
app;[unknown launch];-;k_[G] 7'
  assert_equal "$(unit_of stackcollapse-aiflame "$data/matmul.gpustall")" \
    '# aiflame: event gpu-stall, unit stalls, period 1004 cycles'
  assert_equal "$(unit_of stackcollapse-aiflame --event gpu-time "$data/matmul.gpustall")" \
    '# aiflame: event gpu-time, unit ns, weights measured'
}

@test "the period is that of the devices that are drawn, if it is the same" {
  recording gpu-stall '0 : xe, Arc, period 5 ns, 0000:3d:00.0 tile 0, period 1004 cycles' \
    '1 : xe, Arc B580, 0000:3e:00.0 tile 0, period 502 cycles' '2 : xe, Arc, x, period 7 cycles' > two
  assert_equal "$(unit_of stackcollapse-aiflame two)" '# aiflame: event gpu-stall, unit stalls'
  assert_equal "$(unit_of stackcollapse-aiflame --devices 0 two)" \
    '# aiflame: event gpu-stall, unit stalls, period 1004 cycles'
  assert_equal "$(unit_of stackcollapse-aiflame --devices 1 two)" \
    '# aiflame: event gpu-stall, unit stalls, period 502 cycles'
  # a period that nobody told, and processes that sample one device differently
  recording gpu-stall '0 : xe, Arc, x, period 1004 cycles' > untold
  assert_equal "$(unit_of stackcollapse-aiflame untold)" '# aiflame: event gpu-stall, unit stalls'
  recording gpu-stall '0 : cupti, H200, x, period 1024 cycles' '0 : cupti, H200, x, period 512 cycles' \
    '1 : cupti, H200, x, period 512 cycles' > apart
  assert_equal "$(unit_of stackcollapse-aiflame --devices 0 apart)" \
    '# aiflame: event gpu-stall, unit stalls'
  # each recording has its own devices
  recording gpu-stall '0 : xe, Arc, x, period 502 cycles' '1 : xe, Arc, x, period 502 cycles' > other
  assert_equal "$(unit_of stackcollapse-aiflame other other)" \
    '# aiflame: event gpu-stall, unit stalls, period 502 cycles'
  assert_equal "$(unit_of stackcollapse-aiflame --devices 0 two other)" \
    '# aiflame: event gpu-stall, unit stalls'
}

@test "samples of different periods are not added in silence" {
  for period in 1003009 4000000 5000000; do
    recording gpu-clock "0 : opencl-cpu, x, cpu, period $period ns" \
      "1 : opencl-cpu, x, cpu, period $period ns" > "every$period"
  done
  sed 's/^\(# device 1.*\) 1003009/\1 4000000/' every1003009 > two
  warning() { stackcollapse-aiflame "$@" 2>&1 > out | grep warning; }
  assert_equal "$(warning --devices 0 every1003009 every4000000)" \
    'stackcollapse-aiflame: warning: samples of 1003009 ns and of 4000000 ns are added; fold the recordings one by one to compare them'
  assert_equal "$(sum_of out)" 6
  assert_equal "$(warning two)" \
    'stackcollapse-aiflame: warning: samples of 1003009 ns and of 4000000 ns are added; fold the devices (--devices) one by one to compare them'
  assert_equal "$(warning --devices 0 every5000000 every1003009 every4000000)" \
    'stackcollapse-aiflame: warning: samples of 1003009 ns and of 4000000 ns and others are added; fold the recordings one by one to compare them'
  assert_equal "$(warning every1003009 every1003009)" ''
  assert_equal "$(warning --devices 0 two)" ''
  # as time they are not added as they are
  assert_equal "$(warning --cpu --devices 0 every1003009 every4000000 "$data/cpu.perf-script")" ''
}

@test "no period of a hostile recording gets a digit to the line's end, or a control to its text" {
  for period in '5' '0 ns' '-1 ns' '18446744073709551616 ns' '7 x2' $'7 n\033s' '7 ' '7 ns 9'; do
    recording gpu-clock "0 : x, y, z, period $period" "1 : x, y, z, period $period" > hostile
    assert_equal "$(unit_of stackcollapse-aiflame hostile)" '# aiflame: event gpu-clock, unit samples'
  done
}

@test "perf script text has a line only beside a recording; its event's name says the unit" {
  assert_equal "$(stackcollapse-aiflame "$data/cpu.perf-script")" 'app;main;work 30'
  for unit in cpu-clock=ns task-clock:u=ns cycles:ppp=cycles cpu_core/cycles/u=cycles \
    page-faults=events sched:sched_switch=events; do
    sed "s#cpu-clock#${unit%=*}#" "$data/cpu.perf-script" > text
    assert_equal "$(unit_of stackcollapse-aiflame --event "${unit%=*}" text "$data/matmul.gpustall")" \
      "# aiflame: event ${unit%=*}, unit ${unit#*=}"
  done
  # without periods, each sample counts as one, and with both kinds nobody knows
  sed 's/ [12]0 cpu/ cpu/' "$data/cpu.perf-script" > plain
  assert_equal "$(unit_of stackcollapse-aiflame --event cpu-clock plain "$data/matmul.gpustall")" \
    '# aiflame: event cpu-clock, unit samples'
  cat plain "$data/cpu.perf-script" > both
  assert_equal "$(stackcollapse-aiflame --event cpu-clock both "$data/matmul.gpustall" 2> err)" \
    'app;main;work 32'
}

@test "the device's busy time is each device's, and says how many processes share it" {
  {
    printf '# gpustall 1\n# device 0 : xe, A, x, period 4 cycles\n# device 1 : xe, B, y, period 4 cycles\n'
    # processes that use a device alike share a line, others have one each
    printf '# device 1 : xe, B, y, period 8 cycles\n'
    for n in 1 2 3; do
      printf '\n# launch %s\n\na %s/%s [00%s]     1.000000000:          1 gpu-launch: \n\t 0 k ([kernel])\n' \
        $n $n $n $((n > 1))
    done
    printf '\n# slice 1.000000000 2.000000000\n# launched 1 1 0.250000000\n'
    printf '# launched 2 1 0.900000000\n# launched 3 1 0.841000000\n\n# end samples 0 launches 3 lost 0\n\n'
  } > shared
  stackcollapse-aiflame --stats stats shared > out 2> err
  assert_equal "$(cat err)" "stackcollapse-aiflame: gpu-time: 1.991000000 s of 3 launches, 0 launches lost; device 0 busy 0.250 s of 1.000 s (25.0 %), device 1 busy 1.741 s of 1.000 s (87.0 % each of 2 processes that share it)"
  assert_equal "$(jq -c '[.recorded_seconds, (.devices[] | [.device, .busy_seconds, .processes])]' stats)" \
    '[2,[0,0.25,1],[1,1.741,2]]'
}

@test "--cpu draws both as time: ns of the period, of the launches' time, or of gpu-time" {
  recording gpu-clock '0 : opencl-cpu, x, cpu, period 1000 ns' '1 : opencl-cpu, x, cpu, period 1000 ns' > clock
  assert_equal "$(stackcollapse-aiflame --cpu --gpu-frames=kernel clock "$data/cpu.perf-script" 2> err)" \
    '# aiflame: event gpu-clock+cpu-clock, unit ns
[cpu];app;main;work 30
[device];app;[unknown launch];-;k_[G] 7000'
  grep -q '; drawn as time beside cpu-clock: a sample is 1000 ns; ' err || cat err
  # the rest of a division is not lost, whatever is filtered out
  stackcollapse-aiflame --cpu --stats stats "$data/matmul.gpustall" "$data/cpu.perf-script" > all 2> err
  assert_equal "$(sum_of all)" $((9000000 + 30))
  assert_equal "$(jq -c '[.unit, .device."gpu-stall".samples]' stats)" '["ns",68]'
  stackcollapse-aiflame --cpu --kernels 'multiply_*' "$data/matmul.gpustall" "$data/cpu.perf-script" > some 2> err
  assert_equal "$(sum_of some)" $((65 * 9000000 / 68 + 30))
  assert_equal "$(stackcollapse-aiflame --cpu --event gpu-time "$data/matmul.gpustall" \
    "$data/cpu.perf-script" 2> err | sum_of)" $((9000000 + 30))
}

@test "--cpu weighs each sample by its own device's period, or its device's time" {
  # timed DESCRIPTION0 DESCRIPTION1 TIME0 TIME1: 100 samples and a launch on device 0, 90 on device 1
  timed() {
    printf '# gpustall 1\n# device 0 : %s\n# device 1 : %s\n' "$1" "$2"
    for n in 0 1; do
      printf '\n# launch %s\n\napp 10/10 [00%s]     1.000000000:          1 gpu-launch: \n' $((n + 1)) $n
      printf '\t               0 k%s ([kernel])\n\t          401500 main+0x10 (/app)\n' $n
    done
    printf '\n# slice 1.000000000 2.000000000\n# launched 1 1 %s\n# launched 2 1 %s\n' "$3" "$4"
    printf '# launch 1\n\napp 10/10 [000]     2.000000000:        100 gpu-clock: \n\t 1430 k0+0x3 (o)\n\n'
    printf '# launch 2\n\napp 10/10 [001]     2.000000000:         90 gpu-clock: \n\t 2430 k1+0x3 (o)\n\n'
    printf '# end samples 190 launches 2 lost 0\n\n'
  }
  devices() { stackcollapse-aiflame --cpu --gpu-frames=kernel "$@" "$data/cpu.perf-script" 2> err | grep device; }
  timed 'x, fast, cpu, period 1000000 ns' 'x, slow, cpu, period 10000000 ns' 0.100000000 0.900000000 > periods
  assert_equal "$(devices periods)" '[device];app;main;-;k0_[G] 100000000
[device];app;main;-;k1_[G] 900000000'
  grep -q 'beside cpu-clock: a sample is 1000000 to 10000000 ns, by its device' err || cat err
  # the devices' own times, of which one may have no period
  timed 'x, fast, y, period 4 cycles' 'x, slow, y, period 4 cycles' 0.100000001 0.900000000 > times
  assert_equal "$(devices times)" '[device];app;main;-;k0_[G] 100000001
[device];app;main;-;k1_[G] 900000000'
  timed 'x, fast, y, period 1000 ns' 'x, slow, y' 0.100000001 0.900000000 > mixed
  assert_equal "$(devices mixed)" '[device];app;main;-;k0_[G] 100000
[device];app;main;-;k1_[G] 900000000'
  # recordings have a period each
  sed 's/1000000 ns/3000000 ns/' periods > other
  assert_equal "$(devices --devices 0 periods other)" '[device];app;main;-;k0_[G] 400000000'
  # a device that nobody timed is not drawn by the time of another, unless none of it is drawn
  timed 'x, fast, y, period 4 cycles' 'x, slow, y, period 8 cycles' 0.100000000 - > untimed
  run -1 --separate-stderr stackcollapse-aiflame --cpu untimed "$data/cpu.perf-script"
  assert_equal "$stderr" "stackcollapse-aiflame: option '--cpu': both cannot be drawn as time: gpu-clock counts samples of 8 cycles, and no launch of device 1 has a measured time"
  assert_equal "$(devices --devices 0 untimed)" '[device];app;main;-;k0_[G] 100000000'
}

@test "--cpu says why both cannot be drawn as time, and draws nothing" {
  refused() { # WHY INPUT…
    run -1 --separate-stderr stackcollapse-aiflame --cpu "${@:2}"
    assert_equal "$output" ''
    assert_equal "${stderr_lines[-1]}" \
      "stackcollapse-aiflame: option '--cpu': both cannot be drawn as time: $1"
  }
  local untimed='gpu-stall counts stalls of 1004 cycles, and no launch has a measured time'
  local cycles="cycles:u counts cycles, not time ('perf record -e cpu-clock' counts ns)"
  sed '/^# launched/s/ [0-9.]*$/ -/' "$data/matmul.gpustall" > untimed
  sed 's/cpu-clock/cycles:u/' "$data/cpu.perf-script" > cycles
  refused "$untimed" untimed "$data/cpu.perf-script"
  refused "$cycles" "$data/matmul.gpustall" cycles
  refused "$untimed; $cycles" untimed cycles
  sed 's/ [12]0 cpu/ cpu/' "$data/cpu.perf-script" > plain
  refused "the samples of cpu-clock have no period ('perf script -F +period' prints it)" \
    "$data/matmul.gpustall" plain
  # one side alone keeps its unit
  run -0 --separate-stderr stackcollapse-aiflame --cpu --gpu-frames=kernel untimed
  [ "${lines[0]}" = '# aiflame: event gpu-stall, unit stalls, period 1004 cycles' ]
  [[ ${lines[1]} == '[device];'*' 2' ]]
  run -0 --separate-stderr stackcollapse-aiflame --cpu --kernels none untimed cycles
  assert_equal "$output" '# aiflame: event cycles:u, unit cycles
[cpu];app;main;work 30'
}

@test "without stacks there is no line" {
  assert_equal "$(stackcollapse-aiflame --comms nobody "$data/matmul.gpustall" 2> err)" ''
}

@test "perf.data: cpu-clock counts ns, others events; perf's period where all samples have one" {
  skip_without perf
  skip_unless_samples
  perf record -q -e cpu-clock -c 2000000 -o clock -- sh -c 'while [ $((i += 1)) -lt 100000 ]; do :; done' \
    2> err || skip "perf record: $(tail -n 1 err)"
  assert_equal "$(unit_of stackcollapse-aiflame clock)" \
    '# aiflame: event cpu-clock, unit ns, period 2000000 ns'
  [ "$(stackcollapse-aiflame clock | head -n 1)" = "$(unit_of stackcollapse-aiflame clock)" ]
  perf script -i clock > text 2> err
  stackcollapse-aiflame clock | stacks | diff - <(stackcollapse-aiflame text)
  perf record -q -e page-faults -c 1 -o faults -- ls > out 2> err
  assert_equal "$(unit_of stackcollapse-aiflame faults)" '# aiflame: event page-faults, unit events'
}

@test "flamegraph.pl and difffolded.pl count the same with the line and without" {
  skip_without flamegraph.pl 'flamegraph.pl is not on PATH'
  skip_without difffolded.pl 'difffolded.pl is not on PATH'
  stackcollapse-aiflame "$data/matmul.gpustall" > with 2> err
  stacks with > without
  sed 's/ 57$/ 40/' with > after
  for file in with without; do
    flamegraph.pl "$file" 2> "$file.err" | grep -o '<title>.*</title>' | sort > "$file.titles"
  done
  diff with.titles without.titles
  [ "$(grep -v low with.err)" = 'Ignored 1 lines with invalid format' ]
  stacks after > plain
  for options in '' -n -s; do
    difffolded.pl $options without plain | sort > expected
    # its line for what it cannot read: no frames, no counts
    difffolded.pl $options with after 2> err | grep -vxF ' 0 0' | sort | diff expected -
    difffolded.pl $options with after 2> err | flamegraph.pl 2> err | grep -o '<title>all.*</title>' |
      diff - <(difffolded.pl $options without plain | flamegraph.pl 2> err | grep -o '<title>all.*</title>')
  done
}
