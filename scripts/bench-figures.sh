# SPDX-License-Identifier: MIT
# Functions that compute figures for the parts of bench.sh; sourced by them, not run.
# shellcheck shell=bash

heading() { printf '\n%s\n' "$*"; }

# median FILE: the median of the first numbers of the lines
median() {
  sort -g "$@" |
    awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
