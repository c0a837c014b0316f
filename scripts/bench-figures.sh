# SPDX-License-Identifier: MIT
# How the parts of bench.sh make figures; read by them, not run.
# shellcheck shell=bash

heading() { printf '\n%s\n' "$*"; }

# median FILE: of the first number in each line
median() {
  sort -g "$@" |
    awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'
}
