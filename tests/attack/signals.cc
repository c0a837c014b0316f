// SPDX-License-Identifier: MIT
// signals API WORK COUNT
//
// Launches from the handlers of timers that fire every 20 microseconds, until COUNT handlers have
// launched. Meanwhile the program works:
//
//   launch    launches, in the main thread and in three others
//   fork      forks; each child launches, and its own timer's handlers do
//   dlopen    loads and unloads a library, and launches
//   malloc    allocates and frees, and launches
//
// Alone none of this hangs or crashes, as a launch on these platforms takes no lock and allocates
// nothing. Prints "made N", the launches of all processes, and "handlers N", those in handlers.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/attack/launcher.h"

namespace {

struct Counts {
  std::atomic<uint64_t> made, in_handlers;
};
Counts* counts;  // shared with children
attack::Launcher launcher;
std::atomic<uint64_t> handled{0};  // in this process
std::atomic<bool> is_over{false};

[[gnu::noinline]] void launch() {
  if (launcher.launch()) counts->made.fetch_add(1);
}

void on_timer(int) {
  launch();
  counts->in_handlers.fetch_add(1);
  handled.fetch_add(1);
}

void set_timers(int microseconds) {
  itimerval every{};
  every.it_interval.tv_usec = every.it_value.tv_usec = microseconds;
  setitimer(ITIMER_REAL, &every, nullptr);
  setitimer(ITIMER_PROF, &every, nullptr);
}

void start_timers() {
  struct sigaction action {};
  action.sa_handler = on_timer;
  action.sa_flags = SA_RESTART;
  sigaction(SIGALRM, &action, nullptr);
  sigaction(SIGPROF, &action, nullptr);
  set_timers(20);
}

void launch_many() {
  for (int i = 0; i < 100; ++i) launch();
  launcher.wait();
}

void* keep_launching(void*) {
  while (!is_over.load()) launch_many();
  return nullptr;
}

void fork_once() {
  const pid_t child = fork();
  if (child == 0) {
    handled.store(0);
    set_timers(20);  // a child inherits none
    while (handled.load() < 10) launch();
    set_timers(0);
    launcher.wait();
    _exit(0);
  }
  int status = 0;
  while (waitpid(child, &status, 0) != child) {
  }
  if (status != 0) attack::fail("a child died");
}

void load_once() {
  void* library = dlopen("libz.so.1", RTLD_NOW);
  if (library == nullptr) attack::fail(dlerror());
  dlclose(library);
}

void allocate_some() {
  static void* held[64];
  for (size_t i = 0; i < 1000; ++i) {
    void*& at = held[i * 7 % 64];
    std::free(at);
    at = std::malloc(i * 37 % 5000);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) attack::fail("usage: signals API WORK COUNT");
  const std::string work = argv[2];
  const uint64_t wanted = std::strtoull(argv[3], nullptr, 10);
  counts = static_cast<Counts*>(
      mmap(nullptr, sizeof(Counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  launcher.open(argv[1]);
  start_timers();
  pthread_t threads[3];
  if (work == "launch")
    for (pthread_t& thread : threads) pthread_create(&thread, nullptr, keep_launching, nullptr);
  while (handled.load() < wanted) {
    if (work == "fork") fork_once();
    if (work == "dlopen") load_once();
    if (work == "malloc") allocate_some();
    launch_many();
  }
  is_over.store(true);
  if (work == "launch")
    for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  set_timers(0);
  launcher.wait();
  std::printf("made %ju\nhandlers %ju\n", static_cast<uintmax_t>(counts->made.load()),
              static_cast<uintmax_t>(counts->in_handlers.load()));
}
