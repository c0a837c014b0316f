# SPDX-License-Identifier: MIT
# Which rank of a job a process was: from the environment through the recording to the picture and
# the report, on a real Slurm too.
load common
load recording

setup() { setup_demo; }
teardown() {
  if [ -d slurm ]; then "$AIFLAME_ROOT/scripts/slurm-nodes.sh" stop slurm; fi
}

# recorded REPEATS [OPTION…]: PoCL's launches, recorded
recorded() {
  gpustall-record "${@:2}" -- "$DEMO/matmul" --size 64 --repeats "$1" > out 2> err
}

@test "a recording says which rank and job its process was" {
  SLURM_PROCID=3 SLURM_LOCALID=1 SLURM_NTASKS=8 SLURM_JOB_ID=4711 recorded 2 -o '%j.%r.%q{SLURM_NTASKS}.%%.gpustall'
  file=4711.3.8.%.gpustall
  [ -s "$file" ]
  grep -Eqx '# process [0-9]+ : rank 3, local_rank 1, ranks 8, job 4711(, (container|pod) .*)?' "$file"
  # before its first launch
  awk '/^# process / { seen = 1 } /gpu-launch:/ { exit !seen }' "$file"
  stackcollapse-aiflame --event gpu-time --root job,host,rank "$file" 2> err > folded
  assert_equal "$(grep -v '^#' folded | cut -d ';' -f 1-4 | sort -u)" "job 4711;host $(uname -n);rank 3;matmul"
  # the same counts as without the roots
  assert_equal "$(sed "s/^job 4711;host [^;]*;rank 3;//" folded | sort)" \
    "$(stackcollapse-aiflame --event gpu-time "$file" 2> err | sort)"
}

@test "a process of which nothing is known has unknown roots" {
  # shellcheck disable=SC2016 # for that shell
  env -u SLURM_PROCID -u SLURM_JOB_ID -u RANK -u PMI_RANK -u PMIX_RANK bash -c '
    gpustall-record -o r -- "$0" --size 64 --repeats 1 > out 2> err' "$DEMO/matmul"
  assert_equal "$(stackcollapse-aiflame --event gpu-time --root rank,job r 2> err | grep -v '^#' |
    cut -d ';' -f 1-3 | sort -u)" '[unknown rank];[unknown job];matmul'
}

@test "later lines, unknown keys and pids that are used again" {
  made() { # PID RANK_LINE…
    printf '%s\n' '# gpustall 1' '# hostname : n1' "${@:2}" '# launch ?' '' \
      "app $1/$1 [000]  1.010000000:          5 gpu-clock: " '                 1430 f+0x30 (/tmp/k.so)' '' \
      '# end samples 5 launches 0 lost 0' ''
  }
  made 7 '# process 7 : rank 1, colour red' '# process 8 : rank 2' > a
  made 7 '# process 7 : rank 1' '# process 7 : ?' > b
  made 7 '# process 7 : no facts at all' > c
  made 7 > d
  assert_equal "$(cat a b c d | stackcollapse-aiflame --root rank,host --gpu-frames kernel 2> err | grep -v '^#')" \
    '[unknown rank];host n1;app;[unknown launch];-;f_[G] 15
rank 1;host n1;app;[unknown launch];-;f_[G] 5'
}

@test "CPU samples: a perf.data tells its host, its text nothing" {
  skip_without perf
  perf record -e task-clock -o p.data -- true > /dev/null 2>&1 || skip 'perf record is not permitted'
  stackcollapse-aiflame --root host,rank p.data 2> err | grep -v '^#' > folded
  [ -s folded ]
  run ! grep -v "^host $(uname -n);\[unknown rank\];" folded
  perf script -i p.data 2> err | stackcollapse-aiflame --root host 2> err | grep -v '^#' > folded
  [ -s folded ]
  run ! grep -v '^\[unknown host\];' folded
}

@test "usage: --root and the output's name" {
  assert_usage_error stackcollapse-aiflame --root host,pid
  assert_usage_error stackcollapse-aiflame --root ''
  for name in %x a% '%q' '%q{NAME' '%q{NO_SUCH_VARIABLE}' %r; do
    run -125 --separate-stderr env -u RANK -u SLURM_PROCID -u PMI_RANK -u PMIX_RANK \
      gpustall-record -o "$name" -- true
    [[ $stderr == "gpustall-record: option '--output': %"*"; try 'gpustall-record --help'" ]]
  done
  [ -z "$(find . -name '%*' -o -name 'a%')" ]
}

@test "the report names the straggler, and is silent where ranks work alike" {
  printf '%s\n' 'rank 0;app;-;k.cl_[G];scale_[G];sbid_[g] 500' \
    'rank 0;app;-;nccl.cu_[G];ncclDevKernel_AllReduce_[G] 520' \
    'rank 1;app;-;k.cl_[G];scale_[G];sbid_[g] 990' \
    'rank 1;app;-;nccl.cu_[G];ncclDevKernel_AllReduce_[G] 30' > ranks
  aiflame-report --sections rank ranks | grep -qx \
    "# straggler: rank 1, 1.98x the work of the others' median; +490 in scale, mostly sbid"
  aiflame-report --json ranks |
    python3 -c 'import json, sys
section = json.load(sys.stdin)["sections"][0]
assert section["kind"] == "rank", section
assert section["straggler"] == {"rank": "1", "times": 1.98, "place": "scale", "reason": "sbid", "more": 490}, section
assert [(row["name"], row["self"], row["total"]) for row in section["rows"]] == [("1", 990, 1020), ("0", 500, 1020)]'
  sed 's/sbid_\[g\] 990/sbid_[g] 510/' ranks | aiflame-report | grep -qx '# straggler: none'
  # one rank alone is no comparison
  run ! grep '^# Ranks' <(grep '^rank 0' ranks | aiflame-report)
  run -3 aiflame-report --fail-on 'rank:1>50%' <(grep -v nccl ranks)
  run -0 aiflame-report --fail-on 'rank:0>50%' <(grep -v nccl ranks)
}

@test "two nodes of Slurm: a recording for each rank, one picture, and the slow rank by name" {
  skip_without_slurm
  "$AIFLAME_ROOT/scripts/slurm-nodes.sh" start slurm
  export SLURM_CONF=$PWD/slurm/slurm.conf
  # rank 1 has three times the work of rank 0
  # shellcheck disable=SC2016 # the shell of each rank reads the variable
  srun -n 2 -N 2 gpustall-record -o %j.%r.gpustall -- \
    sh -c 'exec "$0" --size 64 --repeats $((100 + 200 * SLURM_PROCID))' "$DEMO/matmul" > out 2> err
  [ -s 1.0.gpustall ]
  [ -s 1.1.gpustall ]
  grep -Eq '^# process [0-9]+ : rank 1, local_rank 0, ranks 2, job 1' 1.1.gpustall
  stackcollapse-aiflame --event gpu-time --root rank ./*.gpustall 2> err > all
  for rank in 0 1; do
    srun -n 1 stackcollapse-aiflame --event gpu-time --root rank "1.$rank.gpustall" 2> err > "$rank.folded"
  done
  aiflame-merge 0.folded 1.folded | cmp - all
  aiflame-svg all > all.svg
  grep -q '<title>rank 1 (' all.svg
  aiflame-report --sections rank all | grep -q '^# straggler: rank 1, '
}
