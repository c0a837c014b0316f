# SPDX-License-Identifier: MIT
# Directories whose user is somebody else: links in them, which change while a program works, must
# not lead it to make or overwrite anything outside.
# shellcheck disable=SC2030,SC2031,SC2154 # Bats sets output and stderr
load attack

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  [ "$(id -u)" -eq 0 ] || skip 'another user needs root'
  skip_without setpriv
  [ -x /usr/bin/python3 ] || skip 'there is no python3 that nobody may run'
  mkdir roots theirs
  chown nobody theirs
  # as far as this directory, nobody may come
  local above=$PWD
  while [ "$above" != / ] && [ "$above" != /tmp ]; do
    chmod o+x "$above"
    above=$(dirname "$above")
  done
}

teardown() {
  [ ! -d theirs ] || touch theirs/stop
}

as_nobody() { setpriv --reuid=nobody --regid=nogroup --clear-groups "$@"; }

@test "-p by root makes no directory where the process points to" {
  echo page > theirs/opencl-agent.so
  chmod 644 theirs/opencl-agent.so
  cat > swap.py << 'END'
import ctypes, mmap, os, sys
where, agent, there = sys.argv[1:4]
os.makedirs(f"{where}/l1/aiflame-evil", mode=0o700)
os.symlink(there, f"{where}/l2")
held = mmap.mmap(os.open(agent, os.O_RDONLY), 0, prot=mmap.PROT_READ)
print(os.getpid(), flush=True)
renameat2 = ctypes.CDLL(None).renameat2
one, other = f"{where}/l1".encode(), f"{where}/l2".encode()
while not os.path.exists(f"{where}/stop"):
    for _ in range(1000):
        renameat2(-100, one, -100, other, 2)  # RENAME_EXCHANGE
END
  mkfifo ready
  AIFLAME_AGENT=$(printf '%032d' 0):0:0:0:$PWD/theirs/l1/aiflame-evil \
    as_nobody /usr/bin/python3 -B swap.py "$PWD/theirs" "$PWD/theirs/opencl-agent.so" "$PWD/roots" > ready 3>&- &
  local job=$! evil tries
  read -r evil < ready
  tries=$(scale 30 500)
  for ((i = 0; i < tries; ++i)); do
    timeout 20 gpustall-record --source opencl-cpu --sampling off -o r --duration 0.001 -p "$evil" 2> err || true
    grep -q "agent of process" err
  done
  touch theirs/stop
  wait "$job"
  assert_equal "$(ls -A roots)" ''
}

@test "--control writes no answer through a link, or into a file" {
  mkfifo commands answers
  echo content > file
  ln -s answers link
  local answers message
  for answers in link file; do
    message="cannot open 'link': Too many levels of symbolic links"
    [ "$answers" = link ] || message="'file' is no FIFO"
    run -125 --separate-stderr gpustall-record --source opencl-cpu --sampling off -o r --switch-output \
      --control "fifo:commands,$answers" -- true
    # shellcheck disable=SC2154 # Bats sets stderr
    assert_equal "$stderr" "gpustall-record: $message"
  done
  assert_equal "$(cat file)" content
}

# The exact status and message of what is refused, and that nothing was written below roots.
# refused STATUS WHAT COMMAND…
refused() {
  local status=$1 what=$2
  shift 2
  run "-$status" --separate-stderr "$@"
  assert_equal "$stderr" "$1: cannot write $what"
  [ -z "$output" ]
  assert_equal "$(find roots -type f -exec cat {} +)" content
  assert_equal "$(ls roots)" victim
}

# recording NAME: with a kernel k
recording() {
  printf '# gpustall 1\n# launch ?\n\napp 7/7 [000]  1.01: 1 gpu-stall: \n\t 0 r ([stall])\n\t 1430 k+0x30 (/tmp/k.so)\n\n' > "$1"
  printf '# end samples ? launches 0 lost 0\n\n' >> "$1"
}

@test "no output follows a link, or goes into a file, that another user has put there" {
  echo content > roots/victim
  as_nobody ln -s "$PWD/roots/victim" theirs/link
  as_nobody ln -s "$PWD/roots/new" theirs/dangling
  as_nobody ln -s "$PWD/roots" theirs/directory
  as_nobody bash -c 'umask 0; echo theirs > theirs/file; mkfifo theirs/pipe'
  ln roots/victim theirs/hard
  recording r
  printf 'main;k 1\n' > folded
  local what place name
  while IFS=: read -r name what; do
    place="'theirs/$name': $what"
    refused 125 "$place" gpustall-record --source opencl-cpu --sampling off -o "theirs/$name" -- true
    refused 125 "$place" gpustall-record --source replay --input r -o "theirs/$name"
    refused 1 "$place" aiflame-export -f pprof -o "theirs/$name" folded
    refused 1 "$place" aiflame-annotate --html "theirs/$name" r
    refused 1 "$place" aiflame-annotate --stats "theirs/$name" r
    refused 1 "$place" stackcollapse-aiflame --stats "theirs/$name" r
    case $name in hard | file | directory/new)
      refused 125 "$place" gpustall-record --source replay --input r -o "theirs/$name" --switch-output
      ;;
    esac
  done << 'WHAT'
link:it is a link, which is not followed
dangling:it is a link, which is not followed
hard:it is a hard link
file:it belongs to another user
pipe:it belongs to another user
directory/new:'directory' is another user's link, which root does not follow
WHAT
  assert_equal "$(cat theirs/file)" theirs
  run -1 --separate-stderr aiflame-annotate --html theirs/directory/new/ r
  assert_equal "$stderr" "aiflame-annotate: cannot make directory 'theirs/directory/new': 'directory' is another user's link, which root does not follow"
  # the map of colours has one name
  as_nobody ln -s "$PWD/roots/victim" theirs/palette.map
  run -1 --separate-stderr env -C theirs aiflame-svg --cp "$BATS_TEST_TMPDIR/folded"
  assert_equal "$stderr" "aiflame-svg: cannot write 'palette.map': it is a link, which is not followed"
  assert_equal "$(cat roots/victim)" content
}

@test "the names that --html DIR writes follow no link either" {
  echo content > roots/victim
  recording r
  local name
  for name in index.html links k.html; do
    rm -rf theirs/pages
    as_nobody mkdir -m 777 theirs/pages
    as_nobody ln -s "$PWD/roots/victim" "theirs/pages/$name"
    refused 1 "'theirs/pages/$name': it is a link, which is not followed" aiflame-annotate --html theirs/pages r
  done
}

@test "parts: a name that another user takes between two of them is taken back" {
  echo content > roots/victim
  mkfifo commands answers whole
  chmod 777 theirs
  local fd
  skip_without python3
  python3 "$AIFLAME_ROOT/tests/recorded/launch_stream.py" 1000 800 > stream
  cat > plant.py << 'PLANT'
import os, sys
name, victim = sys.argv[1:]
while not os.path.exists("theirs/stop"):
    try:
        os.symlink(victim, name)  # whenever the name is free
    except FileExistsError:
        pass
PLANT
  cp plant.py theirs
  gpustall-record --source replay --input whole -o theirs/r --switch-output=20K 2> err &
  local recorder=$!
  exec {fd}> whole
  head -n 500 stream >&"$fd"
  until [ -e theirs/r ]; do :; done
  as_nobody /usr/bin/python3 -B theirs/plant.py theirs/r "$PWD/roots/victim" 3>&- {fd}>&- &
  tail -n +501 stream >&"$fd"
  exec {fd}>&-
  wait "$recorder"
  touch theirs/stop
  wait
  assert_equal "$(cat roots/victim)" content
  [ "$(ls roots)" = victim ]
  [ "$(find theirs -name 'r.*' -type f | wc -l)" -gt 20 ]
  assert_equal "$(find theirs -name 'r.*' ! -type f)" ''
  assert_equal "$(awk '/^# end/ { samples += $4; launches += $6 } END { print samples, launches }' theirs/r.*)" \
    "$(awk '/^# end/ { print $4, $6 }' stream)"
}

@test "what the user names: FIFOs, devices, descriptors, and links of root's on the way" {
  recording r
  mkdir real
  ln -s real link
  mkfifo pipe
  local out
  for out in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
    gpustall-record --source replay --input r -o "$out" > to 2> err
    assert_equal "$(head -n 1 to)" '# gpustall 1'
    assert_equal "$(gpustall-record --source replay --input r -o "$out" 2> err | head -n 1)" '# gpustall 1'
  done
  gpustall-record --source replay --input r -o pipe 2> err &
  assert_equal "$(head -n 1 pipe)" '# gpustall 1'
  wait "$!"
  gpustall-record --source replay --input r -o /dev/null 2> err
  gpustall-record --source replay --input r -o link/out 2> err
  gpustall-record --source replay --input r -o "$PWD/link/../real/./out2" 2> err
  cmp real/out real/out2
  run -125 --separate-stderr gpustall-record --source replay --input r -o /dev/full
  [[ $stderr = *'/dev/full: write error: No space left on device' ]]
}

@test "two recorders with one file: the second is refused, and the first's is whole" {
  mkfifo whole
  recording r
  skip_without python3
  python3 "$AIFLAME_ROOT/tests/recorded/launch_stream.py" 1000 800 > stream
  gpustall-record --source replay --input whole -o out 2> err &
  local recorder=$! fd option
  exec {fd}> whole
  head -n 500 stream >&"$fd"
  until [ -e out ]; do :; done
  for option in '' --switch-output --overwrite; do
    # shellcheck disable=SC2086 # no word
    run -125 --separate-stderr gpustall-record --source replay --input r -o out $option
    assert_equal "$stderr" "gpustall-record: cannot write 'out': another program writes it"
    run -125 --separate-stderr gpustall-record --source opencl-cpu --sampling off -o out -- true
    assert_equal "$stderr" "gpustall-record: cannot write 'out': another program writes it"
  done
  tail -n +501 stream >&"$fd"
  exec {fd}>&-
  wait "$recorder"
  assert_equal "$(tail -n 1 out)" "$(tail -n 1 stream)"
  assert_equal "$(stackcollapse-aiflame out 2> /dev/null)" "$(stackcollapse-aiflame stream 2> /dev/null)"
  # and then it is free
  gpustall-record --source replay --input r -o out
}
