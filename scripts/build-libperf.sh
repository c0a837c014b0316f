#!/bin/sh
# SPDX-License-Identifier: MIT
# build-libperf.sh DIR: builds libperf, which Debian 12 does not package, from Debian's
# linux-source-6.1 into DIR/{include,lib}. Takes about ten seconds, most of them for xz.
set -eu
dir=$1
tarball=/usr/src/linux-source-6.1.tar.xz
if [ ! -r "$tarball" ]; then
  echo "build-libperf.sh: $tarball is missing: apt-get install linux-source-6.1" >&2
  exit 1
fi
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)
work=$(mktemp -d "$dir/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "  LIBPERF  $dir"
mkdir "$work/source" "$work/objects"
# only the files that `make -C tools/lib/perf` opens
for member in tools/lib/perf tools/lib/api tools/lib/zalloc.c tools/lib/str_error_r.c tools/build \
  tools/scripts tools/include tools/arch/x86/include; do
  echo "linux-source-6.1/$member"
done > "$work/members"
tar -C "$work/source" --strip-components=1 -xf "$tarball" -T "$work/members"
# prefix and libdir are needed on the first call: libperf.pc is written once.
# MAKEFLAGS is cleared: the kernel's makefiles would take our knobs (O, V) for their own.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u V \
  make -s -C "$work/source/tools/lib/perf" O="$work/objects" prefix="$dir" libdir="$dir/lib" \
  EXTRA_CFLAGS=-fPIC libs install_lib install_headers > "$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
# libperf.a needs fdarray__*, which the makefile does not install
cp "$work/objects/libapi.a" "$dir/lib/"
# must be newer than the script, whatever times tar and install have set
touch "$dir/lib/libperf.a"
