# SPDX-License-Identifier: MIT
# What is left to a program that a hostile input has taken over. That calls fail which are not
# allowed is tested in tests/unit/libcommon/process/sandbox_test.cc.
load attack

# rights PID: the state of its sandbox, as "NoNewPrivs Seccomp"
rights() {
  awk '/^NoNewPrivs:|^Seccomp:/ { printf "%s%s", sep, $2; sep = " " } END { print "" }' "/proc/$1/status"
}

# rights_of COMMAND...: the rights of a filter that waits for its input, which is the FIFO `input`
rights_of() {
  local pid fd
  "$@" > out 2> err 3>&- &
  pid=$!
  exec {fd}> input # waits until the filter has opened it
  rights "$pid"
  echo 'main;read 1' >&"$fd"
  exec {fd}>&-
  wait "$pid"
}

@test "each filter has dropped its rights when it opens its input, unless --no-sandbox" {
  mkfifo input
  echo 'main;read 1' > other
  local own
  own=$(rights self)
  is_sanitized && skip 'the sanitizers write reports: filters keep their rights'
  [ "${own#* }" = 0 ] || skip 'these tests run under a seccomp filter themselves'
  [ "$(rights_of aiflame-svg input)" = '1 2' ]
  [ "$(rights_of aiflame-diff input other)" = '1 2' ]
  [ "$(rights_of aiflame-merge input other)" = '1 2' ]
  [ "$(rights_of aiflame-export -f pprof input)" = '1 2' ]
  [ "$(rights_of aiflame-cost --unit ns --power 1 --pue 1 input)" = '1 2' ]
  [ "$(rights_of aiflame-report input)" = '1 2' ]
  [ "$(rights_of aiflame-forecast --from v100 --to h100 input)" = '1 2' ]
  [ "$(rights_of stackcollapse-aiflame input)" = '1 2' ]
  [ "$(rights_of aiflame-annotate input)" = '1 2' ] # though this is no recording
  assert_equal "$(rights_of aiflame-svg --no-sandbox input)" "$own"
  assert_equal "$(rights_of aiflame-diff --no-sandbox input other)" "$own"
  assert_equal "$(rights_of aiflame-merge --no-sandbox input other)" "$own"
  assert_equal "$(rights_of aiflame-export -f pprof --no-sandbox input)" "$own"
  assert_equal "$(rights_of aiflame-cost --unit ns --power 1 --pue 1 --no-sandbox input)" "$own"
  assert_equal "$(rights_of aiflame-report --no-sandbox input)" "$own"
  assert_equal "$(rights_of stackcollapse-aiflame --no-sandbox input)" "$own"
  assert_equal "$(rights_of aiflame-annotate --no-sandbox input)" "$own"
}

@test "--stats and --cp: a run that fails leaves the file as it was" {
  echo old > stats.json
  run -1 stackcollapse-aiflame --stats stats.json /nonexistent
  [ "$(cat stats.json)" = old ]
  echo 'main->rgb(1,2,3)' > palette.map
  run -1 aiflame-svg --cp /nonexistent
  [ "$(cat palette.map)" = 'main->rgb(1,2,3)' ]
  # and a shorter text does not end in what was there
  printf 'x%.0s' {1..9999} > stats.json
  stackcollapse-aiflame --stats stats.json "$DATA/stackcollapse-aiflame/matmul.gpustall" > /dev/null 2>&1
  jq -e . stats.json > /dev/null
}

# sparse PROGRAM OUT: the program with a symbol table of 1 GB, none of which is on the disk
sparse() {
  python3 - "$@" << 'END'
import struct, sys
data = bytearray(open(sys.argv[1], 'rb').read())
shoff, = struct.unpack_from('<Q', data, 0x28)
size, count = struct.unpack_from('<HH', data, 0x3a)
end = len(data) + 4095 & -4096
for at in range(shoff, shoff + size * count, size):
    if struct.unpack_from('<I', data, at + 4) == (2,):
        struct.pack_into('<QQ', data, at + 0x18, end, 10**9 // 24 * 24)
with open(sys.argv[2], 'wb') as file:
    file.write(data)
    file.truncate(end + 10**9 // 24 * 24)
END
}

@test "a recorded program with 1 GB of symbols: the recorder stays small, and says what is missing" {
  skip_unless_samples
  local demo=$AIFLAME_BUILD/tests/demo
  export POCL_CACHE_DIR=$BATS_FILE_TMPDIR/pocl
  mkdir -p "$POCL_CACHE_DIR"
  cp "$demo"/*.cl .
  sparse "$demo/matmul" hostile
  chmod +x hostile
  gpustall-record --objects objects -o recording -- ./hostile --size 64 --seconds 1 2> err &
  local pid=$!
  # the peak of the recorder itself, before it ends: it waits for its command
  while kill -0 "$pid" 2> /dev/null; do
    awk '/^VmHWM:/ { print $2 }' "/proc/$pid/status" >> peaks 2> /dev/null || true
  done
  wait "$pid"
  cat err >&2
  [ "$(sort -n peaks | tail -1)" -lt 262144 ]
  grep -q 'CPU frames without functions' err
}
