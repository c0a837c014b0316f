# SPDX-License-Identifier: MIT
# stackcollapse-trace: traces that are not JSON, as profilers have written them.
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-trace/field
  tmp=$BATS_TEST_TMPDIR
}

step='py::step:train.py;aten::mm_[o];cudaLaunchKernel;-;'

# mends FILE WHERE PLACES STACK: the stacks, and the one warning
mends() {
  run -0 --separate-stderr stackcollapse-trace "$1"
  assert_equal "$output" "# aiflame: event gpu-time, unit ns, weights measured
$4"
  assert_equal "${stderr_lines[0]}" "stackcollapse-trace: warning: $1:$2: $3; --strict refuses"
  assert_equal "${stderr_lines[1]}" 'stackcollapse-trace: gpu-time: 40.01 us of 1 records; 0 lost'
  assert_equal "${#stderr_lines[@]}" 2
  run -1 --separate-stderr stackcollapse-trace --strict "$1"
  assert_equal "$output" ''
  [[ $stderr == "stackcollapse-trace: $1:$2: not JSON: "* ]]
  assert_equal "${#stderr_lines[@]}" 1
}

one='1 place that is not JSON is mended'

@test "a value that is none, N/A" {
  mends $data/NA.json 1 "a value that is none: $one" "${step}gemm_[G] 40007"
}

@test "a path of Windows: its backslashes stay, and its last part is the file" {
  mends $data/bad-escape.json 1 "a backslash that escapes nothing: $one" "${step}gemm_[G] 40007"
  run -0 --separate-stderr stackcollapse-trace --full-paths $data/bad-escape.json
  [[ $output == *'py::step:C:/Users/x/train.py;'* ]]
}

@test "a byte order mark is no mistake" {
  run -0 --separate-stderr stackcollapse-trace --strict $data/bom.json
  [[ $output == *"${step}gemm_[G] 40007" ]]
  assert_equal "${#stderr_lines[@]}" 1
}

@test "control characters in a text" {
  mends $data/control-char.json 1 "a control character in a string: 2 places that are not JSON are mended" \
    "${step}ge\\011mm\\001x_[G] 40007"
}

@test "quotes in a name, also where they look like the end of it" {
  for name in 'a "b" c' 'f("x", "y")' 'run({"a": "b", "c": 1})' 'x"}, y' '"' '","'; do
    sed "s#\"gemm\"#\"${name//\"/\\\"}\"#" $data/negative.json | sed 's#, {"ph": "X", "cat": "kernel", "name": "neg".*#]}#' > "$tmp/escaped.json"
    sed 's#\\"#"#g' "$tmp/escaped.json" > "$tmp/raw.json"
    stackcollapse-trace "$tmp/escaped.json" > "$tmp/expected" 2> /dev/null
    grep -q ' 40007$' "$tmp/expected"
    run -0 --separate-stderr stackcollapse-trace "$tmp/raw.json"
    assert_equal "$output" "$(cat "$tmp/expected")"
    assert_equal "${stderr_lines[0]}" "stackcollapse-trace: warning: $tmp/raw.json:1: quotes within a string: $one; --strict refuses"
  done
}

@test "a text that is not UTF-8, a missing value, commas too many and too few, bytes behind the end" {
  printf '{"traceEvents":[{"ph":"X","cat":"kernel","name":"f\351","pid":0,"tid":7,"ts":1,"dur":2,"args":{"group": ,"x":1}}
{"ph":"X","cat":"kernel","name":"g","pid":0,"tid":7,"ts":1,"dur":3,},],}\n]\0\0' > "$tmp/all.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/all.json"
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
[unknown launch];-;f\351_[G] 2000
[unknown launch];-;g_[G] 3000'
  assert_equal "${stderr_lines[0]}" "stackcollapse-trace: warning: $tmp/all.json:1: a text is not UTF-8: 7 places that are not JSON are mended; --strict refuses"
}

@test "an event that has no one reading is lost by name, and the others are not" {
  # b has two durations or a name with one, c's quotes close no bracket, d's duration two numbers
  printf '%s\n' '[{"ph":"X","cat":"kernel","name":"a","pid":0,"tid":7,"ts":1,"dur":1},' \
    '{"ph":"X","cat":"kernel","name":"b", "dur": 5, "x", "pid":0,"tid":7,"ts":1,"dur":2},' \
    '{"ph":"X","cat":"kernel,"name":"c","pid":0,"tid":7,"ts":1,"dur":4},' \
    '{"ph":"X","cat":"kernel","name":"d","pid":0,"tid":7,"ts":1,"dur":1,5},' \
    '{"ph":"X","cat":"kernel","name":"e","pid":0,"tid":7,"ts":1,"dur":8}]' > "$tmp/lost.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/lost.json"
  assert_equal "$output" '# aiflame: event gpu-time, unit ns, weights measured
[unknown launch];-;a_[G] 1000
[unknown launch];-;e_[G] 8000'
  assert_equal "$stderr" "stackcollapse-trace: warning: $tmp/lost.json:2: an event that is not JSON: 0 places that are not JSON are mended, 3 events are lost; --strict refuses
stackcollapse-trace: gpu-time: 9.000 us of 5 records: 100.00 % without a launch; 3 records without a weight lost: events that are not JSON"
}

@test "a duration that is no number, or negative, is lost by name" {
  run -0 --separate-stderr stackcollapse-trace $data/negative.json
  assert_equal "$output" "# aiflame: event gpu-time, unit ns, weights measured
${step}gemm_[G] 40007"
  assert_equal "$stderr" 'stackcollapse-trace: gpu-time: 40.01 us of 2 records; 1 records without a weight lost: with a negative duration'
  sed 's/"dur": -5/"dur": 5us/' $data/negative.json > "$tmp/unit.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/unit.json"
  [[ $stderr == *'1 records without a weight lost: without a duration' ]]
}

@test "quotes in what precedes the events" {
  sed 's/"schemaVersion": 1/"distributedInfo": {"pg_config": "[{"pg_name": "0"}]", "rank": 3}/' $data/NA.json > "$tmp/header.json"
  run -0 --separate-stderr stackcollapse-trace "$tmp/header.json"
  assert_equal "$output" "# aiflame: event gpu-time, unit ns, weights measured
${step}gemm_[G] 40007"
  [[ $stderr == "stackcollapse-trace: warning: $tmp/header.json:1: what precedes the events is not JSON: 2 places"* ]]
}

# Breaks a trace in many ways, and says what Python reads of it once each is mended.
broken_trace() { # SEED FILE
  python3 - "$1" "$2" << 'END'
import json, random, re, sys
random.seed(int(sys.argv[1]))
names = ['gemm', 'void f<int>(float*)', 'say "hi"', 'f("x")', 'run({"a": "b", "c": 1})', 'C:\\Users\\q.py',
         'ctl\x01\tx', '"', '""', 'a", "b', 'x"}', '[{"pg": "1"}]', '","', 'k: "v", z', 'N/A', 'trail\\']
extras = ['', ', "occupancy": N/A', ', "group": ', ', "pg": "[{"a": "b"}]"', ', "x": NaN', ', "c": "q\x02"']
total, events = 0, []
for i in range(300):
    time = random.randint(1, 10**6)
    total += time
    events.append('{"ph": "X", "cat": "kernel", "name": "%s", "pid": 0, "tid": 7, "ts": %d, "dur": %.3f, '
                  '"args": {"stream": 7%s}}' % (random.choice(names), i * 10, time / 1000, random.choice(extras)))
separator = random.choice([', ', ',\n', ',', '\n'])
with open(sys.argv[2], "w", newline="") as file:
    file.write('{"path": "C:\\Users", "traceEvents": [' + separator.join(events) + ']}')
# the same repairs, by what the writer should have written
def mend(event):
    name, args = re.fullmatch(r'(?s).*?"name": "(.*)", "pid": 0(.*)', event).groups()
    for before, after in (': N/A', ': "N/A"'), (': }', ': null}'), ('"[{"a": "b"}]"', '""'):
        args = args.replace(before, after)
    return json.loads('{"pid": 0' + args, strict=False) | {"name": name}
read = [mend(event) for event in events]
assert round(sum(event["dur"] * 1000 for event in read)) == total
print(total)
END
}

@test "what is mended is what Python reads after the same repairs" {
  skip_without python3
  for seed in 1 2 3 4 5 6 7 8; do
    expected=$(broken_trace $seed "$tmp/broken.json")
    stackcollapse-trace --stats "$tmp/stats" "$tmp/broken.json" > "$tmp/out" 2> /dev/null
    assert_equal "$(awk '!/^#/ { sum += $NF } END { printf "%d", sum }' "$tmp/out")" "$expected"
    assert_equal "$(jq -c .lost "$tmp/stats")" '{}'
    # the names, too: as many as there are
    assert_equal "$(grep -c '_\[G\]' "$tmp/out")" 16
  done
}

@test "a file of which no event can be read is an error" {
  printf '[\n{"ph" "X"}]' > "$tmp/bad.json"
  run -1 --separate-stderr stackcollapse-trace "$tmp/bad.json"
  assert_equal "$stderr" "stackcollapse-trace: $tmp/bad.json:2: an event that is not JSON"
}

@test "broken events take no more time than their size, however many quotes they have" {
  python3 - > "$tmp/quotes.json" << 'END'
print('[' + ',\n'.join('{"ph":"X","name":"' + '","a":"' * 40 + '\\"' * 40 + '}' for _ in range(2000)) + ']')
END
  run timeout 60 stackcollapse-trace "$tmp/quotes.json"
  [ "$status" -le 1 ]
}
