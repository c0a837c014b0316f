# SPDX-License-Identifier: MIT
# aiflame-annotate: kernels, instruction by instruction.
load common
load recording

data=$DATA/stackcollapse-aiflame

# genuine: enters the folder with samples of real GPUs, or skips
genuine() {
  tmp=$PWD
  local folder=$AIFLAME_ROOT/../shared/data/hpctoolkit
  [ -d "$folder" ] || skip "no genuine samples at $folder"
  cd "$folder" || return
}

# samples_of KIND FILE: the sum of the second column over instructions (0x) or source lines (:)
samples_of() {
  awk -v kind="$1" '/^#/ || NF == 0 { next }
    kind == "0x" ? $3 ~ /^0x[0-9a-f]+$/ : $3 ~ /:[0-9]+$|^\[no$/ { n += $2 } END { print n + 0 }' "$2"
}

# toolkit: puts the stand-in for nvdisasm where it is looked for
toolkit() {
  mkdir -p toolkit/bin
  ln -sf "$AIFLAME_ROOT/tests/fakes/nvdisasm.py" toolkit/bin/nvdisasm
  export CUDA_HOME=$PWD/toolkit
}

@test "what it says about itself" {
  assert_help_and_version aiflame-annotate
  assert_full_disk_noticed aiflame-annotate "$data/stalls_of_two.gpustall"
}

@test "wrong usage" {
  assert_usage_error aiflame-annotate --nosuch
  assert_usage_error aiflame-annotate --percent-type both
  assert_usage_error aiflame-annotate --min-percent 101
  assert_usage_error aiflame-annotate --kernel '('
  assert_usage_error aiflame-annotate --json --line
  assert_usage_error aiflame-annotate --stats -
  assert_usage_error aiflame-annotate --links l
  assert_usage_error aiflame-annotate --html - --links l
}

@test "input that is no recording: one line, nothing else" {
  echo 'what is this' > text
  run -1 --separate-stderr aiflame-annotate text
  assert_equal "$stderr" 'aiflame-annotate: text: expected a gpustall(5) recording or perf.data'
  [ -z "$output" ]
  printf '# gpustall 1\nnonsense\n' > text
  run -1 --separate-stderr aiflame-annotate text
  [[ $stderr == 'aiflame-annotate: text:2: '* ]]
  [ -z "$output" ]
  run -1 --separate-stderr aiflame-annotate --event gpu-clock "$data/matmul.gpustall"
  assert_equal "$stderr" \
    "aiflame-annotate: no samples of event 'gpu-clock'; there are those of gpu-stall"
}

@test "a recording without samples, and one without objects" {
  printf '# gpustall 1\n# end samples 0 launches 0 lost 0\n\n' > empty
  run -0 --separate-stderr aiflame-annotate empty
  assert_equal "$output" '# aiflame-annotate 1'
  assert_equal "$stderr" 'aiflame-annotate: no samples'
  aiflame-annotate --json empty 2> err | jq -e '.samples == 0 and .functions == []'
  run -0 --separate-stderr aiflame-annotate "$data/stalls_of_two.gpustall"
  assert_equal "$(grep -c '^# kernel' <<< "$output")" 3
  assert_equal "$stderr" "aiflame-annotate: gpu-stall: 157 stalls: 117 on 3 of 3 instructions in \
3 functions, 40 of no known kernel; 117 of unnamed instructions (no code object)"
}

@test "source above its instructions, runs without samples as one line, of a cubin" {
  toolkit
  python3 "$AIFLAME_ROOT/tests/cubin/cubin.py" samples "$DATA/cubin/kernels.sm_90.cubin" \
    _Z9templatedIfEvPT_PKS0_i | sed "s#$DATA#DATA#" > all
  # all samples but those of three instructions are left out
  awk '/gpu-stall: $/ { ++n; skip = n != 3 && n != 4 && n != 40 } /^#/ { skip = 0 } !skip' all |
    sed "s/^# end.*/# end samples 3 launches 1 lost 0/; s#DATA#$DATA#" > recording
  run -0 --separate-stderr aiflame-annotate --source-prefix "$AIFLAME_ROOT/tests/cubin" recording
  sed "s#$DATA#DATA#" <<< "$output" > out
  assert_golden out "$DATA/aiflame-annotate/cubin.out"
  assert_equal "$stderr" 'aiflame-annotate: gpu-stall: 3 stalls: 3 on 3 of 48 instructions in 1 function, 0 of no known kernel; 2 of unnamed instructions (not decodable)'
  # every instruction, by its kernel's name in three ways, and the other way round
  for pattern in '^templated<' '_Z9temp' 'float.*int'; do
    aiflame-annotate -a -k "$pattern" recording 2> err > all
    assert_equal "$(grep -cE '^ +[0-9.]+% +[0-9]+  0x[0-9a-f]+ ' all)" 48
  done
  grep -F "no source: '/tmp/aiflame-cubins/kernels.cu' not found; --source-prefix" err
  aiflame-annotate -k plain --stats stats recording 2> err > none
  assert_equal "$(cat none)" '# aiflame-annotate 1'
  jq -e '.samples == 3 and .filtered == 3 and .listed == 0' stats
  aiflame-annotate --json -k plain recording 2> err | jq -e '.filtered == 3'
}

@test "without nvdisasm the instructions have offsets alone" {
  export CUDA_HOME=/nonexistent
  ! command -v nvdisasm || skip 'nvdisasm is on PATH'
  python3 "$AIFLAME_ROOT/tests/cubin/cubin.py" samples "$DATA/cubin/kernels.sm_90.cubin" plain > r
  aiflame-annotate r 2> err > out
  assert_equal "$(grep -cE '  0x[0-9a-f]+ +-  +long_scoreboard 1( |$)' out)" 168
  grep -F '# some instructions have no name: no disassembler' out
}

@test "percentages are of the kernel, or of all samples; small kernels can be left out" {
  aiflame-annotate "$data/matmul.gpustall" 2> err > out
  assert_equal "$(awk '$3 == "0xa30" { print $1, $2 }' out)" '100.00% 57'
  aiflame-annotate --percent-type total --min-percent 4.4 "$data/matmul.gpustall" 2> err > out
  assert_equal "$(awk '$3 ~ /^0x/ { print $1, $2, $3 }' out)" '83.82% 57 0xa30
7.35% 5 0x10
4.41% 3 0x8'
  grep -F ', 1 of kernels below --min-percent' err
}

@test "several inputs add up, compressed or from a pipe" {
  gzip < "$data/matmul.gpustall" > r.gz
  aiflame-annotate r.gz - < "$data/matmul.gpustall" 2> err |
    awk '$3 == "0xa30" { print $2 }' > out
  assert_equal "$(cat out)" 114
}

@test "names, reasons and source reach no terminal as they are" {
  printf 'int first;\n\033[2Jevil \342\200\256\001\n' > evil.c
  {
    printf '# gpustall 1\n# launch ?\n\napp 7/7 [000]  1.010000000:         57 gpu-stall: \n'
    printf '\t 0 s\033[31mbid ([stall])\n\t 1430 sc\033[2Jale+0x30 (/tmp/k.so)\n\n'
    printf '# end samples 57 launches 0 lost 0\n\n'
  } > r
  for option in --all --line --json --html=-; do
    aiflame-annotate "$option" r > out 2> err
    run ! grep -P '[\x00-\x08\x0b-\x1f\x7f]' out err
  done
  grep -F 's\033[31mbid 57' <(aiflame-annotate r 2> err)
}

@test "the listings of genuine samples: all are there, and the hottest line is that of the multiplication" {
  genuine
  local vendor total
  for vendor in intel:521533 nvidia:185353 amd:168299; do
    total=${vendor#*:} vendor=${vendor%:*}
    aiflame-annotate --all --stats "$tmp/stats" "genuine_$vendor.gpustall" > "$tmp/all" 2> "$tmp/err"
    assert_equal "$(samples_of 0x "$tmp/all") $(samples_of : "$tmp/all")" "$total $total"
    jq -e ".samples == $total and .listed == $total" "$tmp/stats"
    aiflame-annotate "genuine_$vendor.gpustall" > "$tmp/folded" 2> "$tmp/err"
    assert_equal "$(samples_of 0x "$tmp/folded")" "$total"
    aiflame-annotate --line "genuine_$vendor.gpustall" > "$tmp/lines" 2> "$tmp/err"
    assert_equal "$(samples_of : "$tmp/lines")" "$total"
    assert_equal "$(awk '$3 ~ /:/ && !/^#/ { print $3; exit }' "$tmp/lines")" compute.h:67
    aiflame-annotate --json "genuine_$vendor.gpustall" 2> "$tmp/err" > "$tmp/json"
    jq -e --argjson total "$total" '.aiflame_annotate == 1 and .samples == $total and
      ([.functions[].lines[].instructions[].samples] | add) == $total and
      ([.functions[].lines[].instructions[].reasons // {} | add] | add) == $total and
      ([.functions[].lines[].samples] | add) == $total and
      (.functions[0].lines[0].line == 67)' "$tmp/json"
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/json"
  done
}

@test "on Intel's genuine samples every waiting instruction has its producer" {
  genuine
  aiflame-annotate --json genuine_intel.gpustall 2> "$tmp/err" > "$tmp/json"
  grep -q 'IGA\|iga64' "$tmp/err" && skip 'no IGA'
  # 429 811 of the 429 847 samples that wait for a token are on an instruction with one
  jq -e '[.functions[].lines[].instructions[] | select(.producers) | .reasons.sbid // 0] | add
    >= 429811' "$tmp/json"
  # an arrow has two ends
  jq -e '[.functions[].lines[].instructions[]] as $all |
    ([$all[] | .offset as $at | .producers // [] | .[] | [., $at]] | sort) ==
    ([$all[] | .offset as $at | .consumers // [] | .[] | [$at, .]] | sort)' "$tmp/json"
  aiflame-annotate genuine_intel.gpustall 2> "$tmp/err" > "$tmp/out"
  grep -E '^ 51.79% +270085  0x448 +mov .*  sbid 261437, active 6433, .*<-0x408' "$tmp/out"
}

@test "the page for a browser has all instructions, and anchors without doubles" {
  genuine
  aiflame-annotate --html "$tmp/page" genuine_intel.gpustall 2> "$tmp/err"
  assert_equal "$(grep -c '<tr id=' "$tmp/page")" 117
  grep -F "default-src 'none'; script-src 'sha256-" "$tmp/page"
  grep -E '<tr id="0x448" class="h5" data-n="270085" data-l="[0-9]+">.*href="#0x408">←0x408</a>' "$tmp/page"
  run ! grep -E '(src|href)="[^#]' "$tmp/page"
  aiflame-annotate --html - genuine_intel.gpustall genuine_amd.gpustall 2> "$tmp/err" > "$tmp/both"
  grep -F '<tr id="2-0xb0"' "$tmp/both"
  assert_equal "$(grep -o ' id="[^"]*"' "$tmp/both" | sort | uniq -d)" ''
}

# compare OURS THEIRS: our listing and perf annotate's have the same instructions, and percentages
# within 0.1; prints how many have samples
compare() {
  python3 - "$1" "$2" << 'END'
import re, sys

ours, theirs, first = {}, {}, None
for line in open(sys.argv[1]):
    if found := re.match(r' *([0-9.]+)% +\d+  (0x[0-9a-f]+) ', line):
        ours[int(found[2], 16)] = float(found[1])
for line in open(sys.argv[2]):
    if found := re.match(r' +([0-9.]+) : +([0-9a-f]+):', line):
        first = int(found[2], 16) if first is None else first
        theirs[int(found[2], 16) - first] = float(found[1])
assert ours and not ours.keys() - theirs.keys(), 'other instructions'
for at, percent in theirs.items():  # behind the function perf has padding
    assert abs(percent - ours.get(at, 0)) <= 0.1, (hex(at), percent, ours.get(at))
print(sum(percent > 0 for percent in theirs.values()))
END
}

@test "percentages of PoCL's kernels are those of perf annotate" {
  skip_without perf
  skip_without python3
  skip_unless_samples
  setup_demo
  perf record -q -e cpu-clock:u -F 997 -o data "$DEMO/matmul" --size 256 --repeats 12 --options -g > out
  local kernel compared=0
  for kernel in row_times_column row_times_row _pocl_kernel_multiply_local_access_workgroup; do
    aiflame-annotate --all --kernel "^$kernel$" data 2> err > ours
    perf annotate -i data --stdio -s "$kernel" 2> err > theirs
    compared=$((compared + $(compare ours theirs)))
  done
  [ "$compared" -ge 20 ]
}

@test "frames of a flame graph link to the page" {
  genuine
  aiflame-annotate --html "$tmp/a b.html" --links "$tmp/links" genuine_intel.gpustall 2> "$tmp/err"
  grep -Fx "$(printf 'compute.h:67_[G]\thref=./a%%20b.html#compute.h:67\ttarget=_blank')" "$tmp/links"
  grep -Fx "$(printf '0x448_[g]\thref=./a%%20b.html#0x448\ttarget=_blank')" "$tmp/links"
  stackcollapse-aiflame --gpu-frames kernel,line,reason,offset genuine_intel.gpustall 2> "$tmp/err" |
    aiflame-svg --minwidth 0 --nameattr "$tmp/links" > "$tmp/a.svg"
  # every frame of a kernel, line or instruction is a link, to an anchor that is there
  grep -o 'href="./a%20b.html#[^"]*"' "$tmp/a.svg" | sed 's/.*#//; s/"//' | sort -u > "$tmp/anchors"
  [ "$(wc -l < "$tmp/anchors")" -ge 80 ]
  while IFS= read -r anchor; do
    grep -qF " id=\"$anchor\"" "$tmp/a b.html"
  done < "$tmp/anchors"
}
