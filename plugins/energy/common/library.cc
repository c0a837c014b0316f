// SPDX-License-Identifier: MIT
#include "plugins/energy/common/library.h"

#include <dlfcn.h>

#include <string_view>

namespace aiflame::energy {

Library::Library(const std::vector<const char*>& names) {
  for (const char* name : names) {
    library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    name_ = name;
    if (library_ != nullptr) return;
    // "libnvidia-ml.so.1: cannot open shared object file: No such file or directory"
    const char* error = dlerror();
    const std::string_view text = error == nullptr ? "" : error;
    if (obstacle_.empty() && !text.ends_with("No such file or directory")) obstacle_ = text;
  }
}

void* Library::symbol(const char* name) const {
  return dlsym(library_, name);
}

}  // namespace aiflame::energy
