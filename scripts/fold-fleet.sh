#!/bin/bash
# SPDX-License-Identifier: MIT
# fold-fleet.sh [OPTION]... DIR RECORDING... [-- FOLD_OPTION...]: folds the recordings of many
# machines or ranks, and adds them up in a tree: DIR/all.folded is what
# `stackcollapse-aiflame FOLD_OPTION... RECORDING...` would write, but for its own lines on stderr.
#
#   --with xargs|parallel|slurm  runs the jobs on this machine, the default, by GNU parallel, or as
#                                job arrays of Slurm (sbatch takes its options from SBATCH_...)
#   --jobs N                     so many at a time (default: processors; of Slurm: no limit)
#   --fan-out N                  recordings or files that one job takes (default 100)
#   --files0-from FILE           also the recordings whose names are in FILE, each ended by a NUL
#                                byte; - is standard input
#   --help                       prints this text
#
# DIR and the recordings are where every job sees them. The jobs are DIR/LEVEL/NUMBER: those of level
# 1 fold their recordings and add them up, those of level 2 add up files of level 1, and so on to
# the level with one job. Files get their names when they are whole, so the same command continues
# what is missing. A job that fails is named, and so the whole fails.
set -euo pipefail
export LC_ALL=C

fail() {
  printf 'fold-fleet.sh: %s\n' "$*" >&2
  exit 1
}
usage() {
  printf "fold-fleet.sh: %s; try '%s --help'\n" "$1" "$0" >&2
  exit 2
}
# The text at the top of this file.
help() { sed -n '3,/^set /s/^# \{0,1\}//p' "$0"; }

# ---- one job -----------------------------------------------------------------------------------

# made FILE COMMAND...: FILE is the output of COMMAND, once that is whole
made() {
  local out=$1
  if ! "${@:2}" > "$out.part.$$"; then
    rm "$out.part.$$"
    return 1
  fi
  mv "$out.part.$$" "$out"
}

# The recordings of group NUMBER, folded one by one, so that an interrupted group goes on.
fold_group() { # DIR NUMBER FAN_OUT
  local dir=$1 number=$2 fan_out=$3 recordings options parts=() i
  mapfile -d '' -t recordings < "$dir/recordings"
  mapfile -d '' -t options < "$dir/options"
  mkdir -p "$dir/0"
  for ((i = number * fan_out; i < (number + 1) * fan_out && i < ${#recordings[@]}; ++i)); do
    parts+=("$dir/0/$i.folded")
    [ -e "${parts[-1]}" ] ||
      made "${parts[-1]}" stackcollapse-aiflame "${options[@]}" -- "${recordings[i]}"
  done
  made "$dir/1/$number.folded" aiflame-merge -- "${parts[@]}"
  rm "${parts[@]}"
}

merge_group() { # DIR LEVEL NUMBER FAN_OUT
  local dir=$1 level=$2 number=$3 fan_out=$4 parts=() i
  for ((i = number * fan_out; i < (number + 1) * fan_out; ++i)); do
    [ ! -e "$dir/$((level - 1))/$i.folded" ] || parts+=("$dir/$((level - 1))/$i.folded")
  done
  made "$dir/$level/$number.folded" aiflame-merge -- "${parts[@]}"
}

job() { # DIR LEVEL FAN_OUT NUMBER
  exec 2> "$1/$2/$4.log"
  if [ "$2" -eq 1 ]; then fold_group "$1" "$4" "$3"; else merge_group "$1" "$2" "$4" "$3"; fi
}

# ---- all of them -------------------------------------------------------------------------------

# Runs the jobs whose numbers are given. Their success is seen by their files.
run_jobs() { # DIR LEVEL FAN_OUT NUMBER...
  local job=("$0" job "$1" "$2" "$3") numbers=("${@:4}") limit=${jobs:+%$jobs} list
  case $with in
    xargs) printf '%s\n' "${numbers[@]}" | xargs -n 1 -P "${jobs:-$(nproc)}" "${job[@]}" || true ;;
    parallel)
      printf '%s\n' "${numbers[@]}" |
        parallel --will-cite -j "${jobs:-$(nproc)}" "$(printf '%q ' "${job[@]}")" || true
      ;;
    slurm)
      list=$(IFS=,; echo "${numbers[*]}")
      sbatch --quiet --wait --job-name "fold-$2" --array "$list$limit" --output /dev/null \
        --export ALL --wrap "$(printf '%q ' "${job[@]}")\$SLURM_ARRAY_TASK_ID" || true
      ;;
  esac
}

# Brings the COUNT files of a level about.
make_level() { # DIR LEVEL FAN_OUT COUNT
  local dir=$1 level=$2 count=$4 missing=() failed=() i
  mkdir -p "$dir/$level"
  for ((i = 0; i < count; ++i)); do [ -e "$dir/$level/$i.folded" ] || missing+=("$i"); done
  [ ${#missing[@]} -gt 0 ] || return 0
  run_jobs "$dir" "$level" "$3" "${missing[@]}"
  for i in "${missing[@]}"; do [ -e "$dir/$level/$i.folded" ] || failed+=("$i"); done
  [ ${#failed[@]} -gt 0 ] || return 0
  for i in "${failed[@]}"; do
    printf 'fold-fleet.sh: job %s/%s failed: %s\n' "$level" "$i" \
      "$(tail -n 1 "$dir/$level/$i.log" 2> /dev/null || echo 'it did not start')" >&2
  done
  fail "${#failed[@]} of $count jobs of level $level failed; the same command continues"
}

# keep FILE: what the jobs read, which may not change from one run to the next
keep() {
  cat > "$1.new"
  [ ! -e "$1" ] || cmp -s "$1" "$1.new" || fail "'${1%/*}' was begun with other ${1##*/}"
  mv "$1.new" "$1"
}

main() {
  local fan_out=100 dir='' from='' recordings=() options=() count level=1
  with=xargs jobs=''
  while [ $# -gt 0 ]; do
    case $1 in
      --with | --jobs | --fan-out | --files0-from)
        [ $# -gt 1 ] || usage "$1 needs an argument"
        case $1 in
          --with) with=$2 ;;
          --jobs) jobs=$2 ;;
          --fan-out) fan_out=$2 ;;
          --files0-from) from=$2 ;;
        esac
        shift
        ;;
      --with=* | --jobs=* | --fan-out=* | --files0-from=*)
        set -- "${1%%=*}" "${1#*=}" "${@:2}"
        continue
        ;;
      --help)
        help
        exit 0
        ;;
      --)
        options=("${@:2}")
        break
        ;;
      -?*) usage "no option '$1'" ;;
      *) if [ -z "$dir" ]; then dir=$1; else recordings+=("$(realpath -s -- "$1")"); fi ;;
    esac
    shift
  done
  case $with in xargs | parallel | slurm) ;; *) usage "--with '$with': expected xargs, parallel or slurm" ;; esac
  [[ $fan_out =~ ^[1-9][0-9]{0,5}$ && $fan_out -gt 1 ]] || usage "--fan-out '$fan_out': expected a number, 2 or more"
  [[ $jobs =~ ^([1-9][0-9]{0,5})?$ ]] || usage "--jobs '$jobs': expected a number"
  [ -n "$dir" ] || usage 'no directory'
  if [ -n "$from" ]; then
    while IFS= read -r -d '' count; do recordings+=("$(realpath -s -- "$count")"); done < <(cat -- "$from")
  fi
  [ ${#recordings[@]} -gt 0 ] || usage 'no recordings'
  mkdir -p "$dir"
  dir=$(realpath -- "$dir")
  printf '%s\0' "${recordings[@]}" | sort -zu | keep "$dir/recordings"
  printf '%s\n' "$fan_out" | keep "$dir/fan-out"
  { [ ${#options[@]} -eq 0 ] || printf '%s\0' "${options[@]}"; } | keep "$dir/options"
  [ ! -e "$dir/all.folded" ] || exit 0
  count=$(tr -cd '\0' < "$dir/recordings" | wc -c)
  while count=$(((count + fan_out - 1) / fan_out)); do
    make_level "$dir" "$level" "$fan_out" "$count"
    [ "$count" -gt 1 ] || break
    level=$((level + 1))
  done
  made "$dir/all.folded" cat "$dir/$level/0.folded"
}

if [ "${1-}" = job ] && [ $# -eq 5 ]; then job "${@:2}"; else main "$@"; fi
