#!/bin/sh
# SPDX-License-Identifier: MIT
# strip.sh TREE: takes debug information out of what is installed in TREE, and fails if anything there
# would not run on a Linux with glibc 2.28.
set -eu
if [ $# -ne 1 ]; then
  echo "usage: strip.sh TREE" >&2
  exit 2
fi
tree=$1
find "$tree" -type f -path '*/bin/*' -exec strip --remove-section=.comment --remove-section=.note {} +
find "$tree" -type f -name '*.so' -exec strip --strip-unneeded --remove-section=.comment --remove-section=.note {} +

# What may be outside. glibc itself:
glibc="libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 ld-linux-x86-64.so.2"
find "$tree" -type f \( -path '*/bin/*' -o -name '*.so' \) ! -name opencl-cpu.so \
  -exec "$(dirname "$0")/../check-needs.sh" 2.28 "$glibc" {} +
# and libelf, whose archive in Debian is for programs alone. Without it this one source is not loaded.
find "$tree" -name opencl-cpu.so -exec "$(dirname "$0")/../check-needs.sh" 2.28 "$glibc libelf.so.1" {} +
