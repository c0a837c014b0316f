#!/bin/sh
# SPDX-License-Identifier: MIT
# install-deps.sh [demo]: installs the packages that this machine, Debian 12 or 13, lacks for building
# and the demo, or, without the argument, for the tests too, which takes three times the
# space. With TEST_PACKAGES=few it leaves out the heaviest of those, and the tests that need them skip:
# twice the space. It is safe to run again: if nothing is missing it ends at once, and needs no root.
set -eu

purpose=${1:-all}
if [ $# -gt 1 ] || { [ $# -eq 1 ] && [ "$1" != demo ]; }; then
  echo "usage: install-deps.sh [demo]" >&2
  exit 2
fi

# One package per line, with its purpose. Of "a|b" one is enough, and of those that apt knows the
# first is installed; "a|" may be missing from this Debian: the tests that need it skip.
# For building and the demo:
packages="
  binutils                          # ar, ld; addr2line for tests
  bsdextrautils                     # column, for make help
  g++                               # C++20
  jq                                # reads JSON in the demo and in tests
  libboost-program-options-dev      # options
  libbpf-dev                        # a program in the kernel that reads Python stacks
  libbz2-dev                        # compressed input; libdw linked statically asks for it
  libc6-dbg                         # names of what libc keeps to itself: __libc_start_call_main
  libcapstone-dev                   # x86 disassembly
  libcurl4-openssl-dev              # HTTP: aiflame-export --push
  libdeflate-dev                    # compressed debug sections
  libdw-dev                         # DWARF
  libelf-dev                        # ELF
  libiberty-dev                     # names demangled as perf has them
  liblzma-dev                       # compressed input; symbols in .gnu_debugdata; libdw asks for it
  libprotozero-dev                  # protocol buffers: pprof
  libre2-dev                        # regular expressions that take bounded time
  libsqlite3-dev                    # exports of Nsight Systems
  libtraceevent-dev                 # arguments of tracepoints
  libze-dev                         # the Level Zero agent; its loader is tested with
  libxxhash-dev                     # code objects are kept under the hash of their content
  libzstd-dev                       # compressed input
  linux-source-6.1|linux-source-6.12|linux-source # libperf
  make
  ocl-icd-opencl-dev                # OpenCL
  opencl-headers                    # CL/cl_layer.h
  pocl-opencl-icd                   # OpenCL on the CPU: the demo's device
  xz-utils                          # unpacks linux-source
  zlib1g-dev                        # compressed input
"
# for tests, lint and measurements
[ "$purpose" = demo ] || packages="$packages
  bats                              # command-line tests
  chromium                          # the SVG is clicked and searched in a real browser
  chromium-driver                   # and driven through WebDriver
  clang                             # make ci builds the unit tests with it, under sanitizers
  clang-format                      # make lint
  clang-tidy                        # make lint
  curl                              # speaks to chromium-driver
  dwz                               # debug information shared between files, in tests
  fonts-dejavu-core                 # the only font in browser tests
  git                               # make lint asks it for the files
  groff                             # lints the manual pages
  intel-opencl-icd|                 # ocloc, Intel's compiler: genuine GPU code for tests
  libclang-rt-dev                   # clang's sanitizers and libFuzzer
  libgmock-dev                      # matchers of unit tests
  libgtest-dev                      # unit tests
  libigc1|                          # libiga64, loaded at run time: instructions of Intel GPUs
  libigc-tools|                     # iga64, what libiga64 is compared with in tests
  libunwind-dev                     # what the agents' stack walks are compared with
  libxml2-utils                     # xmllint: SVGs are well formed
  linux-perf                        # perf script, for tests; the header of aiflame-dlfilter.so
  lld                               # links GPU code by clang, in tests
  llvm                              # llvm-symbolizer, what lines of GPU code are compared with
  man-db                            # reads the pages as a user does
  musl-tools                        # a program of another C library, in tests
  openssl                           # a certificate that nobody vouches for, in tests
  parallel                          # an engine of scripts/fold-fleet.sh, in tests
  perl                              # FlameGraph's programs, compared with in tests
  protobuf-compiler                 # protoc decodes what aiflame-export writes
  python3                           # test drivers
  python3-pyopencl                  # a Python program that launches kernels, recorded in tests
  shellcheck                        # make lint
  universal-ctags                   # make lint: names defined twice
  zstd                              # compressed inputs of tests
"
# Those of them that bring most with them, each for a few tests:
heavy="
  catatonit                         # podman makes pods with it
  firefox-esr                       # the SVG in the other browser, driven through WebDriver BiDi
  golang-go                         # go tool pprof reads what aiflame-export writes
  munge                             # keys of the Slurm below
  podman                            # scripts/pod.yaml runs
  python3-websocket                 # speaks to firefox-esr
  runc                              # by which podman runs containers
  slurm-client                      # srun: ranks of a job
  slurmctld                         # the controller of a Slurm on this machine: ranks, job arrays
  slurmd                            # its nodes
"
# npm of another source than Debian excludes Debian's
command -v npm > /dev/null || heavy="$heavy
  npm                               # axe-core looks at the SVG; make lint: biome reads its scripts
"
[ "$purpose" = demo ] || [ "${TEST_PACKAGES:-}" = few ] || packages="$packages$heavy"
is_installed() { [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }
# apt takes a name that it does not know for a pattern: linux-source-6.1 for linux-source-6.12
is_known() { apt-cache show --no-all-versions "$1" 2> /dev/null | grep -qxF "Package: $1"; }
has_lists() { find /var/lib/apt/lists -maxdepth 1 -name '*_Packages*' | grep -q .; }

# Prints the packages to install of those that are missing. Without apt's lists nothing is known.
choose() {
  for names in $missing; do
    chosen=
    for name in $(echo "$names" | tr '|' ' '); do
      if [ -z "$chosen" ] && is_known "$name"; then chosen=$name; fi
    done
    case $names in
      *"|") [ -n "$chosen" ] || { has_lists && continue; } ;;
    esac
    printf '%s ' "${chosen:-${names%%|*}}"
  done
}

missing=
for names in $(echo "$packages" | sed 's/#.*//'); do
  found=
  for name in $(echo "$names" | tr '|' ' '); do
    if is_installed "$name"; then found=$name; fi
  done
  [ -n "$found" ] || missing="$missing $names"
done
[ -n "$(choose)" ] || exit 0
if [ "$(id -u)" != 0 ]; then
  echo "install-deps.sh: missing packages; as root: apt-get install --no-install-recommends $(choose)" >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive DEBCONF_NOWARNINGS=yes LC_ALL=C
# failure is ignored: old lists may still do, and the network may come back
apt-get -qq -o Acquire::Retries=3 update ||
  echo "install-deps.sh: warning: apt-get update failed; going on with the lists there are" >&2
chosen=$(choose)

# Says what will be installed, and how much of it. apt knows, and ends with status 1 as it may not go on.
# shellcheck disable=SC2086 # one word per package
plan=$(apt-get install --assume-no --no-install-recommends $chosen 2> /dev/null || true)
echo "installing: $chosen"
echo "$plan" | awk '
  / newly installed, / { packages = $3 }
  /^Need to get /      { sub(/^Need to get /, ""); sub(/ of archives.*/, ""); fetched = $0 }
  /disk space will be used/ { used = $4 " " $5 }
  END { if (packages) printf "%d packages with what they need; %s to fetch, %s of disk\n", packages, fetched, used }'
if [ "$purpose" != demo ]; then
  echo "$heavy" | while read -r name _ why; do
    case " $chosen" in
      *" $name "*) echo "  $name: $why" ;;
    esac
  done
  [ "${TEST_PACKAGES:-}" = few ] ||
    echo "  the tests that need these skip, and they are not installed, with TEST_PACKAGES=few"
fi

# Shows apt's progress: a line for every tenth part. Its lines are STAGE:PACKAGE:PERCENT:TEXT; the last
# is ours, end:STATUS.
show_progress() {
  stage='' shown=0
  while IFS=: read -r kind name percent _; do
    case $kind in
      dlstatus) word=fetched ;;
      pmstatus) word=installed ;;
      end) return "$name" ;;
      *) continue ;;
    esac
    [ "$word" = "$stage" ] || shown=0
    stage=$word
    percent=${percent%%.*}
    if [ "$percent" -ge $((shown + 10)) ]; then
      shown=$((percent / 10 * 10))
      echo "  $shown % $word"
    fi
  done
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086 # one word per package
install_chosen() {
  {
    apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o APT::Status-Fd=3 install -y \
      --no-install-recommends $chosen 3>&1 > "$log" 2>&1 && echo end:0 || echo end:$?
  } | show_progress
}
say_why() {
  # dpkg names a package that failed long before the end, and says why in the lines before its name
  echo "install-deps.sh: apt-get failed$1; its errors, and the end of what it said:" >&2
  grep -B 8 '^dpkg: error' "$log" | head -n 60 | sed 's/^/  /' >&2 || true
  tail -n 10 "$log" | sed 's/^/  /' >&2
}
# A second time: the script of a package may fail among hundreds (munge's did once in four fresh
# systems), and passes when apt goes on with what is there.
install_chosen || {
  say_why ', and is tried once more'
  install_chosen || {
    status=$?
    say_why ''
    exit "$status"
  }
}
