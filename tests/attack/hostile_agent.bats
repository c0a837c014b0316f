# SPDX-License-Identifier: MIT
# Recorded programs whose agents lie (hostile_agent.cc): without end, in wrong sizes, at wrong times.
# Whatever they do, the recorder stays small and ends in time, says what it dropped, and keeps what
# a well-behaved program beside them does.
load attack
load ../cli/recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti.so" ] ||
    skip 'there are no headers of CUPTI in CUDA_HOME: no source takes the agents'"' samples"
  export FAKE_NVIDIA=$PWD/nvidia
  mkdir -p nvidia/{dev,sys/bus/pci/devices} nvidia/proc/driver/nvidia/gpus/0000:3d:00.0
  : > nvidia/dev/nvidiactl
  printf 'Model: \t\t NVIDIA Stand-in\nBus Location: \t 0000:3d:00.0\n' \
    > nvidia/proc/driver/nvidia/gpus/0000:3d:00.0/information
  # a sanitizer's library must be loaded before preloaded ones
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
  program=$AIFLAME_BUILD/tests/attack/hostile_agent
}

# attack NAME COUNT [PROCESSES]: records it beside 2000 launches of an honest program into ./r, with
# messages in ./err. The recorder has 30 s and, as its programs, 256 MB.
attack() {
  LD_PRELOAD=$AIFLAME_BUILD/tests/cuda/libnvidia-files.so LD_LIBRARY_PATH=$AIFLAME_BUILD/tests/cuda \
    seconds=$(scale 30 600) python3 - "$program" "$@" << 'END'
import os, resource, sys
program, attack = sys.argv[1], " ".join(sys.argv[2:])
recorder = ["timeout", "-k5", os.environ["seconds"], "gpustall-record", "--source", "cupti", "--objects", "objects", "-o", "r", "--", "sh", "-c",
            f"unset LD_PRELOAD; {program} honest 2000 & {program} {attack}; status=$?; wait; exit $status"]
child = os.fork()
if child == 0:
    os.dup2(os.open("err", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), 2)
    os.execvp(recorder[0], recorder)
_, status, usage = os.wait4(child, 0)
with open("memory", "w") as out:
    print(usage.ru_maxrss // 1024, file=out)
sys.exit(os.waitstatus_to_exitcode(status))
END
  local memory
  memory=$(cat memory)
  echo "$1: $memory MB" >&2
  is_sanitized || [ "$memory" -lt 256 ]
  assert_equal "$(launches_of honest_kernel)" 2000
  stackcollapse-aiflame r > folded 2> collapsed || { tail -n 3 collapsed >&2; return 1; }
}

# launches_of KERNEL: how often it was launched, in ./r
launches_of() {
  awk -v kernel="$1" '/^# launch [0-9]/ { number = $3 }
    /^\t/ && $2 ~ "^" kernel "(\\+0x0)?$" { is[number] = 1 }
    /^# launched / && is[$3] { count += $4 } END { print count + 0 }' r
}

# lost_launches: as reported in ./r
lost_launches() { awk '/ PERF_RECORD_LOST lost [0-9]+ gpu-launch$/ { n += $(NF - 1) } END { printf "%d\n", n }' r; }

# said LINE: it is in ./err
said() {
  grep -qE "^gpustall-record: $1\$" err && return
  cat err >&2
  return 1
}

# dropped WHAT MEANING: it was said how many were dropped, of which process
dropped() { said "warning: [0-9]+ $1 of process [0-9]+ were not kept: $2"; }

@test "mappings without end" {
  attack mappings "$(scale 40000 1000000)"
  dropped mappings 'functions in them read \[unknown\]'
}

@test "names of kernels without end: each launch is captured or lost" {
  made=$(scale 20000 300000)
  attack names "$made"
  dropped 'kernel names' 'launches of those kernels are counted as lost'
  assert_equal $(($(at_end launches) + $(lost_launches))) $((made + 2000))
}

@test "stacks without end: each launch is captured or lost" {
  made=$(scale 3000 300000)
  attack stacks "$made"
  dropped frames 'they read \[unknown\]'
  assert_equal $(($(at_end launches) + $(lost_launches))) $((made + 2000))
}

@test "addresses without end that nothing is mapped at: each launch is captured or lost" {
  made=$(scale 5000 100000)
  attack unmapped "$made"
  [ -n "${SOAK:-}" ] || assert_equal "$(lost_launches)" 0
  assert_equal $(($(at_end launches) + $(lost_launches))) $((made + 2000))
}

@test "launches that do not end are counted" {
  made=$(scale 200000 10000000)
  attack launches "$made"
  dropped 'launches that had not ended' 'they are counted, but not their device time'
  assert_equal "$(launches_of endless)" "$made"
}

@test "Python functions without end" {
  attack texts "$(scale 20000 300000)"
  dropped 'Python functions' 'their frames read \[unknown\]'
}

@test "devices, Pythons and stall reasons without end" {
  attack devices "$(scale 20000 1000000)"
  dropped 'lines of agents' 'they are not shown'
  [ "$(grep -c '^# device ' r)" -le 512 ]
  attack reasons "$(scale 50000 1000000)"
}

@test "lines for the user without end, and none that steers the terminal" {
  attack messages "$(scale 5000 300000)"
  dropped 'lines of agents' 'they are not shown'
  [ "$(wc -l < err)" -le 512 ]
  run -1 grep -aP '\x1b' err
}

@test "losses beyond all numbers are an unknown number" {
  attack lost "$(scale 30000 1000000)" 2
  grep -q 'PERF_RECORD_LOST lost ? gpu-launch$' r
  assert_equal "$(at_end lost)" '?'
  grep -qE 'lost .*, an unknown number of launches' err
}

@test "times long ago and far in the future" {
  attack times "$(scale 50000 1000000)"
}

@test "records of sizes that no record has" {
  attack sizes "$(scale 20 200)"
  said "warning: process [0-9]+: its agent's records make no sense; ignored from here on"
}

@test "records that change while they are read" {
  attack rewriting "$(scale 10000 1000000)"
}

@test "code objects without end" {
  attack objects "$(scale 1000 50000)"
  attack same-object "$(scale 2000 50000)"
  dropped 'code objects' 'samples in them are of unknown code'
  attack unloads "$(scale 20000 1000000)"
}

@test "large code objects: neither memory nor disk is filled" {
  attack large-objects "$(scale 5 500)"
  attack sparse-objects "$(scale 4 50)"
  [ "$(du -sm objects | cut -f1)" -lt 1200 ]
}

@test "code objects without seals, or shorter than announced" {
  attack bad-objects "$(scale 500 50000)"
  dropped 'code objects' 'samples in them are of unknown code'
}

@test "slices without end" {
  attack drained "$(scale 50000 1000000)"
}

@test "samples without end, each of 4294967295: they are captured or lost" {
  made=$(scale 500000 10000000)
  attack samples "$made"
  # awk's numbers are exact up to 2^53 only
  lost=$(($(sed -n 's/.* PERF_RECORD_LOST lost \([0-9]*\)$/\1 +/p' r) 0))
  assert_equal $(($(at_end samples) + lost)) $((made * 4294967295))
}

@test "several attackers at once" {
  attack stacks "$(scale 500 40000)" 4
  attack launches "$(scale 50000 1000000)" 4
  attack samples "$(scale 50000 1000000)" 4
}

@test "ten million launches of one program: captured or lost, in the same memory" {
  made=$(scale 200000 10000000)
  attack busy "$made"
  is_sanitized || [ "$(cat memory)" -lt 96 ]
  assert_equal "$(launches_of busy_kernel)" "$made"
  run -1 grep 'not kept' err
}
