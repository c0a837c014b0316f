// SPDX-License-Identifier: MIT
#include "libcommon/symbols/capstone.h"

#include <capstone/capstone.h>

namespace aiflame {

struct Capstone::Impl {
  csh handle = 0;
  bool open = false;
};

Capstone::Capstone() : impl_(std::make_unique<Impl>()) {
  impl_->open = cs_open(CS_ARCH_X86, CS_MODE_64, &impl_->handle) == CS_ERR_OK;
}

Capstone::~Capstone() {
  if (impl_->open) cs_close(&impl_->handle);
}

std::string Capstone::mnemonic(std::string_view bytes) {
  if (!impl_->open || bytes.empty()) return "";
  cs_insn* instruction = nullptr;
  const size_t count = cs_disasm(impl_->handle, reinterpret_cast<const uint8_t*>(bytes.data()),
                                 bytes.size(), 0, 1, &instruction);
  if (count == 0) return "";
  std::string out = instruction->mnemonic;
  cs_free(instruction, count);
  return out;
}

}  // namespace aiflame
