# SPDX-License-Identifier: MIT
# What waiting instructions wait for, in samples that were taken on an Intel Max, an A100 and an
# MI300, if ../shared/data/hpctoolkit lies beside the repository.
load common
load recording

# fold VENDOR: its samples as stacks of line, mnemonic, reason, producer and offset, into ./folded
fold() {
  cd "$AIFLAME_ROOT/../shared/data/hpctoolkit" 2> /dev/null || skip 'no ../shared/data/hpctoolkit'
  stackcollapse-aiflame --gpu-frames line,mnemonic,reason,producer,offset "genuine_$1.gpustall" \
    2> "$BATS_TEST_TMPDIR/err" | stacks | sed 's/.*;-;//; s/_\[[gG]\]//g' > "$BATS_TEST_TMPDIR/folded"
  cd "$BATS_TEST_TMPDIR" || return
}

# waiting REASON: how many samples have it, and how many of these a producer
waiting() {
  awk -v reason=";$1;" 'index($0, reason) { n += $NF; if (/;waits for /) known += $NF }
    END { print n + 0, known + 0 }' folded
}

@test "Intel: each sample on an instruction with a token has its producer" {
  ldconfig -p | grep -q libiga64 || skip 'libiga64 is not installed (libigc1)'
  fold intel
  # the other 36 lie on instructions that name none
  assert_equal "$(waiting sbid)" '429847 429811'
  grep -qE '^compute.h:67;mov;sbid;waits for send.ugm at 0x408, compute.h:67;0x448 [0-9]+$' folded
  # a send does not wait for itself of the loop's last round, which was waited for
  awk -F';' '{ at = $NF; sub(/ .*/, "", at) } index($0, " at " at ",") { print }' folded > itself
  assert_equal "$(cat itself)" ''
}

@test "NVIDIA: each sample that waits for memory has its producer" {
  fold nvidia
  assert_equal "$(waiting stl_gmem)" '16420 16420'
  # the others wait for an arithmetic instruction, for a known number of cycles
  assert_equal "$(waiting stl_idep)" '12224 9462'
  ! grep 'an instruction' folded || false
  # the reason tells which of two scoreboards is late
  grep -qE '^compute.h:45;stl_idep;waits for I2F(.F64)? at 0x90, cudagpu.cu:25;0x910 78$' folded
}

@test "AMD: each sample on an s_waitcnt has its producer" {
  fold amd
  grep -q '^[^;]*;s_waitcnt;' folded || skip "libLLVM does not know gfx942 or gfx940"
  assert_equal "$(waiting stl_mem)" '52777 52777'
  assert_equal "$(waiting stl_idep)" '515 0'
  grep -qE '^compute.h:67;s_waitcnt;stl_mem;waits for global_load_dwordx2 at 0xa0, compute.h:67;0xb8 3379$' folded
}
