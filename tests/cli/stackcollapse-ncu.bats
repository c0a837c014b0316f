# SPDX-License-Identifier: MIT
# stackcollapse-ncu: the source page of Nsight Compute. All inputs are made by hand, in the shape of
# exports that people have published.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-ncu
  tmp=$BATS_TEST_TMPDIR
}

# sum_of COLUMN FILE: the sum of a column over the rows of instructions, by another reader of CSV
sum_of() {
  python3 - "$1" "$2" << 'END'
import csv, sys
total, column = 0, None
for row in csv.reader(open(sys.argv[2])):
    if "Source" in row and "Address" in row:
        address, column = row.index("Address"), row.index(sys.argv[1]) if sys.argv[1] in row else None
    elif column is not None and len(row) > column and row[address].startswith("0x"):
        total += int(row[column].replace(",", ""))
print(total)
END
}

total() { stacks "$1" | awk '{ sum += $NF } END { printf "%.0f", sum }'; }

@test "each instruction and reason of the sass view" {
  golden sass stackcollapse-ncu $data/sass.in
  # the second launch states no sum of its exposed samples, but their only reason
  [ "$(total "$tmp/out")" -eq "$(sum_of '# Samples' $data/sass.in)" ]
}

@test "--exposed counts the samples at which nothing was issued" {
  golden exposed stackcollapse-ncu --exposed $data/sass.in
  [ "$(total "$tmp/out")" -eq "$(($(sum_of 'Warp Stall Sampling (Not-issued Cycles)' $data/sass.in) + 3))" ]
  [ "$(head -n 1 "$tmp/out")" = '# aiflame: event gpu-stall-exposed, unit stalls' ]
}

@test "source lines: a line's own row and repeated instructions are not counted" {
  golden cuda_sass stackcollapse-ncu --full-paths $data/cuda_sass.in
}

@test "quotes in the text of a source line, dots, an instruction under the line that says most" {
  # the shape of a genuine export, with other names and numbers
  printf '%s\n' '"File Path","/src/copy.cuh"' '"Function Name","void copy<(int)4>(float *)"' \
    '"Line No","Source","Address","Source","# Samples","stall_wait","stall_wait (Not Issued)"' \
    '"9","f(Int<I>{}, "a","b");","-","-","9","9","2"' \
    '"","","0x7f00","      @P0 LDGSTS.E [R2], [R4.64]","5","5","1"' '"","","...","...","-","-","-"' \
    '"","","0x7f20","      FADD R1, R2, R3","4","4","1"' \
    '"47",""r"(address), "l"(src) : "memory");","-","-","5","5","1"' \
    '"","","0x7f00","      @P0 LDGSTS.E [R2], [R4.64]","5","5","1"' > "$tmp/quotes"
  run -0 --separate-stderr stackcollapse-ncu "$tmp/quotes"
  assert_equal "$output" '# aiflame: event gpu-stall, unit stalls
[device];[unknown launch];-;copy<4>_[G];copy.cuh:47_[G];LDGSTS.E_[g];wait_[g];0x0_[g] 5
[device];[unknown launch];-;copy<4>_[G];copy.cuh:9_[G];FADD_[g];wait_[g];0x20_[g] 4'
}

@test "--instances tells launches of a kernel apart" {
  golden instances stackcollapse-ncu --instances $data/sass.in $data/cuda_sass.in
}

@test "the statistics" {
  stackcollapse-ncu --stats "$tmp/stats" $data/sass.in 2> "$tmp/stderr" > "$tmp/out"
  assert_equal "$(< "$tmp/stderr")" \
    'stackcollapse-ncu: gpu-stall: 1,083 stalls of 4 records: 0.18 % issued, not stalled, 0.18 % without a reason; 0 lost'
  [ "$(jq -c '[.read.weight, .drawn.weight, .parts."without a reason".weight]' "$tmp/stats")" = '[1083,1083,2]' ]
}

@test "a pipe, compressed" {
  gzip -c $data/sass.in | stackcollapse-ncu 2> /dev/null | cmp - $data/sass.out
  zstd -qc $data/sass.in | stackcollapse-ncu - 2> /dev/null | cmp - $data/sass.out
}

@test "reasons that exceed the sum, and a view without addresses" {
  printf '%s\n' '"File Path","/a/k.cu"' '"Function Name","k"' '"Line No","Source","# Samples","stall_wait","stall_lg"' \
    '"17","x = y","3","2","4"' > "$tmp/cuda"
  run -0 --separate-stderr stackcollapse-ncu "$tmp/cuda"
  assert_equal "$output" '# aiflame: event gpu-stall, unit stalls
[device];[unknown launch];-;k_[G];k.cu:17_[G];lg_throttle_[g] 4
[device];[unknown launch];-;k_[G];k.cu:17_[G];wait_[g] 2'
  assert_equal "$stderr" \
    'stackcollapse-ncu: gpu-stall: 6 stalls of 1 records: 50.00 % more than the sum that the file states; 0 lost'
}

@test "titles that are not known, between the blocks" {
  printf '%s\n' 'max error: 0, 1, 2, 3' '"Kernel Name","k",' '"Address","Source","# Samples","stall_wait"' \
    '"0x10","MOV R1, R2","3","3"' '"Context","1"' '"Kernel Name","k",' \
    '"Address","Source","# Samples","stall_wait"' '"0x10","MOV R1, R2","4","4"' 'No lineinfo available' > "$tmp/titles"
  run -0 --separate-stderr stackcollapse-ncu "$tmp/titles"
  [ "${lines[1]}" = '[device];[unknown launch];-;k_[G];MOV_[g];wait_[g];0x0_[g] 7' ]
}

@test "lines without instructions are lost by name" {
  head -n 5 $data/cuda_sass.in > "$tmp/cut"
  run -0 --separate-stderr stackcollapse-ncu "$tmp/cut"
  assert_equal "$stderr" \
    'stackcollapse-ncu: gpu-stall: 0 stalls of 1 records; 97 stalls lost: source lines without instructions'
}

@test "a cut file is used as far as it is whole" {
  head -c -20 $data/sass.in > "$tmp/cut"
  run -0 --separate-stderr stackcollapse-ncu "$tmp/cut"
  [ "${stderr_lines[0]}" = "stackcollapse-ncu: warning: $tmp/cut:10: the file is cut; what is whole is used" ]
  [ "${#stderr_lines[@]}" -eq 2 ]
  [ "$(total <(printf '%s\n' "$output"))" -eq 1079 ]
}

# refused TEXT MESSAGE: the text as a file is refused with the message, which may name the file FILE
refused() {
  printf '%b' "$1" > "$tmp/bad"
  run -1 --separate-stderr stackcollapse-ncu "$tmp/bad"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-ncu: ${2//FILE/$tmp/bad}"
}

@test "UTF-16, as PowerShell writes what ncu prints" {
  iconv -t UTF-16 "$DATA/stackcollapse-ncu/sass.in" > "$tmp/utf16"
  stackcollapse-ncu "$tmp/utf16" 2> /dev/null | cmp - "$DATA/stackcollapse-ncu/sass.out"
}

@test "inputs that are refused, with their place" {
  local page='FILE: has no source page of Nsight Compute; ncu --import FILE --csv --page source writes one'
  : > "$tmp/bad"
  run -1 --separate-stderr stackcollapse-ncu "$tmp/bad"
  assert_equal "$stderr" "stackcollapse-ncu: ${page/FILE/$tmp/bad}"
  refused '"Address","Source","# Samples","stall_wait"\n"0x1","MOV","1","x"\n' \
    "FILE:2: 'x' is not a number of samples"
  refused '"Address","Source","# Samples","stall_wait"\n"0x1","MOV",1,024,1\n' \
    'FILE:2: has 5 fields, and the header has 4'
  refused '"Line No","Source","Address","Source","stall_wait"\n"","","0x1","MOV","1","1"\n' \
    'FILE:2: has 6 fields, and the header has 5'
  refused '"Address","Source","# Samples","stall_wait"\n"0x1","MOV","1","1\n' \
    'FILE:2: its quotes do not match'
  refused '"Address","Source","Instructions Executed"\n' \
    "FILE:1: no column of a stall reason ('stall_wait'); ncu --section SourceCounters counts them"
}

@test "--exposed without the columns for it" {
  printf '"Address","Source","# Samples","stall_wait"\n' > "$tmp/all"
  run -1 --separate-stderr stackcollapse-ncu --exposed "$tmp/all"
  [ "$stderr" = "stackcollapse-ncu: $tmp/all:1: no column of an exposed stall ('stall_wait (Not Issued)')" ]
}

@test "options, a full disk, a missing file" {
  assert_help_and_version stackcollapse-ncu
  assert_usage_error stackcollapse-ncu --nosuch
  assert_full_disk_noticed stackcollapse-ncu $data/sass.in
  run -1 --separate-stderr stackcollapse-ncu "$tmp/none"
  [ "$stderr" = "stackcollapse-ncu: cannot open '$tmp/none': No such file or directory" ]
}
