#!/bin/sh
# SPDX-License-Identifier: MIT
# check-kept.sh [TOOL]: fails when a class of gpustall-record has a container of which nobody has
# said what bounds it. A recorded process may be hostile, and the recorder may run as root: what
# grows with what a process does must ask Budgets, or be bounded otherwise. TOOL/budget/kept.txt has
# a line for each container:
#
#   join/sample_ledger.h waiting_ : losses             counts as this Kept of budget/budgets.h
#   names/comms.h names_ : bounded by RecentProcesses  has a limit of its own
#   names/jit_maps.h processes_ : goes with the process
set -eu
cd "$(dirname "$0")/.."
tool=${1:-tools/gpustall-record}
# the members, which end in an underscore: `std::map<uint32_t, Name> names_;`
# shellcheck disable=SC2016 # awk's dollars
find "$tool" -mindepth 2 -name '*.h' | sort | xargs awk -v tool="$tool" '
  /^ .*(std::(map|set|multimap|multiset|unordered_map|unordered_set|vector|deque|list)|RecentProcesses|OrderedQueue)<.*> [a-z_]+_[;,{ ]/ {
    sub(/\/\/.*/, "")
    if ($0 !~ /;[ ]*$/) next
    line = $0
    sub(/;.*/, "", line); sub(/\{.*/, "", line); sub(/ = .*/, "", line)
    sub(/^.*> /, "", line)
    count = split(line, names, /, */)
    for (i = 1; i <= count; ++i) print substr(FILENAME, length(tool) + 2), names[i]
  }' | sort > "${TMPDIR:-/tmp}/kept.$$"
trap 'rm -f "${TMPDIR:-/tmp}/kept.$$"' EXIT
sed -n '/^enum class Kept/,/^}/s/^  \([a-z_]*\),.*/\1/p' "$tool/budget/budgets.h" |
  awk -v list="$tool/budget/kept.txt" -v members="${TMPDIR:-/tmp}/kept.$$" '
    { is_kind[$1] = 1 }
    END {
      while ((getline line < list) > 0) {
        if (line ~ /^#/ || line == "") continue
        split(line, halves, / : /)
        said[halves[1]] = 1
        split(halves[2], words, /[ ,:]/)
        if (!(words[1] in is_kind) && halves[2] !~ /^(bounded by|goes with).+/) {
          print list ": " halves[1] ": no Kept, nor \"bounded by\" or \"goes with\""
          bad = 1
        }
      }
      while ((getline member < members) > 0) {
        there[member] = 1
        if (!(member in said)) {
          print list ": " member " is missing: what bounds it?"
          bad = 1
        }
      }
      for (member in said)
        if (!(member in there)) {
          print list ": " member " is no container"
          bad = 1
        }
      exit bad
    }'
