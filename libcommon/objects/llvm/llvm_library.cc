// SPDX-License-Identifier: MIT
#include "libcommon/objects/llvm/llvm_library.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>

namespace aiflame {
namespace {

// llvm-c/Disassembler.h has been the same since LLVM 3.4. The newest one knows most instructions;
// a soname names the release. Debian 12 has 14, 15, 16 and 19.
constexpr const char* kNames[] = {
    "libLLVM.so.22.1", "libLLVM.so.21.1", "libLLVM.so.20.1", "libLLVM.so.19.1", "libLLVM.so.18.1",
    "libLLVM-17.so.1", "libLLVM-16.so.1", "libLLVM-15.so.1", "libLLVM-14.so.1",
};

// The machines whose code is disassembled here. A library may be built without one.
constexpr const char* kMachines[] = {"X86", "AArch64", "AMDGPU"};

// LLVMDisassembler_Option_AsmPrinterVariant: Intel's syntax, as Capstone prints it: `lea`, not
// AT&T's `leaq`. For AArch64 the variant would be Apple's, `fmla.4s v0, v1, v2`.
constexpr unsigned long kIntelSyntax = 4;

// The longest text seen has about 100 bytes.
constexpr size_t kMaxText = 512;

}  // namespace

template <typename Function>
bool LlvmLibrary::find(const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle_, name));
  return function != nullptr;
}

LlvmLibrary::LlvmLibrary() {
  for (const char* name : kNames)
    if (handle_ == nullptr) handle_ = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  found_ = handle_ != nullptr && find("LLVMCreateDisasmCPU", create_) &&
           find("LLVMSetDisasmOptions", set_options_) &&
           find("LLVMDisasmInstruction", instruction_);
  if (!found_) return;
  printed_ = memfd_create("printed", MFD_CLOEXEC);
  dup2(printed_, STDERR_FILENO);
  for (const char* machine : kMachines)
    for (const char* part : {"TargetInfo", "TargetMC", "Disassembler"}) {
      void (*initialize)() = nullptr;
      if (find((std::string("LLVMInitialize") + machine + part).c_str(), initialize)) initialize();
    }
}

long LlvmLibrary::printed() const {
  struct stat status {};
  return fstat(printed_, &status) == 0 ? status.st_size : -1;
}

// LLVM does not return that it does not know a processor, but prints it, and goes on with one that
// it knows. It may also end the process.
LlvmLibrary::Disassembler LlvmLibrary::make(const std::string& triple,
                                            const std::string& processor) const {
  const long before = printed();
  Disassembler const out = create_(triple.c_str(), processor.c_str(), nullptr, 0, nullptr, nullptr);
  if (before < 0 || printed() != before) return nullptr;
  const bool has_variant = !triple.starts_with("aarch64");
  if (out != nullptr && has_variant) set_options_(out, kIntelSyntax);
  return out;
}

bool LlvmLibrary::knows(const std::string& triple, const std::string& processor) {
  if (!found_) return false;
  const auto [at, added] = disassemblers_.try_emplace({triple, processor});
  if (added) at->second = make(triple, processor);
  return at->second != nullptr;
}

LlvmLibrary::Text LlvmLibrary::text(const std::string& triple, const std::string& processor,
                                    std::string_view code) {
  std::string bytes(code);
  char text[kMaxText] = "";
  const size_t size =
      instruction_(disassemblers_.at({triple, processor}),
                   reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), 0, text, kMaxText);
  return size == 0 ? Text() : Text{size, text};
}

}  // namespace aiflame
