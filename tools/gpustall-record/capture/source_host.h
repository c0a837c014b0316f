// SPDX-License-Identifier: MIT
// Finds, loads and checks source plugins, and makes calling one safe.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "plugins/abi/gpustall_plugin.h"

namespace aiflame::record {

// A device as a source told of it; copies that stay.
struct Device {
  uint32_t index = 0;
  std::string name, place, unit;
  uint64_t period = 0;
  std::string obstacle;        // "" or why it cannot be recorded now
  unsigned address_bits = 64;  // of an instruction's address, that its samples tell
};

class Source {
 public:
  // Throws Error: why it cannot be loaded.
  Source(const std::string& directory, const std::string& name);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::string name() const { return plugin_->name; }
  std::string description() const { return plugin_->description; }
  std::string event() const { return plugin_->event; }
  std::string agent() const { return plugin_->agent; }
  bool has(gpustall_flags flag) const { return (plugin_->flags & flag) != 0; }

  // Throws Error with the source's reason when there is none.
  std::vector<Device> devices(const gpustall_config& config) const;

  void open(const gpustall_config& config);
  std::vector<int> descriptors() const;
  // False when nothing can follow any more.
  bool read(const std::function<void(const gpustall_event&)>& sink);
  void stop();

 private:
  void* library_ = nullptr;
  const gpustall_plugin* plugin_ = nullptr;
  void* state_ = nullptr;
};

// The names of what lies in the plugin directory (sources only, without ".so"), sorted.
std::vector<std::string> source_names(const std::string& directory);

// Where plugins and agents are installed: ../libexec/aiflame from the program.
std::string default_plugin_directory();

}  // namespace aiflame::record
