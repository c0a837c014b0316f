# SPDX-License-Identifier: MIT
# Launches seen from outside, by real uprobes: programs that are already running, and the whole
# system. The programs have frame pointers, because without them the kernel's stacks end early.
# The system's launches are counted, and a recorder takes away the probes of any that was killed:
# bats file_tags=alone
load common
load await
load fake_xe
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  skip_without_uprobes
  export XDG_CACHE_HOME=$PWD/cache
}

level_zero() {
  [ -e "$AIFLAME_BUILD/tests/demo/ze_launches-fp" ] || skip 'libze-dev is not installed'
  export ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so
  program=$AIFLAME_BUILD/tests/demo/ze_launches-fp
}

# attached BEFORE OPTION… -- MODE…: the program waits until it is recorded into r. BEFORE says where:
# ZE_START (it has done nothing) or ZE_LAUNCH (it has made all it needs). It ends once the recording
# has had a line like each of $shown, in that order.
shown=()
attached() {
  local variable=$1 options=()
  shift
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  rm -f go out.live* live*
  mkfifo go
  relay out.live out '^ready$'
  relay live r '^# device' "${shown[@]}"
  if [ ${#shown[@]} -gt 0 ]; then
    mkfifo launched
    export ZE_LAUNCHED=$PWD/launched
  fi
  env "$variable=$PWD/go" "$program" "$@" > out.live &
  local traced=$!
  await out.live
  [ "${options[*]: -1}" != -p ] || options+=("$traced")
  "${preload[@]}" gpustall-record --objects objects -o live "${options[@]}" 2> err &
  local recorder=$!
  await live
  release go
  if [ ${#shown[@]} -gt 0 ]; then
    local each
    for each in "${shown[@]}"; do await live; done
    release launched
  fi
  wait "$traced"
  kill -INT "$recorder" 2> kill.err || true # with -p it may have ended by itself
  wait "$recorder"
  copied live
  grep -q '^# end' r
}

@test "Level Zero: a program that runs already, before it makes its kernels" {
  level_zero
  attached ZE_START --source opencl-cpu -p -- immediate 50
  assert_equal "$(launches)" 'iterate ListAppendLaunchKernel run_once 50
iterate ListAppendLaunchKernel run_thrice 150'
  grep -x '# end samples 0 launches 200 lost 0' r
}

@test "Level Zero: a kernel's name is read at the call, also from the heap" {
  level_zero
  attached ZE_START --source opencl-cpu -p -- immediate 5 a_name_that_is_too_long_for_the_stack
  assert_equal "$(launches)" \
    'a_name_that_is_too_long_for_the_stack ListAppendLaunchKernel run_once 5
a_name_that_is_too_long_for_the_stack ListAppendLaunchKernel run_thrice 15'
}

@test "Level Zero: handles on the heap, and one place for several, of which the last is known" {
  level_zero
  shown=(' again_3 ') # the last handle; the recorder has then read the handles of all
  attached ZE_START --source opencl-cpu -p -- heap 4
  assert_equal "$(launches)" '[unknown kernel] ListAppendLaunchKernel run_once heap 3
again_3 ListAppendLaunchKernel run_once heap 1
kernel_0 ListAppendLaunchKernel run_once heap 1
kernel_1 ListAppendLaunchKernel run_once heap 1
kernel_2 ListAppendLaunchKernel run_once heap 1
kernel_3 ListAppendLaunchKernel run_once heap 1'
}

@test "Level Zero: a list that is executed 100 times" {
  level_zero
  attached ZE_START --source opencl-cpu -p -- list 100
  assert_equal "$(launches)" \
    'add ListAppendLaunchKernel record_add [command list] QueueExecuteCommandLists submit 200
scale ListAppendLaunchKernel record_scale [command list] QueueExecuteCommandLists submit 100'
}

@test "Level Zero: the content of a list that was reset or destroyed is not launched" {
  level_zero
  attached ZE_START --source opencl-cpu -p -- forget
  assert_equal "$(launches)" \
    'add ListAppendLaunchKernel record_add [command list] QueueExecuteCommandLists submit 2'
}

@test "Level Zero: each function that launches" {
  level_zero
  attached ZE_START --source opencl-cpu -p -- functions
  assert_equal "$(launches)" 'add ListAppendLaunchMultipleKernelsIndirect 1
scale ListAppendLaunchCooperativeKernel 1
scale ListAppendLaunchKernel 1
scale ListAppendLaunchKernelIndirect 1
scale ListAppendLaunchMultipleKernelsIndirect 1'
}

@test "Level Zero: functions that are newer than the headers, where the loader has them" {
  level_zero
  skip_without_ze_function zeCommandListAppendLaunchKernelWithArguments 1.26
  attached ZE_START --source opencl-cpu -p -- newer
  # a clone's content is not known
  assert_equal "$(launches)" '[unknown kernel] QueueExecuteCommandLists submit 1
scale ListAppendLaunchKernel record_scale [command list] ListImmediateAppendCommandListsExp 1
scale ListAppendLaunchKernelWithArguments 1
scale ListAppendLaunchKernelWithParameters 1'
}

@test "Level Zero: kernels made before the recording are known by their callers alone" {
  level_zero
  attached ZE_LAUNCH --source opencl-cpu -p -- immediate 50
  assert_equal "$(launches)" '[unknown kernel] ListAppendLaunchKernel run_once 50
[unknown kernel] ListAppendLaunchKernel run_thrice 150'
  # the number of kernels in a list is not known either
  attached ZE_LAUNCH --source opencl-cpu -p -- list 10
  assert_equal "$(launches)" '[unknown kernel] QueueExecuteCommandLists submit 10'
}

@test "Level Zero: a child of the process" {
  level_zero
  attached ZE_START --source opencl-cpu -p -- fork 5
  assert_equal "$(launches)" 'iterate ListAppendLaunchKernel run_once 10'
  assert_equal "$(launchers | wc -l)" 2
}

@test "Level Zero: the whole system" {
  level_zero
  battlemage
  shown=(' run_thrice[+]0x' ' run_once[+]0x')
  FAKE_XE=$PWD attached ZE_START -a -- immediate 50
  assert_equal "$(launches | grep iterate)" 'iterate ListAppendLaunchKernel run_once 50
iterate ListAppendLaunchKernel run_thrice 150'
}

@test "stalls of a running process are presumed to be of its launches, and a line says so" {
  level_zero
  export FAKE_XE=$PWD
  battlemage
  export ZE_LAUNCHED=$PWD/launched
  mkfifo launched
  printf '%s\n' 'hold launched' 'row 0 0xfffe0010 sbid=200' 'row 1 0xfffe0010 sbid=200' tick release \
    >> script
  # one slice, which contains all launches
  attached ZE_START --interval 60000 -p -- immediate 50
  assert_equal "$(grep -c 'fffe0010 \[unknown\]' r)" 1
  stackcollapse-aiflame r 2> stats | stacks > folded
  assert_equal "$(cat folded)" '[device];[presumed];-;[unknown kernel]_[G];sbid_[g] 400'
  grep '400 samples: 0 exact, 0 apportioned, 400 presumed, 0 unattributed, 0 lost' stats
}

@test "OpenCL: a command, and its child, by uprobes" {
  skip_unless_samples
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
  gpustall-record --source opencl-cpu --launch-stacks=uprobe -o r -- \
    "$AIFLAME_BUILD/tests/demo/forks-fp" > out 2> err
  assert_equal "$(launches | sed 's/(.*launch/launch/')" 'scale clEnqueueNDRangeKernel launch 10'
}

@test "probes that a killed recorder left are taken away by the next" {
  level_zero
  local events=/sys/kernel/tracing/uprobe_events
  [ -e $events ] || skip 'tracefs is elsewhere'
  relay live r '^# device'
  gpustall-record --source opencl-cpu --objects objects -o live -a 2> err &
  local recorder=$!
  await live
  grep -q "aiflame/p${recorder}_" $events
  kill -KILL "$recorder"
  wait "$recorder" || true
  grep -q "aiflame/p${recorder}_" $events
  gpustall-record --source opencl-cpu --objects objects --launch-stacks=uprobe -o r -- true 2> err
  run ! grep "aiflame/p${recorder}_" $events
}

# probed PROCESS SIGNAL [TO]: records the process until the recorder, or TO, has the signal, and
# checks that the recorder had probes and that none of them is left
probed() {
  local events=/sys/kernel/tracing/uprobe_events
  [ -e $events ] || skip 'tracefs is elsewhere'
  relay live r '^# device'
  gpustall-record --source opencl-cpu --objects objects -o live -p "$1" 2> err &
  local recorder=$!
  await live
  grep -q ":aiflame/p${recorder}_" $events
  kill "-$2" "${3:-$recorder}"
  wait "$recorder"
  copied live
  grep -q '^# end' r
  run ! grep ":aiflame/p${recorder}_" $events
}

@test "detaching leaves no probe behind" {
  sleep 60 &
  local traced=$!
  probed "$traced" INT
  kill "$traced"
}

@test "the end of the process ends the recording, and leaves no probe behind" {
  sleep 60 &
  probed $! KILL $!
}

@test "a process that has ended is a mistake, whether it is sampled or not" {
  sh -c 'echo $$' > ended
  for sampling in '' --sampling=off; do
    # shellcheck disable=SC2086 # empty means no argument
    run gpustall-record --source opencl-cpu $sampling -o r -p "$(cat ended)"
    assert_equal "$status" 125
    assert_equal "$output" "gpustall-record: no process $(cat ended)"
  done
  [ ! -e r ]
}

@test "one perf event has the probes of many functions, since the kernel is slow to close each" {
  local events=/sys/kernel/tracing/uprobe_events
  [ -e $events ] || skip 'tracefs is elsewhere'
  level_zero
  relay live r '^# device'
  gpustall-record --source opencl-cpu --objects objects -o live -a 2> err &
  local recorder=$!
  await live
  grep ":aiflame/p${recorder}_" $events > defined
  kill -INT "$recorder"
  wait "$recorder"
  [ "$(wc -l < defined)" -ge 15 ]
  [ "$(cut -d' ' -f1 defined | sort -u | wc -l)" -le 5 ]
}
