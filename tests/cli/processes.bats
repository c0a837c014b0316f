# SPDX-License-Identifier: MIT
# Programs of several processes, and programs in other namespaces: workers of Python's
# multiprocessing, and containers, recorded from outside.
load common
load await
load fake_xe
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so XDG_CACHE_HOME=$PWD/cache
  export ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so
}

level_zero() { [ -e "$ZE_ENABLE_ALT_DRIVERS" ] || skip 'libze-dev is not installed'; }

# samples_of NAME: the samples of r that stand under this name of a process
samples_of() { awk -v name="$1" '$1 == name && / gpu-clock: *$/ { n += $(NF - 1) } END { print n + 0 }' r; }

# workers API METHOD: the parent launches 3 times, each of two workers 5 times, the parent 2 times
workers() {
  skip_without python3
  local program=("$AIFLAME_ROOT/tests/demo/workers.py" "$1" "$2")
  python3 "${program[@]}" > alone
  gpustall-record --source opencl-cpu -o r -- python3 "${program[@]}" > recorded 2> err
  diff alone recorded
  grep -qx '# end samples 0 launches 15 lost 0' r
  # launches by process, from the recording's launch numbers and counts
  assert_equal "$(awk '/^# launch [0-9]/ { number = $3 }
    /gpu-launch:/ { split($2, id, "/"); of[number] = id[1] }
    /^# launched / { n[of[$3]] += $4 } END { for (pid in n) print n[pid] }' r | sort -n)" '5
5
5'
}

@test "multiprocessing by fork, with OpenCL" { workers opencl fork; }
@test "multiprocessing by spawn, with OpenCL" { workers opencl spawn; }
@test "multiprocessing by a fork server, with OpenCL" { workers opencl forkserver; }

@test "samples before and after an exec stand under the program that ran" {
  unset OCL_ICD_VENDORS
  cp "$AIFLAME_BUILD/tests/demo/execs" before
  cp before after
  gpustall-record -o r -- ./before 4 ./after 4 2> err
  local total before after
  total=$(sed -n 's/^# end samples \([0-9]*\) launches 8 lost 0$/\1/p' r)
  before=$(samples_of before) after=$(samples_of after)
  [ "$before" -gt 0 ] && [ "$after" -gt 0 ]
  assert_equal "$((before + after))" "$total"
  # each sample is of a launch of its own program
  stackcollapse-aiflame r 2> said | grep -v '^# ' > folded
  grep -q ": $total exact, 0 apportioned, 0 unattributed, 0 lost;" said
  assert_equal "$(awk -F';' '{ n[$1] += $NF ~ / / ? substr($NF, index($NF, " ")) : 0 } END { print n["before"], n["after"] }' folded)" \
    "$before $after"
  # by its process: both programs were one
  assert_equal "$(awk '/ gpu-clock: *$/ { print $2 }' r | sort -u | wc -l)" 1
}

@test "multiprocessing by fork, with Level Zero" {
  level_zero
  workers level-zero fork
}

@test "multiprocessing by spawn, with Level Zero" {
  level_zero
  workers level-zero spawn
}

@test "multiprocessing by a fork server, with Level Zero" {
  level_zero
  workers level-zero forkserver
}

# ---- containers --------------------------------------------------------------------------------

# container: a command in `inside` has its own process numbers from 1 and its own mounts, one of them
# $PWD/hidden, which nobody outside sees
container() {
  [ "$(id -u)" -eq 0 ] || skip 'namespaces need root'
  unshare -pm --fork true 2> err || skip "no namespaces here: $(cat err)"
  mkdir -p visible hidden
  # $$ is 1 inside the container
  printf '%s\n' '#!/bin/sh' "mount --bind $PWD/visible $PWD/hidden || exit 9" "cd $PWD/hidden" \
    "echo \"\$\$\" > ../inside.pid" 'exec "$@"' > inside
  chmod +x inside
  inside=(unshare -pm --fork --mount-proc --propagation private "$PWD/inside")
  # it lives until the recorder has all that only this process can show
  export ZE_LAUNCHED=$PWD/launched
  mkfifo launched
}

# named: the program's functions have names, from the file that only its own mounts show
named() {
  assert_equal "$(awk '/gpu-launch:/ { on = 1; next } /^$/ { on = 0 }
    on && $2 ~ /^run_/ { sub(/[+].*/, "", $2); print $2, $3 }' r | sort -u)" \
    "run_once ($PWD/hidden/ze_launches-fp)
run_thrice ($PWD/hidden/ze_launches-fp)"
}

# outer: the process's number outside the container
outer() {
  local pid
  pid=$(launchers | cut -d/ -f1 | sort -u)
  # also the number of its only thread
  assert_equal "$(launchers)" "$pid/$pid"
  assert_equal "$(cat inside.pid)" 1
  [ "$pid" -gt 1 ]
  grep -q "^# ze_launches.* $pid/$pid .*PERF_RECORD_MMAP2" r || [ -n "${1:-}" ]
}

# record_inside ARGUMENT…: records into r, and lets the programs end when the recording has both of
# their functions
record_inside() {
  local recorder
  relay live r ' run_(once|thrice)\+0x' ' run_(once|thrice)\+0x'
  gpustall-record --source opencl-cpu -o live "$@" > out 2> err &
  recorder=$!
  await live
  await live
  release launched
  wait "$recorder"
  copied live
}

@test "a container: an agent in it reports, under the numbers and paths of outside" {
  level_zero
  container
  cp "$AIFLAME_BUILD/tests/demo/ze_launches-fp" visible
  record_inside -- "${inside[@]}" ./ze_launches-fp immediate 50
  grep -qx '# end samples 0 launches 200 lost 0' r
  named
  outer
  # the saved code, by its name outside the container
  local object
  object=$(objects | head -n 1)
  [ -s "$object" ]
}

@test "two containers that have different programs under one name" {
  level_zero
  container
  mkdir other
  cp "$AIFLAME_BUILD/tests/demo/ze_launches-fp" visible/program
  cp "$AIFLAME_BUILD/tests/demo/ze_launches-dlopen" other/program
  sed "s/visible/other/; s/inside.pid/other.pid/" inside > inside2
  chmod +x inside2
  mkfifo go go2 launched2
  relay out.live out '^ready$' '^ready$'
  relay live r ' run_(once|thrice)\+0x' ' run_(once|thrice)\+0x' ' run_(once|thrice)\+0x' ' run_(once|thrice)\+0x'
  gpustall-record --source opencl-cpu -o live -- sh -c 'ZE_LAUNCH=$PWD/go "$@" ./inside ./program immediate 50 &
    ZE_LAUNCH=$PWD/go2 ZE_LAUNCHED=$PWD/launched2 "$@" ./inside2 ./program immediate 50 & wait' \
    sh "${inside[@]::${#inside[@]}-1}" > out.live 2>&1 &
  local recorder=$! i
  # both run while the recorder looks at them
  await out.live
  await out.live
  release go
  release go2
  for i in 1 2 3 4; do await live; done
  release launched
  release launched2
  wait "$recorder"
  copied live
  grep -qx '# end samples 0 launches 400 lost 0' r
  # each of the two processes has both functions
  assert_equal "$(awk '/gpu-launch:/ { pid = $2; next } /^$/ { pid = "" }
    pid && $2 ~ /^run_/ { sub(/[+].*/, "", $2); seen[pid " " $2 " " $3] = 1 }
    END { for (each in seen) print each }' r | cut -d' ' -f2- | sort | uniq -c | sed 's/^ *//')" \
    "2 run_once ($PWD/hidden/program)
2 run_thrice ($PWD/hidden/program)"
}

@test "a container: stalls are drawn with its stacks" {
  level_zero
  container
  cp "$AIFLAME_BUILD/tests/demo/ze_launches-fp" visible
  export FAKE_XE=$PWD
  battlemage
  # the stalls come after the launches are named, and the program ends after they are recorded
  printf '%s\n' 'tick begin' 'row 0 0xfffe0010 sbid=200' 'row 1 0xfffe0010 sbid=200' tick >> script
  relay live r ' run_(once|thrice)\+0x' ' run_(once|thrice)\+0x' 'gpu-stall: $'
  recorder -o live -- "${inside[@]}" ./ze_launches-fp immediate 50 > out 2> err &
  local recorder=$!
  await live
  await live
  touch begin
  await live
  release launched
  wait "$recorder"
  copied live
  assert_equal "$(stackcollapse-aiflame r 2> stats | stacks | sed 's/^.*;main;//; s/-;.*;0x/-;0x/')" \
    'run_once;zeCommandListAppendLaunchKernel;-;0x10_[g] 100
run_thrice;zeCommandListAppendLaunchKernel;-;0x10_[g] 300'
  grep -q '400 samples: 0 exact, 400 apportioned (400 by number of launches), 0 unattributed, 0 lost' stats
}

@test "a container that runs already: uprobes on its own copy of the loader" {
  level_zero
  container
  [ -e /sys/bus/event_source/devices/uprobe/type ] || skip 'this kernel has no uprobes'
  cp "$AIFLAME_BUILD/tests/demo/ze_launches-fp" visible
  cp -L /usr/lib/x86_64-linux-gnu/libze_loader.so.1 visible
  mkfifo go
  relay out.live out '^ready$'
  ZE_LAUNCH=$PWD/go LD_LIBRARY_PATH=$PWD/hidden "${inside[@]}" ./ze_launches-fp immediate 50 > out.live &
  local traced=$! pid
  await out.live
  # the program itself, not the process that started it
  pid=$(grep -ls hidden/libze_loader /proc/[0-9]*/maps | head -n 1 | tr -dc 0-9)
  [ -n "$pid" ]
  relay live r '^# device' ' run_(once|thrice)\+0x' ' run_(once|thrice)\+0x'
  gpustall-record --source opencl-cpu -o live -p "$pid" 2> err &
  local recorder=$!
  await live
  release go
  await live
  await live
  release launched
  wait "$traced"
  wait "$recorder"
  copied live
  grep -qx '# end samples 0 launches 200 lost 0' r
  named
  outer no-code
  grep -q "zeCommandListAppendLaunchKernel+0x0 ($PWD/hidden/libze_loader.so.1)" r
}
