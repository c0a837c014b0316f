# SPDX-License-Identifier: MIT
# The completions for bash that `make install` makes from --help.
load common

# offers EXPECTED PROGRAM WORD...: checks what bash offers for the last word, sorted.
offers() {
  local expected=$1
  shift
  assert_equal "$(bash -c "$("$AIFLAME_ROOT/scripts/bash-completion.sh" "$AIFLAME_BUILD/bin/$1")
    COMP_WORDS=(\"\$@\") COMP_CWORD=\$((\$# - 1))
    _${1//-/_}
    printf '%s\n' \"\${COMPREPLY[@]}\" | sort" -- "$@")" "$expected"
}

@test "options are completed" {
  offers $'--normalize\n--normalize-by' aiflame-report --nor
  offers $'--strict\n--strip\n--strip-hex' aiflame-diff a --st
  offers '' aiflame-diff --nosuch
}

@test "every option of every program is completed" {
  for program in "$AIFLAME_BUILD"/bin/*; do
    name=${program##*/}
    offers "$("$program" --help | grep -E '^  (-.,|   ) --' | cut -c 1-28 |
      grep -oE -- '(^|[ ])-[a-z-]+|(^|[ ])-[a-zA-Z]\b' | tr -d ' ' | sort -u)" "$name" -
  done
}

@test "operands and values are left to the shell" {
  offers '' aiflame-report ''
  offers '' aiflame-report --before a
  offers '' aiflame-report --top ''
}

@test "a recorder's command is completed" {
  printf '#!/bin/sh\n' > aiflame-test-command
  chmod +x aiflame-test-command
  PATH=$PWD:$PATH offers aiflame-test-command gpustall-record -o x aiflame-test-
  PATH=$PWD:$PATH offers aiflame-test-command gpustall-record --output = x aiflame-test-
  PATH=$PWD:$PATH offers aiflame-test-command gpustall-record --all -- aiflame-test-
  offers '' gpustall-record bash -
  offers '' gpustall-record -o x -- bash ''
  offers '--launch-stacks' gpustall-record -F 99 --la
}

@test "make install installs them, and uninstall takes them away" {
  # a build directory of its own: make notes its flags there
  mkdir out
  for part in bin libexec dlfilters; do ln -s "$AIFLAME_BUILD/$part" out; done
  out=$PWD/out root=$PWD/root
  cd "$AIFLAME_ROOT"
  make -s -o all install "O=$out" PREFIX=/usr "DESTDIR=$root" > /dev/null
  assert_equal "$(ls "$root/usr/share/bash-completion/completions")" "$(ls "$out/bin/")"
  for file in "$root"/usr/share/bash-completion/completions/*; do bash -n "$file"; done
  make -s uninstall "O=$out" PREFIX=/usr "DESTDIR=$root"
  [ -z "$(find "$root" -type f)" ]
}
