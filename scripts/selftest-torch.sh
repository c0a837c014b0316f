# SPDX-License-Identifier: MIT
# The part of gpustall-selftest.sh for PyTorch and Triton on NVIDIA GPUs; sourced by it, not run. It
# uses the functions of selftest-cuda.sh.
# shellcheck shell=bash disable=SC2034,SC2154 # variables from those scripts, and for them

# has_torch NAME MODULES: false, with the reason, unless python3 has them and a CUDA device
has_torch() {
  python3 -c "import $2; import torch; assert torch.cuda.is_available()" > torch.log 2>&1 || {
    say "skipped: $1: python3 lacks one of $2, or PyTorch has no CUDA device: $(tail -n 1 torch.log)"
    return 1
  }
}

# A kernel that Triton compiled, and a CUDA graph of PyTorch's kernels.
selftest_torch_kernels() {
  local program of_kernel
  program=$(dirname "$here")/tests/demo/torch_kernels.py
  has_torch cuda-torch-kernels 'torch, triton' || return 0
  mode=continuous
  if ! record_cuda cuda-torch-kernels -- python3 "$program" --seconds 1; then
    say "skipped: cuda-torch-kernels: the program did not run: $(of_program)"
    return
  fi
  fold_cuda
  check_totals
  check "$name: $(recorded_launches add_powers) launches of Triton's kernel recorded of $(printed triton) made (all)" \
    "$(recorded_launches add_powers) == $(printed triton)"
  check "$name: $(recorded_launches launch_clamp_scalar) launches of the graph's four relus recorded in $(printed graph) replays (all, and 8 before the capture and in it)" \
    "$(recorded_launches launch_clamp_scalar) >= 4 * $(printed graph) && $(recorded_launches launch_clamp_scalar) <= 4 * $(printed graph) + 8"
  of_kernel=$(sum ';-;add_powers;')
  check "$name: $(percent "$(sum ';py::run_triton:[^;]*;.*;-;add_powers;')" "$of_kernel") of its samples below run_triton (all)" \
    "$of_kernel > 0 && $(sum ';py::run_triton:[^;]*;.*;-;add_powers;') == $of_kernel"
  of_kernel=$(sum ';-;[^;]*gemm')
  check "$name: $(percent "$(sum ';py::run_graph:[^;]*;.*;-;[^;]*gemm')" "$of_kernel") of the gemm's samples below run_graph (at least 99 %: it also ran before the capture)" \
    "$of_kernel > 0 && $(sum ';py::run_graph:[^;]*;.*;-;[^;]*gemm') >= 0.99 * $of_kernel"
}

# Every sample must have its Python line, with the backward pass on the thread that asks for it, and
# nearly every one in PyTorch's usual mode, where a thread of its own runs that pass.
selftest_torch() {
  local program total with_python of_driver gemm
  program=$(dirname "$here")/tests/demo/torch_transformer.py
  has_torch cuda-torch torch || return 0
  mode=continuous
  if ! record_cuda cuda-torch -- python3 "$program" --seconds "$program_seconds" --one-thread; then
    say "skipped: cuda-torch: the program did not run: $(of_program)"
    return
  fi
  fold_cuda
  check_totals
  total=$(sum .)
  of_driver=$(sum ';-;[[]driver kernel[]]')
  with_python=$(sum ';py::[^;]*torch_transformer[.]py:[0-9]*;.*;-;')
  check "cuda-torch: $(percent "$with_python" "$((total - of_driver))") of the samples below a line of torch_transformer.py (all but $of_driver of the driver's)" \
    "$with_python > 0 && $with_python == $total - $of_driver"
  # cuBLAS calls its newer kernels for Hopper and Blackwell nvjet_…
  gemm=$(sum ';-;[^;]*(gemm|nvjet)')
  check "cuda-torch: $(percent "$gemm" "$total") of the samples in matrix multiplications by name" "$gemm > 0"
  most ';-;'
  if record_cuda cuda-torch-threads -- python3 "$program" --seconds "$program_seconds"; then
    fold_cuda
    total=$(sum .)
    of_driver=$(sum ';-;[[]driver kernel[]]')
    with_python=$(sum ';py::[^;]*torch_transformer[.]py:[0-9]*;.*;-;')
    check "cuda-torch-threads: with PyTorch's own thread for the backward pass, $(percent "$with_python" "$((total - of_driver))") of the samples below a line of the program (at least 99 %, but for $of_driver of the driver's)" \
      "$with_python > 0 && $with_python >= 0.99 * ($total - $of_driver)"
  fi
}

# The step of a language model in a CUDA graph: each kernel must stand on the line of the layer that
# was captured.
selftest_torch_graph() {
  local program replayed on_layer
  program=$(dirname "$here")/tests/demo/torch_generate.py
  has_torch cuda-torch-graph 'torch, transformers' || return 0
  mode=continuous
  if ! record_cuda cuda-torch-graph -- python3 "$program" --graph --rounds 3; then
    say "skipped: cuda-torch-graph: the program did not run: $(of_program)"
    return
  fi
  fold_cuda
  check_totals
  replayed=$(sum ';[[]cuda graph[]];')
  on_layer=$(sum ';[[]cuda graph[]];.*;py::[^;]*modeling_llama[.]py:[0-9]*;.*;-;')
  check "$name: $(percent "$replayed" "$(sum .)") of the samples in replays of the graph" "$replayed > 0"
  check "$name: $(percent "$on_layer" "$replayed") of them below a line of the model (at least 95 %)" \
    "$on_layer > 0 && $on_layer >= 0.95 * $replayed"
  say "$name: $(grep '^tokens_per_s' "$name.out")"
}

# A compiled model, whose CUDA graphs PyTorch captures itself. The compiler's log names the model's
# lines of each kernel.
selftest_torch_compiled() {
  local program kernels compiler_log total in_triton with_line compiled on_lines
  program=$(dirname "$here")/tests/demo/torch_transformer.py
  has_torch cuda-torch-compiled 'torch, triton' || return 0
  mode=continuous
  for kernels in default reduce-overhead; do
    compiler_log=$PWD/cuda-torch-compiled-$kernels.log
    if ! record_cuda "cuda-torch-compiled-$kernels" -- env INDUCTOR_PROVENANCE=1 TORCH_TRACE="$compiler_log" \
      python3 "$program" --seconds 2 --compile "$kernels"; then
      say "skipped: cuda-torch-compiled-$kernels: the program did not run: $(of_program)"
      continue
    fi
    fold_cuda
    check_totals
    total=$(($(sum .) - $(sum ';-;[[]driver kernel[]]')))
    compiled=$(sum ';[[]compiled[]];')
    on_lines=$(sum ':[0-9]+;[[]compiled[]];|;[[]compiled[]];[[]fused: ')
    check "$name: $(percent "$on_lines" "$compiled") of the samples of compiled code on the model's lines (at least 95 %)" \
      "$compiled > 0 && $on_lines >= 0.95 * $compiled"
    in_triton=$(sum ';-;[^;]*triton_')
    with_line=$(sum ';py::[^;]*torch_transformer[.]py:[0-9]*;.*;-;')
    check "$name: $(percent "$in_triton" "$total") of the samples in kernels that Inductor made" "$in_triton > 0"
    check "$name: $(percent "$with_line" "$total") of the samples below a line of the program (at least 95 %)" \
      "$total > 0 && $with_line >= 0.95 * $total"
    say "$name: $(tail -n 1 "$name.out")"
  done
}

# ask LINE: a command for torch_beside.py, and its answer
ask() {
  local answer
  echo "$1" >&"${beside[1]}" && read -r -t 60 answer <&"${beside[0]}" && echo "$answer"
}

# PyTorch's own profiler in a program that is recorded, or was, or may be. What it says is printed:
# CUPTI has room for one of the two at a time.
selftest_torch_profiler() {
  local program settings pid first round answer
  program=$(dirname "$here")/tests/demo/torch_beside.py
  has_torch cuda-torch-profiler torch || return 0
  mapfile -t settings < <(gpustall-record --source cupti --listen "$PWD/agents" --print-env)
  for first in profile record; do
    coproc beside { exec env "${settings[@]}" python3 "$program" 2> beside.err; }
    pid=$beside_PID
    if ! read -r -t 60 _ <&"${beside[0]}"; then
      say "skipped: cuda-torch-profiler: the program did not run: $(tail -n 1 beside.err)"
      return
    fi
    if [ "$first" = profile ]; then
      say "cuda-torch-profiler: before any recording: $(ask "profile 5 $PWD/beside.json")"
    fi
    for round in 1 2; do
      echo 'seconds 4' >&"${beside[1]}"
      sleep 1
      attach "cuda-torch-profiler-$first-$round" "$pid" || true
      read -r -t 60 _ <&"${beside[0]}" || true
      say "$name: $(tail -n 1 "$name.err")"
      say "$name: after it: $(ask "profile 5 $PWD/beside.json")"
    done
    echo "profile 300 $PWD/beside.json" >&"${beside[1]}"
    sleep 1
    attach "cuda-torch-profiler-$first-during" "$pid" || true
    say "$name: $(tail -n 1 "$name.err")"
    read -r -t 60 answer <&"${beside[0]}" || true
    say "$name: PyTorch's own, which was at work: ${answer:-no answer}"
    kill "$pid" 2> kill.err || true
    wait "$pid" 2> kill.err || true
  done
}
