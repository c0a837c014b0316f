#!/bin/bash
# SPDX-License-Identifier: MIT
# demo.sh OUT 'OPTIONS': records tests/demo/matmul with its kernels built with OPTIONS, and draws
# three pictures into OUT:
#
#   demo.svg         where the device's time goes: three kernels, each faster than the one before
#   demo-time.svg    the same run by the launches' run time, which needs no samples
#   demo-change.svg  what a change to the second kernel did: red grew, blue shrank, hatched is gone
#
# It also prints each kernel's share of the samples, beside its share of the device time that the
# program itself measured. What was drawn stays beside the pictures: demo.{gpustall,folded,summary}.
# With BLESS=1, demo.svg also replaces tests/demo/demo.svg, which README.md shows.
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: demo.sh OUT 'OPENCL BUILD OPTIONS'" >&2
  exit 2
fi
out=$(cd "$1" && pwd)
options=$2
before_options="$options -D SUMS=1" # see tests/demo/matmul.cl
attempts=${DEMO_ATTEMPTS:-3}
matmul=$out/tests/demo/matmul
PATH=$out/bin:$PATH

say() { echo "demo.sh: $*" >&2; }

# Kernels are compiled anew, into OUT, because the pictures depend on their debug information.
export POCL_CACHE_DIR=$out/demo.pocl-cache
rm -rf "$POCL_CACHE_DIR"
mkdir -p "$POCL_CACHE_DIR"
# What LLVM says about the debug information of PoCL's own functions, on each run; it does no harm.
doubts='!dbg|^ptr @_Z|^  %[0-9]+ = call '

# record NAME OPTIONS ARGUMENT...: into NAME.gpustall, what matmul prints into NAME.txt. Records
# again if others kept the device's threads from their cores: that shifts the shares. Sets waited,
# the percentage of the time that they waited, and busy, the options by which later pictures say so.
busy=()
record() {
  local name=$out/$1 build=$2 attempt
  shift 2
  for ((attempt = 1; ; ++attempt)); do
    if ! gpustall-record -o "$name.gpustall" --objects "$out/demo.objects" -- \
      "$matmul" --options "$build" "$@" > "$name.txt" 2> "$name.log"; then
      cat "$name.log" >&2
      return 1
    fi
    grep -Ev "$doubts" "$name.log" >&2 || true
    waited=$(awk '$1 == "waited" && $5 > 0 { printf "%.2f", 100 * $2 / $5 }' "$name.txt")
    awk -v waited="${waited:-0}" 'BEGIN { exit !(waited > 1) }' || break
    if [ "$attempt" -eq "$attempts" ]; then
      busy=(--subtitle "busy machine: threads waited $waited % of their time for a core, which shifts shares")
      say "the threads waited $waited % of their time for a core, $attempts times: take the shares" \
        "with a grain of salt"
      break
    fi
    say "the machine is busy: the threads waited $waited % of their time for a core; recording again"
  done
}

setting=$(cat /proc/sys/kernel/perf_event_paranoid 2> /dev/null || echo 2)
if [ "$(id -u)" -ne 0 ] && [ "$setting" -gt 2 ]; then
  say "as an ordinary user with kernel.perf_event_paranoid $setting: the pictures show the run time of" \
    "launches, since samples in kernels need root, or 2 at most"
elif [ "$(id -u)" -ne 0 ]; then
  say "as an ordinary user: samples and stacks of user space; root would add other users' processes," \
    "-a and --launch-stacks=uprobe"
fi

record demo "$options"
# If samples are forbidden, gpustall-record has said so, and still records the launches' time.
levels=file,kernel,function,line,mnemonic,reason,offset
stackcollapse-aiflame --gpu-frames "$levels" --stats "$out/demo.stats" "$out/demo.gpustall" \
  > "$out/demo.folded"
aiflame-svg --title "matmul: three kernels, each faster than the one before, built with '$options'" \
  "${busy[@]}" "$out/demo.folded" > "$out/demo.svg"

stackcollapse-aiflame --event gpu-time "$out/demo.gpustall" > "$out/demo-time.folded"
aiflame-svg --title "matmul: run time of its launches" "${busy[@]}" "$out/demo-time.folded" > "$out/demo-time.svg"

# as many launches of the kernels before the change, so that the counts compare as they are
launches=$(awk '$1 == "multiply_basic" { print $2 }' "$out/demo.txt")
after_waited=$waited
record demo-before "$before_options" --repeats "$launches"
# whole functions: the change gave the kernel other instructions
for side in demo-before demo; do
  stackcollapse-aiflame --gpu-frames file,kernel,function "$out/$side.gpustall" \
    > "$out/$side.functions"
done
aiflame-diff "$out/demo-before.functions" "$out/demo.functions" |
  aiflame-svg --title "multiply_local_access with two partial sums instead of one" \
    "${busy[@]}" > "$out/demo-change.svg"

exact=$(jq -r '.device[.event] // {} | "\(.exact // 0) \(.samples // .nanoseconds // 0)"' \
  "$out/demo.stats")
unit=samples
[ "$(jq -r .event "$out/demo.stats")" != gpu-time ] || unit=ns

# KERNEL_[G] in a stack is the kernel that owns these samples.
awk -v exact="$exact" -v waited="${after_waited:-?}" -v unit="$unit" '
  FNR == NR {
    if ($1 == "kernel") in_table = 1
    else if ($1 == "waited") in_table = 0
    else if (in_table) { kernels[++count] = $1; device[$1] = $3; all_device += $3 }
    next
  }
  /^#/ { next }
  {
    weight = $NF
    all += weight
    for (i = 1; i <= count; ++i)
      if (index($0, ";" kernels[i] "_[G];") || index($0, ";" kernels[i] "_[G] ")) {
        samples[kernels[i]] += weight
        found += weight
        break
      }
  }
  function share(part, whole) { return whole > 0 ? 100 * part / whole : 0 }
  END {
    printf "%-34s %9s %8s %12s %8s %7s\n", "kernel", "device s", "share %",
           unit, "share %", "points"
    for (i = 1; i <= count; ++i) {
      k = kernels[i]
      printf "%-34s %9.3f %8.2f %12.0f %8.2f %+7.2f\n", k, device[k], share(device[k], all_device),
             samples[k], share(samples[k], all), share(samples[k], all) - share(device[k], all_device)
    }
    if (all > found)
      printf "%-34s %9s %8s %12.0f %8.2f\n", "elsewhere", "", "", all - found, share(all - found, all)
    split(exact, part, " ")
    printf "%-34s %9.3f %8s %12.0f\n", "all", all_device, "", all
    printf "exact: %.2f %% of %.0f %s; waited for a core: %s %% of the time\n",
           share(part[1], part[2]), part[2], unit, waited
  }' "$out/demo.txt" "$out/demo.folded" > "$out/demo.summary"
cat "$out/demo.summary"
if [ -n "${BLESS:-}" ]; then cp "$out/demo.svg" "$(dirname "$0")/../tests/demo/"; fi
echo "open in a browser:
  $out/demo.svg         where the device's time goes
  $out/demo-time.svg    the run time of the launches
  $out/demo-change.svg  what a change did: red grew, blue shrank, hatched is gone"
