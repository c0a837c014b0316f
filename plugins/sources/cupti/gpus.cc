// SPDX-License-Identifier: MIT
#include "plugins/sources/cupti/gpus.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string_view>

namespace aiflame::source::cupti {
namespace {

// These files have some hundred bytes, params some thousand.
std::string read_small(const std::string& path) {
  std::string content;
  FILE* file = std::fopen(path.c_str(), "re");
  if (file == nullptr) return content;
  char buffer[16384];
  content.assign(buffer, std::fread(buffer, 1, sizeof buffer, file));
  std::fclose(file);
  return content;
}

std::vector<std::string> names_in(const char* directory) {
  std::vector<std::string> names;
  DIR* opened = opendir(directory);
  if (opened == nullptr) return names;
  while (const dirent* entry = readdir(opened))
    if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
  closedir(opened);
  std::sort(names.begin(), names.end());
  return names;
}

// The VALUE of a line "KEY: VALUE", without blanks and tabs around it.
std::string value_of(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with(key) || !line.substr(key.size()).starts_with(':')) continue;
    line.remove_prefix(key.size() + 1);
    const size_t first = line.find_first_not_of(" \t");
    if (first == std::string_view::npos) return "";
    return std::string(line.substr(first, line.find_last_not_of(" \t") + 1 - first));
  }
  return "";
}

// NVIDIA's driver wants one of CAP_SYS_ADMIN and CAP_PERFMON.
bool is_admin() {
  if (geteuid() == 0) return true;
  constexpr unsigned kSysAdmin = 21, kPerfmon = 38;
  const std::string capabilities = value_of(read_small("/proc/self/status"), "CapEff");
  const uint64_t bits = std::strtoull(capabilities.c_str(), nullptr, 16);
  return ((bits >> kSysAdmin | bits >> kPerfmon) & 1) != 0;
}

}  // namespace

std::string model_in(const std::string& information) {
  return value_of(information, "Model");
}

bool is_for_admins_only(const std::string& params) {
  return value_of(params, "RmProfilingAdminOnly") == "1";
}

std::vector<Gpu> find_gpus() {
  // vendor 10de; classes 0300 (VGA) and 0302 (3D) are GPUs, other classes their bridges and audio
  const std::string pci = "/sys/bus/pci/devices/";
  std::map<std::string, std::string> by_place;
  for (const std::string& place : names_in(pci.c_str())) {
    if (read_small(pci + place + "/vendor") != "0x10de\n") continue;
    const std::string kind = read_small(pci + place + "/class");
    if (kind.starts_with("0x0300") || kind.starts_with("0x0302")) by_place[place] = "NVIDIA GPU";
  }
  const std::string driver = "/proc/driver/nvidia/gpus/";
  for (const std::string& place : names_in(driver.c_str())) {
    const std::string model = model_in(read_small(driver + place + "/information"));
    by_place[place] = model.empty() ? "NVIDIA GPU" : model;
  }
  std::vector<Gpu> gpus;
  for (const auto& [place, name] : by_place) gpus.push_back({name, place});
  if (!gpus.empty()) return gpus;
  for (const std::string& name : names_in("/dev"))
    if (name.starts_with("nvidia") && name.size() > 6 &&
        name.find_first_not_of("0123456789", 6) == std::string::npos)
      gpus.push_back({"NVIDIA GPU " + name.substr(6), ""});
  return gpus;
}

bool has_driver() {
  return access("/dev/nvidiactl", F_OK) == 0 || !names_in("/proc/driver/nvidia").empty() ||
         access("/dev/dxg", F_OK) == 0;
}

std::string permission_obstacle() {
  if (!is_for_admins_only(read_small("/proc/driver/nvidia/params")) || is_admin()) return "";
  return "the driver lets only root sample: run as root, or load the module nvidia with "
         "NVreg_RestrictProfilingToAdminUsers=0 (a line 'options nvidia ...' in /etc/modprobe.d, "
         "then reboot)";
}

}  // namespace aiflame::source::cupti
