# SPDX-License-Identifier: MIT
# Launches by a program that has given up its system calls after its first launches.
load attack
load agents

# seccomp HOW API: skips where filters are forbidden
gives_up() {
  "$AIFLAME_BUILD/tests/attack/seccomp" "$2" "$1" 1 > out || skip 'there is no seccomp here'
  record seccomp "$2" "$1" "$(scale 1000 1000000)"
}

killed_for_more() {
  gives_up filter "$1"
  # a million at full rate may be more than the ring holds
  assert_all_accounted_for "$(scale '' some)"
}

@test "a launch makes no system call, from a new place either" {
  for_each_api killed_for_more
}

# a thread that cannot ask for its number loses its launches
refused() {
  gives_up refused "$1"
  assert_all_accounted_for some
}

@test "an agent whose system calls are refused goes on" {
  for_each_api refused
}
