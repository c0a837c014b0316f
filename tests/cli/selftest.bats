# SPDX-License-Identifier: MIT
# gpustall-selftest's verdicts, with Intel's driver, which compiles and launches without a GPU, and
# with stalls that tests/fakes/xe feeds at the right places and at wrong ones.
load common
load fake_xe

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export FAKE_XE=$PWD ZE_LAUNCHED=$PWD/launched CL_LAUNCHED=$PWD/launched XDG_CACHE_HOME=$PWD/cache
  mkfifo launched
  out=$AIFLAME_BUILD
  if ldd "$out/bin/gpustall-record" | grep -q libasan; then instrumented; fi
  selftest=("${preload[@]}" "$AIFLAME_ROOT/scripts/gpustall-selftest.sh" "$out" --bits 10 --seconds 0)
}

# A recorder with a sanitizer fails in Intel's driver, which loads libraries with RTLD_DEEPBIND when
# it lists devices. So the recorder lists only the fake's; the programs still use the driver.
instrumented() {
  out=$PWD/out
  mkdir -p out/bin
  ln -s "$AIFLAME_BUILD/tests" out/tests
  cat > out/bin/gpustall-record << 'END'
#!/bin/bash
[ "$1" != --list ] || export ZE_ENABLE_ALT_DRIVERS=/nowhere/no-driver.so
exec "$AIFLAME_BUILD/bin/gpustall-record" "$@"
END
  chmod +x out/bin/gpustall-record
}

intel_driver() {
  skip_without ocloc 'ocloc is not installed (intel-opencl-icd)'
  [ -e /usr/lib/x86_64-linux-gnu/libze_intel_gpu.so.1 ] || skip 'intel-opencl-icd is not installed'
  [ -e "$AIFLAME_BUILD/tests/demo/ze_launches" ] || skip 'libze-dev is not installed'
  unset ZE_ENABLE_ALT_DRIVERS # fake_xe's
  export NEOReadDebugKeys=1 SetCommandStreamReceiver=1 ProductFamilyOverride=dg2 \
    HardwareInfoOverride=1x4x16 OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/intel-opencl/libigdrcl.so
  battlemage
}

# stalls ROW…: the GPU's stalls after the kernel's launch
stalls() {
  battlemage
  printf '%s\n' "hold $ZE_LAUNCHED" "$@" tick release >> script
}

# where API: sets `waiting` to the address of the instruction that waits for the load, and `other` to
# one that is not in the loop
where() {
  local rows=() i offset
  for ((i = 0; i < 256; ++i)); do rows+=("row 0 $((0xfffe0000 + 8 * i)) sbid=1"); done
  stalls "${rows[@]}"
  run "${selftest[@]}" --api "$1" --keep first
  local line
  line=$(grep -n '// here' "$AIFLAME_ROOT/tests/demo/hot.cl" | cut -d: -f1)
  offset=$(sed -n "s/.*waits for send[^;]*, hot.cl:$line;\(0x[0-9a-f]*\) .*/\1/p" \
    "first/$1.folded" | head -n 1)
  waiting=$((0xfffe0000 + offset))
  offset=$(sed -n "s/.*hot.cl:$((line - 2));.*;\(0x[0-9a-f]*\) .*/\1/p" "first/$1.folded" | head -n 1)
  other=$((0xfffe0000 + offset))
}

@test "stalls at the load's consumer: all is where it must be" {
  intel_driver
  local api
  for api in level-zero opencl; do
    where "$api"
    stalls "row 0 $waiting sbid=250" "row 1 $waiting sbid=250 active=3" "row 1 $other send=9"
    run -0 "${selftest[@]}" --api "$api"
    [[ $output == *"512 samples: 512 exact"* ]]
    assert_equal "$(grep -c ": ok: $api" <<< "$output")" 6
    assert_equal "${lines[-1]}" 'gpustall-selftest: all is where it must be'
  done
}

@test "stalls elsewhere in the kernel" {
  intel_driver
  where level-zero
  stalls "row 0 $other sbid=250" "row 1 $waiting send=20"
  run -1 "${selftest[@]}" --api level-zero
  [[ $output == *"NOT OK: level-zero: 7.4 % of the kernel's in its loop"* ]]
  [[ $output == *"NOT OK: level-zero: 0.0 % of the kernel's sbid stalls for the load"* ]]
  [[ $output == *'ok: level-zero: 100.0 % of them in the kernel'* ]]
}

@test "stalls outside of the kernel, and none" {
  intel_driver
  stalls 'row 0 0x12340000 sbid=250'
  run -1 "${selftest[@]}" --api level-zero
  [[ $output == *'NOT OK: level-zero: 0.0 % of them in the kernel'* ]]
  stalls
  run -1 "${selftest[@]}" --api level-zero --keep kept
  [[ $output == *'NOT OK: level-zero: stalls were sampled'* ]]
  [ -s kept/level-zero.gpustall ]
}

@test "no GPU: the reason, and skipped" {
  : > script
  mkdir -p root/dev/dri
  run -77 "${selftest[@]}"
  [[ $output == *'no GPU whose stalls can be sampled:'*'there is no /dev/dri/renderD'* ]]
}

@test "a GPU that no program runs on: skipped" {
  battlemage
  export OCL_ICD_VENDORS=/nowhere ZE_ENABLE_ALT_DRIVERS=/nowhere.so
  run -77 "${selftest[@]}"
  [[ $output == *'opencl: skipped: '* ]]
  run ! grep -q 'ok:' <<< "$output"
}

@test "wrong usage" {
  run -2 "$AIFLAME_ROOT/scripts/gpustall-selftest.sh"
  assert_equal "$output" "gpustall-selftest: no directory OUT; try 'gpustall-selftest.sh --help'"
  run -2 "$AIFLAME_ROOT/scripts/gpustall-selftest.sh" --bogus .
  run -2 "$AIFLAME_ROOT/scripts/gpustall-selftest.sh" --api hip .
  run -2 "$AIFLAME_ROOT/scripts/gpustall-selftest.sh" --checks matmul,idle .
  assert_equal "$output" "gpustall-selftest: option '--checks': there is no check 'idle'; try 'gpustall-selftest.sh --help'"
  run -0 "$AIFLAME_ROOT/scripts/gpustall-selftest.sh" --help
}
