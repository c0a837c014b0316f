# SPDX-License-Identifier: MIT
# How the parts of gpustall-selftest.sh judge a recording; sourced by them, not run.
# shellcheck shell=bash disable=SC2034,SC2154 # variables from them, and for them

say() { echo "gpustall-selftest: $*"; }

# check WHAT AWK-CONDITION: a condition over counts of samples; sets `failed` if it is false
check() {
  if awk "BEGIN { exit !($2) }"; then
    say "ok: $1"
  else
    say "NOT OK: $1"
    failed=1
  fi
}

percent() { awk -v part="$1" -v all="$2" 'BEGIN { printf "%.1f %%", all ? 100 * part / all : 0 }'; }

# sum PATTERN: the sum of the samples in $folded whose stack matches
sum() { awk -v pattern="$1" '!/^#/ && $0 ~ pattern { n += $NF } END { print n + 0 }' "$folded"; }

# most PATTERN: the five largest stacks of $folded, shown from PATTERN on
most() {
  sed -n "/^#/d; s/^.*$1//p" "$folded" |
    awk '{ n = $NF; sub(/ [0-9]*$/, ""); print n, $0 }' | sort -k 1,1nr -k 2 |
    sed -n '1,5s/^/  /p'
}
