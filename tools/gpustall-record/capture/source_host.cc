// SPDX-License-Identifier: MIT
#include "tools/gpustall-record/capture/source_host.h"

#include <dirent.h>
#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstring>

#include "libcommon/base/program.h"

namespace aiflame::record {

Source::Source(const std::string& directory, const std::string& name) {
  // a name, not a path: the directory is the only place that code is loaded from
  if (name.empty() || name.find('/') != std::string::npos)
    throw Error(format("source '%s': not the name of a source", name.c_str()));
  const std::string path = directory + "/" + name + ".so";
  library_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library_ == nullptr) {
    const std::string why = dlerror();
    if (access(path.c_str(), F_OK) != 0)
      throw Error(format("no source '%s' in %s", name.c_str(), directory.c_str()));
    throw Error(format("source '%s': %s", name.c_str(), why.c_str()));
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
        // an older plugin's ends before its obstacle
        const bool has_obstacle =
            device->size >= offsetof(gpustall_device, obstacle) + sizeof device->obstacle &&
            device->obstacle != nullptr;
        const bool has_bits =
            device->size >= offsetof(gpustall_device, address_bits) + sizeof device->address_bits &&
            device->address_bits != 0;
        static_cast<std::vector<Device>*>(user)->push_back(
            Device{device->index, device->name, device->place, device->unit, device->period,
                   has_obstacle ? device->obstacle : "", has_bits ? device->address_bits : 64});
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
  // what the sink throws must not cross the plugin: it is kept until the plugin has returned
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

std::vector<std::string> source_names(const std::string& directory) {
  std::vector<std::string> names;
  DIR* opened = opendir(directory.c_str());
  if (opened == nullptr)
    throw Error(format("cannot open '%s': %s", directory.c_str(), std::strerror(errno)));
  while (const dirent* entry = readdir(opened)) {
    const std::string name = entry->d_name;
    if (name.ends_with(".so") && !name.ends_with("-agent.so"))
      names.push_back(name.substr(0, name.size() - 3));
  }
  closedir(opened);
  std::sort(names.begin(), names.end());
  return names;
}

std::string default_plugin_directory() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  if (length <= 0) throw Error("cannot read /proc/self/exe");
  const std::string program(path, static_cast<size_t>(length));
  const std::string bin = program.substr(0, program.rfind('/'));
  return bin.substr(0, bin.rfind('/')) + "/libexec/aiflame";
}

}  // namespace aiflame::record
