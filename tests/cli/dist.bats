# SPDX-License-Identifier: MIT
# What `make dist` ships runs with older C libraries than this machine's.
load common

needs() { "$AIFLAME_ROOT/scripts/check-needs.sh" 2.28 'libc.so.6 libdl.so.2 libpthread.so.0 ld-linux-x86-64.so.2' "$@"; }

# compile OUTPUT FLAG…: a program with a constructor, an exception and functions that glibc has moved
# or got since 2.28
compile() {
  g++ -O2 -static-libstdc++ -static-libgcc -x c++ - -x none -o "$@" << 'END'
#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cstdio>
#include <stdexcept>
#include <thread>
static int started = getpid();  // by a constructor
int main(int, char** argv) {
  struct stat file;
  if (stat(argv[0], &file) != 0 || !S_ISREG(file.st_mode)) return 1;
  void* self = dlopen(nullptr, RTLD_NOW);
  std::thread([&] {
    try {
      throw std::runtime_error("caught");
    } catch (const std::exception& e) {
      std::printf("%s, %s, %s\n", e.what(), started == getpid() ? "started" : "not started",
                  self != nullptr ? "opened" : "not opened");
    }
  }).join();
}
END
}

@test "a program that needs more than glibc 2.28, or another library, is named" {
  if ! compile plain; then skip 'no static libstdc++'; fi
  run -1 needs plain
  [[ $output = *"plain: needs GLIBC_2.34: "*dlopen* ]]
  [[ $output = *"plain: needs GLIBC_2.33: stat"* ]]
  echo 'int main() {}' | g++ -x c++ - -o linked -Wl,--no-as-needed -lz
  run -1 needs linked
  [[ $output = *"linked: needs the library libz.so.1"* ]]
  run -2 "$AIFLAME_ROOT/scripts/check-needs.sh" 2.28 libc.so.6
}

@test "linked to the stand-ins of glibc, the same program needs no more than 2.28, and runs" {
  "$AIFLAME_ROOT/scripts/old-libc/build.sh" glibc gcc
  compile old -Lglibc -Wl,--wrap=__libc_start_main glibc/start.o \
    -Wl,--no-as-needed -l:libdl.so.2 -l:libpthread.so.0 -Wl,--as-needed
  needs old
  run -0 ./old
  [ "$output" = 'caught, started, opened' ]
}

@test "what make dist has made needs no more than glibc 2.28" {
  local tree=$AIFLAME_BUILD/dist/tree
  [ -d "$tree" ] || skip 'make dist has not run'
  "$AIFLAME_ROOT/scripts/dist/strip.sh" "$tree"
}
