#!/bin/bash
# SPDX-License-Identifier: MIT
# checks.sh RELEASE: what scripts/test-vm.sh runs as root in a virtual machine. Writes a line for each
# check into $SHARE/report: "ok RELEASE: WHAT", with "# skip WHY" where it was left out, or "not ok";
# what was printed goes to standard output.
set -uo pipefail

release=$1
demo=$AIFLAME_BUILD/tests/demo
setting=/proc/sys/kernel/perf_event_paranoid
own_setting=$(cat "$setting")
# Kernels of OpenCL take half a minute to compile here, so that they are kept for the next machine.
# A user's own, since he does not trust another's.
for user in root nobody; do mkdir -p "$SHARE/pocl/$user"; done
chown 65534:65534 "$SHARE/pocl/nobody"

# check WHAT COMMAND...
check() {
  local what=$1 status=0 began=$SECONDS
  shift
  echo "== $what"
  "$@" || status=$?
  echo "== status $status, $((SECONDS - began)) s"
  [ "$status" -eq 0 ] && echo "ok $release: $what" >> "$SHARE/report"
  [ "$status" -eq 0 ] || echo "not ok $release: $what" >> "$SHARE/report"
}

# as USER COMMAND...
as() {
  local user=$1
  local -x POCL_CACHE_DIR=$SHARE/pocl/$user
  shift
  case $user in
    root) "$@" ;;
    *) setpriv --reuid=65534 --regid=65534 --clear-groups "$@" ;;
  esac
}

# place USER: an empty directory of his becomes the current one
place() {
  rm -rf /tmp/place
  mkdir -m 777 /tmp/place
  cd /tmp/place || exit
}

samples() { grep -c ' gpu-clock: $' "$1"; }
launches() { sed -n 's/^# end samples .* launches \([0-9]*\) .*/\1/p' "$1"; }

# may_sample USER
may_sample() { [ "$1" = root ] || [ "$(cat "$setting")" -le 2 ]; }

records_command() { # USER
  place
  as "$1" gpustall-record --source opencl-cpu --objects objects -o r -- \
    "$demo/matmul" --size 64 --seconds 1 > out 2> err || { cat out err && return 1; }
  cat err
  [ "$(launches r)" -gt 0 ] || return
  if may_sample "$1"; then
    [ "$(samples r)" -gt 0 ] && ! grep -q warning err
  else
    grep -q 'no samples, only launches and their device time: .*sysctl kernel.perf_event_paranoid=2$' err &&
      [ "$(stackcollapse-aiflame --event gpu-time r | awk '{ n += $NF } END { print (n > 0) }')" = 1 ]
  fi
}

# A program with the agent that runs already.
records_process() { # USER
  local pid status=0 names=()
  place
  mapfile -t names < <(as "$1" gpustall-record --listen agents --print-env)
  as "$1" env "${names[@]}" "$demo/matmul" --size 64 --seconds 6 > out 2>&1 &
  until pid=$(pgrep -x matmul) && grep -q opencl-agent.so "/proc/$pid/maps"; do sleep 0.1; done
  as "$1" gpustall-record --source opencl-cpu --objects objects -o r --duration 4 -p "$pid" 2> err || status=$?
  wait
  cat err
  [ "$status" -eq 0 ] && [ "$(launches r)" -gt 0 ] || return
  if may_sample "$1"; then
    [ "$(samples r)" -gt 0 ]
  else
    grep -q 'sysctl kernel.perf_event_paranoid=2$' err
  fi
}

records_system() {
  local status=0
  place
  as root "$demo/matmul-fp" --size 64 --seconds 6 > out 2>&1 &
  until pgrep -x matmul-fp > /dev/null; do sleep 0.1; done
  gpustall-record --source opencl-cpu --objects objects -o r --duration 4 -a 2> err || status=$?
  wait
  cat err
  [ "$status" -eq 0 ] && [ "$(samples r)" -gt 0 ] && [ "$(launches r)" -gt 0 ] &&
    ! grep -q aiflame/ /sys/kernel/tracing/uprobe_events
}

tests() { # USER FILE PATTERN: those of a Bats file that the pattern fits; each must pass or skip
  place
  export BATS_TMPDIR=/tmp/place
  TMPDIR=/tmp/place as "$1" bats --tap -f "$3" "$AIFLAME_ROOT/tests/$2" < /dev/null 2>&1 | tee tap
  grep -q '^ok ' tap && ! grep -q '^not ok' tap
}

draws_demo() { # USER
  place
  mkdir -m 777 demo
  ln -s "$AIFLAME_BUILD"/{bin,libexec,tests} demo/
  (cd "$AIFLAME_ROOT" && DEMO_ATTEMPTS=1 as "$1" scripts/demo.sh /tmp/place/demo -g) || return
  grep -q '</svg>' demo/demo.svg && grep -q '</svg>' demo/demo-change.svg || return
  # mawk's %d ends at 2147483647
  ! grep -q 2147483647 demo/demo.summary || return
  # drawn of samples where there may be some, else of time
  local unit=ns
  may_sample "$1" && unit=samples
  grep -q "^kernel .* $unit " demo/demo.summary
}

# Programs below a directory of root's alone are reachable by a mount.
mkdir -p /tmp/build
mount --bind "$AIFLAME_BUILD" /tmp/build
mkdir -p /tmp/source
mount --bind "$AIFLAME_ROOT" /tmp/source
export AIFLAME_BUILD=/tmp/build AIFLAME_ROOT=/tmp/source PATH=/tmp/build/bin:$PATH
demo=$AIFLAME_BUILD/tests/demo

uname -a
cat /sys/kernel/security/{lockdown,lsm} 2> /dev/null
sysctl -a 2> /dev/null | grep -E '^kernel\.(perf_event|kptr|dmesg|unpriv|yama)|^user.max_user_n'
: > "$SHARE/report"

for level in 3 2 1; do
  echo "$level" > "$setting"
  for user in root nobody; do
    check "perf_event_paranoid $level, $user: a command" records_command "$user"
    check "perf_event_paranoid $level, $user: -p" records_process "$user"
  done
  check "perf_event_paranoid $level, root: -a" records_system
done
echo "$own_setting" > "$setting"
check 'root keeps no more capabilities than it needs' \
  tests root cli/gpustall-record.bats 'keeps the capabilities|CAP_SYS_ADMIN, which stays'
check 'uprobes of programs that run' tests root cli/attach.bats .
check 'Python functions, read in the kernel' tests root cli/python.bats '^from outside'
check 'filters give up their rights' tests root attack/sandbox.bats 'dropped its rights'
for user in root nobody; do
  check "$user: seccomp and Landlock" as "$user" "$AIFLAME_BUILD/tests/unit" --gtest_brief=1 \
    --gtest_filter='Sandbox.*:BoundedChild.*:Capabilities.*'
  check "$user: the demo" draws_demo "$user"
done
echo end >> "$SHARE/report"
