// SPDX-License-Identifier: MIT
#include "libcommon/device/object_opener.h"

#include <elf.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/device/amd/hsaco_object.h"
#include "libcommon/device/cpu/cpu_object.h"
#include "libcommon/device/intel/zebin_object.h"
#include "libcommon/device/nvidia/cubin_object.h"

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

}  // namespace

std::unique_ptr<ObjectFile> ObjectOpener::open(const std::string& path) {
  ElfFile elf(path);
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
