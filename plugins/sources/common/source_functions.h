// SPDX-License-Identifier: MIT
// The table that a source plugin exports, for a source that is a C++ class. No exception leaves a
// function; its text becomes the last error.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "plugins/abi/gpustall_plugin.h"

namespace aiflame::source {

// A Source has a constructor from `const gpustall_config&`; `bool read(gpustall_sink, void* user)`,
// false when nothing can follow any more; `void stop()`.
template <typename Source>
struct SourceFunctions {
  static inline std::string last_error;

  static void* open(const gpustall_config* config) {
    try {
      return new Source(*config);
    } catch (const std::exception& error) {
      last_error = error.what();
      return nullptr;
    }
  }
  // For sources without a descriptor to poll, as libperf keeps its own and a file is always ready:
  // the recorder then reads on each interval.
  static int no_descriptors(void*, int*, int) { return 0; }
  static int read(void* state, gpustall_sink sink, void* user) {
    try {
      return static_cast<Source*>(state)->read(sink, user) ? 1 : 0;
    } catch (const std::exception& error) {
      last_error = error.what();
      return -1;
    }
  }
  static void stop(void* state) { static_cast<Source*>(state)->stop(); }
  static void close(void* state) { delete static_cast<Source*>(state); }
  static const char* error_text() { return last_error.c_str(); }
};

// What a source states about itself, as in gpustall_plugin.
struct SourceDescription {
  const char* name;
  const char* description;
  const char* event = "gpu-stall";
  const char* agent = "";
  uint32_t flags = 0;
};

// The table to export as `gpustall_plugin`.
template <typename Source>
constexpr struct gpustall_plugin plugin_table(
    const SourceDescription& is, decltype(gpustall_plugin::devices) devices,
    decltype(gpustall_plugin::descriptors) descriptors = SourceFunctions<Source>::no_descriptors) {
  using Functions = SourceFunctions<Source>;
  return {GPUSTALL_PLUGIN_ABI,
          sizeof(struct gpustall_plugin),
          is.name,
          is.description,
          is.event,
          is.agent,
          is.flags,
          devices,
          Functions::open,
          descriptors,
          Functions::read,
          Functions::stop,
          Functions::close,
          Functions::error_text};
}

}  // namespace aiflame::source

// In a source's plugin.cc, once, outside its namespace.
#define EXPORT_SOURCE(table)                                                                       \
  extern "C" __attribute__((visibility("default"))) const struct gpustall_plugin gpustall_plugin = \
      table;
