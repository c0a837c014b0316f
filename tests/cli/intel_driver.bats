# SPDX-License-Identifier: MIT
# Intel's own driver and compiler. Without a GPU they compile, load and launch, but run nothing.
# tests/fakes/xe feeds stalls at the addresses of the code they made. The expected attribution of
# each stall comes from programs that are not ours (tests/recorded/device_stalls.py).
load common
load fake_xe
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  skip_without ocloc 'ocloc is not installed (intel-opencl-icd)'
  skip_without iga64 'iga64 is not installed (libigc-tools)'
  skip_without llvm-symbolizer 'llvm-symbolizer is not installed (llvm)'
  skip_without python3
  export XDG_CACHE_HOME=$PWD/cache
  unset ZE_ENABLE_ALT_DRIVERS # fake_xe's
  # the driver writes the GPU's commands into a file, and reports them as completed
  export NEOReadDebugKeys=1 SetCommandStreamReceiver=1 ProductFamilyOverride=dg2 \
    HardwareInfoOverride=1x4x16
  local kernel
  for kernel in multiply_basic multiply_local_access multiply_local_access_and_tiling; do
    # one file per kernel: with several, this compiler omits the debug information
    sed -n '/^__kernel/,$!p' "$AIFLAME_ROOT/tests/demo/matmul.cl" > $kernel.cl
    sed -n "/^__kernel.* $kernel(/,/^}/p" "$AIFLAME_ROOT/tests/demo/matmul.cl" >> $kernel.cl
    ocloc compile -file $kernel.cl -device dg2 -spv_only -options -g -output $kernel \
      -output_no_suffix > ocloc.log
  done
  spirv=(multiply_basic.spv multiply_local_access.spv multiply_local_access_and_tiling.spv)
}

level_zero() {
  local driver=/usr/lib/x86_64-linux-gnu/libze_intel_gpu.so.1
  [ -e "$driver" ] || skip "no Level Zero driver of Intel's: $driver (intel-opencl-icd)"
  [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero/libze_tracing_layer.so.1" ] ||
    skip 'libze-dev is not installed: there is no Level Zero agent'
  program=$AIFLAME_BUILD/tests/demo/ze_launches
}

opencl() {
  export OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so
  [ -e "$OCL_ICD_VENDORS" ] || skip "no OpenCL driver of Intel's (intel-opencl-icd)"
  program=$AIFLAME_BUILD/tests/demo/cl_launches
}

# fed CALLERS… -- MODE…: records the program twice, the second time with stalls at each instruction
# of the code in the first recording. `actual` is where they landed, `expected` is where they should
# land
fed() {
  local callers=()
  while [ "$1" != -- ]; do
    callers+=("$1")
    shift
  done
  shift
  gpustall-record --source opencl-cpu -o first -- "$program" "$@" > out 2> err
  python3 "$AIFLAME_ROOT/tests/recorded/device_stalls.py" first xehpg "${callers[@]}"
  export FAKE_XE=$PWD ZE_LAUNCHED=$PWD/launched CL_LAUNCHED=$PWD/launched
  battlemage
  mkfifo launched
  { echo "hold $ZE_LAUNCHED" && cat rows && printf '%s\n' tick release; } >> script
  # one slice, so that all launches share its samples
  recorder --interval 60000 -o r -- "$program" "$@" > out 2> err
  # the second run has the same code at the same addresses
  diff <(mapped first) <(mapped r)
  stackcollapse-aiflame --gpu-frames=file,kernel,function,line,mnemonic,reason,offset r 2> stats | stacks |
    sed 's/^.*;main;//; s/;-;/;/; s/_\[[gG]\]//g' | sort > actual
  diff expected actual
}

mapped() { sed -n 's/^.*PERF_RECORD_MMAP2 [0-9/]*//p' "$1" | sort; }

# enough: the test had enough to check: instructions, some of them inlined, and lines
enough() {
  [ "$(wc -l < rows)" -gt "$1" ]
  [ "$(grep -cE ';multiply_add4?;' expected)" -gt 20 ] || [ -n "${2:-}" ]
  [ "$(grep -o '\.cl:[0-9]*;' expected | sort -u | wc -l)" -gt 5 ]
}

# exact, apportioned: all samples that were fed, and no others
exact() { grep -q "$(sum_of expected) samples: $(sum_of expected) exact, 0 apportioned, 0 unattributed, 0 lost" stats; }
apportioned() { grep -q "$(sum_of expected) samples: 0 exact, $(sum_of expected) apportioned\( ([0-9]* by number of launches)\)\?, 0 unattributed, 0 lost" stats; }

submitted='submit;zeCommandQueueExecuteCommandLists;[command list];'
appended=';zeCommandListAppendLaunchKernel'
enqueued=';(anonymous namespace)::launch;clEnqueueNDRangeKernel'

@test "Level Zero: three kernels from three functions, each instruction of theirs" {
  level_zero
  fed "multiply_basic=${submitted}run_basic$appended" \
    "multiply_local_access=${submitted}run_local$appended" \
    "multiply_local_access_and_tiling=${submitted}run_tiled$appended" -- files "${spirv[@]}"
  enough 300
  exact
}

@test "Level Zero: a list that is executed 100 times" {
  level_zero
  fed "multiply_basic=${submitted}run_basic$appended" \
    "multiply_local_access=${submitted}run_local$appended" \
    "multiply_local_access_and_tiling=${submitted}run_tiled$appended" -- files "${spirv[@]}" 100
  enough 300
  exact
  assert_equal "$(awk '/^# launched/ { n[$3] += $4 } END { for (i in n) print n[i] }' r)" '100
100
100'
}

@test "Level Zero: one kernel from two places, three times as often from one" {
  level_zero
  fed "multiply_local_access_and_tiling=run_thrice$appended|run_once$appended" -- \
    shared multiply_local_access_and_tiling.spv 50
  enough 100
  apportioned
}

@test "OpenCL: three kernels from three functions, each instruction of theirs" {
  opencl
  fed "multiply_basic=run_basic$enqueued" "multiply_local_access=run_local$enqueued" \
    "multiply_local_access_and_tiling=run_tiled$enqueued" -- files "${spirv[@]}"
  enough 300
  exact
}

@test "OpenCL: one kernel from two places, three times as often from one" {
  opencl
  fed "multiply_local_access_and_tiling=run_thrice$enqueued|run_once$enqueued" -- \
    shared multiply_local_access_and_tiling.spv 50
  enough 100
  apportioned
}

@test "OpenCL: a program's code goes away with its last kernel, and its place is used again" {
  opencl
  gpustall-record --source opencl-cpu -o r -- "$program" reload multiply_basic.spv 3 > out 2> err
  assert_equal "$(grep -oE 'PERF_RECORD_(MMAP2|MUNMAP).*: \[0x[0-9a-f]*' r | sed 's/ .*\[/ [/' |
    head -n 5)" 'PERF_RECORD_MMAP2 [0x8000fffe0000
PERF_RECORD_MUNMAP [0x8000fffe0000
PERF_RECORD_MMAP2 [0x8000fffe0000
PERF_RECORD_MUNMAP [0x8000fffe0000
PERF_RECORD_MMAP2 [0x8000fffe0000'
}
