#!/bin/bash
# SPDX-License-Identifier: MIT
# deb.sh TREE VERSION MACHINE: makes aiflame_VERSION_MACHINE.deb and aiflame-dev_VERSION_MACHINE.deb
# beside TREE, which `make install PREFIX=/usr` filled; MACHINE is Debian's name, amd64 or arm64. The
# same tree makes the same bytes.
set -euo pipefail
if [ $# -ne 3 ]; then
  echo "usage: deb.sh TREE VERSION MACHINE" >&2
  exit 2
fi
tree=$1
version=$2
machine=$3
here=$(dirname "$0")
out=$(dirname "$tree")

# The header of plugins is a package of its own.
rm -rf "$tree-dev"
install -d "$tree-dev/usr"
mv "$tree/usr/include" "$tree-dev/usr/include"
find "$tree/usr/share/man" -name '*.[1-8]' -exec gzip -9n {} +

# pack TREE PACKAGE: the tree's notices, then control files for all of it
pack() {
  local doc=$1/usr/share/doc/$2
  install -d "$1/DEBIAN" "$doc"
  printf '%s (%s) unstable; urgency=medium\n\n  * CHANGELOG.md of the sources lists the changes.\n\n -- %s  %s\n' \
    aiflame "$version" "$(sed -n 's/^Maintainer: //p' "$here/control")" \
    "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n > "$doc/changelog.gz"
  if [ -e "$here/$2.lintian-overrides" ]; then
    install -D -m 644 "$here/$2.lintian-overrides" "$1/usr/share/lintian/overrides/$2"
  fi
  find "$1" -type d -exec chmod 755 {} +
  (cd "$1" && find usr -type f -print0 | sort -z | xargs -0 md5sum) > "$1/DEBIAN/md5sums"
  # the paragraph of the package, with what all have
  awk -v package="$2" -v version="$version" -v machine="$machine" -v size="$(du -ks --apparent-size --exclude=DEBIAN "$1" | cut -f 1)" '
    BEGIN { RS = ""; FS = "\n" }
    NR == 1 { common = $0; next }
    $1 == "Package: " package {
      sub(/\n/, "\nVersion: " version "\nArchitecture: " machine "\n" common "\nInstalled-Size: " size "\n")
      print
    }' <(sed '/^#/d' "$here/control") > "$1/DEBIAN/control"
  dpkg-deb --root-owner-group --uniform-compression -Zxz --build "$1" "$out/$2_${version}_${machine}.deb" > /dev/null
  echo "  DEB   $out/$2_${version}_${machine}.deb"
}
scripts/dist/notices.sh "$tree/usr/share/doc/aiflame"
pack "$tree" aiflame
scripts/dist/notices.sh "$tree-dev/usr/share/doc/aiflame-dev"
rm -r "$tree-dev/usr/share/doc/aiflame-dev/libraries"
pack "$tree-dev" aiflame-dev
