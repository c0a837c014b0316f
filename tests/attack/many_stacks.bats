# SPDX-License-Identifier: MIT
# More stacks than the recorder's memory has room for: the recording can be read all the same, and
# has every sample and every launch, written or lost by name.
load attack
load ../cli/recording

setup() { setup_demo; }

# Records ./many_stacks into r, and prints the recorder's peak of memory in kB.
record() {
  local recorder peak=0 now
  gpustall-record --source opencl-cpu -o r -- "$AIFLAME_BUILD/tests/attack/many_stacks" "$@" \
    > out 2> err &
  recorder=$!
  while now=$(awk '/^VmHWM/ { print $2 }' "/proc/$recorder/status" 2> /dev/null) && [ -n "$now" ]; do
    peak=$now
    sleep 0.05
  done
  wait "$recorder" || {
    cat out err >&2
    return 1
  }
  echo "$peak"
}

# end_of SAMPLES|LAUNCHES: what the last line of r says
end_of() { awk -v what="$1" '/^# end/ { for (i = 1; i < NF; ++i) if ($i == what) print $(i + 1) }' r; }

# lost [gpu-launch]: the sum of the records of losses
lost() {
  awk -v what="${1:-}" '/PERF_RECORD_LOST lost [0-9]+/ { n = NF - (what != ""); if ($n ~ /^[0-9]+$/ &&
    (what == "" || $NF == what)) sum += $n } END { print sum + 0 }' r
}

assert_nothing_is_missing() {
  local made captured
  run -0 --separate-stderr stackcollapse-aiflame --strict r
  printf '%s\n' "${lines[@]}" > folded
  echo "$stderr"
  cat err
  # what is drawn is what was captured, as the last line of the recording and of the recorder say
  captured=$(sed -n 's/.* captured \([0-9]*\) gpu-clock samples.*/\1/p' err)
  [ "$captured" -gt 0 ]
  assert_equal "$(grep -v '^#' folded | sum_of)" "$captured"
  assert_equal "$(end_of samples)" "$captured"
  grep -qF "; lost $(lost) samples" err
  made=$(sed -n 's/^made //p' out)
  echo "made $made, captured $(end_of launches), lost $(lost gpu-launch)"
  assert_equal $(($(end_of launches) + $(lost gpu-launch))) "$made"
  run -0 aiflame-annotate r
}

@test "launches from 2^17 call paths" {
  local peak
  # with 15 bits there is room for all
  peak=$(record "$(scale 15 17)")
  assert_nothing_is_missing
  echo "peak $peak kB"
  is_sanitized || [ "$peak" -lt 262144 ]
}

@test "many processes with a thousand stacks each" {
  local peak
  peak=$(record "$(scale 8 10)" "$(scale 10 100)")
  assert_nothing_is_missing
  echo "peak $peak kB"
  is_sanitized || [ "$peak" -lt 262144 ]
}
