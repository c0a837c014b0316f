# SPDX-License-Identifier: MIT
# The machinery that reports "passed" can also report "failed".
load common

# Makes a build directory whose unit tests are the given shell script.
make_build() {
  mkdir -p build/tests
  # of several processes, each with a part of the tests, the first has them all
  # shellcheck disable=SC2016 # for that program
  printf '#!/bin/sh\n[ "${GTEST_SHARD_INDEX:-0}" = 0 ] || exit 0\n%s\n' "$1" > build/tests/unit
  chmod +x build/tests/unit
}

run_tests() { "$AIFLAME_ROOT/scripts/run-tests.sh" build "$@"; }

@test "a failing assertion of Bats fails the run" {
  make_build :
  printf '@test "good" { true; }\n@test "bad" { [ 1 = 2 ]; }\n@test "no" { skip "reason"; }\n' \
    > control.bats
  run -1 run_tests cli "$PWD/control.bats"
  assert_equal "${lines[-1]}" '1 passed, 1 failed, 1 skipped'
}

@test "a Bats file that does not parse fails the run" {
  make_build :
  printf '@test "good" { true; }\n@test "bad" { if; }\n' > control.bats
  run -1 run_tests cli "$PWD/control.bats"
  [[ ${lines[-1]} == '0 passed, '[1-9]*' failed, 0 skipped' ]]
}

@test "a failing test of GoogleTest fails the run" {
  make_build 'echo "[ RUN      ] A.B"; echo "[       OK ] A.B (0 ms)"
echo "[ RUN      ] A.C"; echo "[  FAILED  ] A.C (0 ms)"; echo "[  FAILED  ] A.C"
echo "[ RUN      ] A.D"; echo "[  SKIPPED ] A.D (0 ms)"; echo "[  SKIPPED ] A.D"; exit 1'
  run -1 run_tests unit
  assert_equal "${lines[-1]}" '1 passed, 1 failed, 1 skipped'
}

@test "a crash among the unit tests fails the run" {
  make_build 'echo "[ RUN      ] A.B"; echo "[       OK ] A.B (0 ms)"; echo "[ RUN      ] A.C"; kill -SEGV $$'
  run -1 run_tests unit
  assert_equal "${lines[-1]}" '1 passed, 1 failed, 0 skipped'
}

@test "a crash after the last unit test fails the run" {
  make_build 'echo "[ RUN      ] A.B"; echo "[       OK ] A.B (0 ms)"; kill -SEGV $$'
  run -1 run_tests unit
  assert_equal "${lines[-1]}" '1 passed, 1 failed, 0 skipped'
}

@test "running no test fails the run" {
  make_build :
  run -1 run_tests unit
  mkdir empty
  run -1 run_tests cli "$PWD/empty"
}

@test "a missing golden fails, and so does a different one" {
  unset BLESS
  echo a > actual
  run -1 assert_golden actual golden
  echo b > golden
  run -1 assert_golden actual golden
  cp actual golden
  assert_golden actual golden
}
