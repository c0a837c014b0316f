# SPDX-License-Identifier: MIT
# stackcollapse-rocprof: CSV and JSON of rocprofv3. Those in tests/data are made by hand.
# shellcheck disable=SC2030,SC2031,SC2034,SC2086,SC2154  # paths without blanks; Bats sets some
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  tmp=$BATS_TEST_TMPDIR
  data=tests/data/stackcollapse-rocprof
  rocprof=stackcollapse-rocprof
  json=$data/908_results.json
  csv=$AIFLAME_ROOT/../shared/data/rocprofv3
  traces=$AIFLAME_ROOT/../shared/data/traces
}

total() { stacks | python3 -c 'import sys; print(sum(int(line.rsplit(" ", 1)[1]) for line in sys.stdin))'; }

# csv_sum FILE: the durations in CSV, by another reader
csv_sum() {
  python3 -c 'import csv, sys
print(sum(int(row["End_Timestamp"]) - int(row["Start_Timestamp"]) for row in csv.DictReader(open(sys.argv[1]))))' "$1"
}

@test "the files of one run are joined: ranges, calls, kernels, copies" {
  golden csv-time $rocprof --event gpu-time $data/238_*.csv
}

@test "stalls are the default, with source lines and reasons" {
  golden csv-stall $rocprof $data/238_*.csv
}

@test "all samples: what issued has what it issued" {
  golden csv-clock $rocprof --event gpu-clock $data/238_*.csv
}

@test "the order of the files makes no difference" {
  cmp <($rocprof $data/238_*.csv) <($rocprof $data/238_p*.csv $data/238_m*.csv $data/238_k*.csv $data/238_h*.csv)
}

@test "JSON: ids by their fields, names behind the records" {
  golden json-time $rocprof --event gpu-time $json
  golden json-stall $rocprof $json
  golden json-clock $rocprof --event gpu-clock $json
  golden json-exposed $rocprof --event gpu-stall-exposed $json
}

@test "--rank, --streams, --threads and --by-time" {
  golden roots $rocprof --event gpu-time --rank --streams --threads --by-time 0.001 $data/238_*.csv $json
  # samples without their kernels name no device
  run -0 --separate-stderr $rocprof --streams $data/238_pc_sampling_stochastic.csv
  [[ ${lines[1]} == '[unknown device];[device];[unknown launch];-;'* ]]
}

@test "--by-range makes the instances of a range root frames" {
  golden by-range $rocprof --event gpu-time --by-range 'forward*' --rank $data/238_*.csv
  golden by-range-idle $rocprof --idle --by-range 'forward*' $data/238_*.csv
  # a range of all threads is one of each; samples stand under their launch
  golden by-range-stall $rocprof --by-range epoch $data/238_*.csv
  # why the device was idle is the same, wherever ranges stand
  causes() { $rocprof --idle "$@" $data/238_*.csv 2> /dev/null | grep -o '\[gpu idle\];[^;]*\|[0-9]*$' | paste -sd' ' | tr '[' '\n' | sort; }
  assert_equal "$(causes --by-range epoch)" "$(causes)"
  run -1 --separate-stderr $rocprof --by-range nothing $data/238_*.csv
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-rocprof: option '--by-range': no range is named 'nothing'; there are 'epoch' (1), 'forward: all' (1)"
}

@test "--frames and --full-paths" {
  golden frames $rocprof --frames line,reason --full-paths $json $data/238_*.csv
}

@test "compressed, from a pipe" {
  cmp <(gzip < $json | $rocprof) <($rocprof $json)
  cmp <(zstd -q < $data/238_kernel_trace.csv | $rocprof -) <($rocprof $data/238_kernel_trace.csv)
}

@test "processes have ids of their own" {
  sed 's/,5,2000,2040/,6,2000,2040/' $data/238_kernel_trace.csv > "$tmp/7_kernel_trace.csv"
  sed 's/hipLaunchKernel/hipOther/' $data/238_hip_api_trace.csv > "$tmp/7_hip_api_trace.csv"
  $rocprof --event gpu-time "$tmp"/7_*.csv $data/238_kernel_trace.csv $data/238_hip_api_trace.csv > "$tmp/out"
  grep -q '^\[device\];hipLaunchKernel;-;add<float>_\[G\] 40' "$tmp/out"
  grep -q '^\[device\];hipGraphLaunch;\[hip graph\];-;add<float>_\[G\] 40' "$tmp/out"
}

@test "statistics: what issued is named" {
  run -0 --separate-stderr $rocprof --stats "$tmp/stats" $data/238_*.csv
  assert_equal "$stderr" "stackcollapse-rocprof: gpu-stall: 3 stalls of 4 records: 33.33 % without a kernel, 33.33 % without a launch; 1 stalls lost: waves that issued (see --event gpu-clock)"
  grep -qF '"read": {"records": 4, "weight": 4}' "$tmp/stats"
}

# refused MESSAGE ARGUMENT...: one line, no stacks
refused() {
  run -1 --separate-stderr $rocprof "${@:2}"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-rocprof: $1"
}

@test "what the files lack" {
  refused 'the files have no kernels, copies or PC samples' $data/238_hip_api_trace.csv
  refused 'the files have no PC samples' --event gpu-clock $data/238_kernel_trace.csv
  refused 'the files have no stochastic PC samples, which alone tell stalls' --event gpu-stall $data/238_kernel_trace.csv
  refused "only rocprofv3's JSON tells which stalls are exposed, of stochastic PC samples" --event gpu-stall-exposed $data/238_*.csv
  refused "the files have no trace of kernels: see rocprofv3's --kernel-trace" --event gpu-time $data/238_pc_sampling_stochastic.csv
}

@test "of several files, those without a use are left out" {
  printf '"Node_Id","Name"\n1,"gfx942"\n' > "$tmp/238_agent_info.csv"
  printf '"Kernel_Name","Dispatch_Id","Counter_Name","Start_Timestamp","End_Timestamp"\n"k",1,"SQ",1,2\n' \
    > "$tmp/238_counter_collection.csv"
  cp $data/238_kernel_trace.csv "$tmp"
  run -0 --separate-stderr $rocprof "$tmp"/238_*.csv
  [ "$(total <<< "$output")" = 53 ]
  [ "$(grep -c 'warning: .*; the file is left out$' <<< "$stderr")" -eq 2 ]
}

@test "other files are refused, with their place" {
  printf 'a,b\n1,2\n' > "$tmp/other.csv"
  refused "$tmp/other.csv:1: no column 'Kernel_Name', 'Function', 'Direction' or 'Instruction': no trace and no PC samples of rocprofv3" "$tmp/other.csv"
  printf '"Kernel_Name","Start_Timestamp"\n' > "$tmp/short.csv"
  refused "$tmp/short.csv:1: no column 'End_Timestamp'" "$tmp/short.csv"
  printf '"Kernel_Name","Start_Timestamp","End_Timestamp"\n"k",1,2\n"k",x,2\n' > "$tmp/letters.csv"
  refused "$tmp/letters.csv:3: column 'Start_Timestamp': 'x' is not a number" "$tmp/letters.csv"
  printf '"Kernel_Name","Start_Timestamp","End_Timestamp"\n"k",1\n"k",1,2\n' > "$tmp/few.csv"
  refused "$tmp/few.csv:2: 2 columns, but the header has 3" "$tmp/few.csv"
  echo '{"traceEvents":[]}' > "$tmp/trace.json"
  refused "$tmp/trace.json: this is a trace of events; fold it first: stackcollapse-trace $tmp/trace.json" "$tmp/trace.json"
  echo '{"other":[]}' > "$tmp/other.json"
  refused "$tmp/other.json: no 'rocprofiler-sdk-tool': this is no JSON of rocprofv3" "$tmp/other.json"
}

@test "cut and damaged files: stacks with one warning, or one line; never a crash" {
  local file size at status lines
  for file in $json $data/238_kernel_trace.csv $data/238_pc_sampling_stochastic.csv; do
    size=$(wc -c < "$file")
    for ((at = 0; at < size; at += 41)); do
      head -c "$at" "$file" > "$tmp/cut"
      { head -c "$at" "$file"; printf '\377"'; tail -c "+$((at + 3))" "$file"; } > "$tmp/flip"
      for damaged in cut flip; do
        status=0
        timeout 20 $rocprof "$tmp/$damaged" > "$tmp/out" 2> "$tmp/err" || status=$?
        lines=$(wc -l < "$tmp/err")
        if [ "$status" -gt 1 ] || [ "$lines" -gt 2 ] || [ "$lines" -lt 1 ]; then
          echo "$file $damaged at $at: status $status" >&2
          cat "$tmp/err" >&2
          return 1
        fi
        if [ "$status" -eq 1 ]; then [ ! -s "$tmp/out" ]; fi
      done
    done
  done
}

@test "usage, help, a full disk" {
  assert_usage_error $rocprof --frames python
  assert_usage_error $rocprof --event cycles
  assert_usage_error $rocprof --by-time x
  assert_help_and_version $rocprof
  assert_full_disk_noticed $rocprof $json
}

@test "--idle and --exposed: the window of each device, by cause and by what hid what" {
  golden idle $rocprof --idle --exposed $data/238_*.csv
  run -0 --separate-stderr $rocprof --idle --rank --streams --by-time 0.001 $data/238_*.csv
  [ "$(total <<< "$output")" -eq 1043 ]
  assert_equal "$stderr" 'stackcollapse-rocprof: Agent 4: 1.043 us: 0.053 us computation, 0.000 us exposed communication, 0.010 us exposed copies, 0.980 us idle
stackcollapse-rocprof: gpu-time: 1.043 us of 9 records: 93.96 % idle, 0.29 % without a launch; 0 lost'
  grep -qFx '0.000001;rank 0;Agent 4;[gpu idle];[host copies];[device];epoch_[r];hipMemcpy 80' <<< "$output"
}

@test "--idle: a copy to the host is the work of the device that it comes from" {
  sed '$a "MEMORY_COPY","MEMORY_COPY_DEVICE_TO_HOST",0,"Agent 4","Agent 0",9,2100,2130' \
    $data/238_memory_copy_trace.csv > "$tmp/238_memory_copy_trace.csv"
  cp $data/238_{hip,kernel}*.csv "$tmp"
  run -0 --separate-stderr $rocprof --exposed "$tmp"/238_*.csv
  assert_equal "$(head -n 1 <<< "$stderr")" 'stackcollapse-rocprof: Agent 4: 1.120 us: 0.053 us computation, 0.000 us exposed communication, 0.040 us exposed copies, 1.027 us idle'
  grep -qFx '[exposed];[device];[unknown launch];-;Memcpy DtoH_[G] 30' <<< "$output"
}

@test "--idle: where launches lack their kernels, no time is called idle" {
  for at in 1100 1110 1120; do
    echo "\"HIP_RUNTIME_API_EXT\",\"hipLaunchKernel\",238,238,$at,$at,$((at + 5))"
  done | cat $data/238_hip_api_trace.csv - > "$tmp/238_hip_api_trace.csv"
  cp $data/238_{kernel,memory}*.csv "$tmp"
  run -0 --separate-stderr $rocprof --idle "$tmp"/238_*.csv
  assert_equal "$(head -n 2 <<< "$stderr")" 'stackcollapse-rocprof: 2 of 5 launched kernels are recorded (40.00 %): time without records is not called idle
stackcollapse-rocprof: Agent 4: 1.043 us: 0.053 us computation, 0.000 us exposed communication, 0.010 us exposed copies, 0.980 us not recorded'
  [[ $output == *'[not recorded] 980'* && $output != *idle* ]]
  # two processes are told apart
  run -0 --separate-stderr $rocprof --exposed "$tmp"/238_*.csv $data/238_*.csv
  grep -q ' rank 1, Agent 4: 1.043 us: ' <<< "$stderr"
  run -2 --separate-stderr $rocprof --idle --event gpu-stall $data/238_*.csv
  assert_equal "$stderr" "stackcollapse-rocprof: option '--event': '--idle' and '--exposed' are of gpu-time; try 'stackcollapse-rocprof --help'"
}

@test "a genuine JSON: busy, exposed and idle time are those of an independent sweep" {
  [ -e "$traces/rocprofv3_results.json.gz" ] || skip 'no ../shared/data/traces'
  run -0 --separate-stderr $rocprof --idle "$traces/rocprofv3_results.json.gz"
  assert_equal "$(head -n 1 <<< "$stderr")" 'stackcollapse-rocprof: device 2: 15122023.494 us: 271636.292 us computation, 3954440.680 us exposed communication, 7035.362 us exposed copies, 10888911.160 us idle'
  [ "$(total <<< "$output")" -eq 15122023494 ]
}

@test "genuine CSV: durations to the nanosecond, each sample" {
  [ -d "$csv" ] || skip 'no ../shared/data/rocprofv3'
  for file in kernel_trace memory_copy_trace; do
    [ "$($rocprof "$csv/$file.csv" | total)" = "$(csv_sum "$csv/$file.csv")" ]
  done
  for file in pc_sampling_host_trap pc_sampling_host_trap_debug pc_sampling_stochastic_debug; do
    [ "$($rocprof --event gpu-clock "$csv/$file.csv" | total)" -eq \
      "$(python3 -c 'import csv, sys; print(len(list(csv.DictReader(open(sys.argv[1])))))' "$csv/$file.csv")" ]
  done
  [ "$($rocprof "$csv/pc_sampling_stochastic_debug.csv" | total)" -eq \
    "$(grep -c ',0,"ROCPROFILER_PC_SAMPLING_INSTRUCTION_TYPE' "$csv/pc_sampling_stochastic_debug.csv")" ]
}

@test "a genuine JSON of 43 915 dispatches, to the nanosecond, and each kernel's" {
  [ -e "$traces/rocprofv3_results.json.gz" ] || skip 'no ../shared/data/traces'
  $rocprof --full-names "$traces/rocprofv3_results.json.gz" > "$tmp/out"
  run -0 python3 - "$traces/rocprofv3_results.json.gz" << 'END'
import gzip, json, sys
sums = {}
for process in json.load(gzip.open(sys.argv[1]))["rocprofiler-sdk-tool"]:
    names = {one["kernel_id"]: one["kernel_name"] for one in process["kernel_symbols"]}
    for one in process["buffer_records"]["kernel_dispatch"]:
        name = names[one["dispatch_info"]["kernel_id"]]
        sums[name] = sums.get(name, 0) + one["end_timestamp"] - one["start_timestamp"]
print(sum(sums.values()))
print(sums["__amd_rocclr_fillBufferAligned.kd"])
END
  [ "$(total < "$tmp/out")" = "${lines[0]}" ]
  grep -qx "python3.10;\[unknown launch\];-;__amd_rocclr_fillBufferAligned_\[G\] ${lines[1]}" "$tmp/out"
}
