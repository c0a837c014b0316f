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
selftest_kernels() {
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
selftest_graph() {
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
selftest_compiled() {
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

# start_beside NAME OPTION...: starts torch_beside.py, which does what it is asked, with the variables for
# a recorder to come, which would record it with these options; false, with the reason, if it does not run
start_beside() {
  local settings
  mapfile -t settings < <(gpustall-record --source cupti --listen "$PWD/agents" "${@:2}" --print-env)
  coproc beside { exec env "${settings[@]}" python3 "$(dirname "$here")/tests/demo/torch_beside.py" 2> beside.err; }
  beside_pid=$beside_PID
  # copies: those of bash are closed when the program ends
  exec {to_beside}>&"${beside[1]}" {from_beside}<&"${beside[0]}"
  [ "$(answer)" = ready ] || {
    say "skipped: $1: the program did not run: $(tail -n 1 beside.err)"
    stop_beside
    return 1
  }
}

stop_beside() {
  exec {to_beside}>&- {from_beside}<&-
  kill "$beside_pid" 2> kill.err || true
  wait "$beside_pid" 2> kill.err || true
}

# ask LINE: a command for torch_beside.py; a program that has ended shows as an answer that does not come
ask() { (echo "$1" >&"$to_beside") 2> ask.err || true; }

# answer: what it says next
answer() {
  local line
  if read -r -t 60 line <&"$from_beside"; then echo "$line"; else echo 'no answer'; fi
}

# attach_beside NAME: records torch_beside.py while it trains
attach_beside() {
  ask 'seconds 4'
  sleep 1
  attach "$1" "$beside_pid" || true
  answer > answer.out
}

# times_of FILE: microseconds of computation, exposed copies and idle time, of messages as
# "device 0: N us: N us computation, N us exposed communication, N us exposed copies, N us idle"
times_of() {
  sed -nE 's/.*device 0: [0-9.]+ us: ([0-9.]+) us computation, .* ([0-9.]+) us exposed copies, ([0-9.]+) us idle.*/\1 \2 \3/p' "$1"
}

# of_trace CATEGORY NAME: how many events of PyTorch's trace have these, as patterns, and how many
# microseconds they last. It writes name and category in one line, the duration in the next.
of_trace() {
  awk -v event="\"cat\": \"$1\", \"name\": \"$2" '
    is_one && match($0, /"dur": [0-9.]+/) { us += substr($0, RSTART + 7, RLENGTH - 7) }
    { is_one = $0 ~ event; n += is_one }
    END { printf "%d %.3f\n", n, us }' "$trace"
}

# The device's time in a step of training, beside PyTorch's own trace of the same step. What each
# profiler costs the host is idle time of the device, so idle time is shown and not judged.
selftest_time() {
  local trace=$PWD/cuda-time.trace.json said kernels copies waits of_waits computation exposed idle who ours theirs
  has_torch cuda-time torch || return 0
  start_beside cuda-time --sampling=off || return 0
  ask 'steps 20'
  answer > answer.out
  attach_beside cuda-time
  : > "$trace" # stays empty if the profiler fails
  ask "profile 100 $trace"
  said=$(answer)
  stop_beside
  fold_launches
  stackcollapse-aiflame --idle "$name.gpustall" > "$name.idle" 2> "$name.recorded" || true
  stackcollapse-trace --idle "$trace" > "$name.traced.idle" 2> "$name.traced" || true
  read -r kernels _ < <(of_trace kernel .)
  read -r copies _ < <(of_trace gpu_memcpy .)
  read -r waits of_waits < <(of_trace cuda_runtime 'cuda[A-Za-z]*Synchronize')
  check "$name: PyTorch's own profiler works after the recording: $said" "$kernels > 0"
  read -r computation _ < <(times_of "$name.recorded") || true
  ours=$(per "${computation:-0}" "$(kernels_ran)")
  read -r computation _ < <(times_of "$name.traced") || true
  theirs=$(per "${computation:-0}" "$kernels")
  check "$name: a kernel took $ours us, and $theirs us by PyTorch's own trace (within 10 %)" \
    "$ours > 0 && ($ours / ($theirs + 1e-9) - 1) ^ 2 <= 0.01"
  check "$name: for a thousand kernels $(per "$(ran 'Memcpy ')000" "$(kernels_ran)") copies, and $(per "${copies}000" "$kernels") by its trace (within 10 %)" \
    "$(kernels_ran) > 0 && ($(ran 'Memcpy ') * $kernels / ($(kernels_ran) * $copies + 1e-9) - 1) ^ 2 <= 0.01"
  for who in recorded traced; do
    read -r computation exposed idle < <(times_of "$name.$who") || true
    say "$name: $who: $(percent "${idle:-0}" "$(awk "BEGIN { print ${computation:-0} + ${exposed:-0} + ${idle:-0} }")") idle, of kernels, copies and idle time"
  done
  stackcollapse-aiflame --event gpu-wait "$name.gpustall" 2>&1 > "$name.waits" | sed -n "s/^stackcollapse-aiflame: gpu-wait: \([^;]*\).*/gpustall-selftest: $name: waits: \1/p"
  say "$name: by its trace: $(per "$of_waits" 1000000) s in $waits calls that synchronize"
}

# per PART WHOLE
per() { awk -v part="$1" -v whole="$2" 'BEGIN { printf "%.4g\n", whole ? part / whole : 0 }'; }

# Device memory beside PyTorch's own counts: the recording has what PyTorch reserved, the snapshot
# what the program asked it for.
selftest_memory() {
  local program peak below
  program=$(dirname "$here")/tests/demo/torch_memory.py
  has_torch cuda-memory torch || return 0
  if ! record_cuda cuda-memory --sampling=off --memory -- python3 "$program" "$PWD/cuda-memory.pickle"; then
    say "skipped: cuda-memory: the program did not run: $(of_program)"
    return
  fi
  folded=$name.folded
  stackcollapse-aiflame --event gpu-memory --srcline "$name.gpustall" > "$folded" 2> "$name.stats" || true
  say "$name: $(tail -n 1 "$name.stats" | sed 's/^stackcollapse-aiflame: //')"
  peak=$(sum .)
  below=$(sum ';py::[^;]*torch_(memory|transformer)[.]py:[0-9]*;')
  check "$name: $peak bytes were allocated at the peak, and PyTorch had reserved $(printed reserved_bytes.all.peak) (within 5 %)" \
    "$peak > 0 && ($peak / ($(printed reserved_bytes.all.peak) + 1e-9) - 1) ^ 2 <= 0.0025"
  check "$name: $(percent "$below" "$peak") of them below a line of the program (at least 95 %)" \
    "$below > 0 && $below >= 0.95 * $peak"
  stackcollapse-torch-memory cuda-memory.pickle > "$folded" 2> "$name.stats" || true
  say "$name: $(tail -n 1 "$name.stats" | sed 's/^stackcollapse-torch-memory: //')"
  check "$name: $(sum .) bytes at the peak by PyTorch's snapshot, of which it counted $(printed requested_bytes.all.peak) (all)" \
    "$(sum .) > 0 && $(sum .) == $(printed requested_bytes.all.peak)"
}

# Launches without CUPTI, while PyTorch's own profiler uses it.
selftest_beside() {
  local how made kernels
  has_torch cuda-beside torch || return 0
  for how in events off; do
    if ! record_cuda "cuda-beside-$how" --launch-times="$how" -- \
      python3 "$(dirname "$here")/tests/demo/torch_beside.py" \
      < <(printf '%s\n' 'steps 5' "profile 20 $PWD/cuda-beside.json" 'steps 5'); then
      say "skipped: cuda-beside-$how: the program did not run: $(of_program)"
      continue
    fi
    kernels=$(printed profile)
    fold_launches
    made=$(kernels_ran)
    check "$name: PyTorch's own trace has ${kernels:-no} kernels of 20 steps" "${kernels:-0} > 0"
    # 20 steps of 31: one before the commands, and ten around those of the trace
    check "$name: $made launches recorded, and $(per "${kernels:-0}" 20) kernels a step by PyTorch's trace (at least 95 % of 31 steps')" \
      "$made > 0 && $made >= 0.95 * 31 * ${kernels:-0} / 20"
    [ "$how" = off ] || say "$name: $(stackcollapse-aiflame --event gpu-time "$name.gpustall" 2>&1 > "$name.time" | tail -n 1 | sed 's/^stackcollapse-aiflame: //')"
  done
}

# PyTorch's own profiler in a program that is recorded, or was, or may be. What it says is printed:
# CUPTI has room for one of the two at a time.
selftest_profiler() {
  local first round
  has_torch cuda-torch-profiler torch || return 0
  for first in profile record; do
    start_beside cuda-torch-profiler || return 0
    if [ "$first" = profile ]; then
      ask "profile 5 $PWD/beside.json"
      say "cuda-torch-profiler: before any recording: $(answer)"
    fi
    for round in 1 2; do
      attach_beside "cuda-torch-profiler-$first-$round"
      say "$name: $(tail -n 1 "$name.err")"
      ask "profile 5 $PWD/beside.json"
      say "$name: after it: $(answer)"
    done
    ask "profile 300 $PWD/beside.json"
    sleep 1
    attach "cuda-torch-profiler-$first-during" "$beside_pid" || true
    say "$name: $(tail -n 1 "$name.err")"
    say "$name: PyTorch's own, which was at work: $(answer)"
    stop_beside
  done
}
