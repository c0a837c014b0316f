#!/bin/bash
# SPDX-License-Identifier: MIT
# tidy-folder.sh FLAGS... -- FILES: runs clang-tidy on files as if they were one source, so that their
# common headers, which take most of the time, are read once. Files that do not compile together are
# read in two halves. Left out are its analyzer, and the compiler's warnings, which the build gives, and
# which would be of names in different files.
set -euo pipefail
flags=()
while [ "$1" != -- ]; do
  flags+=("$1")
  shift
done
shift
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

read_together() {
  local source=$scratch/together.cc half=$(($# / 2))
  printf '#include "%s"\n' "$@" > "$source"
  if [ $# -gt 1 ] && ! clang++ "${flags[@]}" -w -fsyntax-only "$source" 2> /dev/null; then
    read_together "${@:1:half}"
    read_together "${@:half+1}"
    return
  fi
  echo "  TIDY  $1$([ $# -eq 1 ] || echo " and $(($# - 1)) more")"
  clang-tidy --quiet --config-file=.clang-tidy "$source" \
    --checks='-clang-analyzer-*,-clang-diagnostic-*,-bugprone-suspicious-include' \
    -- "${flags[@]}" -Wno-error 2> >(grep -vE '^[0-9]+ warnings? generated' >&2 || true)
}
read_together "$@"
