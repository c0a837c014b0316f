// SPDX-License-Identifier: MIT
// LD_PRELOAD=libchannel_delays.so: each connect(2) and sendmsg(2) comes up to 50 ms later, as in a
// process that loses its processor in between.
#include <dlfcn.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cstdlib>

namespace {

void delay() {
  static unsigned seed = static_cast<unsigned>(getpid());
  timespec time{0, rand_r(&seed) % 50000000};
  nanosleep(&time, nullptr);
}

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int connect(int socket, const sockaddr* address,
                                                              socklen_t bytes) {
  delay();
  return next<int(int, const sockaddr*, socklen_t)>("connect")(socket, address, bytes);
}

extern "C" __attribute__((visibility("default"))) ssize_t sendmsg(int socket, const msghdr* message,
                                                                  int flags) {
  delay();
  return next<ssize_t(int, const msghdr*, int)>("sendmsg")(socket, message, flags);
}
