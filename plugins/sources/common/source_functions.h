// SPDX-License-Identifier: MIT
// What the functions of gpustall_plugin have in common where a source is a C++ object: no exception
// gets out, and what it said is the last error.
#pragma once

#include <exception>
#include <string>

#include "plugins/abi/gpustall_plugin.h"

namespace aiflame::source {

// Source: made of a `const gpustall_config&`; `bool read(gpustall_sink, void* user)`, false when
// nothing can follow any more; `void stop()`.
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
  // libperf keeps its descriptors to itself, and a file is always ready: the recorder comes by on
  // each interval.
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

}  // namespace aiflame::source
