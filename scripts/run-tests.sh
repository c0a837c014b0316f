#!/bin/bash
# SPDX-License-Identifier: MIT
# run-tests.sh OUT [unit|cli|attack [BATS FILE OR DIRECTORY]]: runs the tests that `make` put into OUT,
# through GoogleTest and Bats; without a kind, all. SOAK=1 runs them in their long form.
#
# Each processor runs one Bats file at a time, those with most tests first, so that all processors
# finish together. Comments at the top of a file change that:
#   # bats file_tags=long   starts before the others: its tests are slow
#   # bats file_tags=alone  runs when no other file does: it observes or floods the whole machine
# The output of a file is printed when it ends. OUT/tests/times lists the milliseconds of each Bats test.
#
# The last line stands alone and reads "N passed, N failed, N skipped". A crash is a failure, and so is
# a run without any test.
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: run-tests.sh OUT [unit|cli|attack [BATS FILE OR DIRECTORY]]" >&2
  exit 2
fi
out=$(cd "$1" && pwd)
which=${2:-all}
root=$(cd "$(dirname "$0")/.." && pwd)
given=${3:-} # a Bats file or a directory of them
export LC_ALL=C
export AIFLAME_BUILD=$out AIFLAME_ROOT=$root
passed=0 failed=0 skipped=0
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT

count() { grep -c "$@" || true; } # counts lines; none is no error

# A process for each processor has a part of the tests.
run_unit() {
  local log=$logs/unit status=0 parts part ran ok bad skip
  parts=$(nproc)
  for ((part = 0; part < parts; ++part)); do
    (
      cd "$root"
      GTEST_TOTAL_SHARDS=$parts GTEST_SHARD_INDEX=$part "$out/tests/unit" > "$log.$part" 2>&1 ||
        echo $? > "$log.status"
    ) &
  done
  wait
  if [ -f "$log.status" ]; then status=$(cat "$log.status"); fi
  cat "$log".[0-9]* > "$log"
  ran=$(count '^\[ RUN      \] ' "$log")
  ok=$(count '^\[       OK \] ' "$log")
  skip=$(count '^\[  SKIPPED \] .*ms)$' "$log")
  bad=$((ran - ok - skip)) # includes the test that was running when the program died
  if [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
  if [ "$bad" -gt 0 ]; then
    grep -vE '^\[( RUN      |       OK |----------)\]' "$log" || true
    echo "tests/unit: exit status $status"
  fi
  echo "unit: $ok passed, $bad failed, $skip skipped"
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
}

# files_of TAG DIRECTORY: its Bats files with that tag, or without any if it is empty; most tests first
files_of() {
  local file
  find "$2" -name '*.bats' | while IFS= read -r file; do
    [ "$(sed -n 's/^# bats file_tags=//p' "$file")" != "$1" ] || echo "$(count '^@test ' "$file") $file"
  done | sort -k 1,1nr -k 2 | cut -d ' ' -f 2-
}

log_of() { echo "$logs/${1//\//+}"; }

# Runs the files that no other lane has begun, one after the other. A lane for each processor does.
lane() { # LIST, a file with their names
  local file log status
  while file=$(begin_next "$1") && [ -n "$file" ]; do
    log=$(log_of "$file") status=0
    bats --tap --timing "$file" > "$log" 2>&1 || status=$?
    echo "$status" > "$log.status"
    (
      flock 9
      print_file "$file" "$log"
    ) 9> "$logs/printing"
  done
}
begin_next() { # LIST: takes its first line away and prints it
  (
    flock 9
    sed -n 1p "$1"
    sed -i 1d "$1"
  ) 9> "$logs/beginning"
}

# Runs a file that was asked for by name, and prints each test as it ends.
run_one_file() { # FILE
  local log status=0
  log=$(log_of "$1")
  bats --tap --timing "$1" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
  echo "$status" > "$log.status"
}

# Prints what a Bats file wrote, its tests numbered from where the last file ended.
print_file() { # FILE LOG
  local before
  before=$(cat "$logs/numbered")
  echo "# ${1#"$root"/}"
  awk -v before="$before" '/^1\.\.[0-9]+$/ { next }
    match($0, /^(not )?ok [0-9]+ /) {
      at = match($0, /[0-9]/); rest = substr($0, at); number = rest + 0; sub(/^[0-9]+/, "", rest)
      print substr($0, 1, at - 1) (before + number) rest
      next
    }
    { print }' "$2"
  echo $((before + $(planned "$1" "$2"))) > "$logs/numbered"
}

# How many tests a file has. If Bats ended before it said so, the file does.
planned() { # FILE LOG
  local plan
  plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$2" | head -n 1)
  echo "${plan:-$(count '^@test ' "$1")}"
}

# Adds the results of a file to those of its kind.
count_file() { # FILE
  local log ok skip bad status
  log=$(log_of "$1")
  touch "$log"
  status=$(cat "$log.status" 2> /dev/null || echo unknown) # its lane was killed
  skip=$(count -E '^ok [0-9]+ .* # skip' "$log")
  ok=$(($(count -E '^ok [0-9]+ ' "$log") - skip))
  bad=$(($(planned "$1" "$log") - ok - skip)) # includes those that Bats did not reach
  if [ "$bad" -lt 0 ] || { [ "$status" != 0 ] && [ "$bad" -eq 0 ]; }; then bad=1; fi
  if [ "$status" != 0 ]; then echo "# ${1#"$root"/}: $bad failed; Bats ended with status $status"; fi
  # "ok 3 name in 12ms"; newer releases of Bats write "ok 3 name # in 12 ms"
  sed -nE "s|^(not )?ok [0-9]+ (.*) (# )?in ([0-9]+) ?ms( # .*)?\$|\\4 ${1#"$root"/}: \\2|p" "$log" >> "$logs/times"
  kind_ok=$((kind_ok + ok)) kind_bad=$((kind_bad + bad)) kind_skip=$((kind_skip + skip))
}

run_bats() { # KIND, which names a directory of tests/
  local where=${given:-$root/tests/$1} together alone lanes file kind_ok=0 kind_bad=0 kind_skip=0
  if [ -f "$where" ]; then
    run_one_file "$where"
    together=("$where") alone=()
  else
    mapfile -t together < <(files_of long "$where" && files_of '' "$where")
    mapfile -t alone < <(files_of alone "$where")
    if [ $((${#together[@]} + ${#alone[@]})) -ne "$(find "$where" -name '*.bats' | wc -l)" ]; then
      echo "run-tests.sh: a Bats file has a tag that is neither 'long' nor 'alone'" >&2
      exit 2
    fi
    echo 0 > "$logs/numbered"
    printf '%s\n' "${together[@]}" > "$logs/together"
    printf '%s\n' "${alone[@]}" > "$logs/alone"
    for ((lanes = $(nproc); lanes > 0; --lanes)); do lane "$logs/together" & done
    wait
    lane "$logs/alone"
    echo "1..$(cat "$logs/numbered")"
  fi
  for file in "${together[@]}" "${alone[@]}"; do count_file "$file"; done
  echo "$1: $kind_ok passed, $kind_bad failed, $kind_skip skipped"
  passed=$((passed + kind_ok)) failed=$((failed + kind_bad)) skipped=$((skipped + kind_skip))
}

case $which in
  unit) run_unit ;;
  cli | attack) run_bats "$which" ;;
  all)
    run_unit
    run_bats cli
    run_bats attack
    ;;
  *)
    echo "run-tests.sh: '$which' is none of unit, cli, attack" >&2
    exit 2
    ;;
esac
if [ -f "$logs/times" ] && [ ! -f "$given" ]; then sort -nr "$logs/times" > "$out/tests/times"; fi
if [ $((passed + failed + skipped)) -eq 0 ]; then
  echo "run-tests.sh: no test was run" >&2
  failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
