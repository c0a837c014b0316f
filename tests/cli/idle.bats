# SPDX-License-Identifier: MIT
# Idle time, copies and waits in recordings: what agents report of them, and what
# stackcollapse-aiflame makes of it. The planted causes are those of tests/demo/idle_causes.cc.
# shellcheck disable=SC2154 # Bats sets $output and $stderr
load common
load recording

setup() { setup_demo; }

# recording TEXT…: a recording in r of two kernels, a copy and a wait, with these lines in its slice
recording() {
  printf '%s\n' '# gpustall 1' '# launch 1' '' 'app 7/7 [000]  1.000000000:          1 gpu-launch: ' \
    $'\t               0 gemm ([kernel])' $'\t             100 launch+0x0 (/app)' '' '# launch 2' '' \
    'app 7/7 [000]  1.000000000:          1 gpu-launch: ' \
    $'\t               0 Memcpy HtoD (4 to 64 KiB) ([operation])' $'\t             200 load+0x0 (/app)' '' \
    '# launch 3' '' 'app 7/7 [000]  1.000000000:          1 gpu-call: ' \
    $'\t             300 clFinish+0x0 (/lib/libOpenCL.so.1)' $'\t             400 sync+0x0 (/app)' '' \
    '# slice 1.000000000 1.010000000' "$@" > r
}

# idle OPTION…: what is drawn of r, without the line that says what counts are; messages in said
idle() { stackcollapse-aiflame "$@" r 2> said | grep -v '^# '; }

@test "each moment of a device is drawn once, idle time under its cause" {
  recording '# launched 1 2 0.000005000' '# launched 2 1 0.000003000' '# hidden 2 0.000001000' \
    '# waited 3 1 0.000009000' '# waited 2 1 0.000000004' '# idle 0 before 1 1 0.000000100' \
    '# idle 0 waits 3 2 0.000000020' '# idle 0 copies 2 1 0.000000030' '# idle 0 latency 1 1 0.000000040' \
    '# idle 0 runtime 1 1 0.000000050' '# idle 0 host 1 1 0.000000060' '# idle 0 untraced 1 1 0.000000070' \
    '# idle 0 after ? 1 0.000000200' '# end samples 0 launches 3 lost 0' ''
  run -0 idle --idle
  assert_equal "$output" '[gpu idle];[host busy];[next launch];app;launch 60
[gpu idle];[host copies];app;load 30
[gpu idle];[host waits for the device];app;sync;clFinish 20
[gpu idle];[in the runtime];app;launch 50
[gpu idle];[launch latency];app;launch 40
[gpu idle];[untraced];[next launch];app;launch 70
app;launch;-;jit_[G];gemm_[G] 5000
app;load;-;Memcpy HtoD (4 to 64 KiB)_[G] 2000'
  assert_equal "$(head -1 said)" "stackcollapse-aiflame: device 0: 7.270 us: 5.000 us computation, \
0.000 us exposed communication, 2.000 us exposed copies, 0.270 us idle"
  grep -q 'gpu-time: 0.000008000 s of 3 launches, 0 launches lost, 0.000001000 s beside other work;' said
  run -0 idle --idle --outside
  [ "$(grep -c . <<< "$output")" -eq 10 ]
  [[ $output = *'[after the last] 200'*'[before the first];[next launch];app;launch 100'* ]]
  run -0 idle --event gpu-time --exposed
  assert_equal "$output" '[exposed];app;load;-;Memcpy HtoD (4 to 64 KiB)_[G] 2000
[hidden];app;load;-;Memcpy HtoD (4 to 64 KiB)_[G] 1000
app;launch;-;jit_[G];gemm_[G] 5000'
  run -0 idle --event gpu-wait
  assert_equal "$output" 'app;load 4
app;sync;clFinish 9000'
  grep -q 'gpu-wait: 0.000009004 s in 2 calls; ' said
  # idle time is of no kernel
  run -0 idle --idle --kernels gemm
  assert_equal "$output" 'app;launch;-;jit_[G];gemm_[G] 5000'
  stackcollapse-aiflame --idle --root rank r 2>&1 | grep -q '^\[unknown rank\];\[gpu idle\];\[host copies\];app;load 30$'
}

@test "a function of the host is no work: it is drawn beside it, or as idle time, and has no samples" {
  recording '# launch 4' '' 'app 7/7 [000]  1.000000000:          1 gpu-launch: ' \
    $'\t               0 Host function ([operation])' $'\t             500 notify+0x0 (/app)' '' \
    '# launched 1 2 0.000005000' '# launched 2 1 0.000003000' '# launched 4 3 0.000009000' \
    '# hidden 2 0.000001000' '# hidden 4 0.000009000' '# idle 0 function 4 3 0.000007000' \
    '# idle 0 unheard-of 4 1 0.000001000' '# launch ?' '' \
    'app 7/7 [000]  1.000000000:         40 gpu-stall: ' $'\t               0 [driver kernel] ([kernel])' '' \
    '# end samples 40 launches 6 lost 0' ''
  run -0 idle --event gpu-time
  assert_equal "$output" 'app;launch;-;jit_[G];gemm_[G] 5000
app;load;-;Memcpy HtoD (4 to 64 KiB)_[G] 3000
app;notify;-;Host function_[G] 9000'
  # the device worked for 8 of 10 000 microseconds
  grep -q 'busy 0.000 s of 0.010 s (0.1 %)' said
  run -0 idle --idle --exposed
  assert_equal "$output" '[exposed];app;load;-;Memcpy HtoD (4 to 64 KiB)_[G] 2000
[gpu idle];[host function];app;notify 7000
app;launch;-;jit_[G];gemm_[G] 5000'
  assert_equal "$(head -1 said)" "stackcollapse-aiflame: device 0: 14.000 us: 5.000 us computation, \
0.000 us exposed communication, 2.000 us exposed copies, 7.000 us idle"
  grep -q ', 0.000001000 s beside other work;' said
  # the driver's own kernels may be the copy's, and not the function's
  run -0 idle --event gpu-stall
  assert_equal "$output" 'app;load;-;[driver kernel]_[G] 40'
}

@test "where too few launches have times, no time is called idle" {
  recording '# launched 1 9 0.000005000' '# idle 0 latency 1 1 0.000000040' '# end samples 0 launches 9 lost 0' ''
  local whole text
  whole=$(< r)
  run -0 idle --idle
  [[ $output = '[gpu idle]'* ]]
  for text in '# launched 1 2 -' '# app 7/7 [000]  1.0: PERF_RECORD_LOST lost 2 gpu-launch' \
    '# [device] 0/0 [000]  1.0: PERF_RECORD_LOST lost ? gpu-launch' '# idle 0 unplaced 1 1 0.000000100'; do
    printf '%s\n' "${whole/'# end samples 0 launches 9'*/}$text" '' > r
    run -0 idle --idle
    assert_equal "$output" '[not recorded] 40
app;launch;-;jit_[G];gemm_[G] 5000'
    grep -q 'launched kernels are recorded (.*): time without records is not called idle$' said
    grep -q ' 0.040 us not recorded$' said
  done
  # copies of no bytes leave no record: they do not count
  printf '%s\n' "${whole/'# end samples 0 launches 9'*/}# launched 2 5 -" '' > r
  run -0 idle --idle
  [[ $output = '[gpu idle]'* ]]
}

@test "a recording that does not tell is an error, as are options that do not fit" {
  recording '# launched 1 9 0.000005000' '# end samples 0 launches 9 lost 0' ''
  run -1 --separate-stderr stackcollapse-aiflame --idle r
  assert_equal "$stderr" \
    "stackcollapse-aiflame: option '--idle': no recording tells what its devices did at each moment"
  [ -z "$output" ]
  run -1 --separate-stderr stackcollapse-aiflame --exposed --event gpu-time r
  assert_equal "$stderr" \
    "stackcollapse-aiflame: option '--exposed': no recording tells what its devices did at each moment"
  assert_usage_error stackcollapse-aiflame --outside r
  assert_usage_error stackcollapse-aiflame --idle --event gpu-stall r
  recording '# hidden 4 1.0' ''
  run -1 --separate-stderr stackcollapse-aiflame r
  [[ $stderr = 'stackcollapse-aiflame: r:21: launch 4 is not known' ]]
  # a call launches nothing
  recording '# launched 3 1 1.0' ''
  run -1 --separate-stderr stackcollapse-aiflame r
  [[ $stderr = 'stackcollapse-aiflame: r:21: launch 3 is not known' ]]
  recording '# launch 3' '' 'app 7/7 [000]  1.000000000:          1 gpu-launch: ' ' 0 k ([kernel])' ''
  run -1 --separate-stderr stackcollapse-aiflame r
  [[ $stderr = 'stackcollapse-aiflame: r:23: launch 3 is defined both as gpu-launch and as gpu-call' ]]
  recording '# launched 1 1 0.000005000' '# hidden 1 0.000006000' '# idle 0 waits 3 1 0.000000020' ''
  run -0 idle --idle
  grep -q 'warning: 0.000001000 s of hidden time are of no launch that is drawn' said
}

# shares FOLDED: CAUSE NANOSECONDS of each cause, and of kernels and copies
shares() {
  awk '/^#/ { next }
    /^\[gpu idle\];\[host waits for the device\]/ && /;waits_for_event;/ { n["waits"] += $NF }
    /^\[gpu idle\];\[host copies\]/ { n["copies"] += $NF }
    /^\[gpu idle\];\[launch latency\]/ && /;launches_late;/ { n["latency"] += $NF }
    /^\[gpu idle\];\[in the runtime\]/ && /;compiles;clBuildProgram/ { n["runtime"] += $NF }
    /^\[gpu idle\];\[host busy\]/ { n["host"] += $NF }
    !/^\[/ { n[/;Memcpy / ? "copying" : "kernels"] += $NF }
    { n["window"] += $NF }
    END { for (key in n) printf "%s %.0f\n", key, n[key] }' "$1"
}

# differences CLOCK FOLDED: the causes whose shares of the window differ by a point and more
differences() {
  awk 'NR == FNR { clock[$1] = $2; next } { drawn[$1] = $2 }
    END { for (key in clock) {
        off = 100 * (drawn[key] / drawn["window"] - clock[key] / clock["window"])
        if (off >= 1 || off <= -1) printf "%s %.2f\n", key, off
      }
      off = drawn["window"] - clock["window"]
      if (off > 1000 || off < -1000) print "window", off }' "$1" <(shares "$2")
}

@test "planted causes have the shares that the program's own clock says" {
  for _ in 1 2 3; do # another program may take the processor between two of its own readings
    gpustall-record --sampling off -o r -- "$DEMO/idle_causes" 3 2> /dev/null > clock
    grep -q '^window ' clock
    idle --idle > folded
    differences clock folded > off
    [ -s off ] || break
    cat clock off >&2
  done
  [ ! -s off ]
  # the parts add up, and each wait has its time
  assert_equal "$(sed -n 's/.*device 0: \([0-9]*\)\.\([0-9]*\) us: .*/\1\2/p' said)" "$(sum_of folded)"
  idle --event gpu-wait > waits
  grep -q ';waits_for_event;clWaitForEvents ' waits
  grep -q ';copies_late;clEnqueueWriteBuffer ' waits
  # what is written again is the same
  gpustall-record --source replay --input r > again
  cmp r again
  gpustall-record --source replay --input r --overwrite -o part 2> /dev/null
  stackcollapse-aiflame --idle part 2> /dev/null | grep -v '^# ' | cmp - folded
}

@test "copies, fills and mappings are launches with a direction and a class of size" {
  gpustall-record --sampling off -o r -- "$DEMO/idle_causes" --operations 2> err
  assert_equal "$(launches | awk '{ $NF = ""; print }' | grep ^Mem | sed 's/ *$//; s/ operations$//' | sort)" \
    'Memcpy (SVM, under 4 KiB) clEnqueueSVMMemcpy
Memcpy DtoD (under 4 KiB) clEnqueueCopyBuffer
Memcpy DtoH (64 KiB to 1 MiB) clEnqueueReadBufferRect
Memcpy DtoH (map, under 4 KiB) clEnqueueMapBuffer
Memcpy DtoH (map, under 4 KiB) clEnqueueSVMMap
Memcpy DtoH (under 4 KiB) clEnqueueReadBuffer
Memcpy HtoD (4 to 64 KiB) clEnqueueWriteBuffer
Memcpy HtoD (unmap) clEnqueueSVMUnmap
Memcpy HtoD (unmap) clEnqueueUnmapMemObject
Memset (SVM, under 4 KiB) clEnqueueSVMMemFill
Memset (under 4 KiB) clEnqueueFillBuffer'
  grep -q '^# end samples 0 launches 11 lost 0$' r
  # only calls that block are waits
  idle --event gpu-wait > waits
  assert_equal "$(sed 's/.*;//; s/ [0-9]*$//' waits | sort)" 'clEnqueueReadBuffer
clFinish'
}

@test "CPU samples say what the host did while the device was idle" {
  perf record -q -k CLOCK_MONOTONIC -e cpu-clock -F 4000 -g -o cpu.data -- gpustall-record --sampling off -o r \
    -- "$DEMO/idle_causes" --computes > clock 2> err || skip "perf record fails here: $(head -n 1 err)"
  idle --idle > plain
  stackcollapse-aiflame --idle r cpu.data 2> said | grep -v '^# ' > drawn
  local shared asked
  read -r shared asked < <(sed -n 's/.*\[host busy\]: \([0-9.]*\) of \([0-9.]*\) s apportioned by CPU samples (cpu-clock), slice by slice/\1 \2/p' said)
  # the same time, all of it: a nanosecond is the least
  assert_equal "$(sum_of drawn)" "$(sum_of plain)"
  assert_equal "$(grep -v 'host busy' drawn)" "$(grep -v 'host busy' plain)"
  assert_equal "$(grep -c 'host busy' plain)" "$(grep -c 'host busy.*next launch' plain)"
  awk -v shared="$shared" -v asked="$asked" -v host="$(awk '$1 == "host" { print $2 }' clock)" '
    /\[host busy\];\[next launch\]/ { left += $NF; next }
    /\[host busy\]/ { given += $NF; if (/clock_gettime|computes/) own += $NF }
    END {
      off = given / 1e9 - shared; all = (given + left) / 1e9 - asked
      exit !(given > 0 && own > 0.9 * given && given <= 1.01 * host && off^2 < 1e-12 && all^2 < 1e-12)
    }' drawn
  # samples of another clock are of no use
  perf record -q -e cpu-clock -F 1000 -g -o other.data -- awk 'BEGIN { while (i < 3000000) ++i }'
  stackcollapse-aiflame --idle r other.data 2> said | grep -v '^# ' | diff - plain
  grep -qF "hint: CPU samples of cpu-clock with times of CLOCK_MONOTONIC say what the host did" said
}

@test "a host that sleeps has no CPU samples" {
  perf record -q -k CLOCK_MONOTONIC -e cpu-clock -F 4000 -g -o cpu.data -- gpustall-record --sampling off -o r \
    -- "$DEMO/idle_causes" 2 > clock 2> err || skip "perf record fails here: $(head -n 1 err)"
  stackcollapse-aiflame --idle r cpu.data 2> said | grep -v '^# ' > drawn
  # it slept for 120 ms; what runs before and after are some 100 us
  awk '/host busy.*next launch/ { left += $NF } /host busy/ { all += $NF } END { exit !(left > 0.8 * all) }' drawn
}

@test "OpenCL devices that say their PCI address have times of their own, in a forked child too" {
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
  # the devices and functions of the launches' stacks, of two processes
  launches_on() {
    gpustall-record --sampling off -o r -- python3 "$AIFLAME_ROOT/tests/demo/cl_devices.py" 5 2> err
    grep -qx '# end samples 0 launches 30 lost 0' r
    awk '/ gpu-launch: $/ { device = $3 } /py::on_/ && device != "" { sub(/:\/.*/, "", $2); print device, $2; device = "" }' r |
      sort | uniq -c | sed 's/^ *//'
    idle --idle > folded
  }
  OPENCL_NULL_DEVICES=2 run -0 launches_on
  assert_equal "$output" '2 [000] py::on_first
4 [001] py::on_second'
  [ "$(grep -c '^stackcollapse-aiflame: device [01]: ' said)" = 2 ]
  # without a place all are the recorder's first one
  run -0 launches_on
  assert_equal "$output" '2 [000] py::on_first
4 [000] py::on_second'
  [ "$(grep -c '^stackcollapse-aiflame: device [01]: ' said)" = 1 ]
}
