# SPDX-License-Identifier: MIT
# stackcollapse-torch-memory: memory snapshots of PyTorch. Genuine ones are in tests/data/torch-memory; what these have
# not, tests/recorded/torch_memory.py makes.
# shellcheck disable=SC2030,SC2031,SC2034,SC2046,SC2086,SC2154  # paths without blanks; Bats sets some
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  tmp=$BATS_TEST_TMPDIR
  data=tests/data/stackcollapse-torch-memory
  memory=stackcollapse-torch-memory
  python=tests/data/torch-memory/h100-python.pickle.gz
  all=tests/data/torch-memory/h100-all.pickle.gz
  shared=$AIFLAME_ROOT/../shared/data/torch-memory-snapshot
}

# made CASE [PROTOCOL]: the path of a snapshot
made() {
  python3 tests/recorded/torch_memory.py make "$@" > "$tmp/$1.pickle"
  echo "$tmp/$1.pickle"
}

# folded OPTION... SNAPSHOT: the stacks as torch_memory.py folds them, which takes those without Python as one
folded() {
  $memory --full-paths --srcline "$@" 2> /dev/null | python3 -c '
import sys
from collections import Counter
out = Counter()
for line in sys.stdin:
    if not line.startswith("#"):
        stack, size = line.rstrip("\n").rsplit(" ", 1)
        out[stack if stack.startswith(("py::", "[alloc", "[no ")) else "[native]"] += int(size)
print(*sorted(f"{stack} {size}" for stack, size in out.items()), sep="\n")'
}

# refused TEXT: standard input, printf(1) escapes in TEXT resolved, is refused
refused() {
  # shellcheck disable=SC2059 # the escapes are meant
  printf "$1" > "$tmp/in.pickle"
  run -1 --separate-stderr $memory "$tmp/in.pickle"
  assert_equal "$output" ''
  assert_equal "$stderr" "$memory: $tmp/in.pickle: $2"
}

@test "genuine snapshots equal an independent reading, stack by stack, at several moments" {
  local file at
  for file in $python $all $shared/medium_128_training_memory_snapshot.pickle.gz; do
    [ -e "$file" ] || continue
    for at in peak end event:0 event:100 event:1000; do
      assert_equal "$(folded --at $at $file)" "$(python3 tests/recorded/torch_memory.py fold $file $at)"
    done
  done
  for file in $python $all; do
    assert_equal "$(folded --at oom $file)" "$(python3 tests/recorded/torch_memory.py fold $file oom)"
  done
}

@test "the peak and the end are what PyTorch itself counted" {
  assert_equal "$($memory $python | stacks | awk '{ s += $NF } END { printf "%.0f", s }')" 320229160
  assert_equal "$($memory $all | stacks | awk '{ s += $NF } END { printf "%.0f", s }')" 288755688
  # allocated at the end, as the allocator rounds
  assert_equal "$($memory --segments $python | grep -v '^#\|^\[free' | awk '{ s += $NF } END { printf "%.0f", s }')" 130073088
}

@test "a genuine snapshot: the peak, and what memory ran out with" {
  golden python-peak $memory $python
  golden all-oom $memory --at oom $all
  golden all-native $memory --native --at oom $all
  golden python-segments $memory --segments --pools $python
}

@test "the shared snapshot's figures" {
  [ -e "$shared/README" ] || skip "no shared data"
  run -0 --separate-stderr $memory $shared/medium_128_training_memory_snapshot.pickle.gz
  assert_equal "${lines[1]}" \
    '# aiflame-note: peak 6.532 GiB of 6.738 GiB reserved, 8 stacks; 73 % was allocated before recording began'
  assert_equal "$(grep '^\[[an][lo]' <<< "$output")" '[alloc not recorded] 3385466880
[no stack] 1709854720'
  assert_equal "$(stacks <<< "$output" | awk '{ s += $NF } END { printf "%.0f", s }')" 7013335044
  run -0 --separate-stderr $memory --srcline $shared/tiny/p5.pickle
  assert_equal "${lines[2]}" 'py::<module>:train.py:9;py::step:train.py:3 6000'
}

@test "each moment, and what was allocated in all" {
  local snapshot
  snapshot=$(made plain)
  golden peak $memory $snapshot
  golden end $memory --at end $snapshot
  golden oom $memory --at oom $snapshot
  golden event $memory --at event:1 $snapshot
  golden seconds $memory --at 0.6 $snapshot
  golden allocated $memory --allocated --by-time 1000 $snapshot
  golden count $memory --allocated --count $snapshot
  golden segments $memory --segments $snapshot
}

@test "what was there before recording began" {
  golden cut $memory $(made cut)
  golden cut-end $memory --at end $(made cut)
}

@test "a function without a line" {
  assert_equal "$($memory --srcline $(made lineless) | stacks)" \
    'py::<module>:train.py:90;py::init:fake.py 100
py::<module>:train.py:90;py::init:train.py 200'
}

@test "devices, pools, streams, ranks" {
  golden devices $memory $(made devices)
  golden roots $memory --rank --pools --streams $(made devices) $(made plain)
  golden device $memory --device 2 --devices $(made devices)
}

@test "annotations, categories, phases" {
  golden annotated $memory --phases --at end $(made annotated)
}

@test "what becomes of the memory: --lifetimes" {
  golden lifetimes $memory --lifetimes $(made plain)
  golden lifetimes-genuine $memory --lifetimes $python
  golden lifetimes-cut $memory --lifetimes --at event:0 $(made cut)
  # the same bytes
  assert_equal "$($memory --lifetimes $python | stacks | awk '{ s += $NF } END { printf "%.0f", s }')" 320229160
}

@test "a report says who holds the memory at the peak, what is freed soon, what is held over, and what grew" {
  $memory --lifetimes $python > "$tmp/peak" 2> /dev/null
  golden report-peak aiflame-report --top 5 --sections memory,function "$tmp/peak"
  # step 2 against step 3, when each has kept its tensor: the leak, by its line
  $memory --srcline --at event:1936 $python > "$tmp/before" 2> /dev/null
  $memory --srcline --at event:2853 $python > "$tmp/after" 2> /dev/null
  golden report-growth aiflame-report --top 5 --before "$tmp/before" --after "$tmp/after"
}

@test "old snapshots, lists of segments, segments that grow" {
  golden old $memory $(made old)
  golden old-segments $memory --segments $(made old)
  golden shared $memory --segments $(made shared)
  golden expandable $memory --at event:1 $(made expandable)
}

@test "protocols 2 to 5, compressed, from a pipe, in a page" {
  local protocol
  for protocol in 2 3 5; do
    cmp <($memory $(made plain $protocol)) $data/peak.out
  done
  # PyTorch's own writer; all cases give the same as Python's
  local case
  for case in $(python3 tests/recorded/torch_memory.py list); do
    # one after the other, as both are made in one place
    $memory $(made $case native) > "$tmp/native" 2>&1
    cmp "$tmp/native" <($memory $(made $case) 2>&1)
  done
  cmp <(gzip < $(made plain) | $memory -) $data/peak.out
  cmp <(zstd -q < $(made plain) | $memory) $data/peak.out
  python3 tests/recorded/torch_memory.py page $python > "$tmp/page.html"
  cmp <($memory "$tmp/page.html") $data/python-peak.out
  cmp <(gzip < "$tmp/page.html" | $memory) $data/python-peak.out
}

@test "--full-paths, --srcline, --full-names" {
  golden names $memory --full-paths --srcline --full-names $(made plain)
}

@test "what was read, drawn and lost" {
  run -0 --separate-stderr $memory $(made cut)
  assert_equal "$stderr" "$memory: gpu-memory: 1.477 KiB of 4 records: 46.30 % whose allocation was not recorded,\
 33.86 % without a stack; 50 bytes lost: blocks whose free was pending"
  run -0 --separate-stderr $memory --stats "$tmp/stats" $(made devices)
  assert_equal "$stderr" "$memory: gpu-memory: 350 bytes of 5 records;\
 1 records without a weight lost: entries of pinned memory of the host,\
 1 records without a weight lost: segments of pinned memory of the host"
  assert_equal "$(cat "$tmp/stats")" '{
  "event": "gpu-memory",
  "unit": "bytes",
  "read": {"records": 5, "weight": 350},
  "drawn": {"records": 3, "weight": 350},
  "parts": {},
  "lost": {"entries of pinned memory of the host": {"records": 1, "weight": 0}, "segments of pinned memory of the host": {"records": 1, "weight": 0}}
}'
  run -0 --separate-stderr $memory $(made expandable)
  assert_equal "${stderr_lines[0]}" \
    "$memory: warning: $tmp/expandable.pickle: device 0: 1 block allocated again without having been freed"
}

@test "what would execute is refused, and has no effect" {
  local touched="$tmp/touched"
  python3 -c 'import pickle, os, sys
class Bad:
    def __reduce__(self): return (os.system, ("touch " + sys.argv[1],))
for protocol in range(6):
    pickle.dump({"segments": [Bad()]}, open(f"{sys.argv[2]}/bad{protocol}", "wb"), protocol=protocol)' "$touched" "$tmp"
  local protocol
  for protocol in 2 3; do
    run -1 --separate-stderr $memory "$tmp/bad$protocol"
    assert_equal "$output" ''
    [[ $stderr == "$memory: $tmp/bad$protocol: byte "*": GLOBAL: needs the global 'posix.system': no memory"* ]]
  done
  for protocol in 4 5; do
    run -1 --separate-stderr $memory "$tmp/bad$protocol"
    assert_equal "$output" ''
    [[ $stderr == "$memory: $tmp/bad$protocol: byte "*": STACK_GLOBAL: needs the global 'posix.system': no memory"* ]]
  done
  for protocol in 0 1; do
    run -1 --separate-stderr $memory "$tmp/bad$protocol"
    assert_equal "$stderr" \
      "$memory: $tmp/bad$protocol: this is no pickle of protocol 2 to 5, and no page of trace_plot()"
  done
  [ ! -e "$touched" ]
}

@test "every opcode that a snapshot has no use for is named, with its place" {
  python3 -c 'import pickletools, sys
used = """MARK STOP BININT BININT1 BININT2 LONG1 LONG4 BINFLOAT NONE NEWTRUE NEWFALSE BINUNICODE SHORT_BINUNICODE
BINUNICODE8 BINBYTES SHORT_BINBYTES EMPTY_LIST APPEND APPENDS EMPTY_DICT SETITEM SETITEMS EMPTY_TUPLE TUPLE TUPLE1
TUPLE2 TUPLE3 BINGET LONG_BINGET BINPUT LONG_BINPUT MEMOIZE FRAME GLOBAL""".split()
for opcode in pickletools.opcodes:
    if opcode.name not in used: print(ord(opcode.code), opcode.name)' > "$tmp/opcodes"
  [ "$(wc -l < "$tmp/opcodes")" -ge 30 ]
  local code name
  while read -r code name; do
    refused "\\x80\\x04]$(printf '\\x%02x' "$code")" \
      "byte 3: $name: no memory snapshot has that, and nothing was executed"
  done < "$tmp/opcodes"
  refused '\x80\x04\xff' 'byte 2: opcode 0xff: no memory snapshot has that, and nothing was executed'
}

@test "hostile pickles end with one line" {
  refused '\x80\x04]\x94h\0a.' 'byte 6: a container that holds itself'
  refused '\x80\x04]\x94(Nh\0e.' 'byte 8: a container that holds itself'
  refused '\x80\x04]\x94(Ne(h\0e.' 'byte 8: a list that holds itself'
  refused '\x80\x04]\x94Nah\0a.' 'byte 8: fills a thing that is no list, or is filled already'
  refused '\x80\x04a' 'byte 2: takes a value where there is none'
  refused '\x80\x04e' 'byte 2: needs a mark, and there is none'
  refused '\x80\x04\x94' 'byte 2: there is no value to remember'
  refused '\x80\x04h\0' 'byte 2: a place of the memo that is empty'
  refused '\x80\x04Nr\xff\xff\xff\xff' 'byte 3: place 4294967295 of the memo, of which 0 are in use'
  refused '\x80\x04\x8d\0\0\0\0\0\0\0\x10' \
    'byte 11: a text of 1152921504606846976 bytes; more than 1048576 are not read'
  refused '\x80\x04\x8a\x09\0\0\0\0\0\0\0\0\x01' 'byte 2: a number of more than 64 bits'
  refused '\x80\x04NN.' 'byte 4: ends with values that nobody takes'
  refused '\x80\x04(}s.' 'byte 4: takes a value where there is none'
  refused '\x80\x04N(NNu.' 'byte 6: fills a thing that is no dictionary, or is filled already'
  refused '\x80\x06N.' "byte 0: the pickle's protocol is 6; 2 to 5 are read"
  refused '\x80\x04]' 'byte 3: the pickle is cut'
  refused '\x80\x04].' "this pickle is no memory snapshot: it has no 'segments' and no 'device_traces'"
  refused '<html></html>' 'this page has no snapshot: it is not of trace_plot()'
  refused '' 'this is no pickle of protocol 2 to 5, and no page of trace_plot()'
  python3 -c 'import sys; sys.stdout.buffer.write(b"\x80\x04" + b"(" * 10000)' > "$tmp/deep"
  run -1 --separate-stderr $memory "$tmp/deep"
  assert_equal "$stderr" "$memory: $tmp/deep: byte 4098: values are nested too deep"
}

@test "a bomb takes bounded memory" {
  is_sanitized && skip "sanitizers take memory of their own"
  # values that nothing takes, places in the memo, devices, a stack of long names
  python3 -c 'import sys
out = sys.argv[1]
open(out + "/values", "wb").write(b"\x80\x04(" + b"N" * 40000000)
open(out + "/memo", "wb").write(b"\x80\x04N" + b"\x94" * 40000000)
open(out + "/nested", "wb").write(b"\x80\x04}\x94(\x8c\x0ddevice_traces]\x94(" + b"]\x94" * 100000 + b"eu.")
frame = b"}(\x8c\x08filename\x8c\x04x.py\x8c\x04name\x8c\xff" + b"n" * 255 + b"u\x94"
stack = b"](" + b"h\x00" * 65000 + b"e"
entry = b"}(\x8c\x06action\x8c\x05alloc\x8c\x04addrK\x01\x8c\x04sizeK\x01\x8c\x06frames" + stack + b"u"
open(out + "/stack", "wb").write(b"\x80\x04}(N" + frame + b"\x8c\x0ddevice_traces](](" + entry + b"eeu.")' "$tmp"
  local bomb
  for bomb in values memo nested stack; do
    run -1 --separate-stderr bash -c "ulimit -v 700000; $memory '$tmp/$bomb'"
    assert_equal "$output" ''
    assert_equal "${#stderr_lines[@]}" 1
  done
}

@test "a snapshot that is cut anywhere is refused" {
  local snapshot size at
  snapshot=$(made plain)
  size=$(stat -c %s "$snapshot")
  for ((at = 0; at < size; at += 7)); do
    head -c $at "$snapshot" > "$tmp/part"
    run -1 --separate-stderr $memory "$tmp/part"
    assert_equal "$output" ''
    assert_equal "${#stderr_lines[@]}" 1
  done
}

@test "what the snapshot has not" {
  run -1 --separate-stderr $memory --at oom $(made cut)
  assert_equal "$stderr" "$memory: $tmp/cut.pickle: the snapshot has no entry 'oom': memory did not run out"
  run -1 --separate-stderr $memory --allocated $(made old)
  assert_equal "$stderr" "$memory: $tmp/old.pickle: the snapshot has no entries: see _record_memory_history()"
  run -1 --separate-stderr $memory --at event:11 $(made plain)
  assert_equal "$stderr" "$memory: $tmp/plain.pickle: device 0 has 11 entries: there is no event 11"
  run -1 --separate-stderr $memory --device 1 $(made plain)
  assert_equal "$stderr" "$memory: $tmp/plain.pickle: device 1 has no memory in it"
  run -1 --separate-stderr $memory "$tmp/none"
  assert_equal "$stderr" "$memory: cannot open '$tmp/none': No such file or directory"
}

@test "wrong usage, and a full disk" {
  assert_usage_error $memory --at noon
  assert_usage_error $memory --at event:-1
  assert_usage_error $memory --allocated --segments
  assert_usage_error $memory --at end --segments
  assert_usage_error $memory --segments --count
  assert_usage_error $memory --lifetimes --allocated
  assert_usage_error $memory --device x
  run -1 --separate-stderr bash -c "$memory $python > /dev/full"
  assert_equal "$stderr" "$memory: write error: No space left on device"
}
