# SPDX-License-Identifier: MIT
# The command line of scripts/test-arm64.sh. What it does is for `make test-arm64` alone: it takes
# half an hour.
load common

@test "test-arm64.sh: its help, and mistakes" {
  local arm64=$AIFLAME_ROOT/scripts/test-arm64.sh
  run -0 --separate-stderr "$arm64" --help
  [[ $output == 'Usage: test-arm64.sh '* ]]
  [ -z "$stderr" ]
  while IFS='|' read -r arguments why; do
    # shellcheck disable=SC2086 # some have several words
    run -2 --separate-stderr "$arm64" $arguments
    assert_equal "$output$stderr" "test-arm64.sh: $why; try 'test-arm64.sh --help'"
  done << END_OF_CASES
|HERE and OUT are missing
--build .|HERE and OUT are missing
--fast . .|unknown option '--fast'
. .|OUT is not below '$AIFLAME_ROOT/build'
END_OF_CASES
}
