#!/bin/bash
# SPDX-License-Identifier: MIT
# make-demo.sh OUT: compiles, with nvcc and into the directory OUT, the cubins that the CUDA tests
# and benchmarks load on the stand-in for a GPU (tests/fakes/cupti). They are checked in as
# tests/data/cubin/demo, so the tests need no nvcc. one.cubin and other.cubin differ only in a
# constant. The sources are compiled below /tmp/aiflame-cubins, so that cubins have the same paths
# everywhere.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
out=$(cd "$1" && pwd)
work=/tmp/aiflame-cubins
exec 9> "$work.lock"
flock 9 # one run at a time
rm -rf "$work"
mkdir -p "$work/tests/demo"
trap 'rm -rf "$work"' EXIT
cp "$root"/tests/demo/{kernels.cu,cuda_matmul.cu,cuda_check.h,multiplications.h,numbers.h} \
  "$work/tests/demo"
# a line table contains the time and size of its sources: a changed comment changes the cubin
find "$work" -type f -exec touch -d @0 {} +
cd "$work"
compile() { nvcc -cubin -arch=sm_90 -lineinfo "$@"; } # OPTION… -o CUBIN SOURCE
compile -DFACTOR=1.0f -o "$out/one.cubin" tests/demo/kernels.cu
compile -DFACTOR=2.0f -o "$out/other.cubin" tests/demo/kernels.cu
compile -std=c++17 -I. -o "$out/cuda_matmul.cubin" tests/demo/cuda_matmul.cu
