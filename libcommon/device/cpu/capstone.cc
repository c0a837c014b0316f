// SPDX-License-Identifier: MIT
#include "libcommon/device/cpu/capstone.h"

#include <capstone/capstone.h>
#include <dlfcn.h>

namespace aiflame {

// Loads the library for the first instruction. Its tables take 3 MB, a third of the memory for
// folding a small profile, and most runs name no instruction.
struct Capstone::Impl {
  void* library = nullptr;
  decltype(&cs_close) close = nullptr;
  decltype(&cs_disasm) disassemble = nullptr;
  decltype(&cs_free) free = nullptr;
  csh handle = 0;
  bool started = false, open = false;

  template <typename Function>
  bool find(const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(library, name));
    return function != nullptr;
  }

  void start() {
    started = true;
    // the library's name contains the version of its interface
    static_assert(CS_API_MAJOR == 4);
    library = dlopen("libcapstone.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return;
    decltype(&cs_open) begin = nullptr;
    open = find("cs_open", begin) && find("cs_close", close) && find("cs_disasm", disassemble) &&
           find("cs_free", free) && begin(CS_ARCH_X86, CS_MODE_64, &handle) == CS_ERR_OK;
  }
};

Capstone::Capstone() : impl_(std::make_unique<Impl>()) {}

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
  cs_insn* instruction = nullptr;
  const size_t count =
      impl_->disassemble(impl_->handle, reinterpret_cast<const uint8_t*>(bytes.data()),
                         bytes.size(), address, 1, &instruction);
  if (count == 0) return {};
  Instruction out{instruction->mnemonic, instruction->op_str, instruction->size};
  impl_->free(instruction, count);
  return out;
}

}  // namespace aiflame
