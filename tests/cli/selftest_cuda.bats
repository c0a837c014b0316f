# SPDX-License-Identifier: MIT
# gpustall-selftest's verdicts on correct and on wrong recordings of an NVIDIA GPU. A stand-in for
# cuda_matmul (tests/demo/cuda_stand_in.cc) makes them on the stand-ins for the driver and CUPTI.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] ||
    skip 'there are no headers of CUPTI in CUDA_HOME: there is no CUPTI agent'
  cubin=$DATA/cubin/demo/cuda_matmul.cubin
  export XDG_CACHE_HOME=$PWD/cache FAKE_NVIDIA=$PWD/nvidia CUDA_HOME=/nowhere
  unset CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH
  # a sanitizer's library must be loaded before preloaded ones
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
  mkdir -p nvidia/{dev,sys/bus/pci/devices} nvidia/proc/driver/nvidia/gpus/0000:3d:00.0
  : > nvidia/dev/nvidiactl
  echo 'Model: NVIDIA Stand-in' > nvidia/proc/driver/nvidia/gpus/0000:3d:00.0/information
  # like make's directory, but with another program as cuda_matmul, and without PyTorch
  mkdir -p out/bin out/tests/demo
  local program
  for program in "$AIFLAME_BUILD"/bin/*; do ln -s "$program" out/bin; done
  program_is
  wrap gpustall-record "exec $AIFLAME_BUILD/bin/gpustall-record \"\$@\""
  wrap python3 'echo no such module >&2; exit 1'
}

# wrap NAME COMMAND: writes out/bin/NAME, which runs the command
wrap() {
  rm -f "out/bin/$1"
  printf '#!/bin/bash\n%s\n' "$2" > "out/bin/$1"
  chmod +x "out/bin/$1"
}

# program_is [WRONG]: makes cuda_matmul the stand-in, wrong in the given way
program_is() {
  printf '#!/bin/bash\nexec env LD_LIBRARY_PATH=%q:"$LD_LIBRARY_PATH" %q %q "%s" "$@"\n' \
    "$AIFLAME_BUILD/tests/cuda" "$AIFLAME_BUILD/tests/demo/cuda_stand_in" "$cubin" "$1" \
    > out/tests/demo/cuda_matmul
  chmod +x out/tests/demo/cuda_matmul
}

# selftest OPTION...: puts its status into $status, and its output into $output
selftest() {
  LD_LIBRARY_PATH=$AIFLAME_BUILD/tests/cuda LD_PRELOAD=$AIFLAME_BUILD/tests/cuda/libnvidia-files.so \
    run "$AIFLAME_ROOT/scripts/gpustall-selftest.sh" out --api cuda "$@"
}

# in_loop: puts stalls where cuda_matmul.cu says `// inner`, found by a trial run at some places
in_loop() {
  local at lines
  lines=$(grep -n '// inner$' "$AIFLAME_ROOT/tests/demo/cuda_matmul.cu" | cut -d: -f1 | paste -sd'|')
  for at in 0x300 0x400 0x500 0x600 0x700 0x200; do
    FAKE_CUPTI="stall_at=$at" LD_PRELOAD=$AIFLAME_BUILD/tests/cuda/libnvidia-files.so gpustall-record \
      --source cupti -o look -- out/tests/demo/cuda_matmul --repeats 20 > look.out 2> look.err
    stackcollapse-aiflame --gpu-frames=kernel,line look 2> look.err |
      grep -E ";multiply_basic_\[G\];cuda_matmul.cu:($lines)" > look.in || continue
    # both instructions at which the stand-in stalls must be in the loop
    if [ "$(stackcollapse-aiflame --gpu-frames=kernel,line look 2> look.err |
      grep -cE ';multiply_basic_\[G\];')" = "$(wc -l < look.in)" ]; then
      export FAKE_CUPTI="stall_at=$at"
      return
    fi
  done
  echo 'no place in the loop' >&2
  return 1
}

# not_ok: the checks of the last run that are NOT OK, without figures and limits
not_ok() {
  sed -n 's/^gpustall-selftest: NOT OK: //p' <<< "$output" | sed 's/[0-9][0-9.]*/N/g; s/ ([^()]*)$//'
}
# both TEXT: the text for both ways of sampling
both() { for mode in continuous exact; do sed "s/^/cuda-$mode: /" <<< "$1"; done; }

# doctored SED: changes each recording with sed after it is made
doctored() {
  wrap gpustall-record "$(printf '%q "$@" || exit; for word; do
    [ "${word%%.gpustall}" = "$word" ] || [ ! -e "$word" ] || sed -i %q "$word"; done' \
    "$AIFLAME_BUILD/bin/gpustall-record" "$1")"
}

@test "samples where they belong: all is where it must be, in both ways of sampling" {
  in_loop
  selftest --keep kept
  assert_equal "$(not_ok)" ''
  assert_equal "$status" 0
  assert_equal "${lines[-1]}" 'gpustall-selftest: all is where it must be'
  # each mode's checks, and the check of exact's launches
  assert_equal "$(grep -c ': ok: cuda-continuous: ' <<< "$output")" 18
  assert_equal "$(grep -c ': ok: cuda-exact: ' <<< "$output")" 19
  [[ $output == *'skipped: cuda-continuous: mnemonics: there is no nvdisasm'* ]]
  [[ $output == *'skipped: cuda-torch: python3 lacks one of torch, or PyTorch has no CUDA device: no such module'* ]]
  # one sample a microsecond
  [[ $output == *'cuda-continuous: 1.00 samples a multiprocessor and period of 2048 cycles, at 2048 MHz'* ]]
  # one recording is kept, with the cubin; all launches are in one slice, after which the device may
  # have been idle
  assert_equal "$(awk '/^# slice / { ++slice } /^# launched / { with[slice] }
                       END { for (one in with) print one }' kept/cuda-small.gpustall)" 1
  [ "$(wc -c < kept/cuda-small.gpustall)" -lt 100000 ]
  cmp kept/objects/*.cubin "$cubin"
}

@test "kernels that had other shares of the device's time than of the samples" {
  in_loop
  program_is times
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "$(both 'multiply_basic has N % of the samples and N % of the device'"'"'s time
multiply_local_access_and_tiling has N % of the samples and N % of the device'"'"'s time')"
  assert_equal "${lines[-1]}" 'gpustall-selftest: please report it, with what --keep DIR leaves'
}

@test "a kernel that another function launched" {
  in_loop
  program_is caller
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "$(both "N % of multiply_local_access_and_tiling's launched by run_tiled")"
}

@test "stalls outside of the loop, and outside of the code" {
  export FAKE_CUPTI=stall_at=0x10
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "$(both "N % of multiply_basic's in its loop, cuda_matmul.cu:N, N, N")"
  export FAKE_CUPTI=stall_at=0x100000
  selftest --checks matmul
  assert_equal "$status" 1
  [[ $output == *"NOT OK: cuda-continuous: 0.0 % of the kernels' with a source line"* ]]
}

@test "no samples; no kernel records; too many of the driver's own" {
  in_loop
  local at=$FAKE_CUPTI
  FAKE_CUPTI="$at enable=35"
  selftest --checks matmul
  assert_equal "$status" 1
  [[ $output == *'NOT OK: cuda-continuous: stalls were sampled'* ]]
  [[ $output == *'no samples: the driver lets only root profile (CUPTI error 35)'* ]]
  FAKE_CUPTI="$at no_records=1"
  selftest --checks matmul
  assert_equal "$status" 1
  [[ $output == *'NOT OK: cuda-continuous: CUPTI measured 0.000000 s of kernels, events 0.600000 s'* ]]
  FAKE_CUPTI="$at foreign=100"
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok | head -n 1)" 'cuda-continuous: N % of them in the three kernels'
  [[ $output == *"are of the driver's own kernels"* ]]
}

@test "samples that CUPTI counts and does not tell of; those that the hardware drops have a reason" {
  in_loop
  local at=$FAKE_CUPTI
  FAKE_CUPTI="$at withheld=5"
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "$(both 'no sample lost or reported twice without an explanation')"
  FAKE_CUPTI="$at dropped=5"
  selftest --checks matmul
  assert_equal "$(not_ok)$status" 0
  [[ $output == *'lost 15000 samples'* ]]
}

@test "recordings that differ from what was captured" {
  in_loop
  # both the recorder's message and the end of the recording
  wrap gpustall-record "exec $AIFLAME_BUILD/bin/gpustall-record \"\$@\" 2> >(sed 's/captured 6/captured 7/' >&2)"
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok | head -n 1)" 'cuda-continuous: N samples folded, of N captured'
  doctored 's/\([0-9]\) gpu-stall: $/\10 gpu-stall: /'
  selftest --checks matmul
  assert_equal "$status" 1
  [[ $output == *'the recording says it has'*'NOT OK: cuda-continuous: stalls were sampled'* ]]
  doctored 's/^\t\( *\)0 wait (/\t\10 wait_not_issued (/'
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "$(both 'reasons without their twins _not_issued')"
}

@test "launches that were not counted, and copies" {
  in_loop
  # a recording of one launch fewer
  printf '%s\n' '/^# launched/ && $4 > 9 && !n++ { --$4 } /^# end samples/ { --$6 } { print }' > fewer.awk
  wrap gpustall-record "$(printf '%q "$@" || exit; for word; do
    [ "${word%%.gpustall}" = "$word" ] || { awk -f %q "$word" > fewer; mv fewer "$word"; }; done' \
    "$AIFLAME_BUILD/bin/gpustall-record" "$PWD/fewer.awk")"
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "$(both 'N launches of kernels recorded of N made')"
  wrap gpustall-record "exec $AIFLAME_BUILD/bin/gpustall-record \"\$@\""
  program_is copies
  selftest --checks matmul
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "$(both 'N copies to the device recorded of N made')"
}

@test "a program that runs otherwise than alone, and one that never runs" {
  printf '#!/bin/bash\n[ -z "$CUDA_INJECTION64_PATH" ] || { echo no memory >&2; exit 3; }\n' \
    > out/tests/demo/cuda_matmul
  selftest
  assert_equal "$status" 1
  [[ $output == *'NOT OK: cuda-continuous: the program runs as it does alone: no memory'* ]]
  printf '#!/bin/bash\necho no device >&2; exit 1\n' > out/tests/demo/cuda_matmul
  selftest
  assert_equal "$status" 77
  [[ $output == *'cuda: skipped: the program does not run, even alone: no device'* ]]
  rm out/tests/demo/cuda_matmul
  selftest
  assert_equal "$status" 77
  [[ $output == *'cuda: skipped: there is no '*'cuda_matmul: nvcc of the CUDA toolkit is needed'* ]]
}

@test "without a GPU that can be sampled: skipped, and why" {
  rm -r nvidia/dev/nvidiactl nvidia/proc/driver
  selftest
  assert_equal "$status" 77
  [[ $output == *"no GPU whose stalls can be sampled:"*"source 'cupti': no NVIDIA GPU on this machine"* ]]
  mkdir -p nvidia/sys/bus/pci/devices/0000:3d:00.0
  echo 0x10de > nvidia/sys/bus/pci/devices/0000:3d:00.0/vendor
  echo 0x030200 > nvidia/sys/bus/pci/devices/0000:3d:00.0/class
  selftest
  assert_equal "$status" 77
  [[ $output == *"0000:3d:00.0: NVIDIA's driver is not loaded"* ]]
}

@test "cuda_matmul itself, without a GPU: it says that there is no driver" {
  local program=$AIFLAME_BUILD/tests/demo/cuda_matmul
  run -2 "$program" --size 5
  assert_equal "$output" "cuda_matmul: --size must be a multiple of 16; try 'cuda_matmul --help'"
  run -2 "$AIFLAME_BUILD/tests/demo/cuda_rate" --rate 0
  [ ! -e /dev/nvidiactl ] || skip 'there is an NVIDIA driver'
  run -1 "$program"
  assert_equal "$output" 'cuda_matmul: cudaGetDeviceProperties: CUDA driver version is insufficient for CUDA runtime version'
}

@test "programs that run already: with a recorder that is killed, and with other launches than told" {
  in_loop
  printf '#!/bin/bash\nexec env LD_LIBRARY_PATH=%q:"$LD_LIBRARY_PATH" %q %q "" --repeats 8000\n' \
    "$AIFLAME_BUILD/tests/cuda" "$AIFLAME_BUILD/tests/demo/cuda_stand_in" "$cubin" > out/tests/demo/cuda_rate
  chmod +x out/tests/demo/cuda_rate
  selftest --checks attach --keep kept
  [[ $output == *'ok: cuda-attach-killed: a recording whose recorder was killed has samples'* ]]
  assert_equal "$(grep -c ': ok: cuda-attach-[12]: ' <<< "$output")" 16
  # the stand-in launches 5000 times a second
  assert_equal "$(not_ok)$status" 'cuda-attach-rate: N launches, at N a second1'
}

# torch_is [SED]: installs a PyTorch whose recordings are made by hand, changed by sed
torch_is() {
  # torch_beside.py answers each command
  zcat "$DATA/cupti/h100-training.trace.json.gz" > trace.json
  wrap python3 '[[ $* != *torch_beside.py ]] || { echo ready; while read -r what n file; do
    [ "$what" != profile ] || { cp '"$PWD"'/trace.json "$file"; n=693; }
    echo "$what $n"; done; }'
  local one
  for one in torch torch-kernels torch-time torch-memory torch-beside; do
    sed "$1" "$DATA/selftest/$one.gpustall" > "$one.gpustall"
  done
  # as an H100 recorded it, but for its name
  zstd -dcq "$DATA/cupti/h100-graph-samples.gpustall.zst" | sed "$1" > torch-graph.gpustall
  zstd -dcq "$DATA/compiled/h100-compiled.gpustall.zst" | sed "$1" > torch-compiled.gpustall
  zstd -dcqf "$DATA/compiled/h100-compiled-stacks.torch_trace.zst" > torch-compiled.log
  wrap gpustall-record 'case $* in
    *--compile*)
      while [ "$1" != -o ]; do shift; done
      cp '"$PWD"'/torch-compiled.gpustall "$2"
      while [[ $1 != TORCH_TRACE=* ]]; do shift; done
      mkdir -p "${1#TORCH_TRACE=}" && cp '"$PWD"'/torch-compiled.log "${1#TORCH_TRACE=}/"
      echo "gpustall-record: captured 11881 gpu-stall samples and 1541 launches from 503 stacks; lost 0 samples" >&2
      ;;
    *torch_generate.py*)
      while [ "$1" != -o ]; do shift; done
      cp '"$PWD"'/torch-graph.gpustall "$2"
      echo "gpustall-record: captured 37744 gpu-stall samples and 17391 launches from 416 stacks; lost 0 samples" >&2
      echo "tokens_per_s 717.1"
      ;;
    *torch_memory.py*)
      while [ "$1" != -o ]; do shift; done
      cp '"$PWD"'/torch-memory.gpustall "$2"
      cp '"$DATA"'/torch-memory/h100-python.pickle.gz "${@: -1}"
      echo "gpustall-record: captured 0 gpu-stall samples and 0 launches from 2 stacks; lost 0 samples" >&2
      printf "requested_bytes.all.peak 320229160\nreserved_bytes.all.peak 10000\n"
      ;;
    *torch_beside.py*)
      while [ "$1" != -o ]; do shift; done
      cp '"$PWD"'/torch-beside.gpustall "$2"
      echo "gpustall-record: captured 0 gpu-stall samples and 7161 launches from 1 stacks; lost 0 samples" >&2
      printf "ready\nsteps 5\nprofile 4620\nsteps 5\n"
      ;;
    *" cuda-time.gpustall "*)
      while [ "$1" != -o ]; do shift; done
      cp '"$PWD"'/torch-time.gpustall "$2"
      echo "gpustall-record: captured 0 gpu-stall samples and 1004 launches from 3 stacks; lost 0 samples" >&2
      ;;
    *torch_transformer.py*)
      while [ "$1" != -o ]; do shift; done
      cp '"$PWD"'/torch.gpustall "$2"
      echo "gpustall-record: captured 100 gpu-stall samples and 2 launches from 2 stacks; lost 0 samples" >&2
      ;;
    *torch_kernels.py*)
      while [ "$1" != -o ]; do shift; done
      cp '"$PWD"'/torch-kernels.gpustall "$2"
      echo "gpustall-record: captured 100 gpu-stall samples and 23 launches from 3 stacks; lost 0 samples" >&2
      printf "triton 3\ngraph 3\n"
      ;;
    *) exec '"$AIFLAME_BUILD"'/bin/gpustall-record "$@" ;;
  esac'
}

@test "PyTorch: each sample below a Python line, and matrix multiplications by name" {
  in_loop
  torch_is
  selftest --checks time,memory,graph,beside,kernels,torch,profiler,compiled
  assert_equal "$(not_ok)$status" 0
  [[ $output == *'ok: cuda-torch: 100.0 % of the samples below a line of torch_transformer.py'* ]]
  [[ $output == *'ok: cuda-torch: 60.0 % of the samples in matrix multiplications by name'* ]]
  [[ $output == *"cuda-torch-threads: with PyTorch's own thread for the backward pass, 100.0 %"* ]]
  [[ $output == *"ok: cuda-torch-kernels: 3 launches of Triton's kernel recorded of 3 made"* ]]
  [[ $output == *'ok: cuda-torch-graph: 100.0 % of them below a line of the model'* ]]
  [[ $output == *"ok: cuda-time: a kernel took 10.11 us, and 10.15 us by PyTorch's own trace (within 10 %)"* ]]
  [[ $output == *"ok: cuda-time: for a thousand kernels 4 copies, and 4.329 by its trace (within 10 %)"* ]]
  [[ $output == *'cuda-time: recorded: 90.1 % idle, of kernels, copies and idle time'*'cuda-time: traced: 97.3 % idle'* ]]
  [[ $output == *'cuda-time: waits: 0.000050000 s in 4 calls'*'cuda-time: by its trace: 4.157e-05 s in 4 calls that synchronize'* ]]
  [[ $output == *'ok: cuda-memory: 10000 bytes were allocated at the peak, and PyTorch had reserved 10000 (within 5 %)'* ]]
  [[ $output == *'ok: cuda-memory: 320229160 bytes at the peak by'*' snapshot, of which it counted 320229160 (all)'* ]]
  [[ $output == *"ok: cuda-beside-events: 7161 launches recorded, and 231 kernels a step by PyTorch's trace"* ]]
  [[ $output == *"ok: cuda-torch-compiled-default: 100.0 % of the samples of compiled code on the model's lines"* ]]
  [[ $output == *'ok: cuda-torch-compiled-reduce-overhead: 14.6 % of the samples in kernels that Inductor made'* ]]
  torch_is 's/ triton_/ other_/; s/torch_transformer[.]py:/program.py:/; s/\(Runner.call:.*\):[0-9]*/\1:1/; s/py::main:/main /; s/_gemm_/_conv_/; s/py::run_triton:/py::main:/; /^# launched 3/s/12/2/; s/launches 23 /launches 13 /; s/modeling_llama/model/; s/^# launched 1 1000 /# launched 1 500 /; s/launches 1004/launches 504/; s/^\(# allocated 2 .*\) 1000$/\1 2000/; s/^\(# freed .*\) 1000$/\1 2000/; s/py::ask_for_too_much:/other /; s/^# launched 1 7161 /# launched 1 6161 /; s/launches 7161/launches 6161/'
  selftest --checks time,memory,graph,beside,kernels,torch,profiler,compiled
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "cuda-time: a kernel took N us, and N us by PyTorch's own trace
cuda-time: for a thousand kernels N copies, and N by its trace
cuda-memory: N bytes were allocated at the peak, and PyTorch had reserved N
cuda-memory: N % of them below a line of the program
cuda-torch-graph: N % of them below a line of the model
cuda-beside-events: N launches recorded, and N kernels a step by PyTorch's trace
cuda-beside-off: N launches recorded, and N kernels a step by PyTorch's trace
cuda-torch-kernels: N launches of the graph's four relus recorded in N replays
cuda-torch-kernels: N % of its samples below run_triton
cuda-torch-kernels: N % of the gemm's samples below run_graph
cuda-torch: N % of the samples below a line of torch_transformer.py
cuda-torch: N % of the samples in matrix multiplications by name
cuda-torch-threads: with PyTorch's own thread for the backward pass, N % of the samples below a line of the program
$(for mode in default reduce-overhead; do
    echo "cuda-torch-compiled-$mode: N % of the samples of compiled code on the model's lines"
    echo "cuda-torch-compiled-$mode: N % of the samples in kernels that Inductor made"
    echo "cuda-torch-compiled-$mode: N % of the samples below a line of the program"
  done)"
}

# cases_are [SED [SED]]: recordings of cuda_cases are those of an H200, and of its operations one made
# by hand, each changed by sed
cases_are() {
  : > out/tests/demo/cuda_cases
  local case
  sed "$2" "$DATA/selftest/operations.gpustall" > case-operations
  for case in reload both graphs threads contexts forks; do
    zstd -dcq "$DATA/cupti/$case.gpustall.zst" | sed "s#objects/#$DATA/cupti/&#; $1" > "case-$case"
  done
  wrap gpustall-record 'words=("$@")
  case "${words[*]}" in
    *cuda_cases*)
      while [ "$1" != -o ]; do shift; done
      name=$2
      for case in reload both graphs threads contexts forks operations; do
        [[ ${words[*]} != *"cuda_cases $case "* ]] || cp "'"$PWD"'/case-$case" "$name"
      done
      read -r samples launches < <(sed -n "s/^# end samples \([0-9]*\) launches \([0-9]*\) .*/\1 \2/p" "$name")
      echo "gpustall-record: captured $samples gpu-stall samples and $launches launches from 2 stacks; lost 0 samples" >&2
      case ${words[*]} in
        *"cuda_cases operations "*) printf "launches 20\ncopies 10\nfills 12\nhost_functions 20\n" ;;
        *) echo "launches $launches" ;;
      esac
      ;;
    *) exec '"$AIFLAME_BUILD"'/bin/gpustall-record "${words[@]}" ;;
  esac'
}

@test "modules, graphs, threads, contexts and forks, as recorded on an H200; operations in graphs" {
  in_loop
  cases_are
  selftest --checks cases
  assert_equal "$(not_ok)$status" 0
  assert_equal "$(grep -c 'selftest: ok: cuda-[a-z]*: the launches of 100.0 % of the kernels. samples are known' <<< "$output")" 7
  [[ $output == *'ok: cuda-operations: 20 functions of the host recorded of 20 made (all)'* ]]
  # CUPTI before 13.1 has no records of functions of the host
  cases_are '' '/^# launched [57] /d; s/samples 100 launches 62/samples 100 launches 42/'
  selftest --checks cases
  assert_equal "$(not_ok)$status" 0
  [[ $output == *'cuda-operations: no functions of the host recorded: right before CUPTI 13.1'* ]]
  cases_are 's/run_other/run_one/; s/run_graph/main/' 's/run_graph/main/; s/ copy (/ main (/; s/^# launched 1 2 /# launched 1 1 /; s/launches 62 /launches 61 /'
  selftest --checks cases
  assert_equal "$status" 1
  assert_equal "$(not_ok)" "cuda-reload: run_other's kernel has N % of the samples
cuda-both: run_other's kernel has N % of the samples
cuda-graphs: the launches of N % of the kernels' samples are known
cuda-operations: the launches of N % of the kernels' samples are known
cuda-operations: N fills recorded of N made
cuda-operations: the graph's copies and fills stand where they were captured"
}

@test "with a GPU and PyTorch: torch_transformer.py trains" {
  command -v nvidia-smi > /dev/null && nvidia-smi -L > /dev/null || skip 'no NVIDIA GPU'
  python3 -c 'import torch' 2> /dev/null || skip 'no PyTorch'
  run -0 python3 "$AIFLAME_ROOT/tests/demo/torch_transformer.py" --seconds 1 --one-thread
  [[ $output == *' steps, loss '* ]]
}

@test "with a GPU: samples land where they must" {
  command -v nvidia-smi > /dev/null && nvidia-smi -L > /dev/null || skip 'no NVIDIA GPU'
  unset CUDA_HOME
  run "$AIFLAME_ROOT/scripts/gpustall-selftest.sh" "$AIFLAME_BUILD" --api cuda
  [ "$status" -ne 77 ] || skip "${lines[-1]}"
  assert_equal "$(not_ok)$status" 0
}
