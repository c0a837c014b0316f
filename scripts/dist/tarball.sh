#!/bin/sh
# SPDX-License-Identifier: MIT
# tarball.sh TREE NAME: makes NAME.tar.gz beside TREE from its directory NAME. The same tree makes the
# same bytes.
set -eu
if [ $# -ne 2 ]; then
  echo "usage: tarball.sh TREE NAME" >&2
  exit 2
fi
tree=$1
name=$2
out=$(dirname "$tree")/$name.tar.gz
install -m 644 LICENSE "$tree/$name/LICENSE"
scripts/dist/notices.sh "$tree/$name/share/doc/aiflame"
# the licence of gpustall-record and opencl-cpu.so, which has to come with them
if [ -r /usr/share/common-licenses/GPL-2 ]; then
  install -m 644 /usr/share/common-licenses/GPL-2 "$tree/$name/share/doc/aiflame/GPL-2"
fi
tar -C "$tree" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
  --mode='u+rw,go+r,go-w' --format=gnu -cf - "$name" | gzip -9n > "$out"
echo "  TAR   $out"
