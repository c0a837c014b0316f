// SPDX-License-Identifier: MIT
#include "libcommon/process/sandbox.h"

#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>

#include "libcommon/process/landlock.h"
#include "libcommon/process/system_calls.h"

namespace aiflame {
namespace {

bool dropped = false;

#ifdef AIFLAME_SANITIZED
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

constexpr uint32_t kAllBits = UINT32_MAX;

// Flags of open(2) that change something. O_TMPFILE makes a file without a name. linkat(2) would
// give it one, but is not allowed.
constexpr uint32_t kNameless = O_TMPFILE & ~O_DIRECTORY;
constexpr uint32_t kChanges = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND | kNameless;

constexpr uint32_t kNamespaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET;

void allow_open(SystemCalls& calls, long number, unsigned flags, bool temporary_files) {
  if (temporary_files)
    calls.allow_if(number, flags, {{kChanges, 0}, {kNameless, kNameless}});
  else
    calls.allow_if(number, flags, {{kChanges, 0}});
}

// `restricted`: Landlock decides what can be written. A script may write to /dev/null, whose path a
// filter of system calls cannot see.
void allow_files(SystemCalls& calls, const Rights& rights, bool restricted) {
  calls.allow({SYS_read,       SYS_readv,     SYS_pread64,      SYS_preadv,     SYS_write,
               SYS_writev,     SYS_pwrite64,  SYS_lseek,        SYS_close,      SYS_fstat,
               SYS_newfstatat, SYS_statx,     SYS_faccessat,    SYS_faccessat2, SYS_readlinkat,
               SYS_getcwd,     SYS_fadvise64, SYS_ftruncate,    SYS_dup,        SYS_ppoll,
               SYS_getdents64, SYS_pipe2,     SYS_memfd_create, SYS_close_range});
  allow_open(calls, SYS_openat, 2, rights.temporary_files);
  if ((rights.programs && restricted) || !rights.written.empty()) calls.allow({SYS_openat});
#ifdef __x86_64__
  calls.allow({SYS_stat, SYS_lstat, SYS_access, SYS_readlink, SYS_poll});
  allow_open(calls, SYS_open, 1, rights.temporary_files);
#endif
  // not F_SETOWN, which lets the kernel signal another process
  calls.allow_if(SYS_fcntl, 1,
                 {{kAllBits, F_DUPFD},
                  {kAllBits, F_DUPFD_CLOEXEC},
                  {kAllBits, F_GETFD},
                  {kAllBits, F_SETFD},
                  {kAllBits, F_GETFL},
                  {kAllBits, F_SETFL}});
  // isatty(), and what interpreters of scripts ask
  calls.allow_if(
      SYS_ioctl, 1,
      {{kAllBits, TCGETS}, {kAllBits, TIOCGWINSZ}, {kAllBits, FIONREAD}, {kAllBits, FIOCLEX}});
}

void allow_computing(SystemCalls& calls, const Rights& rights) {
  calls.allow({SYS_brk,
               SYS_munmap,
               SYS_mremap,
               SYS_madvise,
               SYS_mincore,
               SYS_futex,
               SYS_set_robust_list,
               SYS_set_tid_address,
               SYS_rseq,
               SYS_membarrier,
               SYS_sched_yield,
               SYS_sched_getaffinity,
               SYS_sched_setaffinity,
               SYS_getcpu,
               SYS_nanosleep,
               SYS_clock_nanosleep,
               SYS_clock_gettime,
               SYS_clock_getres,
               SYS_gettimeofday,
               SYS_getrandom,
               SYS_getpid,
               SYS_gettid,
               SYS_getppid,
               SYS_getuid,
               SYS_geteuid,
               SYS_getgid,
               SYS_getegid,
               SYS_getrusage,
               SYS_times,
               SYS_sysinfo,
               SYS_uname,
               SYS_sigaltstack,
               SYS_rt_sigaction,
               SYS_rt_sigprocmask,
               SYS_rt_sigreturn,
               SYS_restart_syscall,
               SYS_exit,
               SYS_exit_group});
  const auto self = static_cast<uint32_t>(getpid());
  calls.allow_if(SYS_tgkill, 0, {{kAllBits, self}});                    // abort()
  calls.allow_if(SYS_prlimit64, 0, {{kAllBits, 0}, {kAllBits, self}});  // its own limits
  const uint32_t code = rights.libraries || rights.programs ? 0 : PROT_EXEC;
  calls.allow_if(SYS_mmap, 2, {{code, 0}});
  calls.allow_if(SYS_mprotect, 2, {{code, 0}});
  // Threads, or forks too. clone3(2) has its flags in memory, where a filter cannot look, and C
  // libraries do without it.
  const uint32_t thread = rights.children || rights.programs ? 0 : CLONE_THREAD;
  calls.allow_if(SYS_clone, 0, {{kNamespaces | thread, thread}});
#ifdef __x86_64__
  calls.allow({SYS_time, SYS_getrlimit, SYS_arch_prctl});
#endif
}

void allow_processes(SystemCalls& calls, const Rights& rights) {
  if (rights.messages) calls.allow({SYS_sendmsg, SYS_recvmsg});
  if (rights.programs)
    calls.allow({SYS_execve, SYS_getgroups, SYS_getpgid, SYS_getsid, SYS_umask, SYS_chdir});
  if (!rights.children && !rights.programs) return;
  // a shell that waits for its children sleeps in rt_sigsuspend(2)
  calls.allow({SYS_wait4, SYS_rt_sigsuspend, SYS_dup3});
#ifdef __x86_64__
  calls.allow({SYS_pipe, SYS_dup2, SYS_getpgrp, SYS_vfork});
#endif
  if (!rights.children) return;
  // what a child needs to give up more
  calls.allow({SYS_seccomp, SYS_landlock_create_ruleset, SYS_landlock_add_rule,
               SYS_landlock_restrict_self});
  calls.allow_if(SYS_prctl, 0, {{kAllBits, PR_SET_NO_NEW_PRIVS}, {kAllBits, PR_SET_PDEATHSIG}});
}

}  // namespace

void drop_rights(const Rights& rights) {
  dropped = true;
  // without it, both need a privilege
  if (kSanitized || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return;

  FileLimits limits;
  limits.reads_any = !rights.files;
  if (rights.files) {
    limits.readable = *rights.files;
    limits.readable.emplace_back("/proc/self/maps");  // for the message of file_window.h
  }
  limits.tree = rights.tree;
  limits.written = rights.written;
  if (rights.temporary_files) limits.spool = P_tmpdir;
  limits.executes = rights.programs;
  const bool restricted = limit_files(limits);

  SystemCalls calls;
  allow_files(calls, rights, restricted);
  allow_computing(calls, rights);
  allow_processes(calls, rights);
  // on a kernel that refuses, the limits of files hold alone
  [[maybe_unused]] const bool enforced = calls.enforce();
}

void become_nobody() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() != 0) return;
  [[maybe_unused]] const bool done = setgroups(0, nullptr) == 0 &&
                                     setresgid(kNobody, kNobody, kNobody) == 0 &&
                                     setresuid(kNobody, kNobody, kNobody) == 0;
}

bool rights_dropped() {
  return dropped;
}

}  // namespace aiflame
