# SPDX-License-Identifier: MIT
# gpustall-record's behaviour towards its command, its output and its user, and its recordings of
# difficult programs.
load common
load await
load recording

setup() { setup_demo; }

# record FILE COMMAND...: standard error goes to FILE.err
record() {
  local file=$1
  shift
  gpustall-record -o "$file" --objects objects "$@" 2> "$file.err"
}

@test "the command's exit status is passed on" {
  run -7 gpustall-record -o r -- sh -c 'exit 7'
  run -0 gpustall-record -o r -- true
  assert_equal "$(stat -c %a r)" 600
  run -137 gpustall-record -o r -- sh -c 'kill -9 $$'
}

@test "a command that cannot be run: 126 and 127, with one line" {
  run -127 --separate-stderr gpustall-record -o r -- ./missing
  assert_equal "$stderr" "gpustall-record: cannot run './missing': No such file or directory"
  run -126 --separate-stderr gpustall-record -o r -- /
  assert_equal "$stderr" "gpustall-record: cannot run '/': Permission denied"
}

@test "mistakes on the command line: 125 and one line" {
  local try="; try 'gpustall-record --help'"
  run -125 --separate-stderr gpustall-record
  assert_equal "$stderr" "gpustall-record: no command, -p, -a or --listen$try"
  run -125 --separate-stderr gpustall-record --bogus -- true
  assert_equal "$stderr" "gpustall-record: unknown option '--bogus'$try"
  run -125 --separate-stderr gpustall-record -F 12x -- true
  assert_equal "$stderr" "gpustall-record: option '--frequency': '12x' is not a whole number$try"
  run -125 --separate-stderr gpustall-record --interval 0 -- true
  assert_equal "$stderr" "gpustall-record: option '--interval': not from 1 to 60000$try"
  run -125 --separate-stderr gpustall-record -p 1 -- true
  assert_equal "$stderr" "gpustall-record: a command, -p or --listen, and -a exclude each other$try"
  run -125 --separate-stderr gpustall-record -F 9 --period 9 -- true
  assert_equal "$stderr" "gpustall-record: -F and --period exclude each other$try"
  run -125 --separate-stderr gpustall-record -F 0 -- true
  assert_equal "$stderr" "gpustall-record: option '--frequency': must be at least 1$try"
  run -125 --separate-stderr gpustall-record --period 0 -- true
  assert_equal "$stderr" "gpustall-record: option '--period': must be at least 1$try"
  run -125 --separate-stderr gpustall-record -F 0 --period 9 -- true
  assert_equal "$stderr" "gpustall-record: -F and --period exclude each other$try"
  run -125 --separate-stderr gpustall-record --launch-stacks=guess -- true
  assert_equal "$stderr" \
    "gpustall-record: option '--launch-stacks': not agent, uprobe or off$try"
  run -125 --separate-stderr gpustall-record -a --launch-stacks=agent
  assert_equal "$stderr" "gpustall-record: --launch-stacks=agent is not for -a$try"
}

@test "the command's own options need no --" {
  run -0 --separate-stderr gpustall-record -o r sh -c 'echo "$0 $1"' -o --help
  assert_equal "$output" '-o --help'
}

@test "the command's stdout goes to stderr when the recording takes stdout, else it stays" {
  gpustall-record -- echo from-the-command > out 2> err
  [ "$(head -n 1 out)" = '# gpustall 1' ]
  grep -x from-the-command err
  [ "$(grep -c from-the-command out)" -eq 1 ] # in # in the "# cmdline" record
  gpustall-record -o r -- echo from-the-command > out 2> err
  assert_equal "$(cat out)" from-the-command
}

@test "the last line says what was captured, and a hint when no agent was loaded" {
  run -0 --separate-stderr gpustall-record -o r -- true
  assert_equal "$stderr" "gpustall-record: captured 0 gpu-clock samples and 0 launches from 0 \
stacks; lost 0 samples; wrote r
gpustall-record: hint: no program loaded an agent: none of the processes used OpenCL, Level Zero or CUDA"
  assert_equal "$(tail -n 2 r)" '# end samples 0 launches 0 lost 0'
}

@test "a statically linked program is named as that" {
  echo 'int main() {}' | "${CXX:-g++}" -static -x c++ -o static - || skip 'there is no static C library'
  gpustall-record -o r -- ./static 2> err
  assert_equal "$(tail -n 1 err)" "gpustall-record: hint: no program loaded an agent: './static' is \
statically linked, so nothing can be loaded into it"
}

@test "an interrupt ends the recording whole, and the command" {
  mkfifo never
  relay live r '^# device'
  gpustall-record -o live -- cat never 2> err &
  local recorder=$! status=0
  await live
  kill -INT "$recorder"
  wait "$recorder" || status=$?
  copied live
  [ "$status" -eq 143 ] # SIGTERM's status: the command ended with it
  grep '^# end ' r
}

# inherit SETUP COMMAND...: runs COMMAND in a process that the Python statement SETUP has prepared
inherit() {
  python3 -c "import os, signal, sys; $1; os.execvp(sys.argv[1], sys.argv[1:])" "${@:2}"
}

@test "ignored signals stay ignored: nohup, and a parent that ignores SIGCHLD" {
  skip_without python3
  inherit 'signal.signal(signal.SIGHUP, signal.SIG_IGN)' \
    gpustall-record -o r -- sh -c 'kill -HUP $PPID; echo survived' > out
  assert_equal "$(cat out)" survived
  run -3 timeout 20 python3 -c 'import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execvp(sys.argv[1], sys.argv[1:])' gpustall-record -o r -- sh -c 'exit 3'
}

@test "the command's scheduling and signals are those it has unrecorded" {
  skip_without python3
  local setup='signal.signal(signal.SIGPIPE, signal.SIG_IGN); os.nice(3)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR1])' show
  show='import os
print(os.sched_getscheduler(0), os.nice(0))
print(*[l for l in open("/proc/self/status") if l.startswith(("SigBlk", "SigIgn"))])'
  inherit "$setup" python3 -c "$show" > alone
  inherit "$setup" gpustall-record -o r -- python3 -c "$show" > recorded
  assert_equal "$(cat recorded)" "$(cat alone)"
  gpustall-record -o r -- python3 -c 'import os; print(os.sched_getscheduler(0))' > recorded
  assert_equal "$(cat recorded)" 0
}

@test "closed standard descriptors are not taken for the recording, its messages or its sockets" {
  gpustall-record -o r -- sh -c 'echo from-the-command >&2; true' 2>&-
  run -1 grep -e '^gpustall-record: ' -e '^from-the-command' r
  run -125 --separate-stderr bash -c 'gpustall-record -- true >&-'
  assert_equal "$stderr" "gpustall-record: write error: Bad file descriptor; the recording ends \
here, 'true' runs on"
  # the command finds them closed, as they were
  gpustall-record -o r -- sh -c 'test ! -e /proc/self/fd/0 && test ! -e /proc/self/fd/1' <&- >&-
}

@test "after --duration a signal still ends the command" {
  mkfifo never
  relay live r '^# end'
  gpustall-record -o live --duration 0.1 -- cat never 2> err &
  local recorder=$! status=0
  await live
  kill -TERM "$recorder"
  wait "$recorder" || status=$?
  [ "$status" -eq 143 ]
}

@test "--duration ends the recording; the command runs on" {
  mkfifo go
  relay live r '^# end '
  gpustall-record -o live --duration 0.1 -- sh -c 'cat go; echo on; exit 4' > out 2> err &
  local recorder=$! status=0
  await live
  release go
  wait "$recorder" || status=$?
  assert_equal "$status $(cat out)" '4 on'
}

# late_launches: the number of launches that launch_cost made, by its output in `out`, minus those
# that the recorder received; the agent makes an event for each of the latter
late_launches() { awk '{ n[$1] = $2 } END { print n["null_launches"] - n["null_callbacks"] }' out; }

@test "after the recording's end launches pass straight through, and leave no events" {
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
  gpustall-record --source opencl-cpu -o r --duration 1 -- \
    "$DEMO/launch_cost" --batches 20000 --batch 1000 > out
  # millions of launches do not fit into a ring that nobody reads
  [ "$(late_launches)" -gt 1000000 ]
  grep -x 'null_events 0' out
  # of the launches that the recorder received, only the batch that ran at the end is not recorded
  local callbacks launches
  callbacks=$(sed -n 's/^null_callbacks //p' out)
  launches=$(at_end launches)
  [ "$launches" -gt 0 ] && [ "$launches" -le "$callbacks" ] && [ "$launches" -ge $((callbacks - 1000)) ]
}

@test "after a write error launches pass straight through too" {
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
  run -125 gpustall-record --source opencl-cpu -o /dev/full -- \
    bash -c '"$0" --batches 20000 --batch 1000 > out' "$DEMO/launch_cost"
  [ "$(late_launches)" -gt 1000000 ]
}

@test "a reader that goes away: the command runs to its end" {
  mkfifo go
  # the reader goes after the first line; then the command continues
  gpustall-record -- sh -c 'cat go; echo done > done' 2> err | {
    read -r line
    exec < /dev/null
    release go
    assert_equal "$line" '# gpustall 1'
  }
  assert_equal "$(cat done)" 'done'
  grep 'Broken pipe; the recording ends here' err
  # the reader goes before there is anything to read
  rm done
  gpustall-record -- sh -c 'echo done > done' 2> err > >(exec < /dev/null) || true
  assert_equal "$(cat done)" 'done'
}

@test "a full disk: one line, 125, and the command runs to its end" {
  record_until 'write error' gpustall-record -o /dev/full
  grep '/dev/full: write error: No space left on device' err.txt
}

@test "a file or source that cannot be opened: one line and 125" {
  run -125 --separate-stderr gpustall-record -o missing/r -- true
  assert_equal "$stderr" \
    "gpustall-record: cannot write 'missing/r': No such file or directory"
  run -125 --separate-stderr gpustall-record --source nowhere -- true
  [[ $stderr == "gpustall-record: no source 'nowhere' in "* ]]
  run -125 --separate-stderr gpustall-record --source replay --input .
  assert_equal "$stderr" \
    "gpustall-record: source 'replay': cannot read '.': Is a directory"
  echo hello > text
  run -125 --separate-stderr gpustall-record --source replay --input text
  [[ $stderr == "gpustall-record: text: not a gpustall recording" ]]
  run -125 --separate-stderr gpustall-record -p 2147483646
  assert_equal "$stderr" "gpustall-record: no process 2147483646"
}

@test "--list names every source with its devices or the reason" {
  skip_unless_samples
  run -0 gpustall-record --list
  [[ $output == *'opencl-cpu   '*'device 0: '*'period 1003009 ns'* ]]
  [[ $output == *'replay '*'--source replay --input FILE'* ]]
  run -0 gpustall-record --list --source opencl-cpu
  [ "${#lines[@]}" = 2 ]
  [[ $output == 'opencl-cpu   '*'device 0: '* ]]
  run -125 --separate-stderr gpustall-record --list --source nope
  assert_equal "$output" ''
  [[ $stderr == "gpustall-record: no source 'nope' in "* ]]
}

@test "--list: without a driver for the CPU there is no device, and the package is named" {
  skip_unless_samples
  mkdir vendors
  echo libigdrcl.so > vendors/intel.icd
  local place
  for place in vendors vendors/intel.icd nowhere; do
    OCL_ICD_VENDORS=$place run -0 --separate-stderr gpustall-record --list
    [[ $output == *"
  source 'opencl-cpu': no OpenCL driver for the CPU in '$place'; as root: apt install pocl-opencl-icd
"* ]]
  done
  echo libpocl.so.2.10.0 > vendors/pocl.icd
  OCL_ICD_VENDORS=vendors run -0 --separate-stderr gpustall-record --list
  [[ $output == *'
  device 0: '*', cpu, period 1003009 ns
'* ]]
}

@test "--list names what was left out of the build, and what to install" {
  mkdir -p there/bin there/libexec
  cp "$AIFLAME_BUILD/bin/gpustall-record" there/bin/
  cp -r "$AIFLAME_BUILD/libexec/aiflame" there/libexec/
  rm -f there/libexec/aiflame/{cupti,cupti-agent}.so
  run -0 --separate-stderr there/bin/gpustall-record --list
  grep -qx "cupti        source and agent are left out of this build: CUPTI's headers were missing; \
install cuda-cupti-dev of the CUDA toolkit, or nvidia-cuda-cupti by pip, and build again" <<< "$output"
  # what its owner has put into another directory is all there is to be
  run -0 --separate-stderr there/bin/gpustall-record --plugin-dir there/libexec/aiflame/level-zero --list
  assert_equal "$output" ''
}

@test "-F and --period set the period" {
  skip_unless_samples
  gpustall-record -F 100 -o r -- true
  grep '^# device 0 : opencl-cpu, .*, period 10000000 ns$' r
  gpustall-record --period 5000000 -o r -- true
  grep '^# device 0 : opencl-cpu, .*, period 5000000 ns$' r
}

@test "samples that found no room are counted, those at the end too" {
  skip_unless_samples
  # a stopped recorder cannot empty the rings, and nothing is recorded after the loss
  mkfifo done
  relay live r 'gpu-launch: $'
  gpustall-record -F 20000 -o live --objects objects -- \
    sh -c '"$0" --size 256 --seconds 2; : > done' "$DEMO/matmul" > /dev/null 2> err &
  local recorder=$!
  await live
  kill -STOP "$recorder"
  cat done
  kill -CONT "$recorder"
  wait "$recorder"
  copied live
  grep -E '; lost [1-9][0-9]* samples' err
  grep -E '^# end .* lost [1-9]' r
}

@test "a recording is not replayed into itself" {
  printf '# gpustall 1\n# end samples 0 launches 0 lost 0\n\n' > r
  cp r before
  ln r alias
  run -125 --separate-stderr gpustall-record --source replay --input r -o alias
  assert_equal "$stderr" "gpustall-record: 'alias' is read and cannot be written too"
  cmp r before
}

@test "replay writes a recording again, byte for byte" {
  skip_unless_samples
  record r -- "$DEMO/matmul" --size 64 --repeats 20 --options '-g -cl-opt-disable' > /dev/null
  grep 'gpu-clock: $' r > /dev/null
  gpustall-record --source replay --input r > again
  cmp r again
  cat r r > twice
  gpustall-record --source replay --input twice | cmp - twice
  # the unfinished end of a cut recording is omitted, with a warning
  head -c "$(($(stat -c %s r) * 2 / 3))" r > cut
  run -0 --separate-stderr gpustall-record --source replay --input cut
  assert_equal "$stderr" 'gpustall-record: warning: cut: cut short; what is whole was written'
  gpustall-record --source replay --input cut -o part 2> err
  cmp -n "$(stat -c %s part)" r part
}

@test "replay writes stalls, losses and unloads again" {
  printf '%s\n' '# gpustall 1' '# clock : monotonic' \
    '# device 0 : xe, Some GPU, 0000:3d:00.0 tile 0, period 1004 cycles' \
    '# slice 5012.000000000 5012.010000000' \
    '# a b 7/7 [001]  5012.000100000: PERF_RECORD_MMAP2 7/7: [0x8000(0x1000) @ 0x40 00:00 0 0]: r-xp /o/x.zebin' \
    '# launch 3' '' \
    'a b 7/8 [001]  5012.000123000:          1 gpu-launch: ' \
    $'\t            8000 mul(float*)+0x0 (/o/x.zebin)' \
    $'\t          4012ab run::basic+0x2b (/home/u/m)' '' \
    '# launched 3 1 -' '' \
    'a b 7/8 [001]  5012.010000000:         57 gpu-stall: ' \
    $'\t               0 sbid ([stall])' \
    $'\t            8430 mul(float*)+0x430 (/o/x.zebin)' '' \
    '# launch 18' '' \
    'a b 7/8 [001]  5012.001000000:          1 gpu-call: ' \
    $'\t            1000 clFinish+0x0 (/usr/lib/libOpenCL.so.1)' '' \
    '# hidden 17 0.000000300' '# waited 18 1 0.005000000' \
    '# idle 1 waits 18 2 0.000120000' '# idle 1 after ? 1 0.500000000' \
    '# launch ?' '' \
    '[device] 0/0 [001]  5012.010000000:          2 gpu-stall: ' \
    $'\t               0 control ([stall])' \
    $'\t            9430 [unknown] ([unknown])' '' \
    '# a b 7/7 [001]  5012.009000000: PERF_RECORD_LOST lost ?' \
    '# a b 7/7 [001]  5012.009000000: PERF_RECORD_LOST lost 4' \
    '# a b 7/7 [001]  5012.009000000: PERF_RECORD_LOST lost 9 gpu-launch' \
    '# a b 7/7 [001]  5012.009500000: PERF_RECORD_MUNMAP 7/7: [0x8000(0x1000)]: r-xp /o/x.zebin' \
    '# end samples 59 launches 1 lost ?' '' > r
  gpustall-record --source replay --input r > again
  diff -u r again
}

@test "agent and uprobe give the same stacks, from the launch to the program's outermost function" {
  skip_unless_samples
  [ "$(id -u)" -eq 0 ] || skip 'uprobes need root'
  # frames of the program and of libOpenCL: symbol and object
  stacks() {
    awk '/^# launch/ { inside = 0 } / gpu-launch: $/ { inside = 1; next }
      /\(\[operation\]\)$/ { inside = 0 } # uprobes see kernels alone
      inside && /libOpenCL/ { on = 1 }
      inside && on && !/matmul-fp\)$|libOpenCL/ { on = 0; print "--" }
      inside && on { sub(/^\t *[0-9a-f]+ /, ""); print }' "$1" | sort -u
  }
  record agent.g -- "$DEMO/matmul-fp" --thread --size 64 --repeats 3 > /dev/null
  record uprobe.g --launch-stacks=uprobe -- "$DEMO/matmul-fp" --thread --size 64 --repeats 3 > /dev/null
  stacks agent.g > agent
  stacks uprobe.g > uprobe
  diff -u agent uprobe
  grep 'clEnqueueNDRangeKernel+0x0 ' agent
  grep 'run_basic+0x' agent
  grep '_M_run+0x' agent
  # both saw every launch, and the agent copies as well
  grep ' launches ' uprobe.g.err agent.g.err
  assert_equal "$(launches uprobe.g | awk '{ n += $NF } END { print n }')" \
    "$(launches agent.g | awk '!/^Mem/ { n += $NF } END { print n }')"
}

@test "without frame pointers the agent's stacks go on to the thread's start" {
  skip_unless_samples
  record r -- "$DEMO/matmul" --thread --size 64 --repeats 3 > /dev/null
  awk '/^# launch/ { inside = 0 } / gpu-launch: $/ { inside = 1; stack = "" }
    inside && /^\t/ { stack = stack " " $0 }
    inside && /^$/ { print stack; inside = 0 }' r > stacks
  grep -E 'run_basic.*run_checked.*multiply.*_M_run.*libstdc.*libc.so.6\) .*libc.so.6\)$' stacks
  ! grep -vE 'libc.so.6\)$' stacks || false
}

@test "the program sees its queues, events and files as if nobody recorded" {
  "$DEMO/queries" > /dev/null # fills PoCL's cache
  "$DEMO/queries" > plain
  record r -- "$DEMO/queries" > recorded
  diff -u plain recorded
  grep -c 'gpu-launch: $' r
}

@test "a forked child's launches are the child's" {
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
  record r -- "$DEMO/forks" > out
  # the parent launches 3 and 2, the child 5
  grep ' 10 launches ' r.err
  local parent child
  parent=$(sed -n 's/^parent //p' out)
  child=$(sed -n 's/^child //p' out)
  grep -E "^[^#]* $parent/[0-9]+ .* gpu-launch: \$" r
  grep -E "^[^#]* $child/[0-9]+ .* gpu-launch: \$" r
}

@test "where perf events are forbidden: one line says why, and device time is drawn" {
  skip_without python3
  run -0 --separate-stderr python3 "$AIFLAME_ROOT/tests/fakes/no_perf_events.py" gpustall-record \
    -o r --objects objects -- "$DEMO/matmul" --size 64 --repeats 5
  [[ ${stderr_lines[0]} == *'no samples, only launches'*'cannot open perf events: Permission denied'* ]]
  stackcollapse-aiflame r > folded 2> err
  grep -E ';run_basic;clEnqueueNDRangeKernel;-;jit_\[G\];multiply_basic_\[G\] [0-9]+$' folded
  aiflame-svg folded > svg
  run -125 --separate-stderr python3 "$AIFLAME_ROOT/tests/fakes/no_perf_events.py" \
    gpustall-record -o r -a
  [[ $stderr == *'cannot open perf events'* ]]
}

@test "killed at any moment: the program runs to its end, the file is read up to its cut" {
  skip_unless_samples
  # AIFLAME_KILLS=100 for a thorough run; each kill is at a random moment
  local kills=${AIFLAME_KILLS:-8} i delay recorder alive
  RANDOM=1
  for ((i = 0; i < kills; ++i)); do
    rm -f status alive
    mkfifo alive
    # recorder and command have it open while they are alive
    gpustall-record -o r --objects objects -- sh -c '"$0/matmul" --size 128 --seconds 1 > out 2>&1
      echo $? > status' "$DEMO" 2> /dev/null 9> alive &
    recorder=$!
    exec {alive}< alive
    # this test needs random moments, which no event marks
    delay=$((RANDOM % 1500))
    sleep "$(printf '%d.%03d' $((delay / 1000)) $((delay % 1000)))"
    kill -KILL "$recorder" 2> /dev/null || true
    wait "$recorder" 2> /dev/null || true
    cat <&"$alive"
    exec {alive}<&-
    if [ -e r ]; then
      # if the recorder was killed before it began, the program has not begun either
      if [ -e status ]; then assert_equal "$(cat status)" 0; fi
      [ -s r ] || continue
      stackcollapse-aiflame r > folded 2> err
    fi
  done
}

@test "the directories of killed recorders are removed by the next recorder" {
  local left pid
  mkdir -m 0700 run
  export XDG_RUNTIME_DIR=$PWD/run
  gpustall-record -o killed -- sh -c 'echo $$ > pid; exec sleep 60' &
  until [ -s pid ] && compgen -G 'run/aiflame-*/agents'; do sleep 0.05; done
  left=$(echo run/aiflame-*)
  # one that lives, and one that was killed just now
  touch -d '2 minutes ago' "$left"
  gpustall-record -o r -- true
  [ -S "$left/agents" ]
  kill -KILL "$!"
  wait "$!" || true
  pid=$(< pid)
  kill "$pid"
  touch "$left"
  gpustall-record -o r -- true
  [ -S "$left/agents" ]
  touch -d '2 minutes ago' "$left"
  gpustall-record -o r -- true
  assert_equal "$(ls run)" ''
}

@test "written text stays: a later look at the file begins with the earlier one" {
  skip_unless_samples
  record r -- "$DEMO/matmul" --size 128 --seconds 1 > /dev/null &
  local recorder=$! looks=0
  : > before
  while kill -0 "$recorder" 2> /dev/null; do
    [ -e r ] || continue
    cp r now
    cmp -n "$(stat -c %s before)" before now
    mv now before
    looks=$((looks + 1))
  done
  wait "$recorder"
  [ "$looks" -gt 1 ]
  cmp -n "$(stat -c %s before)" before r
}

@test "a running process is recorded with -p, its forks too" {
  skip_unless_samples
  relay out.live out '^device: '
  "$DEMO/matmul" --size 128 --seconds 3 > out.live &
  local program=$!
  await out.live
  record r --launch-stacks=off -p "$program" --duration 1
  wait "$program"
  grep -E "^# matmul $program/$program .*PERF_RECORD_MMAP2" r
  [ "$(grep -c 'gpu-clock: $' r)" -gt 10 ]
}

@test "two devices' worth of options: --device takes one that is there" {
  skip_unless_samples
  run -0 gpustall-record -o r --device 0 -- true
  run -125 --separate-stderr gpustall-record -o r --device 5 -- true
  assert_equal "$stderr" "gpustall-record: source 'opencl-cpu' has no device 5"
}

@test "--redact: neither the command line nor the places of files, and it folds as ever" {
  skip_unless_samples
  mkdir apollo
  cp "$DEMO/matmul" "$DEMO"/*.cl apollo/
  export XDG_CACHE_HOME=$PWD/apollo/cache
  gpustall-record --redact -o r -- apollo/matmul --size 128 --seconds 1 --options '-g -cl-opt-disable -DAPOLLO=7' > /dev/null 2>&1
  run -1 grep -ni apollo r
  grep -qx '# cmdline : (redacted)' r
  grep -q ' (matmul)$' r
  # the copies of the kernels' code are found by their names
  stackcollapse-aiflame --gpu-frames file,kernel,line,mnemonic r > folded 2> err
  run -1 grep -ni apollo folded
  grep -q 'matmul.cl_\[G\];multiply_basic_\[G\];matmul.cl:[0-9]*_\[G\];' folded
  assert_equal "$(sum_of folded)" "$(awk '/ gpu-clock: $/ { n += $(NF - 1) } END { print n }' r)"
  assert_equal "$(grep -c 'no source' err)" 0
  # in parts, too, and without it as before
  gpustall-record --redact --overwrite -o part -- apollo/matmul --size 64 --repeats 3 > /dev/null 2>&1
  run -1 grep -i apollo part
  gpustall-record -o plain -- apollo/matmul --size 64 --repeats 3 > /dev/null 2>&1
  grep -q '^# cmdline : apollo/matmul --size 64 --repeats 3$' plain
  grep -q '/apollo/matmul)$' plain
  run -125 --separate-stderr gpustall-record --redact --source replay --input r
  assert_equal "$stderr" "gpustall-record: --redact is not for --list and --source replay; try 'gpustall-record --help'"
  run -125 --separate-stderr gpustall-record --redact --buildid-cache -o r -- true
  assert_equal "$stderr" "gpustall-record: --redact and --buildid-cache exclude each other; try 'gpustall-record --help'"
}

# capabilities PID WHICH: "Eff", "Prm", "Bnd" …
capabilities() { sed -n "s/^Cap$2:\t*//p" "/proc/$1/status"; }

# DAC_OVERRIDE, DAC_READ_SEARCH, KILL, SETGID, SETUID, IPC_LOCK, SYS_PTRACE, PERFMON, CHECKPOINT_RESTORE
kept=$((1 << 1 | 1 << 2 | 1 << 5 | 1 << 6 | 1 << 7 | 1 << 14 | 1 << 19 | 1 << 38 | 1 << 40))
sys_admin=$((1 << 21))

@test "a recorder of root keeps the capabilities that it needs, and its command all of them" {
  [ "$((16#$(capabilities self Eff) & sys_admin))" -ne 0 ] || skip 'this user has no CAP_SYS_ADMIN'
  mkfifo go ready
  relay out.live out '^ready$'
  gpustall-record -o r -- sh -c 'echo ready; cat go' > out.live 2> err &
  local recorder=$! command which
  await out.live
  command=$(pgrep -P "$recorder" -x sh)
  for which in Inh Prm Eff Bnd Amb; do
    assert_equal "$which $(capabilities "$command" "$which")" "$which $(capabilities self "$which")"
  done
  assert_equal "$(grep '^NoNewPrivs' "/proc/$command/status")" "$(grep '^NoNewPrivs' /proc/self/status)"
  if [ "$(cat /proc/sys/kernel/cap_last_cap)" -lt 40 ]; then kept=$((kept | sys_admin)); fi
  for which in Prm Eff Bnd; do
    assert_equal "$which $(capabilities "$recorder" "$which")" \
      "$which $(printf %016x "$((16#$(capabilities self "$which") & kept))")"
  done
  assert_equal "$(capabilities "$recorder" Inh)$(capabilities "$recorder" Amb)" 00000000000000000000000000000000
  release go
  wait "$recorder"
}

# a kernel that wants CAP_SYS_ADMIN for any perf event; ./calls tells how each call ended
strictly=(python3 "$AIFLAME_ROOT/tests/fakes/strict_perf_events.py" calls)

skip_without_sys_admin() {
  skip_without python3
  [ "$((16#$(capabilities self Eff) & sys_admin))" -ne 0 ] || skip 'this user has no CAP_SYS_ADMIN'
}

@test "perf_event_paranoid 3: root records, with CAP_SYS_ADMIN for the calls that open events alone" {
  skip_without_sys_admin
  mkfifo go ready
  relay out.live out '^ready$'
  "${strictly[@]}" gpustall-record --source opencl-cpu -o r -- sh -c 'echo ready; cat go' > out.live 2> err &
  local fake=$! recorder which
  await out.live
  recorder=$(pgrep -P "$fake" -x gpustall-record)
  if [ "$(cat /proc/sys/kernel/cap_last_cap)" -lt 40 ]; then kept=$((kept | sys_admin)); fi
  for which in Prm Eff Bnd; do
    assert_equal "$which $(capabilities "$recorder" "$which")" \
      "$which $(printf %016x "$((16#$(capabilities self "$which") & kept))")"
  done
  release go
  wait "$fake"
  # the first call of each kind was without it
  assert_equal "$(grep -c '^refused gpustall-record$' calls)" 2
  assert_equal "$(tail -n 1 calls)" 'allowed gpustall-record'
  "${strictly[@]}" gpustall-record --source opencl-cpu --objects objects -o r -- "$DEMO/matmul" --size 64 \
    --seconds 1 > /dev/null 2> err
  [ "$(grep -c 'gpu-clock: $' r)" -gt 0 ]
}

@test "perf_event_paranoid 3: root without CAP_SYS_ADMIN is told so, a user gets launches" {
  skip_without_sys_admin
  local start="gpustall-record: source 'opencl-cpu': cannot open perf events: Permission denied"
  run -125 --separate-stderr "${strictly[@]}" setpriv --bounding-set -sys_admin \
    gpustall-record --source opencl-cpu -o r -p $$
  assert_equal "$stderr" "$start: at kernel.perf_event_paranoid 3 they need CAP_SYS_ADMIN, which this root \
lacks: give it to the container or service, or on the machine itself: sysctl kernel.perf_event_paranoid=2"
  if unshare --user --map-root-user true; then
    run -125 --separate-stderr "${strictly[@]}" unshare --user --map-root-user \
      gpustall-record --source opencl-cpu -o r -p $$
    assert_equal "$stderr" "$start: at kernel.perf_event_paranoid 3 they need CAP_SYS_ADMIN, which the root \
of a user namespace lacks; on the machine itself: sysctl kernel.perf_event_paranoid=2"
  fi
  build_for_others tests/demo/matmul tests/demo/matmul.cl
  chmod 777 .
  "${strictly[@]}" setpriv --reuid 65534 --regid 65534 --clear-groups \
    env "POCL_CACHE_DIR=$PWD" gpustall-record --source opencl-cpu --objects objects -o user -- \
    build/tests/demo/matmul --size 16 --repeats 2 > /dev/null 2> err || cat err >&2
  assert_equal "$(head -n 1 err)" "gpustall-record: warning: no samples, only launches and their device \
time: source 'opencl-cpu': cannot open perf events: Permission denied; as root: sysctl \
kernel.perf_event_paranoid=2"
  stackcollapse-aiflame --event gpu-time user > folded
  [ "$(sum_of <(stacks folded))" -gt 0 ]
}

@test "uprobes are placed with CAP_SYS_ADMIN, which stays for libraries that are loaded later" {
  skip_without_uprobes
  [ "$((16#$(capabilities self Eff) & sys_admin))" -ne 0 ] || skip 'this user has no CAP_SYS_ADMIN'
  relay live r '^# device'
  gpustall-record --source opencl-cpu --objects objects -o live -a 2> err &
  local recorder=$!
  await live
  assert_equal "$(capabilities "$recorder" Eff)" \
    "$(printf %016x "$((16#$(capabilities self Eff) & (kept | sys_admin)))")"
  kill -INT "$recorder"
  wait "$recorder"
}
