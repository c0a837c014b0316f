#!/bin/bash
# SPDX-License-Identifier: MIT
# compare-builds.sh BEFORE AFTER [FILE OR DIRECTORY]...: do two builds of the filters print the same?
# BEFORE and AFTER are directories that `make O=…` filled. Every program of both reads the same
# inputs with the same options; standard output, standard error and exit status have to be equal.
#
# The inputs: tests/data, the fuzzers' corpora, perf script text and folded text as `make bench`
# makes them, perf.data and a recording of the demo made on the spot, and the files named. Prints a
# line for each difference, and a sum at the end; exit status 1 when anything differs.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: compare-builds.sh BEFORE AFTER [FILE OR DIRECTORY]..." >&2
  exit 2
fi
before=$(cd "$1" && pwd) after=$(cd "$2" && pwd)
shift 2
root=$(cd "$(dirname "$0")/.." && pwd)
more=()
for path; do more+=("$(realpath "$path")"); done
export LC_ALL=C
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
compared=0 differing=0

# run BUILD SIDE PROGRAM ARGUMENT...: what it prints and its status, into SIDE.*
run() {
  local build=$1 side=$2 program=$3 status=0
  shift 3
  PATH=$build/bin:$PATH timeout 120 "$build/bin/$program" "$@" > "$side.out" 2> "$side.err" \
    < /dev/null || status=$?
  echo "exit status $status" >> "$side.err"
}

# same PROGRAM ARGUMENT...
same() {
  run "$before" before "$@"
  run "$after" after "$@"
  compared=$((compared + 1))
  if cmp -s before.out after.out && cmp -s before.err after.err; then return; fi
  differing=$((differing + 1))
  echo "differs: $*"
  diff <(head -c 100000 before.err) <(head -c 100000 after.err) | head -4 || true
  cmp before.out after.out || true
}

# What stackcollapse-aiflame reads: recordings, perf.data, perf script text, and what is none.
collapse() {
  local file=$1
  same stackcollapse-aiflame "$file"
  same stackcollapse-aiflame --all --addrs --pid --cpu --full-paths \
    --gpu-frames=file,kernel,function,loop,line,mnemonic,reason,producer,offset "$file"
  same stackcollapse-aiflame --inline --context --tid --hide-interpreter "$file"
  same stackcollapse-aiflame --srcline --by-time 100 --event gpu-time "$file"
}

# What the programs that read folded text read.
draw() {
  local file=$1
  same aiflame-svg "$file"
  same aiflame-svg --colors java --inverted --title '<&>' --countname ns "$file"
  same aiflame-svg --flamechart --reverse --hash --width 700 --minwidth 2 "$file"
  same aiflame-report "$file"
  same aiflame-report --json "$file"
}

each() { # FUNCTION DIRECTORY: calls it with every file of the directory, in order
  local file
  while IFS= read -r -d '' file; do "$1" "$file"; done < <(find "$2" -type f -print0 | sort -z)
}

echo "tests/data and the files named"
each collapse "$root/tests/data"
each draw "$root/tests/data"
for path in ${more[0]+"${more[@]}"}; do
  each collapse "$path"
done

echo "the fuzzers' corpora"
for corpus in "$root"/tests/fuzz/corpus/*.tar.zst; do
  name=$(basename "$corpus" .tar.zst)
  mkdir -p "corpus/$name"
  tar --zstd -xf "$corpus" -C "corpus/$name"
  case $name in
    gpustall | perf_script | perf_data | perf_data_pipe)
      while IFS= read -r -d '' file; do
        same stackcollapse-aiflame --all --inline --cpu "$file"
      done < <(find "corpus/$name" -type f -print0 | sort -z)
      ;;
    folded | report | folded_diff)
      while IFS= read -r -d '' file; do
        same aiflame-svg "$file"
        same aiflame-report "$file"
        same aiflame-diff -n "$file" "$root/tests/data/aiflame-diff/after.in"
      done < <(find "corpus/$name" -type f -print0 | sort -z)
      ;;
  esac
done

echo "perf script text"
for kind in cpp kernel java small distinct; do
  "$before/tests/perf_text" "$kind" 20 > text
  collapse "$work/text"
  "$before/bin/stackcollapse-aiflame" text > "$kind.folded" 2> /dev/null
done

echo "folded text"
for kind in cpp kernel java small distinct; do
  draw "$work/$kind.folded"
  shuf --random-source=text "$kind.folded" > shuffled
  draw "$work/shuffled"
  same aiflame-diff "$kind.folded" cpp.folded
  same aiflame-diff -n -x shuffled kernel.folded
  run "$before" kept aiflame-diff -n java.folded "$kind.folded"
  cp kept.out "$work/two-counts"
  draw "$work/two-counts"
done

echo "perf.data"
if command -v perf > /dev/null; then
  for options in '-g' '--call-graph dwarf' '-g -k CLOCK_MONOTONIC'; do
    # shellcheck disable=SC2086 # several options
    perf record -q -e cpu-clock:u -F 2000 $options -o perf.data -- "$before/tests/deep" 2 \
      > /dev/null 2>&1 || {
      echo "not compared: perf record $options fails here"
      continue
    }
    collapse "$work/perf.data"
    perf script -i perf.data > text 2> /dev/null
    collapse "$work/text"
  done
else
  echo 'not compared: perf is not on PATH'
fi

echo "a recording"
"$before/bin/gpustall-record" -o demo.gpustall --objects objects -- "$before/tests/demo/matmul" \
  --seconds 2 > /dev/null 2>&1
collapse "$work/demo.gpustall"
same gpustall-record --source replay --input demo.gpustall
run "$before" kept stackcollapse-aiflame demo.gpustall
cp kept.out demo.folded
draw "$work/demo.folded"

echo "$compared comparisons, $differing differ"
[ "$differing" -eq 0 ]
