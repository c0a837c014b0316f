#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh DIR CC: makes in DIR what programs are linked to so that they run with glibc 2.28 or newer.
#
# A symbol of glibc has versions, and a linker takes the default, which is the newest: a program made
# here asks for dlopen of GLIBC_2.34, though GLIBC_2.2.5 would do. glibc keeps old versions for old
# programs. So the linker gets stand-ins of glibc's libraries, with the same symbols and no code, in
# which the newest version up to 2.28 is the default. They are made from this machine's own libraries.
# What is newer than 2.28 altogether is in compat.c; what is missing there fails to link, by name.
#
# With -L DIR, DIR/libc.so and its fellows are found before the system's. A function that glibc has
# since moved from libdl or libpthread into libc is taken from libc.so.6 here. An older glibc finds it
# in libdl.so.2 or libpthread.so.0, since every program asks for these too.
set -eu
if [ $# -ne 2 ]; then
  echo "usage: build.sh DIR CC" >&2
  exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)
cc=$2
here=$(dirname "$0")
# the machine that it compiles for: the name of its loader, and of the binutils for another machine
# than this one
machine=$($cc -dumpmachine)
case $machine in
  aarch64-*) loader=ld-linux-aarch64.so.1 ;;
  *) loader=ld-linux-x86-64.so.2 ;;
esac
cross=
[ "${machine%%-*}" = "$(uname -m)" ] || cross=${machine%%-*}-linux-gnu-

# stand_in LIBRARY: makes DIR/LIBRARY from this machine's. Data is as far from other data as there, so
# that names of one variable, like environ and __environ, stay one.
stand_in() {
  # "  12: 00000000000a1b2c  123 FUNC  GLOBAL DEFAULT  15 fopen@@GLIBC_2.2.5"
  readelf --dyn-syms -W "$($cc -print-file-name="$1")" | awk -v map="$dir/map" '
    $7 != "UND" && $8 ~ /@GLIBC_[0-9.]+$/ && $4 ~ /^(FUNC|IFUNC|OBJECT)$/ {
      split($8, name, /@+/)
      split(substr(name[2], 7), part, ".")
      age = part[1] * 1000000 + part[2] * 1000 + part[3]
      if (age > 2028000 || age < newest[name[1]] + 0) next
      newest[name[1]] = age
      version[name[1]] = name[2]
      text[name[1]] = ($5 == "WEAK" ? ".weak " : ".globl ") name[1] "\n.size " name[1] "," $3 \
        ($4 == "OBJECT" ? "\n.type " name[1] ",@object\n.set " name[1] ",data+0x" $2 \
                        : "\n.type " name[1] ",@function\n.set " name[1] ",code")
    }
    END {
      print ".section .note.GNU-stack,\"\",@progbits\n.text\ncode: ret\n.bss\n.balign 4096\ndata: .zero 0x1000000"
      for (n in version) {
        print text[n]
        names[version[n]] = names[version[n]] " " n ";"
      }
      for (v in names) print v " {" names[v] " };" > map
      print "NOTHING_ELSE { local: *; };" > map
    }' > "$dir/symbols.s"
  $cc -shared -nostdlib -Wl,-soname,"$1" -Wl,--version-script="$dir/map" -o "$dir/$1" "$dir/symbols.s"
}

for library in libc.so.6 libm.so.6 libdl.so.2 libpthread.so.0 "$loader"; do stand_in "$library"; done
for part in compat start; do $cc -x c -O2 -fPIC -fvisibility=hidden -c -o "$dir/$part.o" "$here/$part.c"; done
rm -f "$dir/libcompat.a"
"${cross}ar" rcs "$dir/libcompat.a" "$dir/compat.o"
echo "GROUP ( $dir/libc.so.6 $dir/libcompat.a $($cc -print-file-name=libc_nonshared.a)" \
  "AS_NEEDED ( $dir/$loader ) )" > "$dir/libc.so"
ln -sf libm.so.6 "$dir/libm.so"
ln -sf libdl.so.2 "$dir/libdl.so"
ln -sf libpthread.so.0 "$dir/libpthread.so"
