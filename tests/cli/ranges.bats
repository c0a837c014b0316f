# SPDX-License-Identifier: MIT
# gpustall-record --ranges with ITT and roctx: the program is tests/demo/ranges.cc. NVTX is in
# cupti.bats.
# shellcheck disable=SC2154 # Bats sets $output and $stderr
load common
load recording

setup() { setup_demo; }

# drawn OPTION…: the launches of r, from main() on, without their times
drawn() { stackcollapse-aiflame --event gpu-time "$@" r 2> said | grep -v '^# ' | sed 's/ranges;.*main;//; s/ [0-9]*$//'; }

# recorded HOW OPTION…
recorded() { gpustall-record --sampling off -o r "${@:2}" -- "$DEMO/ranges" "$1" 3 2> err; }

@test "tasks of ITT and ranges of roctx are frames at launches of OpenCL" {
  local how
  for how in itt roctx; do
    recorded $how --ranges > out
    assert_equal "$(drawn)" 'clEnqueueNDRangeKernel;-;jit_[G];scale_[G]
decode_[r];attend_[r];clEnqueueNDRangeKernel;-;jit_[G];attend_[G]
decode_[r];clEnqueueNDRangeKernel;-;jit_[G];scale_[G]'
    grep -qx $'\t               0 decode (\\['$how$'\\])' r
    grep -qx '# end samples 0 launches 9 lost 0' r
  done
  # roctx answers as AMD's does
  assert_equal "$(cat out)" '0 1 1 0 -1'
  recorded itt
  assert_equal "$(drawn)" 'clEnqueueNDRangeKernel;-;jit_[G];attend_[G]
clEnqueueNDRangeKernel;-;jit_[G];scale_[G]'
}

@test "--number-ranges tells the instances of them apart" {
  recorded itt --number-ranges 'dec*'
  assert_equal "$(drawn --by-range decode)" '[outside decode];clEnqueueNDRangeKernel;-;jit_[G];scale_[G]
decode #1_[r];attend_[r];clEnqueueNDRangeKernel;-;jit_[G];attend_[G]
decode #1_[r];clEnqueueNDRangeKernel;-;jit_[G];scale_[G]
decode #2_[r];attend_[r];clEnqueueNDRangeKernel;-;jit_[G];attend_[G]
decode #2_[r];clEnqueueNDRangeKernel;-;jit_[G];scale_[G]
decode #3_[r];attend_[r];clEnqueueNDRangeKernel;-;jit_[G];attend_[G]
decode #3_[r];clEnqueueNDRangeKernel;-;jit_[G];scale_[G]'
}

@test "idle time is drawn by the ranges of what was launched next" {
  recorded roctx --number-ranges decode > out
  stackcollapse-aiflame --idle --by-range decode r 2> said > folded
  grep -q '^decode #2_\[r\];\[gpu idle\];' folded
  assert_equal "$(awk '!/^# / { sum += $NF } END { print sum }' folded)" \
    "$(stackcollapse-aiflame --idle r 2> said | awk '!/^# / { sum += $NF } END { print sum }')"
}

@test "a variable of ITT that is set already is left alone" {
  INTEL_LIBITTNOTIFY64=/nowhere/lib.so recorded itt --ranges
  grep -qx "gpustall-record: warning: INTEL_LIBITTNOTIFY64 is set to '/nowhere/lib.so' already: \
left as it is, so that agent is not loaded" err
  assert_equal "$(drawn | grep -c decode)" 0
}

@test "the user's own directories of libraries come last, once" {
  LD_LIBRARY_PATH=/mine gpustall-record --sampling off --ranges -o r -- sh -c 'echo "$LD_LIBRARY_PATH"' > out 2> err
  local ours=$AIFLAME_BUILD/libexec/aiflame
  [ ! -e "$ours/level-zero/libze_tracing_layer.so.1" ] || local level_zero=:$ours/level-zero
  assert_equal "$(cat out)" "$ours/ranges${level_zero-}:/mine"
}

@test "the range agent shows the program nothing but its doors" {
  assert_equal "$(nm -D --defined-only "$AIFLAME_BUILD/libexec/aiflame/ranges-agent.so" | awk '$2 == "T" { print $3 }')" \
    '__itt_api_init@@AIFLAME
aiflame_open_ranges@@AIFLAME
roctxMarkA@@ROCTX_4.1
roctxRangePop@@ROCTX_4.1
roctxRangePushA@@ROCTX_4.1
roctxRangeStartA@@ROCTX_4.1
roctxRangeStop@@ROCTX_4.1
roctxRegisterTracerCallback@@ROCTX_4.1
roctx_version_major@@ROCTX_4.1
roctx_version_minor@@ROCTX_4.1'
}
