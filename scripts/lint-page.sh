#!/bin/bash
# SPDX-License-Identifier: MIT
# lint-page.sh OUT: biome reads the scripts of the pages as a browser does: those of aiflame-svg
# joined, in the order of page_script.cc. A name that no file declares, or that none uses, is found wherever it is.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: lint-page.sh OUT" >&2
  exit 2
fi
cd "$(dirname "$0")/.."
if ! packages=$(scripts/npm-packages.sh "$1"); then
  echo 'lint-page.sh: skipped: the scripts of the page were not read' >&2
  exit 0 # all other checks need no network
fi
biome=$(echo "$packages"/node_modules/@biomejs/cli-*/biome) # of this machine's processor

mapfile -t files < <(sed -n 's/^#include "\(.*\.js\)\.inc"$/\1/p' tools/aiflame-svg/draw/page_script.cc)
status=0
for file in libcommon/*/*.js tools/aiflame-svg/page/*.js; do
  case " ${files[*]} " in
    *" $file "*) ;;
    *)
      echo "$file: is not in draw/page_script.cc" >&2
      status=1
      ;;
  esac
done

joined=$(mktemp -d)
trap 'rm -rf "$joined"' EXIT
cp scripts/npm/biome.json "$joined"
# in a function: at the top, biome takes every name for used
{ printf '(function () {\n'; cat "${files[@]}"; printf '})();\n'; } > "$joined/page.js"
found=$(cd "$joined" &&
  "$biome" lint --reporter=github --max-diagnostics=none page.js 2>&1) || status=1

# a finding at a line of the joined script is told at its file's line
awk 'FNR == 1 { ++file; name[file] = FILENAME; first[file] = NR + 1 }
     FILENAME != "-" { next }
     /^::error/ {
       match($0, /title=[^,]*/); rule = substr($0, RSTART + 6, RLENGTH - 6)
       match($0, /,line=[0-9]*/); line = substr($0, RSTART + 6, RLENGTH - 6) + 0
       text = $0; sub(/^::error [^:]*::/, "", text)
       for (i = file - 1; i > 1 && first[i] > line; --i) {}
       print name[i] ":" line - first[i] + 1 ": " text " (" rule ")"; next
     }
     /^::|^lint |^ *$|errors were emitted/ { next }
     { print }' "${files[@]}" - <<< "$found" >&2

# the script of aiflame-annotate's page
{ printf '(function () {\n'; cat libcommon/listing/listing.js tools/aiflame-annotate/page/annotate.js; printf '})();\n'; } > "$joined/page.js"
if ! (cd "$joined" && "$biome" lint --max-diagnostics=none page.js) > "$joined/found" 2>&1; then
  cat "$joined/found" >&2
  status=1
fi
exit "$status"
