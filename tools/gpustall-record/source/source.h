// SPDX-License-Identifier: MIT
// A source plugin, loaded and checked. The only caller of plugins/abi/gpustall_plugin.h.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "plugins/abi/gpustall_plugin.h"

namespace aiflame::record {

// A device that a source reported; a copy that outlives the report.
struct Device {
  uint32_t index = 0;
  std::string name, place, unit;
  uint64_t period = 0;
  std::string obstacle;        // "" or why it cannot be recorded now
  unsigned address_bits = 64;  // how many low bits of an address its samples have
  std::string lack;            // "" or what programs on this machine lack to use it
};

class Source {
 public:
  // Loads `name`.so from `directory`. Throws Error with the reason when that fails.
  Source(const std::string& directory, const std::string& name);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::string name() const { return plugin_->name; }
  std::string description() const { return plugin_->description; }
  std::string event() const { return plugin_->event; }
  std::string agent() const { return plugin_->agent; }
  bool has(gpustall_flags flag) const { return (plugin_->flags & flag) != 0; }

  // Also the devices that have an obstacle. Throws Error with the source's reason when it has none.
  std::vector<Device> devices(const gpustall_config& config) const;

  // Starts recording; throws Error. The calls below need an open source.
  void open(const gpustall_config& config);
  // File descriptors to poll for input.
  std::vector<int> descriptors() const;
  // Hands all waiting events to `sink`. False when no more can follow. Throws Error, and what
  // `sink` throws.
  [[nodiscard]] bool read(const std::function<void(const gpustall_event&)>& sink);
  // Stops the device; a last read() gets the rest.
  void stop();

 private:
  void* library_ = nullptr;
  const gpustall_plugin* plugin_ = nullptr;
  void* state_ = nullptr;
};

}  // namespace aiflame::record
