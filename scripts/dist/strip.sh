#!/bin/sh
# SPDX-License-Identifier: MIT
# strip.sh TREE [STRIP]: takes debug information out of what is installed in TREE, and fails if anything there
# would not run on a Linux with glibc 2.28. STRIP is the strip for its machine, if that is another.
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: strip.sh TREE [STRIP]" >&2
  exit 2
fi
tree=$1
strip=${2:-strip}
programs() { # FIND-ARGUMENT...: those of libexec too, which are started by others; its scripts are no programs
  find "$tree" -type f \( -path '*/bin/*' -o -name push-profile -o -name 'energy-*' \) "$@"
}
programs -exec "$strip" --remove-section=.comment --remove-section=.note {} +
find "$tree" -type f -name '*.so' -exec "$strip" --strip-unneeded --remove-section=.comment --remove-section=.note {} +

# What may be outside. glibc itself:
glibc="libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1"
check=$(dirname "$0")/../check-needs.sh
programs ! -name push-profile -exec "$check" 2.28 "$glibc" {} +
find "$tree" -type f -name '*.so' ! -name opencl-cpu.so -exec "$check" 2.28 "$glibc" {} +
# and libelf, whose archive in Debian is for programs alone. Without it this one source is not loaded.
find "$tree" -name opencl-cpu.so -exec "$check" 2.28 "$glibc libelf.so.1" {} +
# and libcurl, which has to be the system's: its certificates are. Only aiflame-export --push needs it.
find "$tree" -name push-profile -exec "$check" 2.28 "$glibc libcurl.so.4" {} +
