# SPDX-License-Identifier: MIT
# Genuine recordings of an NVIDIA H200 and an H100 (tests/data/cupti): what is folded of them is what is known
# of these runs from elsewhere.
load common
# sum()
# shellcheck source=scripts/selftest-judge.sh
. "$AIFLAME_ROOT/scripts/selftest-judge.sh"

setup() {
  cd "$DATA/cupti" || return
  folded=$BATS_TEST_TMPDIR/folded err=$BATS_TEST_TMPDIR/err
}

fold() { # RECORDING OPTION...
  local recording=$1
  shift
  stackcollapse-aiflame "$@" "$recording.gpustall.zst" 2> "$err" | sed 's/_\[[gG]\]//g' > "$folded"
}

# holds CONDITION: of awk
holds() { awk "BEGIN { exit !($1) }" || { echo "not true: $1"; return 1; }; }

@test "shares of the samples are shares of the time that CUDA events measured" {
  fold matmul --event gpu-stall --srcline --gpu-frames=kernel,line
  grep -q '^stackcollapse-aiflame: gpu-stall: 997206 samples: .* 18002 unattributed, 0 lost' "$err"
  local in_kernels kernel function share
  in_kernels=$(sum ';-;multiply_')
  assert_equal "$in_kernels" $((997206 - 18002))
  while read -r kernel function share; do
    holds "(100 * $(sum ";-;$kernel;") / $in_kernels - $share) ^ 2 < 1"
    assert_equal "$(sum ";$function;.*;-;$kernel;")" "$(sum ";-;$kernel;")"
  done << 'EVENTS'
multiply_basic run_basic 50.09
multiply_local_access run_local_access 29.96
multiply_local_access_and_tiling run_tiled 19.95
EVENTS
  # the lines of its loop, as they were then
  holds "$(sum ';-;multiply_basic;cuda_matmul[.]cu:(38|46|47) ') >= 0.99 * $(sum ';-;multiply_basic;')"
}

@test "a multiprocessor takes one sample in each period in which it is busy" {
  fold matmul --event gpu-time --gpu-frames=kernel
  local busy
  busy=$(sum ';-;multiply_')
  # CUDA events: 1.001533 s, and two launches of each kernel before the table's
  holds "$busy > 1.00e9 && $busy < 1.01e9"
  fold matmul --event gpu-stall --gpu-frames=kernel
  # 132 of them at 1980 MHz; its blocks do not keep them all busy to the end of a kernel
  holds "$(sum ';-;multiply_') * 262144 / (132 * 1.98) / $busy > 0.95"
  holds "$(sum ';-;multiply_') * 262144 / (132 * 1.98) / $busy < 1.01"
}

@test "kernels of one name from two modules have their own samples" {
  fold both --event gpu-stall --gpu-frames=kernel
  holds "$(sum ';run_one;.*;-;scale') + $(sum ';run_other;.*;-;scale') == $(sum ';-;scale')"
  # three times the work, and what both do besides
  holds "$(sum ';run_other;') > 0.70 * $(sum ';-;scale') && $(sum ';run_other;') < 0.77 * $(sum ';-;scale')"
}

@test "a graph's kernels are launches, with the caller of the graph's launch" {
  fold graphs --event gpu-time --gpu-frames=kernel
  grep -q ' of 800 launches, 0 launches lost' "$err"
  assert_equal "$(sum ';run_graph;cuGraphLaunch;\[cuda graph\];-;scale')" "$(sum .)"
  fold graphs --event gpu-stall --gpu-frames=kernel
  assert_equal "$(sum ';run_graph;cuGraphLaunch;\[cuda graph\];-;scale')" "$(sum ';-;scale')"
}

@test "PyTorch: the same kernels take the time that its own profiler measures, and all have Python lines" {
  fold training --event gpu-time --srcline --gpu-frames=kernel
  grep -q ' of 23101 launches, 0 launches lost' "$err"
  assert_equal "$(sum ';py::main:torch_transformer[.]py:[0-9]+;.*;-;')" "$(sum .)"
  # those with 2 % of the time within 2 %, and all together within 1 %
  awk 'FNR == NR { theirs[substr($0, 1, length($0) - length($NF) - 1)] = $NF; total += $NF; next }
    !/^#/ {
      sub(/^.*;-;/, "")
      name = substr($0, 1, length($0) - length($NF) - 1)
      ours[name] += $NF
      all += $NF
    }
    END {
      for (name in theirs) {
        compared += theirs[name] >= 0.02 * total
        if (theirs[name] >= 0.02 * total && (ours[name] / theirs[name] - 1) ^ 2 > 0.02 ^ 2)
          wrong = wrong name ": " ours[name] ", theirs " theirs[name] "\n"
      }
      printf "%s", wrong
      exit wrong != "" || compared < 12 || (all / total - 1) ^ 2 > 0.01 ^ 2
    }' training.kernels "$folded"
}

@test "a model's step in a CUDA graph: each kernel stands on the line that was captured" {
  fold h100-graph --event gpu-time --srcline --gpu-frames=kernel
  local replayed
  replayed=$(sum ';\[cuda graph\];')
  holds "$replayed > 3000000 && $replayed < 5000000"
  assert_equal "$(sum ';\[cuda graph\];.*;py::GraphedGenerator.step:[^;]*;.*;-;')" "$replayed"
  # but for the argmax, and what the step itself adds and copies
  holds "$(sum ';\[cuda graph\];.*;py::[^;]*modeling_llama[.]py:[0-9]*;.*;-;') >= 0.95 * $replayed"
  # samples name no node: the launches of the nodes that run a kernel share its samples
  fold h100-graph-samples --event gpu-stall --srcline --gpu-frames=kernel
  grep -q ': 37744 samples: 0 exact, 37126 apportioned, 618 unattributed, 0 lost' "$err"
  assert_equal "$(sum ';\[cuda graph\];.*;py::GraphedGenerator.step:[^;]*;.*;-;')" "$(sum ';\[cuda graph\];')"
}

@test "--graph-frames draws where kernels were captured, where the graph was replayed, or both" {
  local replayed
  fold h100-graph --event gpu-time --gpu-frames=kernel
  replayed=$(sum ';\[cuda graph\];')
  fold h100-graph --event gpu-time --gpu-frames=kernel --graph-frames=capture
  assert_equal "$(sum '^python3;\[cuda graph\];py::.*;-;')" "$replayed"
  fold h100-graph --event gpu-time --gpu-frames=kernel --graph-frames=replay
  assert_equal "$(sum ';at::cuda::CUDAGraph::replay;cudaGraphLaunch;\[cuda graph\];-;')" "$replayed"
  run -2 --separate-stderr stackcollapse-aiflame --graph-frames=capture,all < /dev/null
  assert_equal "$stderr" "stackcollapse-aiflame: option '--graph-frames': 'all' is none of capture, replay; try 'stackcollapse-aiflame --help'"
}

# replayed: KERNELS MICROSECONDS of one replay, by PyTorch's own profiler, which saw six. It also saw
# copies that the driver made by a kernel, of which CUPTI tells only those who ask for copies.
replayed() {
  zcat h100-graph.trace.json.gz | python3 -c '
import json, sys
events = json.load(sys.stdin)["traceEvents"]
replays = {e["args"]["correlation"] for e in events if e["name"] == "cudaGraphLaunch"}
kernels = [e for e in events if e.get("cat") == "kernel" and e["args"]["correlation"] in replays
           and e["name"] != "memcpy32_post"]
print(len(kernels) // len(replays), round(sum(e["dur"] for e in kernels) / len(replays)))'
}

@test "a replay has the kernels that PyTorch's own profiler sees, and takes the time that it measures" {
  local kernels microseconds
  read -r kernels microseconds < <(replayed)
  assert_equal "$kernels" 114
  # nine replays: three in each of three rounds
  zstd -dcq h100-graph.gpustall.zst > "$BATS_TEST_TMPDIR/r"
  assert_equal "$(awk '/^# launch [0-9]/ { number = $3 } /\[cuda graph\]/ { in_graph[number] = 1 }
    /^# launched / && in_graph[$3] { n += $4 } END { print n }' "$BATS_TEST_TMPDIR/r")" $((9 * kernels))
  fold h100-graph --event gpu-time --gpu-frames=kernel
  holds "($(sum ';\[cuda graph\];') / 9 / ($microseconds * 1000) - 1) ^ 2 < 0.05 ^ 2"
}

@test "a training step: its own trace and the recording agree" {
  # two runs; the recording also has the kernel that makes the text
  fold h100-training --event gpu-time --gpu-frames=kernel
  local trace=$BATS_TEST_TMPDIR/trace
  stackcollapse-trace h100-training.trace.json.gz 2> "$err" | grep -v 'Memcpy\|Memset' > "$trace"
  grep -q '694 launches, 0 launches lost' <(stackcollapse-aiflame --event gpu-time h100-training.gpustall.zst 2>&1 > "$folded")
  holds "($(sum .) / $(awk '!/^#/ { n += $NF } END { print n }' "$trace") - 1) ^ 2 < 0.03 ^ 2"
}
