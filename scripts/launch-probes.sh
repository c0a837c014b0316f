#!/bin/bash
# SPDX-License-Identifier: MIT
# launch-probes: defines probes on the functions that launch kernels, so that perf records launches
# with their CPU stacks; stackcollapse-aiflame(1) joins them with device samples.
set -euo pipefail
export LC_ALL=C

group=aiflame_launch
usage="Usage: launch-probes [--list | --remove | --help] [LIBRARY...]

Defines a probe of perf, ${group}:FUNCTION, on each function of the installed OpenCL, Level Zero,
CUDA and HIP libraries that launches kernels, or on those of the LIBRARY files alone. They stay
until they are removed or the machine is restarted. Needs root.

Options:
  --list    print the probes that are defined
  --remove  remove them; other groups' probes are left alone
  --help    print this help

Example:
  launch-probes
  perf record -k CLOCK_MONOTONIC -g -e '${group}:*' -o launches.data -- ./app"

libraries='libOpenCL.so.1 libze_loader.so.1 libcuda.so.1 libamdhip64.so'
# All of these functions take a handle; none has the kernel's name as an argument.
functions='
  clEnqueueNDRangeKernel
  zeCommandListAppendLaunchKernel zeCommandListAppendLaunchCooperativeKernel
  zeCommandListAppendLaunchKernelIndirect zeCommandListAppendLaunchMultipleKernelsIndirect
  cuLaunchKernel cuLaunchKernel_ptsz cuLaunchKernelEx cuLaunchKernelEx_ptsz
  cuLaunchCooperativeKernel cuLaunchCooperativeKernel_ptsz cuGraphLaunch cuGraphLaunch_ptsz
  hipLaunchKernel hipLaunchKernel_spt hipModuleLaunchKernel hipExtModuleLaunchKernel
  hipExtLaunchKernel hipLaunchCooperativeKernel hipGraphLaunch'

fail() {
  echo "launch-probes: $1" >&2
  exit "${2:-1}"
}

# Files of an installed library, of any version: `NAME (libc6,x86-64) => PATH`. Reads all lines,
# because a writer whose reader has gone fails.
installed() {
  local ldconfig
  ldconfig=$(command -v ldconfig || echo /sbin/ldconfig)
  "$ldconfig" -p 2> /dev/null | awk -v name="$1" 'index($1, name) == 1 && !n++ { print $NF }'
}

# define FUNCTION LIBRARY: prints the event's name
define() {
  local function=$1 library=$2 line said
  # `  GROUP:FUNCTION (on FUNCTION in LIBRARY with caller)`; for a second library it is FUNCTION_1
  line=$(perf probe -q -l "$group:*" 2> /dev/null |
    awk -v name="$group:$function" -v place=" in $library" '{
      own = $1; sub(/_[0-9]+$/, "", own)
      if (own == name && (index($0, place " ") || index($0, place ")")) && !n++) print $1
    }' || true)
  if [ -n "$line" ]; then
    echo "$line"
    return
  fi
  # the caller is the return address: at the probe the function has not set up its frame pointer yet
  local caller=
  # shellcheck disable=SC2016 # $stack0 is for the kernel
  case $(uname -m) in
    x86_64) caller=' caller=$stack0:x64' ;;
    aarch64) caller=' caller=%x30:x64' ;;
  esac
  said=$(perf probe -f -x "$library" -a "$group:$function=$function$caller" 2>&1) ||
    fail "cannot probe '$function' in '$library': $(grep -v '^ *$' <<< "$said" | tail -n 1)"
  [[ $said =~ $group:[A-Za-z0-9_]+ ]] && echo "${BASH_REMATCH[0]}"
}

action=define
files=()
for argument in "$@"; do
  case $argument in
    --help) exec echo "$usage" ;;
    --list | --remove) action=${argument#--} ;;
    -*) fail "unknown option '$argument'; try 'launch-probes --help'" 2 ;;
    *) files+=("$argument") ;;
  esac
done
if [ "$action" != define ] && [ "${#files[@]}" -gt 0 ]; then
  fail "option '--$action' takes no library; try 'launch-probes --help'" 2
fi
command -v perf > /dev/null || fail 'perf is not installed'
[ "$(id -u)" -eq 0 ] || fail 'needs root: probes are part of the system'

case $action in
  list) exec perf probe -q -l "$group:*" ;;
  remove)
    [ -z "$(perf probe -q -l "$group:*" 2> /dev/null)" ] || perf probe -q -d "$group:*" > /dev/null
    exit
    ;;
esac

if [ "${#files[@]}" -eq 0 ]; then
  for name in $libraries; do
    file=$(installed "$name")
    [ -z "$file" ] || files+=("$file")
  done
  [ "${#files[@]}" -gt 0 ] ||
    fail 'none of OpenCL, Level Zero, CUDA and HIP is installed where ldconfig knows of it; name the library'
fi
for file in "${files[@]}"; do
  [ -r "$file" ] || fail "cannot read '$file'"
  file=$(realpath "$file")
  known=$(perf probe -q -x "$file" -F 2> /dev/null) || fail "cannot read the functions of '$file'"
  any=
  for function in $functions; do
    if grep -qx "$function" <<< "$known"; then
      define "$function" "$file"
      any=yes
    fi
  done
  [ -n "$any" ] || fail "'$file' has no function that launches kernels"
done
