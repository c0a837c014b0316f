#!/bin/sh
# SPDX-License-Identifier: MIT
# install-deps.sh [demo]: installs the packages that this machine, Debian 12 or 13, lacks for building
# and the demo, or, without the argument, for the tests too, which takes twice the space. It is safe
# to run again: if nothing is missing it ends at once, and needs no root.
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
  libbz2-dev                        # libdw linked statically asks for it
  libc6-dbg                         # names of what libc keeps to itself: __libc_start_call_main
  libcapstone-dev                   # x86 disassembly
  libcurl4-openssl-dev              # HTTP: aiflame-export --push
  libdeflate-dev                    # compressed debug sections
  libdw-dev                         # DWARF
  libelf-dev                        # ELF
  libiberty-dev                     # names demangled as perf has them
  liblzma-dev                       # symbols in .gnu_debugdata; libdw linked statically asks for it
  libprotozero-dev                  # protocol buffers: pprof
  libre2-dev                        # regular expressions that take bounded time
  libsqlite3-dev                    # exports of Nsight Systems
  libtraceevent-dev                 # arguments of tracepoints
  libunwind-dev                     # stack walks in the agents
  libze-dev                         # the Level Zero agent; its loader is tested with
  libxxhash-dev                     # code objects are kept under the hash of their content
  libzstd-dev                       # compressed input
  linux-source-6.1|linux-source-6.12 # libperf
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
  catatonit                         # podman makes pods with it, in tests
  chromium                          # the SVG is clicked and searched in a real browser
  chromium-driver                   # and driven through WebDriver
  clang                             # make ci builds the unit tests with it, under sanitizers
  clang-format                      # make lint
  clang-tidy                        # make lint
  curl                              # speaks to chromium-driver
  dwz                               # debug information shared between files, in tests
  firefox-esr                       # the SVG in the other browser, driven through WebDriver BiDi
  git                               # make lint asks it for the files
  golang-go                         # go tool pprof reads what aiflame-export writes
  groff                             # lints the manual pages
  intel-opencl-icd|                 # ocloc, Intel's compiler: genuine GPU code for tests
  libclang-rt-dev                   # clang's sanitizers and libFuzzer
  libgmock-dev                      # matchers of unit tests
  libgtest-dev                      # unit tests
  libigc1|                          # libiga64, loaded at run time: instructions of Intel GPUs
  libigc-tools|                     # iga64, what libiga64 is compared with in tests
  libxml2-utils                     # xmllint: SVGs are well formed
  linux-perf                        # perf script, for tests; the header of aiflame-dlfilter.so
  llvm                              # llvm-symbolizer, what lines of GPU code are compared with
  man-db                            # reads the pages as a user does
  munge                             # a Slurm on this machine, in tests
  musl-tools                        # a program of another C library, in tests
  parallel                          # an engine of scripts/fold-fleet.sh, in tests
  perl                              # FlameGraph's programs, compared with in tests
  podman                            # scripts/pod.yaml runs, in tests
  protobuf-compiler                 # protoc decodes what aiflame-export writes
  python3                           # test drivers
  python3-pyopencl                  # a Python program that launches kernels, recorded in tests
  python3-websocket                 # speaks to firefox-esr
  runc                              # by which podman runs containers, in tests
  shellcheck                        # make lint
  slurm-client                      # srun: ranks of a job, in tests
  slurmctld                         # its controller
  slurmd                            # its nodes
  universal-ctags                   # make lint: names defined twice
"
# npm of another source than Debian excludes Debian's
[ "$purpose" = demo ] || command -v npm > /dev/null || packages="$packages
  npm                               # make lint: biome reads the page's scripts; axe-core, in tests
"
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
export DEBIAN_FRONTEND=noninteractive
# failure is ignored: old lists may still do, and the network may come back
apt-get -qq -o Acquire::Retries=3 update ||
  echo "install-deps.sh: warning: apt-get update failed; going on with the lists there are" >&2
chosen=$(choose)
echo "installing: $chosen"
# shellcheck disable=SC2086 # one word per package
apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $chosen > /dev/null
