# SPDX-License-Identifier: MIT
# gpustall-record --energy, on counters of the test's own: a /sys/class, stand-ins for the vendors'
# libraries, and programs that say what they should not.
# shellcheck disable=SC2154 # Bats sets stderr
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  mkdir -p class/powercap/intel-rapl:0 class/powercap/intel-rapl:0:0 class/powercap/intel-rapl class/hwmon/hwmon1
  counter intel-rapl:0 package-0 1000000 2000000
  counter intel-rapl:0:0 core 500 2000000
  echo xe > class/hwmon/hwmon1/name
  echo card > class/hwmon/hwmon1/energy1_label
  echo 7000000 > class/hwmon/hwmon1/energy1_input
  echo 1 > class/hwmon/hwmon1/energy1_crit
  ln -s /devices/pci/0000:3d:00.0 class/hwmon/hwmon1/device
}
# counter ZONE NAME MICROJOULES RANGE
counter() {
  echo "$2" > "class/powercap/$1/name"
  echo "$3" > "class/powercap/$1/energy_uj"
  echo "$4" > "class/powercap/$1/max_energy_range_uj"
}
record() { gpustall-record --sampling=off --energy --energy-from "$PWD/class" -o r --objects objects "$@"; }
# "NAME JOULES" of each line
# also of vendors
readings() { sed -nE 's/^# energy [0-9]+ : [a-z-]+, ([^,]+), from [0-9.]+ to [0-9.]+, (.*) J$/\1 \2/p' r; }

@test "counters are recorded, over their wrap, and cost is spread by them" {
  # the package wraps at 2 J; hwmon has no range, so a counter that was set back is not known
  record sh -c 'echo 250000 > class/powercap/intel-rapl:0/energy_uj; echo 1500 > class/powercap/intel-rapl:0:0/energy_uj
    echo 5 > class/hwmon/hwmon1/energy1_input'
  assert_equal "$(readings | grep -v ' 0.000000$')" 'package-0 1.250000
package-0/core 0.001000
xe card 0000:3d:00.0 ?'
  # the others read such a recording as any
  stackcollapse-aiflame r
  gpustall-record --source replay --input r | cmp - r
  printf '# aiflame: unit ns\na 3\nb 2\n' > t
  assert_equal "$(aiflame-cost --energy-from r --counter package-0 --pue 1 t | grep -v '^#')" 'a 750000000
b 500000000'
}

@test "without --energy nothing is read, and without counters nothing is started" {
  gpustall-record --sampling=off -o r --objects objects true
  assert_equal "$(readings)" ''
  mkdir empty
  run -125 --separate-stderr gpustall-record --sampling=off --energy --energy-from "$PWD/empty" -o r -- touch started
  [ ! -e started ]
  assert_equal "$stderr" "gpustall-record: --energy: this machine has no energy counters in $PWD/empty/powercap or $PWD/empty/hwmon, and none by a vendor's library"
}

@test "readings are of whole recordings, not of parts" {
  run -125 --separate-stderr gpustall-record --energy --overwrite -o r -- true
  [ "$stderr" = "gpustall-record: --energy is not for recordings in parts, with a control or a delay; try 'gpustall-record --help'" ]
}

# vendor NAME…: the stand-in is found under these names, in the directory lib
vendor() {
  mkdir -p lib
  local name
  for name in "$@"; do ln -sf "$AIFLAME_BUILD/tests/libenergy-fake.so" "lib/$name"; done
  export LD_LIBRARY_PATH=$PWD/lib FAKE_ENERGY=$PWD/fake
}
# device VENDOR/N ENERGY NAME
device() {
  mkdir -p "fake/$1"
  echo "$2" > "fake/$1/energy"
  printf '%s\n' "$3" > "fake/$1/name"
}
of_vendors() { readings | grep -v '^package-0\|^xe card\| 0.000000$'; }
# The recording is whole, whatever has become of the counters.
assert_whole() { assert_equal "$(tail -n 2 r)" '# end samples 0 launches 0 lost 0'; }

@test "NVIDIA's, AMD's and Intel's counters come from programs of their own" {
  [ -x "$AIFLAME_BUILD/libexec/aiflame/energy-level-zero" ] || skip 'energy-level-zero is not built'
  vendor libnvidia-ml.so.1 libamd_smi.so libze_loader.so.1
  rm -r class/hwmon/hwmon1
  device nvml/0 5000 'NVIDIA H100'
  device nvml/1 7000 'NVIDIA H100'
  device amd/0 1000000 ''
  device ze/0 20 'Intel Max'
  run -3 --separate-stderr record sh -c 'echo 5250 > fake/nvml/0/energy; echo 2000000 > fake/amd/0/energy
    echo 120 > fake/ze/0/energy; exit 3'
  assert_equal "$(of_vendors)" 'AMD GPU 0000:c1:00.0 15.259000
Intel Max 0000:3d:00.0 card 0.000100
Intel Max 0000:3d:00.0 tile 0 0.000050
NVIDIA H100 GPU-0 0.250000'
  # each has a number, and the programs are not the command's
  assert_equal "$(grep -c '^# energy 6 : nvml, NVIDIA H100 GPU-1, ' r)" "$(grep -c '^# energy 5 : nvml, ' r)"
  [[ $stderr != *outlive* && $stderr != *warning* ]]
  printf '# aiflame: unit ns\na 3\nb 2\n' > t
  assert_equal "$(aiflame-cost --energy-from r --counter 'NVIDIA H100 GPU-0' --pue 1 t | grep -v '^#')" 'a 150000000
b 100000000'
  assert_whole
}

@test "a device that the kernel counts is not counted twice" {
  [ -x "$AIFLAME_BUILD/libexec/aiflame/energy-level-zero" ] || skip 'energy-level-zero is not built'
  vendor libze_loader.so.1
  device ze/0 1000 Intel # 0000:3d:00.0, as class/hwmon/hwmon1
  device ze/1 1000 Intel
  record sh -c 'echo 1010 > fake/ze/0/energy; echo 1020 > fake/ze/1/energy' 2> err
  assert_equal "$(of_vendors)" 'Intel 0000:3e:00.0 card 0.000020
Intel 0000:3e:00.0 tile 0 0.000010'
  grep -qx "gpustall-record: energy of 0000:3d:00.0: hwmon's counters, not those of level-zero" err
}

@test "ROCm SMI counts where AMD SMI does not" {
  vendor librocm_smi64.so.7
  device rocm/0 0 ''
  record sh -c 'echo 100000 > fake/rocm/0/energy'
  assert_equal "$(of_vendors)" 'AMD GPU 0000:c1:00.0 1.525900'
}

@test "counters of vendors that go back or fail are not known, and those not supported are named" {
  vendor libnvidia-ml.so.1
  device nvml/0 5000 NVIDIA
  device nvml/1 5000 NVIDIA
  device nvml/2 'error 3' Pascal
  record sh -c 'echo 4 > fake/nvml/0/energy; echo error 15 > fake/nvml/1/energy' 2> err
  assert_equal "$(of_vendors)" 'NVIDIA GPU-0 ?
NVIDIA GPU-1 ?'
  grep -qx 'gpustall-record: warning: energy-nvml: Pascal GPU-2: nvmlDeviceGetTotalEnergyConsumption: error 3' err
  assert_whole
}

@test "a library that lacks a function, or finds no driver, is named" {
  vendor
  ln -s "$(ldd "$AIFLAME_BUILD/bin/gpustall-record" | sed -nE 's/.*=> (.*libc\.so\.6).*/\1/p')" lib/libnvidia-ml.so.1
  record true 2> err
  grep -qx 'gpustall-record: warning: energy-nvml: libnvidia-ml.so.1 has no nvmlInit_v2' err
  vendor libnvidia-ml.so.1
  mkdir -p fake/nvml
  echo 9 > fake/nvml/init
  record true 2> err
  grep -qx 'gpustall-record: warning: energy-nvml: nvmlInit_v2: error 9' err
  # without any counter, that is the reason
  mkdir empty
  run -125 --separate-stderr record --energy-from "$PWD/empty" -- touch started
  [[ $stderr == *"none by a vendor's library; energy-nvml: nvmlInit_v2: error 9" ]]
  [ ! -e started ]
}

@test "a library that crashes or hangs costs its counters, and never the recording" {
  vendor libnvidia-ml.so.1 librocm_smi64.so
  device nvml/0 5000 NVIDIA
  device rocm/0 0 ''
  local word why
  for word in crash hang; do
    [ "$word" = crash ] && why='it crashed' || why='it does not answer'
    echo 5000 > fake/nvml/0/energy
    echo 0 > fake/rocm/0/energy
    run -3 --separate-stderr record sh -c "echo $word > fake/nvml/0/energy; echo 100000 > fake/rocm/0/energy; exit 3"
    assert_equal "$(of_vendors)" 'AMD GPU 0000:c1:00.0 1.525900
NVIDIA GPU-0 ?'
    [[ $stderr == *"gpustall-record: warning: energy-nvml: $why; its energy counters are missing"* ]]
    assert_whole
  done
  echo crash > fake/nvml/init
  record true 2> err
  grep -qx 'gpustall-record: warning: energy-nvml: it crashed; its energy counters are missing' err
  assert_whole
}

@test "hostile names stay one line" {
  vendor libnvidia-ml.so.1
  device nvml/0 5000 "$(printf 'evil\033[2J, from 1.0 to 2.0, 9 J\r\342\200\256')"
  # fills the library's buffer, without an end
  device nvml/1 5000 "$(printf '%096d' 0)"
  record sh -c 'echo 6000 > fake/nvml/0/energy; echo 6000 > fake/nvml/1/energy'
  assert_equal "$(of_vendors)" "evil\\033[2J  from 1.0 to 2.0  9 J\\015\\342\\200\\256 GPU-0 1.000000
$(printf '%096d' 0) GPU-1 1.000000"
  run -0 stackcollapse-aiflame r
}

@test "programs that say what they should not are heard no more" {
  mkdir plugins
  local said=0
  ln -s "$AIFLAME_BUILD"/libexec/aiflame/* plugins
  says() { # TEXT WHY: once it has started, and at each request
    said=$((said + 1))
    printf '#!/bin/sh\n%s\n' "$1" > "plugins/energy-$said"
    chmod +x "plugins/energy-$said"
    printf 'gpustall-record: warning: energy-%s: %s; its energy counters are missing\n' "$said" "$2" >> expected
  }
  says 'echo at 1 5' 'a reading is not of all counters'
  says 'echo counter - a; echo at 1 5 6' 'a reading is not of all counters'
  says 'echo counter - a; echo at 1 x' 'a reading is no number'
  says 'echo counter - a; echo at 2 1; echo at 1 1' 'its time goes back'
  says 'echo counter -' 'a counter has no name'
  says 'echo hello' "not expected: 'hello'"
  says 'echo none; echo none' "not expected: 'none'"
  says 'echo counter - a; echo at 1 1; echo counter - b' 'a counter comes after readings'
  # shellcheck disable=SC2016 # for that shell
  says 'echo counter - a; while :; do n=$((n + 1)); echo at $n 1; done' 'it says more than it was asked for'
  says 'while :; do echo counter - a; done' 'it has more than 256 counters'
  says 'while :; do echo note a; done' 'it says too much'
  says 'exec cat /dev/zero' 'a line is too long'
  says ':' 'it crashed'
  record --plugin-dir plugins true 2> err
  assert_equal "$(grep 'energy-[0-9]' err | grep -v 'energy-11: an\?d\?' | sort)" "$(sort expected)"
  # a few of its notes, and how many there are
  assert_equal "$(grep -c 'energy-11: a$' err)" 8
  grep -qx 'gpustall-record: warning: energy-11: and 248 more such notes' err
  assert_whole
}

@test "the programs end with the recorder, whatever they do" {
  vendor libnvidia-ml.so.1
  device nvml/0 5000 NVIDIA
  mkfifo go
  # shellcheck disable=SC2016 # for that shell
  record sh -c 'echo $PPID > recorder; : > go; exec sleep 60' 2> err &
  timeout 60 sh -c ': < go'
  local recorder program
  recorder=$(cat recorder)
  program=$(grep -l '^Name:.energy-nvml' /proc/[0-9]*/status | xargs grep -l "^PPid:.$recorder\$")
  kill -KILL "$recorder"
  wait || true
  for ((i = 0; i < 600; ++i)); do [ -e "$program" ] || return 0; sleep 0.1; done
  false
}
