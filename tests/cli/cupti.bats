# SPDX-License-Identifier: MIT
# The CUPTI agent and the source cupti, on stand-ins for CUDA's driver, CUPTI and a GPU
# (tests/fakes/cupti), with the cubins of tests/data/cubin/demo. Nothing here has run on a GPU.
# shellcheck disable=SC2030,SC2031 # each test has its own variables
load common
load await
load recording
load cuda

setup() { setup_cuda; }

# record [OPTION...] MODE COUNT: records the program into r
record() { recorder --source cupti -o r "${@:1:$#-2}" -- "$program" "${@:$#-1}" "$one" "$other" 2> err; }

@test "the source lists its GPUs, and why some cannot be recorded" {
  run -0 --separate-stderr recorder --list
  [[ $output == *'
  device 0: NVIDIA Stand-in, 0000:3d:00.0
'* ]]
  rm -r "$FAKE_NVIDIA/dev/nvidiactl" "$FAKE_NVIDIA/proc/driver"
  mkdir -p "$FAKE_NVIDIA/sys/bus/pci/devices/0000:3d:00.0"
  echo 0x10de > "$FAKE_NVIDIA/sys/bus/pci/devices/0000:3d:00.0/vendor"
  echo 0x030200 > "$FAKE_NVIDIA/sys/bus/pci/devices/0000:3d:00.0/class"
  run -0 --separate-stderr recorder --list
  [[ $output == *"
  device 0: NVIDIA GPU, 0000:3d:00.0: NVIDIA's driver is not loaded"* ]]
  rm -r "$FAKE_NVIDIA/sys/bus/pci/devices/0000:3d:00.0"
  run -0 --separate-stderr recorder --list
  [[ $output == *"
  source 'cupti': no NVIDIA GPU on this machine
"* ]]
}

@test "the source is the default where there is a GPU, and only where there is an agent" {
  recorder -o r -- "$program" launches 3 "$one" > out 2> err
  grep -q '^# device 0 : cupti, NVIDIA Stand-in, 0000:3d:00.0, period 2048 cycles$' r
  run -125 --separate-stderr recorder --source cupti -p $$
  [[ $stderr == *"source 'cupti': its samples come from its agent: record a command, or a program that was started with the variables of --print-env" ]]
  run -125 --separate-stderr recorder --source cupti -F 100 --launch-stacks off -- true
  [[ $stderr == *'--period instead of -F' ]]
  run -125 --separate-stderr recorder --source cupti --period 1000 --launch-stacks off -- true
  [[ $stderr == *'a period is a power of two from 32 to 2147483648 cycles' ]]
}

@test "options for this source only, and the agent that it needs" {
  run -125 --separate-stderr recorder --source opencl-cpu --sampling=exact -- true
  [[ $stderr == *"--sampling and --duty are not for source 'opencl-cpu'"* ]]
  run -125 --separate-stderr recorder --sampling=often -- true
  [[ $stderr == *"option '--sampling': not continuous, exact or off"* ]]
  local percent
  for percent in 0 101; do
    run -125 --separate-stderr recorder --duty "$percent" -- true
    [[ $stderr == *"option '--duty': not from 1 to 100"* ]]
  done
  run -125 --separate-stderr recorder --source cupti --launch-stacks=off -- true
  [[ $stderr == *"source 'cupti': its samples come from its agent: --launch-stacks=agent" ]]
}

@test "launches are counted once, with their callers, and the program's output is unchanged" {
  record launches 20 > out
  assert_equal "$(cat out)" done
  assert_equal "$(launches)" '_Z3addPfPKf __cudaLaunchKernel run_once 20
scale __cudaLaunchKernel run_once 20
scale __cudaLaunchKernel run_thrice 60'
  assert_equal "$(at_end launches)" 100
}

@test "the size of each launch: blocks of threads, from the call's arguments or its configuration" {
  record functions 1
  # of the runtime's calls and of one of the driver's; what a call does not say is unknown
  assert_equal "$(awk '/^# size/ { $3 = "N"; print }' r | sort -u)" \
    '# size N items 10x1x1 group 1x1x1
# size N items 640x2x1 group 64x2x1 local 4096'
  stackcollapse-aiflame r 2> /dev/null > folded
  assert_equal "$(awk '/^# aiflame-launch/ { sub(",", "", $4); n += $4 } END { print n }' folded)" \
    "$(at_end launches)"
  grep '^# aiflame-launch: launches [0-9]*, items 640x2x1, group 64x2x1, local 4096, registers ' folded
}

@test "samples are those that CUPTI had, each reason once, without its twin" {
  record launches 20
  # 100 us for each of 80 launches of scale, 200 us for each of 20 of add, one sample per us
  assert_equal "$(stalled)" 'long_scoreboard _Z3addPfPKf+0x10 2800
long_scoreboard scale+0x10 5600
selected _Z3addPfPKf+0x20 800
selected scale+0x20 1600
wait _Z3addPfPKf+0x20 400
wait scale+0x20 800'
  assert_equal "$(at_end samples) $(at_end lost)" '12000 0'
  # the other family of reason names
  FAKE_CUPTI='family=1' record launches 1
  assert_equal "$(stalled | cut -d' ' -f1 | sort -u | tr '\n' ' ')" 'long_scoreboard selected wait '
}

@test "callers share a kernel's samples by device time, and no sample is lost" {
  record launches 100
  stackcollapse-aiflame r > folded 2> err
  assert_equal "$(sum_of folded)" 60000
  # between them the mnemonic, if it is one that is known without nvdisasm
  grep -qE '__cudaLaunchKernel;-;kernels.cu_\[G\];scale_\[G\];([A-Z0-9.]+_\[g\];)?long_scoreboard_\[g\];0x10_\[g\] ' folded
  # scale: run_once calls it once for each three calls by run_thrice
  share() { awk -v f="$1" 'index($0, f) && /;scale_/ { n += $NF } END { printf "%.0f\n", n / 400 }' folded; }
  [ "$(share run_once)" -ge 24 ] && [ "$(share run_once)" -le 26 ]
  [ "$(share run_thrice)" -ge 74 ] && [ "$(share run_thrice)" -le 76 ]
}

@test "exact: each sample has its launch" {
  record --sampling=exact --duty 100 launches 50
  grep -q '^# sampling : exact, 100 % of the time$' r
  assert_equal "$(grep -c '^# launch ?' r)" 0
  stackcollapse-aiflame --stats stats r > folded
  assert_equal "$(sum_of folded)" 30000
  grep -q '"exact": *30000' stats
  assert_equal "$(awk '/run_once/ && /;scale_/ { n += $NF } END { print n }' folded)" 5000
}

@test "windows: as much of the time is sampled as was asked for" {
  # the launches keep the device busy for 3 seconds
  record --duty 25 launches 5000
  grep -q '^# sampling : continuous, 25 % of the time$' r
  local share
  share=$(($(at_end samples) * 100 / 3000000))
  [ "$share" -ge 10 ] && [ "$share" -le 40 ]
  assert_equal "$(at_end launches)" 25000
}

@test "a launch that loads its module for long does not put off the next window" {
  FAKE_CUPTI='lazy=1 load_ms=700' record --sampling=exact --duty 20 launches 2000
  # of 1.2 seconds of kernels
  local share
  share=$(($(at_end samples) * 100 / 1200000))
  [ "$share" -ge 5 ] && [ "$share" -le 50 ]
}

@test "sampling off: launches and their device time alone, and that of any source" {
  record --sampling=off launches 50
  assert_equal "$(at_end launches) $(at_end samples) $(at_end lost) $(device_ms)" '250 0 0 30'
  run ! grep -q '^# sampling' r
  assert_equal "$(grep -c 'no samples' err)" 0
  stackcollapse-aiflame r 2> err > folded
  grep -q '^stackcollapse-aiflame: gpu-time: ' err
  run -0 recorder --source opencl-cpu --sampling=off -o r -- true
  assert_equal "$(at_end samples)" 0
}

@test "each function that launches, once" {
  record functions 1
  assert_equal "$(launches)" 'scale __cudaLaunchKernel 1
scale __cudaLaunchKernel_ptsz 1
scale cuLaunchCooperativeKernel 1
scale cuLaunchKernel 1
scale cuLaunchKernelEx 1
scale cuLaunchKernel_ptsz 1
scale cudaLaunchCooperativeKernel 1
scale cudaLaunchKernel 1
scale cudaLaunchKernelExC 1'
  # whether a call inside another has the outer call's number or one of its own
  FAKE_CUPTI='nested_ids=1' record launches 20
  assert_equal "$(at_end launches)" 100
  assert_equal "$(device_ms)" 12
}

@test "a graph's launch is recorded as its kernels, with the callers of the launch and of the node's making" {
  record graphs 10
  assert_equal "$(launches)" '_Z3addPfPKf cuGraphAddKernelNode add [cuda graph] cudaGraphLaunch launch_graph 10
scale cuGraphAddKernelNode add [cuda graph] cudaGraphLaunch launch_graph 20'
  assert_equal "$(device_ms)" 4
  stackcollapse-aiflame r > folded 2> err
  grep -q '^# aiflame-launch: launches 20, items 6400x2x1, group 64x2x1, local 4096, .*kernel scale' folded
  # the hardware does not tell a sample's node: the reader finds the launches of those that run its
  # kernel, which are two for scale
  record --sampling=exact --duty 100 graphs 10
  assert_equal "$(at_end samples)" 4000
  stackcollapse-aiflame r > folded 2> err
  grep -q ': 4000 samples: 2000 exact, 2000 apportioned,' err
  assert_equal "$(awk '/launch_graph;cudaGraphLaunch;\[cuda graph\];[^;]*add;cuGraphAddKernelNode;-;/ { n += $NF }
                       END { print n }' folded)" 4000
  # without times it is one launch, the graph's
  FAKE_CUPTI='activity=15' record graphs 10
  assert_equal "$(launches)" '[cuda graph] cudaGraphLaunch launch_graph 10'
}

@test "device time is that of the kernels, by either clock, and without any samples" {
  record launches 50
  assert_equal "$(device_ms)" 30
  FAKE_CUPTI='realtime=1' record launches 50
  assert_equal "$(device_ms)" 30
  FAKE_CUPTI='enable=35' record launches 50
  assert_equal "$(device_ms) $(at_end samples)" '30 0'
  stackcollapse-aiflame r > folded 2> err
  assert_equal "$(awk '{ n += $NF } END { printf "%.0f\n", n / 1e6 }' folded)" 30
}

@test "each refusal of CUPTI is a sentence and a remedy, and the program runs on" {
  local sentence
  refused() { # SCRIPT SENTENCE REMEDY
    FAKE_CUPTI=$1 record launches 5 > out
    assert_equal "$(cat out)" done
    for sentence in "$2" "$3"; do grep -qF "$sentence" err || { cat err >&2; return 1; }; done
  }
  refused enable=35 'no samples: the driver lets only root profile (CUPTI error 35)' \
    NVreg_RestrictProfilingToAdminUsers=0
  refused enable=26 "no samples: the GPU's counters are in use by another program" 'dcgmi profile --pause'
  refused enable=27 'no samples: this GPU or driver cannot be sampled' 'compute capability 7.0'
  refused enable=8 "no samples: there is no memory for CUPTI's buffers" "leave more of the machine's memory free"
  refused configure=8 "no samples, as CUPTI cannot be set up: there is no memory" "leave more of the machine's memory free"
  refused enable=9 "no samples: the GPU's counters do not work" 'restart'
  refused enable=23 'no samples: CUPTI is switched off, as another profiler is at work' nsys
  refused enable=43 'no samples: this MIG instance cannot be profiled' 'without MIG'
  refused configure=7 'no samples, as CUPTI cannot be set up' 'take other profilers'
  refused bad_attribute=5 'no samples, as CUPTI cannot be set up' 'take other profilers'
  refused read=15 'no more samples: CUPTI could not start' 'profiler interface'
  refused reasons=500 "no samples, as the GPU's reasons of stalls are not told" ''
  refused version=21 'no samples: this CUPTI is older than that of CUDA 12.4' ''
  refused enable=999 'no samples: CUPTI cannot work with the driver' 'nvidia-smi'
  refused enable=16 'no samples: CUPTI error 16' ''
  assert_equal "$(at_end launches)" 25
  refused subscribe=39 "another profiler has the program's only subscription" nsys
  grep -q "that profiler calls itself 'CUPTI for another'" err
  assert_equal "$(at_end launches)" 0
  # the agent has said why
  assert_equal "$(grep -c 'launched no kernel' err)" 0
  # as PyTorch's own profiler does
  refused 'subscribe=39 unnamed=1' "another profiler has the program's only subscription" nsys
  assert_equal "$(grep -c 'calls itself' err)" 0
  FAKE_CUPTI='start=7' record --duty 50 launches 1000
  assert_equal "$(grep -c 'no samples, as a window cannot be opened' err)" 1
  FAKE_CUPTI='stop=7' record --duty 50 launches 500
  grep -q 'no more samples, as a window cannot be closed' err
}

@test "what CUPTI's device check forbids is reported before anything is sampled" {
  forbidden() { # SCRIPT SENTENCE REMEDY: sampling would be possible if it were tried
    FAKE_CUPTI=$1 record launches 5 > out
    assert_equal "$(cat out)" done
    assert_equal "$(sed -n 's/.*: no samples: //p' err)" "$2"
    grep -F "hint: $3" err
    assert_equal "$(at_end samples) $(at_end launches) $(device_ms)" '0 25 3'
  }
  forbidden architecture=1 'this GPU or driver cannot be sampled' \
    'a GPU of compute capability 7.0 or newer is needed'
  forbidden sli=1 'GPUs in SLI cannot be profiled' 'switch SLI off'
  forbidden vgpu=1 'this virtual GPU cannot be profiled' 'device time is measured all the same'
  forbidden vgpu=2 'profiling is not allowed on this virtual GPU' 'its administrator can allow it'
  forbidden confidential=1 'the GPU is in confidential computing mode, which forbids profiling' \
    'record on a GPU without it'
  forbidden cmp=1 'mining processors cannot be profiled' 'record on another GPU'
  forbidden wsl=1 'profiling is not allowed under WSL here' "allow it in NVIDIA's control panel"
  forbidden supported=1 'this GPU or driver cannot be sampled' ''
  # every cause is named
  forbidden 'sli=1 cmp=1' $'GPUs in SLI cannot be profiled\nmining processors cannot be profiled' \
    'record on another GPU'
  # a check that does not answer forbids nothing, and CUDA 12's takes its own parameter size
  for script in check=999 check=1 supported=0 check_size=48; do
    FAKE_CUPTI=$script record launches 5
    assert_equal "$(at_end samples)" 3000
  done
  forbidden 'check_size=48 wsl=1' 'profiling is not allowed under WSL here' 'allow it in NVIDIA'
}

@test "a full buffer: the loss is reported, and sampling is set up again" {
  FAKE_CUPTI='full_at=2' record launches 500
  [[ $(at_end samples) -gt 0 ]] && [[ $(at_end samples) -lt 300000 ]]
  assert_equal "$(at_end lost)" '?'
  assert_equal "$(grep -c "PERF_RECORD_LOST lost ?$" r)" 1
  grep -q "samples are lost: CUPTI's buffer for samples ran full" err
  grep -q -- 'take a longer --period or a smaller --duty' err
  # sampling stops if the buffer is always full
  FAKE_CUPTI='always_full=1' record launches 4000
  grep -q "no more samples: CUPTI's buffer ran full again and again" err
  assert_equal "$(at_end launches)" 20000
}

@test "dropped samples are counted as lost, and those of the driver's own kernels are in the recording" {
  FAKE_CUPTI='dropped=3 foreign=7' record launches 20
  assert_equal "$(at_end samples) $(at_end lost)" '12700 300'
  grep -q "captured 12700 gpu-stall samples .*; lost 300 samples;" err
  grep -q "700 of the samples are of the driver's own kernels" err
  assert_equal "$(awk '/ gpu-stall: $/ { n = $(NF - 1); getline
                       if ($0 == "\t               0 [driver kernel] ([kernel])") sum += n }
                     END { print sum }' r)" 700
  stackcollapse-aiflame r > folded 2> err
  assert_equal "$(sum_of folded)" 12700
  grep -q '12700 samples: .* 300 lost' err
  assert_equal "$(grep 'driver kernel' folded)" \
    'cuda_launches;[unknown launch];-;[driver kernel]_[G] 700'
  aiflame-svg folded > out.svg
  grep -q '\[driver kernel\] (700 samples' out.svg
}

@test "stalls during which nothing else was issued are told, and drawn alone or beside the others" {
  record launches 20
  all=$(at_end samples)
  exposed=$(awk '/ gpu-stall-exposed: $/ { n += $(NF - 1) } END { print n }' r)
  # half of the stalls, which are 8 of 10 samples
  assert_equal "$exposed $(samples)" "$((all * 4 / 10)) $all"
  # each stands behind the sample that it is part of
  awk '/ gpu-stall(-exposed)?: $/ { n = $(NF - 1); is_exposed = /-exposed/; getline reason; getline at
         if (is_exposed && (reason at != before || n > count)) exit 1
         before = reason at; count = n }' r
  stackcollapse-aiflame --exposed r > both 2> err
  grep -q "; $exposed of them exposed" err
  run ! grep -q 'not drawn:.*gpu-stall' err
  assert_equal "$(sum_of both)" "$all"
  assert_equal "$(grep '^\[exposed\];' both | sum_of)" "$exposed"
  assert_equal "$(grep '^\[hidden\];' both | grep -c 'selected_\[g\]')" "$(grep -c 'selected_\[g\]' both)"
  stackcollapse-aiflame r 2> err | grep -v '^# aiflame-launch' | cmp - <(sed -n 's/^\[[a-z]*\];//p' both | awk '
    /^#/ { next } { n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n } END { for (s in sum) print s, sum[s] }' |
    LC_ALL=C sort | cat <(head -n 1 both) -)
  stackcollapse-aiflame --event gpu-stall-exposed r > alone 2> err
  assert_equal "$(head -n 1 alone)" "$(head -n 1 both | sed s/gpu-stall/gpu-stall-exposed/)"
  assert_equal "$(sum_of <(tail -n +2 alone))" "$exposed"
  gpustall-record --source replay --input r -o again
  cmp r again
}

@test "CUPTI's count is compared with its records, and a difference is reported" {
  FAKE_CUPTI='withheld=5 dropped=3 foreign=7' record launches 20
  assert_equal "$(at_end samples) $(at_end lost)" '12700 800'
  assert_equal "$(grep -c 'CUPTI counts more samples than it tells of: those between are counted as lost' err)" 1
  stackcollapse-aiflame r 2> err > folded
  grep -q '12700 samples: .* 800 lost' err
  FAKE_CUPTI='uncounted=5' record launches 20
  assert_equal "$(at_end samples) $(at_end lost)" '12000 0'
  grep -q 'CUPTI told of 500 samples more than it counted: some may be there twice' err
  # an absurd count is treated as unknown
  FAKE_CUPTI='withheld=0x1000000000000' record launches 1
  assert_equal "$(at_end samples) $(at_end lost)" '600 ?'
}

@test "kernel records that do not come leave their launches without times" {
  FAKE_CUPTI='drop_records=10' record launches 20
  assert_equal "$(at_end launches)" 100
  # the launches of a slice that share a number share a time, or have none
  local untimed
  untimed=$(awk '/^# launched/ && $5 == "-" { n += $4 } END { print n }' r)
  [ "$untimed" -ge 10 ] && [ "$untimed" -lt 100 ]
  FAKE_CUPTI='no_records=1' record launches 20
  assert_equal "$(at_end launches)" 100
  assert_equal "$(device_ms)" 0
}

@test "where CUPTI numbers only calls that it records, launches have times from the next read on" {
  local how timed
  for how in 1 2; do
    FAKE_CUPTI=uncorrelated=$how record --sampling=off launches 2000
    assert_equal "$(at_end launches) $(at_end lost)" '10000 0'
    # of 1200 ms
    timed=$(device_ms)
    [ "$timed" -ge 300 ] && [ "$timed" -le 1200 ] || { echo "$how: $timed ms" >&2; return 1; }
  done
  FAKE_CUPTI=uncorrelated=1 outlived '' 'idles 1'
  assert_equal "$output" 'sampled 1, activity 1, subscribers 1
sampled 0, activity 0, subscribers 0
done'
}

@test "kernels have their times while others wait in the queue" {
  # CUPTI hands a buffer of records over only when all of its kernels have ended, even if it is full
  record busy 600
  assert_equal "$(at_end launches)" 600
  local ms
  ms=$(device_ms)
  [ "$ms" -ge 300 ] && [ "$ms" -le 600 ]
}

@test "functions' names may be copies, or each function's only one" {
  # the default follows cupti_pcsampling.h: names are shared, and freeing one ends the program
  FAKE_CUPTI='copies=1' record launches 20
  assert_equal "$(at_end samples) $(at_end lost)" '12000 0'
}

@test "a context that CUPTI does not let go keeps its buffers, and its last samples are lost" {
  # CUPTI still writes to the buffers when the other context's kernels run
  FAKE_CUPTI='disable=7' record leaves 20 > out
  assert_equal "$(cat out)" done
  assert_equal "$(at_end launches) $(at_end lost)" '40 ?'
}

@test "CUPTI may give up: a line says so, and CUPTI is not called again" {
  FAKE_CUPTI='fatal_at=4' record reload 8 > out
  assert_equal "$(cat out)" done
  assert_equal "$(grep -c 'CUPTI gave up (error 8: out of something): launches and samples from here on are missing' err)" 1
  assert_equal "$(at_end lost)" '?'
  [ "$(at_end launches)" -ge 1 ] && [ "$(at_end launches)" -lt 8 ]
  FAKE_CUPTI='fatal_at=2' record --duty 50 launches 1000 > out
  assert_equal "$(cat out)" done
}

# outlived OPTIONS PROGRAM_ARGUMENTS: runs a program that outlives its recording of one second;
# $output is what it printed
outlived() {
  # shellcheck disable=SC2086
  run -0 --separate-stderr recorder --source cupti -o r $1 --duration 1 -- "$program" $2 "$one"
}

@test "after the recording's end CUPTI is free for another profiler" {
  local options
  for options in '' '--sampling exact' '--duty 1 --ranges'; do
    outlived "$options" 'outlives 10'
    assert_equal "$output" 'sampled 1, activity 1, subscribers 1
another is answered 39
sampled 0, activity 0, subscribers 0
another is answered 0
and sees 20
sampled 0, activity 0, subscribers 1
done'
    assert_equal "$(at_end lost)" 0
    [ "$(at_end launches)" -gt 0 ]
  done
}

@test "CUPTI 13.3: another profiler works during a recording, whichever came first" {
  local mode
  export FAKE_CUPTI=version=130300
  for mode in shares shares-first; do
    record "$mode" 20 > out
    assert_equal "$(cat out)" 'the other is answered 0, one without sharing 39
it sees 200 calls, 100 kernels
done'
    # records have the other clock
    assert_equal "$(at_end launches) $(device_ms) $(at_end samples) $(at_end lost)" '100 12 12000 0'
    assert_equal "$(grep -c "CUPTI serves another profiler too, which was there first: 'CUPTI for another'" err)" \
      "$([ "$mode" = shares ] && echo 0 || echo 1)"
  done
  outlived '' 'outlives 10'
  assert_equal "$output" 'sampled 1, activity 1, subscribers 1
another is answered 39
sampled 0, activity 0, subscribers 0
another is answered 0
and sees 20
sampled 0, activity 0, subscribers 1
done'
}

@test "CUPTI 13.3 is not shared with who wants it alone, nor by an older driver" {
  FAKE_CUPTI=version=130300 record alone-first 20 > out
  assert_equal "$(head -1 out)" 'the other is answered 0, one without sharing 39'
  grep -q "another profiler has the program's only subscription" err
  grep -q "that profiler calls itself 'CUPTI for another'" err
  assert_equal "$(at_end launches)" 0
  FAKE_CUPTI=version=130300 record alone 20 > out
  assert_equal "$(head -1 out) $(at_end launches)" \
    'the other is answered 39, one without sharing 39 100'
  # the agent has it alone then
  local code
  for code in 39 27; do
    FAKE_CUPTI="version=130300 sharing=$code" record shares 20 > out
    assert_equal "$(sed 2q out)" "the other is answered $code, one without sharing 39
it sees 0 calls, 0 kernels"
    assert_equal "$(at_end launches) $(device_ms) $(at_end samples) $(at_end lost)" '100 12 12000 0'
    assert_equal "$(grep -c 'another profiler' err)" 0
  done
  # which knows the parameter, and not the calls
  FAKE_CUPTI=version=130200 record launches 20
  assert_equal "$(at_end launches) $(device_ms) $(at_end samples) $(at_end lost)" '100 12 12000 0'
}

@test "after the recording's end CUPTI is free, also without another launch" {
  local options
  for options in '' '--sampling exact' '--duty 50'; do
    outlived "$options" 'idles 1'
    assert_equal "$output" 'sampled 1, activity 1, subscribers 1
sampled 0, activity 0, subscribers 0
done'
  done
}

@test "where CUPTI has given up it is not called after the recording's end either" {
  FAKE_CUPTI='fatal_at=2' outlived '' 'slow 6'
  assert_equal "$output" 'done'
  [[ $stderr == *'CUPTI gave up'* ]]
}

# what a test that failed has left running: Bats would wait for it
teardown() {
  local left
  for left in ${running:-} ${attached:-}; do kill "$left" 2> /dev/null || true; done
}

# waiting [OPTION…]: starts a program with the variables of --print-env, which launches until the file
# `stop` is there; its number is $running
waiting() {
  recorder --listen agents --print-env "$@" > settings
  mapfile -t settings < <(grep -v ^LD_LIBRARY_PATH settings) # the stand-ins are found by it
  relay live out '^ready$'
  env "${settings[@]}" "$program" until-stopped 0 "$one" "$other" > live 2> program.err &
  running=$!
  await live
}

# attach FILE PATTERN OPTION…: starts a recorder that writes FILE, and waits for a line like PATTERN
attach() {
  local file=$1 first=$2
  shift 2
  rm -f recording recording.lines
  relay recording "$file" "$first" ' scale\+0x'
  # not recorder(), so that $! is the program
  LD_PRELOAD=$AIFLAME_BUILD/tests/cuda/libnvidia-files.so gpustall-record --objects objects \
    -o recording "$@" 2> "$file.err" &
  attached=$!
  await recording
}

# detach SIGNAL
detach() {
  kill "-$1" "$attached"
  wait "$attached" || [ "$1" = KILL ]
  copied recording
}

# stopped [LINE]: ends the program, which has printed LINE too, and nothing else
stopped() {
  touch stop
  wait "$running"
  copied live
  assert_equal "$(cat out program.err)" "ready
${1:+$1
}done"
}

@test "-p: a program that runs already is recorded, again and again, with kernels and reasons" {
  waiting --source cupti
  local each
  for each in first second; do
    attach "$each" ' gpu-stall: $' -p "$running"
    detach INT
    grep -q '^# device 0 : cupti, NVIDIA Stand-in, 0000:3d:00.0, period 2048 cycles$' "$each"
    grep -q '^# sampling : continuous, 100 % of the time$' "$each"
    assert_equal "$(launches "$each" | sed 's/ [0-9]*$//')" '_Z3addPfPKf __cudaLaunchKernel run_thrice
scale __cudaLaunchKernel run_once'
    # the code is from before
    assert_equal "$(stalled "$each" | sed 's/ [0-9]*$//')" 'long_scoreboard _Z3addPfPKf
long_scoreboard scale
selected _Z3addPfPKf
selected scale
wait _Z3addPfPKf
wait scale'
    assert_equal "$(at_end lost "$each")" 0
    run ! grep 'no samples' "$each.err"
    grep -q "warning: process $running: CUPTI does not tell the code that was loaded before the recording began: its samples have a kernel and a reason, but no instruction" "$each.err"
    stackcollapse-aiflame --gpu-frames kernel,reason "$each" > folded 2> err
    assert_equal "$(sum_of folded)" "$(samples "$each")"
    assert_equal "$(sed 's/ [0-9]*$//' folded | grep -oE '(run_[a-z]*).*' | sort -u)" \
      'run_once;__cudaLaunchKernel;-;scale_[G];long_scoreboard_[g]
run_once;__cudaLaunchKernel;-;scale_[G];selected_[g]
run_once;__cudaLaunchKernel;-;scale_[G];wait_[g]
run_thrice;__cudaLaunchKernel;-;add_[G];long_scoreboard_[g]
run_thrice;__cudaLaunchKernel;-;add_[G];selected_[g]
run_thrice;__cudaLaunchKernel;-;add_[G];wait_[g]'
  done
  touch state
  stopped 'sampled 0, activity 0, subscribers 0'
  assert_equal "$(ls agents)" secret
}

@test "a recording that ends before its program has the times of its last slice" {
  local how untimed
  for how in continuous exact off; do
    mkdir $how
    cd $how
    waiting --source cupti --sampling $how
    recorder -o r --duration 1 -p "$running" 2> err
    [ "$(at_end launches)" -gt 20 ]
    # a slice has hundreds of launches; the program waits after each four
    untimed=$(awk '/^# launched/ && $5 == "-" { n += $4 } END { print n + 0 }' r)
    [ "$untimed" -le 4 ]
    assert_equal "$(at_end lost)" 0
    stopped
    cd ..
  done
}

@test "-p: a program that is stopped does not keep the recorder, and goes on later" {
  waiting --source cupti
  attach r ' gpu-stall: $' -p "$running"
  kill -STOP "$running"
  detach INT
  [ "$(at_end launches)" -gt 0 ]
  kill -CONT "$running"
  stopped
}

@test "-p: code that is loaded during the recording has instructions, and is not taken for older code" {
  waiting --source cupti --sampling exact --duty 100
  attach r ' gpu-stall: $' -p "$running"
  touch load
  await recording
  detach INT
  grep -q '^# sampling : exact, 100 % of the time$' r
  stackcollapse-aiflame --gpu-frames kernel,offset r > folded 2> err
  assert_equal "$(sum_of folded)" "$(samples r)"
  # Samples of a launch at the border of two slices are apportioned to both callers of a kernel of its
  # name. So run_other may have as many without an instruction, and no others.
  apportioned=$(grep -oE '[0-9]+ apportioned' err)
  awk -v most="${apportioned% *}" '!(/run_other;__cudaLaunchKernel;-;scale_\[G\] / && $NF <= most)' folded > certain
  assert_equal "$(sed 's/ [0-9]*$//' certain | grep -oE '(run_[a-z]*).*' | sort -u)" \
    'run_once;__cudaLaunchKernel;-;scale_[G]
run_other;__cudaLaunchKernel;-;scale_[G];0x10_[g]
run_other;__cudaLaunchKernel;-;scale_[G];0x20_[g]
run_thrice;__cudaLaunchKernel;-;add_[G]'
  # older launches of a name are not of the code with that name which is loaded now
  assert_equal "$(grep -A 4 ' gpu-launch: ' r | grep -B 2 'run_\(once\|thrice\)' | grep -c '\.cubin)')" 0
  stopped
}

@test "-p: without a source at its start a program has launches and device time alone" {
  waiting
  attach r '^# launched' --source cupti -p "$running"
  detach INT
  grep -q "warning: no samples, only launches and their device time: source 'cupti': process $running was not told to take samples: start it with the variables of --print-env --source cupti" r.err
  assert_equal "$(grep -c ' gpu-stall: ' r)" 0
  [ "$(at_end launches)" -gt 0 ]
  stackcollapse-aiflame --event gpu-time r > folded 2> err
  [ "$(sum_of folded)" -gt 0 ]
  stopped
}

@test "-p: how a program is sampled is said as it begins" {
  waiting --source cupti
  run -125 --separate-stderr recorder --sampling exact -o r -p "$running"
  [[ $stderr == *'--sampling, --duty and --period cannot change a running process: pass them to --print-env'* ]]
  run -125 --separate-stderr recorder --device 0 -o r -p "$running"
  [[ $stderr == *"--device is for a command with source 'cupti'"* ]]
  run -125 --separate-stderr recorder --device 0 --source cupti --listen agents --print-env
  [[ $stderr == *"--device is for a command with source 'cupti'"* ]]
  run -125 --separate-stderr recorder --source cupti -o r -p $$
  [[ $stderr == *"source 'cupti': its samples come from its agent: record a command, or a program that was started with the variables of --print-env" ]]
  stopped
}

@test "--listen: CUDA programs are sampled, and a recorder that was killed leaves them to the next" {
  waiting --source cupti
  attach first ' gpu-stall: $' --source cupti --listen agents
  detach KILL
  attach second ' gpu-stall: $' --source cupti --listen agents
  detach INT
  assert_equal "$(at_end lost second)" 0
  [ "$(samples second)" -gt 0 ]
  stopped
}

@test "a green context, whose making CUPTI does not call back, has its device" {
  has_gpu 3d 3e
  FAKE_CUPTI='green=1' record devices 5
  assert_equal "$(at_end launches)" 10
  assert_equal "$(grep -cE '\[000\] .*gpu-launch: $' r) $(grep -cE '\[001\] .*gpu-launch: $' r)" '1 1'
}

@test "a launch that makes its thread's context current has its device and its module" {
  has_gpu 3d 3e
  FAKE_CUPTI='late_context=1' record devices 5
  assert_equal "$(at_end launches)" 10
  assert_equal "$(grep -cE '\[000\] .*gpu-launch: $' r) $(grep -cE '\[001\] .*gpu-launch: $' r)" '1 1'
  FAKE_CUPTI='late_context=1' record libraries 50
  assert_equal "$(at_end launches) $(of_one_module)" '100 100'
}

@test "code loaded where other code was is not taken for it" {
  record churn 40
  assert_equal "$(at_end samples) $(at_end lost)" '80000 0'
  local counts
  counts=$(stalls_by_address scale | awk '{ sub(/...$/, "", $1); sum[$1] += $2 }
    END { for (at in sum) print sum[at] }' | sort -n | uniq -c | tr -s ' ' | tr '\n' ';')
  # each keeps its place when it is loaded again
  assert_equal "$counts" ' 1 20000; 1 60000;'
}

@test "a module's code is kept as it was when it was loaded, and its addresses are no other's" {
  record reload 4
  assert_equal "$(grep -cE 'PERF_RECORD_MMAP2' r)" 4
  assert_equal "$(grep -oE 'MMAP2 .*\[0x[0-9a-f]+' r | sort -u | wc -l)" 4
  [ "$(grep -c PERF_RECORD_MUNMAP r)" -ge 3 ]
  local kept
  mapfile -t kept < <(objects | sort -u)
  assert_equal "${#kept[@]}" 2
  cmp "${kept[0]}" "$one" || cmp "${kept[0]}" "$other"
  cmp "${kept[1]}" "$one" || cmp "${kept[1]}" "$other"
  # the samples of each load are at its own addresses
  assert_equal "$(at_end samples)" 4000
  assert_equal "$(awk '/^\t +[0-9a-f]+ scale\+0x10/ { print $1 }' r | sort -u | wc -l)" 4
  run ! grep -q '\[unknown\] (\[unknown\])' r
}

@test "modules of one name and size are told apart by their content" {
  [ "$(stat -c %s "$one")" -eq "$(stat -c %s "$other")" ]
  by_address() { stalls_by_address scale | cut -d' ' -f2 | sort -n | tr '\n' ' '; }
  record both 1
  assert_equal "$(by_address)" '300 700 900 2100 '
  # by CUPTI's own number, if CUPTI refuses the agent's
  FAKE_CUPTI='no_crc=2' record both 1
  assert_equal "$(by_address)" '300 700 900 2100 '
  run ! grep 'one number' err
  # two modules may share that number: then nothing is guessed, and a message says so
  FAKE_CUPTI='no_crc=1' record both 1
  assert_equal "$(by_address)$(at_end samples)" 4000
  assert_equal "$(grep -c 'CUPTI has one number (0x65d7712c) for cubins that differ: samples of kernels that they share are of unknown code' err)" 1
  assert_equal "$(stackcollapse-aiflame r 2> err | awk '/\[unknown kernel\]/ { n += $NF } END { print n }')" 4000
  FAKE_CUPTI='no_crc=3' record both 1
  assert_equal "$(by_address)$(at_end samples)" 4000
  # if only one module is possible it is still known
  FAKE_CUPTI='no_crc=1' record reload 1
  assert_equal "$(by_address)" '300 700 '
}

# of_one_module: the number of launches with exactly one module
of_one_module() {
  awk '/^# launch [0-9]/ { number = $3 } / gpu-launch: $/ { ++addresses[number] }
       /^# launched / { launches[$3] += $4 }
       END { for (number in launches) if (addresses[number] == 1) n += launches[number]; print n + 0 }' r
}

# joined: the samples of run_once, those of run_other, and the number of exact ones
joined() {
  stackcollapse-aiflame --stats stats r > folded 2> err
  awk '{ n[/run_once;/ ? "once" : /run_other;/ ? "other" : "none"] += $NF }
       END { printf "%d %d ", n["once"], n["other"] }' folded
  sed -n 's/.*"gpu-stall":{"samples":[0-9]*,"exact":\([0-9]*\).*/\1/p' stats
}

@test "launches of one name are joined with the samples of their own module" {
  local script
  # a module is loaded by the call for it, by its function's first launch, or by the lookup of a
  # function
  for script in lazy=0 lazy=1 lazy=2; do
    FAKE_CUPTI=$script record modules 50
    assert_equal "$(at_end launches) $(of_one_module)" '100 100'
    assert_equal "$(joined)" '5000 15000 20000'
  done
  # if nothing shows the module, samples are shared by device time
  FAKE_CUPTI='no_params=1' record modules 50
  [ "$(of_one_module)" -le 1 ]
  assert_equal "$(stackcollapse-aiflame r 2> err | sum_of)" 20000
}

@test "samples that are read before their launch returns are of that launch" {
  # each call returns 250 ms after its kernel, and the agent reads every 100 ms
  FAKE_CUPTI='lazy=1 late_return=250' record --sampling exact --duty 100 modules 2
  assert_equal "$(joined)" '200 600 800'
}

@test "kernels of libraries are joined with the samples of their own module" {
  local script
  for script in lazy=0 lazy=1; do
    FAKE_CUPTI=$script record libraries 50
    assert_equal "$(at_end launches) $(of_one_module)" '100 100'
    assert_equal "$(joined)" '5000 15000 20000'
  done
  # if one library has two modules with the kernel, its module is unknown: only the other library's
  # is known, and the rest is shared by device time
  for script in lazy=0 lazy=1; do
    FAKE_CUPTI=$script record double-libraries 50
    assert_equal "$(at_end launches) $(at_end samples) $(of_one_module)" '100 20000 50'
  done
}

@test "kernels of graphs are joined with the samples of their own module" {
  local how script
  for how in added captured; do
    for script in lazy=0 lazy=1; do
      FAKE_CUPTI=$script record "$how-graphs" 50
      assert_equal "$how $script $(at_end launches) $(of_one_module)" "$how $script 100 100"
      stackcollapse-aiflame r > folded 2> err
      assert_equal "$(awk '{ n[/launch_graph;/ ? 1 : /launch_other_graph;/ ? 2 : 3] += $NF }
                           END { print n[1], n[2], n[3] + 0 }' folded)" '5000 15000 0'
    done
    record --sampling=exact --duty 100 "$how-graphs" 50
    assert_equal "$(at_end launches) $(of_one_module)" '100 100'
    stackcollapse-aiflame r > folded 2> err
    grep -q ': 20000 samples: 20000 exact,' err
  done
  # if a graph's launch loads the modules of all its nodes, their owners are unknown
  FAKE_CUPTI='lazy=3' record added-graphs 50
  assert_equal "$(at_end launches) $(at_end samples) $(of_one_module)" '100 20000 0'
  # a node's function was changed, or may have been: its kernel is known only by name
  record longer-graphs 50
  assert_equal "$(at_end launches) $(of_one_module)" '100 100'
  record changed-graphs 50
  assert_equal "$(at_end launches) $(of_one_module)" '100 50'
  record updated-graphs 50
  assert_equal "$(at_end launches) $(of_one_module)" '100 0'
}

@test "launches into a captured stream are not launches" {
  record captured-graphs 1
  assert_equal "$(launches)" 'scale __cudaLaunchKernel run_once [cuda graph] cudaGraphLaunch launch_graph 1
scale __cudaLaunchKernel run_once [cuda graph] cudaGraphLaunch launch_other_graph 1'
}

@test "copies, fills, child graphs and conditional nodes stand where they were captured" {
  local at='[cuda graph] cudaGraphLaunch launch_graph'
  record --sampling=off nested 3 > out
  # with the program's functions of the host, which are not recorded
  assert_equal "$(cat out)" '3 host calls
done'
  # the body of the conditional runs twice in each launch
  assert_equal "$(launches)" "Memcpy DtoD (Device -> Device, 4 to 64 KiB) cuGraphAddMemcpyNode $at 3
Memcpy HtoD (Pinned -> Device, 1 to 16 MiB) cudaMemcpyAsync upload $at 3
Memset (under 4 KiB) cudaMemsetAsync fill $at 3
_Z3addPfPKf __cudaLaunchKernel run_other $at 3
scale __cudaLaunchKernel run_once $at 3
scale __cudaLaunchKernel run_thrice $at 18"
  assert_equal "$(at_end launches) $(at_end lost) $(grep -c "graph's launch alone" err)" '33 0 0'
  # 3 times 2000 + 1 + 100 + 200 + 600 + 5 microseconds
  stackcollapse-aiflame --event gpu-time r 2> /dev/null > folded
  assert_equal "$(awk '!/^#/ { ns += $NF } END { printf "%.0f\n", ns / 1000 }' folded)" 8718
  # where CUPTI does not tell the clones of what is in a node
  FAKE_CUPTI=inlined=1 record --sampling=off nested 3 > out
  assert_equal "$(launches | grep -v '^Mem')" "_Z3addPfPKf $at 3
scale $at 21"
  assert_equal "$(at_end launches) $(at_end lost)" '33 0'
  assert_equal "$(grep -c "some kernels of graphs stand on the graph's launch alone: where their nodes were made is not known" err)" 1
}

@test "functions of the host, in graphs and in streams, are operations, and the device is idle meanwhile" {
  local version
  # by the calls of the process, and by those of a subscriber
  for version in 130100 130300; do
    FAKE_CUPTI=version=$version record --sampling=off host-functions 4 > out
    assert_equal "$(cat out)" '12 host calls
done'
    assert_equal "$(launches)" "Host function cuGraphAddHostNode [cuda graph] cudaGraphLaunch launch_graph 4
Host function cudaLaunchHostFunc notify 4
Host function cudaLaunchHostFunc notify [cuda graph] cudaGraphLaunch launch_graph 4
scale __cudaLaunchKernel run_once [cuda graph] cudaGraphLaunch launch_graph 4
scale __cudaLaunchKernel run_other 8"
    assert_equal "$(at_end launches) $(at_end lost) $(grep -c "graph's launch alone" err)" '24 0 0'
    assert_equal "$(grep -c 'Host function (\[operation\])$' r)" 3
    # in microseconds: 500 of each function, 100 of each kernel
    stackcollapse-aiflame --event gpu-time r 2> err | grep -v '^# ' > folded
    assert_equal "$(awk '{ us = $NF / 1000; sub(/.*;-;/, ""); sub(/ [0-9]*$/, ""); n[$0] += us } END { for (name in n) printf "%s %.0f\n", name, n[name] }' folded | sort)" \
      'Host function_[G] 6000
kernels.cu_[G];scale_[G] 1200'
    grep -q 'device busy 0.001 s' err
    stackcollapse-aiflame --idle --exposed r 2> err | grep -v '^# ' > folded
    assert_equal "$(grep -c 'Host function' folded)" 0
    assert_equal "$(sed -n 's/^\[gpu idle\];\[host function\];.*;main;//p' folded | awk '{ us = $NF / 1000; sub(/ [0-9]*$/, ""); printf "%s %.0f\n", $0, us }' | sed 's/(anonymous namespace):://g')" \
      'launch_graph;cudaGraphLaunch;[cuda graph];notify;cudaLaunchHostFunc 2000
launch_graph;cudaGraphLaunch;[cuda graph];cuGraphAddHostNode 2000
notify;cudaLaunchHostFunc 2000'
    assert_equal "$(sed -n 's/.*device 0: \([0-9]*\)\.\([0-9]*\) us: .*/\1\2/p' err)" "$(sum_of folded)"
  done
}

@test "functions of the host are not told where CUPTI has no records of them" {
  local knobs
  # the version before, and one that refuses
  for knobs in version=130001 'version=130100 host=8'; do
    FAKE_CUPTI=$knobs record --sampling=off host-functions 4 > out
    assert_equal "$(launches)" 'scale __cudaLaunchKernel run_once [cuda graph] cudaGraphLaunch launch_graph 4
scale __cudaLaunchKernel run_other 8'
    assert_equal "$(at_end launches) $(at_end lost) $(device_ms)" '12 0 1'
    run ! grep -qi 'host function\|launch alone\|no device time' err
  done
  # a record may not say when its function ran
  FAKE_CUPTI='version=130100 host_times=0' record --sampling=off host-functions 4 > out
  assert_equal "$(at_end launches) $(device_ms) $(launches | grep -c '^Host function ')" '24 1 3'
}

@test "a graph of many nodes: each launch is recorded or counted as lost, and a node costs little" {
  record --sampling=off many-nodes 20000 > out
  local lost
  lost=$(sed -n 's/.*; lost [0-9]* samples, \([0-9]*\) launches.*/\1/p' err)
  assert_equal "$(($(at_end launches) + ${lost:-0}))" 60000
  assert_equal "$(launches | sed 's/ [0-9]*$//')" \
    'scale __cudaLaunchKernel run_once [cuda graph] cudaGraphLaunch launch_graph'
  # in nanoseconds of the processor: some 2000 and 300
  read -r capture _ _ _ _ _ clone _ < out
  [ "$capture" -lt 40000 ] && [ "$clone" -lt 10000 ] || { cat out >&2; return 1; }
}

@test "--graph-dot writes each graph that is instantiated, for its owner, whatever the directory" {
  mkdir elsewhere
  (cd elsewhere && recorder --source cupti --graph-dot net.dot -o ../r -- \
    env --chdir / "$program" added-graphs 1 "$one" "$other" 2> ../err)
  assert_equal "$(at_end launches) $(ls elsewhere | sed 's/[0-9]*\.\([0-9]*\)$/PID.\1/')" '2 net.dot.PID.1
net.dot.PID.2'
  assert_equal "$(cat elsewhere/net.dot.*.1)" 'digraph dot { // flags 1
"node_0" [label="scale"];
}'
  assert_equal "$(stat -c %a elsewhere/*)" '600
600'
  # where the driver fails there is no file, and the program runs on
  rm elsewhere/*
  FAKE_CUPTI=dot=999 record --graph-dot elsewhere/net added-graphs 1 > out
  assert_equal "$(cat out) $(ls elsewhere) $(at_end launches)" 'done  2'
  assert_equal "$(grep -c "a graph is not written to '$PWD/elsewhere/net.[0-9]*.1': CUDA error 999" err)" 1
  record --graph-dot missing/net added-graphs 1 > out
  assert_equal "$(cat out)" 'done'
  grep -q "a graph is not written to '$PWD/missing/net.[0-9]*.1': No such file or directory" err
  run -0 --separate-stderr gpustall-record --print-env --listen agents --graph-dot net
  [[ $output == *"AIFLAME_GRAPH_DOT=$PWD/net"* ]]
  run -125 --separate-stderr gpustall-record --graph-dot '' true
  [[ $stderr == *"option '--graph-dot': a file is missing; try "* ]]
  run -125 --separate-stderr gpustall-record --graph-dot "$(printf '%04000d' 1)" true
  [[ $stderr == *"option '--graph-dot': the path is too long; try "* ]]
  local options
  for options in '-a' "-p $$" '--launch-stacks=uprobe -- true'; do
    # shellcheck disable=SC2086
    run -125 --separate-stderr gpustall-record --graph-dot net $options
    [[ $stderr == *'--graph-dot is for the agent of a command, or for --print-env'* ]]
  done
}

@test "a function's first launch may end before its call does" {
  FAKE_CUPTI='blocking=1 lazy=1' record slow 2
  assert_equal "$(at_end launches) $(device_ms)" '2 600'
  assert_equal "$(grep -c ' gpu-launch: $' r)" 1
}

@test "one place that launches on two devices" {
  has_gpu 3d 3e
  record same-place 10
  assert_equal "$(grep -E 'gpu-launch: $' r | grep -oE '\[00[01]\]' | sort | tr '\n' ' ')" '[000] [001] '
  assert_equal "$(at_end launches)" 20
}

@test "two devices" {
  has_gpu 3d 3e
  record devices 20
  assert_equal "$(awk '/ gpu-stall: $/ { n[$3] += $(NF - 1) } END { print n["[000]"], n["[001]"] }' r)" \
    '2000 6000'
  assert_equal "$(grep -c '^# device [01] : cupti' r)" 2
  record --device 1 devices 20
  assert_equal "$(awk '/ gpu-stall: $/ { n[$3] += $(NF - 1) } END { print n["[000]"] + 0, n["[001]"] }' r)" \
    '0 6000'
}

@test "a MIG instance is named by its UUID" {
  FAKE_CUPTI='mig=1' record launches 5
  grep -qx '# device 0 : cupti, NVIDIA Stand-in MIG 1g.10gb MIG-f0f0f0f0-f0f0-f0f0-f0f0-f0f0f0f0f0f0, 0000:3d:00.0, period 2048 cycles' r
  assert_equal "$(at_end samples)" 3000
}

@test "a GPU that the recorder cannot place is the one that the agent reports" {
  rm -r "$FAKE_NVIDIA/proc/driver/nvidia/gpus"
  : > "$FAKE_NVIDIA/dev/nvidia0"
  record launches 5
  grep -q '^# device 0 : cupti, NVIDIA Stand-in, 0000:3d:00.0, period' r
  assert_equal "$(at_end samples)" 3000
}

@test "--period is set in the hardware, and a refused one is reported" {
  record --period 4096 launches 5
  grep -q '^# device 0 : .* period 4096 cycles$' r
  FAKE_CUPTI='bad_attribute=1' record --period 4096 launches 5
  grep -q 'no samples, as CUPTI cannot be set up' err
}

@test "a --period that the GPU does not have is a mistake, also where the CPU could be recorded" {
  local what="gpustall-record: source 'cupti': 0000:3d:00.0: "
  local period='a period is a power of two from 32 to 2147483648 cycles'
  run -125 --separate-stderr recorder --period 1000 -o r -- true
  assert_equal "$stderr" "$what$period; --source chooses another source"
  run -125 --separate-stderr recorder --source cupti --period 1000 -o r -- true
  assert_equal "$stderr" "$what$period"
  run -125 --separate-stderr recorder --source cupti -F 100 -o r -- true
  assert_equal "$stderr" "${what}samples are made by cycles, not by time: --period instead of -F"
  [ ! -e r ]
}

@test "the period fits the GPU, unless it samples with its own only" {
  FAKE_CUPTI='multiprocessors=132' record launches 5
  grep -q '^# device 0 : .* period 262144 cycles$' r
  FAKE_CUPTI='kilohertz=0' record launches 5
  grep -q '^# device 0 : .* period 2048 cycles$' r
  # a refused one is CUPTI's, without a word
  FAKE_CUPTI='multiprocessors=132 bad_attribute=1' record launches 5
  [ "$(at_end samples)" -gt 0 ]
  assert_equal "$(grep -c 'no samples' err)" 0
  FAKE_CUPTI='multiprocessors=132 own_period=1' record busy 1200
  grep -q "no samples come with the agent's own period: CUPTI's is used" err
  grep -q '^# device 0 : .* period 2048 cycles$' r
  [ "$(at_end samples)" -gt 100000 ]
  # a user's period is kept
  FAKE_CUPTI='own_period=1' record --period 4096 busy 600
  assert_equal "$(at_end samples)" 0
}

@test "of two contexts of a device one is sampled, and the launches of both are recorded" {
  record same_device 50
  assert_equal "$(at_end launches)" 150
  assert_equal "$(grep -c "no samples of a device's second context: CUPTI samples one at a time" err)" 1
  # those of the first: 50 launches of 100 us before the other is gone, and 50 after
  assert_equal "$(at_end samples) $(at_end lost)" '10000 0'
}

@test "contexts beyond the sampled ones are reported" {
  record contexts 255
  assert_equal "$(grep -c 'contexts are not sampled' err)" 0
  record contexts 258
  assert_equal "$(grep -c 'contexts are not sampled: there are more than 256 at a time' err)" 1
}

@test "a refused launch is not recorded, and the program gets the error" {
  run -0 record fails 1
  assert_equal "$output" '400
0
done'
  assert_equal "$(at_end launches)" 1
}

@test "threads: every launch is recorded once, with its thread" {
  record threads 2000
  assert_equal "$(at_end launches)" 8000
  assert_equal "$(grep gpu-launch: r | cut -d' ' -f2 | sort -u | wc -l)" 4
  assert_equal "$(at_end samples)" 80000
}

@test "a fork leaves the parent's recording whole" {
  record forks 1 > out
  assert_equal "$(cat out)" done
  assert_equal "$(at_end launches) $(at_end samples)" '2 200'
}

@test "a program that ends abruptly keeps what was read before" {
  record killed 1
  assert_equal "$(at_end launches) $(at_end samples)" '1 1000'
}

@test "little memory" {
  # the agent needs at most some 40 MB, with the ring and its mirror
  bash -c "ulimit -v 400000; exec \"\$@\"" _ "$program" launches 1 "$one" > out
  limited() { recorder --source cupti -o r -- bash -c 'ulimit -v 400000; exec "$@"' _ "$program" "$@" 2> err; }
  limited launches 3000 "$one"
  assert_equal "$(at_end launches)" 15000
}

@test "the user's own injection is left alone, and a line says so" {
  CUDA_INJECTION64_PATH=/nowhere/own.so record launches 1 > out
  grep -q "CUDA_INJECTION64_PATH is set to '/nowhere/own.so' already: left as it is" err
  grep -q 'fake driver: /nowhere/own.so' err
}

@test "without CUPTI the program runs as ever, and a line names what is missing" {
  mkdir -p driver
  cp "$AIFLAME_BUILD/tests/cuda/libcuda.so.1" driver
  [ ! -e /usr/local/cuda/lib64/libcupti.so.13 ] || skip 'there is a CUPTI that cannot be hidden'
  LD_LIBRARY_PATH=$PWD/driver CUDA_HOME=/nowhere record launches 5 > out
  assert_equal "$(cat out)" done
  grep -q 'CUPTI (libcupti.so.13 or .12) is not found: install' err
}

@test "CUPTI in CUDA_HOME finds what it loads from its own directory" {
  mkdir -p driver cuda/extras/CUPTI/lib64
  cp "$AIFLAME_BUILD/tests/cuda/libcuda.so.1" driver
  cp "$AIFLAME_BUILD/tests/cuda/libcupti.so.13" cuda/extras/CUPTI/lib64/libcupti.so.12
  ${CXX:-g++} -shared -Wl,-soname,libnvperf_host.so -o cuda/extras/CUPTI/lib64/libnvperf_host.so -x c++ /dev/null
  # version 12, because the dynamic linker may find a 13
  FAKE_CUPTI='nvperf=1 driver=12080' LD_LIBRARY_PATH=$PWD/driver CUDA_HOME=$PWD/cuda record launches 5
  assert_equal "$(at_end samples)" 3000
}

@test "NVIDIA's CUPTI has what the agent calls, and its refusal without a driver is reported" {
  local cupti=${CUDA_HOME:-/usr/local/cuda}/lib64/libcupti.so.13 name shown
  [ -e "$cupti" ] || skip 'there is no libcupti.so.13 in CUDA_HOME'
  shown=$(nm -D --defined-only "$cupti" | sed 's/.* T //; s/@.*//')
  for name in $(grep -oE 'X\(cupti[A-Za-z]+\)' "$AIFLAME_ROOT/plugins/agents/cupti/cupti_library.h" | tr -d 'X()'); do
    grep -qx "$name" <<< "$shown" || { echo "no $name" >&2; return 1; }
  done
  mkdir driver
  cp "$AIFLAME_BUILD/tests/cuda/libcuda.so.1" driver
  LD_LIBRARY_PATH=$PWD/driver record launches 5 > out
  assert_equal "$(cat out)" done
  grep -q 'neither launches nor samples: CUPTI ' err
}

@test "NVTX ranges are frames, and NVTX's answers are unchanged" {
  record ranges 10 > out
  assert_equal "$(cat out)" '-2 -2
done'
  assert_equal "$(launches | grep -c forward)" 0
  record --ranges ranges 10 > out
  assert_equal "$(cat out)" '-2 -2
done'
  assert_equal "$(launches)" '_Z3addPfPKf __cudaLaunchKernel layer 1 forward run_once 10
scale __cudaLaunchKernel forward run_once 10
scale __cudaLaunchKernel run_once 10'
}

@test "--number-ranges tells the instances of a range apart" {
  record --number-ranges for* ranges 3 > out
  assert_equal "$(cat out)" '-2 -2
done'
  assert_equal "$(launches)" '_Z3addPfPKf __cudaLaunchKernel layer 1 forward #1 run_once 1
_Z3addPfPKf __cudaLaunchKernel layer 1 forward #2 run_once 1
_Z3addPfPKf __cudaLaunchKernel layer 1 forward #3 run_once 1
scale __cudaLaunchKernel forward #1 run_once 1
scale __cudaLaunchKernel forward #2 run_once 1
scale __cudaLaunchKernel forward #3 run_once 1
scale __cudaLaunchKernel run_once 3'
  stackcollapse-aiflame --event gpu-time --by-range forward r 2> err | grep -v '^# ' > folded
  assert_equal "$(cut -d';' -f 1 folded | uniq -c | sed 's/^ *//')" '1 [outside forward]
2 forward #1_[r]
2 forward #2_[r]
2 forward #3_[r]'
  assert_equal "$(awk '{ sum += $NF } END { print sum }' folded)" \
    "$(stackcollapse-aiflame --event gpu-time r 2> err | awk '!/^# / { sum += $NF } END { print sum }')"
  # an inner range is numbered where the outer one is none of the name
  record --number-ranges 'layer 1' ranges 2 > out
  launches | grep -qx '_Z3addPfPKf __cudaLaunchKernel layer 1 #2 forward run_once 1'
  record --number-ranges nothing ranges 2 > out
  launches | grep -qx '_Z3addPfPKf __cudaLaunchKernel layer 1 forward run_once 2'
  run -125 --separate-stderr gpustall-record --number-ranges '' true
  [[ $stderr == *"option '--number-ranges': a name is missing; try "* ]]
}

@test "the agent shows the program nothing but its doors" {
  local shown
  shown=$(nm -D --defined-only "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" | cut -d' ' -f3)
  assert_equal "$shown" 'InitializeInjection
InitializeInjectionNvtx2'
  run ! grep -q 'libcuda\|libcupti\|libstdc' <(readelf -d "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so")
}

@test "copies and fills have their direction, memory, size and time, and waits theirs" {
  record --sampling=off copies 5
  # one that copies nothing has no record, and no time
  assert_equal "$(launches)" 'Memcpy DtoH (Device -> Pageable, 64 KiB to 1 MiB) cudaMemcpy 5
Memcpy HtoD (Pinned -> Device, 1 to 16 MiB) cudaMemcpyAsync upload 5
Memcpy cudaMemcpyAsync upload 5
Memset (under 4 KiB) cudaMemsetAsync fill 5
scale __cudaLaunchKernel run_once 5'
  grep -q '^# end samples 0 launches 25 lost 0$' r
  stackcollapse-aiflame --idle r 2> err | grep -v '^# ' > folded
  # in microseconds: each time is converted between clocks
  assert_equal "$(awk '!/^\[/ { us = $NF / 1000; sub(/.*;-;/, ""); sub(/ [0-9]*$/, ""); printf "%s %.0f\n", $0, us }' folded | sort)" \
    'Memcpy DtoH (Device -> Pageable, 64 KiB to 1 MiB)_[G] 500
Memcpy HtoD (Pinned -> Device, 1 to 16 MiB)_[G] 10000
Memset (under 4 KiB)_[G] 5
kernels.cu_[G];scale_[G] 500'
  assert_equal "$(sed -n 's/.*device 0: \([0-9]*\)\.\([0-9]*\) us: .*/\1\2/p' err)" "$(sum_of folded)"
  stackcollapse-aiflame --event gpu-wait r 2> err | grep -v '^# ' | sed 's/.*;//; s/ [0-9]*$//' > waits
  assert_equal "$(cat waits)" 'cuCtxSynchronize
cudaMemcpy'
}
