#!/bin/bash
# SPDX-License-Identifier: MIT
# check-docs.sh OUT [lint|options|examples|paths]...: checks the manual pages against the programs in
# OUT/bin, and the README.md files and their like against the tree. With OUT alone, it makes all four checks.
#
#   lint      groff has nothing to say about any page, and tables fit a terminal of 80 columns
#   options   a program's --help and the OPTIONS of its page name the same long options
#   examples  the examples of every page print what the page shows. An .EX block whose first line
#             starts with "$ " is run: "$ " starts a command for bash, a "\" at its end continues it
#             on the next line, and the lines after it are its whole output (stdout and stderr). A
#             line "..." stands for anything up to the next command. A tab is blanks, as a reader
#             would copy it from a terminal. The blocks of a page share a directory.
#   paths     the files and folders that a README.md, CONTRIBUTING.md or SECURITY.md names in
#             backticks exist, from the root or from any folder. A word in capitals (X, VENDOR,
#             FILE) stands for a name; build/ is not checked.
set -euo pipefail

if [ $# -lt 1 ]; then
  echo "usage: check-docs.sh OUT [lint|options|examples|paths]..." >&2
  exit 2
fi
out=$1
shift
[ $# -gt 0 ] || set -- lint options examples paths
if [ -d "$out" ]; then out=$(cd "$out" && pwd); fi
cd "$(dirname "$0")/.."
export LC_ALL=C PATH=$out/bin:$PATH
shopt -s nullglob
pages=(man/*.[1-8])
failed=0

complain() {
  echo "$*" >&2
  failed=1
}

check_lint() {
  local page words
  for page in "${pages[@]}"; do
    words=$(groff -t -man -ww -z -K utf8 -T utf8 -r LL=78n "$page" 2>&1)
    [ -z "$words" ] || complain "$words"
  done
}

# Turns roff text into what the terminal shows.
unescape() {
  sed -e 's/\\&//g; s/\\-/-/g; s/\\(aq/'\''/g; s/\\(dq/"/g; s/\\(ti/~/g; s/\\(ha/^/g; s/\\(ga/`/g' \
    -e 's/\\\[aq\]/'\''/g; s/\\\[dq\]/"/g; s/\\\[ti\]/~/g; s/\\\[ha\]/^/g; s/\\f[BIRP]//g' \
    -e 's/\\(en/–/g; s/\\(em/—/g; s/\\e/\\/g; s/\\(rs/\\/g'
}

options_of_page() {
  awk '/^\.SH/ { within = /^\.SH "?OPTIONS/ }
       within && tag { print; tag = /^\.(PD|TP)/ }
       within && /^\.(TP|TQ)/ { tag = 1 }' "$1" | unescape
}

# Leaves out --help and --version, which every program has.
long_options() {
  grep -oE -- '(^|[^a-z-])--[a-z0-9][a-z0-9-]*' | grep -oE -- '--.*' |
    grep -vxE -- '--(help|version)' | sort -u
}

check_options() {
  local program page difference
  [ -d "$out/bin" ] || complain "no programs in $out/bin"
  for program in "$out"/bin/*; do
    page=man/${program##*/}.1
    if [ ! -e "$page" ]; then
      complain "${program##*/}: no page $page"
      continue
    fi
    difference=$(diff \
      <("$program" --help | grep -E '^  (-.,|   ) --' | cut -c 1-28 | long_options) \
      <(options_of_page "$page" | long_options) || true)
    [ -z "$difference" ] || complain "$page: '<' only in --help, '>' only in the page:
$difference"
  done
}

# Prints the examples as lines "LINE<tab>TEXT", one block after another.
example_lines() {
  awk '/^\.EE/ { block = run = 0 }
       block && !seen { seen = 1; run = /^\$ / }
       run { gsub(/\t/, "        "); print FNR "\t" $0 }
       /^\.EX/ { block = 1; seen = 0 }' "$1" | unescape
}

# Runs one command and compares: PLACE COMMAND EXPECTED
run_example() {
  local place=$1 command=$2 expected=$3 actual line head='' rest=
  actual=$(bash -c "$command" 2>&1 < /dev/null || true)
  while IFS= read -r line; do
    if [ "$line" = ... ]; then
      rest=1
      break
    fi
    head+=$line$'\n'
  done <<< "$expected"
  if [ -n "$rest" ]; then
    actual+=$'\n'
    [ "${actual:0:${#head}}" != "$head" ] || return 0
  else
    [ "$actual" != "$expected" ] || return 0
  fi
  complain "$place: \$ $command
$(diff -u --label page --label program - <(printf '%s\n' "$actual") <<< "$expected" || true)"
}

examples_of_page() {
  local page=$1 root=$PWD scratch line text command='' place='' expected='' continued=
  scratch=$(mktemp -d)
  cd "$scratch"
  finish() { if [ -n "$command" ]; then run_example "$place" "$command" "${expected%$'\n'}"; fi; }
  while IFS=$'\t' read -r line text; do
    if [ -n "$continued" ]; then
      command+=$'\n'$text
    elif [ "${text:0:2}" = '$ ' ]; then
      finish
      command=${text:2} place=$page:$line expected=
    else
      expected+=$text$'\n'
      continue
    fi
    case $text in *\\) continued=1 ;; *) continued= ;; esac
  done < <(cd "$root" && example_lines "$page")
  finish
  cd "$root"
  rm -rf "$scratch"
}

check_examples() {
  local page
  [ ${#pages[@]} -gt 0 ] || complain "no pages in man"
  for page in "${pages[@]}"; do examples_of_page "$page"; done
}

# Prints the paths in backticks, PATH/PATH or FILE.SUFFIX, one a line as "LINE<tab>PATH".
paths_of_readme() {
  awk '/^ *```/ { block = !block }
    !block {
      count = split($0, part, "`")
      for (i = 2; i <= count; i += 2) print FNR "\t" part[i]
    }' "$1" |
    grep -P '\t([\w.*-]+/[\w.*/-]*|[\w*-]+[.](cc|h|sh|py|js|mk|bats|bash|md|cl|cu))$' |
    grep -vP '\t(build/|.*\b[A-Z]+\b(?!\.md))'
}

check_paths() {
  local readme line path tree
  tree=$(find . \( -name .git -o -path ./build -o -path ./shared \) -prune -o -print)
  while IFS= read -r readme; do
    while IFS=$'\t' read -r line path; do
      path=${path%/}
      path=${path//./[.]}
      # without its suffix, a path stands for a header and its source
      grep -qE "/${path//\*/[^/]*}([.][a-z]+)?$" <<< "$tree" || complain "$readme:$line: no ${path//[][]/}"
    done < <(paths_of_readme "$readme")
  done < <(grep -E '/(README|CONTRIBUTING|SECURITY)[.]md$' <<< "$tree" | sort)
}

for check; do
  case $check in
    lint) check_lint ;;
    options) check_options ;;
    examples) check_examples ;;
    paths) check_paths ;;
    *)
      echo "check-docs.sh: '$check' is not lint, options, examples or paths" >&2
      exit 2
      ;;
  esac
done
exit "$failed"
