// SPDX-License-Identifier: MIT
// Follows which code is loaded on the devices, as the source and the agents report it. Each load
// and unload becomes an event of its slice, and each sample is looked up in the code that is loaded
// when it arrives.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugins/abi/agent_channel.h"
#include "plugins/abi/gpustall_plugin.h"
#include "tools/gpustall-record/budget/budgets.h"
#include "tools/gpustall-record/code/code_map.h"
#include "tools/gpustall-record/code/code_sections.h"
#include "tools/gpustall-record/code/name_table.h"
#include "tools/gpustall-record/code/object_store.h"
#include "tools/gpustall-record/join/slice_joiner.h"

namespace aiflame::record {

class CodeTracker {
 public:
  // Copies of the objects are kept in `directory`, see ObjectStore. Objects count in `budgets`.
  CodeTracker(const std::string& directory, NameTable& kernels, SliceJoiner& joiner,
              Budgets& budgets)
      : store_(directory, budgets), kernels_(kernels), joiner_(joiner), budgets_(budgets) {}

  // Reports of the source: GPUSTALL_EVENT_LOAD and GPUSTALL_EVENT_UNLOAD.
  void load(const gpustall_event& event);
  void unload(const gpustall_event& event);

  // Reports of an agent; `devices` are the source's.
  void load(uint32_t pid, const agent_code& code, const ObjectContent& content, uint64_t time,
            const std::vector<uint32_t>& devices);
  void unload(uint32_t pid, uint64_t id, uint64_t time);
  // Unloads all objects that the agents of `pid` have loaded.
  void forget(uint32_t pid, uint64_t time);
  // Agents' unloads are delayed: places those that are due by `until`.
  void place_unloads(uint64_t until);

  // The object at an address; null when there is none.
  std::shared_ptr<const CodeObject> find(uint32_t device, uint32_t pid, uint64_t address) const;

  // The place of a kernel in the object that an agent of `pid` calls `id`; address 0 = unknown.
  struct KernelPlace {
    uint64_t address = 0;
    std::string object;  // its path
  };
  KernelPlace find_kernel(uint32_t pid, uint64_t id, uint32_t kernel) const;

 private:
  // An object that an agent loaded, on a device of the source.
  struct Loaded {
    uint32_t pid = 0, device = 0;
    std::shared_ptr<const CodeObject> object;
  };
  struct Unload {
    uint64_t time = 0;
    Loaded loaded;
  };

  void add_functions(uint32_t pid, const CodeSection& section, bool with_inner, CodeObject& object);
  std::vector<std::shared_ptr<CodeObject>> make_objects(uint32_t pid,
                                                        const std::vector<CodeSection>& sections,
                                                        const std::string& path);
  std::shared_ptr<CodeObject> make_object_at(uint32_t pid, uint64_t base, uint64_t bytes,
                                             const std::vector<CodeSection>& sections,
                                             const std::string& path);
  void delay_unloads(const std::vector<Loaded>& loaded, uint64_t time);
  void place_unload(const Loaded& loaded, uint64_t time, bool before_samples);
  void place_load(const Loaded& loaded, uint64_t time);

  ObjectStore store_;
  NameTable& kernels_;
  SliceJoiner& joiner_;
  Budgets& budgets_;
  // What is loaded now, by device. SliceWriter has a second CodeMap, of the moment that the output
  // has reached; its comment says why one map is not enough.
  std::map<uint32_t, CodeMap> current_;
  // By pid and the agent's id.
  std::map<std::pair<uint32_t, uint64_t>, std::vector<Loaded>> of_agents_;
  std::deque<Unload> delayed_unloads_;  // sorted by time
};

}  // namespace aiflame::record
