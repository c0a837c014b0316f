# SPDX-License-Identifier: MIT
# --inductor of stackcollapse-trace and stackcollapse-aiflame: compiled models of PyTorch, recorded on
# an H100 and on a CPU.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/compiled
  tmp=$BATS_TEST_TMPDIR
}

# sum [REGEX] < FOLDED: the weights of the lines that match
sum() { awk -v wanted="${1-}" '!/^#/ && $0 ~ wanted { sum += $NF } END { printf "%d", sum }'; }

@test "every kernel of Triton's stands on the lines of the model that its log names" {
  skip_without python3
  for one in h100-compiled-stacks h100-compiled h100-compiled-graph; do
    stackcollapse-trace --inductor $data/$one.torch_trace.zst $data/$one.trace.json.gz \
      > "$tmp/folded" 2> "$tmp/err"
    python3 tests/recorded/compiled_lines.py $data/$one.torch_trace.zst $data/$one.trace.json.gz \
      < "$tmp/folded" > "$tmp/lines"
    case $one in
      h100-compiled-stacks) assert_equal "$(< "$tmp/lines")" '771404 771404' ;;
      h100-compiled) assert_equal "$(< "$tmp/lines")" '740083 740083' ;;
      h100-compiled-graph) assert_equal "$(< "$tmp/lines")" '1099373 1099373' ;;
    esac
  done
}

@test "a library's kernels stand on the call that launched them" {
  stackcollapse-trace --inductor $data/h100-compiled-stacks.torch_trace.zst \
    $data/h100-compiled-stacks.trace.json.gz > "$tmp/folded" 2> "$tmp/err"
  assert_equal "$(sum < "$tmp/folded")" 4057661
  # all but SGD's step, which is not compiled, has a line of the model or what was fused of several
  assert_equal "$(sum '\[compiled\]' < "$tmp/folded")" 3940314
  assert_equal "$(sum ':[0-9]+;\[compiled\]|\[compiled\];\[fused' < "$tmp/folded")" 3940314
  # the projection of the queries, keys and values
  assert_equal "$(sum '^python3;py::<module>:torch_transformer.py;py::main:torch_transformer.py;py::train_step:torch_transformer.py;Transformer_0_\[m\];py::forward:torch_transformer.py:58;py::forward:torch_transformer.py:44;py::attend:torch_transformer.py:38;\[compiled\];aten::mm_\[o\];' < "$tmp/folded")" 294696
  # none of the compiler's own frames
  run ! grep -E 'eval_frame|Torch-Compiled|CompiledFunction|launcher|OptimizedModule' "$tmp/folded"
}

@test "without a log the compiler's frames are one, and a line says what to record" {
  run -0 --separate-stderr stackcollapse-trace $data/h100-compiled-stacks.trace.json.gz
  assert_equal "$(sum ';Transformer_0_\[m\];py::forward:torch_transformer.py;\[compiled\];' <<< "$output")" 1403139
  assert_equal "${stderr_lines[0]}" "stackcollapse-trace: hint: $data/h100-compiled-stacks.trace.json.gz has code of torch.compile: record it with INDUCTOR_PROVENANCE=1 TORCH_TRACE=DIR, and --inductor DIR shows its kernels on the model's lines"
  run -0 --separate-stderr stackcollapse-trace --compiler-frames $data/h100-compiled-stacks.trace.json.gz
  [[ $output == *';py::compile_wrapper:eval_frame.py;Transformer_0_[m];'* ]]
  assert_equal "$(sum <<< "$output")" 4057661
}

@test "a wrapper alone tells what was fused" {
  mkdir "$tmp/cache"
  zstd -qdc $data/h100-compiled-stacks.torch_trace.zst |
    awk -v out="$tmp/cache/" '/^V/ { p = 0 } p { sub(/^\t/, ""); print > file }
      /inductor_output_code/ { split($0, part, "\""); n = split(part[6], path, "/"); file = out path[n]; p = 1 }'
  assert_equal "$(find "$tmp/cache" -name '*.py' | wc -l)" 2
  stackcollapse-trace --inductor "$tmp/cache" $data/h100-compiled-stacks.trace.json.gz \
    > "$tmp/folded" 2> "$tmp/err"
  assert_equal "$(sum ';\[compiled\];\[fused: matmul, softmax\];triton_per_fused__softmax_amax_mul_sub_view_3_\[o\];' < "$tmp/folded")" 91651
  grep -qx "stackcollapse-trace: hint: $tmp/cache/c[a-z0-9]*.py has no lines of the model: record it with INDUCTOR_PROVENANCE=1 TORCH_TRACE=DIR" "$tmp/err"
  grep -q '97.11 % of compiled code without the model.s lines' "$tmp/err"
}

@test "the folders of TORCH_COMPILE_DEBUG: a wrapper is known by its text" {
  genuine=$AIFLAME_ROOT/../shared/data/compiled
  [ -d "$genuine" ] || skip 'no ../shared/data/compiled'
  run=$tmp/torch_compile_debug/run_2026_11_26_22_00_00_000000-pid_7/torchinductor
  for graph in forward backward; do
    mkdir -p "$run/model__0_${graph}_1.0"
    cp "$genuine/wrapper_$graph.py" "$run/model__0_${graph}_1.0/output_code.py"
  done
  cp $genuine/inductor_provenance_tracking_node_mappings.json "$run/model__0_forward_1.0/"
  echo 'a log for people' > "$run/aot_model___0_debug.log"
  stackcollapse-trace --cpu --inductor "$tmp/torch_compile_debug" $genuine/trace_train.json.gz \
    > "$tmp/folded" 2> "$tmp/err"
  # what was fused is known of the forward pass, but no line: both calls of one kernel
  assert_equal "$(sum '\[compiled\];\[fused: h\];cpp_fused_gelu_1_' < "$tmp/folded")" $((22033298 + 7597543))
  # the stacks of kernels, where the compiler has written them
  zcat $genuine/torch_trace.log.gz | awk '/kernel_stack_traces/ { getline; sub(/^\t/, ""); print; exit }' \
    > "$run/model__0_forward_1.0/inductor_provenance_tracking_kernel_stack_traces.json"
  stackcollapse-trace --cpu --inductor "$tmp/torch_compile_debug" $genuine/trace_train.json.gz \
    > "$tmp/folded" 2> "$tmp/err"
  assert_equal "$(sum ';py::forward:model.py:24;py::forward:model.py:14;\[compiled\];cpp_fused_gelu_1_' < "$tmp/folded")" 22033298
}

@test "lines that the trace itself has: args.stack" {
  cat > "$tmp/trace.json" << 'END'
[{"ph":"X","cat":"cpu_op","name":"## Call CompiledFxGraph fkey ##","pid":7,"tid":7,"ts":1,"dur":9,"args":{"External id":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":2,"dur":1,"args":{"correlation":5}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":7,"tid":7,"ts":4,"dur":1,"args":{"correlation":6}},
{"ph":"X","cat":"kernel","name":"triton_a","pid":0,"tid":7,"ts":3,"dur":2,"args":{"correlation":5,"stack":["  File \"/a/model.py\", line 3, in forward\n    x\n"]}},
{"ph":"X","cat":"kernel","name":"triton_b","pid":0,"tid":7,"ts":6,"dur":1,"args":{"correlation":6,"stack":["  File \"m.py\", line 3, in f\n","  File \"m.py\", line 5, in f\n"]}}]
END
  run -0 --separate-stderr stackcollapse-trace "$tmp/trace.json"
  assert_equal "$output" "# aiflame: event gpu-time, unit ns, weights measured
py::f:m.py;[compiled];[fused: m.py:3,5];cudaLaunchKernel;-;triton_b_[G] 1000
py::forward:model.py:3;[compiled];cudaLaunchKernel;-;triton_a_[G] 2000"
}

@test "on a CPU: every kernel on the lines that an independent join names" {
  genuine=$AIFLAME_ROOT/../shared/data/compiled
  [ -d "$genuine" ] || skip 'no ../shared/data/compiled'
  stackcollapse-trace --cpu --inductor $genuine/torch_trace.log.gz $genuine/trace_train.json.gz \
    > "$tmp/folded" 2> "$tmp/err"
  # join.py: cpp_fused_gelu_1:7, :3, cpp_fused_gelu_gelu_backward_3:9, cpp_fused_sum_6:15
  assert_equal "$(sum ';py::forward:model.py:24;py::forward:model.py:14;\[compiled\];cpp_fused_gelu_1_' < "$tmp/folded")" 22033298
  assert_equal "$(sum ';py::forward:model.py:23;py::forward:model.py:14;\[compiled\];cpp_fused_gelu_1_' < "$tmp/folded")" 7597543
  assert_equal "$(sum ';py::forward:model.py:23;py::forward:model.py:14;\[compiled\];cpp_fused_gelu_gelu_backward_3_' < "$tmp/folded")" 11344627
  assert_equal "$(sum ';\[fused: model.py:14,15\];cpp_fused_gelu_gelu_backward_sum_1_' < "$tmp/folded")" 10668580
  # all of the kernels, in C++ and the library's: 71.9297 ms
  assert_equal "$(sum '\[compiled\].*;(cpp_fused_[a-z0-9_]*|aten::(add)?mm)_\[o\]' < "$tmp/folded")" "$(sum '(model.py:[0-9]+;\[compiled\]|\[fused: [^]]*model.py:[0-9,]*\]);.*(cpp_fused_[a-z0-9_]*|aten::(add)?mm)_\[o\]' < "$tmp/folded")"
  run ! grep -E 'built-in function kernel|compiled kernel' "$tmp/folded"
}

@test "what is no log is an error with its name, a log that is cut is used" {
  run -1 --separate-stderr stackcollapse-trace --inductor README.md $data/h100-compiled.trace.json.gz
  assert_equal "$stderr" "stackcollapse-trace: README.md: no record of TORCH_TRACE: not a log of PyTorch's compiler"
  assert_equal "$output" ''
  mkdir "$tmp/empty"
  run -1 --separate-stderr stackcollapse-trace --inductor "$tmp/empty" $data/h100-compiled.trace.json.gz
  assert_equal "$stderr" "stackcollapse-trace: $tmp/empty: no log of TORCH_TRACE and no wrapper of Inductor's is in this directory"
  zstd -qdc $data/h100-compiled.torch_trace.zst | head -c 1000000 > "$tmp/cut.log"
  run -0 --separate-stderr stackcollapse-trace --inductor "$tmp/cut.log" $data/h100-compiled.trace.json.gz
  assert_equal "$(sum <<< "$output")" 4056947
}

@test "a recording: from the model's line to the instruction and its stall reason" {
  stackcollapse-aiflame --inductor $data/h100-compiled-stacks.torch_trace.zst \
    $data/h100-compiled.gpustall.zst > "$tmp/folded" 2> "$tmp/err"
  assert_equal "$(sum < "$tmp/folded")" 11881
  # all that is compiled, and no frame of the compiler's
  assert_equal "$(sum '\[compiled\]' < "$tmp/folded")" 11388
  assert_equal "$(sum ':[0-9]+;\[compiled\]|\[compiled\];\[fused: ' < "$tmp/folded")" 11388
  run ! grep -E 'eval_frame|runtime_wrappers|triton_heuristics|py::launcher|Runner.call' "$tmp/folded"
  grep -q '^python3;.*;py::train_step:torch_transformer.py;py::forward:torch_transformer.py:58;py::forward:torch_transformer.py:44;py::attend:torch_transformer.py;\[compiled\];\[fused: matmul, softmax at torch_transformer.py:39,40\];.*;cuLaunchKernel;-;jit_\[G\];triton_per_fused__softmax_amax_mul_sub_view_3_\[G\];wait_\[g\];0xa0_\[g\] ' "$tmp/folded"
  # the kernels of each line, by the samples of its kernels
  stackcollapse-aiflame --compiler-frames $data/h100-compiled.gpustall.zst > "$tmp/all" 2> "$tmp/err"
  assert_equal "$(sum ';triton_per_fused__softmax_amax_mul_sub_view_3_' < "$tmp/all")" \
    "$(sum 'softmax at torch_transformer.py:39,40\];.*;triton_per_fused__softmax_amax_mul_sub_view_3_' < "$tmp/folded")"
  assert_equal "$(sum ';py::Runner.call:c[a-z0-9]*.py;' < "$tmp/all")" 11388
  # without the log
  stackcollapse-aiflame $data/h100-compiled.gpustall.zst > "$tmp/folded" 2> "$tmp/err"
  assert_equal "$(sum ';py::Transformer.forward:torch_transformer.py;\[compiled\];' < "$tmp/folded")" \
    "$(sum ';py::Transformer.forward:torch_transformer.py;.*;py::Runner.call:' < "$tmp/all")"
  # 70 code objects are missing
  assert_equal "$(grep -c warning "$tmp/err")" 4
}
