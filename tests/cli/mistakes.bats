# SPDX-License-Identifier: MIT
# Ten mistakes of the first hour: each message names what was found, and what to type.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  cp "$DATA/stackcollapse-aiflame/matmul.gpustall" r.gpustall
  stackcollapse-aiflame r.gpustall > r.folded 2> err
}

# says STATUS MESSAGE COMMAND...: the command writes nothing but the message
says() {
  run "-$1" --separate-stderr "${@:3}"
  assert_equal "$stderr" "$2"
}

@test "the wrong order of the pipe" {
  says 1 'aiflame-svg: r.gpustall: this is a recording of gpustall-record; fold it first: stackcollapse-aiflame r.gpustall' \
    aiflame-svg r.gpustall
  says 1 'stackcollapse-aiflame: r.folded: this is folded stacks; draw them: aiflame-svg r.folded' \
    stackcollapse-aiflame r.folded
  says 1 'aiflame-diff: r.gpustall: this is a recording of gpustall-record; fold it first: stackcollapse-aiflame r.gpustall' \
    aiflame-diff r.gpustall r.gpustall
}

@test "the wrong file" {
  cp /bin/true app
  says 1 'stackcollapse-aiflame: app: this is a program or a library; record it: gpustall-record -o r.gpustall -- app' \
    stackcollapse-aiflame app
  says 1 'stackcollapse-trace: r.gpustall: this is a recording of gpustall-record; fold it first: stackcollapse-aiflame r.gpustall' \
    stackcollapse-trace r.gpustall
  printf 'x\0y' > r.nsys-rep
  says 1 'aiflame: r.nsys-rep: this is a report of Nsight Systems; export it, and fold that: nsys export --type sqlite -o r.sqlite r.nsys-rep; stackcollapse-nsys r.sqlite' \
    aiflame r.nsys-rep
  printf '# aiflame\n\nA page; with words.\n' > README.md
  says 1 'aiflame: README.md: no known form; aiflame(1) lists the files that can be drawn' aiflame README.md
}

@test "a program and a process that are not there" {
  says 127 "gpustall-record: cannot run 'nosuchprogram': No such file or directory" \
    gpustall-record -o x -- nosuchprogram
  says 125 'gpustall-record: no process 2147483646' gpustall-record -p 2147483646
}

@test "no rights: another user's process, and a place that is root's" {
  [ "$(id -u)" -eq 0 ] || skip 'only root can become another user'
  [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] || skip 'kernel.perf_event_paranoid forbids samples'
  build_for_others
  says 125 "gpustall-record: source 'opencl-cpu': cannot open perf events: Permission denied: \
process $$ is another user's: record it as root" \
    setpriv --reuid=65534 --clear-groups gpustall-record --source opencl-cpu -o - -p $$
  mkdir roots
  says 125 "gpustall-record: cannot write 'roots/r.gpustall': Permission denied" \
    setpriv --reuid=65534 --clear-groups gpustall-record --source opencl-cpu -o roots/r.gpustall -- true
}

@test "a grep that loses what the counts are" {
  run -0 --separate-stderr bash -c 'set -o pipefail; grep multiply_basic r.folded | aiflame-svg > a.svg'
  assert_equal "$stderr" "aiflame-svg: warning: <stdin>: no line '# aiflame: ...': the unit of the counts is \
not known; a grep keeps the line with -e '^# aiflame'"
  run -0 --separate-stderr bash -c 'set -o pipefail
    grep -e "^# aiflame" -e multiply_basic r.folded | aiflame-svg > a.svg'
  assert_equal "$stderr" ''
  run -0 --separate-stderr bash -c 'grep multiply_basic r.folded | aiflame-svg --countname ns > a.svg'
  assert_equal "$stderr" ''
}
