# SPDX-License-Identifier: MIT
# stackcollapse-nsys: SQLite exports of Nsight Systems. Those of tests/recorded/nsys.py are made by hand.
# shellcheck disable=SC2030,SC2031,SC2034,SC2086,SC2154  # paths without blanks; Bats sets some
load common
load damage

setup() {
  cd "$AIFLAME_ROOT" || return
  tmp=$BATS_TEST_TMPDIR
  data=tests/data/stackcollapse-nsys
  nsys=stackcollapse-nsys
  genuine=$AIFLAME_ROOT/../shared/data/nsys/h100_2gpu_1s.sqlite
}

# made CASE: the path of the export of tests/recorded/nsys.py
made() {
  [ -e "$tmp/$1.sqlite" ] || python3 tests/recorded/nsys.py "$1" "$tmp/$1.sqlite"
  echo "$tmp/$1.sqlite"
}

# refused CASE MESSAGE [OPTION]...: one line, and no stacks
refused() {
  local file
  file=$(made "$1")
  run -1 --separate-stderr $nsys "${@:3}" "$file"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-nsys: $file: $2"
}

# sum_of FILE: the device's time by another reader
sum_of() {
  python3 - "$1" << 'END'
import sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?immutable=1", uri=True)
tables = [row[0] for row in db.execute("SELECT name FROM sqlite_master")]
print(sum(db.execute(f"SELECT COALESCE(SUM(end - start), 0) FROM {table}").fetchone()[0]
          for kind in ("KERNEL", "MEMCPY", "MEMSET", "GRAPH_TRACE")
          if (table := "CUPTI_ACTIVITY_KIND_" + kind) in tables))
END
}

total() { stacks | python3 -c 'import sys; print(sum(int(line.rsplit(" ", 1)[1]) for line in sys.stdin))'; }

@test "ranges, call chains and calls lead to kernels, copies and fills" {
  golden whole $nsys "$(made whole)"
  [ "$($nsys "$(made whole)" | total)" = "$(sum_of "$(made whole)")" ]
}

@test "the nodes of a graph stand under its replay and their capture; a graph that is one row is one frame" {
  golden graphs $nsys "$(made graphs)"
}

@test "CPU samples, also where their chains are in no order" {
  golden samples $nsys --cpu "$(made samples)"
}

@test "--frames" {
  golden frames-range $nsys --frames range "$(made whole)"
  golden frames-call $nsys --frames call,runtime "$(made whole)"
}

@test "--rank, --streams and --by-time make root frames" {
  golden roots $nsys --rank --streams --by-time 0.001 "$(made whole)" "$(made graphs)"
}

@test "--by-range makes the instances of a range root frames" {
  golden by-range $nsys --by-range 'step*' --rank "$(made whole)"
  golden by-range-idle $nsys --by-range step --idle "$(made idle)"
  golden by-range-samples $nsys --by-range step --cpu "$(made idle_samples)"
  # the ranges of a capture are of no instance
  assert_equal "$($nsys --by-range capture "$(made graphs)" | stacks | grep -v '^.outside capture.;')" ''
  [ "$($nsys --by-range '*' "$(made whole)" | total)" = "$(sum_of "$(made whole)")" ]
  refused_name() {
    run -1 --separate-stderr $nsys --by-range "$1" "$(made idle)"
    [ -z "$output" ]
    assert_equal "$stderr" "stackcollapse-nsys: option '--by-range': no range is named '$1'; there are 'load' (1), 'step' (1)"
  }
  refused_name steps
}

@test "--full-names" {
  $nsys --full-names "$(made kernels_alone)" | grep -qF ';-;void gemm<4>(float*)_[G] 20'
}

@test "an export without calls has kernels without launches, which are counted" {
  run -0 --separate-stderr $nsys --stats "$tmp/stats" "$(made kernels_alone)"
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
python3;[unknown launch];-;gemm<4>_[G] 20'
  assert_equal "$stderr" \
    'stackcollapse-nsys: gpu-time: 20 ns of 1 records: 100.00 % without a launch; 0 lost'
  grep -qF '"without a launch": {"records": 1, "weight": 20}' "$tmp/stats"
}

@test "a kernel that ends before it begins is named" {
  run -0 --separate-stderr $nsys "$(made backwards)"
  [[ $stderr = *'; 1 records without a weight lost: work that ends before it begins' ]]
}

@test "other databases are refused, with what is missing" {
  refused no_end "table 'CUPTI_ACTIVITY_KIND_KERNEL' has no column 'end'"
  refused wrong_type "table 'CUPTI_ACTIVITY_KIND_KERNEL', row 1: column 'start' is not an integer"
  refused generated "table 'CUPTI_ACTIVITY_KIND_KERNEL' has no column 'end'"
  refused view "no table 'CUPTI_ACTIVITY_KIND_KERNEL': the recording has no CUDA activity, or this is no export of Nsight Systems"
  refused whole "no table 'COMPOSITE_EVENTS': the recording has no CPU samples; see --sample of nsys profile" --cpu
}

@test "what is no SQLite file" {
  printf 'start,end\n1,2\n' > "$tmp/text"
  run -1 --separate-stderr $nsys "$tmp/text"
  assert_equal "$stderr" "stackcollapse-nsys: $tmp/text: file is not a database"
  run -1 --separate-stderr $nsys "$tmp/none"
  assert_equal "$stderr" "stackcollapse-nsys: cannot open '$tmp/none': No such file or directory"
  run -1 $nsys /dev/null
  mkfifo "$tmp/pipe"
  run -1 --separate-stderr $nsys "$tmp/pipe"
  assert_equal "$stderr" "stackcollapse-nsys: cannot read '$tmp/pipe': an SQLite file is read in several places, not as a pipe"
  assert_usage_error $nsys < "$tmp/text"
}

@test "names with signs of URIs, and changes that lie beside the file" {
  cp "$(made kernels_alone)" "$tmp/a?b#c%41.sqlite"
  [ "$($nsys "$tmp/a?b#c%41.sqlite" | total)" = 20 ]
  echo x > "$tmp/a?b#c%41.sqlite-wal"
  run -0 --separate-stderr $nsys "$tmp/a?b#c%41.sqlite"
  [[ $stderr = *"warning: "*"-wal' is not read"* ]]
}

@test "a damaged file: stacks with one warning, or one line; never a crash" {
  damaged "$(made large)" 9973
  survives "$nsys"
}

@test "a cut file is used as far as it is whole" {
  local file size
  file=$(made large)
  size=$(wc -c < "$file")
  head -c "$((size * 3 / 4 + 100))" "$file" > "$tmp/cut"
  run -0 --separate-stderr $nsys "$tmp/cut"
  [ "$(total <<< "$output")" -gt 1209 ]
  [[ $stderr = "stackcollapse-nsys: warning: $tmp/cut: the file is cut or damaged; what is whole is used"$'\n'* ]]
}

@test "the same bytes again" {
  local file
  file=$(made large)
  cmp <($nsys "$file") <($nsys --no-sandbox "$file")
}

@test "usage, help, a full disk" {
  assert_usage_error $nsys --frames python x
  assert_usage_error $nsys --by-time 0 x
  assert_usage_error $nsys --cpu --streams x
  assert_help_and_version $nsys
  assert_full_disk_noticed $nsys "$(made whole)"
}

@test "--idle and --exposed: the window of each device, by cause and by what hid what" {
  golden idle $nsys --idle --exposed --outside "$(made idle)"
  run -0 --separate-stderr $nsys --idle "$(made idle)"
  assert_equal "$stderr" "stackcollapse-nsys: $tmp/idle.sqlite: device 0 of process 111: 0.380 us: 0.190 us computation, 0.050 us exposed communication, 0.000 us exposed copies, 0.140 us idle
stackcollapse-nsys: gpu-time: 380 ns of 14 records: 36.84 % idle; 30 ns lost: ran beside other work"
  assert_equal "$(total <<< "$output")" 380
  assert_equal "$($nsys --exposed "$(made idle)" | grep -e exposed -e hidden)" \
'[exposed];python3;cudaLaunchKernel;-;ncclDevKernel_AllReduce_RING_LL_[G] 50
[hidden];python3;cudaLaunchKernel;-;ncclDevKernel_AllReduce_RING_LL_[G] 30'
  run -0 --separate-stderr $nsys --idle --rank --streams --by-time 0.0001 "$(made idle)"
  grep -qFx '0.0000001;rank 0;device 0;[gpu idle];[host waits for the device];python3;step_[r];cudaStreamSynchronize 10' <<< "$output"
}

@test "--idle: CPU samples say more than ranges, and less than calls" {
  # 81, 45 and 10 ns lie between samples, so each stands for 45 ns before it: 110 to 130, 200 to 215
  # in the range, 215 to 270 after it
  assert_equal "$($nsys --idle "$(made idle_samples)" 2> /dev/null | grep 'gpu idle.;.\(host busy\|untraced\)')" \
'[gpu idle];[host busy];python3;main;run 55
[gpu idle];[host busy];python3;step_[r];main;run 35
[gpu idle];[untraced];[next launch];python3;cudaLaunchKernel 20'
}

@test "--idle: where launches lack their kernels, no time is called idle" {
  run -0 --separate-stderr $nsys --idle "$(made lost)"
  [[ $stderr == "stackcollapse-nsys: $tmp/lost.sqlite: 4 of 8 launched kernels are recorded (50.00 %): time without records is not called idle
stackcollapse-nsys: $tmp/lost.sqlite: device 0 of process 111: 0.380 us: "*'0.140 us not recorded'* ]]
  grep -qFx '[not recorded] 140' <<< "$output"
  [[ $output != *idle* ]]
  run -2 --separate-stderr $nsys --idle --cpu "$(made idle)"
  run -2 --separate-stderr $nsys --outside "$(made idle)"
}

@test "a genuine export of two H100: busy, exposed and idle time are those of an independent sweep" {
  [ -e "$genuine" ] || skip 'no ../shared/data/nsys'
  run -0 --separate-stderr $nsys --idle "$genuine"
  grep -qx ".*: device 0 of process 111: 969447.605 us: 22399.947 us computation, 0.000 us exposed communication, 940490.300 us exposed copies, 6557.358 us idle" <<< "$stderr"
  grep -qx ".*: device 1 of process 112: 969258.578 us: 22458.791 us computation, 0.000 us exposed communication, 940351.914 us exposed copies, 6447.873 us idle" <<< "$stderr"
  [ "$(total <<< "$output")" = $((969447605 + 969258578)) ]
}

@test "a genuine export of two H100: the time of all kernels, copies and fills, to the nanosecond" {
  [ -e "$genuine" ] || skip 'no ../shared/data/nsys'
  $nsys --stats "$tmp/stats" "$genuine" > "$tmp/out"
  [ "$(total < "$tmp/out")" = "$(sum_of "$genuine")" ]
  [ "$(total < "$tmp/out")" = 1925700952 ]
  # what has no launch has none by an SQL join either
  run -0 python3 - "$genuine" << 'END'
import sqlite3, sys
db = sqlite3.connect(f"file:{sys.argv[1]}?immutable=1", uri=True)
lost = [0, 0]
for kind in ("KERNEL", "MEMCPY", "MEMSET"):
    row = db.execute(f"""SELECT COUNT(*), COALESCE(SUM(end - start), 0)
        FROM CUPTI_ACTIVITY_KIND_{kind} AS work WHERE NOT EXISTS (
          SELECT 1 FROM CUPTI_ACTIVITY_KIND_RUNTIME AS call
          WHERE call.correlationId = work.correlationId
          AND (call.globalTid & ~0xffffff) = work.globalPid)""").fetchone()
    lost = [a + b for a, b in zip(lost, row)]
print('"without a launch": {"records": %d, "weight": %d}' % tuple(lost))
END
  grep -qF "$output" "$tmp/stats"
  # each range of FSDP is a frame, and operators are told by PyTorch's numbers
  grep -q '^python3;FSDP::pre_forward (encoder.block.0.layer.0)_\[r\];aten::copy__\[o\];cudaMemcpyAsync;-;Memcpy DtoD_\[G\] ' "$tmp/out"
  run ! grep -q op_id "$tmp/out"
}
