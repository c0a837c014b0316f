// SPDX-License-Identifier: MIT
#include "libcommon/objects/object_opener.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/io/object_directory.h"
#include "libcommon/objects/amd/hsaco_object.h"
#include "libcommon/objects/cpu/cpu_object.h"
#include "libcommon/objects/intel/zebin_object.h"
#include "libcommon/objects/nvidia/cubin_object.h"

namespace aiflame {
namespace {

constexpr int kAnyMachine = -1;  // no ELF header has it

// A new vendor's format is one more row here. The first row that fits is used.
constexpr struct {
  int machine;
  std::unique_ptr<ObjectFormat> (*format)();
} kFormats[] = {
    {EM_INTELGT, zebin_format},
    {EM_CUDA, cubin_format},
    {EM_AMDGPU, hsaco_format},
    {kAnyMachine, cpu_format},  // a CPU is an OpenCL device too
};

// A recording with --redact has the names of files alone: those of code objects, which say what is
// in them, are sought where the recorder keeps them.
std::string find_object(const std::string& path) {
  if (path.find('/') != std::string::npos || access(path.c_str(), F_OK) == 0) return path;
  const std::string directory = default_object_directory();
  std::string kept = directory + "/" + path;
  return !directory.empty() && access(kept.c_str(), R_OK) == 0 ? kept : path;
}

}  // namespace

std::unique_ptr<ObjectFile> ObjectOpener::open(const std::string& path) {
  ElfFile elf(find_object(path));
  if (elf.is_cut() && cut_.insert(path).second)
    warn("%s: cut: it ends before its sections do", path.c_str());
  const auto* row = std::find_if(std::begin(kFormats), std::end(kFormats), [&](const auto& each) {
    return each.machine == elf.machine() || each.machine == kAnyMachine;
  });
  std::unique_ptr<ObjectFormat>& format = formats_[row->machine];
  if (format == nullptr) format = row->format();
  return format->open(std::move(elf));
}

}  // namespace aiflame
