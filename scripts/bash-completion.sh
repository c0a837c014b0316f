#!/bin/bash
# SPDX-License-Identifier: MIT
# bash-completion.sh PROGRAM: writes a bash completion from PROGRAM --help. It completes options;
# files where FILE or DIR is an option's value or an operand; the values that PROGRAM --list-values
# has, one after the other where an option takes a LIST; and nothing where the value is something
# else. For a program that runs a COMMAND it completes the command and its files.
set -euo pipefail

if [ $# -ne 1 ]; then
  echo "usage: bash-completion.sh PROGRAM" >&2
  exit 2
fi
name=${1##*/}
help=$("$1" --help)
function=_${name//-/_}

# Turns "  -o, --output FILE         write to …" into "-o FILE" and "--output FILE".
declarations() {
  sed -nE 's/^  (-.), (--[a-z0-9-]+)( ([^ ]+))?(  .*)?$/\1 \4\n\2 \4/p
           s/^      (--[a-z0-9-]+)(\[=[A-Z]+\])?( ([^ ]+))?(  .*)?$/\1 \4/p' <<< "$help"
}
all=$(declarations | sed 's/ .*//' | tr '\n' ' ')
with_file=$(declarations | sed -nE 's/ (FILE|DIR).*//p' | tr '\n' '|')
with_other=$(declarations | grep -vE ' (FILE|DIR)' | sed -nE 's/ [^ ].*//p' | tr '\n' '|')
lists=$(declarations | sed -n 's/ LIST$//p')

# Writes a branch of the case of the word before, for each option that has values.
values() {
  local option words
  "$1" --list-values | while read -r option words; do
    echo "    $option)"
    if grep -qxe "$option" <<< "$lists"; then
      echo "      if [[ \$word == *,* ]]; then first=\${word%,*},; fi"
      echo '      compopt -o nospace 2> /dev/null'
    fi
    echo "      mapfile -t COMPREPLY < <(compgen -P \"\$first\" -W '$words' -- \"\${word#\"\$first\"}\")"
    echo '      compopt +o default 2> /dev/null'
    echo '      return'
    echo '      ;;'
  done
}
command=
case $(sed -n '1,/^$/p' <<< "$help") in *COMMAND*) command=1 ;; esac

cat << END
# bash completion of $name, made from its --help
$function() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} first= i
  COMPREPLY=()
END
[ -z "$command" ] || cat << END
  for ((i = 1; i < COMP_CWORD; ++i)); do
    case \${COMP_WORDS[i]} in
      ${with_file}${with_other}-)
        ((++i))
        if [ "\${COMP_WORDS[i]}" = = ]; then ((++i)); fi
        ;;
      --) ((++i)) ;&
      [^-]*) break ;;
    esac
  done
  if ((i < COMP_CWORD)); then return; fi
  if ((i == COMP_CWORD)) && [[ \$word != -* || \$before == -- ]]; then
    mapfile -t COMPREPLY < <(compgen -c -- "\$word")
    return
  fi
END
cat << END
  # the shell takes --name=value as three words
  if [ "\$word" = = ]; then word=; fi
  if [ "\$before" = = ]; then before=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  case \$before in
$(values "$1")
    ${with_file}-) return ;;
    ${with_other}-)
      compopt +o default 2> /dev/null
      return
      ;;
  esac
  if [[ \$word == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '${all% }' -- "\$word")
  fi
}
complete -o default -F $function $name
END
