# SPDX-License-Identifier: MIT
# Programs that run already when the recorder starts, and have an agent: they were started with the
# variables of --print-env.
# shellcheck disable=SC2030,SC2031,SC2154 # settings is each test's own, Bats sets stderr
load common
load await
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so XDG_CACHE_HOME=$PWD/cache
  export PYTHONDONTWRITEBYTECODE=1
  gpustall-record --print-env --listen agents > settings
  mapfile -t settings < settings
  programs=()
}

teardown() {
  touch stop
  local each
  for each in "${programs[@]}"; do wait "$each" || true; done
}

# running NAME [SCRIPT]: starts a program that launches until the file `stop` is there; its number is
# $running
running() {
  [ -x /usr/bin/python3.11 ] || skip 'no Python 3.11 is installed'
  relay "$1.live" "$1.out" '^ready$'
  env "${settings[@]}" /usr/bin/python3.11 "$AIFLAME_ROOT/tests/demo/${2:-python_loop.py}" \
    "$PWD/stop" > "$1.live" 2> "$1.err" &
  running=$!
  programs+=("$running")
  await "$1.live"
}

# level_zero: the program uses the tests' own driver
level_zero() {
  [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero/libze_tracing_layer.so.1" ] ||
    skip 'libze-dev is not installed: there is no Level Zero agent'
  export ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so FAKE_ZE=$PWD
}

# listening FILE OPTION…: starts a recorder that writes FILE
listening() {
  local file=$1
  shift
  rm -f live live.lines
  relay live "$file" '^# launched'
  gpustall-record --source opencl-cpu --sampling off --objects objects -o live "$@" 2> "$file.err" &
  recorder=$!
}

# recording FILE OPTION…: the same, and waits for the first launch in it
recording() {
  listening "$@"
  await live
}

recorded() {
  kill -INT "$recorder"
  wait "$recorder"
  copied live
}

# whole FILE: the recording has only the program's launches, with Python's functions and run times
whole() {
  run ! grep -E 'warning|hint' "$1.err"
  grep -qxE '# end samples 0 launches [1-9][0-9]* lost 0' "$1"
  assert_equal "$(launches "$1" | sed 's/ .*//' | sort -u)" nothing
  grep -q 'py::step:.*python_loop.py:[0-9]* (\[python\])$' "$1"
  assert_equal "$(grep -cE ' gpu-(launch|call): $' "$1")" "$(grep -c 'py::main:' "$1")"
  # each slice's launches have their time; those that ran when the recording began are not in it
  run ! grep -E '^# launched [0-9]+ [0-9]+ -$' "$1"
}

# whole_of_ze FILE: the same of ze_loop.py, with the code that was there before the recorder
whole_of_ze() {
  run ! grep -E 'warning|hint' "$1.err"
  grep -qxE '# end samples 0 launches [1-9][0-9]* lost 0' "$1"
  # each kernel has one stack, with an address
  assert_equal "$(awk '/ gpu-launch: $/ { getline; sub(/\+0x.*/, "", $2); print $1, $2 }' "$1" | sort -u)" \
    '8000fffd0000 work_30us
8000fffe0000 work_20us'
  assert_equal "$(objects "$1" | sort -u | wc -l)" 2
  # either launch may be the first
  assert_equal "$(awk '/ gpu-call: $/, /^$/ { next } 1' "$1" |
    grep -oE 'work_[23]0us|py::[a-z_]+:|\[command list\]' | uniq | paste -sd ' ' |
    sed 's/ work/\nwork/' | sort)" \
    'work_20us py::call: py::launch: py::step: py::main:
work_30us py::call: py::launch: py::put_in: py::main: [command list] py::call: py::submit: py::main:'
  # Launches have their time, in microseconds. There is a launch each millisecond, and the recording
  # ends before the last few have sent theirs.
  assert_equal "$(awk '/^# launch [0-9]/ { number = $3 }
    / gpu-launch: $/ { getline; sub(/\+0x.*/, "", $2); name[number] = $2 }
    /^# launched / { if ($5 == "-") untimed[$3] += $4; else { n[$3] += $4; us[$3] += $5 * 1000000 } }
    END { for (i in n) print name[i], us[i] / n[i], (untimed[i] > 50) }' "$1" | sort)" \
    'work_20us 20 0
work_30us 30 0'
  # the agent does nothing that a driver's rules forbid
  assert_equal "$(cat log 2> /dev/null)" ''
}

@test "recorders that come later, one after the other, record a program that runs" {
  running one
  find "/proc/$running/fd" | sort > fds
  recording first --listen agents
  recorded
  whole first
  recording second --listen agents
  recorded
  whole second
  # nothing is open, nothing lies about
  find "/proc/$running/fd" | sort | cmp - fds
  assert_equal "$(ls agents)" secret
  touch stop
  wait "$running"
  copied one.live
  assert_equal "$(cat one.out one.err)" 'ready
stopped'
}

@test "-p finds the agent of the process by itself, and is neither seen by others nor sees them" {
  running one
  local one=$running
  running other
  recording r -p "$one"
  recorded
  whole r
  grep -qx "# cmdline : (process $one)" r
  run ! grep '^# launches by' r
  assert_equal "$(grep ' gpu-launch: $' r | grep -oE ' [0-9]+/[0-9]+ ' | sort -u)" " $one/$one "
  # the directory can be named too
  recording r -p "$running" --listen agents
  recorded
  whole r
  assert_equal "$(grep ' gpu-launch: $' r | grep -oE ' [0-9]+/[0-9]+ ' | sort -u)" " $running/$running "
  # who was not wanted comes to the next recorder
  recording all --listen agents
  until [ "$(grep ' gpu-launch: $' all | grep -oE ' [0-9]+/[0-9]+ ' | sort -u | wc -l)" -eq 2 ]; do :; done
  recorded
  whole all
}

@test "-p with --launch-stacks=agent, of a process without an agent that waits" {
  mkfifo hold
  env "${settings[@]}" sh -c ': < hold' 3>&- &
  run -125 --separate-stderr gpustall-record --source opencl-cpu --sampling off -o r \
    --launch-stacks agent -p "$!"
  release hold
  assert_equal "$stderr" \
    "gpustall-record: process $! has no agent that waits for a recorder; start it with the variables of --print-env"
}

@test "-p does without the agent when another recorder listens, and says so" {
  running one
  recording first --listen agents
  run -125 --separate-stderr gpustall-record --source opencl-cpu --sampling off -o r \
    --launch-stacks agent -p "$running"
  assert_equal "$stderr" "gpustall-record: another recorder listens in '$PWD/agents'"
  gpustall-record --source opencl-cpu --sampling off -o r --duration 0.01 -p "$running" 2> err
  grep -qx "gpustall-record: warning: the agent of process $running is not used: another recorder listens in '$PWD/agents'" err
  recorded
  whole first
}

@test "-p makes and removes nothing in a directory whose secret the process does not know" {
  running one
  mkdir -m 700 mine
  touch mine/agents mine/missed
  # shellcheck disable=SC2001 # a pattern
  mapfile -t settings < <(sed "s|/agents\$|/mine|" settings)
  running other
  gpustall-record --source opencl-cpu --sampling off -o r --duration 0.01 -p "$running" 2> err
  grep -qx "gpustall-record: warning: the agent of process $running is not used: '$PWD/mine' has another secret" err
  assert_equal "$(ls mine)" 'agents
missed'
}

@test "a recorder that was killed leaves the program to the next one" {
  running one
  recording first --listen agents
  kill -KILL "$recorder"
  wait "$recorder" || true
  recording second --listen agents
  recorded
  whole second
}

# without_agent: starts the program, or skips
without_agent() {
  skip_without_uprobes
  settings=()
  running one
}

@test "-p of a Python without an agent has its functions" {
  without_agent
  recording r -p "$running"
  recorded
  skip_unless_python_is_read r.err
  run ! grep warning r.err
  grep -qx '# launches by : uprobe' r
  # in the stack of each launch, from the first on
  assert_equal "$(sed -n 's/.* \(py::[^:]*\):.*/\1/p' r | tr '\n' ' ')" 'py::step py::main py::<module> '
  assert_equal "$(grep -c '^# launch [0-9]' r)" 1
  grep -qxE '# end samples 0 launches [1-9][0-9]* lost 0' r
}

@test "-p of a Python without an agent says why its functions are not shown" {
  without_agent
  # the program that the kernel would run is not there
  mkdir plugins
  ln -s "$AIFLAME_BUILD"/libexec/aiflame/*.so plugins
  recording r --plugin-dir plugins -p "$running"
  recorded
  grep -qx "gpustall-record: warning: the Python functions of process $running are not shown: cannot read 'plugins/python-probe.o': No such file or directory" r.err
  grep -qx '# launches by : uprobe' r
  run ! grep -F '([python])' r
  grep -qxE '# end samples 0 launches [1-9][0-9]* lost 0' r
}

# ---- Level Zero ---------------------------------------------------------------------------------

@test "recorders that come later get what Level Zero told before: code, lists and their functions" {
  level_zero
  running one ze_loop.py
  find "/proc/$running/fd" | sort > fds
  recording first -p "$running"
  recorded
  whole_of_ze first
  recording second --listen agents
  recorded
  whole_of_ze second
  find "/proc/$running/fd" | sort | cmp - fds
  touch stop
  wait "$running"
  copied one.live
  assert_equal "$(cat one.out one.err)" 'ready
stopped'
}

@test "what a Level Zero program told one recorder, the next one gets too, though the first was killed" {
  level_zero
  listening first --listen agents
  until [ -S agents/agents ]; do :; done
  running one ze_loop.py
  await live
  kill -KILL "$recorder"
  wait "$recorder" || true
  recording second -p "$running"
  recorded
  whole_of_ze second
}

@test "a Level Zero program whose agent waits sees nothing of it" {
  level_zero
  local mode program=$AIFLAME_BUILD/tests/demo/ze_launches
  for mode in timed listed copies contexts reload forget fails refused functions fork; do
    "$program" "$mode" 3 > alone
    env "${settings[@]}" "$program" "$mode" 3 > waiting 2> err
    assert_equal "$(cat waiting err)" "$(cat alone)"
    assert_equal "$mode: $(cat log 2> /dev/null)" "$mode: "
  done
}
