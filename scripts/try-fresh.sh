#!/bin/bash
# SPDX-License-Identifier: MIT
# try-fresh.sh tries README's two commands on a fresh Debian: see the usage below.
#
# A machine on which somebody once installed a package by hand cannot show that a list of packages
# lacks it. So the system here is a new one, in a mount namespace where it is the root: containers and
# user namespaces work in it as on a machine, which they do not in a chroot. The kernel, /proc, /sys
# and /dev are this machine's. CONTRIBUTING.md has the last result.
set -euo pipefail

usage() {
  cat << 'END'
usage: try-fresh.sh [OPTION]...
Makes a bare Debian with git and make by debootstrap, clones what is committed here into its
/root/aiflame, runs `make demo` and `make test` there, and prints what failed. Needs root.

  --suite NAME     the Debian to make (this machine's)
  --only COMMAND   demo or test: run this one alone
  --root DIR       make the system in DIR, which must be empty or absent, and keep it
  --logs DIR       where the output of the commands goes (try-fresh.logs)
  --help           this text

The mirror and the proxy are those of this machine's apt. Exit status: 0 if both commands did what
README says, 1 if one failed or printed what looks like an error, 2 for a usage error.
END
}

wrong() {
  echo "try-fresh.sh: $1; try 'try-fresh.sh --help'" >&2
  exit 2
}
# shellcheck source=/dev/null
here=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
suite=$here
commands="demo test"
root=
logs=try-fresh.logs
while [ $# -gt 0 ]; do
  case $1 in
    --help)
      usage
      exit 0
      ;;
    --suite | --only | --root | --logs) [ $# -ge 2 ] || wrong "$1 needs a value" ;;&
    --suite) suite=$2 ;;
    --only) commands=$2 ;;
    --root) root=$2 ;;
    --logs) logs=$2 ;;
    *) wrong "'$1' is no option" ;;
  esac
  shift 2
done
case $commands in demo | test | 'demo test') ;; *) wrong "--only is demo or test, not '$commands'" ;; esac
[ -n "$suite" ] || wrong "this machine is no Debian: name a --suite"
[ "$(id -u)" -eq 0 ] || wrong 'only root can make a system'
for program in debootstrap unshare git; do
  command -v "$program" > /dev/null || wrong "there is no $program: apt-get install $program"
done
repository=$(cd "$(dirname "$0")/.." && pwd)
commit=$(git -C "$repository" rev-parse HEAD)
[ -z "$(git -C "$repository" status --porcelain --untracked-files=no)" ] ||
  echo "try-fresh.sh: warning: what is not committed is not tried" >&2

# Lines "URI SUITE COMPONENT" of this machine's apt, for the other Debian; sid has no security suite.
# shellcheck disable=SC2016 # apt's own variables
sources() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
    sed "s/ $here\\b/ $suite/" | grep -E " $suite( |-(updates|security) )" |
    if [ "$suite" = sid ]; then grep -v ' sid-'; else cat; fi | sort -u
}
mirror=$(sources | awk -v suite="$suite" '$2 == suite { print $1; exit }')
[ -n "$mirror" ] || wrong "apt here has no source for Debian's '$here'"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
proxy=$(apt-config shell proxy Acquire::http::Proxy | sed "s/^proxy='\(.*\)'$/\1/")
[ -z "$proxy" ] || export http_proxy=$proxy

mkdir -p "$logs"
logs=$(cd "$logs" && pwd)
keep=$root
if [ -z "$root" ]; then root=$(mktemp -d "${TMPDIR:-/var/tmp}/try-fresh.XXXXXX"); fi
mkdir -p "$root"
root=$(cd "$root" && pwd)
chmod 755 "$root"  # mktemp makes it 0700, and it is / for other users too
[ -z "$(ls -A "$root")" ] || wrong "'$root' is not empty"

# shellcheck disable=SC2317 # called by a trap, too
# Ends what the commands left running: what is in their mount namespace. Its mounts go with the last.
end_processes() {
  local process
  [ -s "$logs/namespace" ] || return 0
  for process in /proc/[0-9]*; do
    if [ "$(readlink "$process/ns/mnt" 2> /dev/null)" = "$(cat "$logs/namespace")" ]; then
      kill -KILL "${process#/proc/}" 2> /dev/null || true
    fi
  done
  rm -f "$logs/namespace"
}
# shellcheck disable=SC2317 # called by a trap
finish() {
  end_processes
  # No mount lies below it here; --one-file-system is for the day when one does.
  [ -n "$keep" ] || rm -rf --one-file-system "$root"
}
trap finish EXIT
trap 'exit 130' INT TERM

echo "debootstrap: $suite"
debootstrap --variant=minbase --include=ca-certificates,git,make --keyring="$keyring" "$suite" "$root" "$mirror" \
  > "$logs/debootstrap.log" 2>&1 || {
  tail -n 5 "$logs/debootstrap.log" >&2
  exit 1
}
sources | sed 's/^/deb /' > "$root/etc/apt/sources.list"
apt-config dump Acquire | grep -E '^Acquire::(http|https|Check-|Retries)' > "$root/etc/apt/apt.conf.d/00here" || true
echo fresh > "$root/etc/hostname"
printf '127.0.0.1\tlocalhost fresh\n::1\tlocalhost\n' > "$root/etc/hosts"
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2> /dev/null || true
git clone -q --no-hardlinks "$repository" "$root/root/aiflame"
git -C "$root/root/aiflame" checkout -q --detach "$commit"

# inside COMMAND: runs it in the new system as root's shell would
inside() {
  # shellcheck disable=SC2016 # for the inner shell
  unshare --mount --uts --propagation private bash -c '
    set -e
    readlink /proc/self/ns/mnt > "$3"
    hostname fresh
    mount --bind "$1" "$1"
    for system in proc sys dev; do mount --rbind "/$system" "$1/$system"; done
    mount -t tmpfs tmpfs "$1/run"
    cd "$1"
    pivot_root . mnt
    umount -l /mnt
    exec env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin TERM=dumb \
      ${http_proxy:+"http_proxy=$http_proxy"} chroot . /bin/bash -c "cd /root/aiflame && $2"
  ' bash "$root" "$1" "$logs/namespace" < /dev/null
}

failed=0
# try COMMAND: `make COMMAND`, with what a reader wants to know of it
try() {
  local log=$logs/$1.log status=0 odd
  echo "make $1: the output goes to $log"
  TIMEFORMAT="make $1: %R s by the clock, %U s + %S s of processor time"
  # in the background, so that a signal ends it
  time { inside "make $1" > "$log" 2>&1 & wait $!; } || status=$?
  end_processes
  if [ "$status" -ne 0 ]; then
    failed=1
    echo "make $1: exit status $status; its last lines:"
    tail -n 10 "$log" | sed 's/^/  /'
  fi
  if [ "$1" = test ]; then
    grep -E '^(not ok|\[  FAILED  \] .*ms\))' "$log" | sed 's/^/  /' || true
    # each reason once, with the number of tests
    sed -n 's/^ok .* # skip *//p' "$log" | sort | uniq -c | sort -rn | sed 's/^/  skipped: /'
    tail -n 1 "$log"
    return
  fi
  odd=$(grep -nEi '\berror|cannot|no such file|not found|\bfail|warning' "$log" || true)
  if [ -n "$odd" ]; then
    failed=1
    echo "make $1: lines that look like errors:"
    printf '%s\n' "$odd" | sed 's/^/  /'
  fi
}
# bash has read the braces to their end before it runs them, so an edit of this file meanwhile is no harm
{
  for command in $commands; do try "$command"; done
  echo "$(date -u +%F), $suite, commit $(git -C "$repository" rev-parse --short=12 "$commit"), make $commands:" \
    "$([ "$failed" -eq 0 ] && echo 'as README says' || echo 'something failed')"
  [ -z "$keep" ] || echo "the system is kept in $root"
  exit "$failed"
}
