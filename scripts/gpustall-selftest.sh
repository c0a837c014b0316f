#!/bin/bash
# SPDX-License-Identifier: MIT
# gpustall-selftest: checks that samples of this GPU land on the expected instructions. On an Intel
# GPU it records a kernel that does nothing but wait for one load (tests/demo/hot.cl), by OpenCL and
# by Level Zero, and looks for the stalls at that line. selftest-cuda.sh tests NVIDIA GPUs.
# `make all test-programs` builds the programs that it needs.
set -euo pipefail
export LC_ALL=C

usage="Usage: gpustall-selftest.sh [--api opencl|level-zero|cuda] [--checks LIST] [--keep DIR] OUT

Records kernels of which it is known where their time goes, on the GPU that is there, and looks
whether the stalls are found there. OUT is make's directory, build as a rule.

Options:
  --api NAME     by this interface alone; else by all that the GPUs here have
  --checks LIST  of cuda, these alone: matmul, cases, attach, and with PyTorch time, memory, graph,
                 beside, kernels, torch, profiler, compiled
  --keep DIR     leave the recordings there, to be sent with a report
  --bits N       2^N entries in the table that opencl and level-zero walk (default 24: more than
                 caches hold)
  --seconds S    for so long (default 3)
  --help         print this help

Exit status: 0 all is where it must be; 1 something is not; 2 wrong usage; 77 there is no GPU whose
stalls can be sampled, or no program ran on it."

here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/selftest-judge.sh
. "$here/selftest-judge.sh"
# shellcheck source=scripts/selftest-cuda.sh
. "$here/selftest-cuda.sh"
# shellcheck source=scripts/selftest-torch.sh
. "$here/selftest-torch.sh"
usage_error() {
  echo "gpustall-selftest: $1; try 'gpustall-selftest.sh --help'" >&2
  exit 2
}

apis='opencl level-zero cuda' checks='' keep='' out='' bits=24 seconds=3
while [ $# -gt 0 ]; do
  case $1 in
    --help) exec echo "$usage" ;;
    --api | --checks | --keep | --bits | --seconds)
      [ $# -gt 1 ] || usage_error "option '$1' needs an argument"
      case $1 in
        --api) apis=$2 ;;
        --checks) checks=${2//,/ } ;;
        --keep) keep=$2 ;;
        --bits) bits=$2 ;;
        --seconds) seconds=$2 ;;
      esac
      shift
      ;;
    -*) usage_error "unknown option '$1'" ;;
    *) out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || usage_error 'no directory OUT'
case $apis in
  opencl | level-zero | cuda | 'opencl level-zero cuda') ;;
  *) usage_error "option '--api': not opencl, level-zero or cuda" ;;
esac
for one in $checks; do
  case " $cuda_checks " in *" $one "*) ;; *) usage_error "option '--checks': there is no check '$one'" ;; esac
done
out=$(cd "$out" && pwd)
demo=$out/tests/demo
kernel=$(dirname "$here")/tests/demo/hot.cl
PATH=$out/bin:$PATH
is_kept=$keep
if [ -n "$keep" ]; then
  mkdir -p "$keep"
  keep=$(cd "$keep" && pwd)
else
  keep=$(mktemp -d)
  trap 'rm -rf "$keep"' EXIT
fi
cd "$keep"
line=$(grep -n '// here$' "$kernel" | cut -d: -f1)

# ---- is there a GPU ----------------------------------------------------------------------------

# `xe   Intel GPUs …`, and below it `  device 0: Intel GPU …, period 1004 cycles`; or `cupti   …`, and
# below it `  device 0: NVIDIA …, 0000:3d:00.0`, followed by a colon and the reason if it cannot be
# sampled
gpustall-record --list > list
source=$(awk '/^[^ ]/ { name = $1 } /^  device .*, period [0-9]+ cycles/ { print name; exit }' list)
has_cuda=$(awk '/^[^ ]/ { is_cupti = $1 == "cupti" } is_cupti && /^  device .*, [0-9a-f:.]*$/ { print "yes"; exit }' list)
here_apis=''
for api in $apis; do
  if [ "$api" = cuda ]; then usable=$has_cuda; else usable=$source; fi
  [ -z "$usable" ] || here_apis+=" $api"
done
if [ -z "$here_apis" ]; then
  say 'no GPU whose stalls can be sampled:'
  awk '/^[^ ]/ { show = $1 != "opencl-cpu" && $1 != "replay" } show && /^  /' list
  exit 77
fi
awk '/^[^ ]/ { is_gpu = $1 != "opencl-cpu" && $1 != "replay" } is_gpu && /^  device / { sub(/^ */, ""); print "gpustall-selftest: " $0 }' list

# ---- record ------------------------------------------------------------------------------------

failed=0 ran=0
for api in $here_apis; do
  if [ "$api" = cuda ]; then
    selftest_cuda
    continue
  fi
  if [ "$api" = opencl ]; then
    program=$demo/cl_launches file=$kernel
  else
    program=$demo/ze_launches file=hot.spv
  fi
  if [ ! -e "$program" ]; then
    say "$api: skipped: there is no $program; make demo-programs test-programs"
    continue
  fi
  # Level Zero takes only SPIR-V
  if command -v ocloc > ocloc.log 2>&1; then
    cp "$kernel" hot.cl
    if ocloc compile -file hot.cl -device "${GPUSTALL_SELFTEST_DEVICE:-dg2}" -spv_only -options -g \
      -output hot -output_no_suffix >> ocloc.log 2>&1; then
      [ -e hot.spv ] || mv hot*.spv hot.spv # other releases add the device's name
      file=hot.spv
    fi
  fi
  if [ "$api" = level-zero ] && [ ! -e hot.spv ]; then
    say "$api: skipped: ocloc (intel-opencl-icd, intel-ocloc) is needed, for SPIR-V"
    continue
  fi
  if ! gpustall-record --source "$source" --objects objects -o "$api.gpustall" -- \
    "$program" hot "$file" "$bits" "$seconds" > "$api.out" 2> "$api.err"; then
    say "$api: skipped: the program did not run on a GPU: $(grep -v '^gpustall-record: ' "$api.err" | tail -n 1)"
    continue
  fi
  ran=1
  say "$api: $(grep '^gpustall-record: captured' "$api.err" | sed 's/^gpustall-record: //; s/; wrote.*//')"
  stackcollapse-aiflame --event gpu-stall --gpu-frames=kernel,line,mnemonic,reason,producer,offset "$api.gpustall" \
    2> "$api.stats" | sed 's/_\[[gG]\]//g' > "$api.folded"
  folded=$api.folded
  say "$api: $(grep -o 'gpu-stall: .*' "$api.stats" | tail -n 1)"

  total=$(sum .)
  in_kernel=$(sum ';-;hot;')
  by_function=$(sum ';run_hot;.*;-;hot;')
  with_line=$(sum ';-;hot;hot[.]cl:')
  in_loop=$(sum ";-;hot;hot[.]cl:($((line - 1))|$line);")
  # a stall that says what it waits for must also have a mnemonic
  with_mnemonic=$(sum ';-;hot;hot[.]cl:[0-9]*;[a-z0-9.]*;[a-z_]*;')
  waiting=$(sum ';-;hot;.*;sbid;')
  for_load=$(sum ";-;hot;.*;sbid;waits for [^;]*send[^;]* at 0x[0-9a-f]*, hot[.]cl:${line}[^;]*;")

  check "$api: stalls were sampled" "$total > 0"
  check "$api: $(percent "$in_kernel" "$total") of them in the kernel (at least 50 %: others may use the GPU)" \
    "$total > 0 && $in_kernel >= 0.5 * $total"
  check "$api: $(percent "$by_function" "$in_kernel") of the kernel's launched by run_hot (all)" \
    "$in_kernel > 0 && $by_function == $in_kernel"
  check "$api: $(percent "$with_line" "$in_kernel") of the kernel's with a source line (at least 99 %)" \
    "$in_kernel > 0 && $with_line >= 0.99 * $in_kernel"
  check "$api: $(percent "$in_loop" "$in_kernel") of the kernel's in its loop, hot.cl:$((line - 1)) and $line (at least 90 %)" \
    "$in_kernel > 0 && $in_loop >= 0.9 * $in_kernel"
  if [ "$with_mnemonic" = 0 ]; then
    say "skipped: $api: no disassembler knows this GPU: $(grep -m 1 -i 'iga' "$api.stats" || true)"
  else
    check "$api: $(percent "$for_load" "$waiting") of the kernel's sbid stalls for the load of line $line (at least 80 %)" \
      "$waiting > 0 && $for_load >= 0.8 * $waiting"
  fi
  say "$api: most of the kernel's stalls:"
  most ';-;hot;'
done

if [ "$ran" = 0 ]; then exit 77; fi
if [ "$failed" != 0 ]; then
  say 'please report it, with what --keep DIR leaves'
  exit 1
fi
say 'all is where it must be'
