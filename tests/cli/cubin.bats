# SPDX-License-Identifier: MIT
# Names in NVIDIA GPU code: from the cubins in tests/data/cubin, and, if nvcc is installed, from
# cubins that it makes here.
load common
load recording

ALL=file,kernel,function,line,mnemonic,reason,offset

cubin() { python3 "$AIFLAME_ROOT/tests/cubin/cubin.py" "$@"; }

# nvdisasm: puts the stand-in on PATH, or none
nvdisasm() { # yes|no
  mkdir -p toolkit/bin
  rm -f toolkit/bin/nvdisasm
  [ "$1" = no ] || ln -s "$AIFLAME_ROOT/tests/fakes/nvdisasm.py" toolkit/bin/nvdisasm
  export CUDA_HOME=$PWD/toolkit
}

# fold RECORDING LEVELS: the device's frames, without the parts that all of them share
fold() {
  stackcollapse-aiflame --gpu-frames="$2" "$1" 2> err | stacks | sed 's/^app;run;-;//; s/_\[[gG]\]//g'
}

@test "kernels, functions in them and inlined ones, and lines, of each architecture" {
  nvdisasm no
  local arch
  for arch in 75 80 90 100; do
    cubin samples "$DATA/cubin/kernels.sm_$arch.cubin" plain > recording
    # the number of instructions of each line depends on the architecture
    assert_equal "$(fold recording file,kernel,function,line | sed 's/ [0-9]*$//')" \
'kernels.cu;plain;__cuda_sm3x_div_rn_noftz_f32_slowpath
kernels.cu;plain;called;chained;kernels.cu:17
kernels.cu;plain;called;chained;scaled;kernels.cu:12
kernels.cu;plain;called;kernels.cu:21
kernels.cu;plain;kernels.cu:31
kernels.cu;plain;kernels.cu:32
kernels.cu;plain;kernels.cu:33
kernels.cu;plain;kernels.cu:34
kernels.cu;plain;powered<float>;kernels.cu:6
kernels.cu;plain;powered<float>;kernels.cu:7'
    [ "$(awk '{n += $NF} END {print n}' <(fold recording file))" -eq "$(grep -c gpu-stall: recording)" ]
  done
}

@test "what a scoreboard stall waits for, with nvdisasm and without" {
  local kernel=_Z9templatedIfEvPT_PKS0_i
  nvdisasm no
  cubin samples "$DATA/cubin/kernels.sm_80.cubin" $kernel > recording
  assert_equal "$(fold recording line,reason,producer,offset | grep 'waits for')" \
'kernels.cu:12;long_scoreboard;waits for LDS at 0x120, kernels.cu:43;0x160 1
kernels.cu:39;long_scoreboard;waits for LDG at 0x50, kernels.cu:39;0xb0 1
kernels.cu:39;long_scoreboard;waits for S2R at 0x10, kernels.cu:39;0x40 1
kernels.cu:43;long_scoreboard;waits for STS at 0xb0, kernels.cu:39;0xe0 1
kernels.cu:44;long_scoreboard;waits for STS at 0xb0, kernels.cu:39;0x190 1'
  nvdisasm yes
  fold recording producer | grep -qx 'waits for LDG.E at 0x50, kernels.cu:39 1'
  # a reason in CUPTI's words, and one that waits for no instruction
  sed 's/long_scoreboard/smsp__pcsamp_warps_issue_stalled_short_scoreboard_not_issued/' recording > other
  [ "$(fold other producer | grep -c 'waits for')" -eq 4 ]
  sed 's/long_scoreboard/math_pipe_throttle/' recording > other
  run ! grep 'waits for' <(fold other producer)
}

@test "names as the source has them, and with their parameters" {
  nvdisasm no
  cubin samples "$DATA/cubin/kernels.sm_90.cubin" > recording
  assert_equal "$(fold recording kernel)" \
'hidden 32
plain 168
templated<float> 48'
  stackcollapse-aiflame --full-names --full-paths --gpu-frames=file,kernel,function \
    --kernels 'templated*' recording > folded 2> err
  grep -q '/tmp/aiflame-cubins/kernels.cu_\[G\];void templated<float>(float\*, float const\*, int)_\[G\];scaled(float, float)_\[G\] 2$' folded
  run ! grep plain folded
}

@test "objects linked by nvlink have each their own names, static functions no hash" {
  nvdisasm no
  cubin samples "$DATA/cubin/linked.sm_90.cubin" > recording
  fold recording file,kernel,function,line > folded
  grep -qx 'linked_a.cu;local;only_a;near_by;linked.cuh:5 3' folded
  grep -qx 'linked_b.cu;far_away;only_b;near_by;linked.cuh:5 2' folded
  grep -qx 'linked_b.cu;second;only_b;linked_b.cu:6 1' folded
  run ! grep -E 'INTERNAL|b.cu;.*only_a' folded
}

@test "without -lineinfo kernels and functions are there, the file is jit" {
  nvdisasm no
  cubin samples "$DATA/cubin/kernels.sm_90.bare.cubin" plain > recording
  assert_equal "$(fold recording file,kernel,function,line)" \
'jit;plain 30
jit;plain;__cuda_sm3x_div_rn_noftz_f32_slowpath 119
jit;plain;called 8
jit;plain;powered<float> 11'
}

@test "a recording that names the function and the kernel gives the same functions" {
  nvdisasm no
  local object=$DATA/cubin/kernels.sm_90.cubin base
  cubin samples "$object" plain > whole
  # the second 16 bytes of called(), which starts at 0x1e0 of the kernel
  base=$(sed -n 's/^\t *\([0-9a-f]*\) plain+0x0 .*/\1/p' whole | head -n 1)
  {
    printf '# gpustall 1\n%s\n\napp 7/8 [000] 1.0: 5 gpu-stall: \n' "$(grep MMAP2 whole)"
    printf '\t%16x wait ([stall])\n' 0
    printf '\t%16x %s (%s)\n' $((0x$base + 0x1f0)) "\$plain\$_Z6calledf+0x10" "$object"
    printf '\t%16s plain+0x0 (%s)\n\n' "$base" "$object"
    printf '# end samples 5 launches 0 lost 0\n\n'
  } > recording
  run -0 bash -c "stackcollapse-aiflame --gpu-frames=file,kernel,function,line,offset recording 2> err"
  assert_equal "$(stacks <<< "$output")" \
    'app;[unknown launch];-;kernels.cu_[G];plain_[G];called_[G];chained_[G];scaled_[G];kernels.cu:12_[G];0x10_[g] 5'
}

@test "mnemonics by the nvdisasm of the toolkit, or of PATH" {
  nvdisasm yes
  cubin samples "$DATA/cubin/kernels.sm_90.cubin" plain > recording
  fold recording "$ALL" > folded
  run ! grep 'not named' err
  grep -qx 'kernels.cu;plain;kernels.cu:34;EXIT;long_scoreboard;0x1d0 1' folded
  [ "$(grep -c 'LDG.E;long_scoreboard' folded)" -eq 1 ]
  cp folded expected
  export CUDA_HOME=/nonexistent
  PATH=$PWD/toolkit/bin:$PATH fold recording "$ALL" | diff expected -
}

@test "without nvdisasm mnemonics alone are missing or short, and one hint says so" {
  nvdisasm no
  cubin samples "$DATA/cubin/kernels.sm_80.cubin" > recording
  run -0 --separate-stderr stackcollapse-aiflame recording
  [[ $stderr == *'warning: instructions of sm_80 are not named: nvdisasm is not installed'* ]]
  [[ $stderr == *'hint: it is part of the CUDA toolkit; looked for on PATH and in /usr/local/cuda/bin'* ]]
  [ "$(grep -c 'are not named' <<< "$stderr")" -eq 1 ]
  [[ $output == *';plain_[G];called_[G];chained_[G];long_scoreboard_[g];0x1f0_[g] 1'* ]]
  # loads have a name, as aiflame-annotate's have; those that have none are counted
  stackcollapse-aiflame --gpu-frames mnemonic recording 2> err | grep -E ';LDG_\[g\] [0-9]+$'
  local count
  count=$(stackcollapse-aiflame --gpu-frames kernel,mnemonic recording 2> err | awk '/_\[G\] [0-9]+$/ { n += $NF } END { print n }')
  grep "; $count of unnamed instructions ($count no disassembler)" err
}

@test "an nvdisasm that does not know the GPU" {
  nvdisasm yes
  cubin samples "$DATA/cubin/kernels.sm_100.cubin" > recording
  run -0 --separate-stderr stackcollapse-aiflame recording
  [[ $stderr == *'instructions of sm_100 are not named: the nvdisasm that is installed does not know this GPU'* ]]
  [ "$(grep -c 'are not named' <<< "$stderr")" -eq 1 ]
}

@test "a damaged object takes names away, no samples" {
  nvdisasm yes
  local cut object=$DATA/cubin/kernels.sm_75.cubin
  cubin samples "$object" > whole
  for cut in 0 10 63 100 3000 5000 9000 13000 15000 15770; do
    head -c "$cut" "$object" > damaged.cubin
    sed "s:$object:$PWD/damaged.cubin:g" whole > recording
    stackcollapse-aiflame --gpu-frames="$ALL" recording > folded 2> err
    [ "$(sum_of folded)" -eq "$(grep -c gpu-stall: recording)" ]
  done
}

@test "cubins that nvcc makes here have the lines that NVIDIA's library gives" {
  skip_without nvcc 'nvcc is not installed (CUDA toolkit)'
  [ -e "$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")/include/cupti_pcsampling.h" ] ||
    skip 'no headers of CUPTI'
  "$AIFLAME_ROOT/tests/cubin/make.sh" made > log 2>&1 || { cat log; return 1; }
  made=$PWD/made
  cd "$AIFLAME_ROOT"
  AIFLAME_CUBINS=$made "$AIFLAME_BUILD/tests/unit" \
    --gtest_filter=CubinObject.EachInstructionHasTheLineThatNvidiasLibraryGives
}

@test "no register is read before it is written, and no late result before it is waited for" {
  skip_without nvcc 'nvcc is not installed (CUDA toolkit)'
  local arch
  mkdir made
  for arch in 75 80 90 100 120; do
    nvcc -arch=sm_$arch -cubin -o made/waits.sm_$arch.cubin "$AIFLAME_ROOT/tests/cubin/waits.cu"
    nvcc -arch=sm_$arch -cubin -o made/kinds.sm_$arch.cubin "$AIFLAME_ROOT/tests/cubin/kinds.cu"
  done
  made=$PWD/made
  cd "$AIFLAME_ROOT"
  AIFLAME_CUBINS=$made "$AIFLAME_BUILD/tests/unit" --gtest_filter='SassRegisters.OfWholeKernels'
}

@test "the demo's cubins are what nvcc makes of their sources" {
  skip_without nvcc 'nvcc is not installed (CUDA toolkit)'
  "$AIFLAME_ROOT/tests/cubin/make-demo.sh" made > log 2>&1 || { cat log; return 1; }
  local name version made_by
  version=$(nvcc --version | grep -o 'V[0-9.]*$')
  made_by=$(grep -o 'nvcc V[0-9.]*[0-9]' "$DATA/cubin/README.md")
  for name in one other cuda_matmul; do
    assert_equal "$(cubin functions "made/$name.cubin" | sort)" \
      "$(cubin functions "$DATA/cubin/demo/$name.cubin" | sort)"
    [ "$made_by" != "nvcc $version" ] || cmp "made/$name.cubin" "$DATA/cubin/demo/$name.cubin"
  done
}

@test "in random programs each function is called by the one in front of it" {
  skip_without nvcc 'nvcc is not installed (CUDA toolkit)'
  nvdisasm no
  local seed chains=0 deepest=0 arch
  # sm_90's cubins contain functions whose first row occurs twice
  for seed in 8:90 10:75 12:90 15:100; do
    arch=sm_${seed#*:}
    python3 "$AIFLAME_ROOT/tests/cubin/chains.py" write "${seed%:*}" chance.cu
    nvcc -cubin -lineinfo -arch="$arch" -o chance.cubin chance.cu
    cubin samples "$PWD/chance.cubin" > recording
    fold recording kernel,function,line |
      python3 "$AIFLAME_ROOT/tests/cubin/chains.py" check chance.cu > measured
    read -r count depth < measured
    chains=$((chains + count))
    [ "$depth" -le "$deepest" ] || deepest=$depth
  done
  [ "$chains" -gt 100 ]
  [ "$deepest" -ge 4 ]
}
