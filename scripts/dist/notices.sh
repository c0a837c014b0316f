#!/bin/sh
# SPDX-License-Identifier: MIT
# notices.sh DIR: writes the copyright of aiflame, and of the libraries inside its programs, into DIR.
set -eu
if [ $# -ne 1 ]; then
  echo "usage: notices.sh DIR" >&2
  exit 2
fi
install -d "$1/libraries"
{
  sed '/^LICENCE$/,$d' scripts/dist/copyright
  sed 's/^/  /; s/ *$//' LICENSE
  echo
  sed '1,/^LICENCE$/d' scripts/dist/copyright
} > "$1/copyright"
# what the Makefile links; without their notices, as on another distribution, they stay out
for package in libboost-program-options-dev libbz2-dev libc6-dev libdeflate-dev libdw-dev libiberty-dev \
  liblzma-dev libre2-dev libsqlite3-dev libtraceevent-dev libzstd-dev zlib1g-dev \
  $(cd /usr/share/doc && echo libstdc++-*-dev linux-source-*); do
  [ ! -r "/usr/share/doc/$package/copyright" ] ||
    install -m 644 "/usr/share/doc/$package/copyright" "$1/libraries/$package"
done
