#!/bin/sh
# SPDX-License-Identifier: MIT
# check-includes.sh: fails when an #include points against the arrows:
#
#   tools/X -> tools/X, libcommon        never another tool, never a plugin's insides
#   tools/gpustall-record -> the two headers of plugins/
#   libcommon -> libcommon
#   plugins/X -> plugins/X, plugins/agent, the two headers, libcommon but not its command line
#   tests -> anything
#
# and, outside libcommon/options.cc, when one names Boost. Ours are written "from/the/root.h".
set -eu
cd "$(dirname "$0")/.."
# shellcheck disable=SC2016 # awk's dollars
find tools libcommon plugins \( -name '*.cc' -o -name '*.h' \) 2>/dev/null | sort |
  xargs -r awk '
    function report(why) {
      printf "%s:%d: %s: %s\n", FILENAME, FNR, why, included
      bad = 1
    }
    FNR == 1 {
      split(FILENAME, part, "/")
      top = part[1]
      own = part[1] "/" part[2] "/"
    }
    /^[ \t]*#[ \t]*include[ \t]*</ {
      included = $0
      sub(/^[^<]*</, "", included)
      sub(/>.*/, "", included)
      if (included ~ /^boost\// && FILENAME != "libcommon/options.cc")
        report("only libcommon/options.cc includes Boost")
      next
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      included = $0
      sub(/^[^"]*"/, "", included)
      sub(/".*/, "", included)
      if (included !~ /\//) report("an include of ours starts at the root")
      else if (top == "libcommon" && index(included, "libcommon/") != 1)
        report("libcommon includes libcommon alone")
      else if (top == "tools" && index(included, own) != 1 && index(included, "libcommon/") != 1 &&
               !(own == "tools/gpustall-record/" && included ~ /^plugins\/[a-z_]+\.h$/))
        report("a tool includes its own and libcommon")
      else if (top == "plugins" && index(included, own) != 1 &&
               index(included, "plugins/agent/") != 1 && included !~ /^plugins\/[a-z_]+\.h$/ &&
               (index(included, "libcommon/") != 1 || included ~ /^libcommon\/options\.h$/))
        report("a plugin includes its own, the plugin headers and libcommon without options.h")
    }
    END { exit bad }'
