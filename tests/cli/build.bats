# SPDX-License-Identifier: MIT
# What the Makefile promises: what it builds, installs and removes.
load common

setup() {
  cd "$BATS_TEST_TMPDIR" || return
  root=$PWD/root
}

# in_sources TARGET KNOB…: make in the sources, without the programs' being built again
in_sources() { make -s -C "$AIFLAME_ROOT" -o all "$@"; }

# a build directory of the test's own, with the programs that are built: make notes its flags there
link_build() {
  mkdir out
  local part
  for part in bin libexec dlfilters completions; do
    if [ -e "$AIFLAME_BUILD/$part" ]; then ln -s "$AIFLAME_BUILD/$part" out; fi
  done
  cp "$AIFLAME_BUILD/flags" out
}

@test "make clean removes no directory that make has not begun" {
  mkdir mine
  touch mine/file
  local o
  for o in . .. / tools build/.. "$AIFLAME_ROOT" "$PWD/mine" ''; do
    run -2 --separate-stderr in_sources -n clean "O=$o"
    assert_equal "$output" ''
    [[ $stderr == *'choose a directory of its own'* ]]
  done
  [ -e mine/file ]
  mkdir new
  run -0 in_sources -n clean "O=$PWD/new"
  assert_equal "$output" "rm -rf $PWD/new build"
  # which has begun now
  run -0 in_sources -n clean "O=$PWD/new"
}

@test "programs have their libraries inside, so that the tarball can be linked" {
  # elfutils of Debian 13 stays outside
  for program in "$AIFLAME_BUILD"/bin/*; do
    run readelf -d "$program"
    outside=$(sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' <<< "$output" |
      grep -vxE 'lib(c|m|dl|pthread|dw|elf)\.so\.[0-9]+|ld-linux-x86-64\.so\.2' || true)
    assert_equal "${program##*/}: $outside" "${program##*/}: "
  done
}

@test "make install takes the debug information out, and runs nothing that it installs" {
  link_build
  # programs that would say so
  rm out/bin
  mkdir out/bin
  for program in "$AIFLAME_BUILD"/bin/*; do
    cp "$program" out/bin
    chmod -x "out/bin/${program##*/}"
  done
  run -0 in_sources install "O=$PWD/out" PREFIX=/usr "DESTDIR=$root"
  local file
  for file in "$root"/usr/bin/* "$root"/usr/libexec/aiflame/*.so; do
    [ -z "$(objdump -h "$file" | grep -F .debug_info)" ]
  done
  [ -x "$root/usr/bin/aiflame-svg" ]
  "$root/usr/bin/aiflame-svg" --version
  # what the kernel reads stays as it is
  if [ -e out/libexec/aiflame/python-probe.o ]; then
    cmp out/libexec/aiflame/python-probe.o "$root/usr/libexec/aiflame/python-probe.o"
  fi
  run -0 in_sources install "O=$PWD/out" PREFIX=/usr "DESTDIR=$root" STRIP=
  cmp out/bin/aiflame-svg "$root/usr/bin/aiflame-svg"
}

@test "make install ends with how to read the pages, with man on the path, elsewhere and without man" {
  link_build
  run -0 in_sources install "O=$PWD/out" "PREFIX=$root"
  if command -v man > /dev/null; then
    assert_equal "${lines[-1]}" "to begin with: man -M $root/share/man 7 aiflame"
    PATH=$root/bin:$PATH run -0 in_sources install "O=$PWD/out" "PREFIX=$root"
    assert_equal "${lines[-1]}" 'to begin with: man 7 aiflame'
  fi
  # a PATH without man
  mkdir tools
  local program
  for program in /usr/bin/* /bin/*; do
    if [ "${program##*/}" != man ]; then ln -sf "$program" tools; fi
  done
  PATH=$PWD/tools run -0 in_sources install "O=$PWD/out" "PREFIX=$root"
  assert_equal "${lines[-1]}" \
    "man is missing (Debian: man-db); the manual pages are in $root/share/man"
}

@test "make demo compiles what it runs, and counts it" {
  run -0 in_sources -n demo-built "O=$PWD/new"
  [[ $output == *'CXX   tools/gpustall-record/main.cc'* ]]
  [[ $output == *'CXX   tools/aiflame-diff/main.cc'* ]]
  [[ $output == *'CXX   plugins/agents/opencl/'* ]]
  for left_out in tools/aiflame-annotate tools/stackcollapse-trace plugins/sources/cupti plugins/agents/level-zero; do
    [[ $output != *"CXX   $left_out/"* ]]
  done
  # a make of two steps
  cat > two.mk << 'END'
all: a b
a: ; @echo '  CXX   a'
b: a ; @echo '  LINK  b'; echo b is linked
END
  run -0 "$AIFLAME_ROOT/scripts/count-steps.sh" make -s -f two.mk
  assert_equal "$output" '[1/2] CXX   a
[2/2] LINK  b
b is linked'
  echo 'b: c ; false' >> two.mk
  run -2 "$AIFLAME_ROOT/scripts/count-steps.sh" make -s -f two.mk
}

@test "what a program needs of libcommon follows its includes, through headers and their sources" {
  mkdir -p scripts libcommon/a tools/one tools/two plugins/{abi,dlfilter,sources/x}
  cp "$AIFLAME_ROOT/scripts/sources-reached.sh" scripts
  echo '#include "libcommon/a/near.h"' > tools/one/main.cc
  echo '#include <string>' > tools/two/main.cc
  echo '#include "libcommon/a/types.h"' | tee libcommon/a/near.h > libcommon/a/far.cc
  printf '#include "libcommon/a/near.h"\n#include "libcommon/a/far.h"\n' > libcommon/a/near.cc
  echo '#pragma once' | tee libcommon/a/types.h > libcommon/a/far.h
  echo '#include "libcommon/a/far.h"' > libcommon/a/unused.cc
  assert_equal "$(scripts/sources-reached.sh)" \
    'reached_tools/one := libcommon/a/near.cc libcommon/a/far.cc'
}

@test "libperf is the system's where it has a static one, and is built otherwise" {
  local libperf=$AIFLAME_ROOT/build/libperf build=$AIFLAME_ROOT/scripts/build-libperf.sh
  mkdir -p include archive shared
  cp -r "$libperf/include/perf" include
  touch archive/lib{perf,api}.a shared/libperf.so
  # the compiler finds headers by CPATH, and libraries by -B
  CPATH=include run -0 "$build" made "g++ -B$PWD/archive"
  assert_equal "$output" "  LIBPERF  $PWD/archive/libperf.a"
  assert_equal "$(cat made/lib/libperf.a made/lib/libapi.a)" \
    "INPUT($PWD/archive/libperf.a)
INPUT($PWD/archive/libapi.a)"
  # headers and a shared library are not enough
  [ -n "$(find /usr/src -maxdepth 1 -name 'linux-source-*.tar.*')" ] || skip 'linux-source is not installed'
  CPATH=include run -0 "$build" built "g++ -B$PWD/shared"
  assert_equal "$output" "  LIBPERF  $PWD/built"
  nm built/lib/libperf.a | grep ' T perf_evlist__new'
}

# packages ARGUMENT…: what install-deps.sh would install on a machine without any of them, one a line
packages() {
  "$AIFLAME_ROOT/scripts/install-deps.sh" "$@" 2>&1 | grep 'as root: apt-get install' |
    sed 's/.*--no-install-recommends //' | tr -s ' ' '\n' | sort
}

@test "the demo asks for no package of a test, and TEST_PACKAGES=few leaves out the heaviest" {
  mkdir fake
  printf '#!/bin/sh\nexit 1\n' | tee fake/dpkg-query > fake/apt-cache
  printf '#!/bin/sh\necho 1000\n' > fake/id
  chmod +x fake/*
  PATH=$PWD/fake:$PATH
  packages demo > demo
  packages > all
  TEST_PACKAGES=few packages > few
  # each asks for what the one before does
  [ -z "$(comm -23 demo few)" ]
  [ -z "$(comm -23 few all)" ]
  grep -qx pocl-opencl-icd demo
  [ -z "$(grep -xE 'libunwind-dev|bats|libgtest-dev' demo)" ]
  grep -qx bats few
  assert_equal "$(comm -13 few all | grep -vx npm | tr '\n' ' ')" \
    'catatonit firefox-esr golang-go munge podman python3-websocket runc slurm-client slurmctld slurmd '
}

@test "CUPTI's headers: the toolkit's, else those of PyTorch's wheels" {
  # shellcheck disable=SC2016 # for make
  printf 'include plugins/agents/cupti/plugin.mk\nprint:\n\t@echo $(HEADER_cupti) in $(cuda_include)\n' > print.mk
  print() { PYTHONPATH=$PWD/site make -s -C "$AIFLAME_ROOT" -f "$PWD/print.mk" print "CUDA_HOME=$PWD/cuda"; }
  assert_equal "$(print)" "$PWD/cuda/include/cupti_pcsampling.h in $PWD/cuda/include"
  mkdir -p site/nvidia/{cublas,cuda_cupti,cuda_runtime}/include cuda/include
  touch site/nvidia/cuda_cupti/include/cupti_pcsampling.h
  assert_equal "$(print)" "$PWD/site/nvidia/cuda_cupti/include/cupti_pcsampling.h in \
$PWD/site/nvidia/cuda_cupti/include $PWD/site/nvidia/cuda_runtime/include"
  touch cuda/include/cupti_pcsampling.h
  assert_equal "$(print)" "$PWD/cuda/include/cupti_pcsampling.h in $PWD/cuda/include"
}
