#!/bin/bash
# SPDX-License-Identifier: MIT
# try-dist.sh CHROOT TARBALL: tries, as root, the tarball of `make dist` in CHROOT, another
# distribution: debootstrap --variant=minbase bullseye CHROOT
#
# Every program starts (push-profile where there is libcurl), and a recording and a PyTorch trace are
# folded and drawn to the same bytes as here. Where CHROOT has PoCL and pyopencl (python3-pyopencl
# pocl-opencl-icd libelf1), a Python program is recorded, and what its stacks have is printed.
set -euo pipefail
if [ $# -ne 2 ]; then
  echo "usage: try-dist.sh CHROOT TARBALL" >&2
  exit 2
fi
root=$1
name=$(tar -tzf "$2" | sed -n '1s,/.*,,p')
data=$(dirname "$0")/../tests/data
try=$root/opt/try-dist
trap 'umount "$root/proc" "$root/sys" 2> /dev/null || true; rm -rf "$try"' EXIT
mkdir -p "$try"
tar -C "$try" -xzf "$2"
cp "$data/stackcollapse-aiflame/matmul.gpustall" "$data"/stackcollapse-trace/kineto.json "$try/"
for system in proc sys; do # PoCL asks /sys for the processors
  mountpoint -q "$root/$system" || mount --bind "/$system" "$root/$system"
done
failed=0
say() { echo "$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' "$root/etc/os-release"): $*"; }
inside() { chroot "$root" sh -c "cd /opt/try-dist && PATH=/opt/try-dist/$name/bin:\$PATH && $1"; }
here() { (cd "$try" && PATH=$PWD/$name/bin:$PATH && sh -c "$1"); }

for program in "$try/$name"/bin/*; do
  inside "${program##*/} --version" > /dev/null || { say "${program##*/} does not start" && failed=1; }
done
say "$(find "$try/$name/bin" -type f | wc -l) programs were started"
# helpers say what they are for, or that they found nothing; 127: a library is missing
for helper in energy-nvml energy-amd energy-level-zero push-profile; do
  inside "$name/libexec/aiflame/$helper < /dev/null" > /dev/null 2>&1 || [ $? -ne 127 ] ||
    say "$helper does not start: a library is missing"
done

for command in 'stackcollapse-aiflame matmul.gpustall | aiflame-svg' \
  'stackcollapse-aiflame matmul.gpustall | aiflame-report' \
  'stackcollapse-trace kineto.json | aiflame-svg'; do
  inside "$command" > "$try/inside.out" 2> /dev/null || failed=1
  here "$command" > "$try/here.out" 2> /dev/null || failed=1
  if [ -s "$try/here.out" ] && cmp -s "$try/inside.out" "$try/here.out"; then
    say "same bytes: $command"
  else
    say "other bytes: $command" && failed=1
  fi
done

cat > "$try/launches.py" << 'END'
import numpy, pyopencl as cl
def launch(queue, kernel, data):
    kernel(queue, (1 << 14,), None, data).wait()
context = cl.Context(cl.get_platforms()[0].get_devices())
queue = cl.CommandQueue(context)
program = cl.Program(context, """kernel void spin(global float* data) {
  float x = get_global_id(0);
  for (int i = 0; i < 20000; ++i) x = x * 0.999f + i;
  data[get_global_id(0)] = x; }""").build()
data = cl.Buffer(context, cl.mem_flags.WRITE_ONLY, 4 << 14)
kernel = program.spin
for _ in range(5):
    launch(queue, kernel, data)
print("launched")
END
if inside 'python3 -c "import pyopencl"' 2> /dev/null; then
  inside 'gpustall-record -o app.gpustall -- python3 launches.py; stackcollapse-aiflame app.gpustall > app.folded' || failed=1
  for pattern in spin launches.py PyEval clEnqueueNDRangeKernel; do
    say "$(grep -c "$pattern" "$try/app.folded" || true) stacks have $pattern"
  done
else
  say 'no pyopencl: no program was recorded'
fi
exit "$failed"
