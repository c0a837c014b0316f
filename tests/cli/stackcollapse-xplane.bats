# SPDX-License-Identifier: MIT
# stackcollapse-xplane on hand-made profiles of XLA, and on a genuine one of a GPU. tests/recorded/xplane.py makes them,
# and reads them independently.
load common
load damage

xplane() { python3 "$AIFLAME_ROOT/tests/recorded/xplane.py" "$@"; }

fold() { stackcollapse-xplane "$@" 2> err; }

# a genuine file of JAX on an MI350X; its figures are in the README beside it
genuine() {
  genuine=$AIFLAME_ROOT/../shared/data/xplane/934987a2fc2f.xplane.pb.gz
  [ -e "$genuine" ] || skip "no ../shared/data/xplane beside the sources"
}

@test "--help and --version" { assert_help_and_version stackcollapse-xplane; }

@test "wrong usage" {
  assert_usage_error stackcollapse-xplane --framez host
  run -2 --separate-stderr stackcollapse-xplane --cpu --streams x
  # shellcheck disable=SC2154 # Bats sets it
  assert_equal "$stderr" "stackcollapse-xplane: option '--cpu' is without devices: no '--streams', no '--by-step'; \
try 'stackcollapse-xplane --help'"
}

@test "a full disk is noticed" {
  xplane make > h.xplane.pb
  # shellcheck disable=SC2016 # for the inner shell
  run -1 --separate-stderr bash -c 'stackcollapse-xplane h.xplane.pb > /dev/full'
  [[ $stderr = *': write error: No space left on device' ]]
}

@test "a GPU: Python, the launch, the program, its lines, the operator's path, the kernel" {
  xplane make > h.xplane.pb
  assert_equal "$(fold h.xplane.pb)" '# aiflame: event gpu-time, unit ns, weights measured
[unknown launch];-;MemcpyD2D_[G] 500
py::main:train.py;train;PjitFunction(step);cuGraphLaunch;jit_step_[m];old.py:5;jit(step)_[m];add_[o];-;gemm<float>_[G] 1001
py::main:train.py;train;PjitFunction(step);fusion.1;cuLaunchKernel;jit_step_[m];py::main:train.py;py::Model.mlp:model.py;jit(step)_[m];mlp_[m];dot_general_[o];-;gemm<float>_[G] 2000'
  assert_equal "$(cat err)" 'stackcollapse-xplane: gpu-time: 3.501 us of 3 records: 14.28 % without a launch, 14.28 % without a source line; 0 lost'
}

@test "plain, compressed, by a pipe: the same" {
  xplane make > h.xplane.pb
  fold h.xplane.pb > expected
  gzip -k h.xplane.pb
  zstd -q h.xplane.pb
  local file
  for file in h.xplane.pb.gz h.xplane.pb.zst; do fold "$file" | cmp - expected; done
  fold < h.xplane.pb | cmp - expected
  # shellcheck disable=SC2002 # a pipe
  cat h.xplane.pb | fold - | cmp - expected
}

@test "frames by kind" {
  xplane make > h.xplane.pb
  assert_equal "$(fold --frames source --srcline --full-paths h.xplane.pb | stacks)" '/home/x/old.py:5;-;gemm<float>_[G] 1001
MemcpyD2D_[G] 500
py::main:/home/x/train.py:30;py::Model.mlp:/home/x/model.py:12;-;gemm<float>_[G] 2000'
  assert_equal "$(fold --frames module,scope h.xplane.pb | stacks)" 'MemcpyD2D_[G] 500
jit_step_[m];jit(step)_[m];add_[o];-;gemm<float>_[G] 1001
jit_step_[m];jit(step)_[m];mlp_[m];dot_general_[o];-;gemm<float>_[G] 2000'
  assert_equal "$(fold --frames runtime --full-names h.xplane.pb | stacks)" '[unknown launch];-;MemcpyD2D_[G] 500
cuGraphLaunch;-;void gemm<float>(float*)_[G] 1001
cuLaunchKernel;-;void gemm<float>(float*)_[G] 2000'
}

@test "a TPU: a loop without its body, lines of its own, times of the device" {
  xplane make tpu > h.xplane.pb
  assert_equal "$(fold h.xplane.pb | stacks)" 'jit(step)_[m];while_[o];-;while.3_[G] 4000
jit_step_[m];py::main:train.py;py::Model.mlp:model.py;jit(step)_[m];while_[m];body_[m];dot_general_[o];-;fusion.1_[G] 4000
tpu.py:9;tpu.py:7;-;copy.2_[G] 2000'
  assert_equal "$(cat err)" 'stackcollapse-xplane: gpu-time: 10.00 us of 3 records: 40.00 % without a source line; 0 lost'
}

@test "root frames" {
  xplane make tpu > h.xplane.pb
  assert_equal "$(fold --by-step --streams --rank --frames source h.xplane.pb | stacks | cut -d';' -f1-3 | sort -u)" 'rank node7;step_41;device TPU:0
rank node7;step_42;device TPU:0'
  xplane make > h.xplane.pb
  assert_equal "$(fold --by-step --streams --frames source h.xplane.pb | stacks | cut -d';' -f1-2 | sort -u)" '[no step];device GPU:0, stream 7
step_5;device GPU:0, stream 7'
  assert_equal "$(fold --by-time 0.003 --frames source h.xplane.pb | stacks | cut -d';' -f1 | sort -u)" '0.000006
0.000009'
}

@test "the host's threads: on request, and where there is no device" {
  xplane make host > h.xplane.pb
  fold h.xplane.pb > folded
  assert_equal "$(cat folded)" '# aiflame: event wall-time, unit ns, weights measured
Host_Threads/7;cuGraphLaunch 100
Host_Threads/7;cuLaunchKernel 100
python3;py::main:train.py 12000
python3;py::main:train.py;train 4000
python3;py::main:train.py;train;PjitFunction(step) 3500
python3;py::main:train.py;train;PjitFunction(step);fusion.1 500'
  assert_equal "$(cat err)" "stackcollapse-xplane: warning: h.xplane.pb: has no lines of a device: the host's threads are drawn
stackcollapse-xplane: wall-time: 20.20 us of 6 records; 0 lost"
  xplane make > h.xplane.pb
  fold --cpu h.xplane.pb | cmp - folded
}

@test "whose call it was: of several threads the one with the operator, else nobody knows" {
  xplane make threads > h.xplane.pb
  assert_equal "$(fold --frames host h.xplane.pb | stacks)" '[unknown launch];-;MemcpyD2D_[G] 500
[unknown thread];-;gemm<float>_[G] 1001
py::main:train.py;train;PjitFunction(step);fusion.1;-;gemm<float>_[G] 2000'
}

@test "host stacks of more than 500 events: [truncated] stands for what is left out, and its share is told" {
  xplane make deep > deep.xplane.pb
  fold deep.xplane.pb > folded
  run -0 grep -F 'py::f599:deep.py;cuLaunchKernel;' folded
  [[ $output == 'py::f0:deep.py;'*';py::f499:deep.py;[truncated];py::f599:deep.py;cuLaunchKernel;'*' 2000' ]]
  [[ $output != *';py::f500:'* ]]
  grep -q ' 57.13 % on stacks of more than 500 events' err
  fold --cpu deep.xplane.pb > folded
  grep -q '^python3;py::f0:deep.py;.*;py::f499:deep.py;py::f500:deep.py 2$' folded
  grep -q '^python3;py::f0:deep.py;.*;py::f499:deep.py;\[truncated\];py::f599:deep.py ' folded
  grep -q ' % on stacks of more than 500 events' err
}

@test "what is lost, and what the profiler says" {
  xplane make loss > h.xplane.pb
  fold h.xplane.pb > folded
  assert_equal "$(stacks < folded | awk '{ n += $NF } END { print n }')" 13501
  assert_equal "$(cat err)" 'stackcollapse-xplane: warning: h.xplane.pb: the profiler says: Failed to stop\033
stackcollapse-xplane: warning: h.xplane.pb: the profiler says: buffer 0
stackcollapse-xplane: warning: h.xplane.pb: the profiler says: buffer 1
stackcollapse-xplane: warning: h.xplane.pb: the profiler says: buffer 2
stackcollapse-xplane: warning: h.xplane.pb: the profiler says 2 more
stackcollapse-xplane: gpu-time: 13.50 us of 22 records: 3.70 % without a launch, 33.33 % without a source line; 1 records without a weight lost: negative durations, 1 records without a weight lost: sums of events without their times, 1 records without a weight lost: times that are months after the first, 12 records without a weight lost: traces that the profiler dropped, 3.000 us lost: work beside the line XLA Ops'
}

@test "files that are not one" {
  xplane make empty > empty.pb
  run -1 --separate-stderr stackcollapse-xplane empty.pb
  assert_equal "$stderr" 'stackcollapse-xplane: empty.pb: not a profile of XLA: it has no planes'
  xplane make > h.xplane.pb
  head -c 900 h.xplane.pb > cut.pb
  run -1 --separate-stderr stackcollapse-xplane cut.pb
  assert_equal "$stderr" 'stackcollapse-xplane: cut.pb: not a whole profile of XLA: end of buffer exception'
  [ -z "$output" ]
  python3 -c 'import sys; sys.stdout.write(open("h.xplane.pb", "rb").read().decode("utf-8", "replace"))' > text.pb
  run -1 --separate-stderr stackcollapse-xplane text.pb
  [[ $stderr = 'stackcollapse-xplane: text.pb: not a whole profile of XLA: '*'; it was converted as if it were text' ]]
}

@test "damaged files" {
  tmp=$BATS_TEST_TMPDIR/damage
  mkdir "$tmp"
  xplane make tpu > tpu
  damaged tpu 40
  survives stackcollapse-xplane
  rm "$tmp"/*
  xplane make > gpu
  damaged gpu 40
  survives stackcollapse-xplane
}

@test "a genuine file: 150 kernels, each operator's time, and 94.8 % with a line of Python" {
  genuine
  fold "$genuine" > folded
  assert_equal "$(stacks < folded | awk '{ n += $NF } END { print n }')" "$(xplane sums "$genuine" | head -n 1)"
  assert_equal "$(stacks < folded | awk '{ n += $NF } END { print n }')" 12133585
  assert_equal "$(cat err)" 'stackcollapse-xplane: gpu-time: 12.13 ms of 150 records: 5.24 % without a source line; 0 lost'
  # the innermost mark of the thread is the operator
  assert_equal "$(stacks < folded | awk -F';' '{ n = $NF; sub(/.* /, "", n); sums[$9] += n } END { for (op in sums) print op, sums[op] }' | sort)" \
    "$(xplane sums "$genuine" | sed 1d | sort)"
  assert_equal "$(fold --frames source --srcline "$genuine" | stacks | grep 'attention.py:1110;-;' | awk '{ n += $NF } END { print n }')" 4645760
}
