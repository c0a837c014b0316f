#!/bin/bash
# SPDX-License-Identifier: MIT
# lint.sh OUT 'COMPILER FLAGS' [staged|quick|changed]: checks the sources without running them.
#
# clang-tidy, which takes by far the longest, passes over tests/ here; the pre-commit hook (`make
# hook`) says `staged` and has it read just the sources of the commit, those of tests/ too. A file
# that has passed is not read again until it, one of its headers or the checks change. `quick`, for a
# machine where no file has passed yet: without its analyzer, and a folder at once. `changed`, for CI:
# the same for those sources alone that a change since the base can have given a fault.
set -euo pipefail

if [ $# -lt 2 ]; then
  echo "usage: lint.sh OUT 'COMPILER FLAGS' [staged|quick|changed]" >&2
  exit 2
fi
cd "$(dirname "$0")/.."

out=$1
read -ra flags <<< "$2"
extent=${3:-whole}
failed=0
check() { # NAME COMMAND...: runs it, and goes on when it fails
  local name=$1
  shift
  if "$@"; then return; fi
  echo "lint.sh: $name failed" >&2
  failed=1
}
# Files that git knows or would add, of the kinds named.
files() { git ls-files --cached --others --exclude-standard -- "$@" | while IFS= read -r f; do
  if [ -f "$f" ]; then printf '%s\0' "$f"; fi
done; }

# shellcheck disable=SC2317 # called through check
no_blemish() { # PATTERN WHAT FILES...: no line of text matches
  local pattern=$1 what=$2
  shift 2
  if git grep --untracked -nIP "$pattern" -- "$@"; then
    echo "$what" >&2
    return 1
  fi
}

check 'clang-format' bash -c 'xargs -0r clang-format --dry-run -Werror' < <(files '*.cc' '*.h')
check 'trailing blanks' no_blemish '[ \t]+$' 'blanks at the end of a line' ':!tests/data' ':!*.in'
check 'tabs' no_blemish '\t' 'tabs' '*.cc' '*.h' '*.sh' '*.bats' '*.bash' '*.cl' '*.js' '*.md'
check 'shellcheck' bash -c 'xargs -0r shellcheck' < <(files 'scripts/*.sh' .ci/run 'tests/*.bash' \
  'tests/*.sh')
check 'scripts of the page' scripts/lint-page.sh "$out"
check 'include direction' scripts/check-includes.sh
check 'names defined twice' scripts/check-names.sh
check 'containers without a bound' scripts/check-kept.sh
check 'answers passed over' scripts/check-answers.sh
check 'packages of programs' scripts/check-programs.sh
check 'manual pages' scripts/check-docs.sh "$out" lint

# shellcheck disable=SC2317 # called through check
tidy_files() { # reads their names from stdin
  mkdir -p "$out/lint"
  xargs -0r -I{} -P 2 scripts/tidy.sh "$(cd "$out/lint" && pwd)" {} "${flags[@]}"
}
# shellcheck disable=SC2317
tidy_folders() {
  # a line of files for each folder
  tr '\0' '\n' | awk '{ f = $0; sub("/[^/]*$", ""); of[$0] = of[$0] " " f } END { for (d in of) print of[d] }' |
    xargs -r -L 1 -P 2 scripts/tidy-folder.sh "${flags[@]}" --
}
# `make fuzz` alone builds them, so that nobody would see that one no longer compiles
# shellcheck disable=SC2317
fuzzers_compile() { xargs -0r -n 1 -P 2 clang++ "${flags[@]}" -fsyntax-only; }
[ "$extent" = staged ] || check 'fuzzers' fuzzers_compile < <(files 'tests/fuzz/*.cc')

case $extent in
  staged)
    check 'clang-tidy' tidy_files < <(git diff --cached --name-only --diff-filter=d -z -- '*.cc' ':!tests/data')
    ;;
  quick) check 'clang-tidy' tidy_folders < <(files '*.cc' ':!tests') ;;
  changed) check 'clang-tidy' tidy_folders < <(scripts/changed-sources.sh | tr '\n' '\0') ;;
  *) check 'clang-tidy' tidy_files < <(files '*.cc' ':!tests') ;;
esac
exit "$failed"
