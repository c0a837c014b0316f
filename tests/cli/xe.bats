# SPDX-License-Identifier: MIT
# The source xe on the tests' fake of the driver (tests/fakes/xe), which has its own encoder of
# records. Each sample fed to the fake must be in the recording, or in its losses.
load common
load await
load fake_xe
load recording

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  export FAKE_XE=$PWD
}

record() { recorder -o r "$@"; }

# record_script [OPTION…]: records a command that ends when the script reaches $end
record_script() {
  mkfifo end
  record "$@" -- cat end
}
# The last lines of the script: they wait for the command, and let it end.
end=('hold end' release)

# xe_list: the lines of the source xe in --list, without its description
xe_list() { recorder --list "$@" | sed -n '/^xe /,/^[^ ]/p' | grep '^  '; }

# total WORD: the number after WORD in the fake's log, for the last stream that was stopped
total() { grep '^disable' log | tail -n 1 | sed "s/.* $1 \([0-9]*\).*/\1/"; }

@test "--list shows the tiles, and what a sample's period is" {
  gpu 128 xe 0BD5 0000:3a:00.0
  gpu 129 xe E20B 0000:03:00.0
  cat > script << 'END'
node 128 xe
sampler 64 251 502 753 1004 1255 1506 1757
gt 0 0 0 0 0
gt 1 0 1 0 0
node 129 xe
sampler 64 251 502
gt 0 0 0 20 1
gt 1 1 0 13 1
END
  assert_equal "$(xe_list)" '  device 0: Intel GPU 8086:0bd5, 0000:3a:00.0 tile 0, period 1004 cycles
  device 1: Intel GPU 8086:0bd5, 0000:3a:00.0 tile 1, period 1004 cycles
  device 2: Intel GPU 8086:e20b, 0000:03:00.0 tile 0, period 502 cycles'
  # the streams opened for a test are closed again
  assert_equal "$(grep -c '^open' log)" "$(grep -c '^close' log)"
  run ! grep enable log
}

@test "the name that the machine's pci.ids has" {
  battlemage
  mkdir -p root/usr/share/misc
  printf '%s\n' '1002  AMD' $'\te20b  Wrong' '8086  Intel Corporation' $'\te20a  Other' \
    $'\te20b  Battlemage G21 [Arc B580, say]' $'\t\te20b 0000  Card' > root/usr/share/misc/pci.ids
  assert_equal "$(xe_list)" \
    '  device 0: Battlemage G21 [Arc B580  say], 0000:03:00.0 tile 0, period 1004 cycles'
}

@test "records of Xe2: the instruction, the reason, the count; one sampler for each GT" {
  battlemage
  printf '%s\n' "${xe2_records[@]}" tick "${end[@]}" >> script
  run -0 --separate-stderr record_script
  [[ $stderr == *'captured 565 gpu-stall samples'*'lost 0 samples; wrote r'* ]]
  assert_equal "$(stalls)" "$xe2_stalls"
  grep -x '# device 0 : xe, Intel GPU 8086:e20b, 0000:03:00.0 tile 0, period 1004 cycles' r
  grep -x '# end samples 565 launches 0 lost 0' r
  run ! grep ' gt 1' log
  stackcollapse-aiflame r > folded 2> said
  assert_equal "$(sum_of folded)" 565
}

@test "records of Data Center GPU Max, two tiles" {
  gpu 128 xe 0BD5
  cat > script << 'END'
node 128 xe
sampler 64 1004
gt 0 0 0 0 0
gt 1 0 1 0 0
at 0
row 0 0x12345678 active=1 other=2 control=3 pipestall=4 send=5 dist_acc=6 sbid=7 sync=8 inst_fetch=9
tick
hold end
release
at 1
row 1 0x40 sbid=11
tick
hold end
release
END
  record_script
  assert_equal "$(stalls)" "[000] 12345678 active 1
$xe_stalls
[001] 40 sbid 11"
  grep -x '# end samples 56 launches 0 lost 0' r
}

@test "--device records one tile" {
  gpu 128 xe 0BD5
  printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'gt 0 0 0 0 0' 'gt 1 0 1 0 0' \
    'at 0' 'row 0 0x40 sbid=11' tick 'at 1' 'row 1 0x80 send=13' tick "${end[@]}" > script
  record_script --device 1
  assert_equal "$(stalls)" '[001] 80 send 13'
  run ! grep 'enable .* gt 0' log
  assert_equal "$(grep -c '^# device' r)" 1
  run -125 --separate-stderr record --source xe --device 2 -- true
  assert_equal "$stderr" "gpustall-record: source 'xe' has no device 2"
}

@test "records of Xe3p tell whole addresses" {
  gpu
  printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'gt 0 0 0 35 10' 'at 0' \
    'row 0 0xffff800012345678 tdr=1 active=255 sbid=3' tick "${end[@]}" > script
  record_script
  assert_equal "$(stalls)" '[000] ffff800012345678 active 255
[000] ffff800012345678 sbid 3
[000] ffff800012345678 tdr 1'
}

@test "records of 128 bytes, as the driver says" {
  gpu
  printf '%s\n' 'node 128 xe' 'sampler 128 1004' 'gt 0 0 0 20 4' 'at 0' \
    'rows 3000 0 0x100 sbid=2' 'rows 2000 1 0x200 send=3' tick "${end[@]}" > script
  record_script
  assert_equal "$(stalls)" '[000] 100 sbid 6000
[000] 200 send 6000'
}

@test "rings are read to their end, however many, and whenever the threshold wakes the recorder" {
  gpu
  { # 20 cores with 8000 records each are 10 MB, more than one read returns
    printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'cores 20' 'gt 0 0 0 20 1' 'at 0'
    for tick in 1 2 3; do
      for ((core = 0; core < 20; ++core)); do
        echo "rows 8000 $core 0x$((core + 1))000 sbid=$tick active=1"
      done
      echo tick
    done
    printf '%s\n' "${end[@]}"
  } > script
  run -0 --separate-stderr record_script
  assert_equal "$(total fed)" $((20 * 8000 * 9))
  # between two ticks the rings may overflow on a slow machine; nothing else may be missing
  assert_equal "$(samples)" "$(total read)"
  assert_equal $(($(total read) + $(total dropped))) "$(total fed)"
  assert_equal "$(total undrained)" 0
  if [ "$(total dropped)" = 0 ]; then
    grep -x "# end samples $((20 * 8000 * 9)) launches 0 lost 0" r
  fi
}

@test "a ring overflows: its loss is reported, and the other records are kept" {
  battlemage
  cat >> script << 'END'
rows 9000 0 0x100 sbid=2
tick
row 1 0x200 send=3
tick
hold end
release
END
  run -0 --separate-stderr record_script
  assert_equal "$(grep -c EIO log)" 1
  assert_equal "$(stalls)" "[000] 100 sbid $((8192 * 2))
[000] 200 send 3"
  assert_equal "$(total dropped)" $((808 * 2))
  grep -E '^# \[device\] 0/0 \[000\] +[0-9.]+: PERF_RECORD_LOST lost \?$' r
  assert_equal "$(grep -c PERF_RECORD_LOST r)" 1
  grep -x "# end samples $((8192 * 2 + 3)) launches 0 lost ?" r
  [[ $stderr == *'lost 0 samples and an unknown number, reported once; wrote r'* ]]
}

@test "losses in more cores than one read gets to" {
  gpu
  {
    printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'cores 12' 'gt 0 0 0 20 1' 'at 0'
    for ((core = 0; core < 12; ++core)); do echo "rows 8200 $core 0x100 sbid=1"; done
    printf '%s\n' tick "${end[@]}"
  } > script
  record_script
  assert_equal "$(samples)" $((12 * 8192))
  assert_equal "$(total dropped)" $((12 * 8))
  assert_equal "$(grep -c EIO log)" 2
  assert_equal "$(grep -c PERF_RECORD_LOST r)" 1
}

@test "a slice lasts from one read to the next, and at least --interval" {
  battlemage
  cp script one-slice
  local i
  for i in 1 2 3 4 5; do printf '%s\n' "row 0 0x${i}00 sbid=1" tick drained; done >> script
  printf '%s\n' "${end[@]}" >> script
  record_script
  assert_equal "$(samples)" 5
  # the first read may come too soon for a slice of its own, and the last slice ends with the recording
  awk '$2 == "slice" {
      is_wrong = is_wrong || $3 < end || is_short
      is_short = $4 - $3 < 0.0099
      end = $4
      ++n
    }
    END { exit is_wrong || n < 2 || n > 5 }' r
  printf '%s\n' 'row 0 0x100 sbid=1' tick 'row 0 0x200 sbid=1' tick "${end[@]}" >> one-slice
  mv one-slice script
  record --interval 60000 -- cat end
  assert_equal "$(samples)" 2
  assert_equal "$(grep -c '^# slice' r)" 1
}

@test "no samples at all" {
  battlemage
  run -0 --separate-stderr record -- true
  grep -x '# end samples 0 launches 0 lost 0' r
  [[ $stderr == *'captured 0 gpu-stall samples'* ]]
}

@test "all of the device's last samples are read before the stream is stopped" {
  gpu
  {
    printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'cores 20' 'gt 0 0 0 20 1' 'at 0' \
      'row 0 0x100 sbid=2' tick "${end[@]}"
    for ((core = 0; core < 20; ++core)); do echo "rows 8000 $core 0x200 send=3"; done
    echo "tick done"
  } > script
  # the worker sees them at its next look after the command's last action
  mkfifo end
  record -- sh -c 'cat end; exec touch done'
  assert_equal "$(samples)" $((2 + 20 * 8000 * 3))
  assert_equal "$(total undrained)" 0
  assert_equal "$(total steps\ left)" 0
}

# reset_script [LINE]: a script in which the GPU is reset between two reads, after LINE
reset_script() {
  battlemage
  printf '%s\n' 'row 0 0x100 sbid=2' tick drained "$@" reset tick 'row 0 0x200 send=3' tick drained \
    "${end[@]}" >> script
}

@test "a reset of the GPU is reported, and sampling goes on" {
  reset_script 'row 0 0x180 sbid=50'
  run -0 --separate-stderr record_script
  assert_equal "$(stalls)" '[000] 100 sbid 2
[000] 200 send 3'
  [[ $stderr == *"warning: source 'xe': 0000:03:00.0 tile 0: the GPU was reset, or its sampler: \
samples since the last read are lost (No such device)"* ]]
  assert_equal "$(grep -c PERF_RECORD_LOST r)" 1
  grep -x '# end samples 5 launches 0 lost ?' r
  assert_equal "$(total undrained)" 50
  assert_equal "$(grep -c '^enable' log)" 2
}

@test "a stream that does not start again is opened again" {
  reset_script 'fail 0 ETIMEDOUT 1'
  run -0 --separate-stderr record_script
  assert_equal "$(stalls)" '[000] 100 sbid 2
[000] 200 send 3'
  [[ $stderr == *'the stream ended and was opened again: samples between are lost'* ]]
  grep -x '# end samples 5 launches 0 lost ?' r
}

@test "a GPU disappears: its recorded samples are kept, and the other GPU goes on" {
  gpu 128 xe 0BD5
  printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'gt 0 0 0 0 0' 'gt 1 0 1 0 0' \
    'at 0' 'row 0 0x40 sbid=11' tick drained 'fail ENODEV ENODEV' reset tick \
    'at 1' 'row 1 0x80 send=13' tick 'tick then' 'row 1 0x90 send=14' tick drained "${end[@]}" > script
  mkfifo end
  relay live r 'PERF_RECORD_LOST lost'
  recorder -o live -- cat end 2> err &
  local recorder=$!
  await live
  touch then
  wait "$recorder"
  copied live
  stderr=$(cat err)
  assert_equal "$(stalls)" '[000] 40 sbid 11
[001] 80 send 13
[001] 90 send 14'
  [[ $stderr == *"0000:03:00.0 tile 0: no samples any more (No such device): this GPU has no stall \
sampling"*"; it is tried again each second"* ]]
  grep -E '\[000\] +[0-9.]+: PERF_RECORD_LOST lost \?$' r
  run ! grep '\[001\].*PERF_RECORD_LOST' r
  grep -x '# end samples 38 launches 0 lost ?' r
}

@test "an interrupt ends the recording with the final drain" {
  battlemage
  printf '%s\n' 'row 0 0x100 sbid=2' tick >> script
  interrupt_after_stalls "${preload[@]}" gpustall-record
  grep -x '# end samples 2 launches 0 lost 0' r
  assert_equal "$(total undrained)" 0
}

@test "the stream does not block, and is not the command's" {
  battlemage
  record -- sh -c 'ls -l /proc/self/fd' > fds 2> err
  grep -x 'enable renderD128 gt 0 nonblocking cloexec' log
  run ! grep eventfd fds # the fake's streams are eventfds
}

@test "--period is one of the driver's" {
  battlemage
  printf '%s\n' 'row 0 0x100 sbid=2' tick "${end[@]}" >> script
  record_script --period 251
  grep -x '# device 0 : xe, Intel GPU 8086:e20b, 0000:03:00.0 tile 0, period 251 cycles' r
  grep '^open renderD128 gt 0 period 251 ' log
  assert_equal "$(samples)" 2
  run -125 --separate-stderr record --source xe --period 1000 -a
  assert_equal "$stderr" "gpustall-record: source 'xe': 0000:03:00.0: no period of 1000 cycles; \
there are 251, 502, 753, 1004, 1255, 1506, 1757"
  run -125 --separate-stderr record --period 1000 -- true
  assert_equal "$stderr" "gpustall-record: source 'xe': 0000:03:00.0: no period of 1000 cycles; \
there are 251, 502, 753, 1004, 1255, 1506, 1757; --source chooses another source"
  run -125 --separate-stderr record --source xe -F 997 -a
  assert_equal "$stderr" "gpustall-record: source 'xe': 0000:03:00.0: samples are made by cycles, \
not by time: --period instead of -F"
}

@test "not permitted: the message names the command that permits it" {
  battlemage
  sed -i '/^at/i stream 0 EACCES 0' script
  mkdir -p root/proc/sys/dev/xe
  echo 1 > root/proc/sys/dev/xe/observation_paranoid
  local why='0000:03:00.0 tile 0: not permitted: dev.xe.observation_paranoid is 1; as root: sysctl '
  why+=dev.xe.observation_paranoid=0
  assert_equal "$(xe_list)" "  device 0: Intel GPU 8086:e20b, $why"
  run -125 --separate-stderr record --source xe -a
  assert_equal "$stderr" "gpustall-record: source 'xe': $why"
  rm root/proc/sys/dev/xe/observation_paranoid
  [[ $(xe_list) == *'not permitted; as root, or with the capability CAP_PERFMON, it is' ]]
}

@test "an accelerator that cannot be recorded gives a warning" {
  battlemage
  sed -i '/^at/i stream 0 EBUSY 0' script
  local why="0000:03:00.0 tile 0: another profiler holds its only stall stream; who, as \
root: find /proc/[0-9]*/fd -lname '*xe_eu_stall*'"
  assert_equal "$(xe_list)" "  device 0: Intel GPU 8086:e20b, $why"
  skip_unless_samples
  run -0 --separate-stderr record -- true
  assert_equal "${stderr_lines[0]}" \
    "gpustall-record: warning: 'opencl-cpu' is recorded instead of: source 'xe': $why"
  grep '^# device 0 : opencl-cpu' r
  run -0 --separate-stderr record --source xe -- true
  assert_equal "${stderr_lines[0]}" "gpustall-record: warning: no samples, only launches and their \
device time: source 'xe': $why"
}

@test "one tile of two is in use: the other is recorded, and a warning says so" {
  gpu 128 xe 0BD5
  printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'gt 0 0 0 0 0' 'gt 1 0 1 0 0' \
    'stream 0 EBUSY 0' 'at 1' 'row 1 0x80 send=13' tick "${end[@]}" > script
  run -0 --separate-stderr record_script
  [[ ${stderr_lines[0]} == "gpustall-record: warning: source 'xe': device 0 is not recorded: \
0000:03:00.0 tile 0: another profiler holds its only stall stream"* ]]
  assert_equal "$(stalls)" '[001] 80 send 13'
  run ! grep '^# device 0' r
  grep '^# device 1' r
  run -125 --separate-stderr record --device 0 -a
  [[ $stderr == "gpustall-record: source 'xe': device 0 is not recorded: "* ]]
}

@test "a kernel, or a GPU, that cannot sample stalls" {
  battlemage
  sed -i 's/^sampler.*/sampler EINVAL/; /^at/d' script
  assert_equal "$(xe_list)" "  device 0: Intel GPU 8086:e20b, 0000:03:00.0: Linux $(uname -r) is too \
old: stall sampling by the xe driver takes 6.15 or newer"
  local none='this GPU has no stall sampling: stall sampling takes a Data Center GPU Max, or Xe2 '
  none+='graphics and newer (Core Ultra 200V, Arc B-series); a virtual function (SR-IOV) has none'
  sed -i 's/^sampler.*/sampler ENODEV/' script
  [[ $(xe_list) == *": $none" ]]
  sed -i 's/^sampler.*/sampler none/' script
  [[ $(xe_list) == *": $none" ]]
  sed -i 's/^sampler.*/sampler EFAULT/' script
  [[ $(xe_list) == *': the driver does not tell what its sampler can do: Bad address' ]]
}

@test "records of unknown formats are refused, not guessed" {
  battlemage
  sed -i 's/^gt 0.*/gt 0 0 0 12 74/; /^at/d' script
  [[ $(xe_list) == *': graphics version 12.74, whose records this program does not know' ]]
  sed -i 's/^gt 0.*/gt 0 0 0 20 1/; s/^sampler.*/sampler 32 1004/' script
  [[ $(xe_list) == *': records of 32 bytes in rings of 524288, which this program does not know: it '* ]]
  sed -i 's/^gt 0.*//; s/^sampler.*/sampler 64 1004/' script
  [[ $(xe_list) == *': the driver lists no GT with shader cores' ]]
}

@test "a render node that cannot be opened" {
  battlemage
  sed -i '/^node/a open-node EACCES' script
  assert_equal "$(xe_list)" "  device 0: Intel GPU 8086:e20b, 0000:03:00.0: cannot open \
'/dev/dri/renderD128': Permission denied; as root: usermod -aG render USER (the group of that file), \
and log in again"
}

@test "no GPU, and GPUs of other drivers" {
  mkdir -p root/dev/dri
  : > script
  assert_equal "$(xe_list)" "  source 'xe': no GPU: there is no /dev/dri/renderD*; for an Intel GPU, \
as root: modprobe xe; in a container, have it started with --device /dev/dri"
  gpu 128 amdgpu
  sed -i s/8086/1002/ root/sys/class/drm/renderD128/device/uevent
  assert_equal "$(xe_list)" \
    "  source 'xe': no GPU of the xe driver: /dev/dri/renderD128 is driven by 'amdgpu'"
  gpu 129 i915 56A0
  [[ $(xe_list) == "  source 'xe': /dev/dri/renderD129 is driven by 'i915', not by xe; stall "* ]]
  gpu 129 i915 0BD5
  [[ $(xe_list) == *"not by xe; boot Linux 6.15 or newer with i915.force_probe=!0bd5 \
xe.force_probe=0bd5" ]]
  # GPUs of other drivers are not even opened
  [ ! -e log ]
}

@test "without sysfs the driver says who it is" {
  gpu
  rm -r root/sys
  printf '%s\n' 'node 128 i915' > script
  [[ $(xe_list) == *"/dev/dri/renderD128 is driven by 'i915', not by xe; stall sampling takes"* ]]
  printf '%s\n' 'node 128 xe' 'sampler 64 1004' 'gt 0 0 0 20 1' > script
  [[ $(xe_list) == *', /dev/dri/renderD128 tile 0, period 1004 cycles' ]]
}
