#!/bin/bash
# SPDX-License-Identifier: MIT
# bench-cuda.sh OUT: what recording costs CUDA programs, on an NVIDIA GPU: one that keeps the device
# busy (tests/demo/cuda_matmul) and one that launches at a steady rate (tests/demo/cuda_rate), each
#
#   alone        without anything of ours
#   idle         with the agent loaded by the driver, and no recorder: it does nothing
#   launches     --sampling=off: launches, their stacks and device time
#   continuous   samples as well, kernels run as ever
#   exact        samples in windows of a tenth of the time, one kernel at a time
#
# in turn, RUNS times (5). Figures are medians; percent are of what the program takes alone. Behind it
# what ncu takes, where it is on PATH. Says in a sentence why nothing is measured where it cannot be.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: bench-cuda.sh OUT" >&2
  exit 2
fi
out=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/bench-figures.sh
. "$here/bench-figures.sh"
runs=${RUNS:-5} rates=${RATES:-1000 10000 100000} seconds=${SECONDS_EACH:-2}
export LC_ALL=C PATH=$out/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
hows='alone idle launches continuous exact'
matmul=$out/tests/demo/cuda_matmul rate=$out/tests/demo/cuda_rate

not_measured() {
  echo "CUDA: not measured: $1"
  exit 0
}

[ -e "$matmul" ] || not_measured "there is no nvcc in CUDA_HOME, or not run yet: make test-programs"
gpustall-record --list > "$work/list"
reason=$(awk '/^[^ ]/ { is_cupti = $1 == "cupti" }
  is_cupti && /^  device .*, [0-9a-f:.]*$/ { usable = 1 }
  is_cupti && /^  / { last = $0; sub(/^ */, "", last) }
  END { if (!usable) print last == "" ? "there is no source cupti" : last }' "$work/list")
[ -z "$reason" ] || not_measured "$reason"
"$matmul" --repeats 1 > "$work/first" 2>&1 || not_measured "$(tail -n 1 "$work/first")"

# run HOW FILE COMMAND...: what the command prints goes to FILE; it ends all where it fails
run() {
  local how=$1 file=$2 with=()
  shift 2
  case $how in
    alone) ;;
    idle) with=(env CUDA_INJECTION64_PATH="$out/libexec/aiflame/cupti-agent.so") ;;
    launches) with=(gpustall-record --source cupti --sampling=off) ;;
    *) with=(gpustall-record --source cupti --sampling="$how") ;;
  esac
  if [ "${with[0]:-}" = gpustall-record ]; then
    with+=(-o "$work/recording" --objects "$work/objects" --)
  fi
  "${with[@]}" "$@" > "$file" 2> "$work/stderr" || {
    cat "$work/stderr" >&2
    echo "bench-cuda.sh: failed, $how: $*" >&2
    exit 1
  }
  # a refusal would be measured as something cheap
  if grep -E '(no|no more) samples[:,]|neither launches nor samples|no launches:' "$work/stderr" >&2; then
    echo "bench-cuda.sh: $how was not what it should be, see above" >&2
    exit 1
  fi
}

# part FILE WORD: the number behind it, in what a program printed
part() { awk -v word="$2" '$1 == word { print $2 }' "$1"; }

# lost: what gpustall-record said of losses, for the line's end
lost() { sed -n 's/^gpustall-record: captured.*; lost \([^;]*\).*/  lost \1/p' "$work/stderr"; }

bench_busy() {
  local how repeats i
  run alone "$work/out" "$matmul" --seconds "$seconds"
  repeats=$(part "$work/out" repeats)
  heading "A program that keeps the device busy: cuda_matmul --repeats $repeats ($runs runs of each, in turn)"
  grep '^device: ' "$work/out"
  for ((i = 0; i < runs; ++i)); do
    for how in $hows; do
      run "$how" "$work/out" "$matmul" --repeats "$repeats"
      part "$work/out" took >> "$work/busy.$how"
      lost > "$work/lost.$how"
    done
  done
  printf '%-12s %10s %10s\n' '' 'took s' 'more'
  for how in $hows; do
    awk -v name="$how" -v s="$(median "$work/busy.$how")" -v alone="$(median "$work/busy.alone")" \
      -v lost="$(cat "$work/lost.$how")" \
      'BEGIN { printf "%-12s %10.4f %8.2f %%%s\n", name, s, 100 * (s / alone - 1), lost }'
  done
}

# Of the processor, percent are of one core for as long as the program takes alone.
bench_rate() {
  local how i word
  heading "A program that launches $1 times a second for $seconds s: cuda_rate ($runs runs of each, in turn)"
  rm -f "$work"/rate.*
  for ((i = 0; i < runs; ++i)); do
    for how in $hows; do
      run "$how" "$work/out" "$rate" --rate "$1" --seconds "$seconds"
      for word in wall_s loop_cpu_s process_cpu_s launches; do
        part "$work/out" "$word" >> "$work/rate.$how.$word"
      done
      lost > "$work/lost.$how"
    done
  done
  printf '%-12s %9s %9s %10s %14s %14s\n' '' launches 'wall s' 'more' "its thread's" "all threads'"
  for how in $hows; do
    awk -v name="$how" -v n="$(median "$work/rate.$how.launches")" -v lost="$(cat "$work/lost.$how")" \
      -v wall="$(median "$work/rate.$how.wall_s")" -v wall0="$(median "$work/rate.alone.wall_s")" \
      -v loop="$(median "$work/rate.$how.loop_cpu_s")" \
      -v loop0="$(median "$work/rate.alone.loop_cpu_s")" \
      -v all="$(median "$work/rate.$how.process_cpu_s")" \
      -v all0="$(median "$work/rate.alone.process_cpu_s")" \
      'BEGIN { printf "%-12s %9d %9.4f %8.2f %% %+12.2f %% %+12.2f %%%s\n", name, n, wall,
                 100 * (wall / wall0 - 1), 100 * (loop - loop0) / wall0, 100 * (all - all0) / wall0, lost }'
  done
}

# took COMMAND...: its seconds of wall time, from start to end; empty when it fails or takes too long
took() {
  local start=$EPOCHREALTIME
  timeout 300 "$@" > "$work/stdout" 2> "$work/stderr" || return 0
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }'
}

# What ncu samples as well: stalls by instruction, with their source.
bench_ncu() {
  local alone ours theirs
  heading "Beside ncu: $* (once, from start to end)"
  alone=$(took "$@")
  ours=$(took gpustall-record --source cupti -o "$work/recording" --objects "$work/objects" -- "$@")
  printf '%-28s %10s s\n' alone "${alone:-failed}" 'gpustall-record' "${ours:-failed}"
  theirs=$(took ncu --section SourceCounters -f -o "$work/ncu" "$@")
  if [ -n "$theirs" ]; then
    printf '%-28s %10s s\n' 'ncu --section SourceCounters' "$theirs"
  else
    echo "ncu: not compared: $(grep -m 1 -i 'error' "$work/stdout" "$work/stderr" -h || echo 'it failed, or took more than 300 s')"
  fi
}

bench_busy
for each in $rates; do bench_rate "$each"; done
if command -v ncu > "$work/stdout"; then
  bench_ncu "$matmul" --repeats 20
  bench_ncu "$rate" --rate 1000 --seconds 1
else
  echo 'not compared: ncu is not on PATH' >&2
fi
