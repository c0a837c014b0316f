// SPDX-License-Identifier: MIT
// Reads an ELF object of the profiled program: its symbols, its bytes, and what the opencl-cpu
// source reads of PoCL's objects.
#include <cstdint>

#include "libcommon/base/program.h"
#include "libcommon/symbols/object_symbols.h"
#include "plugins/sources/opencl-cpu/pocl_object.h"
#include "tests/fuzz/memory_file.h"

using namespace aiflame;
using namespace aiflame::source::opencl_cpu;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static fuzz::MemoryFile file;
  setenv("HOME", "/nonexistent", 1);
  file.set({reinterpret_cast<const char*>(data), size});
  try {
    const ElfFile elf(file.path());
    elf.build_id();
    elf.debug_link();
    for (const ElfSection& section : elf.sections())
      if (section.name == ".plt") elf.stub_at(section.address + 16);
    for (const ElfFunction& function : elf.functions()) {
      elf.function_at(function.start);
      elf.offset_of_vaddr(function.start);
      elf.bytes_at(function.start, 16);
    }
    const ObjectSymbols symbols = ObjectSymbols::of_file(file.path(), "");
    for (uint64_t offset = 0; offset < size; offset += 61) symbols.at(offset);
    read_pocl_object(file.path());
  } catch (const Error&) {
  }
  return 0;
}
