# SPDX-License-Identifier: MIT
# aiflame-cost: times to energy, carbon and money.
load common

# 4 ms of device time
times() {
  printf '# aiflame: event gpu-time, unit ns\n# aiflame-launch: launches 2, items 64x1x1, kernel b_[G]\n'
  printf 'app;main;-;a_[G] 3000000\napp;main;-;b_[G] 999999\napp;x 1\n'
}
# The sum of the counts of folded text.
sum() { awk '!/^#/ { sum += $NF } END { printf "%.0f\n", sum }' "$@"; }

@test "help, version, usage" {
  assert_help_and_version aiflame-cost
  assert_usage_error aiflame-cost --nosuch
  assert_usage_error aiflame-cost --power 300 --pue 1 a b
}

@test "nothing is assumed: what is missing is named" {
  times > t
  missing() { # OPTION ARGUMENT...
    local option=$1
    shift
    assert_usage_error aiflame-cost "$@" t
    # shellcheck disable=SC2154 # set by run
    [[ $stderr = *"$option"* ]]
  }
  missing --power
  missing --pue --power 300
  missing --grid --power 300 --pue 1 --in gCO2e
  missing --price --power 300 --pue 1 --in money
  missing --power --price 0.30EUR/kWh --in money
  missing --idle-power --power 300 --pue 1 --reserved 10
  missing --reserved --power 300 --pue 1 --idle-power 10
  missing --embodied-share --power 300 --pue 1 --embodied 150 --lifetime 4
  # carbon for a unit of work is SCI, which has two parts
  missing --embodied --power 300 --pue 1 --grid 380 --in gCO2e --per '10 requests'
}

@test "numbers are strict" {
  times > t
  for wrong in '--power -3' '--power 3x' '--power inf' '--power nan' '--pue 0.9' '--pue 1 --embodied-share 2' \
    '--lifetime 0' '--price 3USD' '--price 3usd/h' '--price USD/h' '--price 3USD/s' '--in joules' '--unit min' \
    '--counter x --power 1 --pue 1' '--power 1 --energy-from r --pue 1' '--per requests' '--per 0_requests' '--power 1 --joules 2 --pue 1'; do
    read -ra words <<< "$wrong"
    assert_usage_error aiflame-cost "${words[@]//_/ }" t
  done
}

@test "the parts add up to the last count" {
  printf '# aiflame: event gpu-clock, unit samples, period 1003009 ns\na 7000\nb 3001\n' > samples
  aiflame-cost --joules 9876.5 --pue 1.25 --reserved 60 --idle-power 90 samples > costs
  assert_equal "$(sum costs)" 12345625000000
  # whatever is idle: 3000 s of it, in steps that are no whole counts
  for reserved in 60.1 61.7 77.77 100.003 131.3131; do
    aiflame-cost --joules 30000.3 --pue 1.1 --reserved "$reserved" --idle-power 90.7 samples > costs
    assert_equal "$(sum costs)" 33000330000000
  done
}

@test "energy: every stack, its cost and the assumptions" {
  times > t
  run -0 --separate-stderr aiflame-cost --power 300 --pue 1.2 t
  assert_equal "$output" '# aiflame: event estimate from gpu-time at 300 W, unit nJ
# aiflame-cost: total 1.440 J, an estimate
# aiflame-cost: device time 4.000 ms
# aiflame-cost: power 300 W while busy
# aiflame-cost: PUE 1.2 (energy of the site for that of the devices)
# aiflame-cost: energy 1.440 J, that is 400.0 uWh, an estimate
# aiflame-launch: launches 2, items 64x1x1, kernel b_[G]
app;main;-;a_[G] 1080000000
app;main;-;b_[G] 359999640
app;x 360'
  assert_equal "$stderr" 'aiflame-cost: total 1.440 J, an estimate; device time 4.000 ms; power 300 W while busy; PUE 1.2 (energy of the site for that of the devices); energy 1.440 J, that is 400.0 uWh, an estimate'
  # the same from standard input, and compressed
  gzip -k t
  assert_equal "$(times | aiflame-cost --power 300 --pue 1.2 2> /dev/null)" "$output"
  assert_equal "$(aiflame-cost --power 300 --pue 1.2 t.gz 2> /dev/null)" "$output"
}

@test "SCI is that of the guide's worked example" {
  # sci-guide, msft-eShoppen.md, database server: M = 5.112 g, SCI = 50.76 g for an hour
  printf 'db 3600\n' > hour
  guide=(--unit s --power 48 --pue 1 --grid 951 --embodied 1433.12 --lifetime 4 --embodied-share 0.125)
  run -0 --separate-stderr aiflame-cost "${guide[@]}" --in gCO2e --per '1 hour' --summary hour
  [ -z "$stderr" ]
  assert_equal "$output" 'total 50.76 gCO2e, an estimate
device time 3600 s
power 48 W while busy
PUE 1 (energy of the site for that of the devices)
energy 172.8 kJ, that is 48.00 Wh, an estimate
grid 951 gCO2e/kWh
operational carbon 45.65 gCO2e, an estimate
embodied carbon 5.112 gCO2e, an estimate: of 1433.12 kgCO2e in 4 years, share 0.125 of the device
energy 172.8 kJ for each of 1 hour
SCI 50.76 gCO2e for each of 1 hour'
  aiflame-cost "${guide[@]}" --in gCO2e --per '1000 requests' --summary hour |
    grep -Fx 'SCI 50.76 mgCO2e for each of 1000 requests'
  # without work it is no SCI, and what is not counted is said
  aiflame-cost --unit s --power 48 --pue 1 --grid 951 --in gCO2e hour 2> /dev/null |
    grep -Fx '# aiflame-cost: embodied carbon is not counted'
}

@test "money, by device time and by energy" {
  times > t
  aiflame-cost --in money --price 3.6USD/h t > cost
  grep -Fx '# aiflame: event estimate from gpu-time at 3.6 USD/h of device time, unit pUSD' cost
  assert_equal "$(grep -v '^#' cost)" 'app;main;-;a_[G] 3000000
app;main;-;b_[G] 999999
app;x 1'
  # 3.6 MJ are 1 kWh
  aiflame-cost --in money --joules 3.6e6 --pue 1.5 --price '0.30 EUR/kWh' t > cost
  assert_equal "$(sum cost)" 450000000000
  grep -Fx '# aiflame-cost: money 450.0 mEUR, an estimate' cost
}

@test "idle time of reserved devices is a frame in its place" {
  printf '# aiflame: unit us\na 250000\nZ 250000\n' | LC_ALL=C sort > t
  run -0 --separate-stderr aiflame-cost --power 100 --idle-power 20 --reserved 2 --pue 1 t
  assert_equal "$(grep -v '^#' <<< "$output")" 'Z 25000000000
[idle] 30000000000
a 25000000000'
  run -1 --separate-stderr aiflame-cost --power 100 --idle-power 20 --reserved 0.4 --pue 1 t
  [ -z "$output" ]
  assert_equal "$stderr" 'aiflame-cost: --reserved 0.4 s is less than the time of the stacks, 0.5 s; it counts the time of all devices together'
}

@test "measured energy is spread by time, to the last count" {
  times > t
  for joules in 0.000000001 0.000000007 1 12.345678912 1e9; do
    aiflame-cost --joules "$joules" --pue 1 t 2> /dev/null > out
    assert_equal "$(sum out)" "$(awk -v joules="$joules" 'BEGIN { printf "%.0f\n", joules * 1e9 }')"
    grep -q '^# aiflame: event measured energy apportioned by gpu-time, unit nJ$' out
  done
  aiflame-cost --joules 12 --pue 1 t 2>&1 > /dev/null | grep -F 'apportioned by share of the device time'
}

@test "samples of time are times, and so are decimals" {
  printf '# aiflame: event gpu-clock, unit samples, period 1000000 ns\na 3\nb 1\n' > samples
  assert_equal "$(aiflame-cost --power 10 --pue 1 samples 2> /dev/null | grep -v '^#')" 'a 30000000
b 10000000'
  printf '# aiflame: unit ms\na 2.5\nb 0.25\n' > decimals
  assert_equal "$(aiflame-cost --power 10 --pue 1 decimals 2> /dev/null | grep -v '^#')" 'a 25000000
b 2500000'
}

@test "counts that are no times are refused, with what to do" {
  printf 'a 1\n' > unknown
  printf '# aiflame: event gpu-stall, unit stalls\na 1\n' > stalls
  printf '# aiflame: unit ns\na 1\n# aiflame: unit samples\n' > both
  printf '# aiflame: unit ns\na 0\n' > zero
  printf '# aiflame: unit ns\na 1\nb\n' > short
  printf '# aiflame: unit ns\na 18446744073709551615\nb 1\n' > large
  refused() { # FILE MESSAGE [OPTION...]
    run -1 --separate-stderr aiflame-cost --power 300 --pue 1 "${@:3}" "$1"
    [ -z "$output" ]
    assert_equal "$stderr" "aiflame-cost: $1$2"
  }
  refused unknown ': the file does not say what its counts are; if they are times, give their unit: --unit ns, us, ms or s'
  refused stalls ':1: the counts are stalls (gpu-stall), not times; fold device time: stackcollapse-aiflame --event gpu-time'
  refused both ':3: counts are samples, those of line 1 are ns'
  refused zero ': no time in the stacks'
  refused short ':3: missing count'
  refused large ':3: the counts are too large to be added in 64 bits'
  refused zero ':1: the counts are ns, not us' --unit us
  run -1 --separate-stderr aiflame-cost --power 1e18 --pue 1 --unit s unknown
  assert_equal "$stderr" 'aiflame-cost: the cost does not fit 64 bits in nJ; is one of the options wrong?'
  run -1 --separate-stderr aiflame-cost --power 1 --pue 1 absent
  assert_equal "$stderr" "aiflame-cost: cannot open 'absent': No such file or directory"
  assert_full_disk_noticed aiflame-cost --power 300 --pue 1 --unit s unknown
}

@test "the picture and the report name the unit, and controls are escaped" {
  times > t
  aiflame-cost --power 300 --pue 1.2 t 2> /dev/null > energy
  aiflame-svg energy > energy.svg
  grep -q 'width: energy (estimate from gpu-time at 300 W)' energy.svg
  grep -q '<title>a (1.080 J, 75.00%)' energy.svg
  grep -q 'data-unit="nJ" data-steps="1e+15:MJ 1e+12:kJ 1e+09:J 1e+06:mJ 1e+03:uJ"' energy.svg
  aiflame-report energy | grep -q '1.080 J'
  aiflame-cost --in money --price 3.6USD/h t 2> /dev/null | aiflame-svg | grep -q '<title>a (3.000 uUSD, 75.00%)'
  # time says what it always said
  aiflame-svg t | grep -q '<title>a (3.000 ms, 75.00%)'
  # flamegraph.pl would draw a comment that ends in a digit
  run ! grep -E '^#.*[0-9]$' energy
  printf 'a;\033[2J 1\n' | aiflame-cost --unit s --power 1 --pue 1 2> /dev/null | grep -Fx 'a;\033[2J 1000000000'
}

@test "memory does not grow with the stacks" {
  is_sanitized && skip 'sanitizers need memory of their own'
  awk 'BEGIN { print "# aiflame: unit ns"; for (i = 0; i < 400000; ++i) printf "app;main;%060d;%060d %d\n", i % 97, i, i + 1 }' > large
  (ulimit -v 60000 && aiflame-cost --power 300 --pue 1 large 2> /dev/null) > out
  assert_equal "$(sum out)" "$(awk '!/^#/ { sum += $NF } END { printf "%.0f\n", 300 * sum }' large)"
}

@test "energy of a recording: one counter, complete, named" {
  times > t
  printf '# gpustall 1\n# energy 0 : rapl, package-0, from 1.0 to 2.0, 8.000001 J\n# energy 1 : rapl, package-0/core, from 1.0 to 2.0, ? J\n# energy 0 : rapl, package-0, from 2.0 to 3.0, 4 J\n# end samples 0 launches 0 lost 0\n' > r
  cost() { run "$1" --separate-stderr aiflame-cost --pue 1 --energy-from "${@:2}" t; }
  cost -0 r --counter package-0
  assert_equal "$(sum <<< "$output")" 12000001000
  [[ $stderr = *'measured energy 12.000001 J (package-0), apportioned by share of the device time'* ]]
  cost -1 r
  assert_equal "$stderr" "aiflame-cost: r: several energy counters; choose by --counter: 'package-0', 'package-0/core'"
  cost -1 r --counter package-0/core
  assert_equal "$stderr" "aiflame-cost: r: the counter 'package-0/core' was set back or could not be read for a time; its energy is not known"
  cost -1 r --counter x
  assert_equal "$stderr" "aiflame-cost: r: no energy counter 'x'; there is 'package-0', 'package-0/core'"
  sed -i /package-0,/d r
  sed -i 's/? J/1 W/' r
  cost -1 r
  [ -z "$output" ]
  assert_equal "$stderr" "aiflame-cost: r:2: expected '# energy N : SOURCE, NAME, from START to END, JOULES J'"
  printf '# gpustall 1\n# end samples 0 launches 0 lost 0\n' > r
  cost -1 r
  assert_equal "$stderr" "aiflame-cost: r: no energy was recorded; record with gpustall-record --energy"
}

@test "energy of several counters is their sum, and none counts twice" {
  times > t
  printf '# gpustall 1\n' > r
  for name in 'H100 GPU-0' 'H100 GPU-1' package-0 package-0/core; do
    printf '# energy 0 : x, %s, from 1.0 to 2.0, 2 J\n' "$name" >> r
  done
  printf '# end samples 0 launches 0 lost 0\n' >> r
  cost() { run "$1" --separate-stderr aiflame-cost --pue 1 --energy-from r "${@:2}" t; }
  cost -0 --counter 'H100 GPU-0' --counter 'H100 GPU-1'
  assert_equal "$(sum <<< "$output")" 4000000000
  [[ $stderr = *'measured energy 4 J (H100 GPU-0, H100 GPU-1), apportioned by'* ]]
  cost -1 --counter package-0/core --counter package-0
  assert_equal "$stderr" "aiflame-cost: r: the counter 'package-0/core' is in 'package-0' already and would count twice"
  cost -1 --counter package-0 --counter package-0
  assert_equal "$stderr" "aiflame-cost: r: the counter 'package-0' is in 'package-0' already and would count twice"
}
