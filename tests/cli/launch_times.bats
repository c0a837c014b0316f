# SPDX-License-Identifier: MIT
# gpustall-record --launch-times: CUDA's launches without CUPTI, on the stand-ins of
# tests/fakes/cupti. Nothing here has run on a GPU.
# shellcheck disable=SC2030,SC2031 # each test has its own variables
load common
load await
load recording
load cuda

setup() { setup_cuda; }

# record HOW [OPTION...] MODE COUNT: records the program into r
record() {
  recorder --launch-times="$1" -o r "${@:2:$#-3}" -- "$program" "${@:$#-1}" "$one" "$other" 2> err
}

@test "another profiler has CUPTI, also by its older interface, and we the launches" {
  record cupti kineto 20 > out
  assert_equal "$(cat out)" 'the other is answered 39
it sees 0 calls, 0 kernels
done'
  assert_equal "$(at_end launches)" 100
  local how
  for how in off events; do
    record $how kineto 20 > out
    assert_equal "$(cat out)" 'the other is answered 0
it sees 200 calls, 100 kernels
done'
    assert_equal "$(at_end launches) $(at_end lost)" '100 0'
  done
  FAKE_CUPTI=version=130300 record off alone-first 20 > out
  assert_equal "$(sed -n 2p out) $(at_end launches)" 'it sees 200 calls, 100 kernels 100'
}

@test "off: launches have names, sizes and stacks, and no time" {
  record off launches 20 > out
  assert_equal "$(cat out)" done
  assert_equal "$(launches)" '_Z3addPfPKf cuLaunchKernel launch_inside __cudaLaunchKernel run_once 20
scale cuLaunchKernel launch_inside __cudaLaunchKernel run_once 20
scale cuLaunchKernel launch_inside __cudaLaunchKernel run_thrice 60'
  assert_equal "$(awk '/^# launched/ { print $5 }' r | sort -u)" -
  assert_equal "$(awk '/^# size/ { $3 = "N"; print }' r | sort -u)" '# size N items 100x1x1 group 1x1x1
# size N items 200x1x1 group 1x1x1'
  grep -qx '# launches by : driver calls, without times' r
  assert_equal "$(grep -c CUPTI err)" 1
  grep -q "source 'cupti': --launch-times=off leaves CUPTI alone" err
  # where no launch has a time, the launches themselves are drawn
  stackcollapse-aiflame r 2> said | sed 's/.*[;:]\(run_[a-z]*\);.*;/\1 /' > folded
  assert_equal "$(grep -v '^# aiflame-' folded)" \
    '# aiflame: event gpu-launch, unit launches, weights measured
run_once add_[G] 20
run_once scale_[G] 20
run_thrice scale_[G] 60'
  grep -q ': gpu-launch: 100 launches, 0 lost$' said
}

@test "each way to the driver: its symbols, the runtime's lookups, libraries' kernels, a driver without names" {
  record off functions 1
  # the runtime's launches all come to the driver's function that it has looked up
  assert_equal "$(launches)" 'scale cuLaunchCooperativeKernel 1
scale cuLaunchKernel 1
scale cuLaunchKernel launch_inside __cudaLaunchKernel 1
scale cuLaunchKernel launch_inside cudaLaunchCooperativeKernel 1
scale cuLaunchKernel launch_inside cudaLaunchKernel 1
scale cuLaunchKernel launch_inside cudaLaunchKernelExC 1
scale cuLaunchKernelEx 1
scale cuLaunchKernel_ptsz 1
scale cuLaunchKernel_ptsz launch_inside __cudaLaunchKernel_ptsz 1'
  record off libraries 5
  assert_equal "$(launches)" 'scale cuLaunchKernel launch_inside __cudaLaunchKernel run_once 5
scale cuLaunchKernel launch_inside __cudaLaunchKernel run_other 5'
  FAKE_CUPTI=no_names=1 record off launches 1
  assert_equal "$(launches | cut -d' ' -f 1-3 | sort -u)" '[unknown kernel] cuLaunchKernel'
  assert_equal "$(at_end launches)" 5
}

@test "graphs are launched as one, what is captured is no launch, nor is one that failed" {
  record off graphs 10
  assert_equal "$(launches)" '[cuda graph] cuGraphLaunch cudaGraphLaunch launch_graph 10'
  record off captured-graphs 5
  assert_equal "$(launches)" '[cuda graph] cuGraphLaunch cudaGraphLaunch launch_graph 5
[cuda graph] cuGraphLaunch cudaGraphLaunch launch_other_graph 5'
  record off fails 1 > out
  assert_equal "$(cat out)" '400
0
done'
  assert_equal "$(at_end launches) $(at_end lost)" '1 0'
}

# about LEAST MOST: the device time of the launches in r, in microseconds
about() {
  awk -v least="$1" -v most="$2" '/^# launched/ { us += $5 * 1e6 }
    END { printf "%.0f us\n", us; exit us < least || us > most }' r
}
untimed() { awk '/^# launched/ && $5 == "-" { n += $4 } END { print n + 0 }' r; }

@test "events: launches have their device time, and the gaps before them, and the recording says so" {
  record events launches 200 > out
  assert_equal "$(cat out) $(at_end launches) $(untimed)" 'done 1000 0'
  # kernels of 120 ms that keep the device busy, but for the begin and where the program is late
  about 120000 150000
  grep -qx '# launches by : driver calls, times by events (an estimate)' r
  stackcollapse-aiflame r > folded 2> err
  grep -q 'gpu-time: 0.1[2-4][0-9]* s of 1000 launches' err
  # each caller has its own, in nanoseconds
  of() { awk -v f="$1" -v kernel="$2" 'index($0, f) && index($0, kernel) { n += $NF } END { printf "%.0f\n", n / 1e6 }' folded; }
  [ "$(of run_once 'add_[G]')" -ge 40 ] && [ "$(of run_once 'add_[G]')" -le 55 ]
  [ "$(of run_thrice 'scale_[G]')" -ge 60 ] && [ "$(of run_thrice 'scale_[G]')" -le 75 ]
  # where they ran is estimated: not all at once, in a device that was busy from the begin to the end
  [[ $(sed -n 's/.*device 1 busy .*(\([0-9]*\)\..*%).*/\1/p' err) -ge 30 ]]
}

@test "events: graphs, threads, devices, functions, and a context that is destroyed" {
  record events graphs 10
  assert_equal "$(launches) $(untimed)" '[cuda graph] cuGraphLaunch cudaGraphLaunch launch_graph 10 0'
  about 4000 20000
  record events threads 100
  assert_equal "$(at_end launches) $(untimed)" '400 0'
  # another thread may launch between a launch and the event before it
  about 4000 60000
  record events devices 10
  assert_equal "$(at_end launches) $(untimed)" '20 0'
  about 4000 20000
  record events functions 1
  assert_equal "$(at_end launches) $(untimed)" '9 0'
  # the stand-in ends a program that asks an event of such a context
  record events same_device 20 > out
  assert_equal "$(cat out) $(at_end launches)" 'done 60'
  about 4000 40000
  record events drops 5 > out
  assert_equal "$(cat out) $(at_end launches) $(untimed)" 'done 10 5'
  about 500 20000
  # what still runs when the program ends has no time
  record events leaves 20
  assert_equal "$(at_end launches) $(at_end lost)" '40 0'
  about 2000 20000
}

@test "events: what is captured has none, a launch that failed is none, and without events there is no time" {
  # the stand-in ends a program that asks or records events in a capture
  record events captured-graphs 5
  assert_equal "$(launches) $(untimed)" '[cuda graph] cuGraphLaunch cudaGraphLaunch launch_graph 5
[cuda graph] cuGraphLaunch cudaGraphLaunch launch_other_graph 5 0'
  record events fails 1
  assert_equal "$(at_end launches) $(at_end lost)" '1 0'
  record events forks 1
  assert_equal "$(at_end launches) $(untimed)" '2 0'
  FAKE_CUPTI=no_events=1 record events launches 5
  assert_equal "$(at_end launches) $(untimed)" '25 25'
  assert_equal "$(grep -c 'some launches have no time: there was no event for them' err)" 1
}

@test "events: launches that wait in a queue have their times, and none holds up the program's end" {
  record events busy 300
  assert_equal "$(at_end launches)" 300
  about 150000 310000
  record events cost 6000
  assert_equal "$(at_end launches) $(at_end lost)" '6000 0'
}

@test "threads, devices, forks, ranges, and several programs" {
  record off threads 100
  assert_equal "$(at_end launches) $(launchers | wc -l)" '400 4'
  record off forks 1
  assert_equal "$(at_end launches) $(at_end lost)" '2 0'
  record off devices 3
  assert_equal "$(awk '/gpu-launch:/ { print $3 }' r | sort -u | wc -l)" 2
  record off --ranges ranges 2
  assert_equal "$(launches)" '_Z3addPfPKf cuLaunchKernel layer 1 forward launch_inside __cudaLaunchKernel run_once 2
scale cuLaunchKernel forward launch_inside __cudaLaunchKernel run_once 2
scale cuLaunchKernel launch_inside __cudaLaunchKernel run_once 2'
  recorder --launch-times=off -o r -- sh -c '"$0" launches 1 "$1" & "$0" launches 2 "$1"; wait' \
    "$program" "$one" 2> err
  assert_equal "$(at_end launches) $(launchers | wc -l)" '15 2'
}

@test "a program without CUDA does not notice the agent in it" {
  skip_without python3
  # shellcheck disable=SC2016
  recorder --launch-times=off -o r -- python3 -c '
import ctypes
own = ctypes.CDLL(None)
print(hasattr(own, "cuInit"), hasattr(own, "cuLaunchKernel"), hasattr(own, "getpid"))
own.dlsym.restype = ctypes.c_void_p
print(own.dlsym(ctypes.c_void_p(-1), b"cuInit"), own.dlsym(None, b"cuGetProcAddress_v2"))' \
    > out 2> err
  assert_equal "$(cat out)" 'False False True
None None'
}

@test "what only CUPTI tells does not go with it, and it is for programs that are started" {
  refused() { # MESSAGE OPTION…
    run -125 --separate-stderr recorder --launch-times=off "${@:2}"
    [[ $stderr == *": --launch-times=off $1"* ]]
  }
  refused 'takes no samples: not with --source cupti, --sampling or --duty' --source cupti true
  refused 'takes no samples: not with --source cupti, --sampling or --duty' --sampling exact true
  refused 'takes no samples: not with --source cupti, --sampling or --duty' --duty 10 true
  refused 'tells launches alone: not with --memory or --graph-dot' --memory true
  refused 'tells launches alone: not with --memory or --graph-dot' --graph-dot file true
  refused 'is for the agent of a command, or for --print-env' -p $$
  refused 'is for the agent of a command, or for --print-env' --launch-stacks=off true
  run -125 --separate-stderr recorder --launch-times=often true
  [[ $stderr == *"option '--launch-times': not cupti, events or off"* ]]
  recorder --launch-times=off --sampling=off -o r -- true
}

@test "--print-env names the agent, and a user's preloaded library stays" {
  mkdir -m 700 agents
  gpustall-record --print-env --listen agents --launch-times=off --ranges > variables
  assert_equal "$(grep -c "^LD_PRELOAD=$AIFLAME_BUILD/libexec/aiflame/cuda-agent.so$" variables)" 1
  grep -q "^NVTX_INJECTION64_PATH=.*/cuda-agent.so$" variables
  run ! grep -q cupti variables
  # shellcheck disable=SC2016
  recorder --launch-times=off -o r -- sh -c 'echo "$LD_PRELOAD"' > out 2> err
  assert_equal "$(cat out)" \
    "$AIFLAME_BUILD/tests/cuda/libnvidia-files.so:$AIFLAME_BUILD/libexec/aiflame/cuda-agent.so"
}

@test "a build without the agent says so, and starts nothing" {
  mkdir there
  ln -s "$AIFLAME_BUILD"/libexec/aiflame/* there
  rm there/cuda-agent.so
  run -125 --separate-stderr recorder --plugin-dir there --launch-times=events -o r -- touch started
  [[ $stderr == *": --launch-times=events: the agent 'cuda-agent.so' is not in 'there'" ]]
  [ ! -e started ]
  recorder --plugin-dir there -o r -- true 2> err
}

@test "a program that lost the agent on its way is named" {
  skip_unless_samples
  skip_without python3
  mkfifo ready never
  recorder --launch-times=off -o r -- sh -c 'env -u LD_PRELOAD python3 -c "
import ctypes
ctypes.CDLL(\"$0\")
open(\"ready\", \"w\").close()
open(\"never\").close()" & cat ready' "$AIFLAME_BUILD/tests/cuda/libcuda.so.1" 2> err
  release never
  grep -q 'hint: python3 ([0-9]*) loaded CUDA, but not its agent: LD_PRELOAD had been changed' err
}

@test "the agent shows the program the calls whose place it takes, and nothing else" {
  local agent=$AIFLAME_BUILD/libexec/aiflame/cuda-agent.so
  assert_equal "$(nm -D --defined-only "$agent" | cut -d' ' -f3 | tr '\n' ' ')" \
    'InitializeInjectionNvtx2 cuCtxDestroy cuCtxDestroy_v2 cuCtxSynchronize cuCtxSynchronize_v2 cuDevicePrimaryCtxRelease cuDevicePrimaryCtxRelease_v2 cuDevicePrimaryCtxReset cuDevicePrimaryCtxReset_v2 cuEventSynchronize cuGetProcAddress cuGetProcAddress_v2 cuGraphLaunch cuGraphLaunch_ptsz cuGreenCtxDestroy cuInit cuLaunchCooperativeKernel cuLaunchCooperativeKernel_ptsz cuLaunchKernel cuLaunchKernelEx cuLaunchKernelEx_ptsz cuLaunchKernel_ptsz cuStreamSynchronize cuStreamSynchronize_ptsz dlsym '
  run ! grep -q 'libcuda\|libcupti\|libstdc' <(readelf -d "$agent")
}
