# SPDX-License-Identifier: MIT
# Two functions that each launch one kernel, in a program that runs already, in C++ and in Python: no
# sample of one function's kernel is in the other function's share.
# A recorder takes away the probes of any that was killed:
# bats file_tags=alone
load attack
load ../cli/await
load ../cli/recording

setup() {
  setup_demo
  skip_without_uprobes
  skip_unless_samples
  program=("$AIFLAME_BUILD/tests/attack/two_functions")
  space=::
}

# in_python: the program is the one in Python from here on
in_python() {
  [ -x /usr/bin/python3.11 ] || skip 'no Python 3.11 is installed'
  program=(/usr/bin/python3.11 "$AIFLAME_ROOT/tests/attack/two_functions.py")
  space='py::Layer.'
}

# attached WHEN: records the program by its process number, without an agent, and folds it.
attached() {
  local go
  rm -f go out.live* live*
  mkfifo go
  exec {go}<> go # in both directions, so that neither end blocks
  relay out.live out '^ready$'
  relay live r '^# device'
  "${program[@]}" "$1" "$(scale 2 20)" < go > out.live &
  local traced=$!
  await out.live
  gpustall-record -o live -p "$traced" 2> err &
  local recorder=$!
  await live
  echo >&"$go"
  wait "$traced"
  wait "$recorder"
  copied live
  stackcollapse-aiflame --gpu-frames kernel r > folded 2> fold.err
  cat err fold.err folded
}

# share PATTERN [FILE]: percent of the samples
share() {
  awk -v pattern="$1" '!/^#/ { all += $NF } !/^#/ && $0 ~ pattern { own += $NF }
    END { printf "%.1f\n", 100 * own / all }' "${2:-folded}"
}

# near ONE OTHER: there is some, and they differ by two points at most
near() { awk -v one="$1" -v other="$2" 'BEGIN { d = one - other; exit one == 0 || d * d > 4 }'; }

# what a recorder with an agent knows of each launch
with_agent() {
  echo | gpustall-record -o agent -- "${program[@]}" late "$(scale 2 20)" > agent.out 2> agent.err
  stackcollapse-aiflame --gpu-frames kernel agent > agent.folded
}

# presumed_of_before: where the kernels' names are not known, no function has a share in doubt
presumed_of_before() {
  attached early
  skip_unless_python_is_read err
  # until the second function launches, there is no doubt
  awk -v exact="$(share ';.*(forces|integrate)[^;]*;.*-;')" 'BEGIN { exit exact > 2 }'
  run ! grep -E "${space}integrate[^;]*;.*forces_|${space}forces[^;]*;.*integrate_" folded
  grep -qE '[1-9][0-9]* presumed' fold.err
  awk -v presumed="$(share '\\[presumed\\];-;')" 'BEGIN { exit presumed < 98 }'
}

# shares_as_with_agent WHEN…
shares_as_with_agent() {
  local when of
  with_agent
  for when; do
    attached "$when"
    skip_unless_python_is_read err
    run ! grep -E "${space}integrate[^;]*;.*forces_|${space}forces[^;]*;.*integrate_|presumed" folded
    for of in forces integrate; do
      near "$(share "$space$of[^;]*;.*-;${of}_")" "$(share "$space$of[^;]*;.*-;${of}_" agent.folded)"
    done
  done
}

@test "of kernels that were created before the probes came, samples are only presumed" {
  presumed_of_before
  aiflame-svg folded > svg
  grep -qE '(9[89]|100) % of the samples are of unknown launches' svg
}

@test "the same in Python" {
  in_python
  presumed_of_before
}

@test "kernels that are created later have names: each function has the share that an agent tells" {
  shares_as_with_agent late all
}

@test "the same of Python's functions" {
  in_python
  shares_as_with_agent late
}
