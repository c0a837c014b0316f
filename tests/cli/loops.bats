# SPDX-License-Identifier: MIT
# The level `loop`: the loops around an instruction, on every kind of device. What hpcstruct has
# found is compared if ../shared/data/hpctoolkit lies beside the repository.
load common
load recording

# same_loops OBJECT: how the loops compare with those of hpcstruct
same_loops() {
  skip_without python3
  cd "$AIFLAME_ROOT/../shared/data/hpctoolkit" 2> /dev/null || skip 'no ../shared/data/hpctoolkit'
  python3 "$AIFLAME_ROOT/tests/recorded/structure_loops.py" "$1.gpubin" \
    "$1.gpubin-gpucfg-yes.hpcstruct" > "$BATS_TEST_TMPDIR/same"
  cd "$BATS_TEST_TMPDIR" || return
}

@test "Intel: loops, their members and lines are those of hpcstruct" {
  ldconfig -p | grep -q libiga64 || skip 'libiga64 is not installed (libigc1)'
  same_loops intel/73a6cf2fd4844baf239d0e2c13911c34
  assert_equal "$(cat same)" 'places 804, 280 of them in loops, 804 agree, 280 lines agree; loops 3, 3 with the same members'
}

@test "AMD: loops, their members and lines are those of hpcstruct" {
  same_loops amd/9f7f9be695af6f36f2b56450611127c6
  ! grep ', 39 agree' same || skip 'libLLVM does not know gfx942 or gfx940'
  assert_equal "$(cat same)" 'places 75, 36 of them in loops, 75 agree, 36 lines agree; loops 1, 1 with the same members'
  same_loops amd/329cf19bccddb95f5601d814c8b913c1
  assert_equal "$(cat same)" 'places 2126, 412 of them in loops, 2126 agree, 412 lines agree; loops 37, 37 with the same members'
}

# hpcstruct has none. The bytes of the code have two jumps back, BRA with the target in bits 32 to
# 81:
#   0x2080 @P1 BRA 0x18e0
#   0x22c0 @P0 BRA 0x20c0
@test "NVIDIA: the code from the target of a jump back to the jump is a loop" {
  same_loops nvidia/67e7ddd42e43d0ca040956d9d9b316fa
  assert_equal "$(cat same)" "places 1152, 0 of them in loops, 528 agree, 0 lines agree; loops 0, 0 with the same members
624 from 0x18e0 to 0x22cc: '', here 'loop at compute.h:45'"
  [ $(((0x2090 - 0x18e0) / 4 + (0x22d0 - 0x20c0) / 4)) -eq 624 ]
}

@test "genuine samples lie in the loop over the matrix" {
  cd "$AIFLAME_ROOT/../shared/data/hpctoolkit" 2> /dev/null || skip 'no ../shared/data/hpctoolkit'
  stackcollapse-aiflame --gpu-frames kernel,loop,line genuine_nvidia.gpustall 2> "$BATS_TEST_TMPDIR/err" |
    stacks | sed 's/.*;-;//' > "$BATS_TEST_TMPDIR/folded"
  grep -qx 'xcompute_\[G\];loop at compute.h:45_\[G\];compute.h:67_\[G\] 183987' "$BATS_TEST_TMPDIR/folded"
}

# samples OBJECT FUNCTION: a recording with one at each of its instructions
samples() {
  local text at count=0
  text=$(readelf -SW "$1" | sed -n 's/.* \.text *PROGBITS *\([0-9a-f]*\) \([0-9a-f]*\) .*/0x\1 0x\2/p')
  printf '# gpustall 1\n# device 0 : opencl-cpu, here, period 1000000 ns\n'
  printf '# app 1/1 [000] 1.0: PERF_RECORD_MMAP2 1/1: [%s(0x100000) @ %s 00:00 0 0]: r-xp %s\n\n' \
    "${text% *}" "${text#* }" "$1"
  while read -r at; do
    printf 'app 1/1 [000] 1.0: 1 gpu-clock: \n\t%s %s+0x1 (%s)\n\n' "$at" "$2" "$1"
    count=$((count + 1))
  done < <(objdump -d "$1" | awk -v "name=<$2>:" 'NF == 0 { on = 0 } on && /^ *[0-9a-f]+:/ {
      sub(":", "", $1); print $1 } $2 == name { on = 1 }')
  printf '# end samples %d launches 0 lost 0\n\n' "$count"
}

@test "a kernel on the CPU: nested loops outermost first, each by the line of its for" {
  setup_demo
  export POCL_CACHE_DIR=$PWD/pocl
  mkdir pocl
  "$DEMO/matmul" --size 64 --repeats 1 --options '-g -cl-opt-disable' > out
  local object outer inner sum
  object=$(find "$PWD/pocl" -name multiply_local_access.so)
  outer=$(awk '/for .*k \+= SUMS/ { print FNR }' "$DEMO/matmul.cl")
  inner=$(awk '/for .*sums\[i\] = multiply_add/ { print FNR }' "$DEMO/matmul.cl")
  sum=$(awk '/return sum \+ a \* b/ { print FNR; exit }' "$DEMO/matmul.cl")
  samples "$object" row_times_row > r
  stackcollapse-aiflame --gpu-frames kernel,loop,line r 2> err | stacks | sed 's/_\[G\]//g; s/.*-;//' > folded
  grep -qE "^row_times_row;loop at matmul.cl:$outer;loop at matmul.cl:$inner;matmul.cl:$sum [0-9]+$" folded
  # the last loop of the function is none within these
  grep -qE "^row_times_row;loop at matmul.cl:$((inner + 2));matmul.cl:$((inner + 2)) [0-9]+$" folded
  # without debug information, by its offset
  "$DEMO/matmul" --size 64 --repeats 1 --options '-cl-opt-disable' > out
  samples "$(find "$PWD/pocl" -name multiply_local_access.so | grep -vxF "$object")" row_times_row > r
  stackcollapse-aiflame --gpu-frames loop,line r 2> err | stacks | sed 's/.*-;//' > folded
  assert_equal "$(grep -cE '^loop at 0x[0-9a-f]+_\[G\];loop at 0x[0-9a-f]+_\[G\] [0-9]+$' folded)" 1
}

@test "a report and a comparison know a loop for what it is" {
  printf 'app;-;loop at 0x40_[G];mad_[g];sbid_[g];0x44_[g] 5\n' > a
  printf 'app;-;loop at 0x50_[G];mad_[g];sbid_[g];0x58_[g] 7\n' > b
  aiflame-report --json a > report
  ! grep '"loop at 0x40["+]' report || false
  assert_equal "$(aiflame-diff a b | stacks)" 'app;-;loop_[G];mad_[g];sbid_[g] 5 7'
}
