// SPDX-License-Identifier: MIT
// Code objects that agents have sent, until their AGENT_LOAD records are read.
#pragma once

#include <cstdint>
#include <deque>
#include <map>

#include "plugins/abi/agent_channel.h"
#include "tools/gpustall-record/code/object_content.h"

namespace aiflame::record {

class ObjectInbox {
 public:
  // Takes over `fd`, the memfd that process `pid` sent with `object`. An object that fails a check
  // is dropped. When the process has more than its share waiting, so is its oldest one.
  void add(uint32_t pid, const agent_object& object, int fd);
  // Moves the object into `content`. False when it has not arrived, or was dropped.
  [[nodiscard]] bool take(uint32_t pid, uint64_t id, ObjectContent& content);
  void forget(uint32_t pid);

 private:
  // Of all processes; budgets.cc says what a single one may have. An honest object waits as long as
  // its process takes to write one record, or as long as the recorder is busy with others. Each
  // takes a descriptor and a memfd, which is the memory of its process, but outlives it here.
  static constexpr uint64_t kMaxWaiting = 2048, kMaxBytes = uint64_t{1} << 30;
  struct Waiting {
    uint32_t pid = 0;
    uint64_t id = 0;
    ObjectContent content;
  };
  struct Sum {
    uint64_t objects = 0, bytes = 0;
  };
  bool has_room(uint32_t pid, uint64_t bytes) const;
  ObjectContent remove(const std::deque<Waiting>::iterator& at);
  [[nodiscard]] bool remove_oldest(uint32_t pid);

  std::deque<Waiting> waiting_;
  Sum all_;
  std::map<uint32_t, Sum> of_processes_;
};

}  // namespace aiflame::record
