# SPDX-License-Identifier: MIT
# Prints what is in a gpustall recording, ./r unless a FILE is given: `load recording`.
# shellcheck shell=bash disable=SC2034 # used by the tests that load it

DEMO=$AIFLAME_BUILD/tests/demo

# For a test's setup(): its own directory, and kernels that the tests of a file compile once.
setup_demo() {
  cd "$BATS_TEST_TMPDIR" || return
  export POCL_CACHE_DIR=$BATS_FILE_TMPDIR/pocl
  mkdir -p "$POCL_CACHE_DIR"
}

# sum_of [FILE…]: the sum of the counts in folded text
sum_of() { awk '{ n += $NF } END { printf "%.0f\n", n }' "$@"; }

# samples [FILE]: the sum of the stalls' counts
samples() { awk '$6 == "gpu-stall:" { n += $5 } END { print n + 0 }' "${1:-r}"; }

# stalls [FILE]: DEVICE ADDRESS REASON COUNT, sorted
stalls() {
  awk '$6 == "gpu-stall:" { device = $3; count = $5; getline; reason = $2; getline
    n[device " " $1 " " reason] += count }
    END { for (key in n) print key, n[key] }' "${1:-r}" | sort
}

# stalled [FILE]: REASON KERNEL+OFFSET COUNT, sorted
stalled() {
  awk '/ gpu-stall: $/ { n = $(NF - 1); getline; reason = $2; getline; count[reason " " $2] += n }
    END { for (what in count) print what, count[what] }' "${1:-r}" | sort
}

# stalls_by_address KERNEL [FILE]: ADDRESS COUNT
stalls_by_address() {
  awk -v kernel="$1" '/ gpu-stall: $/ { n = $(NF - 1) }
    n && /^\t/ && index($2, kernel "+0x") == 1 { sum[$1] += n; n = 0 }
    END { for (at in sum) print at, sum[at] }' "${2:-r}"
}

# launches [FILE]: KERNEL FUNCTIONS… COUNT of each distinct launch, sorted; functions up to main,
# without Level Zero's prefix
launches() {
  awk '/^# launch [0-9]/ { number = $3; getline; getline; stack[number] = ""; done = 0
      while ((getline line) > 0 && line != "") {
        sub(/^[ \t]*[0-9a-f]+ /, "", line); sub(/ \([^ (]*( [^ (]*)*$/, "", line)
        sub(/\+0x[0-9a-f]*$/, "", line); sub(/^zeCommand/, "", line)
        sub(/^\(anonymous namespace\)::/, "", line)
        if (line == "main") done = 1
        if (!done) stack[number] = stack[number] line " " } }
    /^# launched / { count[$3] += $4 }
    END { for (number in count) total[stack[number]] += count[number]
          for (text in total) print text total[text] }' "${1:-r}" | sort
}

# launchers [FILE]: PID/TID of the launches, each once
launchers() { awk '/gpu-launch:/ { print $2 }' "${1:-r}" | sort -u; }

# device_ms [FILE]: the launches' device time in milliseconds
device_ms() { awk '/^# launched/ { ms += $5 * 1000 } END { printf "%.0f\n", ms }' "${1:-r}"; }

# at_end WORD [FILE]: the number after WORD in the last record
at_end() { sed -n "s/^# end .*$1 \([0-9?]*\).*/\1/p" "${2:-r}"; }

# objects [FILE]: the files with the device's code, in the order of their loads
objects() { sed -n 's/^# .*PERF_RECORD_MMAP2 .*r-xp \(.*\)/\1/p' "${1:-r}"; }

# interrupt_after_stalls COMMAND…: runs COMMAND, a gpustall-record, which records the whole system
# into r, and interrupts it once the recording has stalls.
interrupt_after_stalls() {
  relay live r 'gpu-stall: $'
  "$@" -o live -a --launch-stacks=off 2> err &
  local recorder=$! # if an env runs it, this is still its process
  await live
  kill -INT "$recorder"
  wait "$recorder"
  copied live
}

# record_until PATTERN COMMAND…: runs COMMAND, a gpustall-record that fails while it records, with a
# program that runs until the message matches PATTERN. The program must run to its end; the messages
# are in err.txt.
record_until() {
  local status=0
  mkfifo go
  relay err err.txt "$1"
  "${@:2}" -- sh -c 'cat go; echo ran' > out 2> err &
  local recorder=$!
  await err
  release go
  wait "$recorder" || status=$?
  copied err
  assert_equal "$status $(cat out)" '125 ran'
}

# Records for a fake's script, with each reason of Xe2, from two samplers, in two reads; and the
# stalls that must come out, 565 samples.
xe2_records=('row 0 0x12345678 tdr=1 other=2 control=3 pipestall=4 send=5'
  'row 1 0x12345678 dist_acc=6 sbid=7 sync=8 inst_fetch=9 active=10'
  'row 0 0xfffffff8 sbid=255' tick 'row 0 0x12345678 active=255')
xe_stalls='[000] 12345678 control 3
[000] 12345678 dist_acc 6
[000] 12345678 inst_fetch 9
[000] 12345678 other 2
[000] 12345678 pipestall 4
[000] 12345678 sbid 7
[000] 12345678 send 5
[000] 12345678 sync 8' # as every format has them
xe2_stalls="[000] 12345678 active 265
$xe_stalls
[000] 12345678 tdr 1
[000] fffffff8 sbid 255"

# skip_without_ze_function NAME VERSION: Level Zero's loader has had the function since this version
skip_without_ze_function() {
  nm -D /usr/lib/x86_64-linux-gnu/libze_loader.so.1 "${LD_LIBRARY_PATH:-/nowhere}"/libze_loader.so.1 \
    2> err | grep -q "$1" || skip "the loader is older than $2; LD_LIBRARY_PATH can have another"
}
