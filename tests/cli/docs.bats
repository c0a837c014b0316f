# SPDX-License-Identifier: MIT
# The manual pages, checked against the programs; and the checker, checked with wrong pages.
load common

@test "groff has nothing to say about the manual pages" {
  "$AIFLAME_ROOT/scripts/check-docs.sh" "$AIFLAME_BUILD" lint
}

@test "--help and the manual pages name the same options" {
  "$AIFLAME_ROOT/scripts/check-docs.sh" "$AIFLAME_BUILD" options
}

@test "the examples of the manual pages give what the pages say" {
  "$AIFLAME_ROOT/scripts/check-docs.sh" "$AIFLAME_BUILD" examples
}

@test "the paths that the README.md files name exist" {
  "$AIFLAME_ROOT/scripts/check-docs.sh" "$AIFLAME_BUILD" paths
}

@test "README can be read in ten minutes, and what it links to is there" {
  [ "$(wc -w < "$AIFLAME_ROOT/README.md")" -le 1800 ]
  local page target
  for page in README.md CONTRIBUTING.md tests/data/README.md; do
    grep -oP '\]\(\K[^)#]+(?=\))' "$AIFLAME_ROOT/$page" > targets
    [ -s targets ]
    while IFS= read -r target; do
      [ -e "$(dirname "$AIFLAME_ROOT/$page")/$target" ] || { echo "$page: no $target"; false; }
    done < targets
  done
}

# rendered PAGE: the page in a terminal of 80 columns
rendered() { MANWIDTH=80 man -l "$AIFLAME_ROOT/man/$1" 2> /dev/null; }

@test "the recorder's page begins with what one looks up: options within two screens, then examples" {
  skip_without man
  local first last
  rendered gpustall-record.1 > page
  [ "$(wc -l < page)" -le 700 ]
  first=$(grep -n '^SYNOPSIS' page | cut -d: -f1)
  last=$(sed -n '/^EXAMPLES/,$p' page | grep -n '^[A-Z]' | sed -n '2s/:.*//p')
  [ "$((last + $(grep -n '^EXAMPLES' page | cut -d: -f1) - first))" -le 250 ]
  [ "$(grep -n '^OPTIONS' page | cut -d: -f1)" -le 48 ]
  assert_equal "$(grep '^[A-Z]' page | sed -n '2,6p')" 'NAME
SYNOPSIS
DESCRIPTION
OPTIONS
EXAMPLES'
}

@test "a table that is wider than a terminal is refused" {
  make_project
  write_page size ''
  printf '.TS\nl l.\n%s\tb\n.TE\n' "$(printf 'x%.0s' {1..80})" >> project/man/tool.1
  run -1 project/scripts/check-docs.sh project/out lint
  [[ $output == *'table wider than line width'* ]]
}

# A project of one program, for the checker to check.
make_project() {
  mkdir -p project/scripts project/man project/out/bin
  cp "$AIFLAME_ROOT/scripts/check-docs.sh" project/scripts/
  printf '#!/bin/sh\necho "      --size N            how big"\necho "  -q, --quiet   hush, see --size"\n' \
    > project/out/bin/tool
  chmod +x project/out/bin/tool
}

write_page() { # the page's OPTIONS, then its example
  {
    printf '.TH TOOL 1 2024-01-01 aiflame\n.SH NAME\ntool \\- test\n.SH OPTIONS\n'
    for option in $1; do printf '.TP\n.BI \\-\\-%s " X"\nWords.\n' "$option"; done
    printf '.SH EXAMPLES\n.EX\n%s\n.EE\n' "$2"
  } > project/man/tool.1
}

@test "a path that is not there is named with its place" {
  make_project
  printf '%s\n' 'See `scripts/check-docs.sh`, `check-docs` and `tool/X.sh`.' '`scripts/gone.sh`' > project/README.md
  mkdir project/tool
  printf '%s\n' '`scripts/`, and `gone.h`' > project/tool/README.md
  echo '`gone.cc`' > project/CONTRIBUTING.md
  run -1 project/scripts/check-docs.sh project/out paths
  assert_equal "$output" './CONTRIBUTING.md:1: no gone.cc
./README.md:2: no scripts/gone.sh
./tool/README.md:1: no gone.h'
}

@test "an option that only the page has, or only the program, is named" {
  make_project
  write_page 'quiet size' '$ true'
  project/scripts/check-docs.sh project/out options
  write_page 'quiet shape' '$ true'
  run -1 project/scripts/check-docs.sh project/out options
  [[ $output == *'< --size'* ]]
  [[ $output == *'> --shape'* ]]
}

@test "a wrong example is named with its page and line" {
  make_project
  write_page 'quiet size' $'$ echo a; echo b\na\nb\n$ echo \\-x \\e\n  y\n\\-x y\n$ seq 9\n1\n...'
  project/scripts/check-docs.sh project/out examples
  write_page 'quiet size' $'$ echo a\na\n$ echo b\nc'
  run -1 project/scripts/check-docs.sh project/out examples
  [[ $output == *'man/tool.1:15: $ echo b'* ]]
  write_page 'quiet size' $'$ seq 9\n2\n...'
  run -1 project/scripts/check-docs.sh project/out examples
}

@test "an example that writes more than the page says is wrong" {
  make_project
  write_page 'quiet size' $'$ echo a; echo b >&2\na'
  run -1 project/scripts/check-docs.sh project/out examples
}

@test "a tab in an example is blanks, as a terminal shows it" {
  make_project
  write_page 'quiet size' $'$ echo "a\tb" | grep -c "a  *b"\n1'
  project/scripts/check-docs.sh project/out examples
  write_page 'quiet size' $'$ echo "a\tb" | cut -f 2\nb'
  run -1 project/scripts/check-docs.sh project/out examples
}

@test "a page that groff complains about fails" {
  make_project
  write_page 'quiet size' '$ true'
  project/scripts/check-docs.sh project/out lint
  printf '.NOSUCHMACRO\n' >> project/man/tool.1
  run -1 project/scripts/check-docs.sh project/out lint
  [[ $output == *NOSUCHMACRO* ]]
}
