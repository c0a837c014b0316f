// SPDX-License-Identifier: MIT
// channel_stranger: a process that is not recorded, and wants to be, or wants what is recorded.
//
//   flood N WHERE     knows all that /proc shows to its user: tries each of the recorder's sockets
//                     in /proc/net/unix, each AIFLAME_AGENT in an environment that it may read, and
//                     the descriptors of those processes; of the recorder with WHERE in its
//                     address, as others may run here. Sends N rings each way, with a launch of the
//                     kernel INTRUDER. Prints how many secrets it read and greetings it sent
//   mute N DIRECTORY  connects N times to the socket in the directory, sends nothing, and prints
//                     "connected"
//   listen DIRECTORY  makes the directory if it is missing, and listens in it, where a recorder
//                     that was killed has listened. Prints "listening", then "connected" and "got
//                     memory" for what comes
//
// All of them live until their standard input ends.
#include <dirent.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cctype>
#include <fstream>
#include <iterator>
#include <sstream>
#include <vector>

#include "tests/fakes/agent_ring.h"

namespace {

using namespace aiflame::fakes;

// A stack with one launch, which the recorder would write down.
int make_ring() {
  const int fd = memfd_create("ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0 || ftruncate(fd, AGENT_HEADER_BYTES + AGENT_CAPACITY) != 0) abort();
  struct {
    agent_stack stack;
    char kernel[8];
    agent_launch launch;
  } records{};
  records.stack.record = {sizeof records.stack + sizeof records.kernel, AGENT_STACK, 0};
  records.stack.id = 1;
  records.stack.name_bytes = sizeof records.kernel;
  std::memcpy(records.kernel, "INTRUDER", sizeof records.kernel);
  records.launch.record = {sizeof records.launch, AGENT_LAUNCH, 0};
  records.launch.id = records.launch.instance = 1;
  if (pwrite(fd, &records, sizeof records, AGENT_HEADER_BYTES) != sizeof records) abort();
  fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
  return fd;
}

// Returns whether it was sent.
bool greet(int socket, const uint8_t* secret) {
  static const int kRing = make_ring();
  agent_hello hello{AGENT_MAGIC, AGENT_VERSION, {}, AGENT_CAPACITY, "stranger", 1};
  if (secret != nullptr) std::memcpy(hello.secret, secret, sizeof hello.secret);
  return send_with_descriptor(socket, &hello, sizeof hello, kRing);
}

uint64_t greet_path(const std::string& path, const uint8_t* secret, unsigned times) {
  uint64_t sent = 0;
  for (unsigned i = 0; i < times; ++i) {
    const int socket = connect_to_path(path);
    if (socket < 0) break;
    sent += greet(socket, secret);
    close(socket);
  }
  return sent;
}

// Takes a copy of another process's descriptor, as a debugger may.
uint64_t greet_descriptor(pid_t pid, const Address& to, unsigned times) {
  const auto process = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const auto socket = static_cast<int>(syscall(SYS_pidfd_getfd, process, to.descriptor, 0));
  uint64_t sent = 0;
  // the recorder empties it every 20 ms, unless it is kept from running
  unsigned waits = 1000;
  while (socket >= 0 && sent < times && waits > 0)
    if (greet(socket, to.secret))
      ++sent;
    else if (--waits > 0)
      usleep(1000);
  return sent;
}

void flood(unsigned times, const std::string& where) {
  uint64_t secrets = 0, sent = 0;
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    const size_t path = line.rfind(' ') + 1;
    if (line.find(where) != std::string::npos)
      sent += greet_path(line.substr(path), nullptr, times);
  }
  DIR* processes = opendir("/proc");
  while (const dirent* entry = readdir(processes)) {
    if (isdigit(static_cast<unsigned char>(entry->d_name[0])) == 0) continue;
    std::ifstream file(std::string("/proc/") + entry->d_name + "/environ");
    for (std::string variable; std::getline(file, variable, '\0');) {
      if (variable.rfind(AGENT_ENVIRONMENT "=", 0) != 0 ||
          variable.find(where) == std::string::npos)
        continue;
      const Address to(variable.substr(sizeof AGENT_ENVIRONMENT));
      ++secrets;
      sent += greet_path(to.directory + "/" AGENT_SOCKET_NAME, to.secret, times);
      sent += greet_descriptor(std::stoi(entry->d_name), to, times);
    }
  }
  closedir(processes);
  std::printf("secrets %llu sent %llu\n", static_cast<unsigned long long>(secrets),
              static_cast<unsigned long long>(sent));
}

void be_mute(unsigned times, const std::string& directory) {
  std::vector<int> sockets;
  for (unsigned i = 0; i < times; ++i)
    sockets.push_back(connect_to_path(directory + "/" AGENT_SOCKET_NAME));
  std::puts("connected");
}

// What is waiting on a connection: whether it brought a descriptor.
bool brings_memory(int connection) {
  char content[256];
  int memory[1];
  return aiflame::receive_with_descriptors(connection, content, sizeof content, memory) > 0 &&
         memory[0] >= 0;
}

void listen_in(const std::string& directory) {
  mkdir(directory.c_str(), 0777);
  chmod(directory.c_str(), 0777);
  const int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::snprintf(address.sun_path, sizeof address.sun_path, "%s/" AGENT_SOCKET_NAME,
                directory.c_str());
  if (bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      chmod(address.sun_path, 0777) != 0 || listen(listener, 64) != 0) {
    std::perror("channel_stranger");
    std::exit(1);
  }
  std::puts("listening");
  std::fflush(stdout);
  for (;;) {
    pollfd polled[] = {{listener, POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
    poll(polled, 2, -1);
    if ((polled[0].revents & POLLIN) == 0) return;
    const int connection = accept(listener, nullptr, nullptr);
    std::puts("connected");
    if (brings_memory(connection)) std::puts("got memory");
    std::fflush(stdout);
    close(connection);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "flood" && argc == 4)
    flood(static_cast<unsigned>(std::stoul(argv[2])), argv[3]);
  else if (mode == "mute" && argc == 4)
    be_mute(static_cast<unsigned>(std::stoul(argv[2])), argv[3]);
  else if (mode == "listen" && argc == 3)
    listen_in(argv[2]);
  else
    return 2;
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
}
