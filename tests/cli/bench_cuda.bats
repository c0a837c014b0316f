# SPDX-License-Identifier: MIT
# bench-cuda.sh's tables, for programs whose printed times depend on how they are run.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] ||
    skip 'there are no headers of CUPTI in CUDA_HOME: there is no CUPTI agent'
  export XDG_CACHE_HOME=$PWD/cache FAKE_NVIDIA=$PWD/nvidia RUNS=3 RATES='1000 100000' SECONDS_EACH=1
  unset CUDA_INJECTION64_PATH
  # a sanitizer's library must be loaded before preloaded ones
  export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
  mkdir -p nvidia/{dev,sys/bus/pci/devices} nvidia/proc/driver/nvidia/gpus/0000:3d:00.0
  : > nvidia/dev/nvidiactl
  mkdir -p out/tests/demo
  ln -s "$AIFLAME_BUILD/bin" "$AIFLAME_BUILD/libexec" out
  # one run in three is disturbed
  program cuda_matmul 'took=1.0 idle=1.0 launches=1.01 continuous=1.04 exact=1.5' \
    'echo "device: Some GPU"; echo "repeats 100"; echo "took $took s"'
  program cuda_rate 'took=2.0 idle=2.0 launches=2.02 continuous=2.1 exact=3.0' \
    'printf "launches %s\nwall_s %s\nloop_cpu_s %s\nprocess_cpu_s %s\n" "$2" "$took" "$took" "1$took"'
}

# program NAME "took=… idle=… …" COMMANDS: each value is the time that NAME prints when run that way
program() {
  cat > "out/tests/demo/$1" << PROGRAM
#!/bin/bash
$2
if [ -n "\$AIFLAME_AGENT" ]; then
  took=\$launches
  case \$AIFLAME_SAMPLE in *mode=continuous*) took=\$continuous ;; *mode=exact*) took=\$exact ;; esac
elif [ -n "\$CUDA_INJECTION64_PATH" ]; then
  took=\$idle
fi
n=\$(wc -l < "$PWD/$1.runs" 2> /dev/null || echo 0)
echo run >> "$PWD/$1.runs"
[ \$((n % 7)) -ne 3 ] || took=9.0
$3
PROGRAM
  chmod +x "out/tests/demo/$1"
}

bench() {
  LD_PRELOAD=$AIFLAME_BUILD/tests/cuda/libnvidia-files.so \
    run --separate-stderr "$AIFLAME_ROOT/scripts/bench.sh" out cuda
}

@test "tables: medians, and percent of what the program takes alone" {
  bench
  assert_equal "$status" 0
  [[ $output == *'A program that keeps the device busy: cuda_matmul --repeats 100 (3 runs of each, in turn)
device: Some GPU
                 took s       more
alone            1.0000     0.00 %
idle             1.0000     0.00 %
launches         1.0100     1.00 %  lost 0 samples
continuous       1.0400     4.00 %  lost 0 samples
exact            1.5000    50.00 %  lost 0 samples
'* ]]
  [[ $output == *'A program that launches 100000 times a second for 1 s: cuda_rate (3 runs of each, in turn)
              launches    wall s       more   its thread'"'"'s   all threads'"'"'
alone           100000    2.0000     0.00 %        +0.00 %        +0.00 %
idle            100000    2.0000     0.00 %        +0.00 %        +0.00 %
launches        100000    2.0200     1.00 %        +1.00 %        +1.00 %  lost 0 samples
continuous      100000    2.1000     5.00 %        +5.00 %        +5.00 %  lost 0 samples
exact           100000    3.0000    50.00 %       +50.00 %       +50.00 %  lost 0 samples'* ]]
}

@test "tokens that a model makes in a second, where there is PyTorch" {
  mkdir path
  # the program is called by its name here, so that it prints what each way of running takes
  ln -s "$PWD/out/tests/demo/tokens" path/python3
  program tokens 'took=100 launches=80 continuous=60' '[ "$1" = -c ] || echo "tokens_per_s $took"'
  PATH=$PWD/path:$PATH bench
  [[ $output == *'A program that is as fast as Python launches: torch_generate.py (3 runs of each, in turn)
               tokens/s      fewer
alone             100.0     0.00 %
launches           80.0    20.00 %  lost 0 samples
driver             80.0    20.00 %  lost 0 samples
continuous         60.0    40.00 %  lost 0 samples'* ]]
  printf '#!/bin/bash\necho "No module named torch"; exit 1\n' > out/tests/demo/tokens
  PATH=$PWD/path:$PATH bench
  [[ $stderr == *'not measured: python3 lacks torch or transformers, or PyTorch has no CUDA device: No module named torch'* ]]
}

@test "beside ncu where it is installed, and a line where it is not" {
  mkdir path
  printf '#!/bin/bash\n[ "$1 $2 $3 $4" = "--clock-control none --section SourceCounters" ]\n' > path/ncu
  chmod +x path/ncu
  PATH=$PWD/path:$PATH bench
  [[ $output == *'Beside ncu: '*'/cuda_rate --rate 1000 --launches 200 (once, from start to end)
alone '*'gpustall-record '*'ncu --section SourceCounters '*' s'* ]]
  printf '#!/bin/bash\necho "==ERROR== ERR_NVGPUCTRPERM"; exit 1\n' > path/ncu
  PATH=$PWD/path:$PATH bench
  [[ $output == *'ncu: not compared: ==ERROR== ERR_NVGPUCTRPERM'* ]]
  skip_if_ncu
  bench
  [[ $stderr == *'not compared: ncu is not on PATH'* ]]
}

skip_if_ncu() { ! command -v ncu > which.ncu || skip "ncu is here: $(cat which.ncu)"; }

@test "a way of sampling that is refused or fails is no measurement, and the others are" {
  program cuda_matmul 'took=1.0 launches=2.0' 'echo "device: Some GPU"; echo "repeats 1"; echo "took $took s"
    case $AIFLAME_SAMPLE in
      *continuous*) echo "gpustall-record: process 7: no samples: the driver lets only root profile" >&2 ;;
      *exact*) echo "an illegal address" >&2; exit 3 ;;
    esac'
  bench
  assert_equal "$status" 0
  [[ $output == *'
launches         2.0000   100.00 %  lost 0 samples
continuous   not measured: gpustall-record: process 7: no samples: the driver lets only root profile
exact        not measured: an illegal address (exit status 3 of '*'cuda_matmul --repeats 1)
'*'
launches          1000    2.0200 '*'
continuous   not measured: '* ]]
}

@test "without a GPU, a driver or nvcc: a sentence" {
  printf '#!/bin/bash\necho no CUDA-capable device is detected >&2; exit 1\n' > out/tests/demo/cuda_matmul
  bench
  assert_equal "$status $output" '0 CUDA: not measured: no CUDA-capable device is detected'
  rm -r nvidia/dev/nvidiactl nvidia/proc/driver
  bench
  assert_equal "$status $output" "0 CUDA: not measured: source 'cupti': no NVIDIA GPU on this machine"
  rm out/tests/demo/cuda_matmul
  bench
  [[ $output == 'CUDA: not measured: there is no nvcc in CUDA_HOME'* ]]
}
