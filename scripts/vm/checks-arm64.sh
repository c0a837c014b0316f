#!/bin/bash
# SPDX-License-Identifier: MIT
# checks-arm64.sh KERNEL: what scripts/test-arm64.sh runs as root in a virtual machine of AArch64. Writes
# a line for each check into $SHARE/report, as checks.sh does.
set -uo pipefail

kernel=$1
demo=$AIFLAME_BUILD/tests/demo
export POCL_CACHE_DIR=$SHARE/pocl
mkdir -p "$POCL_CACHE_DIR"
echo 1 > /proc/sys/kernel/perf_event_paranoid

# check WHAT COMMAND...
check() {
  local what=$1 status=0 began=$SECONDS
  shift
  echo "== $what"
  rm -rf /tmp/place && mkdir /tmp/place && cd /tmp/place || exit
  "$@" || status=$?
  echo "== status $status, $((SECONDS - began)) s"
  [ "$status" -eq 0 ] && echo "ok $kernel: $what" >> "$SHARE/report"
  [ "$status" -eq 0 ] || echo "not ok $kernel: $what" >> "$SHARE/report"
}
launches() { sed -n 's/^# end samples .* launches \([0-9]*\) .*/\1/p' "$1"; }

# The shares of samples are those of the device's own times, within ten of a hundred: timers of an
# emulated machine are late where its host is busy.
records_command() {
  gpustall-record --source opencl-cpu -o r -- "$demo/matmul" --size 192 --seconds 5 > out 2> err || { cat out err && return 1; }
  cat err
  [ "$(launches r)" -gt 0 ] || return
  stackcollapse-aiflame r > folded 2> fold.err || return
  cat fold.err
  # from main() down, without frame pointers
  grep -q '^matmul;.*;main;.*multiply;.*run_basic;clEnqueueNDRangeKernel;-;' folded || { head -n 5 folded && return 1; }
  stackcollapse-aiflame --event gpu-time r > time.folded 2> /dev/null
  # shares KERNEL FILE
  shares() { awk -v k=";$1_[G]" '{ all += $NF } index($0, k) { n += $NF } END { print 100 * n / all }' "$2"; }
  local name
  for name in multiply_basic multiply_local_access multiply_local_access_and_tiling; do
    grep -q ";${name}_\[G\]" time.folded || continue
    echo "$name: $(shares "$name" folded) % of samples, $(shares "$name" time.folded) % of the time"
    awk -v a="$(shares "$name" folded)" -v b="$(shares "$name" time.folded)" 'BEGIN { exit !(a - b <= 10 && b - a <= 10) }' || return
  done
}

records_process() {
  "$demo/matmul-fp" --size 64 --seconds 8 > out 2>&1 &
  until pgrep -x matmul-fp > /dev/null; do sleep 0.1; done
  sleep 1
  gpustall-record --source opencl-cpu -o r --duration 4 -p "$!" 2> err || { cat err && return 1; }
  wait
  cat err
  [ "$(launches r)" -gt 0 ] && stackcollapse-aiflame r 2> fold.err | tee folded | head -n 3
  cat fold.err
  grep -q ';main;.*multiply;.*clEnqueueNDRangeKernel;-;' folded
}

records_python() {
  cat > launches.py << 'PY'
import numpy, pyopencl as cl
def inner(queue, kernel, data):
    kernel(queue, (1 << 12,), None, data).wait()
def outer(queue, kernel, data):
    for _ in range(20): inner(queue, kernel, data)
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, """kernel void spin(global float* data) {
  float x = get_global_id(0);
  for (int i = 0; i < 20000; ++i) x = x * 0.999f + i;
  data[get_global_id(0)] = x; }""").build()
data = cl.Buffer(context, cl.mem_flags.READ_WRITE, 4 << 12)
outer(queue, program.spin, data)
PY
  gpustall-record --source opencl-cpu -o r -- python3 launches.py > out 2> err || { cat out err && return 1; }
  cat err
  stackcollapse-aiflame r 2> fold.err | tee folded | head -n 3
  grep -q 'py::<module>:launches.py;py::outer:launches.py;py::inner:launches.py;' folded
}

# The agent for CUDA on the stand-ins of tests/cli/cuda.bash: 100 us for each of 20 * 4 launches of
# scale, 200 us for each of 20 of add, one sample per us.
records_cuda() {
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] || { echo 'left out: no headers of CUDA' && return; }
  local sampling cubins=$AIFLAME_ROOT/tests/data/cubin/demo
  # shellcheck source=tests/cli/cuda.bash
  . "$AIFLAME_ROOT/tests/cli/cuda.bash"
  export FAKE_NVIDIA=$PWD/nvidia
  has_gpu 3d
  for sampling in continuous exact; do
    LD_LIBRARY_PATH=$AIFLAME_BUILD/tests/cuda recorder --source cupti --sampling "$sampling" --duty 100 -o r -- \
      "$demo/cuda_launches" launches 20 "$cubins/one.cubin" "$cubins/other.cubin" > out 2> err || { cat out err && return 1; }
    cat err
    tail -n 1 r
    stackcollapse-aiflame r > folded 2> fold.err || { cat fold.err && return 1; }
    cat fold.err
    [ "$(launches r)" -eq 100 ] || return
    awk '!/^#/ { all += $NF } /unknown launch/ { unknown += $NF }
      END { print unknown + 0 " of " all " samples without a launch"; exit !(all == 12000 && unknown == 0) }' folded || return
    grep -q ';main;.*run_once;.*-;kernels.cu_\[G\];scale_\[G\];' folded || { head -n 5 folded && return 1; }
  done
}

# The stacks of perf script, but for the samples that perf itself loses.
agrees_with_perf() { # GRAPH EVENT PROGRAM
  # The loader's samples are left out: there perf takes x30 for a caller, whatever it holds.
  perf record -q -F 999 -e "$2" --call-graph "$1" -o data -- "$AIFLAME_BUILD/tests/$3" 1 > out 2>&1 || { cat out && return 1; }
  stackcollapse-aiflame data 2> err | grep Level > ours
  cat err
  perf script --no-inline -i data 2> perf.err | stackcollapse-aiflame - 2>> perf.err | grep Level > theirs
  diff ours theirs | cut -c 1-400 | head -n 20
  # shellcheck disable=SC2016
  awk '{ n = $NF; sub(/ [0-9]+$/, "") } NR == FNR { ours[$0] = n; next } { all += n; same += (n < ours[$0] ? n : ours[$0]) }
    END { print same " of " all " samples"; exit !(all > 0 && same >= 0.95 * all) }' ours theirs
}

# Those of what differs between the machines. All of them take eight minutes here.
unit_tests() {
  local filter='Unwind*:CallFrames*:JitFrames*:ObjectSymbols*:ElfFile*:AgentChannel*:Ring*:ThreadRoom*:Sandbox*:Arm64*'
  (cd "$AIFLAME_ROOT" && "$AIFLAME_BUILD/tests/unit" --gtest_filter="$filter" 2>&1) |
    grep -v '^\[ RUN\|^\[       OK\|^\[---' | tail -n 40
  [ "${PIPESTATUS[0]}" -eq 0 ]
}

check "pages of $(($(getconf PAGESIZE) / 1024)) KiB: the walker and the channel, unit tests" unit_tests
check 'a command is recorded, its stacks are whole, and its shares those of the device times' records_command
check 'a running process is recorded by uprobes' records_process
check 'Python functions have their frames' records_python
check 'an agent for CUDA on stand-ins: each sample has its launch' records_cuda
# Counting cycles, Linux 6.1 sometimes does nothing but take samples on an emulated machine of a busy
# host. But a timer's samples have no copies of stacks where the processor has SVE: perf asks for one
# of its registers.
check 'call graphs by frame pointers are those of perf script' agrees_with_perf fp cpu-clock:u deep
check 'copied stacks are those of perf script' agrees_with_perf dwarf cycles:u deep
echo end >> "$SHARE/report"
