// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/source/source.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <exception>

#include "libcommon/base/program.h"
#include "tools/gpustall-record/source/missing_parts.h"

namespace aiflame::record {

Source::Source(const std::string& directory, const std::string& name) {
  // a name and not a path: code is loaded from this directory only
  if (name.empty() || name.find('/') != std::string::npos)
    throw Error(format("source '%s': not the name of a source", name.c_str()));
  const std::string path = directory + "/" + name + ".so";
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const std::string why = dlerror();
    if (access(path.c_str(), F_OK) != 0)
      throw Error(format("no source '%s' in %s", name.c_str(), directory.c_str()));
    const std::string lack = describe_missing_library(why);
    throw Error(format("source '%s': %s", name.c_str(), lack.empty() ? why.c_str() : lack.c_str()));
  }
  plugin_ = static_cast<const gpustall_plugin*>(dlsym(library_, GPUSTALL_PLUGIN_SYMBOL));
  std::string fault;
  if (plugin_ == nullptr)
    fault = format("source '%s': %s has no symbol '%s'", name.c_str(), path.c_str(),
                   GPUSTALL_PLUGIN_SYMBOL);
  else if (plugin_->abi != GPUSTALL_PLUGIN_ABI || plugin_->size < sizeof *plugin_)
    fault = format("source '%s': made for plugin interface %u, this program has %d", name.c_str(),
                   plugin_->abi, GPUSTALL_PLUGIN_ABI);
  if (!fault.empty()) {
    dlclose(library_);
    throw Error(fault);
  }
}

Source::~Source() {
  if (state_ != nullptr) plugin_->close(state_);
  dlclose(library_);
}

std::vector<Device> Source::devices(const gpustall_config& config) const {
  std::vector<Device> found;
  const int count = plugin_->devices(
      &config,
      [](void* user, const gpustall_device* device) {
        // the structure of an older plugin may end before these fields
        const bool has_obstacle =
            device->size >= offsetof(gpustall_device, obstacle) + sizeof device->obstacle &&
            device->obstacle != nullptr;
        const bool has_bits =
            device->size >= offsetof(gpustall_device, address_bits) + sizeof device->address_bits &&
            device->address_bits != 0;
        const bool has_lack =
            device->size >= offsetof(gpustall_device, lack) + sizeof device->lack &&
            device->lack != nullptr;
        static_cast<std::vector<Device>*>(user)->push_back(
            Device{device->index, device->name, device->place, device->unit, device->period,
                   has_obstacle ? device->obstacle : "", has_bits ? device->address_bits : 64,
                   has_lack ? device->lack : ""});
      },
      &found);
  if (count < 0) throw Error(format("source '%s': %s", plugin_->name, plugin_->last_error()));
  return found;
}

void Source::open(const gpustall_config& config) {
  state_ = plugin_->open(&config);
  if (state_ == nullptr)
    throw Error(format("source '%s': %s", plugin_->name, plugin_->last_error()));
}

std::vector<int> Source::descriptors() const {
  int found[64];
  const int count = plugin_->descriptors(state_, found, 64);
  return {found, found + std::clamp(count, 0, 64)};
}

bool Source::read(const std::function<void(const gpustall_event&)>& sink) {
  // an exception must not pass through the plugin: it is kept until the plugin has returned
  struct Call {
    const std::function<void(const gpustall_event&)>& sink;
    std::exception_ptr thrown;
  } call{sink, nullptr};
  const int result = plugin_->read(
      state_,
      [](void* user, const gpustall_event* event) {
        auto* to = static_cast<Call*>(user);
        if (to->thrown) return;
        try {
          to->sink(*event);
        } catch (...) {
          to->thrown = std::current_exception();
        }
      },
      &call);
  if (call.thrown) std::rethrow_exception(call.thrown);
  if (result < 0) throw Error(format("source '%s': %s", plugin_->name, plugin_->last_error()));
  return result > 0;
}

void Source::stop() {
  plugin_->stop(state_);
}

}  // namespace aiflame::record
