# SPDX-License-Identifier: MIT
# Device memory: gpustall-record --memory, and what stackcollapse-aiflame makes of it. Programs with
# planted allocations (tests/demo/planted_memory.h) print their own figures, and a recording has the
# same, to the byte.
# shellcheck disable=SC2012,SC2016,SC2154 # names of parts are digits; commands expand their own text; figures sets the numbers
load common
load await
load recording

setup() {
  setup_demo
  export XDG_CACHE_HOME=$PWD/cache
}

# memory OPTION…: what is drawn of r; messages in said
memory() { stackcollapse-aiflame --event gpu-memory "$@" r 2> said; }

# held OPTION…: FUNCTION BYTES, by the program's function
held() {
  memory "$@" | sed -n 's/^[^#].*;main;\([a-z_]*\);.* /\1 /p' | sort
}

# figures FILE: what the program printed, as $peak, $end, $allocations and $frees
figures() {
  local name value
  while read -r name value; do
    case $name in peak | end | allocations | frees) printf -v "$name" %s "$value" ;; esac
  done < "$1"
}

# assert_planted DEVICE: r has what the program's figures in out say
assert_planted() {
  figures out
  assert_equal "$(held | sed 's/ .*//' | paste -sd' ')" 'have_a_peak keep_weights leak_a_buffer'
  assert_equal "$(memory | sum_of)" "$peak"
  assert_equal "$(held --at end)" 'keep_weights 4000037
leak_a_buffer 1310740'
  assert_equal "$(memory --at end | sum_of)" "$end"
  memory > /dev/null
  [[ "$(cat said)" = "stackcollapse-aiflame: gpu-memory: 12.07 MiB in 12 blocks; \
$allocations allocations, $frees frees, 0 lost"* ]]
  assert_equal "$(memory --count --allocated | sum_of)" "$allocations"
  # the growth of a step is the leak, before and behind the peak
  local first start step at before=
  first=$(sed -n 's/^# slice \([0-9.]*\) .*/\1/p' r | head -1)
  for step in 4 5 14 15; do
    at=$(awk -v s="$step" '$1 == "step" && $2 == s { print $3 }' out)
    start=$(awk -v a="$at" -v b="$first" 'BEGIN { printf "%.9f", a - b }')
    assert_equal "$(memory --at "$start" | sum_of)" \
      "$(awk -v s="$step" '$1 == "step" && $2 == s { print $4 }' out)"
    memory --at "$start" > "step$step"
    [ -z "$before" ] || [ $((step - before)) -ne 1 ] ||
      assert_equal "$(($(sum_of "step$step") - $(sum_of "step$before")))" 65537
    before=$step
  done
}

@test "a program's peak, its end and what it leaks are those that it prints" {
  gpustall-record --memory -o r -- "$DEMO/cl_memory" > out 2> err
  assert_planted
  grep -qx 'gpustall-record: 143 allocations and frees of device memory; lost 0' err
  # buffers, an image and shared memory, and no views
  assert_equal "$(memory --allocated | sed -n 's/.*;\(cl[A-Za-z]*\) .*/\1/p' | sort | uniq -c |
    awk '{ print $2, $1 }')" 'clCreateBuffer 4
clCreateImage 1
clSVMAlloc 1'
  # the device's size is in the subtitle, and the unit in the header
  size=$(sed -n 's/^# memory 0 : \([0-9]*\) bytes$/\1/p' r)
  [ "$size" -gt 1000000 ]
  memory > r.folded
  assert_equal "$(head -1 r.folded)" '# aiflame: event gpu-memory, unit bytes'
  grep -qE '^# aiflame-note: peak 12\.07 MiB of [0-9.]+ [GT]iB on the device, 3 stacks$' r.folded
  aiflame-svg r.folded > r.svg
  grep -qE 'peak 12\.07 MiB of [0-9.]+ [GT]iB on the device, 3 stacks' r.svg
}

@test "the report names the leak's line" {
  gpustall-record --memory -o r -- "$DEMO/cl_memory" > out 2> err
  line=$(grep -n 'allocate(demo::kLeak)' "$AIFLAME_ROOT/tests/demo/cl_memory.cc" | cut -d: -f1)
  first=$(sed -n 's/^# slice \([0-9.]*\) .*/\1/p' r | head -1)
  for step in 14 15; do
    at=$(awk -v s="$step" -v b="$first" '$1 == "step" && $2 == s { printf "%.9f", $3 - b }' out)
    memory --at "$at" --srcline > "step$step"
  done
  aiflame-diff step14 step15 > grown
  run -0 aiflame-report --sections function --sort total grown
  # of what only some stacks have, what has grown; ~ has not
  grown=$(sed -n 's/.* +6\.7% .* \([a-z_]*:[a-z_.]*:[0-9]*\)$/\1/p' <<< "$output" | grep -v '^main:')
  assert_equal "${grown%:*}" leak_a_buffer:cl_memory.cc
  # the line of a return address: of the call, or the next one that has code, the function's last
  [ "${grown##*:}" -ge "$line" ]
  [ "${grown##*:}" -le $((line + 2)) ]
  grep -q '~  keep_weights:cl_memory.cc:' <<< "$output"
}

@test "without --memory nothing of memory is recorded" {
  gpustall-record -o r -- "$DEMO/cl_memory" > out 2> err
  run ! grep -E 'alloc|freed|released|^# memory' <(sed '/^\t/d; /cmdline\|build_id/d' r)
  run ! grep 'device memory' err
  run -0 --separate-stderr stackcollapse-aiflame --at peak r
  [ -z "$output" ]
  [[ $stderr = "stackcollapse-aiflame: warning: no recording has device memory; \
gpustall-record --memory records it"* ]]
}

@test "what was allocated before the recording is counted as it is freed" {
  gpustall-record --print-env --listen agents --memory > settings
  mapfile -t settings < settings
  grep -qx AIFLAME_MEMORY=1 settings
  mkfifo go
  relay out.live out '^ready$'
  relay live r '^# clock'
  env "${settings[@]}" CL_MEMORY="$PWD/go" "$DEMO/cl_memory" > out.live &
  program=$!
  await out.live
  gpustall-record --memory --sampling off -o live -p "$program" 2> err &
  recorder=$!
  await live
  release go
  wait "$program"
  wait "$recorder"
  copied live
  figures out
  # the weights were there before, and are freed at the end
  assert_equal "$(memory | sum_of)" "$peak"
  grep -qx '\[alloc not recorded\] 4000037' <(memory)
  grep -qE '^# aiflame-note: peak .*; 32 % was allocated before recording began$' <(memory)
  assert_equal "$(memory --at end | sum_of)" "$end"
}

@test "a process that was started without --memory cannot be asked for it" {
  gpustall-record --print-env --listen agents > settings
  mapfile -t settings < settings
  mkfifo go
  relay out.live out '^ready$'
  env "${settings[@]}" CL_MEMORY="$PWD/go" "$DEMO/cl_memory" > out.live &
  program=$!
  await out.live
  run -125 --separate-stderr gpustall-record --memory --sampling off -o r -p "$program"
  assert_equal "$stderr" "gpustall-record: option '--memory': the agent of process $program was \
started without it; pass it to --print-env"
  release go
  wait "$program"
}

@test "--memory is for agents" {
  for options in '-a' '--launch-stacks=uprobe true' '--launch-stacks=off true'; do
    # shellcheck disable=SC2086 # several words
    run -125 --separate-stderr gpustall-record --memory $options
    [[ $stderr = 'gpustall-record: --memory is for agents: not with -a, --launch-stacks=uprobe or off;'* ]]
  done
  run -125 --separate-stderr gpustall-record --memory --list
  [[ $stderr = 'gpustall-record: --memory is not for --list and --source replay;'* ]]
}

@test "a recording is written again byte for byte, and in parts" {
  gpustall-record --memory -o whole -- "$DEMO/cl_memory" > out 2> err
  gpustall-record --source replay --input whole -o again 2> err
  cmp whole again
  gpustall-record --source replay --input whole --switch-output=4K -o r 2> err
  [ "$(ls r.* | wc -l)" -gt 2 ]
  # each part has the calls that it names, and together they have all that was recorded
  for part in r.*; do
    awk '/^# gpustall/ { delete defined }
      /^# launch [0-9]/ { number = $3 } / gpu-alloc: $/ { defined[number] = 1 }
      /^# allocated/ && !($3 in defined) { print FILENAME ": call " $3; bad = 1 }
      END { exit bad }' "$part"
  done
  assert_equal "$(cat r.* | grep -E '^# (allocated|freed|released)' | sed 's/^# allocated [0-9]*//')" \
    "$(grep -E '^# (allocated|freed|released)' whole | sed 's/^# allocated [0-9]*//')"
  # what a part before has allocated is not known to the next ones
  cat r.* > all
  mv all r
  memory --at end > /dev/null
  grep -q "; 82 allocations, 61 frees, 0 lost" said
}

@test "two processes of a device count together, and one that has ended holds nothing" {
  gpustall-record --memory -o r -- sh -c '"$0"; "$0"' "$DEMO/cl_memory" > out 2> err
  figures out
  assert_equal "$(memory | sum_of)" "$peak"
  assert_equal "$(memory --at end | sum_of)" "$end"
  assert_equal "$(grep -c '^# released' r)" 2
}

# recording LINE…: a recording in r of two calls of one process that allocate
recording() {
  printf '%s\n' '# gpustall 1' '# process 7 : rank 3' '# launch 1' '' 'app 7/7 [000]  1.000000000:          1 gpu-alloc: ' \
    $'\t             300 clCreateBuffer+0x0 (/lib/libOpenCL.so.1)' $'\t             100 load+0x0 (/app)' \
    '' '# launch 2' '' 'app 7/8 [001]  1.000000000:          1 gpu-alloc: ' \
    $'\t             200 grow+0x0 (/app)' '' '# slice 1.000000000 2.000000000' "$@" > r
}

@test "each device has its own peak, and several are root frames" {
  recording '# memory 1 : 4096 bytes' '# allocated 1 1.1 0x10 100' '# freed 7 0 1.2 0x10 100' \
    '# allocated 2 1.3 0x10 1000' '# freed 7 1 1.4 0x10 ?' '# end samples 0 launches 0 lost 0' ''
  run -0 memory
  assert_equal "$output" '# aiflame: event gpu-memory, unit bytes
# aiflame-note: device 0: peak 100 bytes, 1 stack
# aiflame-note: device 1: peak 1,000 bytes of 4.000 KiB on the device, 1 stack
device 0;app;load;clCreateBuffer 100
device 1;app;grow 1000'
  assert_equal "$(cat said)" 'stackcollapse-aiflame: gpu-memory: 1.074 KiB in 2 blocks; 2 allocations, 2 frees, 0 lost'
  run -0 memory --count
  assert_equal "$output" '# aiflame: event gpu-memory, unit blocks
# aiflame-note: device 0: peak 100 bytes, 1 stack
# aiflame-note: device 1: peak 1,000 bytes of 4.000 KiB on the device, 1 stack
device 0;app;load;clCreateBuffer 1
device 1;app;grow 1'
  # filters choose of what the device had at its moment
  run -0 memory --devices 1
  assert_equal "$(sed '/^#/d' <<< "$output")" 'device 1;app;grow 1000'
  grep -q '; 2 allocations, 2 frees, 0 lost, 100 bytes filtered out$' said
  run -0 memory --tids 7
  assert_equal "$(sed '/^#/d' <<< "$output")" 'device 0;app;load;clCreateBuffer 100'
}

@test "a moment, intervals, roots and losses" {
  recording '# allocated 1 1.1 0x10 100' '# allocated 1 1.6 0x20 10' \
    '# app 7/7 [000] 2.0: PERF_RECORD_LOST lost 3 gpu-memory' \
    '# app 7/7 [000] 2.0: PERF_RECORD_LOST lost ? gpu-memory' '# end samples 0 launches 0 lost 0' ''
  assert_equal "$(memory --at 0.59 | sum_of)" 100
  assert_equal "$(memory --at 0.6 | sum_of)" 110
  assert_equal "$(memory --at 0 | sum_of)" 0
  run -0 memory --by-time 500 --root rank
  assert_equal "$(sed '/^#/d' <<< "$output")" '1.000;rank 3;app;load;clCreateBuffer 100
1.500;rank 3;app;load;clCreateBuffer 10'
  assert_equal "$(cat said)" 'stackcollapse-aiflame: warning: 3 and more allocations and frees were lost: blocks may be missing, or be freed already
stackcollapse-aiflame: gpu-memory: 110 bytes in 2 blocks; 2 allocations, 0 frees, 3 and more lost'
  run -0 memory --stats s --time 1.5,
  assert_equal "$(sed '/^#/d' <<< "$output")" 'app;load;clCreateBuffer 10'
  python3 -c 'import json
it = json.load(open("s"))
assert it["device"]["gpu-memory"]["bytes"] == 110 and it["device"]["gpu-memory"]["filtered"] == 100, it
assert (it["allocations"], it["frees"], it["lost_memory"], it["lost_memory_unknown"]) == (2, 0, 3, True), it'
}

@test "frees of unknown blocks, and addresses that are allocated twice" {
  recording '# freed 7 0 1.1 0x99 50' '# freed 7 0 1.2 0x98 ?' '# allocated 1 1.3 0x10 20' \
    '# allocated 1 1.4 0x10 10' '# end samples 0 launches 0 lost 0' ''
  run -0 memory
  assert_equal "$output" '# aiflame: event gpu-memory, unit bytes
# aiflame-note: peak 50 bytes, 1 stack; 100 % was allocated before recording began
[alloc not recorded] 50'
  assert_equal "$(sed '$d' said)" 'stackcollapse-aiflame: warning: 1 block allocated again without having been freed
stackcollapse-aiflame: warning: 1 block of unknown size in [alloc not recorded]'
  assert_equal "$(memory --at end | sed '/^#/d')" 'app;load;clCreateBuffer 10'
  # of several recordings each has its own moment
  cp r other
  run -0 --separate-stderr stackcollapse-aiflame --at end r other
  assert_equal "$output" '# aiflame: event gpu-memory, unit bytes
# aiflame-note: r: at the end 10 bytes, 1 stack
# aiflame-note: other: at the end 10 bytes, 1 stack
app;load;clCreateBuffer 20'
}

@test "what contradicts itself is an error with its line" {
  recording '# allocated 3 1.1 0x10 100'
  run -1 --separate-stderr memory
  assert_equal "$(cat said)" 'stackcollapse-aiflame: r:15: launch 3 is not known'
  recording '# allocated 1 1.1 0x10 1e3'
  run -1 --separate-stderr memory
  assert_equal "$(cat said)" "stackcollapse-aiflame: r:15: expected '# allocated N TIME ADDRESS BYTES'"
  # a call that allocates launches nothing
  recording '# launched 1 1 -'
  run -1 --separate-stderr memory
  assert_equal "$(cat said)" 'stackcollapse-aiflame: r:15: launch 1 is not known'
}

@test "options that exclude each other" {
  assert_usage_error stackcollapse-aiflame --at soon
  assert_usage_error stackcollapse-aiflame --at peak --allocated
  assert_usage_error stackcollapse-aiflame --event gpu-time --count
  [[ $stderr = "stackcollapse-aiflame: option '--count' draws gpu-memory, not 'gpu-time';"* ]]
  assert_usage_error stackcollapse-aiflame --event gpu-memory --cpu
  assert_usage_error stackcollapse-aiflame --at peak --idle
}

@test "Level Zero: memory of the device, and what it shares with the host" {
  [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero/libze_tracing_layer.so.1" ] ||
    skip 'libze-dev is not installed: there is no Level Zero agent'
  ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so \
    gpustall-record --memory --source opencl-cpu -o r -- "$DEMO/ze_launches" memory 10 > out 2> err
  figures out
  assert_equal "$(memory | sum_of)" "$peak"
  assert_equal "$(memory --at end | sum_of)" "$end"
  assert_equal "$(memory | sed -n 's/.*;main;\(.*\)/\1/p' | sed 's/(anonymous namespace):://g; s/plant_memory;//; s/shared_memory;//')" \
    'have_a_peak;zeMemAllocDevice 8000009
hold_weights;zeMemAllocDevice 4000037
leak_shared;zeMemAllocShared 327680'
  grep -q "; $allocations allocations, $frees frees, 0 lost" said
}

# ---- CUDA, on stand-ins for the driver and CUPTI ---------------------------------------------------

# cuda [OPTION…] -- MODE…: records cuda_memory into r
cuda() {
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] ||
    skip 'there are no headers of CUPTI in CUDA_HOME: there is no CUPTI agent'
  export FAKE_NVIDIA=$PWD/nvidia
  mkdir -p nvidia/dev nvidia/proc/driver/nvidia/gpus/0000:3d:00.0
  : > nvidia/dev/nvidiactl
  printf 'Model: \t\t NVIDIA Stand-in\nBus Location: \t 0000:3d:00.0\n' \
    > nvidia/proc/driver/nvidia/gpus/0000:3d:00.0/information
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  # a sanitizer's library must be loaded before preloaded ones
  ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0 \
    LD_LIBRARY_PATH=$AIFLAME_BUILD/tests/cuda LD_PRELOAD=$AIFLAME_BUILD/tests/cuda/libnvidia-files.so \
    gpustall-record --source cupti "${options[@]}" -o r -- "$DEMO/cuda_memory" "$@" > out 2> err
}

@test "CUDA: a program's peak, its end and what it leaks are those that it prints" {
  cuda --memory --
  assert_planted
  assert_equal "$(memory --allocated | sed -n 's/.*;\(cu[A-Za-z]*\) .*/\1/p' | sort | uniq -c |
    awk '{ print $2, $1 }')" 'cuMemAlloc 2
cuMemAllocAsync 1
cuMemAllocFromPoolAsync 1
cuMemAllocManaged 1
cuMemAllocPitch 1'
  grep -qx '# memory 0 : 85899345920 bytes' r
  grep -qx '# aiflame-note: peak 12.07 MiB of 80.00 GiB on the device, 3 stacks' <(memory)
  # the runtime's call has the driver's inside
  memory | grep -q ';leak_a_buffer;cudaMalloc;cuMemAlloc 655370$'
  # a failed call is none, and a free says how much it frees
  run ! grep -E '^# freed .* \?$' r
  cuda --
  run ! grep -E '^# (allocated|freed|memory)' r
}

@test "CUDA: two devices, and memory that is not recorded" {
  cuda --memory -- two
  assert_equal "$(memory | grep -c '^# aiflame-note: device')" 2
  assert_equal "$(memory | sed -n 's/^device .* //p')" '1000
2000'
  cuda --memory -- create
  grep -qE "^gpustall-record: warning: process [0-9]+: memory of cuMemCreate is not recorded: PyTorch has it with expandable segments$" err
  assert_equal "$(grep -c cuMemCreate err)" 1
  # a captured call allocates nothing, however often the graph is launched afterwards
  cuda --memory -- graph
  assert_equal "$(grep -c '^# allocated ' r) $(grep -c '^# freed ' r)" '2 1'
  assert_equal "$(stackcollapse-aiflame --at end r 2> /dev/null | sed -n 's/.*;\(.*;.*\)/\1/p')" 'hold;cuMemAllocAsync 1000'
  grep -qE "^gpustall-record: warning: process [0-9]+: memory that CUDA graphs allocate is not recorded$" err
  assert_equal "$(grep -c 'graphs allocate' err)" 1
}
