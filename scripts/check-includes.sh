#!/bin/sh
# SPDX-License-Identifier: MIT
# check-includes.sh: fails when an #include points against the arrows:
#
#   tools/X          -> tools/X, libcommon            never another tool, never a plugin's insides
#   tools/gpustall-record -> plugins/abi
#   plugins/sources/X, plugins/agents/X
#                    -> its own folder, the common/ beside it, plugins/abi, libcommon
#   plugins          -> libcommon, but not its command line
#   libcommon/ROOM   -> rooms that stand before it in the list below
#   tests            -> anything
#
# and, outside libcommon/base/options.cc, when one names Boost. Ours are written
# "from/the/root.h".
set -eu
cd "$(dirname "$0")/.."
# The rooms of libcommon from the ground up: each includes itself and those before it.
floors='base memory parallel text io process libperf symbols perf_data perf_script gpustall attribution recording folded device'
# shellcheck disable=SC2016 # awk's dollars
find tools libcommon plugins \( -name '*.cc' -o -name '*.h' \) 2>/dev/null | sort |
  xargs -r awk -v floors="$floors" '
    function report(why) {
      printf "%s:%d: %s: %s\n", FILENAME, FNR, why, included
      bad = 1
    }
    function starts(prefix) { return index(included, prefix) == 1 }
    BEGIN {
      count = split(floors, names, " ")
      for (i = 1; i <= count; ++i) floor[names[i]] = i
    }
    FNR == 1 {
      split(FILENAME, part, "/")
      top = part[1]
      own = part[1] "/" part[2] "/"
      if (top == "plugins" && part[2] != "dlfilter" && part[2] != "abi") {
        common = own "common/"
        own = own part[3] "/"
      } else {
        common = own
      }
      if (top == "libcommon" && !(part[2] in floor)) {
        included = part[2]
        report("a room that scripts/check-includes.sh does not list")
      }
    }
    /^[ \t]*#[ \t]*include[ \t]*</ {
      included = $0
      sub(/^[^<]*</, "", included)
      sub(/>.*/, "", included)
      if (included ~ /^boost\// && FILENAME != "libcommon/base/options.cc")
        report("only libcommon/base/options.cc includes Boost")
      next
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
      included = $0
      sub(/^[^"]*"/, "", included)
      sub(/".*/, "", included)
      split(included, to, "/")
      if (included !~ /\//) {
        report("an include of ours starts at the root")
      } else if (top == "libcommon") {
        if (to[1] != "libcommon")
          report("libcommon includes libcommon alone")
        else if (floor[to[2]] > floor[part[2]])
          report("libcommon/" part[2] " stands below libcommon/" to[2])
      } else if (top == "tools") {
        if (!starts(own) && !starts("libcommon/") &&
            !(own == "tools/gpustall-record/" && starts("plugins/abi/")))
          report("a tool includes its own and libcommon")
      } else if (!starts(own) && !starts(common) && !starts("plugins/abi/") &&
                 (!starts("libcommon/") || included == "libcommon/base/options.h")) {
        report("a plugin includes its own, common/, plugins/abi and libcommon without options.h")
      }
    }
    END { exit bad }'
