#!/bin/sh
# SPDX-License-Identifier: MIT
# check-includes.sh: fails when an #include points against the arrows:
#
#   tools/X          -> tools/X, libcommon            never another tool, never a plugin's insides
#   tools/gpustall-record -> plugins/abi
#   plugins/sources/X, plugins/agents/X
#                    -> its own folder, the common/ beside it, plugins/abi, libcommon
#   plugins          -> libcommon, but not its command line
#   libcommon/ROOM, tools/X/ROOM
#                    -> itself and the rooms that stand before it in the lists below
#   tests            -> anything
#
# and, outside libcommon/base/options.cc, when one names Boost. Ours are written
# "from/the/root.h".
set -eu
cd "$(dirname "$0")/.."
# The rooms from the ground up. Files beside a tool's rooms, such as its main, include them all.
floors='
libcommon: base memory parallel text io process libperf symbols perf_data perf_script listing gpustall attribution recording folded statistics code objects device findings import timeline
tools/aiflame-svg: read merge tree colour sums text data draw
tools/gpustall-record: budget code python command agents source probes energy names join flight write
tools/stackcollapse-aiflame: filter fold name attribute read write
tools/stackcollapse-trace: options read keep join fold
'
# shellcheck disable=SC2016 # awk's dollars
find tools libcommon plugins \( -name '*.cc' -o -name '*.h' \) 2>/dev/null | sort |
  xargs -r awk -v floors="$floors" '
    function report(why) {
      printf "%s:%d: %s: %s\n", FILENAME, FNR, why, included
      bad = 1
    }
    function starts(prefix) { return index(included, prefix) == 1 }
    BEGIN {
      count = split(floors, lines, "\n")
      for (i = 1; i <= count; ++i) {
        rooms = split(lines[i], names, /:? /)
        for (room = 2; room <= rooms; ++room) floor[names[1] "/" names[room]] = room
      }
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
      room = part[1] "/" part[2] (top == "tools" ? "/" part[3] : "")
      if ((top == "libcommon" || (top == "tools" && part[4] != "")) && !(room in floor)) {
        included = room
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
      delete to
      split(included, to, "/")
      other = to[1] "/" to[2] (to[1] == "tools" ? "/" to[3] : "")
      if (included !~ /\//) {
        report("an include of ours starts at the root")
      } else if (top == "libcommon") {
        if (to[1] != "libcommon")
          report("libcommon includes libcommon alone")
        else if (floor[other] > floor[room])
          report(room " stands below " other)
      } else if (top == "tools") {
        if (!starts(own) && !starts("libcommon/") &&
            !(own == "tools/gpustall-record/" && starts("plugins/abi/")))
          report("a tool includes its own and libcommon")
        else if (part[4] != "" && starts(own) && to[3] != "page" && (to[4] == "" || floor[other] > floor[room]))
          report(room " stands below " (to[4] == "" ? own : other))
      } else if (!starts(own) && !starts(common) && !starts("plugins/abi/") &&
                 (!starts("libcommon/") || included == "libcommon/base/options.h")) {
        report("a plugin includes its own, common/, plugins/abi and libcommon without options.h")
      }
    }
    END { exit bad }'
