#!/bin/bash
# SPDX-License-Identifier: MIT
# ci.sh: the stages of `make ci`, which runs it. Its last lines say how long each stage took and which
# tests were the slowest, then "N passed, N failed, N skipped" of the tests.
#
# One variant is built by another compiler, without optimisation and under sanitizers: all in one,
# since g++'s sanitized code takes six times as long to build. It has the unit tests alone.
set -euo pipefail
cd "$(dirname "$0")/.."
make=("${MAKE:-make}" --no-print-directory)
too_long=50 # minutes, of which CI has 90
log=$(mktemp)
rm -f build/tests/times # of an earlier run
times=()

stage() { # NAME COMMAND...
  local name=$1 begin=$SECONDS status=0
  shift
  "$@" || status=$?
  times+=("$((SECONDS - begin)) $name")
  [ "$status" -eq 0 ] || { echo "ci.sh: $name failed" >&2; exit "$status"; }
}

closing_lines() {
  local one
  echo "stages:"
  for one in "${times[@]}"; do printf '  %2d min %02d s  %s\n' $((${one%% *} / 60)) $((${one%% *} % 60)) "${one#* }"; done
  printf '  %2d min %02d s  in all\n' $((SECONDS / 60)) $((SECONDS % 60))
  if [ -s build/tests/times ]; then
    echo 'slowest tests:'
    head -n 30 build/tests/times | awk '{ ms = $1; $1 = ""; printf "  %7.1f s %s\n", ms / 1000, $0 }'
  fi
  if [ "$SECONDS" -gt $((too_long * 60)) ]; then
    echo "ci.sh: warning: this took more than $too_long minutes; see the stages and the slowest tests above" >&2
  fi
  grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -n 1 || true
  rm -f "$log"
}
trap closing_lines EXIT

# the programs are built while the packages for tests are installed
build_and_install() {
  local status=0
  "${make[@]}" all &
  scripts/install-deps.sh || status=$?
  wait $! || status=$?
  return "$status"
}
run_tests() { scripts/run-tests.sh build 2>&1 | tee "$log"; }

stage 'packages for building' scripts/install-deps.sh demo
stage 'building the programs, other packages' build_and_install
stage 'lint' "${make[@]}" lint LINT=changed
stage 'building the unit tests for clang++ and sanitizers' \
  "${make[@]}" CXX=clang++ DEBUG=1 SAN=address,undefined O=build/clang-san build/clang-san/tests/unit
stage 'unit tests under sanitizers' scripts/run-tests.sh build/clang-san unit
stage 'building the tests' "${make[@]}" all test-programs
stage 'tests' run_tests
