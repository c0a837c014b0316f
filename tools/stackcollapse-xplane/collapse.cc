// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/collapse.h"

#include <algorithm>
#include <exception>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-xplane/device_time.h"
#include "tools/stackcollapse-xplane/hlo_modules.h"
#include "tools/stackcollapse-xplane/host_threads.h"
#include "tools/stackcollapse-xplane/host_time.h"

namespace aiflame::xplane {
namespace {

// So many messages of the profiler are shown.
constexpr size_t kShownMessages = 3;

void pass_on(const std::string& name, const std::vector<std::string_view>& messages) {
  for (size_t i = 0; i < std::min(messages.size(), kShownMessages); ++i)
    warn("%s: the profiler says: %s", name.c_str(), printable(messages[i]).c_str());
  if (messages.size() > kShownMessages)
    warn("%s: the profiler says %zu more", name.c_str(), messages.size() - kShownMessages);
}

TimeBase find_times(const Space& space) {
  TimeBase out;
  for (const auto& plane : space.planes)
    if (is_device_plane(plane->name()) || is_host_plane(plane->name()))
      for (const Line& line : plane->lines()) out.add(line);
  return out;
}

// What files count that are not the same is one unit, but has no name.
void add_event(const std::string& event, ImportedStacks& stacks) {
  const Quantity quantity{.event = event, .unit = std::string(kNanoseconds), .measured = true};
  stacks.quantity =
      stacks.quantity.is_known() ? common_quantity(stacks.quantity, quantity) : quantity;
}

uint64_t fold_devices(const Space& space, const TimeBase& times, const RootFrames& roots,
                      const Settings& settings, ImportedStacks& stacks) {
  HloModules modules;
  HostThreads host(times, settings, stacks);
  for (const auto& plane : space.planes) {
    if (plane->name() == "/host:metadata") modules.add(*plane);
    if (is_host_plane(plane->name())) host.read(*plane);
  }
  host.finish();
  OperatorStacks operators(modules, settings, stacks);
  DeviceTime devices(times, host, operators, roots, settings, stacks);
  for (const auto& plane : space.planes)
    if (is_device_plane(plane->name())) devices.fold(*plane);
  return devices.events();
}

void fold_host(const Space& space, const TimeBase& times, const RootFrames& roots,
               const Settings& settings, ImportedStacks& stacks) {
  for (const auto& plane : space.planes)
    if (is_host_plane(plane->name()))
      fold_host_time(*plane, times, roots, settings.import.names, stacks);
}

bool has_device_lines(const Space& space) {
  return std::any_of(space.planes.begin(), space.planes.end(), [](const auto& plane) {
    return is_device_plane(plane->name()) && !plane->lines().empty();
  });
}

void fold(std::string_view message, const std::string& name, const Settings& settings,
          ImportedStacks& stacks) {
  const Space space = read_space(message);
  if (space.planes.empty()) throw Error(name + ": not a profile of XLA: it has no planes");
  const TimeBase times = find_times(space);
  const RootFrames roots(
      space.host.empty() ? name.substr(name.rfind('/') + 1) : std::string(space.host), settings,
      stacks);
  pass_on(name, space.errors);
  pass_on(name, space.warnings);
  if (!settings.cpu && has_device_lines(space)) {
    add_event("gpu-time", stacks);
    if (fold_devices(space, times, roots, settings, stacks) == 0)
      warn("%s: has no work of a device; --cpu shows the host's threads", name.c_str());
    return;
  }
  if (!settings.cpu)
    warn("%s: has no lines of a device: the host's threads are drawn", name.c_str());
  add_event("wall-time", stacks);
  fold_host(space, times, roots, settings, stacks);
}

}  // namespace

void collapse(std::string_view message, const std::string& name, const Settings& settings,
              ImportedStacks& stacks) {
  try {
    fold(message, name, settings, stacks);
  } catch (const protozero::exception& error) {
    // "\ufffd", which a conversion to UTF-8 puts where it finds none
    const bool converted = message.find("\xef\xbf\xbd") != std::string_view::npos;
    throw Error(name + ": not a whole profile of XLA: " + error.what() +
                (converted ? "; it was converted as if it were text" : ""));
  }
}

}  // namespace aiflame::xplane
