#!/bin/bash
# SPDX-License-Identifier: MIT
# check-names.sh: fails when a name has two definitions that a linker would merge in silence (the
# One Definition Rule). Two programs are linked together in tests/unit, and two classes of one name
# then share their constructors.
#
# It asks ctags for every definition, so it also sees code that this machine cannot compile, and
# needs no build (an LTO link with -Wodr takes minutes, and sees only what is linked together):
#  - a type is defined once in its namespace, whatever the file;
#  - an inline function, template or variable of a header is defined once, parameters and all;
#  - a program, plugin or agent does not use the name of one of libcommon's types for its own.
# What is in an unnamed namespace belongs to its file and may repeat.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z --cached --others --exclude-standard -- '*.cc' '*.h' |
  xargs -0r ctags -f - -x --language-force=C++ --kinds-C++=cgsutfv --fields=+KSs \
    --_xformat=$'%K\t%{scope}\t%N\t%{signature}\t%F:%n' |
  awk -F'\t' '
    # class  aiflame::svg  PaletteMap  -  tools/aiflame-svg/draw/palette_map.h:16
    $2 !~ /^aiflame(::[a-z_]+)*$/ || $3 ~ /^__anon/ { next }  # members, unnamed namespaces
    # in a .cc file an alias is its own, and a function or variable that repeats fails to link
    $1 == "function" || $1 == "variable" || $1 == "typedef" { if ($5 !~ /\.h:/) next }
    {
      name = $2 "::" $3
      is_type = $1 != "function" && $1 != "variable"
      key = is_type ? "type " name : name $4
      if (key in first) {
        printf "%s: %s is also defined at %s\n", $5, name, first[key]
        bad = 1
        next
      }
      first[key] = $5
      if (is_type && $2 == "aiflame") common[$3] = $5
      if (is_type && $2 != "aiflame" && $5 !~ /^tests\//) { own[name] = $5; last[name] = $3 }
    }
    END {
      for (name in own)
        if (last[name] in common) {
          printf "%s: %s has the name of a type of libcommon, at %s\n", own[name], name,
            common[last[name]]
          bad = 1
        }
      exit bad
    }' | sort
