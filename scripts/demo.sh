#!/bin/bash
# SPDX-License-Identifier: MIT
# demo.sh OUT 'OPTIONS': records tests/demo/matmul with its kernels built with OPTIONS, draws the
# flame graph, and compares each kernel's share of the samples with the device time that the
# program itself printed. Leaves demo.{gpustall,folded,svg,txt,summary} in OUT.
set -euo pipefail

if [ $# -ne 2 ]; then
  echo "usage: demo.sh OUT 'OPENCL BUILD OPTIONS'" >&2
  exit 2
fi
out=$(cd "$1" && pwd)
options=$2
attempts=3
PATH=$out/bin:$PATH

say() { echo "demo.sh: $*" >&2; }

if [ "$(id -u)" -ne 0 ]; then
  say "as an ordinary user: samples and stacks of user space; root would add other users' processes," \
    "-a and --launch-stacks=uprobe"
fi

# Kernels are compiled anew, into OUT, because the test depends on their debug information.
export POCL_CACHE_DIR=$out/demo.pocl-cache
rm -rf "$POCL_CACHE_DIR"
mkdir -p "$POCL_CACHE_DIR"

# Records again if others kept the device's threads from their cores: that shifts the shares.
for ((attempt = 1; ; ++attempt)); do
  gpustall-record -o "$out/demo.gpustall" --objects "$out/demo.objects" -- \
    "$out/tests/demo/matmul" --options "$options" > "$out/demo.txt"
  waited=$(awk '$1 == "waited" && $5 > 0 { printf "%.2f", 100 * $2 / $5 }' "$out/demo.txt")
  awk -v waited="${waited:-0}" 'BEGIN { exit !(waited > 1) }' || break
  if [ "$attempt" -eq "$attempts" ]; then
    say "the threads waited $waited % of their time for a core, $attempts times: take the shares" \
      "with a grain of salt"
    break
  fi
  say "the threads waited $waited % of their time for a core; recording again"
done

# If samples are forbidden, gpustall-record has said so, and still records the launches' time.
stackcollapse-aiflame --stats "$out/demo.stats" "$out/demo.gpustall" \
  > "$out/demo.folded"
unit=samples
[ "$(jq -r .event "$out/demo.stats")" != gpu-time ] || unit=ns
aiflame-svg --title "matmul, kernels built with '$options'" --countname "$unit" \
  "$out/demo.folded" > "$out/demo.svg"

exact=$(jq -r '.device[.event] // {} | "\(.exact // 0) \(.samples // .nanoseconds // 0)"' \
  "$out/demo.stats")

# KERNEL_[G] in a stack is the kernel that owns these samples.
awk -v exact="$exact" -v waited="${waited:-?}" -v unit="$unit" '
  FNR == NR {
    if ($1 == "kernel") in_table = 1
    else if ($1 == "waited") in_table = 0
    else if (in_table) { kernels[++count] = $1; device[$1] = $3; all_device += $3 }
    next
  }
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
      printf "%-34s %9.3f %8.2f %12d %8.2f %+7.2f\n", k, device[k], share(device[k], all_device),
             samples[k], share(samples[k], all), share(samples[k], all) - share(device[k], all_device)
    }
    if (all > found)
      printf "%-34s %9s %8s %12d %8.2f\n", "elsewhere", "", "", all - found, share(all - found, all)
    split(exact, part, " ")
    printf "%-34s %9.3f %8s %12d\n", "all", all_device, "", all
    printf "exact: %.2f %% of %d %s; waited for a core: %s %% of the time\n",
           share(part[1], part[2]), part[2], unit, waited
  }' "$out/demo.txt" "$out/demo.folded" > "$out/demo.summary"
cat "$out/demo.summary"
echo "demo.svg, demo.folded and demo.gpustall are in $out"
