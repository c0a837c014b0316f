#!/bin/bash
# SPDX-License-Identifier: MIT
# changed-sources.sh: prints the sources outside tests/ that a change may have given a fault: those
# that differ from the base, and those that include a header that does, directly or not.
#
# The base is where this branch left origin/main. On main itself it is 50 commits before: more than
# come between two runs of CI, so that each is read at least once. LINT_BASE names another. Prints all
# sources if there is no base, as in a shallow clone, or if the checks have changed.
set -euo pipefail
cd "$(dirname "$0")/.."

head=$(git rev-parse HEAD)
base=${LINT_BASE:-$(git merge-base HEAD origin/main 2> /dev/null || true)}
if [ -z "$base" ] || [ "$base" = "$head" ]; then base=HEAD~50; fi
sources() { git ls-files --cached --others --exclude-standard -- '*.cc' ':!tests'; }
if ! git rev-parse -q --verify "$base^{commit}" > /dev/null ||
  ! git diff --quiet "$base" -- .clang-tidy scripts/lint.sh scripts/tidy-folder.sh; then
  sources
  exit
fi

# "tools/X/a.cc:#include "tools/X/a.h"" of each file, then which files a changed one reaches
{
  { git diff --name-only "$base" -- '*.cc' '*.h' && git ls-files --others --exclude-standard -- '*.cc' '*.h'; } |
    sed 's/^/changed /'
  git grep --untracked -E '^ *# *include "' -- '*.cc' '*.h' ':!tests' |
    sed -nE 's/^([^:]*):[^"]*"([^"]*)".*/includes \1 \2/p'
} | awk '
  $1 == "changed" { reached[$2] = 1; next }
  { file[++n] = $2; header[n] = $3 }
  END {
    for (more = 1; more;) {
      more = 0
      for (i = 1; i <= n; ++i)
        if (header[i] in reached && !(file[i] in reached)) reached[file[i]] = more = 1
    }
    for (f in reached) if (f ~ /\.cc$/) print f
  }' | sort | comm -12 - <(sources | sort)
