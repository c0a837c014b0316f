# SPDX-License-Identifier: MIT
# Directories whose user is somebody else: links in them, which change while a program works, must
# not lead it to make or overwrite anything outside.
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
