# SPDX-License-Identifier: MIT
# The command line of scripts/test-vm.sh. What it does is for `make test-vm` alone: it takes minutes.
load common

vm=$AIFLAME_ROOT/scripts/test-vm.sh

@test "test-vm.sh: its help, and mistakes" {
  run -0 --separate-stderr "$vm" --help
  [[ $output == 'Usage: test-vm.sh '* ]]
  assert_equal "$stderr" ''
  local mistake
  while IFS='|' read -r mistake why; do
    # shellcheck disable=SC2086 # words
    run -2 --separate-stderr "$vm" $mistake
    assert_equal "$output$stderr" "test-vm.sh: $why; try 'test-vm.sh --help'"
  done << END
|no OUT
--bogus|unknown option '--bogus'
-t|option '-t' needs a value
-t 0 $AIFLAME_BUILD|'0' is not a number of seconds
-l much $AIFLAME_BUILD|'much' is not integrity or confidentiality
$AIFLAME_BUILD woody|'woody' is not bookworm or trixie
-a mips $AIFLAME_BUILD|'mips' is not amd64 or arm64
$AIFLAME_BUILD trixie-16k|'trixie-16k' is not bookworm or trixie
END
  run -1 --separate-stderr "$vm" .
  assert_equal "$stderr" "test-vm.sh: no programs in '.': make all test-programs"
}
