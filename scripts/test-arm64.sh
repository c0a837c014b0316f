#!/bin/bash
# SPDX-License-Identifier: MIT
# test-arm64.sh: see usage() below.
set -euo pipefail

usage() {
  cat << 'END_OF_USAGE'
Usage: test-arm64.sh [--build | --help] HERE OUT [KERNEL]...

Builds everything for AArch64 into OUT with Debian's cross compiler, and tests it on this x86-64
machine. HERE is the build directory of this machine's programs.

  1. In a Debian 12 of its own, OUT/cross, make compiles for the other machine. Nothing that was
     built is run there.
  2. The filters run in qemu-user on the inputs of the tests, and must write the bytes that HERE's
     write.
  3. Recorder, agent and unit tests run in virtual machines (scripts/test-vm.sh) on the files of a
     second Debian, OUT/root: with the kernels bookworm and trixie-16k, whose pages have 16 KiB, or
     with KERNEL alone.

  --build  stops after the first step
  --help   shows this text

Needs root, debootstrap, a Debian mirror in apt's sources, and the packages qemu-user-static,
qemu-system-arm, cpio, kmod. OUT takes 8 GB and is kept: what has not changed is not built again.
Emulation shows neither the order of memory nor the speed of a real processor.
END_OF_USAGE
}
mistake() {
  echo "test-arm64.sh: $*; try 'test-arm64.sh --help'" >&2
  exit 2
}
fail() {
  echo "test-arm64.sh: $*" >&2
  exit 1
}

only_build=
case ${1:-} in
  --help) usage && exit ;;
  --build) only_build=1 && shift ;;
  -*) mistake "unknown option '$1'" ;;
esac
[ $# -ge 2 ] || mistake 'HERE and OUT are missing'
here=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
shift 2
[ $# -gt 0 ] || set -- bookworm trixie-16k
case $out in
  "$root"/build/*) ;;
  *) mistake "OUT is not below '$root/build'" ;;
esac
[ "$(id -u)" -eq 0 ] || fail 'it needs root, to make the other systems'
needed='debootstrap unshare apt-get'
[ -n "$only_build" ] || needed="$needed qemu-aarch64-static qemu-system-aarch64 cpio depmod"
for program in $needed; do
  type -P "$program" > /dev/null ||
    fail "$program is missing; as root: apt-get install --no-install-recommends debootstrap qemu-user-static qemu-system-arm cpio kmod"
done
# shellcheck disable=SC2016 # apt's dollar
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
[ -n "$mirror" ] || fail 'apt has no lists of a Debian mirror; as root: apt-get update'

# Packages for x86-64 and for the other machine. Debian has no Level Zero for that.
tools='bsdextrautils clang-14 crossbuild-essential-arm64 jq libprotozero-dev linux-source-6.1 make opencl-headers python3-minimal xz-utils'
libraries='libboost-program-options-dev libbpf-dev libbz2-dev libcapstone-dev libcurl4-openssl-dev libdeflate-dev libdw-dev
  libelf-dev libgmock-dev libgtest-dev libiberty-dev liblzma-dev libre2-dev libsqlite3-dev libtraceevent-dev
  libunwind-dev libxxhash-dev libzstd-dev ocl-icd-opencl-dev zlib1g-dev libc6-dbg'
# What programs there are run with. PoCL must not come into the first system: it brings another
# compiler along, which takes the cross compiler's place.
programs='bash coreutils diffutils findutils gawk grep gzip hostname libc-bin mawk mount procps sed tar util-linux
  binutils jq linux-perf perl-base pocl-opencl-icd python3 python3-numpy python3-pyopencl libbpf1 libcapstone4 libcurl4
  libdeflate0 libdw1 libelf1 libre2-9 libsqlite3-0 libtraceevent1 libunwind8 ocl-icd-libopencl1'

# CUDA's headers are the same for both machines.
cuda=${CUDA_HOME:-/usr/local/cuda} cuda_programs=
if [ -e "$cuda/include/cupti_pcsampling.h" ]; then
  cuda=$(readlink -f "$cuda")
  for program in cuda/libcuda.so.1 cuda/libcupti.so.13 cuda/libnvidia-files.so demo/cuda_launches; do
    cuda_programs="$cuda_programs ${out#"$root"/}/tests/$program"
  done
else
  cuda=
fi

# in_cross COMMAND: in the first system, where the sources are at their own path
in_cross() {
  # shellcheck disable=SC2016 # the inner shell's
  unshare --mount --propagation private bash -c 'set -e
    mkdir -p "$1$2"
    mount --bind "$2" "$1$2"
    mount -t proc proc "$1/proc"
    mount --bind /dev "$1/dev"
    if [ -n "$4" ]; then mkdir -p "$1/usr/local/cuda" && mount --bind "$4" "$1/usr/local/cuda"; fi
    exec chroot "$1" /bin/bash -c "cd \"$2\" && $3"' cross "$out/cross" "$root" "$1" "$cuda"
}

make_cross() {
  if [ -e "$out/cross/ready" ]; then return; fi
  echo "debootstrap: $out/cross"
  rm -rf "$out/cross"
  debootstrap --variant=minbase bookworm "$out/cross" "$mirror" > "$out/debootstrap.log" 2>&1 ||
    { tail -n 5 "$out/debootstrap.log" >&2 && fail 'debootstrap failed'; }
  cp /etc/resolv.conf "$out/cross/etc/"
  local own
  own=$(for library in $libraries; do echo "$library:arm64"; done)
  in_cross "export DEBIAN_FRONTEND=noninteractive LC_ALL=C && dpkg --add-architecture arm64 && apt-get -qq update &&
    apt-get -qq -y --no-install-recommends install ${tools//$'\n'/ } &&
    apt-get -qq -y --no-install-recommends install ${own//$'\n'/ }" > "$out/packages.log" 2>&1 ||
    { tail -n 5 "$out/packages.log" >&2 && fail 'apt-get failed in the first system'; }
  touch "$out/cross/ready"
}

# The second system is unpacked, not installed: none of its scripts can run here.
make_root() {
  if [ -e "$out/root/ready" ]; then return; fi
  echo "packages: $out/root"
  rm -rf "$out/root" "$out/apt"
  mkdir -p "$out/root" "$out"/apt/{lists,cache/archives}/partial
  touch "$out/apt/status"
  echo "deb [arch=arm64 signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" \
    > "$out/apt/sources.list"
  local options=(-qq -o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::Etc::SourceList="$out/apt/sources.list"
    -o Dir::Etc::SourceParts=/dev/null -o Dir::State="$out/apt" -o Dir::State::status="$out/apt/status"
    -o Dir::Cache="$out/apt/cache" -o APT::Sandbox::User=root -o Acquire::Retries=3)
  apt-get "${options[@]}" update
  # shellcheck disable=SC2086 # one word per package
  apt-get "${options[@]}" -y --no-install-recommends --download-only install $programs > "$out/packages.log" 2>&1 ||
    { tail -n 5 "$out/packages.log" >&2 && fail 'apt-get failed for the second system'; }
  local file
  for file in "$out"/apt/cache/archives/*.deb; do dpkg-deb -x "$file" "$out/root"; done
  rm -rf "$out/apt"
  # what scripts of packages would have done
  local own=$out/root/usr/lib/aarch64-linux-gnu
  for file in blas lapack; do ln -sf "$file/lib$file.so.3" "$own/lib$file.so.3"; done
  ln -sf mawk "$out/root/usr/bin/awk"
  [ -e "$out/root/bin/sh" ] || ln -s bash "$out/root/bin/sh"
  printf '%s\n' root:x:0:0:root:/tmp:/bin/bash nobody:x:65534:65534:nobody:/tmp:/bin/sh > "$out/root/etc/passwd"
  printf '%s\n' root:x:0: nogroup:x:65534: > "$out/root/etc/group"
  touch "$out/root/ready"
}

make_cross
echo "make: $out"
in_cross "make -j$(nproc) --no-print-directory CXX=aarch64-linux-gnu-g++ CXXFLAGS=-O1 O=${out#"$root"/} \
  all demo-programs ${out#"$root"/}/tests/unit ${out#"$root"/}/tests/deep ${out#"$root"/}/tests/inlined$cuda_programs"
[ -z "$only_build" ] || exit 0
make_root

# The same bytes from the filters of both machines.
failed=0 same=0
other() { qemu-aarch64-static -L "$out/root" "$out/bin/$1" "${@:2}"; }
compare() { # PROGRAM ARGUMENT...
  "$here/bin/$1" "${@:2}" > "$out/ours" 2> "$out/ours.err" || echo "exit $?" >> "$out/ours"
  other "$@" > "$out/theirs" 2> "$out/theirs.err" || echo "exit $?" >> "$out/theirs"
  if cmp -s "$out/ours" "$out/theirs"; then
    same=$((same + 1))
  else
    echo "not ok other bytes: $*"
    failed=$((failed + 1))
  fi
}
data=$root/tests/data
for file in "$data"/stackcollapse-aiflame/*.gpustall; do
  compare stackcollapse-aiflame "$file"
  compare aiflame-annotate "$file"
  "$here/bin/stackcollapse-aiflame" "$file" > "$out/folded" 2> /dev/null || continue
  for program in aiflame-svg aiflame-report aiflame-export aiflame-cost; do compare "$program" "$out/folded"; done
  compare aiflame-diff "$out/folded" "$out/folded"
  compare aiflame-merge "$out/folded"
done
# what importers read, and what they write
for program in trace ncu rocprof pprof proton iaprof unitrace xplane torch-memory hpctoolkit nsys; do
  for file in "$data/stackcollapse-$program"/* "$data/$program"/*; do
    case $file in
      *.out) for filter in aiflame-svg aiflame-report aiflame-export; do compare "$filter" "$file"; done ;;
      *.md | *.svg | *.go | *'/*') ;;
      *) compare "stackcollapse-$program" "$file" ;;
    esac
  done
done
echo "ok $same outputs of qemu-user have the bytes of this machine's, $failed have not"

"$root/scripts/test-vm.sh" -a arm64 -r "$out/root" "$out" "$@" || failed=1
[ "$failed" -eq 0 ]
