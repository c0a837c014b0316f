#!/bin/sh
# SPDX-License-Identifier: MIT
# check-agent.sh AGENT...: fails for an agent that cannot be loaded into a program with glibc 2.17, or
# with musl, which knows these libraries by name. A weak symbol's version is needed all the same.
set -eu
newest=2.17
failed=0
for agent in "$@"; do
  needs=$(readelf -dW "$agent" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  for library in $needs; do
    case $library in
      libc.so.6 | libdl.so.2 | libpthread.so.0) ;;
      *) echo "$agent: needs the library $library" >&2 && failed=1 ;;
    esac
  done
  # "  0x0010:   Name: GLIBC_2.17  Flags: none  Version: 5"
  versions=$(readelf -VW "$agent" | sed -n 's/^.* Name: \([A-Za-z_]*_[0-9.]*\) .*Version:.*/\1/p' | sort -u)
  for version in $versions; do
    case $version in
      GLIBC_*) [ "$(printf '%s\n' "${version#GLIBC_}" "$newest" | sort -V | tail -n 1)" = "$newest" ] && continue ;;
    esac
    echo "$agent: needs $version:" \
      "$(readelf -sW --dyn-syms "$agent" | sed -n "s/.* UND \(.*\)@$version.*/\1/p" | sort -u | tr '\n' ' ')" >&2
    failed=1
  done
done
exit "$failed"
