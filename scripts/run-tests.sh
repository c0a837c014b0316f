#!/bin/bash
# SPDX-License-Identifier: MIT
# run-tests.sh OUT [unit|cli|attack [BATS FILE]]: runs the tests that `make` put into OUT, through
# GoogleTest and Bats; without a kind, all. SOAK=1 runs the attacks in their long form. The last line stands alone and reads "N passed, N failed, N skipped".
# A crash is a failure, and so is a run without any test.
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

run_bats() { # KIND, which names a directory of tests/
  local log=$logs/$1 status=0 plan ok bad skip
  bats --recursive --tap "${given:-$root/tests/$1}" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
  plan=$(sed -n 's/^1\.\.\([0-9]*\)$/\1/p' "$log" | head -n 1)
  skip=$(count -E '^ok [0-9]+ .* # skip' "$log")
  ok=$(($(count -E '^ok [0-9]+ ' "$log") - skip))
  bad=$((${plan:-0} - ok - skip)) # includes those that Bats did not reach
  if [ "$status" -ne 0 ] && [ "$bad" -le 0 ]; then bad=1; fi
  echo "$1: $ok passed, $bad failed, $skip skipped"
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
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
if [ $((passed + failed + skipped)) -eq 0 ]; then
  echo "run-tests.sh: no test was run" >&2
  failed=1
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
