#!/bin/sh
# SPDX-License-Identifier: MIT
# check-answers.sh: fails when a header declares a function that does something and answers whether it
# did, without [[nodiscard]]: the compiler then lets a caller pass over the answer, and what was lost
# is lost in silence. Such functions begin with one of these verbs.
set -eu
cd "$(dirname "$0")/.."
verbs='add|admit|ask|begin|check|configure|connect|count|deliver|fill|find|greet|identify|keep|limit'
verbs="$verbs|load|map|measure|multiply|name|next|open|pack|parse|put|read|remove|report|send|split|start"
verbs="$verbs|take|try|walk|widen|write"
# Their answer says what is there, and their callers may do without it.
free='take_prefix|find_inside|connect_once'
if git grep --untracked -nE "^ *(static |virtual |inline |constexpr )*bool ($verbs)(_[a-z_]+)?\(" \
  -- 'libcommon/*.h' 'plugins/*.h' 'tools/*.h' | grep -vE "bool ($free)\("; then
  echo 'a function that answers whether it did its work is [[nodiscard]]' >&2
  exit 1
fi
