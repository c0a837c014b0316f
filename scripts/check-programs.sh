#!/bin/bash
# SPDX-License-Identifier: MIT
# check-programs.sh: fails when a script or a test calls a program of a package that install-deps.sh
# does not install: that shows only on a machine with nothing else.
#
# It takes the words that stand where a shell takes a command, and what Python's subprocess runs. Of
# these it looks up the ones that this machine has a program for. A program may belong to a package
# that each Debian has, to one of install-deps.sh, or to what these depend on. It cannot see what a
# program starts by itself, as clang does ld.lld. It leaves out the two scripts that are run before a
# release and need more: they name their packages themselves.
set -euo pipefail
cd "$(dirname "$0")/.."
if ! command -v dpkg-query > /dev/null; then
  echo 'check-programs.sh: skipped: this machine has no dpkg' >&2
  exit 0
fi

# shellcheck disable=SC2016 # awk's, make's and dpkg's own
# "PROGRAM FILE:LINE" for each word in the place of a command
commands() {
  git ls-files -z --cached --others --exclude-standard -- Makefile 'tests/*.mk' 'scripts/*.sh' 'tests/*.sh' 'tests/*.bats' \
    'tests/*.bash' .ci/run ':!scripts/test-vm.sh' ':!scripts/test-arm64.sh' ':!scripts/try-fresh.sh' | xargs -0 awk '
    FNR == 1 { heredoc = "" }
    heredoc != "" { if ($0 ~ "^[ \t]*" heredoc "$") heredoc = ""; next }  # a program of another language
    match($0, /<<-? ?["'\'']?[A-Z]+/) {
      heredoc = substr($0, RSTART, RLENGTH)
      gsub(/[^A-Z]/, "", heredoc)
    }
    /^[ \t]*#/ { next }
    {
      text = $0
      sub(/[ \t]#[ \t].*/, "", text)
      gsub(/\$\([A-Za-z_]+\)/, "", text)  # variables of make
      gsub(/\(\(.*\)\)/, "", text)        # arithmetic
      gsub(/\|\||&&|[|;&(){}`!]/, "\n", text)
      gsub(/(^|[ \t"'\''])-c ["'\'']/, "\n", text)  # sh -c "…"
      gsub(/-- /, "\n", text)  # gpustall-record … -- COMMAND
      count = split(text, part, "\n")
      for (i = 1; i <= count; ++i) {
        words = split(part[i], word, /[ \t]+/)
        for (w = 1; w <= words; ++w) {
          if (word[w] ~ /^[@+"]*$|^(if|then|else|elif|while|until|do|time|exec|command|env|run|sudo|nohup|setsid|nice|xargs|timeout|skip_without|flock|type|which)$|^-|^[0-9.]+$|^[A-Za-z_]+=/) continue
          print word[w], FILENAME ":" FNR
          break
        }
      }
    }'
  git grep --untracked -nE '(run|Popen|check_output|check_call|call|which)\(\[?"[a-z]' -- '*.py' '*.bats' |
    sed -nE 's/^([^:]*:[0-9]*):.*(run|Popen|check_output|check_call|call|which)\(\[?"([a-zA-Z0-9_.+-]+)".*/\3 \1/p'
}

# Packages that are there anyway, and those of install-deps.sh, one a line there; with what they depend on.
# shellcheck disable=SC2016 # dpkg's own
allowed() {
  {
    dpkg-query -Wf '${Package} ${Essential} ${Priority}\n' | awk '$2 == "yes" || $3 == "required" { print "+", $1 }'
    sed -nE 's/^ +([a-z0-9][a-z0-9.+|-]*)( +#.*)?$/\1/p' scripts/install-deps.sh | tr '|' '\n' | sed 's/^/+ /'
    dpkg-query -Wf '${Package}\t${Pre-Depends}, ${Depends}\n' | awk -F'\t' '{
      count = split($2, of, ", ")
      for (i = 1; i <= count; ++i) {
        sub(/[ :|].*/, "", of[i])  # of alternatives apt takes the first
        if (of[i] != "") print "=", $1, of[i]
      }
    }'
  } | awk '
    $1 == "+" { reached[$2] = 1; next }
    { from[++n] = $2; to[n] = $3 }
    END {
      for (more = 1; more;) {
        more = 0
        for (i = 1; i <= n; ++i) if (from[i] in reached && !(to[i] in reached)) reached[to[i]] = more = 1
      }
      for (p in reached) print p
    }'
}

# functions of our own, words of Python and awk in quotes; npm may be of another source (see install-deps.sh)
own=" $(git grep --untracked -hoE '^ *[a-z_]+\(\)' -- '*.sh' '*.bats' '*.bash' | tr -d ' ()' | sort -u | tr '\n' ' ') import from file npm "

# "PATH FILE:LINE" for each program that is here, and by the other name that /usr/bin has on a merged system
programs() {
  local program where path
  while read -r program where; do
    if [[ $own == *" $program "* ]] || ! path=$(type -P "$program"); then continue; fi
    echo "$path $where"
  done < <(commands | grep -E '^[a-zA-Z0-9][a-zA-Z0-9_.+-]* ' | sort -u -k 1,1)
}

programs=$(programs)
{
  allowed | sed 's/^/allowed /'
  # "perl-base: /usr/bin/perl"; a path that is of no package is no failure
  cut -d ' ' -f 1 <<< "$programs" | sed 'p; s|^/usr/|/|; t; s|^|/usr|' |
    { xargs dpkg-query -S 2> /dev/null || true; } |
    sed -nE '/^diversion/d; s/^([^:,]+)[^ ]*: (.*)/package \1 \2/p'
  awk 'NF { print "called", $0 }' <<< "$programs"
} | awk '
  $1 == "allowed" { allowed[$2] = 1 }
  $1 == "package" { path = $3; sub("^/usr/", "/", path); package_of[path] = $2 }
  $1 == "called" {
    path = $2
    sub("^/usr/", "/", path)
    if (!(path in package_of) || package_of[path] in allowed) next
    name = path
    sub(".*/", "", name)
    printf "%s: %s is of package %s, which scripts/install-deps.sh does not install\n", $3, name, package_of[path]
    bad = 1
  }
  END { exit bad }' >&2
