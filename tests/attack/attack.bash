# SPDX-License-Identifier: MIT
# What the attacks share; `load attack` at the top of each file.
# shellcheck shell=bash
load ../cli/common

# scale SHORT LONG: how many times to do it, in `make test` and in `make soak`.
scale() {
  if [ -n "${SOAK:-}" ]; then echo "$2"; else echo "$1"; fi
}
