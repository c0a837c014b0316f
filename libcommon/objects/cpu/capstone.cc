// SPDX-License-Identifier: MIT
#include "libcommon/objects/cpu/capstone.h"

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace aiflame {
namespace {

// The part of capstone/capstone.h that is used here (libcapstone-dev 4.0.2 and 5.0.6, BSD). The
// name of the library contains the version of its interface; between 4 and 5 an instruction got
// room for more bytes. So one program serves distributions with either.
struct Interface {
  const char* library;
  size_t bytes_of_instruction;
};
constexpr Interface kInterfaces[] = {{"libcapstone.so.5", 24}, {"libcapstone.so.4", 16}};

constexpr int kArchArm64 = 1, kArchX86 = 3, kMode64 = 1 << 3, kOk = 0;

template <size_t bytes>
struct RawInstruction {  // cs_insn
  unsigned int id;
  uint64_t address;
  uint16_t size;
  uint8_t code[bytes];
  char mnemonic[32];
  char op_str[160];
  void* detail;
};

extern "C" {
using Open = int (*)(int arch, int mode, size_t* handle);
using Close = int (*)(size_t* handle);
using Disassemble = size_t (*)(size_t handle, const uint8_t* code, size_t code_size,
                               uint64_t address, size_t count, void** instructions);
using Free = void (*)(void* instructions, size_t count);
}

template <size_t bytes>
Capstone::Instruction read(const void* instruction) {
  const auto* raw = static_cast<const RawInstruction<bytes>*>(instruction);
  return {raw->mnemonic, raw->op_str, raw->size};
}

}  // namespace

// Loads the library for the first instruction. Its tables take 3 MB, a third of the memory for
// folding a small profile, and most runs name no instruction.
struct Capstone::Impl {
  Machine machine = Machine::x86_64;
  void* library = nullptr;
  Close close = nullptr;
  Disassemble disassemble = nullptr;
  Free free = nullptr;
  size_t handle = 0, bytes_of_instruction = 0;
  bool started = false, open = false;

  template <typename Function>
  bool find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  void start() {
    started = true;
    for (const Interface& interface : kInterfaces) {
      library = dlopen(interface.library, RTLD_NOW | RTLD_LOCAL);
      bytes_of_instruction = interface.bytes_of_instruction;
      if (library != nullptr) break;
    }
    if (library == nullptr) return;
    Open begin = nullptr;
    const bool is_arm = machine == Machine::aarch64;
    open = find("cs_open", begin) && find("cs_close", close) && find("cs_disasm", disassemble) &&
           find("cs_free", free) &&
           begin(is_arm ? kArchArm64 : kArchX86, is_arm ? 0 : kMode64, &handle) == kOk;
  }
};

Capstone::Capstone(Machine machine) : impl_(std::make_unique<Impl>()) {
  impl_->machine = machine;
}

Capstone::~Capstone() {
  if (impl_->open) impl_->close(&impl_->handle);
  if (impl_->library != nullptr) dlclose(impl_->library);
}

bool Capstone::is_there() {
  if (!impl_->started) impl_->start();
  return impl_->open;
}

Capstone::Instruction Capstone::instruction(std::string_view bytes, uint64_t address) {
  if (!is_there() || bytes.empty()) return {};
  void* instruction = nullptr;
  const size_t count =
      impl_->disassemble(impl_->handle, reinterpret_cast<const uint8_t*>(bytes.data()),
                         bytes.size(), address, 1, &instruction);
  if (count == 0) return {};
  Instruction out =
      impl_->bytes_of_instruction == 16 ? read<16>(instruction) : read<24>(instruction);
  impl_->free(instruction, count);
  return out;
}

}  // namespace aiflame
