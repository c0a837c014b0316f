// SPDX-License-Identifier: MIT
#include "plugins/sources/opencl-cpu/icd_files.h"

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "libcommon/io/read_text.h"

namespace aiflame::source::opencl_cpu {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostBytes = 4096;  // of a file with one path

bool names_pocl(const fs::path& path) {
  return path.extension() == ".icd" &&
         read_text(path.string(), kMostBytes).find("pocl") != std::string::npos;
}

bool has_pocl(const std::string& place) {
  std::error_code error;
  // a driver's library itself may be named, too
  if (!fs::is_directory(place, error))
    return place.find("pocl") != std::string::npos || names_pocl(place);
  fs::directory_iterator file(place, error);
  for (; !error && file != fs::directory_iterator(); file.increment(error))
    if (names_pocl(file->path())) return true;
  return false;
}

// A variable that is set to another place.
std::string place_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string pocl_lack() {
  std::string place = place_of("OCL_ICD_VENDORS");
  if (place.empty()) place = place_of("OPENCL_VENDOR_PATH");
  if (place.empty()) place = "/etc/OpenCL/vendors";
  if (has_pocl(place)) return "";
  return "no OpenCL driver for the CPU in '" + place + "'; as root: apt install pocl-opencl-icd";
}

}  // namespace aiflame::source::opencl_cpu
