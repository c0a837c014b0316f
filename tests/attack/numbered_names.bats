# SPDX-License-Identifier: MIT
# Names that end in numbers, in what our importers write: no program takes one for a count.
load attack

# check: of ./folded, which an importer has written; its stacks end in the frames `epoch 1` and so on
check() {
  # what is left of the count does not end in a number
  run -1 grep -E '^[^#].*[ \t][0-9]+(\.[0-9]*)? [0-9]+$' folded
  grep -q 'epoch_2 ' folded
  check_counts epoch_2
}

# check_counts NAME: of ./folded, in which the frame NAME is: no program takes its lines for two counts each
check_counts() {
  local total name=$1 input
  grep -v '^#' folded > stacks
  [ -s stacks ]
  grep -qF "$name" stacks
  total=$(awk '{ sum += $NF } END { printf "%.0f", sum }' stacks)
  for input in folded stacks; do
    aiflame-svg --minwidth 0 "$input" > svg
    run -1 grep -q 'data-scale' svg # of a difference
    grep -qF "$name" svg
    aiflame-report "$input" > report
    grep -q "^# total: " report
    run -1 grep -q 'change' report
    aiflame-merge "$input" > merged
    assert_equal "$(awk '!/^#/ { sum += $NF } END { printf "%.0f", sum }' merged)" "$total"
    aiflame-diff "$input" "$input" > difference
    assert_equal "$(awk '!/^#/ { before += $(NF - 1); after += $NF } END { printf "%.0f %.0f", before, after }' difference)" \
      "$total $total"
    aiflame-svg --minwidth 0 difference > svg
    grep -qF "<title>${name%_\[*} (" svg
    run -1 grep -qE '<title>epoch \(' svg
  done
  aiflame-export -f speedscope -o exported folded
  grep -q 'epoch' exported
}

@test "stackcollapse-trace" {
  printf '{"traceEvents":[%s]}' "$(for number in 1 2 3; do
    printf '{"ph":"X","pid":1,"tid":1,"ts":%d0,"dur":7,"name":"epoch %d"},' $number $number
  done | sed 's/,$//')" > trace.json
  stackcollapse-trace trace.json > folded
  check
}

@test "stackcollapse-pprof" {
  printf '# aiflame: unit stalls\napp;epoch 1 5\napp;epoch 2 7\napp;loss 0.5 3\n' > text
  aiflame-export -f pprof -o profile text
  stackcollapse-pprof profile > folded
  check
}

data=$AIFLAME_ROOT/tests/data

@test "stackcollapse-hpctoolkit" {
  cp -r "$data/stackcollapse-hpctoolkit/pipit" database
  python3 - database/meta.db << 'END'
import sys
text = open(sys.argv[1], "rb").read()
for number, name in enumerate((b"PMPI_Recv", b"PMPI_Send", b"psm_progress_wait"), 1):
    text = text.replace(name + b" [lib", (b"epoch %d" % number).ljust(len(name) + 5, b"\0"), 1)
open(sys.argv[1], "wb").write(text)
END
  stackcollapse-hpctoolkit database > folded
  check_counts epoch_2
}

@test "stackcollapse-torch-memory" {
  python3 - << 'END' > snapshot
import pickle, sys
frames = lambda number: [{"name": f"epoch {number}", "filename": "??", "line": 0}]
trace = [{"action": "alloc", "addr": 4096 * i, "size": 512 * i, "stream": 0, "frames": frames(i)} for i in (1, 2, 3)]
pickle.dump({"segments": [], "device_traces": [trace], "allocator_settings": {}}, sys.stdout.buffer, 4)
END
  stackcollapse-torch-memory --native snapshot > folded
  check
}

@test "stackcollapse-xplane: host threads" {
  # names of the same length, so that the lengths in the file stay right
  python3 "$AIFLAME_ROOT/tests/recorded/xplane.py" make |
    LC_ALL=C sed 's/cuGraphLaunch/graph epoch 1/g; s/cuLaunchKernel/launch epoch 2/g' > profile.xplane.pb
  stackcollapse-xplane --cpu profile.xplane.pb > folded
  check_counts 'launch epoch_2'
}

@test "kernels whose names end in numbers: nsys, rocprof, ncu, unitrace, iaprof, proton, recordings" {
  python3 "$AIFLAME_ROOT/tests/recorded/nsys.py" kernels_alone nsys.sqlite
  python3 -c 'import sqlite3
with sqlite3.connect("nsys.sqlite") as db: db.execute("UPDATE StringIds SET value = \"epoch 2\" WHERE value LIKE \"%gemm%\"")'
  stackcollapse-nsys nsys.sqlite > folded
  check_counts 'epoch 2_[G]'

  sed 's/"mul(float\*)"/"epoch 2"/' "$data/stackcollapse-rocprof/238_kernel_trace.csv" > 238_kernel_trace.csv
  stackcollapse-rocprof 238_kernel_trace.csv > folded
  check_counts 'epoch 2_[G]'

  sed 's/void mm<(int)32>(float \*, float \*)/epoch 2/' "$data/stackcollapse-ncu/sass.in" > ncu.csv
  stackcollapse-ncu ncu.csv > folded
  check_counts 'epoch 2_[G]'

  sed 's/"main::{lambda(auto:1)#3}"/"epoch 2"/' "$data/stackcollapse-unitrace/legacy.in" > unitrace.txt
  stackcollapse-unitrace unitrace.txt > folded
  check_counts 'epoch 2_[G]'

  # the function that launches, too
  sed 's/;main;/;epoch 1;/; s/run(int, float\*)/epoch 2/' "$data/stackcollapse-iaprof/profile.in" > iaprof.txt
  stackcollapse-iaprof iaprof.txt > folded
  check_counts epoch_2

  sed 's/"forward"/"epoch 1"/g; s/"name": "[a-z_]*"/"name": "epoch 2"/' "$data/stackcollapse-proton/train.in" > proton.json
  stackcollapse-proton proton.json > folded
  check_counts 'epoch 2_[r]'

  sed 's/multiply_basic(float\*, int)/epoch 2/g; s/run_basic/epoch 1/g' "$data/stackcollapse-aiflame/matmul.gpustall" > app.gpustall
  stackcollapse-aiflame app.gpustall > folded
  check_counts 'epoch 2_[G]'
}

@test "a text of our programs without names that end in numbers is what it says" {
  printf '# aiflame: event gpu-time, unit ns\nepoch 1 5\nepoch 2 7\n' > stated
  aiflame-svg stated | grep -q '<title>epoch 2 (7 ns, 58.33%)'
  aiflame-report stated > report
  grep -q 'epoch 2$' report
  # without a comment: two counts only if each line has two
  printf 'epoch 1 5\nepoch 2 7\nmain 3\n' > bare
  aiflame-svg bare | grep -q '<title>epoch 2 (7 samples, 46.67%)'
  aiflame-export -f speedscope -o exported bare
  run -1 aiflame-export -f speedscope -o exported <(printf 'a 1 5\nb 2 7\n')
  # a difference is no profile
  printf '# aiflame: event gpu-time, unit ns, columns two\na 1 5\n' > two
  local program
  for program in 'aiflame-diff two stated' 'aiflame-diff stated two' 'aiflame-merge two' 'aiflame-cost --power 300 --pue 1 two' \
    'aiflame-forecast --to h100 --from a100-sxm-40gb two'; do
    # shellcheck disable=SC2086 # words
    run -1 --separate-stderr $program
    [ -z "$output" ]
    # shellcheck disable=SC2154 # Bats sets stderr
    [[ $stderr == *'two:1: two counts on each line, of a difference; take the profiles themselves' ]]
  done
}
