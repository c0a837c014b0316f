# SPDX-License-Identifier: MIT
# Launches from the handlers of timers. They may interrupt the agent in its locks: such a launch is
# lost, and counted. The program goes on.
load attack
load agents

# CUDA's functions may not be called in a handler, and its stand-in allocates.
interrupted() {
  [ "$2" != cuda ] || return 0
  record signals "$2" "$1" "$(scale 300 100000)"
  cat out
  assert_all_accounted_for some
}

@test "handlers launch while several threads launch" {
  for_each_api interrupted launch
}

@test "handlers launch while the program forks, and in its children" {
  for_each_api interrupted fork
}

@test "handlers launch while libraries are loaded and unloaded" {
  for_each_api interrupted dlopen
}

@test "handlers launch while memory is allocated" {
  for_each_api interrupted malloc
}
