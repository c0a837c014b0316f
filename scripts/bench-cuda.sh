#!/bin/bash
# SPDX-License-Identifier: MIT
# bench-cuda.sh OUT [busy|rate|python|ncu]...: what recording costs CUDA programs on an NVIDIA GPU. One
# program keeps the device busy (tests/demo/cuda_matmul), one launches at a steady rate
# (tests/demo/cuda_rate), one is as fast as Python launches (tests/demo/torch_generate.py). Each runs
#
#   alone        without a recorder or agent
#   idle         with the agent loaded by the driver, and no recorder: it does nothing
#   launches     --sampling=off: launches, their stacks and device time
#   driver       --launch-times=off: launches and their stacks, without CUPTI (of python alone)
#   continuous   samples as well; kernels run concurrently as usual
#   exact        samples in windows of a tenth of the time, one kernel at a time
#
# in turn, RUNS times (5); python is not run idle and exact. Figures are medians; percentages are of the time that the program takes
# alone. The time under ncu follows if ncu is on PATH. Prints the reason if nothing can be measured.
# All parts run if only OUT is given.
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: bench-cuda.sh OUT [busy|rate|python|ncu]..." >&2
  exit 2
fi
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- busy rate python ncu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/bench-figures.sh
. "$here/bench-figures.sh"
runs=${RUNS:-5} rates=${RATES:-1000 10000 100000}
seconds=${SECONDS_EACH:-2} # may be a fraction
limit=300 # seconds for one run, so that one that hangs does not stop the others
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

# run HOW FILE COMMAND...: what the command prints goes to FILE. If it fails or hangs, or samples are
# refused, which would look cheaper than sampling is, it drops that way of running, with a message.
run() {
  local how=$1 file=$2 with=() status=0
  shift 2
  case $how in
    alone) ;;
    idle) with=(env CUDA_INJECTION64_PATH="$out/libexec/aiflame/cupti-agent.so") ;;
    launches) with=(gpustall-record --source cupti --sampling=off) ;;
    driver) with=(gpustall-record --launch-times=off) ;;
    *) with=(gpustall-record --source cupti --sampling="$how") ;;
  esac
  if [ "${with[0]:-}" = gpustall-record ]; then
    with+=(-o "$work/recording" --objects "$work/objects" --)
  fi
  timeout -k 10 "$limit" "${with[@]}" "$@" > "$file" 2> "$work/stderr" || status=$?
  if [ "$status" -ne 0 ]; then
    echo "$(grep -v '^gpustall-record: ' "$work/stderr" | tail -n 1) (exit status $status of $*)" > "$work/refused.$how"
  else
    grep -E '(no|no more) samples[:,]|neither launches nor samples|no launches:' "$work/stderr" \
      > "$work/refused.$how" || rm "$work/refused.$how"
  fi
  if [ -e "$work/refused.alone" ]; then
    echo "bench-cuda.sh: $(cat "$work/refused.alone")" >&2
    exit 1
  fi
  [ ! -e "$work/refused.$how" ]
}

# is_measured HOW: if not, its line of the table gives the reason
is_measured() {
  [ -e "$work/refused.$1" ] || return 0
  printf '%-12s not measured: %s\n' "$1" "$(head -n 1 "$work/refused.$1")"
  return 1
}

# part FILE WORD: the number after WORD in a program's output
part() { awk -v word="$2" '$1 == word { print $2 }' "$1"; }

# lost: gpustall-record's losses, to end a line of the table
lost() { sed -n 's/^gpustall-record: captured.*; lost \([^;]*\).*/  lost \1/p' "$work/stderr"; }

bench_busy() {
  local how repeats i
  run alone "$work/out" "$matmul" --seconds "$(awk -v s="$seconds" 'BEGIN { print int(s + 0.999) }')"
  repeats=$(part "$work/out" repeats)
  heading "A program that keeps the device busy: cuda_matmul --repeats $repeats ($runs runs of each, in turn)"
  grep '^device: ' "$work/out" || true
  for ((i = 0; i < runs; ++i)); do
    for how in $hows; do
      [ ! -e "$work/refused.$how" ] || continue
      run "$how" "$work/out" "$matmul" --repeats "$repeats" || continue
      part "$work/out" took >> "$work/busy.$how"
      lost > "$work/lost.$how"
    done
  done
  printf '%-12s %10s %10s\n' '' 'took s' 'more'
  for how in $hows; do
    is_measured "$how" || continue
    awk -v name="$how" -v s="$(median "$work/busy.$how")" -v alone="$(median "$work/busy.alone")" \
      -v lost="$(cat "$work/lost.$how")" \
      'BEGIN { printf "%-12s %10.4f %8.2f %%%s\n", name, s, 100 * (s / alone - 1), lost }'
  done
}

# The processor's percentages are of one core, for as long as the program takes alone.
bench_rate() {
  local how i word launches
  launches=$(awk -v rate="$1" -v s="$seconds" 'BEGIN { printf "%d", rate * s }')
  heading "A program that launches $1 times a second for $seconds s: cuda_rate ($runs runs of each, in turn)"
  rm -f "$work"/rate.*
  for ((i = 0; i < runs; ++i)); do
    for how in $hows; do
      [ ! -e "$work/refused.$how" ] || continue
      run "$how" "$work/out" "$rate" --rate "$1" --launches "$launches" || continue
      for word in wall_s loop_cpu_s process_cpu_s launches; do
        part "$work/out" "$word" >> "$work/rate.$how.$word"
      done
      lost > "$work/lost.$how"
    done
  done
  printf '%-12s %9s %9s %10s %14s %14s\n' '' launches 'wall s' 'more' "its thread's" "all threads'"
  for how in $hows; do
    is_measured "$how" || continue
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

# A model of a billion weights makes a token in some 300 launches.
bench_python() {
  local how i program=$here/../tests/demo/torch_generate.py
  python3 -c 'import torch, transformers; assert torch.cuda.is_available()' > "$work/out" 2>&1 || {
    echo "not measured: python3 lacks torch or transformers, or PyTorch has no CUDA device: $(tail -n 1 "$work/out")" >&2
    return
  }
  heading "A program that is as fast as Python launches: torch_generate.py ($runs runs of each, in turn)"
  for ((i = 0; i < runs; ++i)); do
    for how in alone launches driver continuous; do
      [ ! -e "$work/refused.$how" ] || continue
      run "$how" "$work/out" python3 "$program" --rounds 3 || continue
      part "$work/out" tokens_per_s >> "$work/python.$how"
      lost > "$work/lost.$how"
    done
  done
  printf '%-12s %10s %10s\n' '' 'tokens/s' 'fewer'
  for how in alone launches driver continuous; do
    is_measured "$how" || continue
    awk -v name="$how" -v n="$(median "$work/python.$how")" -v alone="$(median "$work/python.alone")" \
      -v lost="$(cat "$work/lost.$how")" \
      'BEGIN { printf "%-12s %10.1f %8.2f %%%s\n", name, n, 100 * (1 - n / alone), lost }'
  done
}

# took COMMAND...: its wall time in seconds; empty if it fails or takes too long
took() {
  local start=$EPOCHREALTIME
  timeout -k 10 "$limit" "$@" > "$work/stdout" 2> "$work/stderr" || return 0
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.3f", b - a }'
}

# Measures ncu with a comparable collection: stalls by instruction, with their source.
bench_ncu() {
  local alone ours theirs
  heading "Beside ncu: $* (once, from start to end)"
  alone=$(took "$@")
  ours=$(took gpustall-record --source cupti -o "$work/recording" --objects "$work/objects" -- "$@")
  printf '%-28s %10s s\n' alone "${alone:-failed}" 'gpustall-record' "${ours:-failed}"
  # other users' clocks are left alone
  theirs=$(took ncu --clock-control none --section SourceCounters -f -o "$work/ncu" "$@")
  if [ -n "$theirs" ]; then
    printf '%-28s %10s s\n' 'ncu --section SourceCounters' "$theirs"
  else
    echo "ncu: not compared: $(grep -m 1 -i 'error' "$work/stdout" "$work/stderr" -h || echo "it failed, or took more than $limit s")"
  fi
}

for part; do
  case $part in
    busy) bench_busy ;;
    rate) for each in $rates; do bench_rate "$each"; done ;;
    python) bench_python ;;
    ncu)
      if command -v ncu > "$work/stdout"; then
        bench_ncu "$matmul" --repeats 20
        bench_ncu "$rate" --rate 1000 --launches 200
      else
        echo 'not compared: ncu is not on PATH' >&2
      fi
      ;;
    *)
      echo "bench-cuda.sh: there is no part '$part'" >&2
      exit 2
      ;;
  esac
done
