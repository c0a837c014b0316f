# SPDX-License-Identifier: MIT
# The source level-zero, through the real loader, on the tests' own Level Zero driver
# (tests/fakes/level-zero). Its records come from the same encoder as those of the fake xe driver.
load common
load await
load fake_xe
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  [ -e "$AIFLAME_BUILD/libexec/aiflame/level-zero.so" ] ||
    skip 'libze-dev is not installed: there is no source level-zero'
  export ZE_ENABLE_ALT_DRIVERS=$AIFLAME_BUILD/tests/liblevel-zero-fake.so FAKE_ZE=$PWD
}

record() { gpustall-record --source level-zero -o r "$@"; }

# lz_list: the source's lines in --list, without its description
lz_list() { gpustall-record --list "$@" | sed -n '/^level-zero /,/^[^ ]/p' | grep '^  '; }

gpu_of() { printf '%s\n' "gpu 0000:03:00.0 ${1:-xe2} ${2:-0}" "${@:3}" > script; }

@test "--list shows the tiles, and what a sample's period is" {
  gpu_of pvc 2
  echo 'gpu 0000:3a:00.0 xe2 0 Arc, B580' >> script
  assert_equal "$(lz_list)" '  device 0: Fake GPU, 0000:03:00.0 tile 0, period 1004 cycles
  device 1: Fake GPU, 0000:03:00.0 tile 1, period 1004 cycles
  device 2: Arc  B580, 0000:3a:00.0 tile 0, period 1004 cycles'
  # the streams opened for a test are closed again
  assert_equal "$(grep -c '^open' log)" 3
  assert_equal "$(grep -c '^close' log)" 3
}

@test "records of Xe2: the instruction, the reason, the count; other groups are left alone" {
  gpu_of xe2 0 "${xe2_records[@]}"
  run -0 --separate-stderr record -- true
  [[ $stderr == *'captured 565 gpu-stall samples'*'lost 0 samples; wrote r'* ]]
  assert_equal "$(stalls)" "$xe2_stalls"
  grep -x '# device 0 : level-zero, Fake GPU, 0000:03:00.0 tile 0, period 1004 cycles' r
  grep -x '# end samples 565 launches 0 lost 0' r
}

# same_text SCRIPT...: both sources give the same text for the script's lines from `at` on, except
# names and times. $kernel and $driver describe the GPU to the two fakes.
same_text() {
  mkfifo end
  printf '%s\n' "${kernel[@]}" "$@" 'hold end' release > script
  FAKE_XE=$PWD recorder --source xe --interval 60000 -o kernel.r -- cat end
  printf '%s\n' "${driver[@]}" "$@" > script
  gpustall-record --source level-zero --interval 60000 -o driver.r -- true
  [ "$(samples kernel.r)" -gt 0 ]
  local file
  for file in kernel driver; do
    sed -E 's/[0-9]+\.[0-9]{9}/TIME/g; s/^(# captured on).*/\1/
      s/^(# device [0-9]+ : )[^,]*,[^,]*,/\1SOURCE, NAME,/; s/^(# cmdline :).*/\1/' $file.r > $file.text
  done
  cmp kernel.text driver.text || diff kernel.text driver.text
}

@test "the same text as the source xe for the same records: Xe2" {
  gpu
  kernel=('node 128 xe' 'sampler 64 1004' 'gt 0 0 0 20 1')
  driver=('gpu 0000:03:00.0 xe2 0')
  same_text 'at 0' 'row 0 0x12345678 sbid=7 active=10' 'row 1 0x100 tdr=1 other=2 control=3' \
    'row 1 0x12345678 send=200 sbid=255' tick 'row 0 0x100 dist_acc=6 sync=8 inst_fetch=9' tick \
    'rows 500 1 0xfffffff8 pipestall=255 active=1' tick
}

@test "the same text as the source xe for the same records: a thousand of all kinds, two tiles" {
  gpu
  kernel=('node 128 xe' 'sampler 64 1004' 'gt 0 0 0 0 0' 'gt 1 0 1 0 0')
  driver=('gpu 0000:03:00.0 pvc 2')
  local lines
  lines=$(awk 'BEGIN { srand(7); split("active other control pipestall send dist_acc sbid sync inst_fetch", name)
    for (tile = 0; tile < 2; ++tile) { print "at " tile
      for (i = 0; i < 500; ++i) {
        line = "row " i % 2 " 0x" sprintf("%x", int(rand() * 40) * 8 + 4096)
        for (n = 1; n <= 9; ++n) if (rand() < 0.4) line = line " " name[n] "=" int(rand() * 256)
        print line } print "tick" } }')
  same_text "$lines"
}

@test "the same text as the source xe for the same records: Xe3p" {
  gpu
  kernel=('node 128 xe' 'sampler 64 1004' 'gt 0 0 0 35 10')
  driver=('gpu 0000:03:00.0 xe3p 0')
  same_text 'at 0' 'row 0 0xffff800012345678 tdr=1 active=255 sbid=3' tick
}

@test "the name that a metric had before 2026" {
  gpu_of xe2 0 tdr 'row 0 0x100 tdr=3 sbid=2'
  record -- true
  assert_equal "$(stalls)" '[000] 100 sbid 2
[000] 100 tdr 3'
}

@test "--device records one tile" {
  gpu_of pvc 2 'at 0' 'row 0 0x40 sbid=11' 'at 1' 'row 1 0x80 send=13'
  record --device 1 -- true
  assert_equal "$(stalls)" '[001] 80 send 13'
  assert_equal "$(grep -c '^# device' r)" 1
  run -125 --separate-stderr record --device 2 -- true
  assert_equal "$stderr" "gpustall-record: source 'level-zero' has no device 2"
}

@test "more than one read takes, and what comes late" {
  gpu_of xe2 0 'rows 200000 0 0x100 sbid=2 active=1' "hold $PWD/first" release "tick $PWD/go" \
    'row 0 0x200 send=3'
  mkfifo first
  record -- sh -c 'cat first; exec touch go'
  assert_equal "$(stalls)" '[000] 100 active 200000
[000] 100 sbid 400000
[000] 200 send 3'
  grep -x '# end samples 600003 launches 0 lost 0' r
  grep '^close .* left 0' log
}

@test "dropped data is reported, and sampling goes on" {
  gpu_of xe2 0 'row 0 0x100 sbid=2' drop 'row 0 0x200 send=3' "hold $PWD/first" release drop-with \
    'row 0 0x300 sync=4' "hold $PWD/second" release
  mkfifo first second
  record -- cat first second
  assert_equal "$(stalls)" '[000] 100 sbid 2
[000] 200 send 3
[000] 300 sync 4'
  assert_equal "$(grep -cE '^# \[device\] 0/0 \[000\] +[0-9.]+: PERF_RECORD_LOST lost \?$' r)" 2
  grep -x '# end samples 9 launches 0 lost ?' r
}

@test "records that say that others were dropped" {
  gpu_of xe2 0 'row 0 0x100 sbid=2' 'calculate 0x70020001'
  record -- true
  assert_equal "$(stalls)" '[000] 100 sbid 2'
  grep -x '# end samples 2 launches 0 lost ?' r
}

@test "records that the driver cannot convert are a loss" {
  gpu_of xe2 0 'row 0 0x100 sbid=2' 'calculate 0x78000004' "hold $PWD/first" release 'row 0 0x200 send=3'
  mkfifo first
  run -0 --separate-stderr record -- cat first
  assert_equal "$(stalls)" '[000] 200 send 3'
  grep -x '# end samples 3 launches 0 lost ?' r
  [[ $stderr == *"warning: source 'level-zero': 0000:03:00.0 tile 0: samples are lost that the \
driver makes no values of: zetMetricGroupCalculateMetricValues: ZE_RESULT_ERROR_INVALID_ARGUMENT"* ]]
}

@test "a driver that is not ready has nothing" {
  gpu_of xe2 0 'fail 1 3' 'row 0 0x100 sbid=2' "hold $PWD/end" release
  mkfifo end
  record -- cat end
  assert_equal "$(stalls)" '[000] 100 sbid 2'
  grep -x '# end samples 2 launches 0 lost 0' r
}

@test "the GPU is reset: the stream is opened again" {
  gpu_of xe2 0 'row 0 0x100 sbid=2' 'fail 0x70000001' 'row 0 0x200 send=3' "hold $PWD/end" release
  mkfifo end
  run -0 --separate-stderr record -- cat end
  assert_equal "$(stalls)" '[000] 100 sbid 2
[000] 200 send 3'
  grep -x '# end samples 5 launches 0 lost ?' r
  [[ $stderr == *"0000:03:00.0 tile 0: the stream ended and was opened again: samples between are \
lost (ZE_RESULT_ERROR_DEVICE_LOST (0x70000001))"* ]]
}

@test "a GPU disappears: its recorded samples are kept, and the other GPU goes on" {
  gpu_of pvc 2 'at 0' 'row 0 0x40 sbid=11' 'fail 0x70000001' 'at 1' 'row 1 0x80 send=13' \
    "hold $PWD/first" release 'row 1 0x90 send=14' "hold $PWD/end" release
  mkfifo first end
  # opening works for --source and before the recording; then the GPU stays away
  echo 'open-after 0 0x70000001 3' >> script
  run -0 --separate-stderr record -- cat first end
  assert_equal "$(stalls)" '[000] 40 sbid 11
[001] 80 send 13
[001] 90 send 14'
  [[ $stderr == *'0000:03:00.0 tile 0: no samples any more (ZE_RESULT_ERROR_DEVICE_LOST'*'it is tried again each second'* ]]
  grep -x '# end samples 38 launches 0 lost ?' r
}

@test "--period is one of the hardware's" {
  gpu_of xe2 0 'row 0 0x100 sbid=2'
  record --period 251 -- true
  grep -x '# device 0 : level-zero, Fake GPU, 0000:03:00.0 tile 0, period 251 cycles' r
  grep '^open .* period 13052 ' log
  assert_equal "$(samples)" 2
  record --period 1757 -- true
  grep '^open .* period 91364 ' log
  run -125 --separate-stderr record --period 1000 -a
  assert_equal "$stderr" "gpustall-record: source 'level-zero': 0000:03:00.0 tile 0: no period of \
1000 cycles; there are 251, 502, 753, 1004, 1255, 1506, 1757"
  run -125 --separate-stderr record -F 997 -a
  assert_equal "$stderr" "gpustall-record: source 'level-zero': 0000:03:00.0 tile 0: samples are \
made by cycles, not by time: --period instead of -F"
}

@test "a driver that chooses another period" {
  gpu_of xe2 0 'period 91364'
  assert_equal "$(lz_list)" \
    '  device 0: Fake GPU, 0000:03:00.0 tile 0: no period of 1004 cycles: the driver makes 1757 of it'
  record --period 1757 -- true
}

@test "a driver with room for few reports" {
  gpu_of xe2 0 'reports 10000' 'row 0 0x100 sbid=2'
  record -- true
  assert_equal "$(samples)" 2
  grep '^open .* reports 8192$' log
  gpu_of xe2 0 'reports 100'
  [[ $(lz_list) == *'cannot open a stream of stall samples: zetMetricStreamerOpen: ZE_RESULT_ERROR_INVALID_ARGUMENT (0x78000004)' ]]
}

@test "the command does not inherit the recorder's variable and the driver's descriptors" {
  gpu_of xe2 0
  record -- sh -c 'env; ls -l /proc/self/fd' > out 2> err
  run ! grep ZET_ENABLE_METRICS out err
  run ! grep fake-level-zero out err
  ZET_ENABLE_METRICS=0 record -- env 2>&1 | grep -x 'ZET_ENABLE_METRICS=0'
}

@test "with the loader's validation layer, and with handles that the loader wraps" {
  gpu_of xe2 0 'row 0 0x100 sbid=2'
  ZE_ENABLE_VALIDATION_LAYER=1 record -- true
  assert_equal "$(samples)" 2
  ZE_ENABLE_LOADER_INTERCEPT=1 record -- true
  assert_equal "$(samples)" 2
}

@test "an interrupt ends the recording with the final drain" {
  gpu_of xe2 0 'row 0 0x100 sbid=2'
  interrupt_after_stalls gpustall-record --source level-zero
  grep -x '# end samples 2 launches 0 lost 0' r
}

# ---- why not -----------------------------------------------------------------------------------

# unprivileged: a prefix that runs a command without root's capabilities
unprivileged=()
skip_unless_unprivileged() {
  if [ "$(id -u)" -ne 0 ]; then return; fi
  skip_without setpriv
  unprivileged=(setpriv --bounding-set=-all --inh-caps=-all)
}

@test "the driver shows no sampler: the reason as far as it is known" {
  gpu_of xe2 0 no-group
  [[ $(lz_list) == '  device 0: Fake GPU, 0000:03:00.0 tile 0: the driver shows no sampler of stalls '*'it is older than 25.22, or this GPU has none'*'or another profiler holds its only sampler'* ]]
  run -125 --separate-stderr record -a
  [[ $stderr == "gpustall-record: source 'level-zero': 0000:03:00.0 tile 0: the driver shows no"* ]]
  # a group with another name is not the sampler's
  gpu_of xe2 0 'group EuSomethingElse'
  [[ $(lz_list) == *'the driver shows no sampler of stalls'* ]]
}

@test "not permitted: the message names the command that permits it" {
  skip_unless_unprivileged
  gpu_of xe2 0 no-group
  export FAKE_XE=$PWD/kernel
  local switch=$FAKE_XE/root/proc/sys/dev/xe/observation_paranoid
  mkdir -p "${switch%/*}"
  echo 1 > "$switch"
  local list
  list=$("${unprivileged[@]}" "${preload[@]}" gpustall-record --list | grep 'Fake GPU')
  assert_equal "$list" '  device 0: Fake GPU, 0000:03:00.0 tile 0: not permitted: '\
'dev.xe.observation_paranoid is 1; as root: sysctl dev.xe.observation_paranoid=0'
  echo 0 > "$switch"
  list=$("${unprivileged[@]}" "${preload[@]}" gpustall-record --list | grep 'Fake GPU')
  [[ $list == *'the driver shows no sampler of stalls'* ]]
  gpu_of xe2 0 'open 0 0x70010000'
  [[ $(lz_list) == *': not permitted; as root, or with the capability CAP_PERFMON, it is' ]]
}

@test "a stream that another profiler has" {
  gpu_of pvc 2 'open 0 0x78000006' 'at 1' 'row 0 0x80 send=13'
  run -0 --separate-stderr record -- true
  [[ ${stderr_lines[0]} == "gpustall-record: warning: source 'level-zero': device 0 is not recorded: \
0000:03:00.0 tile 0: another profiler holds its only sampler; who, as root: find \
/proc/[0-9]*/fd -lname '*xe_eu_stall*'" ]]
  assert_equal "$(stalls)" '[001] 80 send 13'
  gpu_of xe2 0 'open 0 0x7ffffffe'
  [[ $(lz_list) == *'the driver does not say why not: ZE_RESULT_ERROR_UNKNOWN (0x7ffffffe); it may be that another profiler'* ]]
}

@test "no driver, and no GPU" {
  ZE_ENABLE_ALT_DRIVERS=/nowhere.so run -0 lz_list
  [[ $output == "  source 'level-zero': no driver of Level Zero starts: zeInit: ZE_RESULT_ERROR_UNINITIALIZED (0x78000001); Intel's, as root: apt install intel-opencl-icd"* ]]
  unset ZE_ENABLE_ALT_DRIVERS
  mkdir -p root/dev/dri
  export FAKE_XE=$PWD
  run -0 recorder --list
  [[ $output == *"source 'level-zero': no GPU: there is no /dev/dri/renderD*; in a container"* ]]
  gpu 128 amdgpu
  sed -i s/8086:/1002:/ root/sys/class/drm/renderD128/device/uevent
  run -0 recorder --list
  [[ $output == *"source 'level-zero': no GPU of Intel's"* ]]
}

# ---- which of the two --------------------------------------------------------------------------

@test "the kernel's interface is taken where it is usable" {
  export FAKE_XE=$PWD
  battlemage
  echo 'row 0 0x100 sbid=2' >> script
  mkdir ze
  FAKE_ZE=$PWD/ze recorder -o r -- true
  grep '^# device 0 : xe' r
  run ! grep -q . ze/log # the driver was not even started
}

@test "Level Zero is taken where the kernel's interface is not usable" {
  gpu_of xe2 0 'row 0 0x100 sbid=2'
  run -0 --separate-stderr gpustall-record -o r -- true
  grep '^# device 0 : level-zero' r
  assert_equal "$(samples)" 2
  run ! grep -q warning <<< "$stderr"
}

@test "a warning says so where it replaces a GPU of the xe driver" {
  export FAKE_XE=$PWD FAKE_ZE=$PWD/ze
  mkdir ze
  printf '%s\n' 'gpu 0000:03:00.0 xe2 0' 'row 0 0x100 sbid=2' > ze/script
  battlemage
  sed -i '/^at/i stream 0 EBUSY 0' script
  run -0 --separate-stderr recorder -o r -- true
  [[ ${stderr_lines[0]} == "gpustall-record: warning: 'level-zero' is recorded instead of: source \
'xe': 0000:03:00.0 tile 0: another profiler holds its only stall stream"* ]]
  grep '^# device 0 : level-zero' r
}
