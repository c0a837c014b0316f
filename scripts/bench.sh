#!/bin/bash
# SPDX-License-Identifier: MIT
# bench.sh OUT [PART]...: measures OUT/bin beside
# the peers that are on PATH; runs all ten parts if only OUT is given. Every figure is a median.
# Programs that are compared take turns, so that other load affects all of them alike.
#
#   record    what recording costs the demo, by its own clock (RUNS of each, 11)
#   launch    what the agents add to a launch, on an OpenCL platform, a Level Zero driver and a CUDA
#             driver that do nothing
#   cuda      what recording costs programs on an NVIDIA GPU, if there is one: bench-cuda.sh
#   collapse  stackcollapse-aiflame, stackcollapse-perf.pl and inferno-collapse-perf on perf script
#             text: 20 MB of each kind that tests/bench/perf_text.cc makes, with BENCH=full 300 MB
#             and 1 GB, and a recording of tests/recorded/deep.cc by perf
#   data      stackcollapse-aiflame on perf.data, and on perf script's text of it
#   import    stackcollapse-pprof beside go tool pprof; the other importers but stackcollapse-trace
#             beside Python programs that add up the same counts; on inputs that
#             tests/bench/profile_inputs.py and trace_inputs.py make
#   trace     stackcollapse-trace and Python's json.load on a trace that tests/bench/trace_json.py
#             makes, of TRACE_MB megabytes (200); plain, gzip and zstd
#   svg       aiflame-svg, flamegraph.pl and inferno-flamegraph
#   diff      aiflame-diff, difffolded.pl and inferno-diff-folded, with their peak memory
#   forecast  aiflame-forecast on a million stacks, with its peak memory; no other program does this
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: bench.sh OUT [record|launch|cuda|collapse|data|trace|import|svg|diff|forecast]..." >&2
  exit 2
fi
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- record launch cuda collapse data trace import svg diff forecast
runs=${RUNS:-11}
export LC_ALL=C PATH=$out/bin:$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/bench-figures.sh
. "$here/bench-figures.sh"

# seconds COMMAND...: its wall time; its output is discarded
seconds() {
  local start=$EPOCHREALTIME
  "$@" > /dev/null 2> "$work/stderr" || {
    cat "$work/stderr" >&2
    echo "bench.sh: failed: $*" >&2
    return 1
  }
  awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.6f\n", b - a }'
}

bench_record() {
  local matmul=$out/tests/demo/matmul options=${DEMO_OPTIONS--g} repeats i
  heading "Recording the demo ($runs runs of each, in turn; kernels built with '$options')"
  export POCL_CACHE_DIR=$work/pocl
  mkdir -p "$POCL_CACHE_DIR"
  # the first run compiles the kernels, and tells how many launches fill two seconds
  repeats=$("$matmul" --options "$options" --seconds 2 | awk '$1 == "multiply_basic" { print $2 }')
  for ((i = 0; i < runs; ++i)); do
    "$matmul" --options "$options" --repeats "$repeats" > "$work/plain"
    awk '$1 == "took" { print $2 }' "$work/plain" >> "$work/plain.took"
    awk '$1 == "waited" { print ($5 > 0 ? 100 * $2 / $5 : 0) }' "$work/plain" >> "$work/plain.waited"
    gpustall-record -o "$work/recording" --objects "$work/objects" -- \
      "$matmul" --options "$options" --repeats "$repeats" > "$work/recorded" 2> "$work/stderr"
    awk '$1 == "took" { print $2 }' "$work/recorded" >> "$work/recorded.took"
    awk '$1 == "waited" { print ($5 > 0 ? 100 * $2 / $5 : 0) }' "$work/recorded" \
      >> "$work/recorded.waited"
  done
  printf '%-12s %10s %22s\n' '' 'took s' 'waited for a core %'
  local plain recorded
  plain=$(median "$work/plain.took") recorded=$(median "$work/recorded.took")
  printf '%-12s %10.3f %22.2f\n' unrecorded "$plain" "$(median "$work/plain.waited")" \
    recorded "$recorded" "$(median "$work/recorded.waited")"
  awk -v a="$plain" -v b="$recorded" -v file="$(wc -c < "$work/recording")" -v n="$((3 * repeats))" \
    'BEGIN { printf "ratio %.4f: recording costs %.2f %%; %d launches, %d bytes\n", b / a, 100 * (b / a - 1), n, file }'
}

# launch_costs PROGRAM ARGUMENT...: with $ranges, agents report ranges, with $memory, memory; a table of a launch's cost as PROGRAM prints it, with the number
# of frames as one more argument: `median_ns 71.0`, or `71 ns a launch, median; …`
launch_costs() {
  local frames how i record
  rm -f "$work"/cost.*
  printf '%-8s %10s %12s %16s\n' frames 'no agent' 'with agent' 'the agent adds'
  for frames in 14 34 64; do
    for ((i = 0; i < launch_rounds; ++i)); do
      for how in alone agent; do
        record=()
        [ "$how" = alone ] ||
          record=(gpustall-record ${ranges:+--ranges} ${memory:+--memory} -o "$work/launches" --objects "$work/objects" --)
        "${record[@]}" "$@" "$frames" 2> "$work/stderr" |
          awk '$1 == "median_ns" { print $2 } / ns a launch, median/ { print $1 }' \
            >> "$work/cost.$how.$frames"
      done
    done
    awk -v f="$frames" -v a="$(median "$work/cost.alone.$frames")" \
      -v b="$(median "$work/cost.agent.$frames")" \
      'BEGIN { printf "%-8d %10.1f %12.1f %16.1f\n", f, a, b, b - a }'
  done
}

bench_launch() {
  local launch_rounds=5
  heading "A launch's cost to its caller, ns (median of 1000 batches of 1000, $launch_rounds rounds in turn)"
  OCL_ICD_VENDORS=$out/tests/libopencl-null.so launch_costs "$out/tests/demo/launch_cost" --frames
  heading 'The same from Python, through ctypes; frames: the depth of Python functions'
  OCL_ICD_VENDORS=$out/tests/libopencl-null.so launch_costs python3 \
    "$here/../tests/demo/python_cost.py"
  if [ -e "$out/tests/liblevel-zero-fake.so" ]; then
    heading 'The same of Level Zero: zeCommandListAppendLaunchKernel on an immediate list'
    ZE_ENABLE_ALT_DRIVERS=$out/tests/liblevel-zero-fake.so \
      launch_costs "$out/tests/demo/ze_launches" cost 1000000
  fi
  if [ -e "$out/tests/demo/cuda_launches" ]; then
    heading 'The same of CUDA: <<<>>>, on a stand-in for the driver, with what that for CUPTI takes'
    LD_LIBRARY_PATH=$out/tests/cuda \
      launch_costs "$out/tests/demo/cuda_launches" cost 1000000 \
      "$here/../tests/data/cubin/demo/one.cubin"
    heading 'The same with two open NVTX ranges, with --ranges'
    ranges=yes LD_LIBRARY_PATH=$out/tests/cuda \
      launch_costs "$out/tests/demo/cuda_launches" cost_in_ranges 1000000 \
      "$here/../tests/data/cubin/demo/one.cubin"
    heading 'A pair of cuMemAlloc and cuMemFree, with --memory'
    memory=yes LD_LIBRARY_PATH=$out/tests/cuda launch_costs "$out/tests/demo/cuda_memory" cost 1000000
  fi
}

# The first of the names that is an installed program; empty, with a message, if none is.
peer() {
  local name
  for name; do
    if command -v "$name"; then return; fi
  done
  echo "not compared: $1 is not on PATH" >&2
}

# compare FILE OURS PEER...: each is a command line, to which FILE is added
compare() {
  local file=$1 i n round rounds=5 own
  shift
  for ((round = 0; round < rounds; ++round)); do
    n=0
    for command; do
      # shellcheck disable=SC2086 # $command is a command line
      seconds $command "$file" >> "$work/compare.$n"
      n=$((n + 1))
    done
  done
  own=$(median "$work/compare.0")
  printf '%-28s %10s %10s %8s\n' program 'seconds' 'MB/s' 'ratio'
  i=0
  for command; do
    awk -v name="$(basename "${command%% *}")" -v s="$(median "$work/compare.$i")" -v own="$own" \
      -v bytes="$(wc -c < "$file")" \
      'BEGIN { printf "%-28s %10.3f %10.1f %8.2f\n", name, s, bytes / s / 1e6, s / own }'
    i=$((i + 1))
  done
  rm -f "$work"/compare.*
}

# halve FILE: cuts FILE between samples into FILE.a and FILE.b
halve() {
  rm -f "$1.a" "$1.b"
  awk -v file="$1" -v half="$(($(stat -c %s "$1") / 2))" 'BEGIN { part = ".a" }
    { print > (file part); bytes += length($0) + 1 }
    bytes > half && $0 == "" { part = ".b" }' "$1"
}

# compare_text FILE: stackcollapse-aiflame and its peers, on one core and on two. Two independent
# processes on half of the text each show the most that this machine's second core can give.
compare_text() {
  local file=$1 label cores command round rounds=${ROUNDS:-5} i own size
  local two=0
  [ "$(nproc)" -lt 2 ] || two=0,1
  size=$(stat -c %s "$file")
  rm -f "$work"/text.*
  [ "$two" = 0 ] || halve "$file"
  for ((round = 0; round < rounds; ++round)); do
    i=0
    while IFS='|' read -r label cores command; do
      i=$((i + 1))
      # Perl takes minutes for a gigabyte
      [ "$round" -eq 0 ] || [ "$size" -lt 900000000 ] || [ "$label" != stackcollapse-perf.pl ] || continue
      # shellcheck disable=SC2086 # $command is a command line
      taskset -c "$cores" "$out/tests/measure" /dev/null $command "$file" >> "$work/text.$i" \
        2> "$work/stderr" || {
        cat "$work/stderr" >&2
        return 1
      }
    done <<< "$(text_programs 0 "$two")"
  done
  printf '%-32s %9s %9s %9s %8s %9s\n' program 'wall s' 'cpu s' 'MB/s' 'ratio' 'peak MiB'
  own=$(median <(cut -d' ' -f1 "$work/text.1"))
  i=0
  while IFS='|' read -r label cores command; do
    i=$((i + 1))
    awk -v name="$label" -v s="$(median <(cut -d' ' -f1 "$work/text.$i"))" -v own="$own" \
      -v cpu="$(median <(cut -d' ' -f2 "$work/text.$i"))" -v bytes="$size" \
      -v peak="$(cut -d' ' -f3 "$work/text.$i" | sort -n | tail -n 1)" \
      'BEGIN { printf "%-32s %9.3f %9.3f %9.1f %8.2f %9.1f\n", name, s, cpu, bytes / s / 1e6, s / own, peak / 1024 }'
  done <<< "$(text_programs 0 "$two")"
}

# text_programs ONE TWO: prints `name|cores|command` for each program that folds perf script text
text_programs() {
  echo "stackcollapse-aiflame, 1 core|$1|stackcollapse-aiflame"
  if [ "$1" != "$2" ]; then
    echo "stackcollapse-aiflame, 2 cores|$2|stackcollapse-aiflame"
    echo "2 processes, half of it each|$2|$here/bench-halves.sh"
  fi
  if [ -n "$inferno" ]; then
    echo "inferno-collapse-perf -n 1|$1|$inferno -n 1"
    [ "$1" = "$2" ] || echo "inferno-collapse-perf -n 2|$2|$inferno -n 2"
  fi
  [ -z "$perl" ] || echo "stackcollapse-perf.pl|$1|$perl"
}

bench_collapse() {
  local file=$work/perf.txt perl inferno kind size sizes=20
  [ "${BENCH:-}" != full ] || sizes="300 1000"
  perl=$(peer stackcollapse-perf.pl)
  inferno=$(peer inferno-collapse-perf)
  for size in $sizes; do
    for kind in cpp kernel java small distinct; do
      "$out/tests/perf_text" "$kind" "$size" > "$file"
      heading "Folding perf script text, '$kind' of perf_text, $size MB (${ROUNDS:-5} runs of each, in turn)"
      compare_text "$file"
    done
  done
  if ! command -v perf > /dev/null; then
    echo 'not compared: perf is not on PATH' >&2
    return
  fi
  perf record -q -m 2048 -F 20000 -g -e cpu-clock:u -o "$work/perf.data" -- "$out/tests/deep" 5 \
    > "$work/stdout" 2> "$work/stderr" || {
    echo "not measured: perf record: $(head -n 1 "$work/stderr")" >&2
    return
  }
  perf script --no-inline -i "$work/perf.data" > "$file" 2> "$work/stderr"
  heading "Folding perf script text, recorded, $(stat -c %s "$file") bytes (${ROUNDS:-5} runs of each, in turn)"
  compare_text "$file"
}

# script_then_fold OPTION FILE [FOLDER]: perf script, then the folding of its text
script_then_fold() {
  perf script "$1" -i "$2" | "${3:-stackcollapse-aiflame}"
}

# compare_data OPTION FILE OURS PERL: OURS beside perf script with this option
compare_data() {
  compare "$2" "$3" "script_then_fold $1"
  [ -z "$4" ] || printf '%-28s %10.3f\n' 'with stackcollapse-perf.pl' \
    "$(seconds script_then_fold "$1" "$2" "$4")"
}

bench_data() {
  local kind options file=$work/perf.data perl
  if ! command -v perf > /dev/null; then
    echo 'not compared: perf is not on PATH' >&2
    return
  fi
  perl=$(peer stackcollapse-perf.pl)
  for kind in fp dwarf; do
    options="-F 20000 -g"
    [ "$kind" = fp ] || options="-F 2000 --call-graph dwarf"
    # shellcheck disable=SC2086 # $options is several words
    perf record -q -m 2048 -e cpu-clock:u $options -o "$file" -- "$out/tests/deep" 5 \
      > "$work/stdout" 2> "$work/stderr" || {
      echo "not measured: perf record: $(head -n 1 "$work/stderr")" >&2
      return
    }
    heading "Folding perf.data, call graphs by $kind, $(wc -c < "$file") bytes (5 runs of each, in turn)"
    compare_data --no-inline "$file" stackcollapse-aiflame "$perl"
    # perf adds inlined functions only to call graphs by dwarf
    [ "$kind" = dwarf ] || continue
    heading "The same with inlined functions (5 runs of each, in turn)"
    compare_data --inline "$file" 'stackcollapse-aiflame --inline' "$perl"
  done
}

# make_folded STACKS: folded stacks, all different, 30 to 60 frames deep, of 40000 functions: a walk
# over a tree, where each stack shares most frames with the previous one.
make_folded() {
  awk -v stacks="$1" 'BEGIN {
    srand(1)
    path[0] = "main"
    for (i = 0; i < stacks; ++i) {
      keep = depth - 1 - int(11 * rand())
      if (rand() < 0.003) keep = int(30 * rand())
      if (keep < 0) keep = 0
      end = keep < 29 ? 29 + int(12 * rand()) : keep + 1 + int(11.5 * rand())
      if (end > 59) end = 59
      # every place gets a function that it did not have, so the stack is new
      for (f = keep + 1; f <= end; ++f) {
        path[f] = path[f - 1] ";f" 10000 + ++last[f] * 7 % 40000
        last[f + 1] = int(40000 * rand() * rand())
      }
      depth = end
      print path[end], 1 + int(40 * rand() * rand())
    }
  }'
}

# peak COMMAND...: its peak memory in MB, including mapped files
peak() {
  python3 -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)' "$@"
}

bench_trace() {
  local file=$work/trace.json program
  python3 "$here/../tests/bench/trace_json.py" "${TRACE_MB:-200}" > "$file"
  printf '%s\n' '#!/usr/bin/env python3' 'import gzip, json, sys' \
    '(json.load(gzip.open(sys.argv[1]) if sys.argv[1].endswith("gz") else open(sys.argv[1])))' \
    > "$work/json.load"
  chmod +x "$work/json.load"
  gzip -1k "$file"
  zstd -qk "$file"
  heading "Folding a trace of $(wc -c < "$file") bytes (5 runs of each, in turn)"
  compare "$file" stackcollapse-trace "$work/json.load"
  for program in stackcollapse-trace "$work/json.load"; do
    printf '%-28s %10d MB at most\n' "$(basename "$program")" "$(peak "$program" "$file")"
  done
  heading "The same, compressed with gzip, beside its decompression; MB are compressed"
  compare "$file.gz" stackcollapse-trace 'gzip -dc' "$work/json.load"
  heading "The same, compressed with zstd, beside its decompression; MB are compressed"
  compare "$file.zst" stackcollapse-trace 'zstd -qdc'
  rm "$file" "$file.gz" "$file.zst"
}

go_pprof() { go tool pprof -traces "$1"; }

# A database is a folder, and is named by its largest file.
fold_database() { stackcollapse-hpctoolkit "${1%/*}"; }
sum_database() { python3 "$here/../tests/recorded/hpctoolkit.py" sums "${1%/*}"; }

import_profiles() {
  local make=$here/../tests/bench/profile_inputs.py file=$work/profile.pb
  python3 "$make" pprof 100000 > "$file"
  heading "Folding a pprof profile of $(wc -c < "$file") bytes (5 runs of each, in turn)"
  # shellcheck disable=SC2046 # nothing, or a word
  compare "$file" stackcollapse-pprof $([ -z "$(peer go)" ] || echo go_pprof)
  printf '%-28s %10d MB at most\n' stackcollapse-pprof "$(peak stackcollapse-pprof "$file")"
  rm "$file"
  python3 "$make" hpctoolkit "$work/db" 1000
  heading "Folding a database of HPCToolkit, cct.db of $(wc -c < "$work/db/cct.db") bytes (5 runs of each, in turn)"
  compare "$work/db/cct.db" fold_database sum_database
  printf '%-28s %10d MB at most\n' stackcollapse-hpctoolkit "$(peak stackcollapse-hpctoolkit "$work/db")"
  rm -r "$work/db"
}

bench_svg() {
  local file order perl inferno program
  # Debian ships flamegraph.pl inside libdevel-nytprof-perl
  perl=$(peer flamegraph.pl /usr/share/perl5/Devel/NYTProf/flamegraph.pl)
  inferno=$(peer inferno-flamegraph)
  make_folded "${STACKS:-1000000}" > "$work/walk"
  LC_ALL=C sort "$work/walk" > "$work/sorted"
  shuf --random-source="$work/walk" "$work/walk" > "$work/shuffled"
  rm "$work/walk"
  for order in sorted shuffled; do
    file=$work/$order
    heading "Drawing $(wc -l < "$file") stacks, $order, $(wc -c < "$file") bytes (5 runs of each, in turn)"
    compare "$file" aiflame-svg ${inferno:+"$inferno"}
    # it takes minutes, so it runs once
    [ -z "$perl" ] || printf '%-28s %10.3f  (once)\n' "$(basename "$perl")" "$(seconds "$perl" "$file")"
    for program in aiflame-svg ${inferno:+"$inferno"}; do
      printf '%-28s %10d MB at most\n' "$(basename "$program")" "$(peak "$program" "$file")"
    done
  done
}

# make_profile SEED LEFT_OUT: half a million stacks of 30 to 59 frames, sorted. It omits stacks whose
# number ends in LEFT_OUT, so that only the other profile has them.
make_profile() {
  awk -v seed="$1" -v left_out="$2" 'BEGIN {
    srand(seed)
    for (i = 0; i < 555556; ++i) {
      if (i % 10 == left_out) continue
      depth = 30 + i % 30
      stack = "program"
      n = i
      for (f = 1; f < depth; ++f) {
        n = (n * 1103515245 + 12345) % 2147483648
        stack = stack ";fn_" f "_" int(n / 65536) % 4
      }
      print stack ";leaf_" i " " 1 + int(100 * rand())
    }
  }' | sort
}

# seconds_and_peak COMMAND...: its wall time and its largest resident size in megabytes
seconds_and_peak() {
  python3 -c 'import resource, subprocess, sys, time
start = time.monotonic()
status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
took = time.monotonic() - start
print("%.6f %.1f" % (took, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024))
sys.exit(status)' "$@"
}

# beside_python FORMAT: stackcollapse-FORMAT and tests/bench/trace_inputs.py on one file, in turn
beside_python() {
  local rounds=5 round own file=$work/import.$1 program=stackcollapse-${1%-*}
  python3 "$here/../tests/bench/trace_inputs.py" make "$1" "$file" 300000
  heading "$program on $(wc -c < "$file") bytes of $1 ($rounds runs of each, in turn)"
  rm -f "$work"/took.*
  for ((round = 0; round < rounds; ++round)); do
    seconds_and_peak "$program" "$file" >> "$work/took.0" 2> "$work/stderr"
    seconds_and_peak python3 "$here/../tests/bench/trace_inputs.py" sum "$1" "$file" >> "$work/took.1"
  done
  printf '%-28s %10s %10s %8s\n' program seconds 'peak MB' ratio
  for round in 0 1; do
    cut -d ' ' -f 1 "$work/took.$round" > "$work/took"
    cut -d ' ' -f 2 "$work/took.$round" > "$work/peak"
    [ "$round" -gt 0 ] || own=$(median "$work/took")
    awk -v name="$([ "$round" -eq 0 ] && echo "$program" || echo python3)" -v s="$(median "$work/took")" \
      -v mb="$(median "$work/peak")" -v own="$own" \
      'BEGIN { printf "%-28s %10.3f %10.1f %8.2f\n", name, s, mb, s / own }'
  done
}

import_traces() {
  local format
  for format in nsys rocprof-json rocprof-csv ncu unitrace iaprof proton; do
    beside_python "$format"
    rm "$work/import.$format"
  done
}

bench_import() {
  import_profiles
  import_traces
}

bench_diff() {
  local rounds=5 round order perl inferno n command own
  make_profile 1 3 > "$work/before.sorted"
  make_profile 2 7 > "$work/after.sorted"
  shuf "$work/before.sorted" > "$work/before.shuffled"
  shuf "$work/after.sorted" > "$work/after.shuffled"
  perl=$(peer difffolded.pl)
  inferno=$(peer inferno-diff-folded)
  for order in sorted shuffled; do
    heading "Joining two files of 500000 stacks, $order, $(cat "$work"/{before,after}."$order" |
      wc -c) bytes ($rounds runs of each, in turn)"
    set -- aiflame-diff ${perl:+"$perl"} ${inferno:+"$inferno"}
    for ((round = 0; round < rounds; ++round)); do
      n=0
      for command; do
        seconds_and_peak "$command" "$work/before.$order" "$work/after.$order" \
          >> "$work/diff.$n" 2> "$work/stderr" || {
          cat "$work/stderr" >&2
          return 1
        }
        n=$((n + 1))
      done
    done
    printf '%-28s %10s %10s %8s\n' program seconds 'peak MB' ratio
    n=0
    for command; do
      cut -d ' ' -f 1 "$work/diff.$n" > "$work/took"
      cut -d ' ' -f 2 "$work/diff.$n" > "$work/peak"
      [ "$n" -gt 0 ] || own=$(median "$work/took")
      awk -v name="${command##*/}" -v s="$(median "$work/took")" -v mb="$(median "$work/peak")" \
        -v own="$own" 'BEGIN { printf "%-28s %10.3f %10.1f %8.2f\n", name, s, mb, s / own }'
      n=$((n + 1))
    done
    rm -f "$work"/diff.*
  done
}

# make_operators OPERATORS: a million sorted stacks, of so many operators with shapes of their own
make_operators() {
  echo '# aiflame: event gpu-time, unit ns'
  awk -v n="$1" 'BEGIN {
    for (i = 0; i < 1000000; ++i) {
      op = i % n
      m = 64 + op % 1000
      k = 64 + int(op / 1000)
      printf "train;layer_%02d_[m];Linear_%d_[m];aten::addmm 128, %dx%d, %dx128_[o];-;sgemm_128x64_[G] %d\n",
        i % 24, i, m, k, k, 1000 + i % 7777
    }
  }' | sort
}

bench_forecast() {
  local operators round
  for operators in 20000 1000000; do
    make_operators "$operators" > "$work/operators"
    heading "Forecasting a million stacks of $operators operators, $(wc -c < "$work/operators") bytes (5 runs)"
    for ((round = 0; round < 5; ++round)); do
      seconds_and_peak aiflame-forecast --from v100 --to h100 "$work/operators" 2> "$work/stderr" || {
        cat "$work/stderr" >&2
        return 1
      }
    done > "$work/forecast"
    cut -d ' ' -f 1 "$work/forecast" > "$work/took"
    cut -d ' ' -f 2 "$work/forecast" > "$work/peak"
    printf '%.2f s, %.0f MB\n' "$(median "$work/took")" "$(median "$work/peak")"
  done
}

for section; do
  case $section in
    record) bench_record ;;
    launch) bench_launch ;;
    cuda) "$here/bench-cuda.sh" "$out" ;;
    collapse) bench_collapse ;;
    data) bench_data ;;
    trace) bench_trace ;;
    import) bench_import ;;
    svg) bench_svg ;;
    diff) bench_diff ;;
    forecast) bench_forecast ;;
    *)
      echo "bench.sh: '$section' is not record, launch, cuda, collapse, data, trace, import, svg, diff or forecast" >&2
      exit 2
      ;;
  esac
done
