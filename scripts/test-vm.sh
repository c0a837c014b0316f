#!/bin/bash
# SPDX-License-Identifier: MIT
# Boots kernels of distributions in QEMU and runs scripts/vm/checks.sh there: see usage() below.
#
# Debian's kernels differ from those of clouds and container hosts. perf_event_paranoid is 3 there and
# takes CAP_SYS_ADMIN. tracefs is root's alone. Secure Boot locks the kernel down. So each kernel runs
# here on this machine's own files, which it sees read-only by virtio's 9p. It needs neither KVM nor a
# disk image.
set -euo pipefail

usage() {
  cat << 'END'
Usage: test-vm.sh [OPTION]... OUT [KERNEL]...

Runs the programs that make put into OUT on the kernels of distributions, in QEMU. KERNEL is a
release of Debian: bookworm (12) or trixie (13). Without one it takes both. The kernels are
packages; they are fetched once, into OUT/vm. For arm64 there is trixie-16k too, whose pages have
16 KiB.

  -a MACHINE   Debian's name of the machine: amd64 or arm64 [amd64]
  -c COMMAND   runs COMMAND in bash, as root, instead of the checks, and shows its output
  -l LEVEL     locks the kernel down: integrity, as Secure Boot does, or confidentiality
  -r ROOT      the files that the kernel sees, instead of this machine's: an unpacked Debian
  -t SECONDS   ends a virtual machine after so long [1200]
  --help       shows this text

The last line reads "N passed, N failed, N skipped". Exit status: 0 done, 1 a check failed or a
kernel did not run, 2 a mistake on the command line; with -c, COMMAND's.
END
}

machine=amd64 files=/ seconds=1200 command='' lockdown=

mistake() {
  echo "test-vm.sh: $*; try 'test-vm.sh --help'" >&2
  exit 2
}
fail() {
  echo "test-vm.sh: $*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --help) usage && exit ;;
    -a | -c | -l | -r | -t)
      [ $# -gt 1 ] || mistake "option '$1' needs a value"
      case $1 in
        -a) machine=$2 ;;
        -c) command=$2 ;;
        -l) lockdown=$2 ;;
        -r) files=$(cd "$2" && pwd) ;;
        -t) seconds=$2 ;;
      esac
      shift 2
      ;;
    -*) mistake "unknown option '$1'" ;;
    *) break ;;
  esac
done
[ $# -ge 1 ] || mistake 'no OUT'
case $lockdown in '' | integrity | confidentiality) ;; *) mistake "'$lockdown' is not integrity or confidentiality" ;; esac
case $machine in
  amd64) emulator='qemu-system-x86_64 -M q35 -cpu max' tty=ttyS0 packages=qemu-system-x86 ;;
  arm64) emulator='qemu-system-aarch64 -M virt -cpu max,pauth-impdef=on' tty=ttyAMA0 packages=qemu-system-arm ;;
  *) mistake "'$machine' is not amd64 or arm64" ;;
esac
packages="$packages cpio kmod" # and what install-deps.sh lists
[[ $seconds =~ ^[1-9][0-9]*$ ]] || mistake "'$seconds' is not a number of seconds"
[ -x "$1/bin/gpustall-record" ] || fail "no programs in '$1': make all test-programs"
out=$(cd "$1" && pwd)
root=$(cd "$(dirname "$0")/.." && pwd)
shift
[ $# -gt 0 ] || set -- bookworm trixie
for release; do
  case $machine-$release in
    *-bookworm | *-trixie | arm64-trixie-16k) ;;
    *) mistake "'$release' is not bookworm or trixie" ;;
  esac
done
for program in "${emulator%% *}" cpio depmod apt-get; do
  type -P "$program" > /dev/null ||
    fail "$program is missing; as root: apt-get install --no-install-recommends $packages"
done
[ "$(id -u)" -eq 0 ] || fail 'it needs root, whose files and rights the kernel is to see'

# private_apt DIR RELEASE PROGRAM ARGUMENT...: apt with the lists of RELEASE, from this machine's own
# mirror, that leaves the machine's lists alone
private_apt() {
  local dir=$1 release=$2 program=$3
  shift 3
  "$program" -qq -o APT::Architecture="$machine" -o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::State::Lists="$dir/lists" -o Dir::Cache="$dir/cache" -o Acquire::Retries=3 \
    -o APT::Sandbox::User=root "$@"
}

# What the first 9p mount needs. Kernels have most of it as modules.
modules='virtio virtio_ring virtio_pci_modern_dev virtio_pci_legacy_dev virtio_pci netfs fscache 9pnet 9p 9pnet_virtio'

# fetch RELEASE: its newest kernel, and a first root for it, into OUT/vm/RELEASE. Both are kept.
fetch() {
  local kernel=$1 release=${1%-16k} dir=$out/vm/$1 package mirror image tree module file
  if [ -s "$dir/initrd" ]; then return; fi
  mkdir -p "$dir/lists/partial" "$dir/cache/archives/partial" "$dir/first/bin" "$dir/first/lib"
  # shellcheck disable=SC2016 # apt's dollar
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' | head -n 1)
  [ -n "$mirror" ] || fail 'apt has no lists of a Debian mirror; as root: apt-get update'
  package=linux-image-$machine${kernel#"$release"}
  echo "deb [arch=$machine signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" \
    > "$dir/sources.list"
  private_apt "$dir" "$release" apt-get update
  image=$(private_apt "$dir" "$release" apt-cache depends "$package" |
    sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)$/\1/p' | head -n 1)
  [ -n "$image" ] || fail "$release has no package $package"
  (cd "$dir" && private_apt "$dir" "$release" apt-get download "$image" busybox-static)
  for file in "$dir"/*.deb; do dpkg-deb -x "$file" "$dir/tree"; done
  cp "$dir"/tree/boot/vmlinuz-* "$dir/vmlinuz"
  tree=$(find "$dir/tree" -path '*/lib/modules/*' -prune -type d | head -n 1)
  for module in $modules; do
    file=$(find "$tree" -name "$module.ko*" | head -n 1)
    case $file in
      *.xz) xz -dc "$file" > "$dir/first/lib/$module.ko" ;;
      *.ko) cp "$file" "$dir/first/lib/$module.ko" ;;
      *) continue ;; # built in, or not of this version
    esac
    echo "$module" >> "$dir/first/lib/order"
  done
  find "$dir/tree" -path '*bin/busybox' -exec cp {} "$dir/first/bin/" \;
  cp "$root/scripts/vm/init" "$dir/first/init"
  (cd "$dir/first" && find . | cpio --quiet -o -H newc | gzip -1) > "$dir/initrd.new"
  mv "$dir/initrd.new" "$dir/initrd"
  rm -rf "$dir"/{tree,first,lists,cache} "$dir"/*.deb
}

# boot RELEASE: runs OUT/vm/RELEASE/share/run in its kernel. What that writes into $SHARE lies in
# OUT/vm/RELEASE/share. Returns its exit status.
boot() {
  local dir=$out/vm/$1 sources=()
  # the sources are in this machine's files, but not in others
  if [ "$files" != / ]; then
    mkdir -p "$files"/{dev,proc,sys,tmp,run,var/tmp} "$files$root"
    echo "$root" > "$dir/share/sources"
    sources=(-virtfs "local,path=$root,mount_tag=sources,security_model=none,readonly=on,multidevs=remap,id=sources")
  fi
  rm -f "$dir/share/status"
  # emulated even where there is /dev/kvm: a machine in a virtual machine may stand still with it
  # shellcheck disable=SC2086 # its options
  timeout "$seconds" $emulator -accel tcg -smp 2 -m 3072 -nographic \
    -no-reboot -nic none -kernel "$dir/vmlinuz" -initrd "$dir/initrd" \
    -append "console=$tty quiet panic=-1 mitigations=off${lockdown:+ lockdown=$lockdown}" \
    -virtfs "local,path=$files,mount_tag=root,security_model=none,readonly=on,multidevs=remap,id=root" \
    -virtfs "local,path=$dir/share,mount_tag=share,security_model=none,multidevs=remap,id=share" \
    "${sources[@]}" \
    < /dev/null > "$dir/console" 2>&1 || true
  return "$(cat "$dir/share/status" 2> /dev/null || echo 124)"
}

checks=checks.sh
[ "$machine" = amd64 ] || checks=checks-$machine.sh
passed=0 failed=0 skipped=0
count() { grep -c "$1" "$2" || true; }
for release; do
  fetch "$release"
  share=$out/vm/$release/share
  mkdir -p "$share"
  rm -f "$share/report"
  printf '%s\n' "cd '$root'" "export AIFLAME_BUILD='$out' AIFLAME_ROOT='$root' PATH='$out/bin':\$PATH" \
    "${command:-exec bash scripts/vm/$checks $release}" > "$share/run"
  if [ -n "$command" ]; then
    boot "$release" && status=0 || status=$?
    cat "$share/output"
    [ "$status" -eq 0 ] || exit "$status"
    continue
  fi
  began=$SECONDS
  boot "$release" || true
  touch "$share/report"
  grep -v '^ok .*' "$share/report" || true
  ok=$(count '^ok ' "$share/report") skip=$(count '^ok .* # skip' "$share/report")
  bad=$(count '^not ok ' "$share/report")
  if ! grep -qx 'end' "$share/report"; then
    echo "not ok $release: the virtual machine did not come to its end: see $share/output and $share/../console"
    bad=$((bad + 1))
  fi
  echo "$release: $((ok - skip)) passed, $bad failed, $skip skipped, $((SECONDS - began)) s"
  passed=$((passed + ok - skip)) failed=$((failed + bad)) skipped=$((skipped + skip))
done
if [ -n "$command" ]; then exit; fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
