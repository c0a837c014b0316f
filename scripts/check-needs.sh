#!/bin/sh
# SPDX-License-Identifier: MIT
# check-needs.sh NEWEST 'LIBRARY...' FILE...: fails for a program, or a library, that does not run
# with glibc NEWEST, or that needs another library than these. A weak symbol's version is needed all
# the same.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: check-needs.sh NEWEST 'LIBRARY...' FILE..." >&2
  exit 2
fi
newest=$1
allowed=$2
shift 2
failed=0
for file in "$@"; do
  header=$(readelf -dW "$file") || exit 1
  for library in $(echo "$header" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case " $allowed " in
      *" $library "*) ;;
      *) echo "$file: needs the library $library" >&2 && failed=1 ;;
    esac
  done
  # "  0x0010:   Name: GLIBC_2.17  Flags: none  Version: 5"
  versions=$(readelf -VW "$file" | sed -n 's/^.* Name: \([A-Za-z_]*_[0-9.]*\) .*Version:.*/\1/p' | sort -u)
  for version in $versions; do
    case $version in
      GLIBC_*) [ "$(printf '%s\n' "${version#GLIBC_}" "$newest" | sort -V | tail -n 1)" = "$newest" ] && continue ;;
      ELFUTILS_1.[0-6] | CURL_OPENSSL_4) continue ;; # libelf.so.1 since 2014, libcurl.so.4: LIBRARY says where
    esac
    echo "$file: needs $version:" \
      "$(readelf -sW --dyn-syms "$file" | sed -n "s/.* UND \(.*\)@$version.*/\1/p" | sort -u | tr '\n' ' ')" >&2
    failed=1
  done
done
exit "$failed"
