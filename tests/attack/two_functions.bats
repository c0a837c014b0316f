# SPDX-License-Identifier: MIT
# Two functions that each launch one kernel, in a program that runs already: no sample of one
# function's kernel is in the other function's share.
# A recorder takes away the probes of any that was killed:
# bats file_tags=alone
load attack
load ../cli/await
load ../cli/recording

setup() {
  setup_demo
  skip_without_uprobes
  skip_unless_samples
}

# attached WHEN: records the program by its process number, without an agent, and folds it.
attached() {
  local go
  rm -f go out.live* live*
  mkfifo go
  exec {go}<> go # in both directions, so that neither end blocks
  relay out.live out '^ready$'
  relay live r '^# device'
  "$AIFLAME_BUILD/tests/attack/two_functions" "$1" "$(scale 2 20)" < go > out.live &
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

# near ONE OTHER: they differ by two points at most
near() { awk -v one="$1" -v other="$2" 'BEGIN { d = one - other; exit d * d > 4 }'; }

# what a recorder with an agent knows of each launch
with_agent() {
  echo | gpustall-record -o agent -- "$AIFLAME_BUILD/tests/attack/two_functions" late "$(scale 2 20)" \
    > agent.out 2> agent.err
  stackcollapse-aiflame --gpu-frames kernel agent > agent.folded
}

@test "of kernels that were created before the probes came, samples are only presumed" {
  attached early
  # until the second function launches, there is no doubt
  awk -v exact="$(share ';.*(forces|integrate);.*-;')" 'BEGIN { exit exact > 2 }'
  run ! grep -E '::integrate;.*forces_|::forces;.*integrate_' folded
  grep -qE '[1-9][0-9]* presumed' fold.err
  awk -v presumed="$(share '\\[presumed\\];-;')" 'BEGIN { exit presumed < 98 }'
  aiflame-svg folded > svg
  grep -qE '(9[89]|100) % of the samples are of unknown launches' svg
}

@test "kernels that are created later have names: each function has the share that an agent tells" {
  with_agent
  local when of
  for when in late all; do
    attached "$when"
    run ! grep -E '::integrate;.*forces_|::forces;.*integrate_|presumed' folded
    for of in forces integrate; do
      near "$(share "::$of;.*-;${of}_")" "$(share "::$of;.*-;${of}_" agent.folded)"
    done
  done
}
