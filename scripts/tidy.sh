#!/bin/bash
# SPDX-License-Identifier: MIT
# tidy.sh STAMPS FILE FLAGS...: runs clang-tidy on one file, unless it has passed with the same
# contents of itself and its headers, the same checks and the same flags. STAMPS records that.
set -euo pipefail
stamps=$1 file=$2
shift 2
cd "$(dirname "$0")/.."
stamp=$stamps/${file//\//+}
key=$({
  "${CXX:-g++}" "$@" -MM "$file" | tr ' ' '\n' | grep -E '\.(cc|h|inc)$' | sort -u | xargs -r cat
  cat .clang-tidy
  echo "$@"
} | sha256sum)
if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$key" ]; then exit 0; fi
echo "  TIDY  $file"
clang-tidy --quiet "$file" -- "$@" 2> >(grep -vE '^[0-9]+ warnings? generated' >&2 || true)
echo "$key" > "$stamp"
