# SPDX-License-Identifier: MIT
# Agents in programs with other C libraries than the one they were built with.
load common

check_agents() { "$AIFLAME_ROOT/scripts/check-needs.sh" 2.17 'libc.so.6 libdl.so.2 libpthread.so.0' "$@"; }
agents() { ls "$AIFLAME_BUILD"/libexec/aiflame/*-agent.so; }

@test "agents need glibc 2.17 and no other library; what needs more is named" {
  # shellcheck disable=SC2046 # words
  check_agents $(agents)
  echo 'extern "C" int memfd_create(const char*, unsigned); int f() { return memfd_create("", 0); }' |
    g++ -shared -fPIC -x c++ - -o newer.so
  run -1 check_agents newer.so
  [[ $output = *"newer.so: needs GLIBC_2.27: memfd_create"* ]]
  echo 'extern "C" [[gnu::weak]] int memfd_create(const char*, unsigned);
    extern "C" int getpid();
    int f() { return memfd_create == nullptr ? getpid() : memfd_create("", 0); }' |
    g++ -shared -fPIC -x c++ - -o weak.so
  run -1 check_agents weak.so
  [[ $output = *"weak.so: needs GLIBC_2.27: memfd_create"* ]]
  echo '#include <string>
    std::string f(int i) { return std::to_string(i); }' | g++ -shared -fPIC -x c++ - -o of_cxx.so
  run -1 check_agents of_cxx.so
  [[ $output = *"of_cxx.so: needs the library libstdc++.so.6"* ]]
}

# glibc 2.34 and older have no _dl_find_object().
@test "without _dl_find_object(), stacks are the same" {
  local program=$AIFLAME_BUILD/tests/demo/matmul
  cat > old.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
void* dlsym(void* from, const char* name) {
  static void* (*own)(void*, const char*);
  if (own == NULL) own = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5");
  if (strcmp(name, "_dl_find_object") != 0) return own(from, name);
  fputs("asked\n", stderr);
  return NULL;
}
END
  gcc -shared -fPIC -o old.so old.c
  gpustall-record --source opencl-cpu -o new.gpustall -- "$program"
  gpustall-record --source opencl-cpu -o old.gpustall -- env LD_PRELOAD="$PWD/old.so" "$program" 2> err
  grep -qx asked err
  # of the CPU's frames each, once
  stacks() { stackcollapse-aiflame "$1" 2> /dev/null | sed '/^#/d; s/;-;.*//' | sort -u; }
  [[ $(stacks new.gpustall) = *"main;"* ]]
  assert_equal "$(stacks old.gpustall)" "$(stacks new.gpustall)"
}

@test "a program with musl that loads an agent runs on" {
  skip_without musl-gcc
  echo '#define _GNU_SOURCE
    #include <dlfcn.h>
    #include <stdio.h>
    int main(int count, char** words) {
      if (count > 1 && dlopen(words[1], RTLD_NOW) == NULL) puts(dlerror());
      // an agent may have put a dlsym() of its own before the C library
      if (dlsym(RTLD_DEFAULT, "puts") != (void*)puts) return 1;
      puts("done");
      return 0;
    }' > program.c
  musl-gcc -o program program.c
  for agent in $(agents); do
    assert_equal "$(LD_PRELOAD=$agent ./program)" done
    assert_equal "$(./program "$agent" | tail -n 1)" done
  done
}
