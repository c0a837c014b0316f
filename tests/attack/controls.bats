# SPDX-License-Identifier: MIT
# Text that attacks whoever reads it: escape sequences, overrides of the writing direction, characters
# that nobody sees, bytes that are not UTF-8. They stand in every place where a text comes in, and no
# program may print one, on stdout or stderr. tests/attack/controls.py has the list.
load attack

controls() {
  python3 -B "$AIFLAME_ROOT/tests/attack/controls.py" "$@"
}

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  controls inputs > counts
  mkdir out
}

# to NAME COMMAND...: keeps both outputs of a command, which may fail, but not by a signal.
to() {
  local name=$1 status=0
  shift
  "$@" > "out/$name" 2> "out/$name.err" || status=$?
  [ "$status" -lt 128 ]
}

count_of() { awk -v name="$1" '$1 == name { print $2 }' counts; }
sum() { awk '{ sum += $NF } END { print sum + 0 }' "$1"; }

@test "controls in inputs: stackcollapse-aiflame prints none and loses no sample" {
  for input in script.txt events.txt recording.gpustall perf.data; do
    to "$input" stackcollapse-aiflame "$input"
    assert_equal "$(sum "out/$input")" "$(count_of "$input")"
    to "$input.all" stackcollapse-aiflame --all --addrs --tid --srcline --context "$input"
    to "$input.stats" stackcollapse-aiflame --stats "out/$input.json" "$input"
  done
  for input in mistakes.txt mistakes.folded names.tab; do
    to "$input" stackcollapse-aiflame "$input"
    to "$input.strict" stackcollapse-aiflame --strict script.txt "$input"
  done
  controls check out/*
}

@test "controls in recordings: aiflame-annotate prints none and loses no sample" {
  for input in recording.gpustall perf.data; do
    for option in --all --line --json --html=- --full-names; do
      to "$input$option" aiflame-annotate "$option" --stats "out/$input.json" "$input"
      assert_equal "$(jq .samples "out/$input.json")" "$(count_of "$input")"
    done
  done
  controls check out/*
}

@test "controls in names: different names stay different" {
  to before stackcollapse-aiflame script.txt
  # each control in the comm, the symbol, the object
  [ "$(grep -c 'comm<' out/before)" -eq "$(controls count)" ]
  [ "$(grep -c 'symbol<' out/before)" -eq "$(controls count)" ]
  [ "$(grep -c 'dso<' out/before)" -eq "$(controls count)" ]
}

@test "controls in folded stacks: no program prints one, every count arrives" {
  sort -r stacks.folded > unsorted.folded
  LC_ALL=C sort stacks.folded > sorted.folded
  for input in sorted unsorted; do
    to "$input.diff" aiflame-diff "$input.folded" stacks.folded
    assert_equal "$(sum "out/$input.diff")" "$(count_of stacks.folded)"
    assert_equal "$(wc -l < "out/$input.diff")" "$(wc -l < stacks.folded)"
  done
  to strip.diff aiflame-diff --strip-hex sorted.folded stacks.folded
  to svg aiflame-svg stacks.folded
  grep -q "<title>all ($(count_of stacks.folded) samples" out/svg
  for option in --html --reverse --flamechart --inverted --colors=chain --cp --minwidth=0; do
    to "svg$option" aiflame-svg "$option" stacks.folded
  done
  aiflame-svg --html stacks.folded > out/page.html
  to differential aiflame-svg out/sorted.diff
  to report aiflame-report --top 0 --sections reason,kernel,function,line,instruction,frame stacks.folded
  to narrow aiflame-report --top 0 --width 40 --sections frame stacks.folded
  to json aiflame-report --top 0 --json --sections frame,kernel stacks.folded
  python3 -c 'import json; json.load(open("out/json"))'
  to change aiflame-report --before sorted.folded --after stacks.folded
  python3 -c 'import xml.dom.minidom as m; m.parse("out/svg"), m.parse("out/differential")'
  cp palette.map out
  controls check out/*
}

@test "controls in malformed lines: no message quotes one" {
  for program in aiflame-svg aiflame-report stackcollapse-aiflame; do
    to "$program" "$program" mistakes.folded
    to "$program.strict" "$program" --strict mistakes.folded
  done
  to diff aiflame-diff mistakes.folded mistakes.folded
  to attributes aiflame-svg --nameattr names.tab stacks.folded
  while read -r line; do
    printf '%s\n' "$line" > one.tab
    to "attributes$((++i))" aiflame-svg --nameattr one.tab stacks.folded
  done < mistakes.folded
  controls check out/*
}

@test "controls in paths, option values and the environment" {
  value=$(controls value)
  mkdir -p "$value"
  cp stacks.folded script.txt mistakes.txt mistakes.folded "$value"
  export HOME=$PWD/$value TMPDIR=$PWD/$value XDG_CACHE_HOME=$PWD/$value LANG=$value
  for program in stackcollapse-aiflame aiflame-svg aiflame-report gpustall-record; do
    to "$program.missing" "$program" "$value/missing"
    to "$program.directory" "$program" "$value"
    to "$program.option" "$program" "--$value"
    to "$program.short" "$program" "-$value"
    to "$program.text" "$program" "$value/mistakes.txt"
    to "$program.folded" "$program" "$value/mistakes.folded"
  done
  to diff.missing aiflame-diff "$value/a" "$value/b"
  to diff.folded aiflame-diff "$value/mistakes.folded" "$value/mistakes.folded"
  to diff.work aiflame-diff --normalize-by "$value" "$value/stacks.folded" "$value/stacks.folded"
  for option in title subtitle notes countname nametype fonttype colors bgcolors encoding total embed delta \
    minwidth width factor nameattr; do
    to "svg.$option" aiflame-svg "--$option=$value" stacks.folded
    to "page.$option" aiflame-svg --html "--$option=$value" stacks.folded
  done
  for option in event gpu-frames pids tids comms devices kernels time by-time launch-event stats; do
    to "collapse.$option" stackcollapse-aiflame "--$option=$value" script.txt
  done
  for option in normalize-by sections sort fail-on confidence sample top width; do
    to "report.$option" aiflame-report "--$option=$value" stacks.folded
  done
  to report.condition aiflame-report --fail-on "kernel:$value>1" --fail-on "/x|$value/>0" stacks.folded
  to report.json aiflame-report --json --fail-on "kernel:$value>1" stacks.folded
  for option in source output pid plugin-dir objects duration; do
    to "record.$option" timeout 10 gpustall-record "--$option=$value" "./$value/missing"
  done
  to record.command timeout 10 gpustall-record --source "$value" -- "./$value/missing"
  controls check out/*
}

@test "controls in a recording that is replayed: gpustall-record prints none" {
  to replay timeout 20 gpustall-record --source replay --input recording.gpustall
  to folded stackcollapse-aiflame out/replay
  assert_equal "$(sum out/folded)" "$(count_of recording.gpustall)"
  sed -i 's/^\t//' out/replay # frames are indented by it
  controls check out/*
}

@test "messages have one way out: whoever else writes to stderr is known here" {
  cd "$AIFLAME_ROOT"
  writers=$(grep -rlE '(write|fputs|fprintf|fwrite)\(.*(STDERR_FILENO|stderr)|std::(cerr|clog)|perror\(' \
    --include='*.cc' --include='*.h' tools libcommon plugins/dlfilter plugins/sources | sort)
  # the one way; a signal handler, with an escape of its own; a plugin of perf, and perf's message of a
  # new part, through printable()
  assert_equal "$writers" 'libcommon/base/program.cc
libcommon/io/file_window.cc
plugins/dlfilter/plugin.cc
tools/gpustall-record/flight/part_files.cc'
}
