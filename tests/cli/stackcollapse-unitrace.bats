# SPDX-License-Identifier: MIT
# stackcollapse-unitrace. All inputs are made by hand after unitrace's source: no genuine table was
# at hand.
# shellcheck disable=SC2086  # the tests' own paths contain no blanks
load common

setup() {
  cd "$AIFLAME_ROOT" || return
  data=tests/data/stackcollapse-unitrace
  tmp=$BATS_TEST_TMPDIR
}

@test "each kernel, reason and offset" {
  golden legacy stackcollapse-unitrace $data/legacy.in
  golden by_device stackcollapse-unitrace --by-device --full-names $data/legacy.in
}

@test "no count is lost" {
  stackcollapse-unitrace $data/legacy.in 2> "$tmp/stderr" | stacks - | awk '{ sum += $NF } END { print sum }' > "$tmp/sum"
  python3 - $data/legacy.in << 'END' | cmp - "$tmp/sum"
import sys
total, columns = 0, 0
for line in open(sys.argv[1]):
    if line.strip().startswith("Kernel,"):
        columns = line.count(",")
    elif "," in line:
        total += sum(int(field) for field in line.rsplit(",", columns)[2:])
print(total)
END
  assert_equal "$(< "$tmp/stderr")" 'stackcollapse-unitrace: gpu-stall: 54,426 stalls of 3 records; 0 lost'
}

@test "the statistics" {
  stackcollapse-unitrace --stats "$tmp/stats" $data/legacy.in > "$tmp/out" 2>&1
  [ "$(jq -c '[.event, .read.weight, .drawn.weight, .lost]' "$tmp/stats")" = '["gpu-stall",54426,54426,{}]' ]
}

@test "a pipe, compressed" {
  gzip -c $data/legacy.in | stackcollapse-unitrace 2> /dev/null | cmp - $data/legacy.out
}

header='Kernel, IP[Address], Active[Events], Time[ns], TokenStall[Events]'

@test "no banner, columns to come, a kernel without a name, text around the table" {
  printf '%s\n' 'a, b' "$header" ', 8, 1, 77, 2' '"k;(a, b)", 10, 0, 5, 4' '== L0 Backend ==' '  Kernel, Calls, Time (ns)' '"k", 2, 9' \
    '=== API Timing ===' 'x, y' > "$tmp/table"
  run -0 --separate-stderr stackcollapse-unitrace "$tmp/table"
  assert_equal "$output" '# aiflame: event gpu-stall, unit stalls
[device];[unknown launch];-;[unknown kernel]_[G];active_[g];0x8_[g] 1
[device];[unknown launch];-;[unknown kernel]_[G];token_[g];0x8_[g] 2
[device];[unknown launch];-;k:_[G];token_[g];0x10_[g] 4'
}

@test "a cut file is used as far as it is whole" {
  head -c 600 $data/legacy.in > "$tmp/cut"
  run -0 --separate-stderr stackcollapse-unitrace "$tmp/cut"
  assert_equal "$stderr" "stackcollapse-unitrace: warning: $tmp/cut:6: the file is cut; what is whole is used
stackcollapse-unitrace: gpu-stall: 60 stalls of 1 records; 0 lost"
}

# refused MESSAGE LINE...: a file of these lines is refused; the message may name it FILE
refused() {
  local message=$1
  shift
  printf '%s\n' "$@" > "$tmp/bad"
  run -1 --separate-stderr stackcollapse-unitrace "$tmp/bad"
  [ -z "$output" ]
  assert_equal "$stderr" "stackcollapse-unitrace: ${message//FILE/$tmp/bad}"
}

@test "inputs that are refused, with their place" {
  refused 'FILE: has no table of unitrace --stall-sampling' ''
  refused "FILE:1: no column 'IP': this is not a table of --stall-sampling" 'Kernel,GlobalInstanceId,XVE_STALL[%]'
  refused "FILE:1: no column 'Active': this is not a table of --stall-sampling" 'Kernel, IP[Address], Time[ns]'
  refused "FILE:2: 'x' is not a hexadecimal address" "$header" 'k, x, 1, 2, 3'
  refused "FILE:2: '-3' is not a number of samples" "$header" 'k, 8, 1, 2, -3'
  refused "FILE:2: '18446744073709551615' is not a number of samples" "$header" 'k, 8, 18446744073709551615, 2, 3'
  refused 'FILE:2: has less than 4 fields behind the kernel' "$header" '8, 1, 2, 3'
}

@test "options, a full disk, a missing file" {
  assert_help_and_version stackcollapse-unitrace
  assert_usage_error stackcollapse-unitrace --nosuch
  assert_full_disk_noticed stackcollapse-unitrace $data/legacy.in
  run -1 --separate-stderr stackcollapse-unitrace "$tmp/none"
  [ "$stderr" = "stackcollapse-unitrace: cannot open '$tmp/none': No such file or directory" ]
}
