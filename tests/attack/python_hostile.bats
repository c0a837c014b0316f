# SPDX-License-Identifier: MIT
# Programs that say they are Python, and are not (python_hostile.cc). The kernel and the recorder, which
# is root then, read their memory from outside. The recorder stays small, ends, and counts each launch.
load attack
load agents

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  skip_without_uprobes
}

# attack NAME COUNT: records it into r; the recorder has 100 s and 256 MB
attack() {
  python3 - timeout 100 gpustall-record --source opencl-cpu --launch-stacks uprobe -o r -- \
    "$AIFLAME_BUILD/tests/attack/python_hostile" "$@" << 'END'
import os, sys
child = os.fork()
if child == 0:
    for name, to in ("out", 1), ("err", 2):
        os.dup2(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644), to)
    os.execvp(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
with open("memory", "w") as out:
    print(usage.ru_maxrss // 1024, file=out)
sys.exit(os.waitstatus_to_exitcode(status))
END
  cat err
  skip_unless_python_is_read err
  echo "$1: $(cat memory) MB"
  is_sanitized || [ "$(cat memory)" -lt 256 ]
  # probes are on the whole system's launches: lost ones may be another process's
  local made captured lost
  made=$(sed -n 's/^made //p' out)
  captured=$(sed -n 's/^# end .* launches \([0-9]*\) .*/\1/p' r)
  lost=$(awk '/PERF_RECORD_LOST lost [0-9]+ gpu-launch$/ { n += $(NF - 1) } END { print n + 0 }' r)
  echo "made $made, captured $captured, lost $lost"
  [ "$captured" -gt 0 ] && [ "$captured" -le "$made" ] && [ $((captured + lost)) -ge "$made" ]
}

# that stacks are without functions is said
without() { grep -qE 'warning: [0-9]+ stacks? (is|are) without Python functions, though there are some' err; }

@test "threads without end" {
  attack threads "$(scale 500 20000)"
  run ! grep -F '[python]' r
}

@test "frames without end are cut" {
  attack frames "$(scale 500 20000)"
  # one stack, of 128 functions; launches that the recorder came too late for have none
  assert_equal "$(grep -c 'py::f:f.py:1 (\[python\])$' r)" 128
  grep -q 'without the outermost callers' err
}

@test "a hundred thousand frames are cut" {
  attack deep "$(scale 500 20000)"
  grep -q 'py::f:f.py:1 (\[python\])$' r
  grep -q 'without the outermost callers' err
}

@test "texts that claim more than any memory" {
  attack texts "$(scale 500 20000)"
  without
  run ! grep -F '[python]' r
}

@test "names without end" {
  # as many as the program itself has memory for: the measure is of both. If the recorder comes too
  # late for the stacks, it has no names, and says so: then again
  for _ in 1 2 3; do
    attack names "$(scale 5000 20000)"
    if grep -q 'py::0n*[.n]*:f.py:1 (\[python\])$' r; then return; fi
    grep -q 'have stacks without Python functions: there was no room' err
  done
  false
}

@test "everything changes while it is read" {
  attack changes "$(scale 2000 100000)"
}
