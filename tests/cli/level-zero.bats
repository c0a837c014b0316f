# SPDX-License-Identifier: MIT
# The Level Zero agent: the installed loader with the tests' own driver (tests/fakes/level-zero),
# which executes nothing. Intel's driver is in intel_driver.bats.
load common
load fake_xe
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero/libze_tracing_layer.so.1" ] ||
    skip 'libze-dev is not installed: there is no Level Zero agent'
  export ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so
  export XDG_CACHE_HOME=$PWD/cache
  program=$AIFLAME_BUILD/tests/demo/ze_launches
}

# record MODE...: records the program into r, and discards its output
record() { gpustall-record --source opencl-cpu -o r -- "$program" "$@" 2> err; }

# kernels: prints ADDRESS KERNEL of each launch
kernels() { awk '/gpu-launch:/ { getline; sub(/\+0x.*/, "", $2); print $1, $2 }' r | sort -u; }

# launched: the last record's number of launches; fails if something was lost
launched() {
  local end
  end=$(grep '^# end' r)
  [[ $end == *' lost 0' ]] && [[ $end =~ launches\ ([0-9]+) ]] && echo "${BASH_REMATCH[1]}"
}

# launched_or_lost: the last record's number of launches plus the reported losses
launched_or_lost() {
  awk '/PERF_RECORD_LOST lost [0-9]+ gpu-launch$/ { n += $(NF - 1) }
       /^# end/ { for (i = 1; i < NF; ++i) if ($i == "launches") n += $(i + 1) } END { print n }' r
}

@test "a kernel launched from two places, three times as often from one" {
  record immediate 50
  assert_equal "$(launches)" 'iterate ListAppendLaunchKernel run_once 50
iterate ListAppendLaunchKernel run_thrice 150'
  assert_equal "$(launched)" 200
}

@test "--ranges shows what is open at launches on an immediate list" {
  gpustall-record --source opencl-cpu --number-ranges decode -o r -- "$program" ranges 2 2> err
  assert_equal "$(launches)" 'iterate ListAppendLaunchKernel decode #1 run_once 1
iterate ListAppendLaunchKernel decode #2 run_once 1
iterate ListAppendLaunchKernel run_once 2'
  assert_equal "$(launched)" 4
}

@test "the size of each launch: groups of what zeKernelSetGroupSize says, also of lists" {
  for mode in sizes-immediate sizes-list; do
    record $mode 2
    assert_equal "$(awk '/^# size/ { $3 = "N"; print }' r | sort)" \
      '# size N items 64x32x1 group 16x16x1
# size N items 8x8x3 group 2x4x3'
    assert_equal "$(launched)" 4
    stackcollapse-aiflame --event gpu-time r 2> /dev/null | grep '^# aiflame-launch' > facts
    assert_equal "$(cat facts)" \
      '# aiflame-launch: launches 2, items 8x8x3, group 2x4x3, kernel scale_[G]
# aiflame-launch: launches 2, items 64x32x1, group 16x16x1, kernel scale_[G]'
  done
}

@test "a program that opens the loader at run time" {
  program+=-dlopen
  record immediate 50
  assert_equal "$(launches | sed 's/ListAppendLaunchKernel .*run/run/')" 'iterate run_once 50
iterate run_thrice 150'
}

@test "a list that is executed 100 times: who executed it, and who put the kernels in" {
  record list 100
  assert_equal "$(launches)" \
    'add ListAppendLaunchKernel record_add [command list] QueueExecuteCommandLists submit 200
scale ListAppendLaunchKernel record_scale [command list] QueueExecuteCommandLists submit 100'
  assert_equal "$(launched)" 300
}

@test "the content of a list that was reset or destroyed is not launched" {
  record forget
  assert_equal "$(launches)" \
    'add ListAppendLaunchKernel record_add [command list] QueueExecuteCommandLists submit 2'
}

@test "each function that launches" {
  record functions
  assert_equal "$(launches)" 'add ListAppendLaunchMultipleKernelsIndirect 1
scale ListAppendLaunchCooperativeKernel 1
scale ListAppendLaunchKernel 1
scale ListAppendLaunchKernelIndirect 1
scale ListAppendLaunchMultipleKernelsIndirect 1'
}

@test "functions that are newer than the headers, where the loader has them" {
  skip_without_ze_function zeCommandListAppendLaunchKernelWithArguments 1.26
  record newer
  assert_equal "$(launches)" \
    'scale ListAppendLaunchKernel record_scale [command list] ListImmediateAppendCommandListsExp 1
scale ListAppendLaunchKernel record_scale [command list] QueueExecuteCommandLists submit 1
scale ListAppendLaunchKernelWithArguments 1
scale ListAppendLaunchKernelWithParameters 1'
}

@test "a launch that the driver refuses is not recorded, and the program gets the error" {
  run -0 record fails
  assert_equal "$output" '0x78000004
0x78000004
done'
  assert_equal "$(launches)" 'scale ListAppendLaunchKernel run_once 1'
  assert_equal "$(launched)" 1
}

@test "a module's code is saved with its device address, and goes away with it" {
  record reload 3
  # one address, which belongs to one kernel after the other
  assert_equal "$(kernels)" '8000fffe0000 kernel_0
8000fffe0000 kernel_1
8000fffe0000 kernel_2'
  assert_equal "$(grep -oE 'PERF_RECORD_(MMAP2|MUNMAP)' r | head -n 5 | tr '\n' ' ')" \
    'PERF_RECORD_MMAP2 PERF_RECORD_MUNMAP PERF_RECORD_MMAP2 PERF_RECORD_MUNMAP PERF_RECORD_MMAP2 '
  local object
  object=$(objects | head -n 1)
  [[ $object == "$PWD"/cache/aiflame/objects/*.zebin ]]
  readelf -SW "$object" | grep -q '\.text\.kernel_0 .*ffff8000fffe0000'
}

@test "a forked child reports on its own, and of the modules that were there" {
  record fork 5
  assert_equal "$(launched)" 10
  assert_equal "$(grep -c PERF_RECORD_MMAP2 r)" 2
  assert_equal "$(launchers | wc -l)" 2
  assert_equal "$(kernels)" '8000fffe0000 iterate'
}

@test "with several drivers, whose handles the loader wraps" {
  ZE_ENABLE_LOADER_INTERCEPT=1 record list 3
  assert_equal "$(launched)" 9
  assert_equal "$(kernels)" '8000fffd0000 add
8000fffe0000 scale'
  cp "$ZE_ENABLE_ALT_DRIVERS" second.so
  ZE_ENABLE_ALT_DRIVERS+=,$PWD/second.so record list 3
  assert_equal "$(launched)" 9
  assert_equal "$(kernels)" '8000fffd0000 add
8000fffe0000 scale'
}

@test "with the loader's validation layer" {
  ZE_ENABLE_VALIDATION_LAYER=1 record list 3
  assert_equal "$(launched)" 9
}

@test "launches that found the ring full are counted as lost" {
  gpustall-record --source opencl-cpu -o r -- sh -c '"$0" cost 3000000' "$program" 2> err
  assert_equal "$(launched_or_lost)" 3000000
}

@test "copies and fills are launches of operations, by the class of their size" {
  run -0 record copies 20
  assert_equal "$output" $'20 20 0\ndone'
  # also those of an engine that only copies
  assert_equal "$(launches)" 'Memcpy (under 4 KiB) ListAppendMemoryCopy run_copy 80
Memcpy (under 4 KiB) ListAppendMemoryCopy run_copy [command list] QueueExecuteCommandLists submit 20
Memset (under 4 KiB) ListAppendMemoryFill run_fill 20'
  assert_equal "$(launched)" 120
  # timed like kernels, by how long the driver took; they have no code
  assert_equal "$(stackcollapse-aiflame --event gpu-time r 2> err | stacks | sed 's/.*;\(run_[a-z]*\);/\1;/')" \
    'run_copy;zeCommandListAppendMemoryCopy;-;Memcpy (under 4 KiB)_[G] 12000000
run_fill;zeCommandListAppendMemoryFill;-;Memset (under 4 KiB)_[G] 4000000
run_copy;zeCommandListAppendMemoryCopy;-;Memcpy (under 4 KiB)_[G] 4000000'
  run -1 grep PERF_RECORD_MMAP2 r
}

@test "copies and fills with parameters, where the loader has them" {
  skip_without_ze_function zeCommandListAppendMemoryCopyWithParameters 1.29
  run -0 record newer-copies
  assert_equal "$output" $'7 7 0\ndone'
  assert_equal "$(launches | sed 's/newer_copies //')" 'Memcpy (under 4 KiB) ListAppendMemoryCopyWithParameters 1
Memset (under 4 KiB) ListAppendMemoryFillWithParameters 1'
  assert_equal "$(launched)" 2
}

@test "a launch costs no memory" {
  run -0 record cost 1000000
  [[ $output =~ 'median; '(-?[0-9]+)' KB more' ]]
  # the ring also belongs to the recorder, and does not count
  [ "${BASH_REMATCH[1]}" -lt 256 ]
}

# ---- when launches ran -------------------------------------------------------------------------

# times: prints FUNCTION NANOSECONDS of the timed launches, without the frames below main
times() {
  stackcollapse-aiflame --event gpu-time r 2> /dev/null | stacks |
    sed 's/.*;\(run_[a-z]*\|main\|append_signaling\);.* /\1 /' | awk '{ n[$1] += $2 }
      END { for (name in n) print name, n[name] }' | sort
}

# untimed: prints FUNCTION COUNT of the other launches
untimed() {
  awk '/^# launch [0-9]/ { number = $3; for (i = 0; i < 5; ++i) getline; sub(/\+0x.*/, "", $2)
         name[number] = $2 }
       /^# launched .* -$/ { count[name[$3]] += $4 }
       END { for (one in count) print one, count[one] }' r | sort
}

@test "launches are timed: without an event, with timestamps, or with one that the host sees" {
  export FAKE_ZE=$PWD
  record timed 20
  assert_equal "$(times)" 'append_signaling 600000
run_plain 6000000
run_stamped 6000000
run_visible 6000000'
  assert_equal "$(untimed)" 'run_reset 20
run_unseen 20'
  assert_equal "$(launched)" 102
  # the agent does nothing that a driver's rules forbid
  assert_equal "$(cat log 2> /dev/null)" ''
}

@test "the program sees nothing of it" {
  "$program" timed 3 > alone
  grep -x '5760 ticks' alone
  gpustall-record --source opencl-cpu -o r -- "$program" timed 3 > recorded 2> err
  assert_equal "$(cat recorded)" "$(cat alone)"
}

@test "a program that opens the loader at run time is timed too, and with wrapped handles" {
  ZE_ENABLE_LOADER_INTERCEPT=1 record timed 5
  assert_equal "$(times | grep plain)" 'run_plain 1500000'
  program+=-dlopen
  record timed 5
  assert_equal "$(times | grep plain)" 'run_plain 1500000'
}

@test "launches in a list are timed each time that it is executed and waited for" {
  export FAKE_ZE=$PWD
  record listed 10
  assert_equal "$(times)" 'run_once 100000
run_plain 1000000
run_visible 3000000'
  assert_equal "$(untimed)" ''
  assert_equal "$(launched)" 21
  assert_equal "$(cat log 2> /dev/null)" ''
}

@test "a graph launches all that was captured, each time, from where it was captured" {
  export FAKE_ZE=$PWD
  record graph 10
  # a list that waits for the captured one is captured, too
  assert_equal "$(launches | grep -v ' replay graph ')" \
    'work_100us ListAppendLaunchKernel append_signaling graph 1
work_100us ListAppendLaunchKernel run_once graph 10'
  assert_equal "$(launches | sed -n 's/ \[command list\] ListAppendGraphExp replay graph / /p')" \
    'Memset (under 4 KiB) ListAppendMemoryFill run_fill 10
work_100us ListAppendLaunchKernel append_signaling 10
work_100us ListAppendLaunchKernel run_joined 10
work_100us ListAppendLaunchKernel run_plain 10
work_300us ListAppendLaunchKernel run_forked 10'
  # timed as in a list, except what signals an event that the host does not see
  assert_equal "$(times)" 'append_signaling 100000
run_fill 2000000
run_joined 1000000
run_once 1000000
run_plain 1000000'
  assert_equal "$(launched)" 61
  assert_equal "$(cat log 2> /dev/null)" ''
}

@test "two executables of a graph, and one that the driver refuses" {
  export FAKE_ZE=$PWD
  record graph-twice 10
  assert_equal "$(launched)" 121
  assert_equal "$(times)" 'append_signaling 100000
run_fill 4000000
run_joined 2000000
run_once 2000000
run_plain 2000000'
  assert_equal "$(cat log 2> /dev/null)" ''
  run -0 record graph-refused
  assert_equal "$output" '0x70000001
done'
  assert_equal "$(launched)" 0
}

@test "on a captured list, a graph or a list is captured if the device can, else executed" {
  export FAKE_ZE=$PWD
  local others='scale ListAppendLaunchKernel run_joined 1
work_100us ListAppendLaunchKernel run_once 1' lists
  has_newer_loader() { launches | grep -q ListImmediateAppendCommandListsExp; }
  # as Intel's driver does: each at once, and the launch alone with the graph
  record graph-nested 5
  assert_equal "$(launches | grep -v ImmediateAppend)" \
    "add ListAppendLaunchKernel record_add [command list] ListAppendGraphExp replay 2
scale ListAppendLaunchKernel append_signaling 1
scale ListAppendLaunchKernel record_scale [command list] ListAppendGraphExp replay 5
$others"
  has_newer_loader && lists=5 || lists=0
  printf '%s\n' 'gpu 0000:03:00.0 xe2 0' 'graphs 13' > script
  record graph-nested 5
  assert_equal "$(launches)" \
    "add ListAppendLaunchKernel record_add [command list] ListAppendGraphExp replay 10
scale ListAppendLaunchKernel append_signaling 1
scale ListAppendLaunchKernel record_scale [command list] ListAppendGraphExp replay $((5 + lists))
$others"
  assert_equal "$(cat log 2> /dev/null)" ''
}

@test "graphs by the loader's own functions" {
  run -0 record graph 10 ext
  [ "$output" != $'no graphs\ndone' ] ||
    skip 'the loader is older than 1.32; LD_LIBRARY_PATH can have another'
  assert_equal "$(launches | grep -c ' \[command list\] ListAppendGraphExt replay graph 10$')" 5
  assert_equal "$(launched)" 61
}

@test "with wrapped handles a graph's work counts once, as it is captured" {
  ZE_ENABLE_LOADER_INTERCEPT=1 record graph 10
  assert_equal "$(launched)" 17
  # the loader's functions take its own handles
  ZE_ENABLE_LOADER_INTERCEPT=1 record graph 10 ext > out
  [ "$(head -n 1 out)" = 'no graphs' ] || assert_equal "$(launched)" 61
}

@test "a list that is executed again while it runs is counted, and not timed any more" {
  record list-ahead 50
  assert_equal "$(launched)" 50
  # the first may be timed, if the second came late
  [[ $(times) =~ ^(run_plain [12]00000)?$ ]]
}

@test "a list that the driver refuses to execute has launched nothing" {
  run -0 record refused
  assert_equal "$output" '0x70000001
done'
  assert_equal "$(launched)" 0
}

@test "an event that is not reset reports only its first launch" {
  record unreset 1
  assert_equal "$(times)" 'run_visible 100000'
  # in one slice, where the time of one launch is not known, that of all is not
  gpustall-record --source opencl-cpu --interval 60000 -o r -- "$program" unreset 20 2> err
  assert_equal "$(launched)" 20
  assert_equal "$(untimed)" 'run_visible 20'
  assert_equal "$(times)" ''
}

@test "device time lies where it was spent, though the program waits later" {
  record ahead 1000
  assert_equal "$(times)" 'append_signaling 100000
run_plain 100000000'
  # within a second of the first launch, except the launch after the wait
  awk '/^# slice/ { at = $3; if (first == "") first = at }
       /^# launched/ && $3 == 1 && $5 > 0 && at > first + 1 { exit 1 }' r
  assert_equal "$(launched)" 1001
}

@test "more launches ahead than the agent has events for: counted, and the rest is timed" {
  record ahead 20000
  assert_equal "$(launched)" 20001
  [ "$(times | sed -n 's/run_plain //p')" -gt 0 ]
}

@test "a driver that does not take the agent's event gets the launch without" {
  record run plain
  assert_equal "$(launched)" 1
  assert_equal "$(untimed)" 'run_plain 1'
  grep -x '# launched 1 1 -' r
}

@test "the agent's events go away with their context" {
  export FAKE_ZE=$PWD
  record contexts 300
  assert_equal "$(cat log 2> /dev/null)" ''
  assert_equal "$(times)" 'run_plain 30000000'
  assert_equal "$(launched)" 300
}

@test "threads that launch at one time" {
  record threads 20000
  assert_equal "$(launched_or_lost)" 160000
}

@test "after the recording's end running launches end as ever, and later ones are not touched" {
  export FAKE_ZE=$PWD
  # the program has a list with an event of the agent in it, events and pools whose flags are hidden
  # from it, and contexts that destroy the agent's events with them; and it launches with all of them
  local mode count of_each more try launches
  while read -r mode count of_each more; do
    "$program" "$mode" 3 > alone
    # on a busy machine the first launch may come late, or the recorder's end: then again, longer
    for try in 1 2 3 4; do
      gpustall-record --source opencl-cpu -o r --duration "$try" -- "$program" "$mode" \
        $((count * try * try)) > recorded 2> err
      assert_equal "$(cat recorded)" "$(cat alone)"
      assert_equal "$(cat log 2> /dev/null)" ''
      launches=$((count * try * try * of_each + more))
      if [ "$(launched)" -gt 0 ] && [ "$(launched)" -lt "$launches" ]; then break; fi
    done
    [ "$(launched)" -gt 0 ]
    is_sanitized || [ "$(launched)" -lt "$launches" ]
  done <<< 'listed 4000 2 1
timed 1200 5 2
contexts 5000 1 0
graph 1200 6 1'
}

@test "the agent is in no program that does not use Level Zero, and loads nothing else" {
  gpustall-record --source opencl-cpu -o r -- sh -c 'cat /proc/self/maps' > maps 2> err
  run ! grep -q aiflame maps
  # the last two are part of it in an old one: see old_libc.h
  assert_equal "$(readelf -d "$AIFLAME_BUILD/libexec/aiflame/level-zero-agent.so" |
    sed -n 's/.*NEEDED.*\[\(lib[a-z]*\).*/\1/p' | sort)" $'libc\nlibdl\nlibpthread'
}

@test "with no recorder to report to, the layer leaves everything as it is" {
  run -0 env ZE_ENABLE_TRACING_LAYER=1 \
    LD_LIBRARY_PATH="$AIFLAME_BUILD/libexec/aiflame/level-zero" "$program" list 3
  assert_equal "$output" 'done'
  run -0 env ZE_ENABLE_TRACING_LAYER=1 AIFLAME_AGENT=@nobody \
    LD_LIBRARY_PATH="$AIFLAME_BUILD/libexec/aiflame/level-zero" "$program" list 3
  assert_equal "$output" 'done'
}

# ---- which device ------------------------------------------------------------------------------

# on: prints DEVICE KERNEL of each launch, sorted
on() { awk '/gpu-launch:/ { device = $3; getline; sub(/\+0x.*/, "", $2); print device, $2 }' r | sort -u; }

# loaded: prints DEVICE ADDRESS of each object
loaded() { sed -n 's/^# .*\(\[[0-9]*\]\) .*MMAP2.*: \[0x\([0-9a-f]*\)(.*/\1 \2/p' r | sort; }

# two_gpus: one with two tiles, which Level Zero lists first and the kernel second, and another
two_gpus() {
  export FAKE_ZE=$PWD/ze FAKE_XE=$PWD
  mkdir -p ze
  printf '%s\n' 'gpu 0000:03:00.0 pvc 2' 'gpu 0000:3a:00.0 xe2 0' > ze/script
  gpu 128 xe E20B 0000:3a:00.0
  gpu 129 xe 0BD5 0000:03:00.0
  printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'gt 0 0 0 20 1' \
    'node 129 xe' 'sampler 64 1004' 'gt 0 0 0 0 0' 'gt 1 0 1 0 0' > script
}

@test "the devices of the program are those of the source, by their place" {
  two_gpus
  recorder -o r -- "$program" devices 2> err
  # on_0 is on both tiles
  assert_equal "$(on)" '[000] on_3
[001] on_0
[001] on_1
[002] on_2'
  assert_equal "$(loaded)" '[000] 8000fffe0000
[001] 8000fffd0000
[001] 8000fffe0000
[002] 8000fffc0000
[002] 8000fffe0000'
}

@test "stalls at one address of two GPUs are each GPU's" {
  two_gpus
  export ZE_LAUNCHED=$PWD/launched
  mkfifo launched
  printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'gt 0 0 0 20 1' 'at 0' "hold $ZE_LAUNCHED" \
    'row 0 0xfffe0010 sbid=5' tick drained release 'node 129 xe' 'sampler 64 1004' \
    'gt 0 0 0 0 0' 'gt 1 0 1 0 0' 'at 1' "hold $ZE_LAUNCHED" 'row 0 0xfffe0010 sbid=7' \
    'row 0 0xfffc0010 send=9' tick drained release > script
  recorder -o r -- "$program" devices 2> err
  assert_equal "$(stackcollapse-aiflame r 2> stats | stacks | sed 's/.*;\(on_.\)_\[G\]/\1/' | sort)" \
    'on_0;sbid_[g];0x10_[g] 7
on_2;send_[g];0x10_[g] 9
on_3;sbid_[g];0x10_[g] 5'
  grep -q '21 samples: 21 exact' stats
}

@test "the same by the source level-zero" {
  two_gpus
  export ZE_LAUNCHED=$PWD/launched
  mkfifo launched
  # each sampler holds the program; it goes on when the last one lets go
  printf '%s\n' 'gpu 0000:03:00.0 pvc 2' 'at 1' "hold $ZE_LAUNCHED" 'row 0 0xfffe0010 sbid=7' \
    'row 0 0xfffc0010 send=9' tick release 'gpu 0000:3a:00.0 xe2 0' "hold $ZE_LAUNCHED" \
    'row 0 0xfffe0010 sbid=5' tick release > ze/script
  gpustall-record --source level-zero -o r -- "$program" devices 2> err
  assert_equal "$(on)" '[000] on_0
[000] on_1
[001] on_2
[002] on_3'
  assert_equal "$(stackcollapse-aiflame r 2> stats | stacks | sed 's/.*;\(on_.\)_\[G\]/\1/' | sort)" \
    'on_0;sbid_[g];0x10_[g] 7
on_2;send_[g];0x10_[g] 9
on_3;sbid_[g];0x10_[g] 5'
}

@test "tiles that Level Zero shows as devices of their own" {
  two_gpus
  printf '%s\n' 'gpu 0000:03:00.0 pvc 0' 'gpu 0000:03:00.0 pvc 0' > ze/script
  recorder -o r -- "$program" devices 2> err
  assert_equal "$(on)" '[001] on_0
[002] on_1'
}

@test "a device of which nobody tells the place may be each, one that the source has not is another" {
  two_gpus
  printf '%s\n' 'gpu nowhere pvc 0' 'gpu 0000:77:00.0 xe2 0' > ze/script
  recorder -o r -- "$program" devices 2> err
  assert_equal "$(on)" '[000] on_0
[004] on_1'
  assert_equal "$(loaded)" '[000] 8000fffe0000
[001] 8000fffe0000
[002] 8000fffe0000
[004] 8000fffe0000'
}

@test "a forked child reports its devices again" {
  two_gpus
  printf '%s\n' 'gpu 0000:3a:00.0 xe2 0' > ze/script
  recorder -o r -- "$program" fork 3 2> err
  assert_equal "$(on)" '[000] iterate'
  assert_equal "$(loaded | wc -l)" 2
  printf '%s\n' 'gpu 0000:03:00.0 pvc 0' > ze/script
  recorder -o r -- "$program" fork 3 2> err
  assert_equal "$(on)" '[001] iterate'
  assert_equal "$(loaded | sort -u)" '[001] 8000fffe0000
[002] 8000fffe0000'
}

# ---- with stalls, which tests/fakes/xe feeds ---------------------------------------------------

# stalling LINE...: a GPU that does what the lines say after all launches
stalling() {
  export FAKE_XE=$PWD ZE_LAUNCHED=$PWD/launched
  mkfifo launched
  battlemage
  printf '%s\n' "hold $ZE_LAUNCHED" "$@" tick release >> script
}

# folded MODE...: folds the program's stalls, from main to the launch on the CPU. All launches are in
# one time slice with them, however slow the machine is.
folded() {
  recorder -o r --interval 60000 -- "$program" "$@" > out 2> err
  stackcollapse-aiflame r 2> stats | stacks | sed 's/^.*;main;/main;/'
}

@test "stalls of one kernel launched from two places are shared 3 to 1" {
  stalling 'row 0 0xfffe0010 sbid=200' 'row 1 0xfffe0010 sbid=200'
  assert_equal "$(folded immediate 50 | sed 's/-;.*;0x/-;0x/')" \
    'main;run_once;zeCommandListAppendLaunchKernel;-;0x10_[g] 100
main;run_thrice;zeCommandListAppendLaunchKernel;-;0x10_[g] 300'
  grep -q '400 samples: 0 exact, 400 apportioned (400 by number of launches), 0 unattributed, 0 lost' stats
}

@test "stalls in a list that is executed 100 times" {
  stalling 'row 0 0xfffe0010 sbid=200' 'row 1 0xfffd00f8 send=20' 'row 1 0xfffb0000 send=7'
  assert_equal "$(folded list 100 | sed 's/-;.*;0x/-;0x/')" \
    '[device];[unknown launch];-;[unknown kernel]_[G];send_[g] 7
main;submit;zeCommandQueueExecuteCommandLists;[command list];record_add;zeCommandListAppendLaunchKernel;-;0xf8_[g] 20
main;submit;zeCommandQueueExecuteCommandLists;[command list];record_scale;zeCommandListAppendLaunchKernel;-;0x10_[g] 200'
}

@test "code of two processes at one address: reported, and attributed to neither" {
  stalling 'row 0 0xfffe0010 sbid=200'
  mkfifo launched2
  sed -i 's/^hold .*/&2\n&/' script
  recorder -o r -- sh -c 'ZE_LAUNCHED=${ZE_LAUNCHED}2 "$0" immediate & "$0" immediate; wait' \
    "$program" > out 2> err
  grep -qx 'gpustall-record: warning: 200 samples are of addresses at which several processes have code: left with none' err
  grep -q '^\[device\] 0/0 .* 200 gpu-stall' r
}
