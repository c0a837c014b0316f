# SPDX-License-Identifier: MIT
# What the command-line tests share; `load common` at the top of each file.
# shellcheck shell=bash
bats_require_minimum_version 1.5.0

if [ -z "${AIFLAME_BUILD:-}" ]; then
  echo "AIFLAME_BUILD, the absolute path of the build directory, is not set: make clitest" >&2
  exit 1
fi
AIFLAME_ROOT=${AIFLAME_ROOT:-$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)}
export AIFLAME_ROOT LC_ALL=C PATH=$AIFLAME_BUILD/bin:$PATH
# shellcheck disable=SC2034 # used by the tests
DATA=$AIFLAME_ROOT/tests/data

# Each test runs in a directory of its own, which is removed afterwards.
setup() {
  cd "$BATS_TEST_TMPDIR" || return
}

# Whether the programs are built with sanitizers, which need memory and time of their own, and the
# right to write reports.
is_sanitized() { [[ $AIFLAME_BUILD == */san-* ]]; }

# assert_equal ACTUAL EXPECTED: fails, and shows both texts, if they differ.
assert_equal() {
  [ "$1" = "$2" ] && return
  diff -u --label expected --label actual <(printf '%s\n' "$2") <(printf '%s\n' "$1") >&2 || true
  return 1
}

# assert_golden FILE GOLDEN: compares the bytes. `make bless` (BLESS=1) writes the golden instead;
# otherwise a missing golden is a failure.
assert_golden() {
  if [ -n "${BLESS:-}" ]; then
    mkdir -p "$(dirname "$2")"
    cmp -s "$1" "$2" || cp "$1" "$2"
    return
  fi
  if [ ! -e "$2" ]; then
    echo "no golden $2: make bless writes it" >&2
    return 1
  fi
  cmp -s "$1" "$2" && return
  diff -u --label "$2" --label actual "$2" "$1" >&2 || cmp "$1" "$2" >&2 || true
  return 1
}

# golden NAME COMMAND...: the command must print NAME.out of the test's $data; it may use $tmp.
# shellcheck disable=SC2154 # a test's setup sets both
golden() {
  local expected=$data/$1.out
  shift
  "$@" > "$tmp/out"
  assert_golden "$tmp/out" "$expected"
}

# assert_usage_error PROGRAM [ARGUMENT…]: the program ends with status 2 and one line, which names
# its --help.
assert_usage_error() {
  run -2 --separate-stderr "$@"
  # shellcheck disable=SC2154 # Bats sets it
  [ -z "$output" ]
  # shellcheck disable=SC2154
  [[ $stderr = "$1: "*"; try '$1 --help'" ]]
  [ "$(wc -l <<< "$stderr")" -eq 1 ]
}

# assert_help_and_version PROGRAM: both go to standard output.
assert_help_and_version() {
  run -0 --separate-stderr "$1" --help
  [[ $output = "Usage: $1 "* ]]
  [ -z "$stderr" ]
  run -0 "$1" --version
  [[ $output = "$1 "* ]]
}

# assert_full_disk_noticed PROGRAM [ARGUMENT…]: a write that fails is one line and status 1.
assert_full_disk_noticed() {
  # shellcheck disable=SC2016 # for the inner shell
  run -1 --separate-stderr bash -c '"$0" "$@" > /dev/full' "$@"
  [ "$stderr" = "$1: write error: No space left on device" ]
}

# stacks [FILE…]: folded text without the line that says what its counts are
stacks() { grep -hv '^# aiflame' "$@" || [ $? -eq 1 ]; }

# skip_without COMMAND [WHY]: skips the test if COMMAND is not on PATH.
skip_without() {
  command -v "$1" > /dev/null || skip "${2:-$1 is not installed}"
}

# build_for_others FILE…: copies these of the build directory, and the recorder with its plugins and agents,
# into ./build. Other users can read that, and cannot read a clone below /root.
build_for_others() {
  mkdir build
  (cd "$AIFLAME_BUILD" && cp -r --parents bin/gpustall-record libexec "$@" "$OLDPWD/build")
  chmod -R go+rX build
  chmod go+x "$BATS_RUN_TMPDIR" "$(dirname "$BATS_TEST_TMPDIR")" .
  PATH=$PWD/build/bin:$PATH
}

# skip_without_slurm: skips the test if this machine cannot run a Slurm of its own.
skip_without_slurm() {
  skip_without slurmctld
  skip_without munged
  [ "$(id -u)" -eq 0 ] || skip 'a Slurm of its own needs root'
  getent hosts "$(uname -n)" > /dev/null || skip "no address for this machine's name in /etc/hosts: Slurm needs one"
}

# skip_without_uprobes: skips the test if none can be placed.
skip_without_uprobes() {
  [ "$(id -u)" -eq 0 ] || skip 'uprobes need root'
  [ -e /sys/bus/event_source/devices/uprobe/type ] || skip 'this kernel has no uprobes'
}

# skip_unless_python_is_read MESSAGES: skips the test if the recorder said that this kernel does not
# take the program that reads Python's frames at uprobes.
skip_unless_python_is_read() {
  if grep -q 'are not shown: the kernel does not take' "$1"; then skip "$(grep 'are not shown' "$1")"; fi
}

# skip_unless_samples: skips the test if perf events of its own processes are forbidden.
skip_unless_samples() {
  [ "$(id -u)" -eq 0 ] && return
  [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] ||
    skip 'kernel.perf_event_paranoid forbids samples'
}
