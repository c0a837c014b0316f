# SPDX-License-Identifier: MIT
# stackcollapse-trace: hand-made traces with their goldens, genuine ones against a sum made
# independently, damaged ones.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-trace
  tmp=$BATS_TEST_TMPDIR
}

# sum [REGEX] < FOLDED: the weights of the lines that match
sum() { awk -v wanted="${1-}" '!/^#/ && $0 ~ wanted { sum += $NF } END { printf "%d", sum }'; }

@test "PyTorch: correlation, arrows, external ids, graphs, the backward pass, collectives" {
  golden kineto stackcollapse-trace $data/kineto.json
}

@test "unitrace: begin and end events, arrows by id, a file that was never closed" {
  golden unitrace stackcollapse-trace $data/unitrace.json
}

@test "XLA: devices by the names of their processes, paths of operators, loops without their bodies" {
  golden xla stackcollapse-trace $data/xla.json
}

@test "graphs: kernels of replays stand on what was captured, those of lost records do not" {
  golden replay stackcollapse-trace --graph-names $data/capture.json $data/replay.json
  stackcollapse-trace --graph-names $data/capture.json $data/replay.json 2> "$tmp/err" > /dev/null
  grep -qx "stackcollapse-trace: $data/replay.json: 11 of 15 kernels of graphs stand on their captures; replays: 1 by position and name, 1 by the order of each name, 1 whose capture is not known" "$tmp/err"
  grep -q '25.41 % in replays of graphs whose capture is not known' "$tmp/err"
  # a directory, and a capture without names, as of CUDA: only the first replay has as many kernels
  mkdir "$tmp/captures"
  sed 's/,"kernel":"[^"]*"//' $data/capture.json | gzip > "$tmp/captures/bs_1.json.gz"
  stackcollapse-trace --graph-names "$tmp/captures" $data/replay.json 2> "$tmp/err" > "$tmp/folded"
  grep -q ': 6 of 15 kernels of graphs stand on their captures; replays: 1 by position alone, 2 whose capture is not known' "$tmp/err"
  assert_equal "$(sum ';Layer_[01]_\[m\];' < "$tmp/folded")" 75000
}

@test "graphs: nodes have the names that PyTorch gives them by their ids, whole or in halves" {
  golden nodes stackcollapse-trace --graph-names $data/node_marks.json --graph-names $data/node_functions.json $data/nodes.json
  run -0 --separate-stderr stackcollapse-trace --graph-names $data/node_marks.json $data/nodes.json
  local with_marks=$output
  [[ $stderr == *"$data/nodes.json: 4 of 5 records of nodes of graphs have names"* ]]
  # without a file, the trace itself names one
  run -0 --separate-stderr stackcollapse-trace $data/nodes.json
  [[ $stderr == *"$data/nodes.json: 1 of 5 records of nodes of graphs have names"* ]]
  # the same as a pickle, as the tutorial of PyTorch writes it
  for protocol in 2 3 4 5; do
    python3 -c 'import json, pickle, sys
marks = {int(k): v for k, v in json.load(open(sys.argv[1])).items()}
pickle.dump(marks, open(sys.argv[2], "wb"), protocol=int(sys.argv[3]))' $data/node_marks.json "$tmp/marks.pkl" $protocol
    assert_equal "$(stackcollapse-trace --graph-names "$tmp/marks.pkl" $data/nodes.json 2> /dev/null)" "$with_marks"
  done
  # the functions of a replay that are the capture's, too, stand there once
  gzip -c $data/node_functions.json > "$tmp/functions.json.gz"
  run -0 --separate-stderr stackcollapse-trace --idle --graph-names "$tmp/functions.json.gz" $data/nodes.json
  [[ $output == *'[gpu idle];[launch latency];py::decode:serve.py;cudaGraphLaunch;[cuda graph];py::forward:model.py:58;py::attend:model.py:41 1000'* ]]
}

@test "graphs: names of nodes that fit nothing, that are none, and a pickle that would execute" {
  run -0 --separate-stderr stackcollapse-trace --graph-names $data/node_marks.json $data/replay.json
  [[ $stderr == *"warning: $data/replay.json: its kernels have no \"graph node id\", so the names of nodes have no use"* ]]
  echo '{"12x":"/a/b.py:1:f"}' > "$tmp/wrong.json"
  run -1 --separate-stderr stackcollapse-trace --graph-names "$tmp/wrong.json" $data/nodes.json
  assert_equal "$output$stderr" "stackcollapse-trace: $tmp/wrong.json: '12x' is no id of a node"
  python3 -c 'import os, pickle, sys
class Hostile:
  def __reduce__(self): return (os.mkdir, (sys.argv[2],))
pickle.dump({1: Hostile()}, open(sys.argv[1], "wb"))' "$tmp/hostile.pkl" "$tmp/made"
  run -1 --separate-stderr stackcollapse-trace --graph-names "$tmp/hostile.pkl" $data/nodes.json
  [[ $output$stderr == "stackcollapse-trace: $tmp/hostile.pkl: byte "*": STACK_GLOBAL: only plain data is read, and nothing was executed" ]]
  [ ! -e "$tmp/made" ]
}

@test "graphs: without a capture, kernels that repeat are layers that are inferred" {
  genuine=$AIFLAME_ROOT/../shared/data
  [ -d "$genuine/traces" ] || skip 'no ../shared/data/traces'
  # SGLang's model has 36 layers, as its capture says
  stackcollapse-trace $genuine/graph-capture-merge/replay.json.gz > "$tmp/folded" 2> "$tmp/err"
  assert_equal "$(grep -o '\[layer [^]]*\]' "$tmp/folded" | sort -u | sed -n '1p;$p')" "[layer 01 of 36, inferred]
[layer 36 of 36, inferred]"
  assert_equal "$(sum '\[cuda graph\];\[layer .. of 36, inferred\];-;' < "$tmp/folded")" 9231934
  grep -q '94.41 % in layers that the order of kernels suggests' "$tmp/err"
  # vLLM launches a graph for each piece of a step
  stackcollapse-trace --merge-modules $genuine/traces/mi300_vllm_piecewise.json.gz > "$tmp/folded" 2> "$tmp/err"
  assert_equal "$(sum '\[cuda graph\];\[layer of 23, inferred\];-;' < "$tmp/folded")" 143568487
}

@test "graphs: a file without a capture, a directory without traces, a file that is none" {
  run -0 --separate-stderr stackcollapse-trace --graph-names $data/kineto.json $data/replay.json
  [[ $stderr == *"warning: $data/kineto.json: has no capture of a graph (StreamBeginCapture)"* ]]
  mkdir "$tmp/empty"
  run -1 --separate-stderr stackcollapse-trace --graph-names "$tmp/empty" $data/replay.json
  assert_equal "$stderr" "stackcollapse-trace: $tmp/empty: no trace is in this directory"
  run -1 --separate-stderr stackcollapse-trace --graph-names README.md $data/replay.json
  assert_equal "$output" ''
}

@test "the same bytes from standard input, gzip and zstd" {
  stackcollapse-trace < $data/kineto.json | cmp - $data/kineto.out
  gzip -c $data/kineto.json | stackcollapse-trace - | cmp - $data/kineto.out
  zstd -qc $data/kineto.json > "$tmp/kineto.json.zst"
  stackcollapse-trace "$tmp/kineto.json.zst" | cmp - $data/kineto.out
}

@test "the order of events does not matter" {
  { echo '['; grep '^{"ph"' $data/kineto.json | tac | sed 's/,*$/,/'; } > "$tmp/reversed.json"
  stackcollapse-trace "$tmp/reversed.json" 2> /dev/null | cmp - $data/kineto.out
}

@test "a list that is the whole file needs no end" {
  { echo '['; grep '^{"ph"' $data/kineto.json | sed 's/,*$/,/'; } > "$tmp/open.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/open.json"
  assert_equal "$output" "$(cat $data/kineto.out)"
  assert_equal "$stderr" 'stackcollapse-trace: gpu-time: 201.0 us of 10 records: 1.99 % without a launch; 0 lost'
}

@test "two files are two processes with the same ids" {
  stackcollapse-trace $data/kineto.json $data/kineto.json 2> /dev/null |
    awk '/^#/ { print; next } { $NF /= 2; print }' | cmp - $data/kineto.out
  [ "$(stackcollapse-trace --rank $data/kineto.json $data/xla.json | grep -c '^rank 3;')" -eq 10 ]
  [ "$(stackcollapse-trace --rank $data/kineto.json $data/xla.json | grep -c '^xla.json;')" -eq 4 ]
}

@test "--frames chooses kinds, and their order" {
  one() { stackcollapse-trace "$@" $data/kineto.json 2> /dev/null | grep 'gemm_backward'; }
  assert_equal "$(one --frames python)" \
    'python_3;py::step:train.py;py::backward:_tensor.py;[autograd thread];-;gemm_backward_[G] 60000'
  assert_equal "$(one --frames module,operator,forward)" \
    'python_3;[autograd thread];MmBackward0_[o];Linear_3_[m];aten::linear_[o];aten::mm_[o];[backward];-;gemm_backward_[G] 60000'
  assert_equal "$(stackcollapse-trace --frames runtime,python $data/kineto.json | grep node_a)" \
    'python_3;cudaGraphLaunch;py::step:train.py;[cuda graph];-;node_a_[G] 3000'
  assert_equal "$(one --frames operator,python)" \
    'python_3;[autograd thread];MmBackward0_[o];py::step:train.py;py::backward:_tensor.py;-;gemm_backward_[G] 60000'
  run -2 --separate-stderr stackcollapse-trace --frames python,nothing $data/kineto.json
  [ "$stderr" = "stackcollapse-trace: option '--frames': 'nothing' is none of range, python, module, forward, operator, runtime; try 'stackcollapse-trace --help'" ]
}

@test "--shapes, --srcline, --full-paths and --full-names say more" {
  assert_equal "$(stackcollapse-trace --shapes --srcline --full-paths --full-names $data/kineto.json | grep gemm.float)" \
    'python_3;py::step:/src/train.py:41;Linear_3_[m];aten::linear 64x64, 8, 9_[o];aten::mm 64x64, 64x64_[o];cudaLaunchKernel;-;void gemm<float>(float*)_[G] 40007'
}

@test "--merge-modules makes equal layers one" {
  [ "$(stackcollapse-trace $data/kineto.json | grep -c ';Linear_3_.m.;')" -eq 2 ]
  [ "$(stackcollapse-trace --merge-modules $data/kineto.json | grep -c ';Linear_.m.;')" -eq 2 ]
}

@test "--by-step, --root-range, --streams and --by-time are root frames" {
  first() { stackcollapse-trace "$@" $data/kineto.json 2> /dev/null | grep ';gemm<' | cut -d';' -f 1,2; }
  assert_equal "$(first --by-step)" 'ProfilerStep#1_[r];python_3'
  assert_equal "$(first --streams)" 'device 0, stream 7;python_3'
  assert_equal "$(first --by-time 0.1)" '0.0001;python_3'
  assert_equal "$(first --by-time 10 --rank)" '0.000;rank 3'
  assert_equal "$(stackcollapse-trace --root-range 'for*' $data/kineto.json | grep ';last_')" \
    'forward_[r];python_3;py::step:train.py;cudaLaunchKernel;-;last_[G] 10000'
  assert_equal "$(stackcollapse-trace --by-step $data/kineto.json | grep before)" \
    '[no step];[unknown launch];-;before_the_window_[G] 4000'
}

@test "--by-range makes the instances of a range root frames" {
  by_range() { stackcollapse-trace --by-range "$@" 2> /dev/null | stacks; }
  assert_equal "$(by_range forward $data/kineto.json | grep -v '^.outside forward.;')" \
    'forward #1_[r];python_3;py::step:train.py;cudaLaunchKernel;-;last_[G] 10000'
  # a name with a number keeps it; what no launch tells is outside
  assert_equal "$(by_range ProfilerStep --rank $data/kineto.json | cut -d';' -f 1,2 | sort -u)" \
    'ProfilerStep#1_[r];rank 3
[outside ProfilerStep];rank 3'
  assert_equal "$(by_range 'Prof*#?' --by-time 10 $data/kineto.json)" \
    "$(by_range ProfilerStep $data/kineto.json | sed 's/^/0.000;/; s/.outside ProfilerStep./[outside Prof*#?]/')"
  # nothing is lost, and without the roots nothing is another stack
  sum() { awk '{ sum += $NF } END { print sum }'; }
  for options in '' --idle --exposed --cpu; do
    [ "$(by_range nccl:all_reduce $options $data/kineto.json | sum)" = \
      "$(stackcollapse-trace $options $data/kineto.json 2> /dev/null | stacks | sum)" ]
  done
}

@test "--by-range: instances are numbered by the time at which they began, and nested ones are parts" {
  python3 - > "$tmp/t.json" << 'END'
import json
events, id = [], 0
def span(cat, name, ts, dur, tid=7, pid=7, **args):
    events.append(dict(ph="X", cat=cat, name=name, pid=pid, tid=tid, ts=ts, dur=dur, args=args))
def launch(ts, kernel, tid=7, **args):
    global id
    id += 1
    span("cuda_runtime", "cudaLaunchKernel", ts, 5, tid, correlation=id)
    span("kernel", kernel, ts + 10, 10, 7, 0, correlation=id)
# written in no order; bs=2 within bs=1 is a part of it; the last has no launch on the host
span("user_annotation", "step[DECODE bs=4]", 300, 100, **{"External id": 3})
span("user_annotation", "step[DECODE bs=1]", 100, 100, **{"External id": 1})
span("user_annotation", "step[DECODE bs=2]", 120, 20, **{"External id": 2})
span("gpu_user_annotation", "step[DECODE bs=4]", 320, 200, 7, 0, **{"External id": 3})
span("python_function", "serve.py(1): main", 0, 600)
span("python_function", "threading.py(1): _bootstrap", 200, 300, 8)
span("user_annotation", "step[DECODE bs=8]", 210, 50, 8)
launch(50, "before")
launch(125, "nested")
launch(150, "outer")
launch(220, "of_a_thread", 8)
launch(310, "last")
span("kernel", "unlaunched", 450, 10, 7, 0, correlation=99)
print(json.dumps(events))
END
  by_range() { stackcollapse-trace --by-range "$1" "$tmp/t.json" 2> /dev/null | stacks; }
  assert_equal "$(by_range 'step\[*')" '[outside step\[*];py::main:serve.py;cudaLaunchKernel;-;before_[G] 10000
step[DECODE bs=1] #1_[r];py::main:serve.py;cudaLaunchKernel;-;nested_[G] 10000
step[DECODE bs=1] #1_[r];py::main:serve.py;cudaLaunchKernel;-;outer_[G] 10000
step[DECODE bs=4] #3_[r];[unknown launch];-;unlaunched_[G] 10000
step[DECODE bs=4] #3_[r];py::main:serve.py;cudaLaunchKernel;-;last_[G] 10000
step[DECODE bs=8] #2_[r];py::_bootstrap:threading.py;cudaLaunchKernel;-;of_a_thread_[G] 10000'
  # the whole name is no pattern
  assert_equal "$(by_range 'step[DECODE bs=2]' | grep '^step')" \
    'step[DECODE bs=2] #1_[r];py::main:serve.py;cudaLaunchKernel;-;nested_[G] 10000'
}

@test "--by-range with a name that is not there is an error with the names that are" {
  run -1 --separate-stderr stackcollapse-trace --by-range backward $data/kineto.json
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-trace: option '--by-range': no range is named 'backward'; there are \
'ProfilerStep' (1), 'forward' (1), 'nccl:all_reduce' (1)"
  assert_usage_error stackcollapse-trace --by-range '' x
  assert_usage_error stackcollapse-trace --by-range a --stack-cats b x
}

@test "--cpu is the time of operators, each without what is inside of it" {
  assert_equal "$(stackcollapse-trace --cpu $data/kineto.json | stacks)" \
'python_3;py::step:train.py;Linear_3_[m];aten::linear_[o] 20000
python_3;py::step:train.py;Linear_3_[m];aten::linear_[o];aten::mm_[o] 74000
python_3;py::step:train.py;Linear_3_[m];aten::linear_[o];aten::mm_[o];cudaLaunchKernel 6000
python_3;py::step:train.py;aten::zero__[o] 5000
python_3;py::step:train.py;py::backward:_tensor.py;[autograd thread];Linear_3_[m];aten::linear_[o];aten::mm_[o];[backward];MmBackward0_[o] 45000
python_3;py::step:train.py;py::backward:_tensor.py;[autograd thread];Linear_3_[m];aten::linear_[o];aten::mm_[o];[backward];MmBackward0_[o];cudaLaunchKernel 5000
python_3;py::step:train.py;py::backward:_tensor.py;[autograd thread];c10d::allreduce__[o] 10000
python_3;py::step:train.py;py::backward:_tensor.py;[autograd thread];c10d::allreduce__[o];nccl:all_reduce_[r] 5000
python_3;py::step:train.py;py::backward:_tensor.py;[autograd thread];c10d::allreduce__[o];nccl:all_reduce_[r];cuLaunchKernelEx 5000'
  run -2 stackcollapse-trace --cpu --idle $data/kineto.json
}

@test "--cpu and --stack-cats: a range outlasts __enter__(), which begins it" {
  cat > "$tmp/with.json" << 'END'
[{"ph":"X","cat":"python_function","name":"t.py(1): step","pid":7,"tid":7,"ts":0,"dur":100},
{"ph":"X","cat":"python_function","name":"profiler.py(2): __enter__","pid":7,"tid":7,"ts":1,"dur":9},
{"ph":"X","cat":"cpu_op","name":"profiler::_record_function_enter_new","pid":7,"tid":7,"ts":3,"dur":5},
{"ph":"X","cat":"user_annotation","name":"forward","pid":7,"tid":7,"ts":4,"dur":80},
{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":7,"tid":7,"ts":20,"dur":30},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":40,"dur":10.001,"args":{"correlation":3}},
{"ph":"X","cat":"cpu_op","name":"aten::relu","pid":7,"tid":7,"ts":60,"dur":10}]
END
  assert_equal "$(stackcollapse-trace --cpu "$tmp/with.json" | stacks)" \
'py::step:t.py;forward_[r];aten::mm_[o] 20000
py::step:t.py;forward_[r];aten::mm_[o];cudaLaunchKernel 10001
py::step:t.py;forward_[r];aten::relu_[o] 10000
py::step:t.py;py::__enter__:profiler.py;profiler::_record_function_enter_new_[o] 1000'
  assert_equal "$(stackcollapse-trace --stack-cats user_annotation,python_function "$tmp/with.json" | stacks)" \
'py::step:t.py 17000
py::step:t.py;forward_[r] 80000
py::step:t.py;py::__enter__:profiler.py 3000'
}

@test "--idle: work and gaps fill the window of the device exactly, each moment once" {
  # from 990 (the first kernel) to 1830 us (the end of the last); 10 us of two kernels at once
  stackcollapse-trace --idle $data/kineto.json > "$tmp/idle" 2> "$tmp/err"
  assert_equal "$(sum < "$tmp/idle")" 840000
  assert_equal "$(sum '^.gpu idle.' < "$tmp/idle")" "$((840000 - 201007 + 10000))"
  grep -qFx '[gpu idle];[in the runtime];py::step:train.py;cudaGraphLaunch 5000' "$tmp/idle"
  grep -qx "stackcollapse-trace: $data/kineto.json: device 0: 840.000 us: 121.007 us computation, 60.000 us exposed communication, 10.000 us exposed copies, 648.993 us idle" "$tmp/err"
  grep -q '10.00 us lost: ran beside other work$' "$tmp/err"
}

@test "--idle: each part of a gap stands under its cause, and on the stack of the host" {
  golden idle stackcollapse-trace --idle --exposed --outside $data/idle.json
  assert_equal "$(grep -v 'the first' "$data/idle.out" | sum)" 1200000
  # of the whole device, not of a stream
  assert_equal "$(stackcollapse-trace --idle --streams $data/idle.json | sum '^device 0;.gpu idle.;')" 712000
}

@test "--exposed: communication and copies that nothing covered, and the rest; nothing is lost" {
  assert_equal "$(stackcollapse-trace --exposed $data/idle.json | stacks | grep -e exposed -e hidden)" \
'[exposed];py::step:train.py;aten::copy__[o];cudaMemcpyAsync;-;Memcpy HtoD (Pageable -> Device)_[G] 40000
[exposed];py::step:train.py;cudaLaunchKernel;-;ncclDevKernel_AllReduce_Sum_bf16_RING_LL_[G] 50000
[exposed];py::step:train.py;cudaMemcpyAsync;-;Memcpy DtoH (Device -> Pinned)_[G] 30000
[hidden];py::step:train.py;cudaLaunchKernel;-;ncclDevKernel_AllReduce_Sum_bf16_RING_LL_[G] 50000
[hidden];py::step:train.py;cudaMemcpyAsync;-;Memcpy DtoH (Device -> Pinned)_[G] 60000'
  assert_equal "$(stackcollapse-trace --exposed $data/idle.json | sum)" "$(stackcollapse-trace $data/idle.json | sum)"
}

@test "--idle: time without records is not called idle where a profiler has lost launches" {
  # of 5 replays one has its two kernels: 6 + 2 of 6 + 10
  cat > "$tmp/replays" << 'END'
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":7,"tid":7,"ts":600,"dur":9,"args":{"correlation":21}},
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":7,"tid":7,"ts":610,"dur":9,"args":{"correlation":22}},
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":7,"tid":7,"ts":620,"dur":9,"args":{"correlation":23}},
{"ph":"X","cat":"cuda_runtime","name":"cudaGraphLaunch","pid":7,"tid":7,"ts":630,"dur":9,"args":{"correlation":24}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchHostFunc","pid":7,"tid":7,"ts":640,"dur":9,"args":{"correlation":25}},
{"ph":"X","cat":"cuda_runtime","name":"cudaMemsetAsync","pid":7,"tid":7,"ts":650,"dur":9,"args":{"correlation":26}},
END
  sed "1r $tmp/replays" $data/idle.json > "$tmp/lost.json"
  run -0 --separate-stderr stackcollapse-trace --idle "$tmp/lost.json"
  assert_equal "$(grep -v 'ran beside' <<< "$stderr")" "stackcollapse-trace: $tmp/lost.json: 8 of 16 launched kernels are recorded (50.00 %): time without records is not called idle
stackcollapse-trace: $tmp/lost.json: device 0: 1200.000 us: 368.000 us computation, 50.000 us exposed communication, 70.000 us exposed copies, 712.000 us not recorded"
  [[ $output != *idle* ]]
  grep -qFx '[not recorded] 712000' <<< "$output"
}

@test "--idle: a duration that leaves no gap is named" {
  sed '1a {"ph":"X","cat":"kernel","name":"endless","pid":0,"tid":7,"ts":100,"dur":900000,"args":{"correlation":1}},' \
    $data/idle.json > "$tmp/endless.json"
  run -0 --separate-stderr stackcollapse-trace --idle "$tmp/endless.json"
  grep -qx "stackcollapse-trace: warning: $tmp/endless.json: device 0: one event has 99.96 % of the window: 'endless_.G.'" <<< "$stderr"
}

@test "--outside needs --idle, which is without --cpu and --stack-cats" {
  run -2 --separate-stderr stackcollapse-trace --outside $data/idle.json
  assert_equal "$stderr" "stackcollapse-trace: option '--outside' needs '--idle'; try 'stackcollapse-trace --help'"
  run -2 stackcollapse-trace --cpu --exposed $data/idle.json
  run -2 stackcollapse-trace --stack-cats kernel --idle $data/idle.json
}

# published TRACE COLUMNS: the row's figures of ../shared/data/timeline.tsv, by the file's hash
published() {
  python3 - "$1" "$AIFLAME_ROOT/../shared/data/timeline.tsv" << 'END'
import csv, hashlib, sys
digest = hashlib.sha256(open(sys.argv[1], "rb").read()).hexdigest()
for row in csv.DictReader(open(sys.argv[2]), delimiter="\t"):
    if row["sha256"] == digest:
        print(*(row[f"all_{name}_us"] for name in
                ("total", "computation", "exposed_comm", "exposed_memcpy", "idle")))
        break
END
}

@test "genuine traces: computation, exposed time and idle time are those of an independent sweep" {
  skip_without python3
  shared=$AIFLAME_ROOT/../shared/data
  [ -e "$shared/timeline.tsv" ] || skip 'no ../shared/data/timeline.tsv'
  seen=0
  for trace in "$shared"/{traces,timeline,forecast-pairs,graph-capture-merge}/*.json.gz; do
    expected=$(published "$trace")
    [ -n "$expected" ] || continue
    seen=$((seen + 1))
    stackcollapse-trace --idle "$trace" > "$tmp/folded" 2> "$tmp/err"
    assert_equal "$(sed -n 's/^.*: device [0-9]*: \([0-9.]*\) us: \([0-9.]*\) us computation, \([0-9.]*\) us exposed communication, \([0-9.]*\) us exposed copies, \([0-9.]*\) us idle$/\1 \2 \3 \4 \5/p' "$tmp/err")" "$expected"
    # and the stacks add up to it
    assert_equal "$(sum < "$tmp/folded")" "$(awk '{ printf "%.0f", 1000 * $1 }' <<< "$expected")"
    assert_equal "$(sum '^.gpu idle.' < "$tmp/folded")" "$(awk '{ printf "%.0f", 1000 * $5 }' <<< "$expected")"
  done
  [ "$seen" -ge 10 ]
}

@test "--idle: between the kernels of a graph stands what was captured of the next one" {
  assert_equal "$(stackcollapse-trace --idle --frames module,runtime --graph-names $data/capture.json $data/replay.json | grep latency)" \
'[gpu idle];[launch latency];hipGraphLaunch;[cuda graph] 32000
[gpu idle];[launch latency];hipGraphLaunch;[cuda graph];Layer_0_[m];hipLaunchKernel 34000
[gpu idle];[launch latency];hipGraphLaunch;[cuda graph];Layer_1_[m];hipLaunchKernel 32000
[gpu idle];[launch latency];hipGraphLaunch;[cuda graph];Layer_1_[m];hipMemcpyAsync 13000'
}

@test "a genuine decode: what the largest gaps wait for is named" {
  trace=$AIFLAME_ROOT/../shared/data/graph-capture-merge/replay.json.gz
  [ -e "$trace" ] || skip 'no ../shared/data/graph-capture-merge'
  stackcollapse-trace --idle "$trace" > "$tmp/folded" 2> /dev/null
  # 463.3 of 464.0 ms of idle time is one copy that blocks; then the launch of the graph
  [ "$(sum '^.gpu idle.;.host copies.;.*;py::<built-in method copy_>;.*;hipMemcpyWithStream ' < "$tmp/folded")" -gt 463000000 ]
  [ "$(sum '^.gpu idle.;.in the runtime.;.*;py::replay:graphs.py;hipGraphLaunch ' < "$tmp/folded")" -gt 273000 ]
}

@test "a trace without what one expects says so" {
  echo '[{"ph":"X","cat":"cpu_op","name":"aten::mm","pid":1,"tid":1,"ts":1,"dur":2,"args":{"External id":1}}]' > "$tmp/cpu.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/cpu.json"
  assert_equal "$stderr" "stackcollapse-trace: warning: $tmp/cpu.json: has no kernels, copies or memsets
stackcollapse-trace: hint: --cpu shows the time of its operators
stackcollapse-trace: gpu-time: 0 ns of 0 records; 0 lost"
}

@test "--stats says what was read and drawn" {
  stackcollapse-trace --stats "$tmp/stats" $data/kineto.json > /dev/null 2>&1
  [ "$(jq -c '.read, .drawn, .parts["without a launch"], .lost' "$tmp/stats")" = '{"records":10,"weight":201007}
{"records":10,"weight":201007}
{"records":1,"weight":4000}
{}' ]
}

# expected TRACE: the nanoseconds of all kernels, copies and memsets, by an independent reader
expected() {
  python3 - "$1" << 'END'
import decimal, gzip, json, sys
total = 0
for event in json.load(gzip.open(sys.argv[1]), parse_float=decimal.Decimal)["traceEvents"]:
    if event.get("ph") == "X" and event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset"):
        total += event["dur"] * 1000
print(int(total))
END
}

@test "genuine traces: every nanosecond is drawn, and stands under Python" {
  skip_without python3
  genuine=$AIFLAME_ROOT/../shared/data/traces
  [ -d "$genuine" ] || skip 'no ../shared/data/traces'
  for trace in "$genuine"/*eager* "$genuine"/*qwen* "$genuine"/*resnet* "$genuine"/*vllm*; do
    stackcollapse-trace --stats "$tmp/stats" "$trace" > "$tmp/folded" 2> /dev/null
    assert_equal "$(sum < "$tmp/folded")" "$(expected "$trace")"
    # of what has a launch, at most 1 % is without a Python function
    launched=$(($(sum < "$tmp/folded") - $(sum '^.unknown launch.' < "$tmp/folded")))
    without=$((launched - $(sum 'py::' < "$tmp/folded")))
    [ $((100 * without)) -le "$launched" ]
    for options in --by-step '--by-time 10' --streams '--frames operator'; do
      assert_equal "$(stackcollapse-trace $options "$trace" 2> /dev/null | sum)" "$(sum < "$tmp/folded")"
    done
  done
}

# operator_time TRACE: the nanoseconds in which a thread was in an operator, by an independent reader
operator_time() {
  python3 - "$1" << 'END'
import decimal, gzip, json, sys
threads = {}
for event in json.load(gzip.open(sys.argv[1]), parse_float=decimal.Decimal)["traceEvents"]:
    if event.get("ph") == "X" and event.get("cat") == "cpu_op":
        start, duration = (int((event[key] * 1000).to_integral_value("ROUND_HALF_UP")) for key in ("ts", "dur"))
        threads.setdefault((event["pid"], event["tid"]), []).append((start, start + duration))
total = 0
for spans in threads.values():
    done = min(spans)[0]
    for start, end in sorted(spans):
        total += max(0, end - max(start, done))
        done = max(done, end)
print(total)
END
}

@test "genuine traces: --cpu is all of the time in operators" {
  skip_without python3
  genuine=$AIFLAME_ROOT/../shared/data/traces
  [ -d "$genuine" ] || skip 'no ../shared/data/traces'
  for trace in "$genuine"/*eager* "$genuine"/*qwen* "$genuine"/*resnet* "$genuine"/*vllm*; do
    expected=$(operator_time "$trace")
    drawn=$(stackcollapse-trace --cpu "$trace" 2> /dev/null | sum)
    # a call may outlast its operator
    [ "$drawn" -ge "$expected" ]
    [ $((drawn - expected)) -le $((expected / 1000)) ]
  done
}

@test "a damaged trace is used as far as it is whole, or is one clear line" {
  size=$(wc -c < $data/kineto.json)
  for ((at = 0; at < size; at += 97)); do
    head -c $at $data/kineto.json > "$tmp/cut.json"
    run --separate-stderr stackcollapse-trace "$tmp/cut.json"
    [ "$status" -le 1 ]
    if [ "$status" -eq 1 ]; then
      [ -z "$output" ]
      [ "$(wc -l <<< "$stderr")" -eq 1 ]
    else
      [[ $stderr == *'the file is cut; what is whole is used'* ]]
    fi
    # a byte that is another one
    { head -c $at $data/kineto.json; printf '\x%02x' $((at % 256)); tail -c +$((at + 2)) $data/kineto.json; } > "$tmp/bad.json"
    run --separate-stderr stackcollapse-trace "$tmp/bad.json"
    [ "$status" -le 1 ]
    [ "$status" -eq 0 ] || [ -z "$output" ]
  done
}

@test "a compressed trace that is cut is used as far as it is whole" {
  gzip -c $data/kineto.json | head -c 900 > "$tmp/cut.gz"
  run -0 --separate-stderr stackcollapse-trace "$tmp/cut.gz"
  [[ $stderr == "stackcollapse-trace: warning: $tmp/cut.gz: the file is cut; what is whole is used"* ]]
  [[ $output == *';-;gemm<float>_[G] 40007'* ]]
}

@test "a kernel without a time is lost by name" {
  echo '[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"dur":2},
    {"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":"1.5","dur":3}]' > "$tmp/lost.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/lost.json"
  assert_equal "$output" $'# aiflame: event gpu-time, unit ns, weights measured\n[unknown launch];-;k_[G] 3000'
  assert_equal "$stderr" 'stackcollapse-trace: gpu-time: 3.000 us of 2 records: 100.00 % without a launch; 2.000 us lost: without a time'
}

@test "what is not a trace is an error with its place" {
  echo '{"rocprofiler-sdk-tool": []}' > "$tmp/other.json"
  run -1 --separate-stderr stackcollapse-trace "$tmp/other.json"
  assert_equal "$stderr" \
    "stackcollapse-trace: $tmp/other.json: this is a trace of rocprofv3; fold it first: stackcollapse-rocprof $tmp/other.json"
  echo '{"other": []}' > "$tmp/other.json"
  run -1 --separate-stderr stackcollapse-trace "$tmp/other.json"
  assert_equal "$stderr" "stackcollapse-trace: $tmp/other.json: no list of events (\"traceEvents\"): not a Chrome trace"
  printf '[\n{"ph" "X"}]' > "$tmp/bad.json"
  run -1 --separate-stderr stackcollapse-trace "$tmp/bad.json"
  [[ $stderr == "stackcollapse-trace: $tmp/bad.json:2: "* ]]
  run -1 --separate-stderr stackcollapse-trace "$tmp/none"
  [ "$stderr" = "stackcollapse-trace: cannot open '$tmp/none': No such file or directory" ]
}

@test "hostile values neither crash nor hang" {
  python3 - > "$tmp/hostile.json" << 'END'
import json
events = [{"ph": "X", "cat": "cpu_op", "name": "deep", "pid": 1, "tid": 1, "ts": i, "dur": 100000 - 2 * i,
           "args": {"External id": i}} for i in range(20000)]
for ts, dur in ((1e300, 1), (-1e30, 1), (1, -5), (1, 1e30), (9e15, 9e15), (10000, 1e15)):
    events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 1, "ts": ts, "dur": dur,
                   "args": {"External id": 5}})
for i in range(2000):
    events.append({"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 1, "ts": 10000 + i, "dur": 1,
                   "args": {"External id": 19999, "correlation": 7}})
    events.append({"ph": "X", "cat": "cuda_runtime", "name": "call", "pid": 1, "tid": 2, "ts": 20000, "dur": 1,
                   "args": {"correlation": 7}})
print(json.dumps(events))
END
  run timeout 60 stackcollapse-trace --idle "$tmp/hostile.json"
  [ "$status" -le 1 ]
}

@test "usage errors, help and version, a full disk" {
  assert_usage_error stackcollapse-trace --nosuch
  assert_usage_error stackcollapse-trace --by-time nothing
  assert_help_and_version stackcollapse-trace
  assert_full_disk_noticed stackcollapse-trace $data/kineto.json
}

@test "graphs: SGLang's decode step on its capture, layer by layer" {
  # figures of capmerge.py beside it, which joins them by position
  genuine=$AIFLAME_ROOT/../shared/data/graph-capture-merge
  [ -d "$genuine" ] || skip 'no ../shared/data/graph-capture-merge'
  stackcollapse-trace --graph-names $genuine/capture_bs_32_cut.json.gz $genuine/replay.json.gz > "$tmp/folded" 2> "$tmp/err"
  grep -q ': 544 of 544 kernels of graphs stand on their captures; replays: 1 by position and name$' "$tmp/err"
  assert_equal "$(sum ';\[cuda graph\];' < "$tmp/folded")" 9656404
  assert_equal "$(sum ';\[cuda graph\];LogitsProcessor_0_\[m\];' < "$tmp/folded")" 405283
  assert_equal "$(sum ';\[cuda graph\];Qwen3Model_0_\[m\];Qwen3DecoderLayer_7_\[m\];' < "$tmp/folded")" 378511
  assert_equal "$(sum ';RadixAttention_[0-9]*_\[m\];' < "$tmp/folded")" 2301414
}
