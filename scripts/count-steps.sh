#!/bin/bash
# SPDX-License-Identifier: MIT
# count-steps.sh MAKE ARGUMENT...: runs make, and numbers the lines in which it says what it compiles
# and links: [12/140]. `make -n` says beforehand how many there will be.
set -euo pipefail
if [ $# -lt 1 ]; then
  echo "usage: count-steps.sh MAKE ARGUMENT..." >&2
  exit 2
fi
step="^(echo ')?  (CXX|LINK|BPF)  "
all=$("$@" -n | grep -cE "$step" || true)
count=0
"$@" | while IFS= read -r line; do
  if [[ $line =~ $step ]]; then
    count=$((count + 1))
    printf '[%*d/%d]%s\n' "${#all}" "$count" "$all" "${line# }"
  else
    printf '%s\n' "$line"
  fi
done
