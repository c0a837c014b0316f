#!/bin/sh
# SPDX-License-Identifier: MIT
# build-libperf.sh DIR: builds libperf, which Debian does not package, from Debian's linux-source
# into DIR/{include,lib}. Takes about ten seconds, most of them for xz.
set -eu
dir=$1
source=
for version in 6.1 6.12; do # of Debian 12 and 13; with both, the newer
  if [ -r /usr/src/linux-source-$version.tar.xz ]; then source=linux-source-$version; fi
done
if [ -z "$source" ]; then
  echo "build-libperf.sh: no /usr/src/linux-source-6.1.tar.xz or -6.12.tar.xz: install the package" \
    "linux-source" >&2
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
  echo "$source/$member"
done > "$work/members"
tar -C "$work/source" --strip-components=1 -xf "/usr/src/$source.tar.xz" -T "$work/members"
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
