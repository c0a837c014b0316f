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
      grep -oE -- '(^|[ ])-[a-z0-9-]+|(^|[ ])-[a-zA-Z]\b' | tr -d ' ' | sort -u)" "$name" -
  done
}

@test "operands, files and numbers are left to the shell" {
  offers '' aiflame-report ''
  offers '' aiflame-report --before a
  offers '' aiflame-report --top ''
}

@test "values are completed" {
  offers $'java\njs' aiflame-svg --colors j
  offers $'self\ntotal' aiflame-report --sort ''
  offers exact gpustall-record --sampling e
  offers uprobe gpustall-record --launch-stacks = u
  offers events gpustall-record --launch-times e
  offers xe gpustall-record --source x
  offers $'gpu-clock\ngpu-launch\ngpu-memory\ngpu-stall\ngpu-stall-exposed\ngpu-time\ngpu-wait' stackcollapse-aiflame --event gpu
  offers '' stackcollapse-aiflame --event cyc
  # one after the other, where an option takes several
  offers 'line' stackcollapse-aiflame --gpu-frames li
  offers $'file,kernel,mnemonic' stackcollapse-aiflame --gpu-frames file,kernel,m
}

# described PROGRAM OPTION: its paragraph of --help
described() {
  "$1" --help | awk -v option="$2" '/^(    )?  -/ { on = index($0 " ", " " option " ") || index($0, " " option ",") } /^$/ { on = 0 } on'
}

@test "the values that are offered are those that --help names, and the program takes them" {
  local program name option words word
  for program in "$AIFLAME_BUILD"/bin/*; do
    name=${program##*/}
    "$program" --list-values > values
    while read -r option words; do
      described "$program" "$option" > paragraph
      [ -s paragraph ]
      if grep -q '  the same' paragraph; then continue; fi
      for word in $words; do
        # which sources there are, --list says
        if [ "$option" = --source ]; then
          gpustall-record --list | grep -q "^$word " || return 1
          continue
        fi
        # which devices there are, --list-devices says
        if [ "$name $option" = 'aiflame-forecast --from' ] || [ "$name $option" = 'aiflame-forecast --to' ]; then
          aiflame-forecast --list-devices | grep -q "^$word " || return 1
          continue
        fi
        grep -qwF -e "$word" paragraph || {
          echo "$name $option: --help does not name '$word'" >&2
          return 1
        }
        run "$program" "$option" "$word" /dev/null < /dev/null
        [[ $output != *"option '$option'"* ]] || {
          echo "$name $option $word: $output" >&2
          return 1
        }
      done
    done < values
  done
}

@test "an option that takes one of some words offers them" {
  local program option argument
  # these take what nobody can list, or what only the input knows
  local open='TEXT|NUMBER|FILE([.]{3})?|DIR|N|HZ|MS|PID|PERCENT|SECONDS|PIXELS|RATIO|WIDTH|COUNT|SIZE|WHERE'
  open+='|START,END|BEFORE,AFTER|CONDITION|GLOB|CATEGORY|PATTERN'
  open+='|WATTS|JOULES|GRAMS|KG|YEARS|SHARE|PRICE|WORK|URL|GB/S|US'
  open="--[a-z0-9-]+ ($open)|--(pids|tids|comms|devices|kernels|launch-event|ids|labels|series|stack-cats) LIST"
  open+='|--(fonttype|sample-type|service|by-range|number-ranges) NAME|--tab NAME=FILE'
  for program in "$AIFLAME_BUILD"/bin/*; do
    "$program" --list-values > values
    "$program" --help | sed -nE 's/^  (-.,|   ) (--[a-z0-9-]+) ([^ ]+)(  .*)?$/\2 \3/p' |
      grep -vxE -e "$open" > closed || continue
    while read -r option argument; do
      grep -qe "^$option " values || {
        echo "${program##*/} $option $argument: no values, see Options::values()" >&2
        return 1
      }
    done < closed
  done
}

@test "a recorder's command is completed" {
  printf '#!/bin/sh\n' > aiflame-test-command
  chmod +x aiflame-test-command
  PATH=$PWD:$PATH offers aiflame-test-command gpustall-record -o x aiflame-test-
  PATH=$PWD:$PATH offers aiflame-test-command gpustall-record --output = x aiflame-test-
  PATH=$PWD:$PATH offers aiflame-test-command gpustall-record --all -- aiflame-test-
  offers '' gpustall-record bash -
  offers '' gpustall-record -o x -- bash ''
  offers '--launch-stacks' gpustall-record -F 99 --launch-s
}

@test "make install installs them, and uninstall takes them away" {
  # a build directory of its own: make notes its flags there
  mkdir out
  for part in bin libexec dlfilters completions; do ln -s "$AIFLAME_BUILD/$part" out; done
  cp "$AIFLAME_BUILD/flags" out
  out=$PWD/out root=$PWD/root
  cd "$AIFLAME_ROOT"
  make -s -o all install "O=$out" PREFIX=/usr "DESTDIR=$root" > /dev/null
  assert_equal "$(ls "$root/usr/share/bash-completion/completions")" "$(ls "$out/bin/")"
  for file in "$root"/usr/share/bash-completion/completions/*; do bash -n "$file"; done
  make -s uninstall "O=$out" PREFIX=/usr "DESTDIR=$root"
  [ -z "$(find "$root" -type f)" ]
}
