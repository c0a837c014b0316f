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

# Files of one directory run in several processes.
@test "each file's failures count, and tests that a killed Bats did not reach" {
  make_build :
  mkdir files
  printf '@test "good" { true; }\n@test "bad" { false; }\n' > files/a.bats
  printf '# bats file_tags=long\n@test "kills" { kill -KILL "$PPID"; }\n@test "not reached" { true; }\n' > files/b.bats
  printf '# bats file_tags=alone\n@test "alone" { true; }\n' > files/c.bats
  printf '@test "no" { skip "reason"; }\n@test "good" { true; }\n' > files/d.bats
  run -1 run_tests cli "$PWD/files"
  [[ ${lines[-1]} =~ ^([34])' passed, '([23])' failed, 1 skipped'$ ]]
  assert_equal $((BASH_REMATCH[1] + BASH_REMATCH[2])) 6
  # each file's output is in one piece, numbered on; the file that must be alone comes last
  assert_equal "$(grep -E '^(not )?ok ' <<< "$output" | sed -E 's/^(not )?ok //' | cut -d ' ' -f 1 | sort -nc 2>&1)" ''
  assert_equal "$(grep '^# files/\|^# .*\.bats$' <<< "$output" | tail -n 1)" "# $PWD/files/c.bats"
  grep -q 'files/a.bats: good$' build/tests/times
}

@test "a tag of a file that means nothing fails the run" {
  make_build :
  mkdir files
  printf '# bats file_tags=alnoe\n@test "good" { true; }\n' > files/a.bats
  run -2 run_tests cli "$PWD/files"
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

@test "a container of the recorder that nobody bounds is told" {
  cp -r "$AIFLAME_ROOT/tools/gpustall-record" copy
  "$AIFLAME_ROOT/scripts/check-kept.sh" "$PWD/copy"
  sed -i 's/^  RecentProcesses<Names> names_;/&\n  std::map<uint32_t, std::string> others_;  \/\/ by pid/' copy/names/comms.h
  run -1 "$AIFLAME_ROOT/scripts/check-kept.sh" "$PWD/copy"
  assert_equal "$output" "$PWD/copy/budget/kept.txt: names/comms.h others_ is missing: what bounds it?"
}
