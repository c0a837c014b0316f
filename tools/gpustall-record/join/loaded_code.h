// SPDX-License-Identifier: MIT
// The code that is on the devices now, as the source and the agents tell of it. What comes and goes
// becomes an event of its slice.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugins/abi/agent_channel.h"
#include "plugins/abi/gpustall_plugin.h"
#include "tools/gpustall-record/join/slice.h"
#include "tools/gpustall-record/write/objects.h"

namespace aiflame::record {

class LoadedCode {
 public:
  // Copies are kept in `directory`, as ObjectStore has it.
  LoadedCode(const std::string& directory, Names& kernels, Slices& slices)
      : store_(directory), kernels_(kernels), slices_(slices) {}

  // What the source tells.
  void load(const gpustall_event& event);
  void unload(const gpustall_event& event);

  // What an agent tells of code on `devices` of the source.
  void load(uint32_t pid, const agent_code& code, const std::string& content, uint64_t time,
            const std::vector<uint32_t>& devices);
  void unload(uint32_t pid, uint64_t id, uint64_t time);
  // All that the agent of `pid` told of is gone.
  void forget(uint32_t pid, uint64_t time);
  // Agents' unloads wait until it is `until`.
  void place_unloads(uint64_t until);

  std::shared_ptr<const CodeObject> at(uint32_t device, uint32_t pid, uint64_t address) const;

  // Where a kernel is, in what the agent of `pid` calls `id`; address 0 = not known.
  struct KernelPlace {
    uint64_t address = 0;
    std::string object;  // its path
  };
  KernelPlace find_kernel(uint32_t pid, uint64_t id, uint32_t kernel) const;

 private:
  // Code that an agent told of, on a device of the source.
  struct Loaded {
    uint32_t pid = 0, device = 0;
    std::shared_ptr<const CodeObject> object;
  };
  struct Unload {
    uint64_t time = 0;
    Loaded loaded;
  };

  void unload_late(const std::vector<Loaded>& loaded, uint64_t time);
  void place_unload(const Loaded& loaded, uint64_t time, bool before_samples);
  void place_load(const Loaded& loaded, uint64_t time);

  ObjectStore store_;
  Names& kernels_;
  Slices& slices_;
  std::map<uint32_t, Objects> objects_;  // by device
  // Of agents, by (pid, agent's id).
  std::map<std::pair<uint32_t, uint64_t>, std::vector<Loaded>> of_agents_;
  std::deque<Unload> unloads_;  // that are not placed yet, by when they are to be
};

}  // namespace aiflame::record
