# SPDX-License-Identifier: MIT
# The channel between agents and the recorder: every process is in the recording or counted as
# turned away, and nobody else gets in.
load attack
load ../cli/await

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so XDG_CACHE_HOME=$PWD/cache
  export ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so
  # where the recorder has its directory
  mkdir -m 700 run
  export XDG_RUNTIME_DIR=$PWD/run
  export FORKS=$AIFLAME_BUILD/tests/demo/forks # two processes with five launches each
  export AROUND=$AIFLAME_BUILD/tests/attack/libchannel_delays.so
  stranger=$AIFLAME_BUILD/tests/attack/channel_stranger
  # closed: runs a program without the socket that it inherits
  cat > closed << 'END'
#!/bin/bash
IFS=: read -r _ _ fd _ <<< "$AIFLAME_AGENT"
if [ -n "$fd" ]; then exec {fd}>&-; fi
exec "$@"
END
  chmod +x closed
}

# not a function, so that in the background $! is the recorder itself
record=(gpustall-record --source opencl-cpu -o r --objects objects --)

# launches in the recording, and those that it says were lost
captured() { sed -n 's/^# end samples [0-9]* launches \([0-9]*\) .*/\1/p' r; }
lost() { awk '/PERF_RECORD_LOST lost [0-9]+ gpu-launch/ { n += $(NF - 1) } END { print n + 0 }' r; }
# agents of the command that are not in it
turned_away() { sed -n 's/.*, all launches of \([0-9]*\) agents.*/\1/p' err | grep . || echo 0; }

# accounted AGENTS: each agent, of five launches, is captured or counted
accounted() {
  echo "of $1 agents: $(captured) launches, $(lost) lost, $(turned_away) agents turned away" >&2
  assert_equal $(($(captured) + $(lost) + 5 * $(turned_away))) $((5 * $1))
}

# all_of AGENTS: nothing was lost
all_of() {
  accounted "$1"
  assert_equal "$(captured)" $((5 * $1))
}

needs_root() { [ "$(id -u)" -eq 0 ] || skip "$1 needs root"; }
as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }
# theirs: the recorder, the program and its OpenCL are where nobody can read them
theirs() {
  build_for_others tests/demo/forks tests/libopencl-null.so
  export FORKS=$PWD/build/tests/demo/forks OCL_ICD_VENDORS=$PWD/build/tests/libopencl-null.so
}

@test "short processes at full rate: each is in the recording, by either way" {
  local runs way
  runs=$(scale 100 25000)
  for way in env ./closed; do
    "${record[@]}" sh -c 'yes | head -n "$1" | xargs -P 8 -n 1 "$2" "$FORKS" > /dev/null' sh "$runs" "$way" 2> err
    all_of $((2 * runs))
  done
}

@test "delays between connecting and greeting lose nobody, by either way" {
  local runs way
  runs=$(scale 40 2500)
  for way in env ./closed; do
    "${record[@]}" sh -c 'yes | head -n "$1" |
      xargs -P 16 -n 1 env LD_PRELOAD="$AROUND" "$2" "$FORKS" > /dev/null' sh "$runs" "$way" 2> err
    all_of $((2 * runs))
  done
}

@test "the recorder is stopped: programs go on, and nothing is lost without a count" {
  mkfifo start ended go
  # runs programs for a while, and says how many
  cat > many << 'END'
#!/bin/bash
echo > start
cat go > /dev/null
for ((end = SECONDS + $1, n = 0; SECONDS < end || n < 20; ++n)); do "$FORKS" > /dev/null; done
echo "$n" > ended
END
  chmod +x many
  "${record[@]}" ./many "$(scale 1 10)" 2> err &
  local recorder=$! runs
  read -r < start
  kill -STOP "$recorder"
  release go
  read -r -t 60 runs < ended
  kill -CONT "$recorder"
  wait "$recorder"
  all_of $((2 * runs))
}

@test "a stopped recorder's programs launch at full rate: captured and lost are all" {
  [ -e "$ZE_ENABLE_ALT_DRIVERS" ] || skip 'libze-dev is not installed'
  mkfifo start ended go
  local rounds recorder
  rounds=$(scale 100000 1000000)
  "${record[@]}" sh -c 'echo > start; cat go > /dev/null; "$@" > /dev/null; echo > ended' sh \
    "$AIFLAME_BUILD/tests/demo/ze_launches" immediate "$rounds" 2> err &
  recorder=$!
  read -r < start
  kill -STOP "$recorder"
  release go
  read -r -t 60 < ended
  kill -CONT "$recorder"
  wait "$recorder"
  [ "$(lost)" -gt 0 ]
  assert_equal $(($(captured) + $(lost))) $((4 * rounds))
}

@test "many processes at one time" {
  [ -e "$ZE_ENABLE_ALT_DRIVERS" ] || skip 'libze-dev is not installed'
  mkfifo go out
  local count recorder
  count=$(scale 100 1000)
  # a pipe whose end all of them wait for
  "${record[@]}" bash -c 'exec {pipe}< <(cat go); export ZE_LAUNCHED=/dev/fd/$pipe
    for ((i = 0; i < $0; ++i)); do "$@" & done; wait' "$count" \
    "$AIFLAME_BUILD/tests/demo/ze_launches" immediate 1 > out 2> err &
  recorder=$!
  # they are all there, and have launched
  grep -m "$count" -c ready out
  release go
  wait "$recorder"
  assert_equal "$(captured) $(lost) $(turned_away)" "$((4 * count)) 0 0"
}

@test "namespaces of network, mounts and processes are crossed" {
  needs_root 'a namespace'
  unshare -nmp --fork true 2> err || skip "no namespaces here: $(cat err)"
  local hide='mount -t tmpfs none "$XDG_RUNTIME_DIR" && exec "$@"' way
  for way in env ./closed; do
    "${record[@]}" unshare -n "$way" "$FORKS" > out 2> err
    all_of 2
    "${record[@]}" unshare -p --fork "$way" "$FORKS" > out 2> err
    all_of 2
  done
  "${record[@]}" unshare -m sh -c "$hide" sh "$FORKS" > out 2> err
  all_of 2
  "${record[@]}" unshare -nmp --fork sh -c "$hide" sh "$FORKS" > out 2> err
  all_of 2
  # the directory is gone with the recorder
  assert_equal "$(ls run)" ''
}

@test "a user namespace in which the recorder has another number" {
  unshare -Ur true 2> err || skip "no user namespaces here: $(cat err)"
  local way
  for way in env ./closed; do
    "${record[@]}" unshare -U "$way" "$FORKS" > out 2> err
    all_of 2
    "${record[@]}" unshare -Ur "$way" "$FORKS" > out 2> err
    all_of 2
  done
}

@test "programs that close what they inherit, and orphans of two forks" {
  skip_without python3
  "${record[@]}" python3 -c 'import os, subprocess; subprocess.run([os.environ["FORKS"]], close_fds=True)' > out 2> err
  all_of 2
  # a process that forks twice stays below the recorder, which then is its parent
  mkfifo ended
  "${record[@]}" sh -c '(setsid sh -c "sleep 0; \"\$FORKS\" > out; echo > ended" &); read -r _ < ended' 2> err
  all_of 2
}

@test "a program that root starts as another user is in the recording" {
  needs_root 'another user'
  skip_without setpriv
  theirs
  "${record[@]}" setpriv --reuid=nobody --regid=nogroup --clear-groups "$FORKS" > out 2> err
  all_of 2
}

# The most memory that the recorder has had, in kB.
peak() { sed -n 's/^VmHWM:[ \t]*\([0-9]*\) kB/\1/p' "/proc/$1/status"; }

# The directory of the recorder with this process number.
directory_of() {
  tr '\0' '\n' < "/proc/$(pgrep -o -P "$1")/environ" | sed -n 's/^AIFLAME_AGENT=[^/]*//p'
}

@test "nobody gets in, who knows all that /proc shows" {
  needs_root 'another user'
  skip_without setpriv
  mkfifo start go
  "${record[@]}" sh -c 'echo > start; cat go; exec "$FORKS"' > out 2> err &
  local recorder=$! memory
  read -r < start
  as_nobody "$stranger" flood "$(scale 5000 100000)" "$PWD/run" < /dev/null > said
  memory=$(peak "$recorder")
  release go
  wait "$recorder"
  echo "$(cat said); the recorder took $memory kB" >&2
  run -1 grep INTRUDER r
  all_of 2
  [ "$memory" -lt 262144 ]
  assert_equal "$(cat said)" 'secrets 0 sent 0'
}

@test "nobody gets in through a part of the command that runs as nobody" {
  needs_root 'another user'
  skip_without setpriv
  chmod 711 .
  mkfifo start go end said
  chmod 666 start go
  # nobody may read this part's environment, and copy its descriptors
  "${record[@]}" sh -c 'setpriv --reuid=nobody --regid=nogroup --clear-groups sh -c "echo > start; cat go"
    exec "$FORKS"' > out 2> err &
  local recorder=$! memory line
  read -r < start
  as_nobody "$stranger" flood "$(scale 500 5000)" "$PWD/run" < end > said 3>&- &
  exec {hold}> end
  read -r -t 60 line < said
  memory=$(peak "$recorder")
  release go
  wait "$recorder"
  exec {hold}>&-
  echo "$line; the recorder took $memory kB" >&2
  [[ $line =~ ^'secrets '[12]' sent '[1-9] ]]
  run -1 grep INTRUDER r
  all_of 2
  [ "$memory" -lt 262144 ]
  grep -q "greetings were refused: their processes are not the command's: channel_strange" err
}

@test "a user's own other processes do not get in either, and are named" {
  mkfifo start go end said
  "${record[@]}" sh -c 'echo > start; cat go; exec "$FORKS"' > out 2> err &
  local recorder=$! line
  read -r < start
  "$stranger" flood "$(scale 100 1000)" "$PWD/run" < end > said 3>&- &
  exec {hold}> end
  read -r -t 60 line < said
  "$stranger" mute 2000 "$(directory_of "$recorder")" < end > said 3>&- &
  read -r -t 60 < said
  release go
  wait "$recorder"
  exec {hold}>&-
  [[ $line =~ ^'secrets '[1-9]+' sent '[1-9] ]]
  run -1 grep INTRUDER r
  all_of 2
  grep -q "greetings were refused: their processes are not the command's: channel_strange" err
}

@test "a process of the command that takes all rings loses them alone" {
  "${record[@]}" sh -c '"$@" < /dev/null & "$FORKS"; wait; exec "$FORKS"' sh "$stranger" flood 200 "$PWD/run" > out 2> err
  # its own launches are in the recording: it is of the command
  grep -q INTRUDER r
  assert_equal "$(awk '/gpu-launch:/ { split($2, id, "/"); getline; if ($2 !~ /INTRUDER/) of[id[1]] }
    END { for (pid in of) ++n; print n }' r)" 4
  # by its name, unless it had ended by then
  grep -Eq 'agents were refused: too many at a time: (channel_strange \(|process )[0-9]' err
  [ "$(turned_away)" -gt 0 ]
  grep -q 'PERF_RECORD_LOST lost ? gpu-launch' r
}

@test "after the recorder was killed, a stranger in its place is handed nothing" {
  needs_root 'another user'
  skip_without setpriv
  export XDG_RUNTIME_DIR= # so the directory is in /tmp, where others may make files
  mkfifo start go
  "${record[@]}" bash -c 'echo > start; cat go > /dev/null; ./closed "$FORKS"; echo "$?" > ended' > out 2> err &
  local recorder=$! directory listener line
  read -r < start
  directory=$(directory_of "$recorder")
  kill -KILL "$recorder"
  # the directory is root's and stays: nobody cannot take its place
  run ! as_nobody "$stranger" listen "$directory" < /dev/null
  # but something may clean /tmp
  rm -r "$directory"
  mkfifo said end
  as_nobody "$stranger" listen "$directory" < end > said 3>&- &
  listener=$!
  exec {hold}> end
  exec {lines}< said
  read -r -t 60 -u "$lines" line
  assert_equal "$line" listening
  release go
  read -r -t 60 -u "$lines" line
  assert_equal "$line" connected
  exec {hold}>&-
  wait "$listener"
  run -1 grep memory <&"$lines"
  rm -rf "$directory"
}

# ---- --listen ----------------------------------------------------------------------------------

# listening: a recorder that serves ./agents; its programs' variables are in ./settings
listening() {
  gpustall-record --print-env --listen agents > settings
  rm -f live live.lines # of an earlier one
  relay live r '^# gpustall'
  gpustall-record --source opencl-cpu --sampling off -o live --objects objects --listen agents 2> err &
  recorder=$!
  await live
}

told() {
  local settings
  mapfile -t settings < "${told_by:-settings}"
  env "${settings[@]}" "$@"
}

stopped() {
  kill -INT "$recorder"
  wait "$recorder"
  copied live
}

@test "--listen: a directory or a secret that others could use is refused" {
  mkdir -m 750 agents
  run -125 --separate-stderr gpustall-record --print-env --listen agents
  assert_equal "$stderr" "gpustall-record: '$PWD/agents' is open to other users: chmod 0700 it"
  chmod 700 agents
  ln -s agents link
  run -125 --separate-stderr gpustall-record --print-env --listen link
  [[ $stderr == *"cannot open '$PWD/link'"* ]]
  printf '%032d\n' 0 > agents/secret
  chmod 644 agents/secret
  run -125 --separate-stderr gpustall-record --print-env --listen agents
  [[ $stderr == *"agents/secret' is no secret of yours alone"* ]]
  mv agents/secret elsewhere
  chmod 600 elsewhere
  ln -s ../elsewhere agents/secret
  run -125 --separate-stderr gpustall-record --print-env --listen agents
  [[ $stderr == *"cannot open '$PWD/agents/secret'"* ]]
  if [ "$(id -u)" -eq 0 ]; then
    mkdir -m 700 theirs
    chown nobody theirs
    run -125 --separate-stderr gpustall-record --print-env --listen theirs
    assert_equal "$stderr" "gpustall-record: '$PWD/theirs' belongs to another user"
  fi
}

@test "--listen: one recorder at a time, and the next one after one that was killed" {
  listening
  run -125 --separate-stderr gpustall-record --source opencl-cpu --sampling off -o r2 --listen agents
  assert_equal "$stderr" "gpustall-record: another recorder listens in '$PWD/agents'"
  told "$FORKS" > out
  kill -KILL "$recorder"
  wait "$recorder" || true
  copied live
  [ -S agents/agents ]
  listening
  told "$FORKS" > out
  stopped
  all_of 2
}

@test "--listen: who does not know the secret is counted and named" {
  listening
  sed 's/=[0-9a-f]\{32\}:/=00000000000000000000000000000000:/' settings > wrong
  told_by=wrong told "$FORKS" > out
  told "$FORKS" > out
  stopped
  all_of 2
  grep -Eq '2 greetings were refused: they are not agents.: (forks \(|process )[0-9]' err
}

@test "--listen: another user cannot come in, nor read the secret" {
  needs_root 'another user'
  skip_without setpriv
  theirs
  listening
  run -1 as_nobody cat agents/secret
  # even one who has been told it: root's directory is closed to them
  told setpriv --reuid=nobody --regid=nogroup --clear-groups "$FORKS" > out
  told "$FORKS" > out
  stopped
  all_of 2
}

@test "--listen: a process in a pid namespace that the recorder does not see is counted" {
  needs_root 'a namespace'
  unshare -p --fork true 2> err || skip "no namespaces here: $(cat err)"
  gpustall-record --print-env --listen agents > settings
  relay live r '^# gpustall'
  mkfifo go
  unshare -p --fork --kill-child sh -c 'gpustall-record --source opencl-cpu --sampling off -o live --listen agents & cat go
    kill -INT "$!"; wait "$!"' 2> err &
  local container=$!
  await live
  told "$FORKS" > out
  release go
  wait "$container"
  copied live
  assert_equal "$(captured) $(turned_away)" '0 2'
  grep -q '2 agents were refused: their processes are in pid namespaces that the recorder does not see' err
}
