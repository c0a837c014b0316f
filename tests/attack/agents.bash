# SPDX-License-Identifier: MIT
# What attacks on recorded programs share: they launch on the tests' platforms and drivers.
# shellcheck shell=bash
export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so
export ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so
export CUBIN=$DATA/cubin/demo/one.cubin
# What the platforms' own functions take of the stack at their first call is theirs, not ours.
export LD_BIND_NOW=1
export PYTHON_LIBRARY=libpython3.11.so.1.0

# for_each_api COMMAND...: runs it with each API whose agent is built as its last argument
for_each_api() {
  "$@" opencl
  if [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero-agent.so" ]; then "$@" level-zero; fi
  if [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ]; then
    LD_LIBRARY_PATH=$AIFLAME_BUILD/tests/cuda "$@" cuda
  fi
}

# record PROGRAM API ARGUMENT...: records the attack into r; its output goes to out. RECORD_WITH is
# an option of the recorder.
record() {
  timeout 100 gpustall-record --source opencl-cpu ${RECORD_WITH:+"$RECORD_WITH"} -o r -- \
    "$AIFLAME_BUILD/tests/attack/$1" "${@:2}" > out 2> err || {
    echo "$*: exit status $?" >&2
    cat err >&2
    return 1
  }
}

# assert_all_accounted_for [some]: the launches that the program says it made are in the recording.
# With `some`, they may be counted there as lost instead.
assert_all_accounted_for() {
  local made captured lost
  made=$(sed -n 's/^made //p' out)
  captured=$(awk '/^# end/ { for (i = 1; i < NF; ++i) if ($i == "launches") print $(i + 1) }' r)
  lost=$(awk '/PERF_RECORD_LOST lost [0-9]+ gpu-launch$/ { n += $(NF - 1) } END { print n + 0 }' r)
  echo "made $made, captured $captured, lost $lost"
  [ "$made" -gt 0 ] && [ $((captured + lost)) -eq "$made" ] &&
    { [ "${1:-}" = some ] || [ "$lost" -eq 0 ]; }
}
