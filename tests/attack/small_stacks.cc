// SPDX-License-Identifier: MIT
// small_stacks API used | coroutine BYTES COUNT | signal BYTES COUNT | thread BYTES COUNT
//
// Launches from stacks on which a program has reason to be thrifty.
//
//   used        how many bytes of its stack each kind of launch takes, from a painted stack:
//                 first       the thread's first launch
//                 same        the same launch again
//                 caller      from a caller that is new
//                 library     after a library has been loaded
//                 forked      the first one in a forked child
//                 python      from a Python function, with $PYTHON_LIBRARY
//   coroutine   COUNT launches, each on a fresh stack of BYTES above a guard page
//   signal      the same in a signal's handler, on an alternate stack of BYTES
//   thread      the same in threads with stacks of BYTES
//
// An overflow runs into the guard page and kills the program. Prints "made COUNT" at the end.
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "tests/attack/launcher.h"

// Calls `body` on the stack that ends at `top`. The unwinder finds its way back by %rbp.
extern "C" void call_on_stack(void* top, void (*body)());
asm(R"(
.text
.type call_on_stack, @function
call_on_stack:
  .cfi_startproc
  push %rbp
  .cfi_def_cfa_offset 16
  .cfi_offset %rbp, -16
  mov %rsp, %rbp
  .cfi_def_cfa_register %rbp
  mov %rdi, %rsp
  call *%rsi
  leave
  .cfi_def_cfa %rsp, 8
  ret
  .cfi_endproc
.size call_on_stack, .-call_on_stack
)");

namespace {

constexpr size_t kPage = 4096;
constexpr unsigned char kPaint = 0xa5;

attack::Launcher launcher;
uint64_t launched = 0;

// Memory above a page that must not be touched. The stack is at its lower end.
class SmallStack {
 public:
  explicit SmallStack(size_t bytes) : bytes_(bytes) {
    mapped_ = kPage + (bytes + kPage - 1) / kPage * kPage;
    void* room = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED || mprotect(room, kPage, PROT_NONE) != 0) attack::fail("mmap");
    low_ = static_cast<unsigned char*>(room) + kPage;
    std::memset(low_, kPaint, bytes_);
  }
  ~SmallStack() { munmap(low_ - kPage, mapped_); }
  SmallStack(const SmallStack&) = delete;
  SmallStack& operator=(const SmallStack&) = delete;

  void* low() const { return low_; }
  void* top() const { return low_ + bytes_; }
  size_t used() const {
    size_t free = 0;
    while (free < bytes_ && low_[free] == kPaint) ++free;
    return bytes_ - free;
  }

 private:
  size_t bytes_, mapped_;
  unsigned char* low_;
};

// Places of launching. They are not inlined, and as small as a caller can be.
[[gnu::noinline]] void launch_here() {
  launched += launcher.launch() ? 1 : 0;
  asm volatile("" ::: "memory");
}
[[gnu::noinline]] void launch_there() {
  launched += launcher.launch() ? 1 : 0;
  asm volatile("# there" ::: "memory");
}
[[gnu::noinline]] void launch_later() {
  launched += launcher.launch() ? 1 : 0;
  asm volatile("# later" ::: "memory");
}
[[gnu::noinline]] void launch_scripted() {
  launched += launcher.launch() ? 1 : 0;
  asm volatile("# scripted" ::: "memory");
}

void print_used(const char* what, void (*body)()) {
  const SmallStack stack(16 * kPage);
  call_on_stack(stack.top(), body);
  std::printf("%s %zu\n", what, stack.used());
  std::fflush(stdout);
}

void launch_from_python() {
  print_used("python", launch_scripted);
}

// With ctypes, so that no header of Python's is needed.
void print_used_by_python() {
  const char* path = std::getenv("PYTHON_LIBRARY");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return;
  reinterpret_cast<void (*)()>(dlsym(library, "Py_Initialize"))();
  char script[256];
  std::snprintf(script, sizeof script,
                "import ctypes\ncall = ctypes.CFUNCTYPE(None)(%ju)\n"
                "def inner():\n    call()\n"
                "def outer():\n    inner()\n"
                "outer()\nouter()\n",  // the second time Python is known for sure
                static_cast<uintmax_t>(reinterpret_cast<uintptr_t>(&launch_from_python)));
  reinterpret_cast<int (*)(const char*)>(dlsym(library, "PyRun_SimpleString"))(script);
}

void print_all_used() {
  print_used("first", launch_here);
  print_used("same", launch_here);
  print_used("caller", launch_there);
  if (dlopen("libz.so.1", RTLD_NOW) == nullptr) attack::fail(dlerror());
  print_used("library", launch_later);
  const pid_t child = fork();
  if (child == 0) {
    print_used("forked", launch_here);
    launcher.wait();
    _exit(0);
  }
  int status = 0;
  if (waitpid(child, &status, 0) != child || status != 0) attack::fail("the child died");
  launched += 1;
  print_used_by_python();
}

void in_coroutines(size_t bytes, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    const SmallStack stack(bytes);
    call_on_stack(stack.top(), i % 2 == 0 ? launch_here : launch_there);
  }
}

void on_signal(int) {
  launch_here();
}

void in_handlers(size_t bytes, uint64_t count) {
  const SmallStack stack(bytes);
  stack_t alternate{};
  alternate.ss_sp = stack.low();
  alternate.ss_size = bytes;
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_ONSTACK;
  if (sigaltstack(&alternate, nullptr) != 0 || sigaction(SIGUSR1, &action, nullptr) != 0)
    attack::fail("sigaltstack");
  for (uint64_t i = 0; i < count; ++i) raise(SIGUSR1);
  alternate.ss_flags = SS_DISABLE;
  sigaltstack(&alternate, nullptr);
}

void* in_thread(void*) {
  launch_here();
  return nullptr;
}

void in_threads(size_t bytes, uint64_t count) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (pthread_attr_setstacksize(&attributes, bytes) != 0) attack::fail("stack size");
  for (uint64_t i = 0; i < count; ++i) {
    pthread_t thread{};
    if (pthread_create(&thread, &attributes, in_thread, nullptr) != 0) attack::fail("thread");
    pthread_join(thread, nullptr);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) attack::fail("usage: small_stacks API HOW [BYTES COUNT]");
  const std::string how = argv[2];
  const size_t bytes = argc == 5 ? std::strtoull(argv[3], nullptr, 10) : 0;
  const uint64_t count = argc == 5 ? std::strtoull(argv[4], nullptr, 10) : 0;
  launcher.open(argv[1]);
  if (how == "used")
    print_all_used();
  else if (how == "coroutine")
    in_coroutines(bytes, count);
  else if (how == "signal")
    in_handlers(bytes, count);
  else if (how == "thread")
    in_threads(bytes, count);
  else
    attack::fail("used, coroutine, signal or thread");
  launcher.wait();
  std::printf("made %ju\n", static_cast<uintmax_t>(launched));
}
