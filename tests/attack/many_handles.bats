# SPDX-License-Identifier: MIT
# What probes see of programs is bounded: kernels without end, and processes without end (a million
# of each in `make soak`).
# A recorder takes away the probes of any that was killed:
# bats file_tags=alone
load attack
load agents
load ../cli/await
load ../cli/recording

setup() {
  setup_demo
  skip_without_uprobes
}

# recorded KERNELS PROCESSES OPTION…: by probes into r; prints the recorder's peak of memory in kB
recorded() {
  local go peak=0 now options=("${@:3}")
  mkfifo go
  exec {go}<> go # in both directions, so that neither end blocks
  relay out.live out '^ready$'
  relay live r '^# launches by'
  "$AIFLAME_BUILD/tests/attack/many_handles" "$1" "$2" < go > out.live &
  local traced=$!
  await out.live
  [ "${options[*]: -1}" != -p ] || options+=("$traced")
  gpustall-record --source opencl-cpu -o live "${options[@]}" 2> err &
  local recorder=$!
  await live
  echo >&"$go"
  while now=$(awk '/^VmHWM/ { print $2 }' "/proc/$recorder/status" 2> /dev/null) && [ -n "$now" ]; do
    peak=$now
    kill -0 "$traced" 2> /dev/null || break
    sleep 0.05
  done
  wait "$traced"
  kill -INT "$recorder" 2> /dev/null || true # with -p it may have ended by itself
  wait "$recorder"
  copied live
  cat err >&2
  echo "$peak"
}

@test "kernels and processes without end, of one program and of the system" {
  local peak options
  for options in -p -a; do
    rm -f go out.live* live*
    peak=$(recorded "$(scale 20000 1000000)" "$(scale 2000 1000000)" "$options")
    echo "$options: peak $peak kB"
    is_sanitized || [ "$peak" -lt 262144 ]
    run -0 stackcollapse-aiflame --strict r
  done
}
