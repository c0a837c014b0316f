// SPDX-License-Identifier: MIT
// seccomp API HOW COUNT
//
// Launches COUNT times after the program has given up its system calls. It has launched before.
//
//   filter    anything but memory, locks, writing and exiting kills the program; launches from a
//   new
//             caller too, and from 32 kB further down the stack
//   refused   what an agent calls fails with EPERM; launches from a new thread, a coroutine and a
//             forked child too
//
// The strict mode is not among them: it forbids to read the clock too (PR_TSC_SIGSEGV), and a
// launch without its time is none. The manual says so. Prints "made N".
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/attack/launcher.h"

namespace {

attack::Launcher launcher;
std::atomic<uint64_t>* made;  // shared with children
constexpr uint64_t kBatch = 10;

[[gnu::noinline]] void launch_here() {
  if (launcher.launch()) made->fetch_add(1);
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void launch_there() {
  if (launcher.launch()) made->fetch_add(1);
  asm volatile("# there" ::: "memory");
}
[[gnu::noinline]] void launch_deeper() {
  char room[32 << 10];
  asm volatile("" ::"r"(room) : "memory");
  launch_there();
}

void launch_batches(uint64_t count, bool anywhere) {
  for (uint64_t i = 0; i < count; ++i) {
    launch_here();
    if (anywhere) launch_there();
    if (anywhere) launch_deeper();
    if (i % kBatch == 0) launcher.wait();
  }
  launcher.wait();
}

// Without printf(3), which may allocate.
void print_made() {
  char text[32] = "made ";
  char digits[20];
  size_t count = 0, at = 5;
  for (uint64_t rest = made->load(); rest > 0 || count == 0; rest /= 10)
    digits[count++] = static_cast<char>('0' + rest % 10);
  while (count > 0) text[at++] = digits[--count];
  text[at++] = '\n';
  if (write(STDOUT_FILENO, text, at) != static_cast<ssize_t>(at)) _exit(1);
}

// `listed` do as `these` says, all others as `others` says.
void set_filter(const std::vector<unsigned>& listed, unsigned these, unsigned others) {
  std::vector<sock_filter> program;
  program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)));
  for (const unsigned call : listed) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, these));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, others));
  const sock_fprog all{static_cast<unsigned short>(program.size()), program.data()};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &all) != 0) {
    std::puts("no seccomp here");
    std::exit(77);
  }
}

void* in_thread(void*) {
  launch_here();
  return nullptr;
}

void launch_in_coroutine() {
  static char stack[64 << 10];
  static ucontext_t here, there;
  getcontext(&there);
  there.uc_stack.ss_sp = stack;
  there.uc_stack.ss_size = sizeof stack;
  there.uc_link = &here;
  makecontext(&there, launch_there, 0);
  swapcontext(&here, &there);
}

void launch_refused(uint64_t count) {
  set_filter({SYS_gettid, SYS_tgkill, SYS_prctl, SYS_openat, SYS_memfd_create, SYS_socket,
              SYS_connect, SYS_sendmsg, SYS_madvise, SYS_ftruncate, SYS_rt_sigprocmask,
              SYS_process_vm_readv, SYS_sched_yield},
             SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW);
  launch_batches(count, true);
  pthread_t thread{};
  if (pthread_create(&thread, nullptr, in_thread, nullptr) == 0) pthread_join(thread, nullptr);
  launch_in_coroutine();
  launcher.wait();
  const pid_t child = fork();
  if (child == 0) {
    // nobody hears of it: there is no way to the recorder
    launcher.launch();
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) attack::fail("the child died");
  print_made();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) attack::fail("usage: seccomp API HOW COUNT");
  const std::string how = argv[2];
  const uint64_t count = std::strtoull(argv[3], nullptr, 10);
  void* shared = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  made = static_cast<std::atomic<uint64_t>*>(shared);
  launcher.open(argv[1]);
  launch_batches(kBatch, false);
  if (how == "filter") {
    set_filter({SYS_brk, SYS_mmap, SYS_munmap, SYS_futex, SYS_write, SYS_exit_group},
               SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
    launch_batches(count, true);
    print_made();
    _exit(0);
  } else if (how == "refused") {
    launch_refused(count);
  } else {
    attack::fail("filter or refused");
  }
}
