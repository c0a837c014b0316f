// SPDX-License-Identifier: MIT
#include "libcommon/process/sandbox.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <thread>

#include "libcommon/io/read_text.h"
#include "libcommon/memory/memory_file.h"
#include "libcommon/process/program_door.h"

namespace aiflame {
namespace {

// The children need no destructors, which would report tests of the parent.
struct End {
  std::string output;
  int status = 0;
};

// Runs `body` in a child that has dropped all but `rights`.
End in_sandbox(const Rights& rights, const std::function<std::string()>& body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    drop_rights(rights);
    const std::string text = body();
    [[maybe_unused]] const ssize_t n = write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  End out;
  char bytes[4096];
  for (ssize_t n; (n = read(ends[0], bytes, sizeof bytes)) > 0;)
    out.output.append(bytes, static_cast<size_t>(n));
  close(ends[0]);
  waitpid(child, &out.status, 0);
  return out;
}

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
#ifdef AIFLAME_SANITIZED
    GTEST_SKIP() << "programs that are built with a sanitizer keep their rights";
#endif
    const End end = in_sandbox({}, [] { return socket(AF_UNIX, SOCK_STREAM, 0) < 0 ? "yes" : ""; });
    if (end.output.empty()) GTEST_SKIP() << "this kernel allows no seccomp filter";
  }
  static bool has_landlock() {
    return syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION) > 0;
  }
};

struct Attempt {
  const char* name;
  std::function<long()> call;
};

// Everything here is allowed to this process without a sandbox, or would be to root.
std::vector<Attempt> attempts(pid_t parent) {
  static char path[] = "/tmp/sandbox_test.attempt";
  static char* const arguments[] = {path, nullptr};
  static struct { uint64_t words[16]; } zero;
  return {
      {"open to write", [] { return open("/dev/null", O_WRONLY); }},
      {"open to read and write", [] { return open("/dev/null", O_RDWR); }},
      {"create", [] { return open(path, O_CREAT | O_RDONLY, 0600); }},
#ifdef SYS_creat  // AArch64 has openat(2) alone
      {"creat", [] { return syscall(SYS_creat, path, 0600); }},
#endif
      {"open and truncate", [] { return open("/dev/null", O_RDONLY | O_TRUNC); }},
      {"open nameless", [] { return open("/tmp", O_TMPFILE | O_RDWR, 0600); }},
      {"openat2", [] { return syscall(SYS_openat2, AT_FDCWD, path, &zero, 24); }},
      {"unlink", [] { return unlink(path); }},
      {"rename", [] { return rename(path, path); }},
      {"renameat2", [] { return syscall(SYS_renameat2, AT_FDCWD, path, AT_FDCWD, path, 0); }},
      {"link", [] { return link(path, path); }},
      {"linkat", [] { return linkat(0, "", AT_FDCWD, path, AT_EMPTY_PATH); }},
      {"symlink", [] { return symlink(path, path); }},
      {"mkdir", [] { return mkdir(path, 0700); }},
      {"rmdir", [] { return rmdir(path); }},
      {"mknod", [] { return mknod(path, S_IFIFO | 0600, 0); }},
      {"chmod", [] { return chmod(path, 0700); }},
      {"fchmod", [] { return fchmod(0, 0700); }},
      {"chown", [] { return chown(path, 0, 0); }},
      {"truncate", [] { return truncate(path, 0); }},
      {"setxattr", [] { return syscall(SYS_setxattr, path, "user.a", "b", 1, 0); }},
      {"utimensat", [] { return utimensat(AT_FDCWD, path, nullptr, 0); }},
      {"chdir", [] { return chdir("/"); }},
      {"chroot", [] { return chroot("/"); }},
      {"mount", [] { return syscall(SYS_mount, "none", "/tmp", "tmpfs", 0, nullptr); }},
      {"umount2", [] { return syscall(SYS_umount2, "/tmp/none", 0); }},
      {"pivot_root", [] { return syscall(SYS_pivot_root, "/", "/"); }},
      {"execve", [] { return execve("/bin/true", arguments, arguments + 1); }},
      {"execveat",
       [] { return syscall(SYS_execveat, AT_FDCWD, "/bin/true", arguments, nullptr, 0); }},
      {"fork", [] { return syscall(SYS_clone, SIGCHLD, nullptr, nullptr, nullptr, 0); }},
      {"clone3", [] { return syscall(SYS_clone3, &zero, sizeof zero); }},
      {"unshare", [] { return unshare(CLONE_NEWUSER); }},
      {"setns", [] { return setns(0, 0); }},
      {"socket", [] { return socket(AF_INET, SOCK_STREAM, 0); }},
      {"unix socket", [] { return socket(AF_UNIX, SOCK_STREAM, 0); }},
      {"connect", [] { return connect(0, nullptr, 0); }},
      {"sendto", [] { return sendto(0, path, 1, 0, nullptr, 0); }},
      {"sendmsg", [] { return syscall(SYS_sendmsg, 0, &zero, 0); }},
      {"ptrace", [=] { return ptrace(PTRACE_SEIZE, parent, nullptr, nullptr); }},
      {"process_vm_readv",
       [=] { return syscall(SYS_process_vm_readv, parent, &zero, 0, &zero, 0, 0); }},
      {"process_vm_writev",
       [=] { return syscall(SYS_process_vm_writev, parent, &zero, 0, &zero, 0, 0); }},
      {"kill", [=] { return kill(parent, 0); }},
      {"tgkill", [=] { return syscall(SYS_tgkill, parent, parent, 0); }},
      {"tkill", [=] { return syscall(SYS_tkill, parent, 0); }},
      {"rt_sigqueueinfo", [=] { return syscall(SYS_rt_sigqueueinfo, parent, 0, &zero); }},
      {"pidfd_open", [=] { return syscall(SYS_pidfd_open, parent, 0); }},
      {"fcntl F_SETOWN", [=] { return fcntl(0, F_SETOWN, parent); }},
      {"prlimit64 of another", [=] { return syscall(SYS_prlimit64, parent, 0, nullptr, &zero); }},
      {"setuid", [] { return syscall(SYS_setuid, getuid()); }},
      {"setresuid", [] { return syscall(SYS_setresuid, -1, -1, -1); }},
      {"setgroups", [] { return syscall(SYS_setgroups, 0, nullptr); }},
      {"capset", [] { return syscall(SYS_capset, &zero, &zero); }},
      {"keyctl", [] { return syscall(SYS_keyctl, 0, 0, 0, 0, 0); }},
      {"add_key", [] { return syscall(SYS_add_key, "user", "a", "b", 1, -2); }},
      {"io_uring_setup", [] { return syscall(SYS_io_uring_setup, 1, &zero); }},
      {"bpf", [] { return syscall(SYS_bpf, 0, &zero, sizeof zero); }},
      {"perf_event_open", [] { return syscall(SYS_perf_event_open, &zero, 0, -1, -1, 0); }},
      {"userfaultfd", [] { return syscall(SYS_userfaultfd, 0); }},
      {"seccomp", [] { return syscall(SYS_seccomp, 2, 0, &zero); }},
      {"prctl", [] { return syscall(SYS_prctl, 4, 1, 0, 0, 0); }},
      {"personality", [] { return syscall(SYS_personality, 0xffffffff); }},
      {"ioctl TIOCSTI", [] { return ioctl(0, TIOCSTI, path); }},
      {"map code",
       [] {
         return reinterpret_cast<intptr_t>(
             mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
       }},
      {"make code",
       [] {
         return mprotect(
             reinterpret_cast<void*>(reinterpret_cast<uintptr_t>(&zero) & ~uintptr_t{4095}), 4096,
             PROT_READ | PROT_EXEC);
       }},
      {"shmget", [] { return syscall(SYS_shmget, 0, 4096, 0600); }},
      {"mq_open", [] { return syscall(SYS_mq_open, "a", O_CREAT, 0600, nullptr); }},
      {"inotify_init1", [] { return syscall(SYS_inotify_init1, 0); }},
      {"init_module", [] { return syscall(SYS_init_module, nullptr, 0, ""); }},
      {"kexec_load", [] { return syscall(SYS_kexec_load, 0, 0, nullptr, 0); }},
      {"reboot", [] { return syscall(SYS_reboot, 0, 0, 0, nullptr); }},
      {"sethostname", [] { return syscall(SYS_sethostname, "a", 1); }},
      {"a call to come", [] { return syscall(1000); }},
  };
}

TEST_F(Sandbox, WhatIsNotAllowedFails) {
  const pid_t parent = getpid();
  const std::vector<Attempt> all = attempts(parent);
  const End end = in_sandbox({}, [&] {
    std::string out;
    for (const Attempt& one : all) {
      errno = 0;
      const bool failed = one.call() == -1 && (errno == EPERM || errno == ENOSYS);
      if (!failed) out += std::string(one.name) + ": " + std::strerror(errno) + "\n";
    }
    return out + std::to_string(all.size());
  });
  EXPECT_EQ(end.output, std::to_string(all.size()));
  EXPECT_EQ(end.status, 0);
}

TEST_F(Sandbox, WhatIsNeededGoesOn) {
  const End end = in_sandbox({}, [] {
    std::string out;
    std::thread thread([&] {
      try {
        throw std::runtime_error("thread");
      } catch (const std::exception& error) {
        out = error.what();
      }
    });
    cpu_set_t processors;
    sched_getaffinity(0, sizeof processors, &processors);
    pthread_setaffinity_np(thread.native_handle(), sizeof processors, &processors);
    thread.join();
    out += MemoryFile(out).descriptor() >= 0 ? " file" : "";
    out += isatty(0) >= 0 ? " terminal" : "";
    return out + " " + std::to_string(read_text("/proc/self/maps", 4).size());
  });
  EXPECT_EQ(end.output, "thread file terminal 4");
}

TEST_F(Sandbox, AnAssertionStillAborts) {
  const End end = in_sandbox({}, []() -> std::string { std::abort(); });
  EXPECT_TRUE(WIFSIGNALED(end.status) && WTERMSIG(end.status) == SIGABRT);
}

TEST_F(Sandbox, ListedFilesAloneCanBeRead) {
  if (!has_landlock()) GTEST_SKIP() << "this kernel has no Landlock";
  const auto read_two = [] {
    return read_text("/etc/passwd", 1) + "|" + read_text("/etc/group", 1) + "|";
  };
  Rights rights;
  rights.files = {"/etc/passwd", "/nonexistent", "-", "", "/etc"};
  EXPECT_EQ(in_sandbox(rights, read_two).output, "r||");
  rights.tree = "/etc";
  EXPECT_EQ(in_sandbox(rights, read_two).output, "r|r|");
  rights.tree = "/usr";
  EXPECT_EQ(in_sandbox(rights, read_two).output, "r||");
  rights.files.reset();
  EXPECT_EQ(in_sandbox(rights, read_two).output, "r|r|");
}

TEST_F(Sandbox, TemporaryFilesHaveNoName) {
  Rights rights;
  rights.temporary_files = true;
  const End end = in_sandbox(rights, [] {
    std::FILE* const file = std::tmpfile();
    std::string out = file != nullptr && std::fputs("text", file) >= 0 ? "written" : "";
    const std::string path = "/proc/self/fd/" + std::to_string(file == nullptr ? 0 : fileno(file));
    if (linkat(AT_FDCWD, path.c_str(), AT_FDCWD, "/tmp/sandbox_test.named", AT_SYMLINK_FOLLOW) == 0)
      out += " named";
    if (open("/tmp/sandbox_test.created", O_CREAT | O_RDWR, 0600) >= 0) out += " created";
    return out;
  });
  EXPECT_EQ(end.output, "written");
}

TEST_F(Sandbox, LibrariesAreLoaded) {
  const auto load = [] {
    for (const char* name : {"libcapstone.so.4", "libcapstone.so.5"})
      if (dlopen(name, RTLD_NOW) != nullptr) return "yes";
    return "no";
  };
  Rights rights;
  EXPECT_EQ(in_sandbox(rights, load).output, "no");
  rights.libraries = true;
  EXPECT_EQ(in_sandbox(rights, load).output, "yes");
}

TEST_F(Sandbox, AChildHasFewerRights) {
  Rights rights;
  rights.children = true;
  const End end = in_sandbox(rights, [] {
    const auto try_fork = [] {
      const std::string text = fork() < 0 ? "no child" : "a child";
      return write(STDOUT_FILENO, text.data(), text.size()) > 0 ? 3 : 4;
    };
    const ChildResult child = run_in_child(try_fork, {});
    return child.output + " " + std::to_string(child.status);
  });
  EXPECT_EQ(end.output, "no child 3");
}

// Nobody may kill it, so it is left behind, and ends with its parent.
TEST_F(Sandbox, AChildThatWaitsForEverIsLeft) {
  Rights rights;
  rights.children = true;
  const End end = in_sandbox(rights, [] {
    const auto wait = [] {
      for (;;) pause();
      return 0;
    };
    return run_in_child(wait, {.seconds = 1}).limit == ChildLimit::time ? "time" : "none";
  });
  EXPECT_EQ(end.output, "time");
}

// Opens the door, drops all rights but that to use it, and runs `command` with an input.
std::string through_door(const std::vector<std::string>& programs,
                         const std::vector<std::string>& command) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    Rights rights;
    rights.children = true;
    rights.messages = open_program_door(programs);
    drop_rights(rights);
    const MemoryFile input("input");
    const ChildResult end = run_in_child(command, input.descriptor(), {.cpu_seconds = 1});
    const std::string text = end.output + " " + std::to_string(end.status) + " " +
                             std::to_string(static_cast<int>(end.limit));
    [[maybe_unused]] const ssize_t n = write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string out(200, '\0');
  out.resize(static_cast<size_t>(std::max<ssize_t>(0, read(ends[0], out.data(), out.size()))));
  // its end: the second process has no copy of this pipe
  char more = 0;
  EXPECT_EQ(read(ends[0], &more, 1), 0);
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return out;
}

TEST_F(Sandbox, ProgramsRunThroughTheDoor) {
  EXPECT_EQ(through_door({"cat"}, {"cat", "/dev/fd/3"}), "input 0 0");
  EXPECT_EQ(through_door({"sh"}, {"sh", "-c", "exit 7"}), " 7 0");
  EXPECT_EQ(through_door({"sh"}, {"sh", "-c", "while :; do :; done"}), " -1 1");
}

TEST_F(Sandbox, OnlyKnownProgramsPassTheDoor) {
  EXPECT_EQ(through_door({"cat"}, {"sh", "-c", "exit 0"}), " 127 0");
  EXPECT_EQ(through_door({"cat"}, {"/bin/cat", "/dev/fd/3"}), " 127 0");
  EXPECT_EQ(through_door({"nonexistent-program"}, {"nonexistent-program"}), " 127 0");
  EXPECT_EQ(through_door({"cat", "nonexistent-program"}, {"nonexistent-program"}), " 127 0");
}

TEST_F(Sandbox, ProgramsBehindTheDoorOnlyRead) {
  EXPECT_EQ(through_door({"sh"}, {"sh", "-c", "echo x > /tmp/sandbox_test.written; echo end"}),
            "end\n 0 0");
  EXPECT_NE(access("/tmp/sandbox_test.written", F_OK), 0);
  EXPECT_EQ(through_door({"sh"}, {"sh", "-c", "true & wait; echo x > /dev/null; echo end"}),
            has_landlock() ? "end\n 0 0" : " 2 0");
  EXPECT_EQ(through_door({"sh"}, {"sh", "-c", "kill -0 $PPID && echo killed; echo end"}),
            "end\n 0 0");
}

}  // namespace
}  // namespace aiflame
