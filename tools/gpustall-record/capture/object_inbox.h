// SPDX-License-Identifier: MIT
// Code objects that agents have sent, until their AGENT_LOAD records are read.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "plugins/abi/agent_channel.h"

namespace aiflame::record {

class ObjectInbox {
 public:
  ObjectInbox() = default;
  ~ObjectInbox();
  ObjectInbox(const ObjectInbox&) = delete;
  ObjectInbox& operator=(const ObjectInbox&) = delete;

  // Takes over `fd`, the memfd that process `pid` sent with `object`. Drops the oldest object when
  // kMaxWaiting already wait.
  void add(uint32_t pid, const agent_object& object, int fd);
  // Removes the object and reads its bytes into `content`, which stays empty when the memfd fails a
  // check. False when the object has not arrived.
  bool take(uint32_t pid, uint64_t id, std::string& content);
  void forget(uint32_t pid);

 private:
  // An honest object waits as long as its process takes to write one record.
  static constexpr size_t kMaxWaiting = 256;
  struct Waiting {
    uint32_t pid = 0;
    uint64_t id = 0;
    uint64_t bytes = 0;
    int fd = -1;
  };
  static void read_bytes(const Waiting& from, std::string& content);

  std::deque<Waiting> waiting_;
};

}  // namespace aiflame::record
