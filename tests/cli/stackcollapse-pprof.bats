# SPDX-License-Identifier: MIT
# stackcollapse-pprof on profiles that Go wrote (tests/data/stackcollapse-pprof) and on hand-made
# ones. tests/recorded/pprof.py reads them independently, and so does `go tool pprof` if it is there.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  data=$DATA/stackcollapse-pprof
}

pprof() { python3 "$AIFLAME_ROOT/tests/recorded/pprof.py" "$@"; }

fold() { stackcollapse-pprof "$@" 2> err; }

sum() { stacks | awk '{ n += $NF } END { printf "%.0f\n", n }'; }

@test "--help and --version" { assert_help_and_version stackcollapse-pprof; }

@test "wrong usage" { assert_usage_error stackcollapse-pprof --sample-typ cpu; }

@test "a full disk is noticed" {
  # shellcheck disable=SC2016 # for the inner shell
  run -1 --separate-stderr bash -c 'stackcollapse-pprof "$0" > /dev/full' "$data/cpu.pb.gz"
  # shellcheck disable=SC2154 # Bats sets it
  [[ $stderr = *': write error: No space left on device' ]]
}

@test "a hand-made profile: inlined functions, mappings, Python, recursion" {
  pprof make > p.pb
  assert_equal "$(fold p.pb)" '# aiflame: event cpu, unit ns, period 10000 ns
my_app;main;[unknown];[vdso] 40000
my_app;main;net/http.(*Client).Do;[libc.so.6] 30000
my_app;main;net/http.(*Client).Do;net/http.(*Client).Do 20000
my_app;main;net/http.(*Client).Do;std::vector<int>::push_back;a::grow_[i];py::step: one:train.py 10000'
  assert_equal "$(cat err)" 'stackcollapse-pprof: cpu: 100.0 us of 4 records; 0 lost'
}

@test "plain, compressed, by a pipe, with numbers that are not packed, with any ids or none: the same" {
  pprof make > p.pb
  fold p.pb > expected
  gzip -k p.pb
  zstd -q p.pb
  pprof make unpacked > unpacked.pb
  pprof make sparse > sparse.pb
  local file
  pprof make places > places.pb
  for file in p.pb.gz p.pb.zst unpacked.pb sparse.pb places.pb; do fold "$file" | cmp - expected; done
  gzip -c p.pb | fold | cmp - expected
}

@test "names in full" {
  pprof make > p.pb
  assert_equal "$(fold --srcline --full-paths --full-names p.pb | grep py::)" \
    'my_app;main;net/http.(*Client).Do;std::vector<int>::push_back(int&&);a::grow(unsigned long)_[i];py::step: one:/home/x/train.py:41 10000'
}

@test "sample types: by name, by the profile's default, else the last" {
  pprof make > p.pb
  assert_equal "$(fold --sample-type samples p.pb | sed -n '1p;$p')" '# aiflame: event samples, unit samples, period 10000 ns
my_app;main;net/http.(*Client).Do;std::vector<int>::push_back;a::grow_[i];py::step: one:train.py 1'
  pprof make default > p.pb
  assert_equal "$(fold p.pb | head -n 1)" '# aiflame: event samples, unit samples, period 10000 ns'
  # the last one that has values; times are preferred
  pprof make idle > idle.pb
  assert_equal "$(fold idle.pb | head -n 1)" '# aiflame: event cpu, unit ns, period 10000 ns'
  assert_equal "$(fold --sample-type lock-time idle.pb | head -n 1)" '# aiflame: event lock-time, unit ns, period 10000 ns'
  run -1 --separate-stderr stackcollapse-pprof --sample-type alloc p.pb
  assert_equal "$stderr" "stackcollapse-pprof: p.pb: no sample type 'alloc'; it has: samples, cpu"
}

@test "labels as root frames" {
  pprof make > p.pb
  fold --labels size,thread p.pb > folded
  assert_equal "$(cut -d';' -f1-4 folded | sed -n '2,$p')" 'my_app;main;[unknown];[vdso] 40000
my_app;main;net/http.(*Client).Do;net/http.(*Client).Do 20000
my_app;size 4096 bytes;thread worker_2;main
my_app;thread worker_1;main;net/http.(*Client).Do'
}

@test "frames that the profile wants dropped, on request" {
  pprof make drop > p.pb
  fold p.pb | grep -q push_back
  assert_equal "$(fold --drop-frames p.pb | stacks)" 'my_app;main;[unknown];[vdso] 40000
my_app;main;net/http.(*Client).Do 10000
my_app;main;net/http.(*Client).Do;[libc.so.6] 30000
my_app;main;net/http.(*Client).Do;net/http.(*Client).Do 20000'
}

@test "several profiles are added up; their counts must be alike" {
  pprof make > p.pb
  assert_equal "$(fold p.pb p.pb | sum)" 200000
  run -1 --separate-stderr stackcollapse-pprof p.pb "$data/heap.pb.gz"
  [[ $stderr = *'heap.pb.gz: bytes (inuse_space), where the profiles before have ns (cpu); --sample-type chooses' ]]
  [ -z "$output" ]
}

@test "profiles that cannot be" {
  local change
  for change in negative values location text twice none deep; do
    pprof make "$change" > "$change.pb"
    run -1 --separate-stderr stackcollapse-pprof "$change.pb"
    [ -z "$output" ]
    echo "$stderr" >> errors
  done
  assert_equal "$(cat errors)" 'stackcollapse-pprof: negative.pb: sample 3: a negative value, of a difference: fold its two profiles, for aiflame-diff, or choose another --sample-type
stackcollapse-pprof: values.pb: sample 6: 1 values, of 2
stackcollapse-pprof: location.pb: sample 6: location 99 is not there
stackcollapse-pprof: text.pb: text 1000 of 21
stackcollapse-pprof: twice.pb: location 7 is there twice
stackcollapse-pprof: none.pb: not a pprof profile: it has no sample types
stackcollapse-pprof: deep.pb: stacks that are too deep for its size'
  : > empty
  run -1 stackcollapse-pprof empty
  echo 'heap profile: 1: 2 [3: 4] @ heapprofile' > text
  run -1 stackcollapse-pprof text
}

# The profile is cut at each byte, and has each byte changed. The program either draws, or says one
# line and draws nothing.
@test "damaged profiles" {
  pprof make > whole
  cat > damage.py << 'END'
import subprocess, sys
whole = open('whole', 'rb').read()
def check(data, what):
    ran = subprocess.run(['stackcollapse-pprof', '--no-sandbox', '--drop-frames', '--labels', 'thread'],
                         input=data, capture_output=True, timeout=20)
    lines = [l for l in ran.stderr.decode().split('\n') if l]
    if ran.returncode not in (0, 1) or len(lines) != 1 or (ran.returncode == 1) == bool(ran.stdout):
        sys.exit(f'{what}: {ran.returncode} {ran.stderr.decode()}')
for size in range(0, len(whole), 3):
    check(whole[:size], f'cut at {size}')
for at in range(0, len(whole), 2):
    check(whole[:at] + bytes([whole[at] ^ 1 << at % 8]) + whole[at + 1:], f'a bit at {at}')
END
  python3 damage.py
}

@test "Go's profiles: the sums of all sample types" {
  local file line
  for file in cpu heap; do
    pprof sums "$data/$file.pb.gz" > expected
    while IFS= read -r line; do
      assert_equal "${line% *} $(fold --sample-type "${line% *}" "$data/$file.pb.gz" | sum)" "$line"
    done < expected
  done
}

@test "Go's profiles: methods, inlined functions, labels, units" {
  fold --labels rank,phase "$data/cpu.pb.gz" > folded
  assert_equal "$(head -n 1 folded)" '# aiflame: event cpu, unit ns, period 10000000 ns'
  grep -q '^app;rank 3;phase warm;runtime.main;main.main;runtime/pprof.Do;main.main.func1;main.(\*T).Run;main.fib' folded
  grep -q 'runtime.main;main.main;sort.Strings_\[i\];sort.Sort;' folded
  assert_equal "$(fold --sample-type alloc_objects "$data/heap.pb.gz" | head -n 1)" '# aiflame: event alloc_objects, unit objects'
}

# FLAT;NAME by function, as `go tool pprof -top` lists them
@test "Go's profiles: each function has the value that go tool pprof gives it" {
  skip_without go 'go is not installed (golang-go)'
  local type
  export HOME=$PWD
  for type in cpu:cpu heap:alloc_space heap:inuse_objects; do
    go tool pprof -top -nodecount=1000 -nodefraction=0 -edgefraction=0 -unit=ns -sample_index="${type#*:}" \
      "$data/${type%:*}.pb.gz" 2> go.err | awk '/flat%/ { on = 1; next }
        on && $1 != "0" { sub(/(ns|B|bytes)$/, "", $1); print $6 ";" $1 }' | sort > expected
    [ "$(wc -l < expected)" -ge 5 ]
    fold --sample-type "${type#*:}" "$data/${type%:*}.pb.gz" | stacks | sed 's/_\[i\]//g' |
      awk '{ n = split($0, f, ";"); split(f[n], g, " "); sum[g[1]] += g[2] }
        END { for (name in sum) printf "%s;%.0f\n", name, sum[name] }' | sort | diff expected -
  done
}
