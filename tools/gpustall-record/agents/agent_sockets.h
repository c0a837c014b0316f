// SPDX-License-Identifier: MIT
// The recorder's ends of the two ways by which agents send their memory: a pair of sockets of which
// the command inherits one, and a listening socket in a directory of the recorder's own. With
// --listen there is only the second, in a directory that stays. Whom to believe is not decided
// here.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/agents/listen_directory.h"

namespace aiflame::record {

// The message that an agent sends with a memfd.
union Greeting {
  agent_hello hello;
  agent_object object;
};
static_assert(sizeof(agent_hello) == sizeof(agent_object));

// What came over one of the ways.
struct Arrival {
  enum class What {
    connection,  // nothing yet, only a connection
    greeting,    // magic, version and secret are right; `fd` is the memfd
    no_memory,   // the same, but the recorder had no room for the descriptor
    other_version,
    wrong,   // something else
    silent,  // the connection ended, or was cut off, without a greeting
  } what = What::wrong;
  // As the kernel says, in the recorder's namespaces. pid 0 = a process outside them.
  ucred from{};
  bool inherited = false;  // came over the socket that the command inherits
  Greeting greeting{};
  int fd = -1;
  int root = -1;  // of a greeting: the second descriptor, which should be the root directory
};

class AgentSockets {
 public:
  // Without `listen` for a command, with both ways; else in that directory. `told`: what a process
  // was told that says so, "" = the user does. Throws Error.
  AgentSockets(std::shared_ptr<const ListenDirectory> listen, const std::string& told);
  ~AgentSockets();
  AgentSockets(const AgentSockets&) = delete;
  AgentSockets& operator=(const AgentSockets&) = delete;

  // The value of AIFLAME_AGENT for the command.
  const std::string& address() const { return address_; }
  // The descriptor that the command must inherit under the same number; -1 without a command.
  int descriptor() const { return inherited_; }

  // Hands over what has arrived, `most` from each way. The callee owns `fd`, and `root` is closed
  // after the call. For a connection it returns whether the greeting shall be waited for; else what
  // it returns is not used.
  using Taker = std::function<bool(const Arrival&)>;
  // Returns the number of arrivals.
  size_t receive(const Taker& take, size_t most);
  // More than the sockets hold: takes at least all that had been sent before the call.
  static constexpr size_t kAll = 8192;
  // Closes both ways and hands over what was sent before. Connections without a greeting are cut
  // off.
  void end(const Taker& take);
  // What agents could not send; to be called before end(). `total` counts all, the result has the
  // first ones.
  std::vector<agent_missed> missed(uint64_t& total) const;

 private:
  struct Connection {
    int fd = -1;
    ucred from{};
    uint64_t deadline = 0;
  };
  ino_t make_pair();
  [[nodiscard]] bool make_directory();
  void listen_in_directory();
  // A file in the directory, as this process reaches it.
  std::string file(const char* name) const;
  void remove_files() const;
  void remove_directory();
  size_t accept_some(const Taker& take, size_t most);
  [[nodiscard]] bool greet(Connection& connection, const Taker& take);
  size_t receive_inherited(const Taker& take, size_t most);
  size_t receive_connections(const Taker& take, size_t most);

  uint8_t secret_[AGENT_SECRET_BYTES] = {};
  std::string address_, directory_;
  std::shared_ptr<const ListenDirectory> kept_;  // with --listen
  int receiver_ = -1, inherited_ = -1;           // the pair
  int listener_ = -1, missed_ = -1;
  std::vector<Connection> connections_;  // accepted, and without a greeting yet
};

}  // namespace aiflame::record
