# SPDX-License-Identifier: MIT
# Programs that the recorder did not start: --listen, and the variables of --print-env; and programs
# whose files are not where the recorder would look.
# shellcheck disable=SC2154 # Bats sets stderr
# shellcheck disable=SC2030,SC2031 # HOME is each test's own
load common
load await
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export OCL_ICD_VENDORS=$AIFLAME_BUILD/tests/libopencl-null.so XDG_CACHE_HOME=$PWD/cache
  forks=$AIFLAME_BUILD/tests/demo/forks # ten launches, from two processes
}

# told COMMAND…: runs it with the variables of --print-env
told() {
  local settings
  mapfile -t settings < settings
  env "${settings[@]}" "$@"
}

# listening OPTION…: a recorder that serves ./agents and writes r
listening() {
  gpustall-record --print-env --listen agents > settings
  rm -f live live.lines # of an earlier one
  relay live r '^# gpustall'
  gpustall-record --source opencl-cpu --sampling off --objects objects -o live --listen agents "$@" 2> err &
  recorder=$!
  await live
}

stopped() {
  kill -INT "$recorder"
  wait "$recorder"
  copied live
}

build_id() {
  readelf -n "$1" | sed -n 's/.*Build ID: //p'
}

@test "--print-env prints what loads the agents, and the same secret each time" {
  gpustall-record --print-env --listen agents > first
  gpustall-record --print-env --listen ./agents/ > second
  cmp first second
  assert_equal "$(sed -E 's/=[0-9a-f]{32}:/=SECRET:/' first)" "AIFLAME_AGENT=SECRET:$(id -u):0:0:$PWD/agents
OPENCL_LAYERS=$AIFLAME_BUILD/libexec/aiflame/opencl-agent.so$(
    [ ! -e "$AIFLAME_BUILD/libexec/aiflame/level-zero/libze_tracing_layer.so.1" ] || printf '%s\n' '' \
      "LD_LIBRARY_PATH=$AIFLAME_BUILD/libexec/aiflame/level-zero" ZE_ENABLE_TRACING_LAYER=1)$(
    [ ! -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] || printf '%s\n' '' \
      "CUDA_INJECTION64_PATH=$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so")"
  assert_equal "$(stat -c %a agents agents/secret)" $'700\n600'
  # an image has the agents elsewhere, and nothing of the user's own settings
  OPENCL_LAYERS=mine gpustall-record --print-env --listen agents --plugin-dir /aiflame > image
  grep -qx 'OPENCL_LAYERS=/aiflame/opencl-agent.so' image
}

@test "--print-env says what an agent shall sample that is the source" {
  [ -e "$AIFLAME_BUILD/libexec/aiflame/cupti-agent.so" ] || skip 'the cupti agent is not built'
  gpustall-record --print-env --listen agents --source cupti --period 2048 --ranges > settings
  grep -qx 'AIFLAME_SAMPLE=cupti interval=10 period=2048 duty=100' settings
  grep -q '^NVTX_INJECTION64_PATH=' settings
  run ! grep AIFLAME_NUMBER_RANGES settings
  gpustall-record --print-env --listen agents --number-ranges 'step *' > settings
  grep -q '^NVTX_INJECTION64_PATH=' settings
  grep -qx 'AIFLAME_NUMBER_RANGES=step \*' settings
}

@test "--listen records programs that others start, one after the other and at one time" {
  listening
  told "$forks" > out
  told "$forks" > out &
  local other=$!
  told "$forks" > out
  wait "$other"
  stopped
  grep -qx '# end samples 0 launches 30 lost 0' r
  grep -qx '# cmdline : (programs that came to agents)' r
  assert_equal "$(launches | sed 's/ .*launch/ launch/')" 'scale launch 30'
  # the directory stays, with the secret: the next recorder serves the same programs
  assert_equal "$(ls agents)" secret
  listening
  told "$forks" > out
  stopped
  grep -qx '# end samples 0 launches 10 lost 0' r
}

@test "--listen ends after --duration, and programs run on" {
  listening --duration 0.2
  wait "$recorder"
  copied live
  grep -qx '# end samples 0 launches 0 lost 0' r
  grep -q "hint: no program came to 'agents'; see CONTAINERS" err
  told "$forks" > out
  grep -q '^child' out
}

@test "--listen takes the secret from its own environment, as in a pod" {
  gpustall-record --print-env --listen agents > settings
  rm -r agents
  relay live r '^# gpustall'
  local settings
  mapfile -t settings < settings
  env "${settings[@]}" gpustall-record --source opencl-cpu --sampling off -o live --listen agents 2> err &
  recorder=$!
  await live
  told "$forks" > out
  stopped
  [ ! -e agents/secret ]
  grep -qx '# end samples 0 launches 10 lost 0' r
}

@test "namespaces of processes, mounts and network, and a chroot, come to --listen" {
  [ "$(id -u)" -eq 0 ] || skip 'namespaces need root'
  unshare -nmp --fork true 2> err || skip "no namespaces here: $(cat err)"
  listening
  told unshare -n "$forks" > out
  told unshare -mp --fork --mount-proc "$forks" > out
  told chroot / "$forks" > out
  stopped
  grep -qx '# end samples 0 launches 30 lost 0' r
  # by the numbers of outside
  run -1 grep -E ' [1-9]/[1-9] ' r
}

@test "--listen and --print-env: mistakes" {
  run -125 --separate-stderr gpustall-record --print-env
  [[ $stderr == *'--print-env needs --listen DIR'* ]]
  run -125 --separate-stderr gpustall-record --print-env -- true
  [[ $stderr == *'--print-env needs --listen DIR'* ]]
  run -125 --separate-stderr gpustall-record --listen agents -- true
  [[ $stderr == *'exclude each other'* ]]
  run -125 --separate-stderr gpustall-record --listen agents --launch-stacks uprobe
  [[ $stderr == *'--listen is for agents'* ]]
  run -125 --separate-stderr gpustall-record --print-env --listen missing/agents
  assert_equal "$stderr" "gpustall-record: cannot make '$PWD/missing/agents': No such file or directory"
  run -125 --separate-stderr gpustall-record --print-env --listen "$PWD/$(printf '%090d' 0)"
  [[ $stderr == *'a directory of agents has at most '*' bytes' ]]
}

# jail PROGRAM NAME: a directory ./jail in which the program runs as /NAME, with the agent
jail() {
  local agent=$AIFLAME_BUILD/libexec/aiflame/opencl-agent.so
  mkdir -p jail/proc jail/tmp
  cp "$1" "jail/$2"
  ldd "$1" "$agent" "$OCL_ICD_VENDORS" | sed -nE 's/.* (\/[^ ]+) \(.*/\1/p; s/^\t(\/[^ ]+) \(.*/\1/p' | sort -u |
    xargs cp -L --parents -t jail "$agent" "$OCL_ICD_VENDORS"
}

needs_chroot() {
  [ "$(id -u)" -eq 0 ] || skip 'namespaces need root'
  unshare -m true 2> err || skip "no namespaces here: $(cat err)"
}

# recorded OPTION… -- COMMAND…: records launches alone into r
recorded() {
  gpustall-record --source opencl-cpu --sampling off --objects objects -o r "$@" > out 2> err
}

# in_jail NAME OPTION…: records /NAME in ./jail
in_jail() {
  local name=$1
  shift
  recorded "$@" -- unshare -m sh -c "mount -t proc proc jail/proc && exec chroot jail /$name"
}

# folded OPTION…: the frames of the launches in r
folded() {
  stackcollapse-aiflame --event gpu-time "$@" r 2> fold.err
}

@test "functions of a chroot have names, though the program has ended" {
  needs_chroot
  jail "$forks" only_in_jail
  # it is over before the recorder looks at it
  in_jail only_in_jail
  grep -qx '# end samples 0 launches 10 lost 0' r
  assert_equal "$(awk '/ gpu-launch: $/, /^$/' r | grep -c 'main+0x[0-9a-f]* (/only_in_jail)')" 3
}

@test "--buildid-cache: inlined functions and lines of a program that is gone" {
  export HOME=$PWD/home
  mkdir home
  cp "$forks" app
  recorded --buildid-cache -- ./app
  local id
  id=$(build_id app)
  grep -qxF "# build_id : $id $PWD/app" r
  [[ $(cat err) == *"gpustall-record: kept "*" CPU objects in $HOME/.debug, which had 0"* ]]
  local elf=home/.debug/.build-id/${id:0:2}/${id:2}/elf
  cmp app "$elf"
  assert_equal "$(stat -L -c %a "$elf")" 400
  assert_equal "$(readlink "home/.debug/.build-id/${id:0:2}/${id:2}")" "../..$PWD/app/$id"
  folded --inline --context > inline
  folded --srcline > lines
  grep -q ';main:forks.cc:[0-9]' inline
  grep -q ';main:[a-z.]*:[0-9]' lines
  rm app
  cmp inline <(folded --inline --context)
  cmp lines <(folded --srcline)
  # another file in its place is not taken for it
  cp "$AIFLAME_BUILD/tests/demo/callers" app
  cmp inline <(folded --inline --context)
  # a second recording keeps nothing twice, and without the cache nothing is found
  cp "$forks" app
  recorded --buildid-cache -- ./app
  [[ $(cat err) == *"kept 0 CPU objects in $HOME/.debug, which had "[1-9]* ]]
  rm app
  HOME=$PWD/other folded --inline --context > none
  run -1 grep ':forks.cc:' none
}

@test "--buildid-cache: inlined functions and lines of a chroot that is gone" {
  needs_chroot
  export HOME=$PWD/home
  mkdir home
  jail "$forks" only_in_jail
  in_jail only_in_jail --buildid-cache
  cp jail/only_in_jail / 2> /dev/null || skip 'the root directory is not writable'
  folded --inline --context > inline # of a file that is there
  folded --srcline > lines
  rm -r /only_in_jail jail
  grep -q ';main:forks.cc:[0-9]' inline
  cmp inline <(folded --inline --context)
  cmp lines <(folded --srcline)
}

@test "two files under one path have a build id each, and cat keeps recordings apart" {
  needs_chroot
  export HOME=$PWD/home
  mkdir home
  jail "$forks" program
  mv jail first
  jail "$AIFLAME_BUILD/tests/demo/forks" program
  # another build id: the last byte of the note
  python3 - jail/program "$(build_id "$forks")" << 'END' || return
import sys
path, old = sys.argv[1], bytes.fromhex(sys.argv[2])
data = open(path, "rb").read()
assert data.count(old) == 1
open(path, "wb").write(data.replace(old, old[:-1] + bytes([old[-1] ^ 1])))
END
  mv jail second
  # shellcheck disable=SC2016 # for the inner shell
  local command='for jail in first second; do
    mount -t proc proc $jail/proc && chroot $jail /program || exit; done'
  recorded --buildid-cache -- unshare -m sh -c "$command"
  local one two
  one=$(build_id first/program) two=$(build_id second/program)
  grep -qx "# build_id : $one /program" r
  assert_equal "$(grep -c "^# build_id [1-9][0-9]* : $two /program" r)" 2 # forks makes a child
  [ -e "home/.debug/program/$one/elf" ]
  [ -e "home/.debug/program/$two/elf" ]
  rm -r first second "home/.debug/program/$two"
  folded --inline --context > both
  # the file of the second is there no more
  assert_equal "$(grep -c ';main:forks.cc:[0-9]' both)" 3
  assert_equal "$(grep -c ';main;' both)" 1
  # what is told of a recording ends with it
  grep ';main:forks.cc' both > lines
  sed '/^# build_id/d' r > bare
  cat r bare > twice
  mv twice r
  cmp lines <(folded --inline --context | grep ';main:forks.cc')
}

@test "--buildid-cache: what is not kept is told" {
  export HOME=$PWD/home
  mkdir -p home/.debug
  cp "$forks" app
  local id
  id=$(build_id app)
  # a link out of the cache in its place is not followed
  mkdir -p "home/.debug/.build-id/${id:0:2}" outside
  ln -s "$PWD/outside" "home/.debug/.build-id/${id:0:2}/${id:2}"
  recorded --buildid-cache -- ./app
  grep -qF "gpustall-record: warning: CPU object $PWD/app was not kept: something else is in its place in the cache" err
  assert_equal "$(ls -A outside)" ''
  assert_equal "$(find home -name 'unfinished*' -o -path "*/app/$id/elf")" ''
  # nor one on the way to it
  rm -r home/.debug
  mkdir -p home/.debug
  ln -s "$PWD/outside" home/.debug/.build-id
  recorded --buildid-cache -- ./app
  grep -q 'CPU objects were not kept, the first is /.*: cannot open a directory: Not a directory' err
  assert_equal "$(ls -A outside)" ''
  # a file without a build id
  rm -r home/.debug
  objcopy --remove-section .note.gnu.build-id "$forks" app
  recorded --buildid-cache -- ./app
  grep -qF "warning: CPU object $PWD/app was not kept: no build id" err
  run -1 grep -F " $PWD/app" <(grep '^# build_id' r)
  # a file that is mostly a hole is not read at all
  cp "$forks" app
  truncate -s 1T app || skip 'no such sparse file here'
  recorded --buildid-cache -- ./app
  grep -qF "warning: CPU object $PWD/app was not kept: no build id" err
  assert_equal "$(find home -path '*/app/*')" ''
}

@test "--buildid-cache: mistakes" {
  run -125 --separate-stderr gpustall-record --buildid-cache --source replay --input r
  [[ $stderr == *'--buildid-cache is not for --list and --source replay'* ]]
  HOME=$PWD/missing run -125 --separate-stderr gpustall-record --buildid-cache -- true
  assert_equal "$stderr" "gpustall-record: cannot make '$PWD/missing/.debug': No such file or directory"
}

@test "perf and other readers of text take recordings with build ids" {
  export HOME=$PWD/home
  mkdir home
  cp "$forks" app
  recorded --buildid-cache -- ./app
  # a part of a flight recorder tells them again
  recorded --overwrite --timestamp-filename -- ./app
  grep -qxF "# build_id : $(build_id app) $PWD/app" r.*
  skip_without perf
  perf buildid-cache --list | grep -qxF "$(build_id app) $PWD/app"
}
