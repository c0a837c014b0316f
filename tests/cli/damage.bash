# SPDX-License-Identifier: MIT
# Files that are cut or damaged: `load damage`.
# shellcheck shell=bash

# damaged FILE STEP: in $tmp, the file cut at each STEP bytes, and with three bytes changed there
damaged() {
  # shellcheck disable=SC2154 # of the tests that load it
  python3 - "$1" "$2" "$tmp" << 'END'
import sys
data = open(sys.argv[1], "rb").read()
for number, at in enumerate(range(0, len(data), int(sys.argv[2]))):
    open(f"{sys.argv[3]}/cut-{number}", "wb").write(data[:at])
    for bits in (0xff, 0x01):
        flipped = bytearray(data)
        for near in range(at, min(at + 3, len(data))):
            flipped[near] ^= bits
        open(f"{sys.argv[3]}/flip-{bits}-{number}", "wb").write(flipped)
END
}

# survives PROGRAM: it reads each of these files, or refuses it in one line and writes nothing
survives() {
  local file status lines
  for file in "$tmp"/cut-* "$tmp"/flip-*; do
    status=0
    timeout 20 "$1" "$file" > "$tmp/out" 2> "$tmp/err" || status=$?
    lines=$(wc -l < "$tmp/err")
    if [ "$status" -gt 1 ] || [ "$lines" -gt 2 ] || [ "$lines" -lt 1 ]; then
      echo "$file: status $status" >&2
      cat "$tmp/err" >&2
      return 1
    fi
    if [ "$status" -eq 1 ]; then [ ! -s "$tmp/out" ] || return 1; fi
  done
}
