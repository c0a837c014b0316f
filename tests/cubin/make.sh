#!/bin/bash
# SPDX-License-Identifier: MIT
# make.sh OUT: compiles cubins of these sources with nvcc into the directory OUT, and writes beside
# each of them NAME.lines: the line of each instruction by NVIDIA's own library (CUPTI).
# tests/data/cubin has what CUDA 13.0 made, except the linked cubins of other architectures.
# Sources are compiled as /tmp/aiflame-cubins/X.cu, so that objects contain no other path.
set -eu
sources=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
cuda=$(dirname "$(dirname "$(readlink -f "$(command -v nvcc)")")")
work=/tmp/aiflame-cubins
exec 9> "$work.lock"
flock 9 # one run at a time
rm -rf "$work"
mkdir -p "$work"
trap 'rm -rf "$work"' EXIT
cp "$sources"/*.cu "$sources"/*.cuh "$work"
cd "$work"
g++ -I "$cuda/include" -o sass_lines "$sources/sass_lines.cc" -L "$cuda/lib64" -l:libcupti.so.13 \
  -Wl,-rpath,"$cuda/lib64"

lines() { # CUBIN
  local functions
  read -r -d '' -a functions < <(python3 "$sources/cubin.py" functions "$1") || true
  ./sass_lines "$1" "${functions[@]}" > "${1%.cubin}.lines"
}

linked() { # OUT ARCHITECTURE OPTION_OF_A OPTION_OF_B
  nvcc -rdc=true -arch="$2" "$3" -cubin -o a.o linked_a.cu
  nvcc -rdc=true -arch="$2" "$4" -cubin -o b.o linked_b.cu
  nvcc -rdc=true -arch="$2" -dlink -cubin -o "$1" a.o b.o
}

for arch in ${ARCHITECTURES:-sm_75 sm_80 sm_90 sm_100}; do
  nvcc -arch="$arch" -cubin -lineinfo -o "$out/kernels.$arch.cubin" kernels.cu
  nvcc -arch="$arch" -cubin -o "$out/kernels.$arch.bare.cubin" kernels.cu
  nvcc -arch="$arch" -cubin -G -o "$out/kernels.$arch.debug.cubin" kernels.cu
  linked "$out/linked.$arch.cubin" "$arch" -lineinfo -lineinfo
  linked "$out/linked.$arch.mixed.cubin" "$arch" -G -lineinfo
done
for cubin in "$out"/*.cubin; do lines "$cubin"; done
