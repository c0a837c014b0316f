// SPDX-License-Identifier: MIT
// measure FILE COMMAND...: runs COMMAND with its standard output in FILE; prints its wall seconds,
// its processor seconds and its peak resident set in KiB.
//
// Written like C to keep this process small. A process's peak includes that of the program that it
// was before exec(), so a big parent would be measured in place of its child.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>

namespace {

double now() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: measure FILE COMMAND...\n");
    return 2;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, argv[1], O_WRONLY | O_CREAT | O_TRUNC,
                                   0666);
  const double start = now();
  pid_t child = 0;
  if (const int error = posix_spawnp(&child, argv[2], &actions, nullptr, argv + 2, environ)) {
    std::fprintf(stderr, "measure: cannot run '%s': %s\n", argv[2], std::strerror(error));
    return 1;
  }
  int status = 0;
  rusage usage{};
  if (wait4(child, &status, 0, &usage) != child) return 1;
  const double wall = now() - start;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
    std::fprintf(stderr, "measure: '%s' failed\n", argv[2]);
    return 1;
  }
  std::printf("%.6f %.6f %ld\n", wall, seconds(usage.ru_utime) + seconds(usage.ru_stime),
              usage.ru_maxrss);
  return 0;
}
