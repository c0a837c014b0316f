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
  export PATH=$PWD/toolkit/bin:$PATH
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
  assert_usage_error aiflame-annotate --chains 101
  assert_usage_error aiflame-annotate --json --line
  assert_usage_error aiflame-annotate --json --findings
  assert_usage_error aiflame-annotate --line --findings
  assert_equal "$stderr" "aiflame-annotate: --findings and --line exclude each other; try 'aiflame-annotate --help'"
  assert_usage_error aiflame-annotate --stats -
  assert_usage_error aiflame-annotate --links l
  assert_usage_error aiflame-annotate --html - --links l
}

@test "input that is no recording: one line, nothing else" {
  echo 'what is this' > text
  run -1 --separate-stderr aiflame-annotate text
  assert_equal "$stderr" 'aiflame-annotate: text: expected a gpustall(5) recording, perf.data or folded text'
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
  local there=
  [ ! -e /tmp/aiflame-cubins/kernels.cu ] || there=yes # where tests/cubin/make.sh compiles it, now as well
  for pattern in '^templated<' '_Z9temp' 'float.*int'; do
    aiflame-annotate -a -k "$pattern" recording 2> err > all
    assert_equal "$(grep -cE '^ +[0-9.]+% +[0-9]+  0x[0-9a-f]+ ' all)" 48
  done
  [ -n "$there" ] || [ -e /tmp/aiflame-cubins/kernels.cu ] ||
    grep -F "no source: '/tmp/aiflame-cubins/kernels.cu' not found; --source-prefix" err
  aiflame-annotate -k plain --stats stats recording 2> err > none
  assert_equal "$(cat none)" '# aiflame-annotate 1'
  jq -e '.samples == 3 and .filtered == 3 and .listed == 0' stats
  aiflame-annotate --json -k plain recording 2> err | jq -e '.filtered == 3'
}

@test "without nvdisasm the instructions have offsets, and loads a short name" {
  export CUDA_HOME=/nonexistent
  ! command -v nvdisasm || skip 'nvdisasm is on PATH'
  python3 "$AIFLAME_ROOT/tests/cubin/cubin.py" samples "$DATA/cubin/kernels.sm_90.cubin" plain > r
  aiflame-annotate r 2> err > out
  assert_equal "$(grep -cE '  0x[0-9a-f]+ +(-|[A-Z0-9]+)  +long_scoreboard 1( |$)' out)" 168
  grep -E '  0x[0-9a-f]+ +LDG  +long_scoreboard 1 +->0x' out
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
    # no stall is lost between those that stall and those that have to answer for them
    jq -e '.functions[] | [.lines[].instructions[] | select(.stalls)] as $stalled |
      ([$stalled[].stalls] | add) == ([.roots[].samples] | add) and
      all(.roots[]; .samples == ([.victims[].samples] | add)) and
      all($stalled[]; ([.causes[].share] | add) > 0.99 and .chain[0] == .offset)' "$tmp/json"
    python3 -c 'import json, sys; json.load(open(sys.argv[1]))' "$tmp/json"
  done
}

@test "findings of genuine samples: line, column and cause, with bounds; each sample in one at most" {
  genuine
  aiflame-annotate --json genuine_amd.gpustall 2> "$tmp/err" > "$tmp/json"
  jq -e '.functions[0].findings as $all | $all[0] as $first |
    ([$all[].samples] | add) <= .samples and ([$all[].share] | add) <= 1.000001 and
    ([$all[].id] | unique | length) == ($all | length) and
    $first.line == 67 and $first.column > 0 and $first.at_most.removed > 1 and
    ([$first.evidence[].samples] | add) <= $first.samples' "$tmp/json"
  # the text says the same, in the listing too
  jq -r '.functions[].findings[].text' "$tmp/json" | sed 's/^/# finding: /' > "$tmp/texts"
  aiflame-annotate --findings genuine_amd.gpustall 2> "$tmp/err" | grep '^# finding' > "$tmp/findings"
  cmp "$tmp/texts" "$tmp/findings"
  aiflame-annotate genuine_amd.gpustall 2> "$tmp/err" | grep '^# finding' > "$tmp/findings"
  cmp "$tmp/texts" "$tmp/findings"
}

@test "a finding is of one cause, also where lines have no columns" {
  genuine
  aiflame-annotate --json genuine_nvidia.gpustall 2> "$tmp/err" > "$tmp/json"
  # loads and stores at one line: for each the share of its own causes, as counted from the roots
  jq -e '.functions[0] as $f | ([$f.lines[] | .line as $line | .instructions[] | {key: "\(.offset)", value: {line: $line, mnemonic}}] |
      from_entries) as $code | ([$f.roots[].samples] | add) as $all |
    ([$f.findings[] | [.kind, .cause, .line]] | unique | length) == ($f.findings | length) and
    ([["store", "stalls", "ST"], ["load", "stalls", "LD"], ["load", "feeds", "LD"]] | all(. as [$cause, $kind, $name] |
      ([$f.roots[] | .offset as $at | select($code["\($at)"] | .line == 67 and (.mnemonic // "" | startswith($name))) | .victims[] |
        select((.offset == $at) == ($kind == "stalls")).samples] | add) ==
      ([$f.findings[] | select(.kind == $kind and .cause == $cause and .line == 67).samples] | add)))' "$tmp/json"
  # of two loads that a wait could be for, the shares are an estimate; the text says so, and what is counted
  aiflame-annotate --json genuine_amd.gpustall 2> "$tmp/err" > "$tmp/json"
  jq -e '.functions[0].findings | .[0].estimated and (.[2].estimated | not) and
    all(.exposed and (.text | contains("exposed stalls")) and .estimated == (.text | contains(" by estimate, ")))' "$tmp/json"
  aiflame-annotate --json genuine_intel.gpustall 2> "$tmp/err" |
    jq -e '.functions[0].findings | all(.exposed == false and (.text | contains("exposed") | not))'
}

@test "a code object that was cut is told, and nothing about its lines" {
  genuine
  mkdir "$tmp/amd"
  local object=amd/9f7f9be695af6f36f2b56450611127c6.gpubin
  head -c 5000 $object > "$tmp/$object"
  cp genuine_amd.gpustall "$tmp"
  cd "$tmp"
  aiflame-annotate --line genuine_amd.gpustall 2> err > out
  assert_equal "$(grep -c 'gpubin: cut: it ends before its sections do$' err)" 1
  run ! grep 'line information' out
}

@test "a kernel that calls a function: what percentages are of" {
  {
    printf '# gpustall 1\n# launch ?\n\n'
    printf 'app 7/7 [000]  1.010000000: 30 gpu-stall: \n\t 0 wait ([stall])\n\t 1430 k+0x30 (/tmp/k.so)\n\n'
    printf 'app 7/7 [000]  1.010000000: 10 gpu-stall: \n\t 0 wait ([stall])\n\t 2430 f+0x30 (/tmp/k.so)\n\t 1440 k+0x40 (/tmp/k.so)\n\n'
    printf '# end samples 40 launches 0 lost 0\n\n'
  } > r
  aiflame-annotate r 2> err > out
  assert_equal "$(awk '$3 ~ /^0x/ { print $1, $2, $3 }' out)" '100.00% 30 0x30
100.00% 10 0x30'
  assert_equal "$(grep -c '^# percentages below are of this function, those of findings of the kernel' out)" 2
  grep '^# finding: instruction at 0x30 has 25.00% of k.s stalls' out
}

@test "findings count exposed stalls where the recording tells them" {
  {
    printf '# gpustall 1\n# launch ?\n\n'
    for sample in 'gpu-stall 60 wait 30' 'gpu-stall-exposed 10 wait 30' 'gpu-stall 40 math 40' \
      'gpu-stall-exposed 30 math 40'; do
      set -- $sample
      printf 'app 7/7 [000]  1.010000000: %s %s: \n\t 0 %s ([stall])\n\t 14%s k+0x%s (/tmp/k.so)\n\n' \
        "$2" "$1" "$3" "$4" "$4"
    done
    printf '# end samples 100 launches 0 lost 0\n\n'
  } > r
  aiflame-annotate --findings r 2> err > out
  assert_equal "$(grep -c "of k's exposed stalls" out)" 2
  grep -Fx "# finding: instruction at 0x40 has 75.00% of k's exposed stalls (most of them math); at most 1.43 times faster" out
  aiflame-annotate --json r 2> err | jq -ce '.samples == 100 and .functions[0].findings[0].exposed and
    [.functions[].lines[].instructions[].exposed] == [{"wait": 10}, {"math": 30}]'
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

@test "chains of genuine samples lead to the load, and on to its address" {
  genuine
  local vendor stats
  for vendor in intel amd nvidia; do
    aiflame-annotate --stats "$tmp/$vendor.json" "genuine_$vendor.gpustall" 2> "$tmp/err" > "$tmp/$vendor"
  done
  # nothing is known of NVIDIA's names here, but where its loads are
  grep -E '^  1.31% +2436  chain  0x220 F2I <- 0x160 LDG.* 98% compute.h:67 <- 0x120 ' "$tmp/nvidia"
  if grep -q s_waitcnt "$tmp/amd"; then
    grep -E '^ 29.35% +49389  chain  0xb0 s_waitcnt <- 0x98 global_load_dwordx2 59% compute.h:67 <- 0x84 v_lshl' \
      "$tmp/amd"
  fi
  grep -q 'send.ugm' "$tmp/intel" || skip 'no IGA'
  grep -E '^ 50.55% +263652  chain  0x448 mov <- 0x408 send.ugm 99% compute.h:67 <- 0x3b8 add accessor.hpp:1726 <- ' \
    "$tmp/intel"
  assert_equal "$(grep -c ' chain ' "$tmp/intel")" 3
  aiflame-annotate --chains 10 genuine_intel.gpustall 2> "$tmp/err" > "$tmp/hot"
  assert_equal "$(grep -c ' chain ' "$tmp/hot")" 2
  # the share of samples that have one producer left, in percent
  for stats in intel:99 nvidia:70; do
    jq -e ".coverage | .single.samples * 100 > .waiting.samples * ${stats#*:} and .unknown.samples == 0" \
      "$tmp/${stats%:*}.json"
  done
}

@test "the page for a browser has all instructions, and anchors without doubles" {
  genuine
  aiflame-annotate --html "$tmp/page" genuine_intel.gpustall 2> "$tmp/err"
  assert_equal "$(grep -c '<tr id=' "$tmp/page")" 117
  grep -F "default-src 'none'; script-src 'sha256-" "$tmp/page"
  grep -E '<tr id="0x448" class="h5" data-n="270085" data-l="[0-9]+" data-causes="0x408 [0-9]+ ">.*href="#0x408">←0x408</a>' "$tmp/page"
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

# manual TEXT: the example of the manual page that follows the paragraph with TEXT, as a script
manual() {
  sed -n "/$1/,/^\.EE/p" "$AIFLAME_ROOT/man/aiflame-annotate.1" | sed -n '/^\.EX/,/^\.EE/p' |
    sed '/^\./d; s/\\e/\\/g; s/\\-/-/g'
}

@test "the manual's tuner: the finding names the hot load, and the gate passes with the change only" {
  skip_without jq
  skip_unless_samples
  setup_demo
  cp "$DEMO/matmul.cl" .
  printf '#!/bin/sh\nexec "%s/matmul" --source matmul.cl --repeats 20 --options -g\n' "$DEMO" > app
  # puts the blocks in local memory of the next kernel into the one that the finding names
  cat > change << 'END'
#!/bin/sh
set -e
awk -v kernel="$1" '
  /^__kernel/ { own = $0 ~ kernel "\\("; other = /multiply_local_access\(/ }
  other { text = text $0 "\n" }
  other && /^}/ { sub(/multiply_local_access/, kernel, text); print text; exit }' "$3" > new
awk -v kernel="$1" 'FNR == NR { text = text $0 "\n"; next }
  /^__kernel/ { own = $0 ~ kernel "\\(" }
  !own { print }
  own && /^}/ { printf "%s", text; own = 0 }' new "$3" > changed.cl
mv changed.cl "$3"
END
  chmod +x app change
  manual '^A tuner' > tune
  grep -q gpustall-record tune
  run -0 --separate-stderr bash tune
  run ! cmp matmul.cl before.cl
  jq -e --arg line "$(awk '/column\[k \* n\]/ { print FNR }' before.cl)" '.functions[0].findings[0] |
    .kernel == "multiply_basic" and (.file | endswith("/matmul.cl")) and .line == ($line | tonumber) and
    .share > 0.5 and .at_most.removed > 1.25 and
    (if .kind == "feeds" then .estimated and .cause == "load" else .kind == "takes" and (has("cause") | not) end)' before.json
  # a change that is none
  cp before.cl matmul.cl
  printf '#!/bin/sh\n' > change
  run -1 --separate-stderr bash tune
  [[ $stderr == *'aiflame-report: failed: kernel:multiply_basic>'* ]]
  cmp matmul.cl before.cl
}

# assert_links_lead_somewhere SVG FOLDER: each link of a picture has its anchor in a page
assert_links_lead_somewhere() {
  grep -o 'href="[^"]*#[^"]*"' "$1" | sed 's/^href="//; s/"$//; s/%20/ /g' | sort -u > "$tmp/hrefs"
  [ "$(wc -l < "$tmp/hrefs")" -ge "$3" ]
  local href
  while IFS= read -r href; do
    grep -qF " id=\"${href#*#}\"" "$2/${href%%#*}"
  done < "$tmp/hrefs"
}

@test "a directory gets a page for each kernel, a list and links for the flame graph" {
  genuine
  aiflame-annotate --html "$tmp/a b/" genuine_{intel,amd,nvidia}.gpustall 2> "$tmp/err"
  assert_equal "$(cd "$tmp/a b" && echo *)" \
    'index.html links listings twork-lambda-handler-1-lambda-auto-1-1.html xcompute-2.html xcompute.html'
  assert_equal "$(grep -o 'href="./[^"]*"' "$tmp/a b/index.html")" \
    'href="./twork-lambda-handler-1-lambda-auto-1-1.html"
href="./xcompute.html"
href="./xcompute-2.html"'
  grep -F 'href="index.html"' "$tmp/a b/xcompute.html"
  assert_equal "$(grep -ch '<tr id=' "$tmp/a b/"*.html | paste -sd ' ')" '0 117 52 288'
  stackcollapse-aiflame --gpu-frames kernel,line,reason,offset genuine_intel.gpustall 2> "$tmp/err" > "$tmp/folded"
  cd "$tmp"
  for links in 'a b' 'a b/' 'a b/links' "$tmp/a b"; do
    aiflame-svg --minwidth 0 --annotate "$links" folded > a.svg
    assert_links_lead_somewhere a.svg "$([[ $links = /* ]] && echo / || echo .)" 60
  done
  # again into the directory, that is there now
  cp -r 'a b' first
  cd "$AIFLAME_ROOT/../shared/data/hpctoolkit"
  aiflame-annotate --html "$tmp/a b" genuine_{intel,amd,nvidia}.gpustall 2> "$tmp/err"
  diff -r "$tmp/first" "$tmp/a b"
  assert_usage_error aiflame-annotate --html "$tmp/a b" --links l
  assert_usage_error aiflame-svg --annotate "$tmp/a b" --nameattr l
}

@test "no page of a directory leads out of it" {
  {
    printf '# gpustall 1\n# launch ?\n\n'
    for name in ../../evil .. index '' 'a/b' "$(printf 'x%.0s' {1..300})"; do
      printf 'app 7/7 [000]  1.010000000: 1 gpu-stall: \n\t 0 r ([stall])\n\t 1430 %s+0x30 (/tmp/k.so)\n\n' "$name"
    done
    printf '# end samples ? launches 0 lost 0\n\n'
  } > r
  mkdir -p in/pages
  aiflame-annotate --html in/pages/ r 2> err
  assert_equal "$(find . -name '*.html' | grep -vc '^./in/pages/[^/]*$')" 0
  [ "$(find in/pages -name '*.html' | wc -l)" -ge 6 ]
  ln -sf "$PWD/outside" in/pages/a-b.html
  # landlock_create_ruleset() for its version
  python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' ||
    skip 'no Landlock'
  run -1 --separate-stderr aiflame-annotate --html in/pages/ r
  [ ! -e outside ]
}

@test "folded text: the same numbers, without what only the code tells" {
  genuine
  stackcollapse-aiflame --gpu-frames kernel,line,mnemonic,reason,offset genuine_amd.gpustall \
    2> "$tmp/err" > "$tmp/folded"
  local file
  for file in genuine_amd.gpustall "$tmp/folded"; do
    aiflame-annotate --all "$file" 2> "$tmp/err" | awk '$2 > 0 && $3 ~ /^0x[0-9a-f]+$/ { print $1, $2, $3, $4 }'
  done > "$tmp/rows"
  assert_equal "$(sort "$tmp/rows" | uniq -c | awk '$1 != 2')" ''
  [ "$(wc -l < "$tmp/rows")" -eq 74 ]
  aiflame-annotate --json "$tmp/folded" 2> "$tmp/err" | jq -e '.event == "gpu-stall" and .samples == 168299 and
    (.functions[0] | .whole == false and (has("object") | not) and .lines[0].line == 67 and
      .findings[0].line == 67)'
  cut -d';' -f 1-4 "$tmp/folded" | sed 's/$/ 1/' > "$tmp/short"
  run -1 --separate-stderr aiflame-annotate "$tmp/short"
  [[ $stderr == *'a kernel without offset; fold with --gpu-frames '* ]]
  [ -z "$output" ]
}

@test "kernels that share lines and offsets have links of their own" {
  local kernel count=30 frames=';-;%s_[G];h.h:5_[G];ld_[g];sbid_[g];0x10_[g] %d\n'
  for kernel in hot warm; do
    # shellcheck disable=SC2059 # two of them
    printf "m$frames" "$kernel" "$count"; count=20
  done > folded
  aiflame-annotate --html pages/ folded 2> err
  aiflame-annotate --html page.html --links links folded 2> err
  aiflame-svg --annotate pages folded | grep -o 'href="./pages/[^"]*"' | sort | paste -sd ' ' > ours
  assert_equal "$(cat ours)" 'href="./pages/hot.html#0x10" href="./pages/hot.html#h.h:5" href="./pages/hot.html#k1"'\
' href="./pages/warm.html#0x10" href="./pages/warm.html#h.h:5" href="./pages/warm.html#k1"'
  aiflame-svg --annotate links folded | grep -o 'href="./page.html#[^"]*"' | sort | paste -sd ' ' > ours
  assert_equal "$(cat ours)" 'href="./page.html#0x10" href="./page.html#2-0x10" href="./page.html#2-h.h:5"'\
' href="./page.html#h.h:5" href="./page.html#k1" href="./page.html#k2"'
  for anchor in 0x10 2-0x10 h.h:5 2-h.h:5; do
    assert_equal "$(grep -cF "id=\"$anchor\"" page.html)" 1
  done
}

@test "--html NAME writes one page, says so, and is no file of links" {
  cd "$tmp"
  printf '# aiflame: event gpu-stall, unit stalls\nm;-;hot_[G];h.h:5_[G];ld_[g];sbid_[g];0x10_[g] 30000\n' > folded
  run -0 --separate-stderr aiflame-annotate --html listings folded
  assert_equal "$output" ''
  assert_equal "${stderr##*$'\n'}" "aiflame-annotate: hint: 'listings' is one page; --html listings/ writes a page for each kernel, and links for aiflame-svg --annotate"
  run -1 --separate-stderr aiflame-svg --annotate listings folded
  assert_equal "$stderr" "aiflame-svg: 'listings' is a page, not a file of links; aiflame-annotate writes links to DIR with --html DIR/, or to FILE with --links FILE"
  run -0 --separate-stderr aiflame-annotate --html listings.html folded
  [[ $stderr != *hint* ]]
  # numbers of samples have thousands separators
  grep -F '30,000 stalls' listings.html
  grep -E '<td class="n">30,000<td class="kinds"><svg .*<td class="o"><a href="#0x10">0x10</a>' listings.html
}

@test "a page says where no place is worth much" {
  {
    echo '# gpustall 1'
    for ((i = 0; i < 40; ++i)); do printf '%s\n' '# launch ?' '' 'app 7/7 [000]  1.010000000: 10 gpu-stall: ' \
      $'\t 0 pipestall ([stall])' $'\t '"$((1000 + i * 16))"$' k+0x'"$(printf %x $((i * 16)))"$' (/tmp/k.so)' ''; done
    printf '%s\n' 'app 7/7 [000]  1.010000000: 9000 gpu-stall: ' $'\t 0 active ([stall])' $'\t 1430 k+0x430 (/tmp/k.so)' ''
    printf '# end samples 9400 launches 0 lost 0\n\n'
  } > "$tmp/even"
  aiflame-annotate --html "$tmp/even.html" "$tmp/even" 2> "$tmp/err"
  grep -F '<p>No single place could make this kernel more than 1.01 times faster.</p>' "$tmp/even.html"
}

@test "frames of a flame graph link to the page" {
  genuine
  aiflame-annotate --html "$tmp/a b.html" --links "$tmp/links" genuine_intel.gpustall 2> "$tmp/err"
  local kernel='twork::{lambda(handler&)#1}::{lambda(auto:1)#1}_[G]'
  grep -Fx "$(printf '%s;compute.h:67_[G]\thref=./a%%20b.html#compute.h:67\ttarget=_blank' "$kernel")" "$tmp/links"
  grep -Fx "$(printf '%s;0x448_[g]\thref=./a%%20b.html#0x448\ttarget=_blank' "$kernel")" "$tmp/links"
  stackcollapse-aiflame --gpu-frames kernel,line,reason,offset genuine_intel.gpustall 2> "$tmp/err" |
    aiflame-svg --minwidth 0 --nameattr "$tmp/links" > "$tmp/a.svg"
  # every frame of a kernel, line or instruction is a link, to an anchor that is there
  grep -o 'href="./a%20b.html#[^"]*"' "$tmp/a.svg" | sed 's/.*#//; s/"//' | sort -u > "$tmp/anchors"
  [ "$(wc -l < "$tmp/anchors")" -ge 80 ]
  while IFS= read -r anchor; do
    grep -qF " id=\"$anchor\"" "$tmp/a b.html"
  done < "$tmp/anchors"
}
