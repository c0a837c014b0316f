# SPDX-License-Identifier: MIT
# Programs that the recorder did not start: --listen, and the variables of --print-env; and programs
# whose files are not where the recorder would look.
# shellcheck disable=SC2154 # Bats sets stderr
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
  [[ $stderr == *'no command, -p, -a or --listen'* ]]
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

@test "functions of a chroot have names, though the program has ended" {
  [ "$(id -u)" -eq 0 ] || skip 'namespaces need root'
  unshare -m true 2> err || skip "no namespaces here: $(cat err)"
  local agent=$AIFLAME_BUILD/libexec/aiflame/opencl-agent.so
  mkdir -p jail/proc
  cp "$forks" jail/only_in_jail
  ldd "$forks" "$agent" "$OCL_ICD_VENDORS" | sed -nE 's/.* (\/[^ ]+) \(.*/\1/p; s/^\t(\/[^ ]+) \(.*/\1/p' | sort -u |
    xargs cp -L --parents -t jail "$agent" "$OCL_ICD_VENDORS"
  # it is over before the recorder looks at it
  gpustall-record --source opencl-cpu --sampling off --objects objects -o r -- \
    unshare -m sh -c 'mount -t proc proc jail/proc && exec chroot jail /only_in_jail' > out 2> err
  grep -qx '# end samples 0 launches 10 lost 0' r
  assert_equal "$(grep -c 'main+0x[0-9a-f]* (/only_in_jail)' r)" 3
}
