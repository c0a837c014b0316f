# SPDX-License-Identifier: MIT
# stackcollapse-trace: traces of Ascend, ONNX Runtime and old PyTorch, and Python's own order of calls.
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-trace/field
  tmp=$BATS_TEST_TMPDIR
  shared=$AIFLAME_ROOT/../shared/data
}

# folds FILE STACKS
folds() {
  run -0 --separate-stderr stackcollapse-trace "$1"
  assert_equal "$output" "# aiflame: event gpu-time, unit ns, weights measured
$2"
  [[ $stderr == *'; 0 lost' ]]
}

@test "Ascend: the hardware's time under the operators that launched it, and nothing else" {
  folds $data/ascend-genuine.json 'Python;Optimizer.zero_grad#Adam.zero_grad_[o];aten::zero__[o];aclnnInplaceZero_[o];-;aclnnInplaceZero_ZerosLikeAiCore_ZerosLike_[G] 15350'
}

@test "Ascend: times in texts, an arrow of the runtime's thread, which is Python's by its number" {
  folds $data/ascend-text-times.json 'Python;aten::mm_[o];-;MatMulV3_[G] 40007'
}

# ascend FILE: nanoseconds of the hardware by innermost operator, by an independent reader
ascend() {
  python3 - "$1" << 'END'
import gzip, json, sys
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
events = json.load(gzip.open(sys.argv[1]), parse_float=Decimal)
device = next(e["pid"] for e in events if e["ph"] == "M" and e["args"].get("name") == "Ascend Hardware")
starts = {e["id"]: e for e in events if e.get("cat") == "async_npu" and e["ph"] == "s"}
ends = {(e["tid"], e["ts"]): e["id"] for e in events if e.get("cat") == "async_npu" and e["ph"] == "f"}
operators = [e for e in events if e.get("cat") == "cpu_op"]
sums = Counter()
for e in events:
    if e["ph"] != "X" or e["pid"] != device:
        continue
    launch = starts.get(ends.get((e["tid"], e["ts"])))
    inside = [o for o in operators if launch and o["tid"] == launch["tid"] and
              Decimal(o["ts"]) <= Decimal(launch["ts"]) < Decimal(o["ts"]) + o["dur"]]
    inside.sort(key=lambda o: (Decimal(o["ts"]), -o["dur"]))
    sums[inside[-1]["name"] if inside else "[unknown launch]"] += int(
        (e["dur"] * 1000).to_integral_value(ROUND_HALF_UP))
for name, time in sorted(sums.items()):
    print(name, time)
END
}

@test "genuine Ascend: 276 kernels, each operator's time by an independent reader" {
  skip_without python3
  trace=$shared/ascend-trace-view/trace_view.json.gz
  [ -e "$trace" ] || skip 'no ../shared/data/ascend-trace-view'
  run -0 --separate-stderr stackcollapse-trace --frames operator "$trace"
  # 1790.44062368774415 us, each kernel rounded to a nanosecond; two of AI_CPU have no arrow
  [[ $stderr == *'1.790 ms of 276 records: '*'0.12 % without a launch; 0 lost' ]]
  awk '!/^#/ { time = $NF; sub(/;-;.*/, ""); sub(/.*;/, ""); sub(/_\[o\]$/, ""); sums[$0] += time }
    END { for (name in sums) print name, sums[name] }' <<< "$output" | sort > "$tmp/sums"
  ascend "$trace" | sort | diff - "$tmp/sums"
  assert_equal "$(awk '{ sum += $NF } END { print sum }' "$tmp/sums")" 1790457
}

@test "ONNX Runtime: kernels stand on their nodes, named or last; CPU profiles as before" {
  folds $data/onnxruntime.json '/conv1/Conv_[o];-;ampere_scudnn_128x64_[G] 90000
/conv1/Conv_[o];-;bias_kernel_[G] 10000'
  # newer: the device has its own process, and kernels follow several nodes; the session is below
  printf '%s\n' '[{"cat":"Session","pid":7,"tid":7,"dur":300,"ts":0,"ph":"X","name":"model_run","args":{}},' \
    '{"cat":"Node","pid":7,"tid":7,"dur":10,"ts":10,"ph":"X","name":"a_kernel_time","args":{"op_name":"Relu"}},' \
    '{"cat":"Node","pid":7,"tid":7,"dur":10,"ts":30,"ph":"X","name":"b_kernel_time","args":{"op_name":"Conv"}},' \
    '{"cat":"Kernel","pid":-1,"tid":-1,"dur":5,"ts":15,"ph":"X","name":"ka","args":{"parent_name":"a_kernel_time"}},' \
    '{"cat":"Kernel","pid":-1,"tid":-1,"dur":7,"ts":35,"ph":"X","name":"kc","args":{"parent_name":"c_kernel_time"}},' \
    '{"cat":"Kernel","pid":-1,"tid":-1,"dur":6,"ts":35,"ph":"X","name":"kb","args":{}}]' > "$tmp/new.json"
  folds "$tmp/new.json" '[unknown launch];-;kc_[G] 7000
model_run;a_[o];-;ka_[G] 5000
model_run;b_[o];-;kb_[G] 6000'
  [ -e "$shared/onnxruntime" ] || skip 'no ../shared/data/onnxruntime'
  run -0 --separate-stderr stackcollapse-trace "$shared/onnxruntime/ort-1.23.2-cpu.json.gz"
  assert_equal "$(grep -c 'model_run;SequentialExecutor::Execute;/layers.2/If_kernel_time;SequentialExecutor::Execute;/layers.2/then/MatMul_kernel_time 31561000$' <<< "$output")" 1
}

@test "torch.autograd before PyTorch 1.8: the GPU's time on its operator, not added to the CPU's" {
  folds $data/old-autograd.json 'add_[o];-;add_[G] 134176'
  assert_equal "$(stackcollapse-trace --cpu $data/old-autograd.json 2> /dev/null | stacks)" 'add_[o] 134490'
}

@test "rocprof before rocprofv3: the device's time on its HIP calls, not added to theirs" {
  printf '%s\n' '{ "traceEvents":[{}' \
    ',{"args":{"name":"CPU HIP API"},"ph":"M","pid":2,"name":"process_name","sort_index":0}' \
    ',{"args":{"name":"COPY"},"ph":"M","pid":1,"name":"process_name","sort_index":1}' \
    ',{"args":{"name":"GPU0"},"ph":"M","pid":6,"name":"process_name","sort_index":2}' \
    ',{"ph":"X","name":"CopyHostToDevice","pid":"1","tid":"0","ts":"104","dur":"3","args":{"BeginNs":"104100","DurationNs":"3431"}}' \
    ',{"ph":"X","name":"hipMemcpy","pid":"2","tid":"4711","ts":"100","dur":"9","args":{"DurationNs":"9020"}}' \
    ',{"ph":"X","name":"hipLaunchKernel","pid":"2","tid":"4711","ts":"110","dur":"6","args":{"DurationNs":"6001"}}' \
    ',{"ph":"X","name":"add(float*, int)","pid":"6","tid":"1","ts":"114","dur":"7","args":{"DurationNs":"7007"}}' \
    ',{"ph":"X","name":"early(float*)","pid":"6","tid":"1","ts":"90","dur":"1","args":{"DurationNs":"1009"}}' \
    ',{"ts":100,"ph":"s","cat":"DataFlow","id":0,"pid":2,"tid":4711,"name":"dep"}' \
    ',{"ts":104,"ph":"t","cat":"DataFlow","id":0,"pid":1,"tid":0,"name":"dep"}' \
    ',{"ts":110,"ph":"s","cat":"DataFlow","id":5,"pid":2,"tid":4711,"name":"dep"}' \
    ',{"ts":114,"ph":"t","cat":"DataFlow","id":5,"pid":6,"tid":1,"name":"dep"}' ']}' > "$tmp/results.json"
  folds "$tmp/results.json" 'CPU_HIP_API;hipLaunchKernel;-;add_[G] 7007
CPU_HIP_API;hipMemcpy;-;CopyHostToDevice_[G] 3431
[unknown launch];-;early_[G] 1009'
  # another writer's process of that name is no device
  sed 's/CPU HIP API/Host/' "$tmp/results.json" > "$tmp/other.json"
  stackcollapse-trace "$tmp/other.json" 2> /dev/null | grep -q 'event wall-time'
}

@test "TensorFlow 1: each kernel once, on its operator, and not added to the host's time" {
  process() { printf '{"ph":"M","name":"process_name","pid":%s,"args":{"name":"%s Compute"}},\n' "$@"; }
  op() {
    printf ',{"ph":"X","cat":"Op","name":"%s","pid":%s,"tid":0,"ts":%s,"dur":%s,"args":{"name":"%s","op":"%s"}}\n' \
      "$1" "$2" "$3" "$4" "$5" "$1"
  }
  { echo '{"traceEvents":[' && process 1 /job:localhost/replica:0/task:0/device:GPU:0 &&
    process 3 /device:GPU:0/stream:all && process 5 /device:GPU:0/stream:13 &&
    process 7 /device:GPU:0/memcpy && process 9 /device:GPU:0/stream:14 &&
    echo '{"ph":"s","cat":"DataFlow","name":"x","id":1,"pid":1,"tid":0,"ts":120}' &&
    op MatMul 1 100 20 dense/MatMul && op MatMul 3 110 50 dense/MatMul && op MatMul 5 110 50 dense/MatMul &&
    op MEMCPYHtoD 7 90 7 MEMCPYHtoD && op MEMCPYHtoD 9 90 7 MEMCPYHtoD && echo ']}'; } > "$tmp/timeline.json"
  folds "$tmp/timeline.json" 'MEMCPYHtoD_[o];-;MEMCPYHtoD_[G] 7000
dense_[m];MatMul_[o];-;MatMul_[G] 50000'
  # without a device, what the host did
  grep -v '"pid":[3579]' "$tmp/timeline.json" | sed '2s/GPU/CPU/' > "$tmp/cpu.json"
  assert_equal "$(stackcollapse-trace "$tmp/cpu.json" 2> /dev/null)" '# aiflame: event wall-time, unit ns, weights measured
/job:localhost/replica:0/task:0/device:CPU:0_Compute;MatMul 20000'
}

@test "a Python function that outlives its caller is not below what its caller's caller calls" {
  folds $data/python-child-after-parent.json 'py::main:train.py;py::log:train.py;cudaLaunchKernel;-;gemm_[G] 40000'
}

@test "functions of one name in a file are told apart by their lines, others have none" {
  printf '%s\n' '[{"ph":"X","cat":"python_function","name":"/a/m.py(1): step","pid":7,"tid":7,"ts":0,"dur":90},' \
    '{"ph":"X","cat":"python_function","name":"/a/m.py(5): forward","pid":7,"tid":7,"ts":1,"dur":80},' \
    '{"ph":"X","cat":"python_function","name":"/a/m.py(9): forward","pid":7,"tid":7,"ts":2,"dur":70},' \
    '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":3,"dur":6,"args":{"correlation":3}},' \
    '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9,"dur":4,"args":{"correlation":3}}]' > "$tmp/lines.json"
  folds "$tmp/lines.json" 'py::step:m.py;py::forward:m.py:5;py::forward:m.py:9;cudaLaunchKernel;-;k_[G] 4000'
  assert_equal "$(stackcollapse-trace --stack-cats python_function "$tmp/lines.json" 2> /dev/null | stacks)" 'py::step:m.py 10000
py::step:m.py;py::forward:m.py:5 10000
py::step:m.py;py::forward:m.py:5;py::forward:m.py:9 70000'
}

@test "many numbered modules: a hint names --merge-modules" {
  layers() { # COUNT
    echo '['
    for ((i = 0; i < $1; ++i)); do
      echo '{"ph":"X","cat":"python_function","name":"nn.Module: Layer_'$i'","pid":7,"tid":7,"ts":'$((10 * i))',"dur":9},'
    done
    echo '{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":9,"dur":4}]'
  }
  layers 9 > "$tmp/nine.json"
  layers 8 > "$tmp/eight.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/nine.json"
  assert_equal "${stderr_lines[0]}" "stackcollapse-trace: hint: $tmp/nine.json has more than eight modules Layer_N: --merge-modules draws them as one"
  run -0 --separate-stderr stackcollapse-trace --merge-modules "$tmp/nine.json"
  assert_equal "${#stderr_lines[@]}" 1
  run -0 --separate-stderr stackcollapse-trace "$tmp/eight.json"
  assert_equal "${#stderr_lines[@]}" 1
}

# details: kernel_details.csv, with what is in genuine ones: N/A, quotes, a tab behind a time
details() {
  printf '%s\n' 'Step Id,Stream ID,Name,Type,Accelerator Core,Start Time(us),Duration(us),Input Shapes' \
    "1,16,MatMul103,MatMul,AI_CORE,$(printf '"1699529622790614.8\t"'),40.007,\"\"\"544;8\"\"\"" \
    '2,N/A,hcom_broadcast__445_0,hcom_broadcast_,HCCL,1699529622793969.5,2.5,N/A' \
    '2,16,Add1,Add,AI_VECTOR_CORE,1699529622793990.5,-1,N/A' > "$tmp/kernel_details.csv"
}

@test "Ascend: a table of kernels" {
  details
  run -0 --separate-stderr stackcollapse-trace "$tmp/kernel_details.csv"
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
AI_CORE;MatMul_[o];-;MatMul103_[G] 40007
HCCL;hcom_broadcast__[o];-;hcom_broadcast__445_0_[G] 2500'
  assert_equal "$stderr" "stackcollapse-trace: hint: $tmp/kernel_details.csv has no host: trace_view.json beside it shows what launched its kernels
stackcollapse-trace: gpu-time: 42.51 us of 3 records; 1 records without a weight lost: with a negative duration"
  run -0 --separate-stderr stackcollapse-trace --by-step --rank "$tmp/kernel_details.csv"
  assert_equal "$(tail -n 1 <<< "$output")" 'kernel_details.csv;step_2;HCCL;hcom_broadcast__[o];-;hcom_broadcast__445_0_[G] 2500'
}

@test "Ascend: a table of kernels that cannot be" {
  details
  run -1 --separate-stderr stackcollapse-trace --idle "$tmp/kernel_details.csv"
  [[ $stderr == *': a table of kernels has no host: '* ]]
  sed 's/40.007/N\/A/' "$tmp/kernel_details.csv" > "$tmp/none.csv"
  run -1 --separate-stderr stackcollapse-trace "$tmp/none.csv"
  assert_equal "$stderr" "stackcollapse-trace: $tmp/none.csv:2: column 'Duration(us)': 'N/A' is not a number"
  [ -z "$output" ]
  sed 's/Accelerator Core/Core/' "$tmp/kernel_details.csv" > "$tmp/core.csv"
  run -1 --separate-stderr stackcollapse-trace "$tmp/core.csv"
  assert_equal "$stderr" "stackcollapse-trace: $tmp/core.csv:1: no column 'Accelerator Core'"
}

# 591 rows; the sums are those of kdetails.py beside the file
@test "genuine Ascend: a table of kernels, by core" {
  details=$shared/ascend-kernel-details/kernel_details.csv.gz
  [ -e "$details" ] || skip 'no ../shared/data/ascend-kernel-details'
  run -0 --separate-stderr stackcollapse-trace "$details"
  assert_equal "$(awk -F';' '!/^#/ { time = $NF; sub(/.* /, "", time); sums[$1] += time }
    END { for (core in sums) print core, sums[core] }' <<< "$output" | sort)" 'AI_CORE 14252720
AI_CPU 785180
AI_VECTOR_CORE 33091800
DSA_SQE 2176580
HCCL 346398740
MIX_AIV 102020'
}
