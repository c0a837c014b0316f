// SPDX-License-Identifier: MIT
#include "plugins/sources/xe/render_node.h"

#include <dirent.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame::source::xe {
namespace {

constexpr const char* kNodes = "/dev/dri";
constexpr std::string_view kRenderNode = "renderD";

// Where Debian and Red Hat keep the names of PCI devices (packages pci.ids and hwdata).
constexpr const char* kPciNames[] = {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"};

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

//   DRIVER=xe
//   PCI_ID=8086:E20B
//   PCI_SLOT_NAME=0000:03:00.0
void read_uevent(const std::string& path, RenderNode& node) {
  LineReader lines(path);
  std::string_view line;
  while (lines.next(line)) {
    if (take_prefix(line, "DRIVER=")) {
      node.driver = line;
    } else if (take_prefix(line, "PCI_ID=")) {
      const size_t colon = line.find(':');
      node.vendor = lower(line.substr(0, colon));
      if (colon != std::string_view::npos) node.model = lower(line.substr(colon + 1));
    } else if (take_prefix(line, "PCI_SLOT_NAME=")) {
      node.place = line;
    }
  }
}

//   8086  Intel Corporation
//   <tab>e20b  Battlemage G21 [Arc B580]
//   <tab><tab>1849 6020  …
std::string find_pci_name(const char* path, const RenderNode& node) {
  LineReader lines(path);
  std::string_view line;
  bool in_vendor = false;
  while (lines.next(line)) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() != '\t') {
      if (in_vendor) break;
      in_vendor = line.starts_with(node.vendor);
    } else if (in_vendor && take_prefix(line, "\t" + node.model + "  ")) {
      return std::string(trim_right(line));
    }
  }
  return "";
}

}  // namespace

std::string RenderNode::name() const {
  for (const char* list : kPciNames) {
    try {
      std::string found = find_pci_name(list, *this);
      // commas separate the fields of the recording's `device N :` line
      std::replace(found.begin(), found.end(), ',', ' ');
      if (!found.empty()) return found;
    } catch (const Error&) {
      // not installed: the number will do
    }
  }
  return format("%s GPU %s:%s", vendor == "8086" ? "Intel" : "a", vendor.c_str(), model.c_str());
}

std::vector<RenderNode> render_nodes() {
  std::vector<std::pair<unsigned, std::string>> found;
  DIR* directory = opendir(kNodes);
  if (directory == nullptr) return {};
  while (const dirent* entry = readdir(directory)) {
    std::string_view name = entry->d_name;
    if (!take_prefix(name, kRenderNode)) continue;
    if (const auto number = parse_number<unsigned>(name))
      found.emplace_back(*number, entry->d_name);
  }
  closedir(directory);
  std::sort(found.begin(), found.end());
  std::vector<RenderNode> nodes;
  for (const auto& [number, name] : found) {
    RenderNode node;
    node.path = node.place = std::string(kNodes) + "/" + name;
    try {
      read_uevent("/sys/class/drm/" + name + "/device/uevent", node);
    } catch (const Error&) {
      // no sysfs: the driver itself will be asked
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

}  // namespace aiflame::source::xe
