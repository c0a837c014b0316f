# SPDX-License-Identifier: MIT
# gpustall-record's parts: --overwrite, --switch-output, --control and the like. A recording of
# known content (recorded/launch_stream.py) is replayed, so that each sum is known.
# shellcheck disable=SC2012,SC2016,SC2034,SC2154 # names of parts are digits; commands expand their own text
load common
load await
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  skip_without python3
}

stream() { python3 "$AIFLAME_ROOT/tests/recorded/launch_stream.py" "$@"; }
# replay OPTION…: replays ./whole
replay() { gpustall-record --source replay --input whole "$@" 2> err; }
# ends FILE…: the sums of samples and launches in the last lines
ends() { awk '/^# end/ { samples += $4; launches += $6 } END { print samples, launches }' "$@"; }
# folded FILE…: without what is said of the launches, which depends on how many recordings there are
folded() { stackcollapse-aiflame "$@" 2> /dev/null | grep -v '^#'; }

# assert_readable_alone FILE…: each part is a whole recording, and has what it names
assert_readable_alone() {
  local part
  for part; do
    assert_equal "$(head -n 1 "$part")" '# gpustall 1'
    assert_equal "$(grep -c '^# end' "$part")" 1
    awk '/^# launch [0-9]/ { number = $3; getline; getline
           if (/gpu-launch:/) defined[number] = 1
           else if (!(number in defined)) { print FILENAME ": launch " number; bad = 1 } }
         /^# launched/ && !($3 in defined) { print FILENAME ": launched " $3; bad = 1 }
         END { exit bad }' "$part"
    stackcollapse-aiflame "$part" > /dev/null 2> fold.err || { cat fold.err; return 1; }
    run -1 grep 'cut short' fold.err
    assert_equal "$(samples "$part")" "$(at_end samples "$part")"
  done
}

@test "--switch-output=SIZE: parts can be read alone, and add up to the whole" {
  stream 1000 800 > whole
  replay -o r --switch-output=200K
  assert_readable_alone r.*
  [ "$(ls r.* | wc -l)" -gt 5 ]
  [ ! -e r ]
  assert_equal "$(stat -c %a r.* | sort -u)" 600
  assert_equal "$(ends r.*)" "$(ends whole)"
  assert_equal "$(folded r.*)" "$(folded whole)"
  assert_equal "$(grep -c '^\[ gpustall-record: dump r\.[0-9]\{16\} \]$' err)" "$(ls r.* | wc -l)"
  grep -x "gpustall-record: [0-9]* parts with $(ends whole | sed 's/ / samples and /') launches" err
}

@test "sizes of launches are those of the whole" {
  stream 1000 800 > whole
  replay -o r --switch-output=200K
  replay -o ring --overwrite
  sizes() {
    awk '/^# gpustall/ { delete size } $2 == "size" { size[$3] = $5 }
      $2 == "launched" { count[$3 " " size[$3]] += $4 }
      END { for (kind in count) print kind, count[kind] }' "$@" | sort
  }
  assert_equal "$(sizes r.*)" "$(sizes whole)"
  assert_equal "$(sizes ring)" "$(sizes whole)"
}

@test "--switch-max-files keeps the latest parts" {
  stream 1000 800 > whole
  replay -o r --switch-output=200K
  local last
  last=$(cat r.* | grep '^# slice' | tail -n 1)
  rm r.*
  replay -o r --switch-output=200K --switch-max-files=3
  assert_equal "$(ls r.* | wc -l)" 3
  assert_equal "$(cat r.* | grep '^# slice' | tail -n 1)" "$last"
  grep 'parts with .* removed again$' err
}

@test "--overwrite --ring TIME: the last seconds are there, and what was overwritten is told" {
  stream 1000 800 > whole
  replay -o r --overwrite --ring 3s
  assert_readable_alone r
  assert_equal "$(grep '^# slice' r)" "$(grep '^# slice' whole | tail -n 300)"
  local kept dropped
  kept=$(ends r)
  dropped=$(sed -n 's/.*overwritten in the ring: \([0-9]*\) samples and \([0-9]*\) launches/\1 \2/p' err)
  assert_equal "$((${kept% *} + ${dropped% *})) $((${kept#* } + ${dropped#* }))" "$(ends whole)"
  # what is loaded before the first slice is at the head, what is unloaded within it goes there
  assert_equal "$(sed '/^# slice/q' r | grep -c PERF_RECORD_MMAP2)" 1
  assert_equal "$(folded r | awk '{ n += $NF } END { print n }')" "${kept% *}"
}

@test "--overwrite --ring SIZE: a part is no larger, and the end of an empty ring is a part too" {
  stream 1000 800 > whole
  replay -o r --overwrite --ring 100K
  assert_readable_alone r
  [ "$(stat -c %s r)" -le 102400 ]
  [ "$(stat -c %s r)" -gt 50000 ]
  stream 0 800 > whole
  replay -o r --overwrite
  assert_readable_alone r
  gpustall-record --source replay --input whole --overwrite > out 2> err
  assert_equal "$(tail -n 2 out | head -n 1)" '# end samples 0 launches 0 lost 0'
}

@test "signals at random moments: each part can be read alone, and nothing is lost between them" {
  mkfifo whole
  relay parts err '\[ gpustall-record: dump' '\[ gpustall-record: dump' '\[ gpustall-record: dump'
  stream 100 800 stop | tee copy > whole &
  gpustall-record --source replay --input whole -o r --switch-output 2> parts 3>&- &
  local recorder=$! i
  until [ -e r ]; do :; done # until then a signal would end the shell that becomes the recorder
  for i in 1 2 3; do
    kill -USR2 "$recorder"
    await parts
  done
  : > stop
  wait "$recorder"
  copied parts
  [ "$(ls r.* | wc -l)" -eq 4 ]
  assert_readable_alone r.*
  assert_equal "$(ends r.*)" "$(ends copy)"
  assert_equal "$(cat r.* | grep '^# slice')" "$(grep '^# slice' copy)"
}

@test "SIGUSR2 does not end the recorder, and the command gets its own signals back" {
  gpustall-record --sampling=off -o r -- \
    sh -c 'kill -USR2 $PPID; grep -E "^Sig(Blk|Ign)" /proc/self/status' > recorded 2> err
  assert_equal "$(cat recorded)" "$(grep -E '^Sig(Blk|Ign)' /proc/self/status)"
  assert_equal "$(at_end launches)" 0
}

@test "a signal and the command's end: parts of a live recording" {
  mkfifo go
  relay live err.txt '\[ gpustall-record: dump'
  gpustall-record --sampling=off -o r --overwrite --switch-output -- \
    sh -c 'kill -USR2 $PPID; cat go; exit 3' 2> live &
  local recorder=$! status=0
  await live
  release go
  wait "$recorder" || status=$?
  copied live
  assert_equal "$status" 3
  assert_equal "$(ls r.* | wc -l)" 2
  assert_readable_alone r.*
}

@test "--control: commands and answers; stop ends the command as an interrupt does" {
  local status=0
  mkfifo ctl ack never
  timeout 60 gpustall-record --sampling=off -o r -D -1 --switch-output --control fifo:ctl,ack -- \
    bash -c 'exec 5<>ack 6<>ctl
      for command in ping bogus enable disable snapshot; do
        echo $command >&6
        [ $command = bogus ] || { read -r -t 60 answer <&5; echo $command: $answer; }
      done
      echo stop >&6
      exec cat < never' > out 2> err || status=$?
  assert_equal "$status" 143
  assert_equal "$(cat out)" $'ping: ack\nenable: ack\ndisable: ack\nsnapshot: ack'
  assert_equal "$(grep -v -e dump -e captured -e parts -e hint err | sort)" \
    "gpustall-record: --control: unknown command 'bogus'
gpustall-record: events disabled
gpustall-record: events disabled
gpustall-record: events enabled"
  assert_equal "$(ls r.* | wc -l)" 2
}

@test "--control fd: inherited descriptors, which the command does not get" {
  local status=0
  mkfifo ctl never
  exec 7<> ctl
  echo stop >&7
  timeout 60 gpustall-record --sampling=off -o r --control fd:7 -- \
    sh -c '[ ! -e /proc/self/fd/7 ] && exec cat' <> never 2> err || status=$?
  exec 7>&-
  assert_equal "$status" 143
  run -125 --separate-stderr gpustall-record --sampling=off -o r --control fd:99 -- true
  assert_equal "$stderr" 'gpustall-record: --control: descriptor 99: Bad file descriptor'
}

@test "-D -1: nothing is recorded until it is enabled, and that is told" {
  stream 100 800 > whole
  replay -o r -D -1
  assert_equal "$(ends r)" '0 0'
  grep -x "gpustall-record: not recorded while disabled: $(ends whole |
    sed 's/ / samples and /') launches" err
}

@test "--max-size ends the recording" {
  stream 1000 800 > whole
  replay -o r --max-size 200K
  [ "$(stat -c %s r)" -ge 204800 ]
  [ "$(stat -c %s r)" -lt 900000 ]
  assert_readable_alone r
  grep -F 'has reached --max-size, 200 KB' err
}

@test "--timestamp-filename names the file at the end" {
  stream 10 800 > whole
  replay -o r --timestamp-filename
  assert_readable_alone r.*
  [ ! -e r ]
}

@test "mistakes with parts: 125 and one line" {
  local try="; try 'gpustall-record --help'"
  fails() { run -125 --separate-stderr gpustall-record "${@:2}" -- true; assert_equal "$stderr" "gpustall-record: $1$try"; }
  fails '--switch-output needs -o FILE: a pipe cannot be switched' --switch-output
  fails '--switch-output needs -o FILE: a pipe cannot be switched' --switch-output=10m -o -
  mkfifo pipe
  fails "--switch-output needs a regular file, and 'pipe' is none" --switch-output -o pipe
  fails "option '--switch-output': '10x' is not signal, a size such as 100M or a time such as 10m" \
    --switch-output=10x -o r
  fails '--ring is for --overwrite' --ring 30s -o r
  fails "option '--ring': '0s' is not a size such as 64M or a time such as 30s" --overwrite --ring 0s
  fails '--switch-max-files is for --switch-output' --switch-max-files 3 -o r
  fails "option '--switch-max-files': must be at least 1" --switch-output --switch-max-files 0 -o r
  fails "option '--control': 'pipe' is not fifo:CTL[,ACK] or fd:CTL[,ACK]" --control pipe -o r
  fails "option '--delay': '-2' is not a number of milliseconds, or -1" -D -2 -o r
  fails "option '--max-size': '1' is not a size such as 1G" --max-size 1 -o r
  fails '--overwrite writes nothing by itself: --switch-output by signal or time' \
    --overwrite --switch-output=1M -o r
}
