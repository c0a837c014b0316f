# SPDX-License-Identifier: MIT
# Launches from small stacks: the agents take at most 2 kB of the program's stack.
load attack
load agents

# what the program alone takes goes off first
uses_little() {
  local alone
  record small_stacks "$1" used
  cat out
  alone=$("$AIFLAME_BUILD/tests/attack/small_stacks" "$1" used | awk '$1 == "same" { print $2 }')
  awk -v alone="$alone" '$1 != "made" && $2 - alone > 2048 { exit 1 }' out
  assert_all_accounted_for
}

@test "each kind of launch takes at most 2 kB of the stack" {
  for_each_api uses_little
}

survives() {
  record small_stacks "$3" "$1" "$2" "$(scale 50 20000)"
  # on the tests' OpenCL platform all run until the last one is made: too many for slices in progress
  assert_all_accounted_for "$(scale '' some)"
}

@test "launches from coroutines with stacks of 4 kB and more" {
  for bytes in 4096 8192 10240 16384 65536; do for_each_api survives coroutine "$bytes"; done
}

@test "CUDA launches without CUPTI take no more, and survive as well" {
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cuda-agent.so" ] || skip 'the agent cuda is not built'
  export LD_LIBRARY_PATH=$AIFLAME_BUILD/tests/cuda
  for RECORD_WITH in --launch-times=off --launch-times=events; do
    uses_little cuda
    survives coroutine 4096 cuda
    survives signal 8192 cuda
    survives thread 16384 cuda
  done
}

@test "OpenCL and Level Zero launches from stacks of 2 kB" {
  survives coroutine 2048 opencl
  if [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero-agent.so" ]; then
    survives coroutine 2048 level-zero
  fi
}

@test "launches in handlers on alternate stacks that have 3 kB beside the signal's frame" {
  frame=$(LD_SHOW_AUXV=1 /bin/true | awk '/MINSIGSTKSZ/ { print $2 }')
  for bytes in $((${frame:-2048} + 3072)) 8192 65536; do for_each_api survives signal "$bytes"; done
}

@test "launches in threads with the smallest stacks there are" {
  for_each_api survives thread 16384
}
