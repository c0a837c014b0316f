# SPDX-License-Identifier: MIT
# stackcollapse-hpctoolkit on a hand-made database, and on genuine ones of three vendors if
# ../shared/data/hpctoolkit lies beside the repository. tests/recorded/hpctoolkit.py reads them
# independently.
load common

hpctoolkit() { python3 "$AIFLAME_ROOT/tests/recorded/hpctoolkit.py" "$@"; }

fold() { stackcollapse-hpctoolkit "$@" 2> err; }

genuine() { # VENDOR; puts its path into $genuine
  genuine=$AIFLAME_ROOT/../shared/data/hpctoolkit/$1
  [ -e "$genuine/meta.db" ] || skip 'no ../shared/data/hpctoolkit'
}

@test "--help and --version" { assert_help_and_version stackcollapse-hpctoolkit; }

@test "wrong usage" {
  assert_usage_error stackcollapse-hpctoolkit
  assert_usage_error stackcollapse-hpctoolkit --gpu-frames nothing db
}

@test "a full disk is noticed" {
  hpctoolkit make db
  run -1 --separate-stderr bash -c 'stackcollapse-hpctoolkit db > /dev/full'
  # shellcheck disable=SC2154 # Bats sets it
  [[ $stderr = *': write error: No space left on device' ]]
}

@test "a hand-made database: CPU frames, the launch, kernel, functions, offsets and reasons" {
  hpctoolkit make db
  fold db > folded
  assert_equal "$(cat folded)" "# aiflame: event gpu-stall, unit cycles
my_app;[unknown entry];[unknown launch];-;jit_[G];fill_[G] 3
my_app;main;go<int>_[i];[libx.so.1];-;k.cl_[G];scale<float>_[G];0x0_[g] 1
my_app;main;go<int>_[i];[libx.so.1];-;k.cl_[G];scale<float>_[G];isu_unk_[g];0x0_[g] 50
my_app;main;go<int>_[i];[libx.so.1];-;k.cl_[G];scale<float>_[G];mul_[G];0x40_[g] 307
my_app;main;go<int>_[i];[libx.so.1];-;k.cl_[G];scale<float>_[G];mul_[G];isu_unk_[g];0x40_[g] 400
my_app;main;go<int>_[i];[libx.so.1];-;k.cl_[G];scale<float>_[G];mul_[G];stl_idep_[g];0x40_[g] 300"
  assert_equal "$(cat err)" "stackcollapse-hpctoolkit: hint: 1 code object was not found, such as gpubins/00ff.gpubin: --objects DIR, for the names of instructions
stackcollapse-hpctoolkit: gpu-stall: 1,061 cycles of 3 records: 0.28 % without a launch, 99.72 % without a mnemonic (no code object); 0 lost"
}

@test "device levels, full names and paths" {
  hpctoolkit make db
  fold --gpu-frames line,file,function --full-paths --full-names db | grep ' 1007$' > folded
  assert_equal "$(sed 's/.*;-;//' folded)" 'x.h:12_[G];/home/k.cl_[G];mul(float)_[G] 1007'
}

@test "metrics by name, of the device and of the CPU, in their units" {
  hpctoolkit make db
  assert_equal "$(fold --metric 'GPUOP (s)' db)" '# aiflame: event gpu-time, unit ns, weights measured
my_app;main;go<int>_[i];-;[gpu copyin]_[G] 1500
my_app;main;go<int>_[i];[libx.so.1];-;k.cl_[G];scale<float>_[G] 2'
  assert_equal "$(fold --metric 'CPUTIME (sec)' db)" '# aiflame: event CPUTIME, unit ns
my_app;main 250000000'
  assert_equal "$(fold --metric GCYCLES:STL:IDEP db | sed 's/.*mul/mul/')" \
    '# aiflame: event GCYCLES:STL:IDEP, unit cycles
mul_[G];stl_idep_[g];0x40_[g] 300'
  run -1 --separate-stderr stackcollapse-hpctoolkit --metric GINST db
  assert_equal "$stderr" "stackcollapse-hpctoolkit: db: no values of the metric 'GINST'; these have some: CPUTIME (sec), GCYCLES, GCYCLES:ISU:UNK, GCYCLES:STL, GCYCLES:STL:IDEP, GCYCLES:WAVE_ACT, GPUOP (s)"
  [ -z "$output" ]
}

@test "ranks and threads as root frames; both files of values say the same" {
  hpctoolkit make db
  fold --ids RANK,THREAD db > by_profile
  assert_equal "$(grep -c '^RANK 3;THREAD 77;my_app;main;' by_profile)" 4
  grep -q '^RANK 4;THREAD 77;my_app;.*;fill_\[G\] 3$' by_profile
  run -1 --separate-stderr stackcollapse-hpctoolkit --ids rank db
  [ "$stderr" = "stackcollapse-hpctoolkit: db: no identifier 'rank'; there are: SUMMARY, NODE, RANK, THREAD" ]
  fold db > by_context
  rm db/cct.db
  fold db | cmp - by_context
}

@test "several databases are added up; their counts must be alike" {
  hpctoolkit make db
  assert_equal "$(fold db db | stacks | awk '{ n += $NF } END { print n }')" 2122
  hpctoolkit make times time
  run -1 --separate-stderr stackcollapse-hpctoolkit --stats stats.json db times
  [ -z "$output" ]
  [[ $stderr = *'stackcollapse-hpctoolkit: times: ns (gpu-time), where the databases before have cycles (gpu-stall); --metric chooses' ]]
  [ ! -s stats.json ]
}

@test "statistics as JSON" {
  hpctoolkit make db unknown
  fold --stats stats.json db > folded
  jq -e '.unit == "cycles" and .read.weight == 1061 and .drawn.weight == 54 and
    .lost["contexts that meta.db lacks"].weight == 1007' stats.json
}

@test "reasons that are more than their whole are not drawn as its parts" {
  hpctoolkit make db more
  assert_equal "$(fold db | grep -c 'mul_.*0x40_\[g\] 1007$')" 1
  grep -q 'whose reasons are more than all of it' err
}

@test "databases that cannot be" {
  local change
  for change in version5 loop twice negative; do
    hpctoolkit make "db-$change" "$change"
    run -1 --separate-stderr stackcollapse-hpctoolkit "db-$change"
    [ -z "$output" ]
    echo "$stderr" | grep -v hint: >> errors
  done
  assert_equal "$(sed 's/0x[0-9a-f]*/AT/' errors)" "stackcollapse-hpctoolkit: db-version5/meta.db: version 5; this program reads version 4
stackcollapse-hpctoolkit: db-loop/meta.db: AT: contexts that overlap
stackcollapse-hpctoolkit: db-twice/meta.db: AT: a context that is there twice
stackcollapse-hpctoolkit: db-negative: GCYCLES: -1 is no count"
  run -1 --separate-stderr stackcollapse-hpctoolkit nowhere
  assert_equal "$stderr" "stackcollapse-hpctoolkit: cannot open 'nowhere/meta.db': No such file or directory"
  mkdir text && echo text > text/meta.db
  run -1 --separate-stderr stackcollapse-hpctoolkit text
  assert_equal "$stderr" "stackcollapse-hpctoolkit: text/meta.db: not a file of HPCToolkit's database of the kind 'meta'"
}

# Each file is cut at many places, and then has each of many bytes changed. The program either
# draws, or says one line and draws nothing.
@test "damaged databases" {
  hpctoolkit make whole
  cat > damage.py << 'END'
import os, random, shutil, subprocess, sys
random.seed(1)
def check(what):
    for ids in ([], ['--ids', 'RANK']):
        ran = subprocess.run(['stackcollapse-hpctoolkit', '--no-sandbox', *ids, 'db'],
                             capture_output=True, timeout=20)
        lines = [l for l in ran.stderr.decode().split('\n') if l and ' hint: ' not in l]
        if ran.returncode not in (0, 1) or len(lines) != 1 or (ran.returncode == 1) == bool(ran.stdout):
            sys.exit(f'{what} {ids}: {ran.returncode} {ran.stderr.decode()}')
for name in ('meta.db', 'profile.db', 'cct.db'):
    whole = open('whole/' + name, 'rb').read()
    shutil.rmtree('db', ignore_errors=True)
    shutil.copytree('whole', 'db')
    for size in range(0, len(whole), 41):
        open('db/' + name, 'wb').write(whole[:size])
        check(f'{name} cut at {size}')
    for _ in range(60):
        at, value = random.randrange(len(whole)), random.choice([0, 1, 8, 127, 128, 255])
        open('db/' + name, 'wb').write(whole[:at] + bytes([value]) + whole[at + 1:])
        check(f'{name} with {value} at {at}')
END
  python3 damage.py
}

@test "genuine databases: each metric has the database's sum" {
  local vendor name
  for vendor in intel nvidia amd; do
    genuine "$vendor"
    hpctoolkit sums "$genuine" > expected
    [ "$(wc -l < expected)" -ge 15 ]
    while IFS= read -r line; do
      name=${line% *}
      assert_equal "$name $(fold --no-sandbox --gpu-frames kernel --metric "$name" "$genuine" | stacks | awk '{ n += $NF } END { printf "%.0f\n", n }')" "$line"
    done < expected
  done
}

@test "genuine databases: each instruction and reason has the database's count" {
  local vendor
  for vendor in intel nvidia amd; do
    genuine "$vendor"
    hpctoolkit stalls "$genuine" > expected
    # what is one counter of Intel's has Intel's name, as in a recording by gpustall-record
    [ "$vendor" != intel ] || sed -i 's/^stl_idep/sbid/; s/^stl_ifet/inst_fetch/; s/^isu_unk/active/' expected
    sort -o expected expected
    [ "$(wc -l < expected)" -ge 60 ]
    fold --gpu-frames reason,offset "$genuine" | stacks | sed 's/.*;-;//; s/_\[g\]//g' | sort | diff expected -
  done
}

@test "genuine databases: from main to the reason of an instruction" {
  genuine intel
  skip_without iga64 'iga64 is not installed (libigc-tools)'
  fold "$genuine" > folded
  grep -q '^single.sycloffload.icpx.intelgpu;main;twork;.*;urEnqueueKernelLaunch;.*;-;syclgpu.cc_\[G\];twork::{lambda(handler&)#1}::{lambda(auto:1)#1}_\[G\];operator()<item<1, true>>_\[G\];mov_\[g\];sbid_\[g\];0x448_\[g\] 274136563712$' folded
  ! grep -q 'without a' err || false
  fold --gpu-frames line,mnemonic,reason,producer "$genuine" |
    grep -q ';-;compute.h:67_\[G\];mov_\[g\];sbid_\[g\];waits for send.ugm at 0x408, compute.h:67_\[g\] 274136563712$'
  # the objects may lie elsewhere
  cp -r "$genuine" db
  chmod -R u+w db
  mkdir objects
  mv db/*.gpubin objects/
  fold --objects objects db | cmp - folded
  mkdir -p app-measurements/gpubins
  mv db app-database
  mv objects/*.gpubin app-measurements/gpubins/
  fold app-database/ | cmp - folded
}

@test "a genuine database without the contexts of instructions: lines and functions have their time" {
  pipit=$DATA/stackcollapse-hpctoolkit/pipit
  run -0 --separate-stderr stackcollapse-hpctoolkit "$pipit"
  assert_equal "$stderr" 'stackcollapse-hpctoolkit: CPUTIME: 262.1 ms of 15 records; 0 lost'
  assert_equal "$(awk '!/^#/ { sum += $NF } END { print sum }' <<< "$output")" 262070000
  grep -qFx 'ping-pong;main;MPI_Finalize;PMPI_Finalize;MPID_Finalize;psm_dofinalize;psm2_ep_close;targ5030;targ5030;shm_unlink;__GI___unlink 6000000' <<< "$output"
  run -0 --separate-stderr stackcollapse-hpctoolkit --ids RANK "$pipit"
  assert_equal "$(awk '/^RANK 0;/ { a += $NF } /^RANK 1;/ { b += $NF } END { print a, b }' <<< "$output")" '131009000 131061000'
}

@test "a database of which nothing can be drawn is an error" {
  cp -r "$DATA/stackcollapse-hpctoolkit/pipit" db
  # no scope of what contexts have with all that they call: another type for it
  python3 - db/meta.db << 'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
def u64(at): return struct.unpack_from("<Q", data, at)[0]
header = u64(0x38)
metric, instance_size = u64(header), data[header + 13]
for i in range(struct.unpack_from("<H", data, metric + 0x18)[0]):
    scope = u64(u64(metric + 8) + i * instance_size)
    if data[scope + 8] == 2:
        data[scope + 8] = 9
open(sys.argv[1], "wb").write(data)
END
  run -1 --separate-stderr stackcollapse-hpctoolkit db
  assert_equal "$output$stderr" 'stackcollapse-hpctoolkit: db: CPUTIME (sec): its values are all of contexts that meta.db lacks'
}
