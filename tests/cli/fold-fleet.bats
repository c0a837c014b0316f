# SPDX-License-Identifier: MIT
# scripts/fold-fleet.sh: many recordings folded and added up in a tree, by each of its engines.
# shellcheck disable=SC2154 # Bats sets stderr
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  fleet=$AIFLAME_ROOT/scripts/fold-fleet.sh
  # shellcheck disable=SC2054 # the commas are meant
  options=(--root host,rank --gpu-frames kernel,offset)
  local rank
  for rank in 0 1 2 3 4 5 6; do recording "$rank" > "job.$rank.gpustall"; done
}
teardown() {
  if [ -d slurm ]; then "$AIFLAME_ROOT/scripts/slurm-nodes.sh" stop slurm; fi
}
# recording RANK: samples at an address that all ranks have, and at one that only this rank has
recording() {
  printf '%s\n' '# gpustall 1' "# hostname : n$(($1 % 2))" "# process 7 : rank $1" '# launch ?' '' \
    "app 7/7 [000]  1.010000000:          5 gpu-clock: " '                 1430 f+0x30 (/tmp/k.so)' '' \
    "app 7/7 [000]  1.010000000:          $(($1 + 1)) gpu-clock: " "                 150$1 f+0x10$1 (/tmp/k.so)" '' \
    "# end samples $((6 + $1)) launches 0 lost 0" ''
}
at_once() { stackcollapse-aiflame "${options[@]}" "$@" 2> /dev/null; }

@test "the tree is what folding all at once writes, whatever its fan-out" {
  at_once job.*.gpustall > expected
  assert_equal "$(grep -vc '^#' expected)" 14
  local fan_out
  for fan_out in 2 3 7 100; do
    run -0 --separate-stderr "$fleet" --fan-out "$fan_out" "tree$fan_out" job.*.gpustall -- "${options[@]}"
    assert_equal "$output$stderr" ''
    cmp "tree$fan_out/all.folded" expected
  done
  # names are deterministic, and the folded recordings are gone
  assert_equal "$(cd tree3 && find . -name '*.folded' | sort)" './1/0.folded
./1/1.folded
./1/2.folded
./2/0.folded
./all.folded'
}

@test "GNU parallel does the same" {
  skip_without parallel
  at_once job.*.gpustall > expected
  run -0 "$fleet" --with parallel --jobs 2 --fan-out 3 tree job.*.gpustall -- "${options[@]}"
  assert_equal "$output" ''
  cmp tree/all.folded expected
}

@test "job arrays of a real Slurm do the same, and name the job that failed" {
  skip_without_slurm
  "$AIFLAME_ROOT/scripts/slurm-nodes.sh" start slurm
  export SLURM_CONF=$PWD/slurm/slurm.conf
  at_once job.*.gpustall > expected
  echo broken > job.4.gpustall
  run -1 --separate-stderr "$fleet" --with slurm --fan-out 2 tree job.*.gpustall -- "${options[@]}"
  [[ $stderr == *"fold-fleet.sh: job 1/2 failed: stackcollapse-aiflame: $PWD/job.4.gpustall"* ]]
  recording 4 > job.4.gpustall
  run -0 "$fleet" --with slurm --fan-out 2 tree job.*.gpustall -- "${options[@]}"
  cmp tree/all.folded expected
}

@test "a job that fails is named, and the same command continues" {
  at_once job.*.gpustall > expected
  echo broken > job.4.gpustall
  run -1 --separate-stderr "$fleet" --fan-out 2 tree job.*.gpustall -- "${options[@]}"
  # shellcheck disable=SC2001 # of each line
  assert_equal "$(sed "s/: stackcollapse.*//" <<< "$stderr")" 'fold-fleet.sh: job 1/2 failed
fold-fleet.sh: 1 of 4 jobs of level 1 failed; the same command continues'
  [ ! -e tree/all.folded ]
  assert_equal "$(find tree -name '*.part.*')" ''
  local before
  before=$(stat -c '%n %i' tree/1/[013].folded)
  recording 4 > job.4.gpustall
  run -0 --separate-stderr "$fleet" --fan-out 2 tree job.*.gpustall -- "${options[@]}"
  assert_equal "$output$stderr" ''
  cmp tree/all.folded expected
  assert_equal "$(stat -c '%n %i' tree/1/[013].folded)" "$before"
  # a third time there is nothing to do
  before=$(stat -c %i tree/all.folded)
  "$fleet" --fan-out 2 tree job.*.gpustall -- "${options[@]}"
  assert_equal "$(stat -c %i tree/all.folded)" "$before"
}

@test "a directory that was begun with something else is refused" {
  "$fleet" --fan-out 2 tree job.*.gpustall
  local case
  for case in 'job.0.gpustall;recordings' 'job.*.gpustall -- --root rank;options'; do
    # shellcheck disable=SC2086 # words
    run -1 --separate-stderr "$fleet" --fan-out 2 tree ${case%;*}
    assert_equal "$stderr" "fold-fleet.sh: '$PWD/tree' was begun with other ${case#*;}"
  done
  run -1 --separate-stderr "$fleet" --fan-out 3 tree job.*.gpustall
  assert_equal "$stderr" "fold-fleet.sh: '$PWD/tree' was begun with other fan-out"
}

@test "recordings with any name, by --files0-from" {
  mkdir $'a\nb'
  mv job.0.gpustall $'a\nb/c d.gpustall'
  at_once $'a\nb/c d.gpustall' job.*.gpustall > expected
  find . -name '*.gpustall' -print0 | "$fleet" --fan-out 3 --files0-from - tree -- "${options[@]}"
  cmp tree/all.folded expected
}

@test "--help prints the usage" {
  run -0 --separate-stderr "$fleet" --help
  assert_equal "$stderr" ''
  [[ ${lines[0]} == 'fold-fleet.sh [OPTION]... DIR RECORDING... '* ]]
  grep -q '^  --fan-out N ' <<< "$output"
  [[ ${lines[-1]} == *'so the whole fails.' ]]
}

@test "mistakes" {
  wrong() { # MESSAGE ARGUMENT...
    run -2 --separate-stderr "$fleet" "${@:2}"
    assert_equal "$stderr" "fold-fleet.sh: $1; try '$fleet --help'"
  }
  wrong 'no directory'
  wrong 'no recordings' tree
  wrong "no option '--nosuch'" --nosuch
  wrong '--jobs needs an argument' tree a --jobs
  wrong "--fan-out '1': expected a number, 2 or more" --fan-out 1 tree a
  wrong "--fan-out '0': expected a number, 2 or more" --fan-out=0 tree a
  wrong "--jobs '0': expected a number" --jobs 0 tree a
  wrong "--with 'make': expected xargs, parallel or slurm" --with make tree a
  [ ! -e tree ]
}
