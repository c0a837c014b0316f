# SPDX-License-Identifier: MIT
# gpustall-record --energy, on counters of the test's own.
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
readings() { sed -nE 's/^# energy [0-9]+ : [a-z]+, ([^,]+), from [0-9.]+ to [0-9.]+, (.*) J$/\1 \2/p' r; }

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
  # shellcheck disable=SC2154 # set by run
  assert_equal "$stderr" "gpustall-record: --energy: this machine has no energy counters in $PWD/empty/powercap or $PWD/empty/hwmon"
}

@test "readings are of whole recordings, not of parts" {
  run -125 --separate-stderr gpustall-record --energy --overwrite -o r -- true
  [ "$stderr" = "gpustall-record: --energy is not for recordings in parts, with a control or a delay; try 'gpustall-record --help'" ]
}
