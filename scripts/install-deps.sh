#!/bin/sh
# SPDX-License-Identifier: MIT
# install-deps.sh: installs the packages that this Debian 12 machine lacks for building, testing and
# the demo. It is safe to run again: if nothing is missing it ends at once, and needs no root.
set -eu

# one package per line, with its purpose
packages="
  binutils                          # ar, ld, addr2line for tests
  bsdextrautils                     # column, for make help
  bats                              # command-line tests
  chromium                          # the SVG is clicked and searched in a real browser
  chromium-driver                   # and driven through WebDriver
  clang                             # make ci builds the unit tests with it too
  clang-format                      # make lint
  clang-tidy                        # make lint
  curl                              # speaks to chromium-driver
  dwz                               # debug information shared between files, in tests
  g++                               # C++20
  git                               # make lint asks it for the files
  groff                             # lints the manual pages
  intel-opencl-icd                  # ocloc, Intel's compiler: genuine GPU code for tests
  jq                                # reads JSON in tests
  libboost-program-options-dev      # options
  libbz2-dev                        # libdw linked statically asks for it
  libcapstone-dev                   # x86 disassembly
  libdeflate-dev                    # compressed debug sections
  libdw-dev                         # DWARF
  libelf-dev                        # ELF
  libgtest-dev                      # unit tests
  libiberty-dev                     # names demangled as perf has them
  libigc1                           # libiga64, loaded at run time: instructions of Intel GPUs
  libigc-tools                      # iga64, what libiga64 is compared with in tests
  liblzma-dev                       # the same
  libre2-dev                        # regular expressions that take bounded time
  libtraceevent-dev                 # arguments of tracepoints
  libunwind-dev                     # stack walks in the agents
  libze-dev                         # the Level Zero agent; its loader is tested with
  libxxhash-dev                     # code objects are kept under the hash of their content
  libxml2-utils                     # xmllint: SVGs are well formed
  libzstd-dev                       # compressed input
  linux-perf                        # perf script, for tests; the header of aiflame-dlfilter.so
  linux-source-6.1                  # libperf
  llvm                              # llvm-symbolizer, what lines of GPU code are compared with
  make
  man-db                            # reads the pages as a user does
  ocl-icd-opencl-dev                # OpenCL
  opencl-headers                    # CL/cl_layer.h
  perl                              # FlameGraph's programs, compared with in tests
  pocl-opencl-icd                   # OpenCL on the CPU: the demo's device
  python3                           # test drivers
  python3-pyopencl                  # a Python program that launches kernels, recorded in tests
  shellcheck                        # make lint
  universal-ctags                   # make lint: names defined twice
  xz-utils                          # unpacks linux-source
  zlib1g-dev                        # compressed input
"
missing=
for package in $(echo "$packages" | sed 's/#.*//'); do
  status=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ]; then
  echo "install-deps.sh: missing packages; as root: apt-get install --no-install-recommends$missing" >&2
  exit 1
fi
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
# failure is ignored: old lists may still do, and the network may come back
apt-get -qq -o Acquire::Retries=3 update ||
  echo "install-deps.sh: warning: apt-get update failed; going on with the lists there are" >&2
# shellcheck disable=SC2086 # one word per package
apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing > /dev/null
