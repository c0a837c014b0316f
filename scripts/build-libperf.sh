#!/bin/sh
# SPDX-License-Identifier: MIT
# build-libperf.sh DIR [COMPILER]: puts libperf into DIR/{include,lib}. Where the distribution has it as
# static libraries with headers, it is those: a shared one does not tell what event_rings.cc asks of
# it, which depends on its version. Debian has neither: there it is built from the newest of
# /usr/src/linux-source-*.tar.*, which takes about ten seconds, most of them for xz.
set -eu
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
  echo "usage: build-libperf.sh DIR [COMPILER]" >&2
  exit 2
fi
dir=$1
compiler=${2:-g++}
# the machine that it compiles for, as the kernel's makefiles name it
# shellcheck disable=SC2086 # the compiler may have options
machine=$($compiler -dumpmachine)
case $machine in
  aarch64-*) arch=arm64 ;;
  *) arch=x86 ;;
esac
# the compiler and binutils for another machine than this one
cross=
[ "${machine%%-*}" = "$(uname -m)" ] || cross=${machine%%-*}-linux-gnu-
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

# the path of the system's library FILE, or nothing; the compiler prints the name of one that it lacks
# shellcheck disable=SC2086 # the compiler may have options
system_library() { $compiler -print-file-name="$1" | grep / || true; }
# shellcheck disable=SC2086
if echo '#include <perf/evlist.h>' | $compiler -x c++ -E -o /dev/null - 2> /dev/null; then
  library=$(system_library libperf.a)
  parts=$(system_library libapi.a) # what libperf.a needs
  if [ -n "$library" ] && [ -n "$parts" ]; then
    echo "  LIBPERF  $library"
    rm -rf "$dir/include"
    mkdir -p "$dir/include" "$dir/lib"
    # linkers take a text in the place of an archive
    echo "INPUT($library)" > "$dir/lib/libperf.a"
    echo "INPUT($parts)" > "$dir/lib/libapi.a"
    exit
  fi
fi

archive=
for file in /usr/src/linux-source-*.tar.*; do
  # the newer of two by their versions: 6.12 is after 6.9
  if [ -r "$file" ]; then archive=$(printf "%s\n" "$archive" "$file" | sort -V | tail -n 1); fi
done
if [ -z "$archive" ]; then
  echo "build-libperf.sh: no /usr/src/linux-source-VERSION.tar.xz: install the package linux-source" >&2
  exit 1
fi
source=${archive##*/}
source=${source%.tar.*}
work=$(mktemp -d "$dir/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
echo "  LIBPERF  $dir"
mkdir "$work/source" "$work/objects"
# only the files that `make -C tools/lib/perf` opens
for member in tools/lib/perf tools/lib/api tools/lib/zalloc.c tools/lib/str_error_r.c tools/build \
  tools/scripts tools/include "tools/arch/$arch/include"; do
  echo "$source/$member"
done > "$work/members"
tar -C "$work/source" --strip-components=1 -xf "$archive" -T "$work/members"
# prefix and libdir are needed on the first call: libperf.pc is written once.
# MAKEFLAGS is cleared: the kernel's makefiles would take our knobs (O, V) for their own.
env -u MAKEFLAGS -u MFLAGS -u MAKELEVEL -u O -u V \
  make -s -C "$work/source/tools/lib/perf" O="$work/objects" prefix="$dir" libdir="$dir/lib" \
  ARCH=$arch CROSS_COMPILE="$cross" EXTRA_CFLAGS=-fPIC libs install_lib install_headers > "$work/log" 2>&1 || {
  cat "$work/log" >&2
  exit 1
}
# libperf.a needs fdarray__*, which the makefile does not install
cp "$work/objects/libapi.a" "$dir/lib/"
# must be newer than the script, whatever times tar and install have set
touch "$dir/lib/libperf.a"
