# SPDX-License-Identifier: MIT
# Waits for another process without a clock: `load await`. A test wakes up when the other process
# writes a line, or at the end of a FIFO. The 60 seconds only bound a test that fails.
# shellcheck shell=bash

declare -gA await_lines await_copier

# relay FIFO FILE PATTERN…: makes FIFO, and copies what is written to it into FILE. `await FIFO`
# returns when a line has been copied that matches the next PATTERN, a regular expression.
relay() {
  local fd
  mkfifo "$1" "$1.lines"
  exec {fd}<> "$1.lines" # open in both directions, so that neither end blocks
  await_lines[$1]=$fd
  copy_lines "$fd" "$@" 3>&- &
  await_copier[$1]=$!
}

copy_lines() {
  local fd=$1 line pattern
  exec < "$2" > "$3"
  for pattern in "${@:4}"; do
    while IFS= read -r line; do
      printf '%s\n' "$line"
      if [[ $line =~ $pattern ]]; then break; fi
    done
    echo "$line" >&"$fd" # empty at the end of the input
  done
  exec cat
}

await() {
  local line
  read -r -t 60 line <&"${await_lines[$1]}" && [ -n "$line" ] && return
  echo "$1 ended, or 60 seconds passed, without the line that was awaited" >&2
  return 1
}

# copied FIFO: waits until FIFO has no writers and FILE has all that they wrote
copied() { wait "${await_copier[$1]}"; }

# release FIFO: ends FIFO for those that wait for its end, now or within 60 seconds
# shellcheck disable=SC2016 # expanded by the shell that timeout runs
release() { timeout 60 sh -c ': > "$1"' sh "$1"; }
