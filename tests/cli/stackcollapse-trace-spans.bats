# SPDX-License-Identifier: MIT
# stackcollapse-trace: vLLM on Gaudi, and categories that nobody knows. All inputs are hand-made;
# those of Gaudi follow the source of their writers.
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-trace
  tmp=$BATS_TEST_TMPDIR
}

sum() { awk '!/^#/ { sum += $NF } END { printf "%d", sum }'; }

# spans FILE: the nanoseconds in which one of the events lasts, thread by thread
spans() {
  python3 - "$1" << 'END'
import decimal, json, sys
text = open(sys.argv[1]).read().rstrip().rstrip(",")
trace = json.loads(text + "]", parse_float=decimal.Decimal)
threads = {}
for event in trace:
    if event["ph"] == "X":
        threads.setdefault(event["tid"], []).append((event["ts"], event["ts"] + event["dur"]))
total = 0
for thread in threads.values():
    end = 0
    for begin, last in sorted(thread):
        total += max(0, last - max(begin, end))
        end = max(end, last)
print(int(total * 1000))
END
}

@test "vLLM on Gaudi: warm-up, serving, buckets, padding, a bucket that was not warmed up" {
  golden vllm_gaudi stackcollapse-trace $data/vllm_gaudi.json
}

@test "vLLM on Gaudi before version 1: phases in the names, and what is compiled while serving" {
  golden vllm_gaudi_v0 stackcollapse-trace $data/vllm_gaudi_v0.json
}

@test "vLLM on Gaudi: no time is lost, and none counts twice" {
  skip_without python3
  for name in vllm_gaudi vllm_gaudi_v0; do
    assert_equal "$(stackcollapse-trace $data/$name.json 2> /dev/null | sum)" "$(spans $data/$name.json)"
  done
}

@test "vLLM on Gaudi: padding is the bucket's tokens that no request has" {
  # 1000 us of a prefill, 190 of 512 tokens; 500 us of a decode, 6 of 8 sequences
  stackcollapse-trace $data/vllm_gaudi.json > "$tmp/folded"
  grep -qFx 'serving;decode;batch 8, sequence 1, context 64 blocks, graphs on;[padding] 125000' "$tmp/folded"
  # rounded down for each of its four events
  grep -qFx "serving;prefill;batch 4, sequence 128, context 0 blocks, graphs on;[padding] $((1000000 * 322 / 512 - 2))" "$tmp/folded"
}

@test "vLLM on Gaudi: the statistics name padding, recompilation and warm-up; the end is no cut" {
  run -0 --separate-stderr stackcollapse-trace $data/vllm_gaudi.json
  assert_equal "$stderr" 'stackcollapse-trace: wall-time: 16.15 ms of 20 records: 6.53 % of padding, 37.15 % of recompilation, 43.34 % of the warm-up; 0 lost'
}

@test "Gaudi's device: engines, recipes, the last call of a recipe" {
  golden hpu stackcollapse-trace $data/hpu.json
  run -0 --separate-stderr stackcollapse-trace $data/hpu.json
  [[ $stderr = *'hint: --root-cat vllm-gaudi shows the batches of '* ]]
}

@test "--root-cat vllm-gaudi: the device's work by phase and bucket" {
  stackcollapse-trace --root-cat vllm-gaudi $data/hpu.json > "$tmp/folded"
  [ "$(grep -c '^serving;prefill;batch 4, sequence 128, context 0 blocks, graphs on;model_forward_\[r\];' "$tmp/folded")" -eq 3 ]
  assert_equal "$(sum < "$tmp/folded")" 55001
  assert_equal "$(stackcollapse-trace --stack-cats vllm-gaudi $data/hpu.json | stacks)" \
'serving;prefill;batch 4, sequence 128, context 0 blocks, graphs on 20000
serving;prefill;batch 4, sequence 128, context 0 blocks, graphs on;model_forward_[r] 60000'
}

@test "categories that nobody knows are drawn as they nest" {
  golden unknown stackcollapse-trace $data/unknown.json
}

@test "--root-cat and --stack-cats map categories" {
  assert_equal "$(stackcollapse-trace --root-cat phase $data/unknown.json | stacks)" \
'[no phase];subgraph B 30000
epoch_1;subgraph A 30500
epoch_1;subgraph A;conv 12000
epoch_1;subgraph A;conv;tile:1 8000'
  assert_equal "$(stackcollapse-trace --root-cat phase --stack-cats node $data/unknown.json | stacks)" \
'epoch_1;conv 12000
epoch_1;conv;tile:1 8000'
  # those that are known keep the form of their frames
  assert_equal "$(stackcollapse-trace --stack-cats python_function,cpu_op $data/hpu.json | stacks)" \
'py::step:serve.py 820000
py::step:serve.py;aten::mm_[o] 80000'
  assert_equal "$(stackcollapse-trace --root-cat none $data/kineto.json 2> /dev/null | sum)" \
    "$(stackcollapse-trace $data/kineto.json 2> /dev/null | sum)"
}

@test "of two with the same times the category that is first in the list is below" {
  echo '[{"ph":"X","cat":"a","name":"A","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","cat":"b","name":"B","pid":1,"tid":1,"ts":1,"dur":2}]' > "$tmp/same.json"
  assert_equal "$(stackcollapse-trace --stack-cats a,b "$tmp/same.json" | stacks)" 'A;B 2000'
  assert_equal "$(stackcollapse-trace --stack-cats b,a "$tmp/same.json" | stacks)" 'B;A 2000'
}

# begins_ends EVENT...: each B, E or X with its other fields behind it, on one thread
begins_ends() {
  local event
  for event; do printf ',{"ph":"%s","pid":1,"tid":1,%s}' "${event%% *}" "${event#* }"; done | sed 's/^,/[/;s/$/]/'
}

@test "events that begin and end by events of their own" {
  # without a category
  begins_ends 'B "name":"main","ts":0' 'B "name":"step","ts":1' 'X "name":"f","ts":2,"dur":5' 'E "ts":13' 'E "ts":14' \
    'B "name":"cut","ts":20' 'X "name":"last","ts":21,"dur":2' > "$tmp/plain.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/plain.json"
  assert_equal "$(stacks <<< "$output")" 'cut 1000
cut;last 2000
main 2000
main;step 7000
main;step;f 5000'
  assert_equal "$stderr" 'stackcollapse-trace: wall-time: 17.00 us of 5 records; 0 lost'
  # of two with the same times, the one that began first is below
  begins_ends 'B "name":"a","ts":0' 'B "name":"b","ts":1' 'B "name":"a","ts":1' 'E "ts":3' 'E "ts":3' 'E "ts":4' > "$tmp/same.json"
  assert_equal "$(stackcollapse-trace "$tmp/same.json" 2> /dev/null | stacks)" 'a 2000
a;b;a 2000'
  sed 's/"ph":"B"/&,"cat":"x"/g' "$tmp/same.json" > "$tmp/category.json"
  cmp <(stackcollapse-trace "$tmp/category.json" 2> /dev/null) <(stackcollapse-trace "$tmp/same.json" 2> /dev/null)
  # the end of an event that is not shown is not that of the one around it
  begins_ends 'B "name":"aten::mm","cat":"cpu_op","ts":0' 'B "name":"x","ts":1' 'E "ts":2' 'B "name":"y","cat":"Trace","ts":3' \
    'E "ts":4' 'X "name":"cudaLaunchKernel","cat":"cuda_runtime","ts":5,"dur":1,"args":{"correlation":7}' 'E "ts":9' \
    'B "name":"k","cat":"kernel","ts":6,"args":{"correlation":7}' 'E "ts":8' > "$tmp/mixed.json"
  assert_equal "$(stackcollapse-trace "$tmp/mixed.json" 2> /dev/null | stacks)" 'aten::mm_[o];cudaLaunchKernel;-;k_[G] 2000'
  assert_equal "$(stackcollapse-trace --stack-cats cpu_op "$tmp/mixed.json" 2> /dev/null | stacks)" 'aten::mm_[o] 9000'
}

@test "two files that count different things have the unit in common" {
  assert_equal "$(stackcollapse-trace $data/unknown.json $data/hpu.json 2> /dev/null | head -n 1)" '# aiflame: unit ns, weights measured'
}

@test "damaged files of Gaudi are used as far as they are whole, or are one clear line" {
  for name in vllm_gaudi vllm_gaudi_v0 hpu unknown; do
    size=$(wc -c < $data/$name.json)
    for ((at = 0; at < size; at += 97)); do
      head -c "$at" $data/$name.json > "$tmp/cut"
      run --separate-stderr stackcollapse-trace "$tmp/cut"
      [ "$status" -le 1 ]
      [ "$status" -eq 0 ] || [ "$(wc -l <<< "$stderr")" -eq 1 ]
      { head -c "$at" $data/$name.json; printf '\0\\}'; tail -c +"$((at + 2))" $data/$name.json; } > "$tmp/flipped"
      run --separate-stderr stackcollapse-trace "$tmp/flipped"
      [ "$status" -le 1 ]
    done
  done
}

@test "counters and buckets that are nonsense change nothing" {
  for counter in '"prompt_bucket_batch_size":0' '"prompt_bucket_batch_size":18446744073709551615' '"prompt_batch_token_utilization":1e9' \
    '"prompt_batch_token_utilization":"x"' '"prompt_batch_token_utilization":-0.5' '"prompt_bucket_seq_len":4294967296'; do
    key=${counter%%:*}
    sed "s/$key: [0-9.]*/$counter/" $data/vllm_gaudi.json > "$tmp/odd.json"
    run ! cmp -s "$tmp/odd.json" $data/vllm_gaudi.json
    assert_equal "$(stackcollapse-trace "$tmp/odd.json" 2> /dev/null | sum)" 16150250
  done
  sed 's/bs4_seq128/bs_seq/g; s/ctx64_graphsT/ctx_graphs/g' $data/vllm_gaudi.json > "$tmp/odd.json"
  assert_equal "$(stackcollapse-trace "$tmp/odd.json" 2> /dev/null | sum)" 16150250
}

@test "usage errors" {
  assert_usage_error stackcollapse-trace --stack-cats a --cpu $data/hpu.json
  assert_usage_error stackcollapse-trace --stack-cats a --streams $data/hpu.json
}

@test "spans without a valid duration are lost by name, those without a time are told" {
  cd "$BATS_TEST_TMPDIR"
  cat > t.json << 'TRACE'
{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":-5,"name":"a"},
{"ph":"X","pid":1,"tid":1,"ts":10,"dur":1e300,"name":"b"},
{"ph":"X","pid":1,"tid":1,"ts":20,"dur":null,"name":"c"},
{"ph":"X","pid":1,"tid":1,"ts":1e300,"dur":2,"name":"e"},
{"ph":"X","pid":1,"tid":1,"ts":30,"dur":3,"name":"d"}]}
TRACE
  run -0 --separate-stderr stackcollapse-trace t.json
  assert_equal "$output" '# aiflame: event wall-time, unit ns, weights measured
d 3000'
  assert_equal "$stderr" "stackcollapse-trace: warning: t.json: 1 events have no time, and are left out
stackcollapse-trace: wall-time: 3.000 us of 4 records; 1 records without a weight lost: with a negative duration, 2 records without a weight lost: without a duration"
}

@test "frames beyond a depth of 2048 are drawn as [truncated], and counted" {
  skip_without python3
  cd "$BATS_TEST_TMPDIR"
  python3 -c 'import json
print(json.dumps({"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": i, "dur": 10000 - 2 * i, "name": f"f{i}"}
                                  for i in range(2100)]}))' > t.json
  run -0 --separate-stderr stackcollapse-trace t.json
  # f2048 stands where it is; between it and the others, frames are left out
  assert_equal "$(grep -c ';f2047;\[truncated\];f' <<< "$output")" 51
  assert_equal "$(grep -c ';f2047;f2048 2000' <<< "$output")" 1
  assert_equal "$(grep -v '^#' <<< "$output" | awk '{ n += $NF } END { print n }')" 10000000
  assert_equal "$stderr" "stackcollapse-trace: wall-time: 10.00 ms of 2100 records: 59.02 % on stacks of more than 2048 frames; 0 lost"
}
