# SPDX-License-Identifier: MIT
# stackcollapse-trace: ranks that were merged into one file, which number their launches alike.
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-trace
  tmp=$BATS_TEST_TMPDIR
}

@test "what nothing tells apart is named, and stands on nobody's operator" {
  run -0 --separate-stderr stackcollapse-trace $data/field/merged-ranks.json
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
[ambiguous launch];-;kx_[G] 10000
[ambiguous launch];-;ky_[G] 20000'
  assert_equal "$(grep -v with_stack <<< "$stderr")" "stackcollapse-trace: warning: $data/field/merged-ranks.json: the launches of 2 kernels, copies and memsets cannot be told: ranks that were merged into one file have the same correlation numbers
stackcollapse-trace: hint: fold the file of each rank
stackcollapse-trace: gpu-time: 30.00 us of 2 records: 100.00 % with a launch in several processes; 0 lost"
}

@test "the external id of an operator tells ranks apart" {
  sed 's/"stream": 7, "correlation": 1}}, {/"stream": 7, "External id": 1, "correlation": 1}}, {/
    s/"stream": 7, "correlation": 1}}]/"stream": 7, "External id": 2, "correlation": 1}}]/' \
    $data/field/merged-ranks.json > "$tmp/ids.json"
  assert_equal "$(stackcollapse-trace "$tmp/ids.json" 2> /dev/null)" '# aiflame: event gpu-time, unit ns, weights measured
aten::x_[o];cudaLaunchKernel;-;kx_[G] 10000
aten::y_[o];cudaLaunchKernel;-;ky_[G] 20000'
}

@test "SGLang's labels: each rank is what it is alone, and --rank names it" {
  skip_without python3
  stackcollapse-trace $data/kineto.json 2> /dev/null | grep -v '^#' > "$tmp/alone"
  python3 - $data/kineto.json > "$tmp/merged.json" << 'END'
import copy, json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
merged = []
for label in "TP00-DP01", "TP01":
    for event in copy.deepcopy(events):
        event["pid"] = f"[{label}] {event.get('pid')}"
        merged.append(event)
print(json.dumps({"traceEvents": sorted(merged, key=lambda event: float(event.get("ts", 0)))}))
END
  stackcollapse-trace --rank "$tmp/merged.json" > "$tmp/out" 2> "$tmp/err"
  grep -q '; 0 lost$' "$tmp/err"
  for rank in TP00-DP01 TP01; do
    sed -n "s/^rank $rank;//p" "$tmp/out" | sort | diff - <(sort "$tmp/alone")
  done
  assert_equal "$(grep -vc '^rank TP0' "$tmp/out")" 1
}

@test "files that were added up: each rank is what it is alone, also with one pid" {
  skip_without python3
  stackcollapse-trace $data/kineto.json 2> /dev/null | grep -v '^#' > "$tmp/alone"
  python3 - $data/kineto.json "$tmp" << 'END'
import json, sys
events = json.load(open(sys.argv[1]))["traceEvents"]
end = {"ph": "i", "s": "g", "pid": "", "tid": "", "name": "Record Window End", "ts": 99999999}
json.dump(events + [end] + events + [end], open(sys.argv[2] + "/concatenated.json", "w"))
# sorted, nothing tells the ranks apart
both = events + [event | {"pid": f"other {event.get('pid')}"} for event in events]
json.dump(sorted(both, key=lambda event: float(event.get("ts", 0))) + [end, end], open(sys.argv[2] + "/sorted.json", "w"))
END
  stackcollapse-trace --rank "$tmp/concatenated.json" > "$tmp/out" 2> /dev/null
  sed -n 's/^concatenated.json;//p' "$tmp/out" | sort | diff - <(sort "$tmp/alone")
  sed -n 's/^concatenated.json, file 2;//p' "$tmp/out" | sort | diff - <(sort "$tmp/alone")
  run -0 --separate-stderr stackcollapse-trace "$tmp/sorted.json"
  [[ $stderr == *': the launches of '*' cannot be told: '* ]]
  grep -q '^.ambiguous launch.;-;' <<< "$output"
  # one total, whatever is known of the launches
  assert_equal "$(awk '!/^#/ { sum += $NF } END { print sum }' <<< "$output")" \
    "$(awk '{ sum += 2 * $NF } END { print sum }' "$tmp/alone")"
}

@test "genuine: two copies of a trace as two ranks, merged in three ways" {
  skip_without python3
  trace=$AIFLAME_ROOT/../shared/data/traces/mi300_qwen1.5-0.5b.json.gz
  [ -e "$trace" ] || skip 'no ../shared/data/traces'
  stackcollapse-trace "$trace" 2> /dev/null | grep -v '^#' | sort > "$tmp/alone"
  python3 - "$trace" "$tmp" << 'END'
import copy, gzip, json, sys
events = json.load(gzip.open(sys.argv[1]))["traceEvents"]
# another rank's names, so that a wrong join shows
other = copy.deepcopy(events)
for event in other:
    if event.get("cat") == "cpu_op":
        event["name"] = "other " + event["name"]
json.dump(events + other, open(sys.argv[2] + "/one.json", "w"))
def labelled(events, label):
    return [event | {"pid": f"[{label}] {event.get('pid')}"} for event in events]
json.dump(labelled(events, "TP00") + labelled(other, "TP01"), open(sys.argv[2] + "/two.json", "w"))
END
  stackcollapse-trace --rank "$tmp/one.json" 2> /dev/null | sed -n 's/^one.json;//p' | sort | cmp - "$tmp/alone"
  stackcollapse-trace --rank "$tmp/two.json" 2> /dev/null | sed -n 's/^rank TP00;//p' | sort | cmp - "$tmp/alone"
}
