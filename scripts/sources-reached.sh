#!/bin/sh
# SPDX-License-Identifier: MIT
# sources-reached.sh: for the Makefile, which sources of libcommon each program and plugin needs, as
# variables of make:
#
#   reached_tools/aiflame-diff := libcommon/base/numbers.cc libcommon/folded/folded.cc …
#
# A folder needs X.cc of libcommon if one of its sources includes X.h, or a header that includes it, or
# if a source that it needs does. So what X.h declares has to be defined in X.cc; where it is not, the
# program does not link. `make demo` compiles half of the sources thanks to this.
set -eu
cd "$(dirname "$0")/.."

# lines: FILE:#include "INCLUDED"
grep -r --include='*.cc' --include='*.h' '^ *# *include "' libcommon plugins/abi plugins/dlfilter plugins/sources tools |
  sort | awk '
    {
      file = substr($0, 1, index($0, ":") - 1)
      split($0, part, "\"")
      included[file] = included[file] " " part[2]
      if (file ~ /^libcommon\/.*\.cc$/) { is_source[file] = 1; next }
      if (file !~ /\.cc$/) next
      # plugins/sources/NAME/… and tools/NAME/… are folders of one binary; plugins/dlfilter is one itself
      split(file, path, "/")
      folder = path[1] "/" path[2]
      if (folder == "plugins/sources") folder = folder "/" path[3]
      if (!(folder in roots)) order[++folders] = folder
      if (index(roots[folder] " ", " " file " ") == 0) roots[folder] = roots[folder] " " file
    }
    function visit(file,   names, count, i, source) {
      if (file in seen) return
      seen[file] = 1
      if (file in is_source) needed = needed " " file
      count = split(included[file], names, " ")
      for (i = 1; i <= count; ++i) visit(names[i])
      source = file
      if (sub(/\.h$/, ".cc", source) && source in is_source) visit(source)
    }
    END {
      for (i = 1; i <= folders; ++i) {
        split("", seen)
        needed = ""
        count = split(roots[order[i]], files, " ")
        for (j = 1; j <= count; ++j) visit(files[j])
        print "reached_" order[i] " :=" needed
      }
    }'
