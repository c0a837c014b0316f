/* SPDX-License-Identifier: MIT
 *
 * dlsym(3) in the program: the CUDA runtime opens the driver and looks its functions up. This
 * library is preloaded (LD_PRELOAD), so its symbols come before those of the driver; a lookup in
 * the driver's handle does not see them, and is answered here.
 *
 * dlsym() knows its caller by the return address: RTLD_NEXT means the object after that one. So
 * ours is no function that calls the C library's, but a jump to it with the program's return
 * address, unless the lookup is one that concerns us.
 */
#include "plugins/agents/cuda/interposed.h"

#include <dlfcn.h>
#include <link.h>

#include "plugins/agents/common/cuda_driver.h"
#include "plugins/agents/common/elf_exports.h"

namespace aiflame::agent::cuda {
namespace {

// musl has none, and does not start programs with a library that asks for one.
#pragma weak dlvsym

using Lookup = void* (*)(void*, const char*);

extern "C" void* aiflame_cuda_dlsym(void* handle, const char* name);

// Of a C library without versions: the first one that is not ours.
int find_lookup(dl_phdr_info* object, size_t /*bytes*/, void* out) {
  const uint64_t found = find_export(*object, "dlsym");
  if (found == 0 || found == reinterpret_cast<uint64_t>(&aiflame_cuda_dlsym)) return 0;
  *static_cast<Lookup*>(out) = reinterpret_cast<Lookup>(found);
  return 1;
}

// The C library's, or that of another library which is preloaded after this one. 2.34 moved it.
Lookup next_lookup() {
  static std::atomic<Lookup> next{nullptr};
  Lookup found = next.load(std::memory_order_relaxed);
  if (found != nullptr) return found;
  for (const char* version : {"GLIBC_2.2.5", "GLIBC_2.17", "GLIBC_2.34"}) {
    if (&dlvsym != nullptr) found = reinterpret_cast<Lookup>(dlvsym(RTLD_NEXT, "dlsym", version));
    if (found != nullptr) break;
  }
  if (found == nullptr) dl_iterate_phdr(find_lookup, &found);
  next.store(found, std::memory_order_relaxed);
  return found;
}

}  // namespace

const void* driver_s(Interposed& function, Way way) {
  const void* known = function.theirs[way].load(std::memory_order_acquire);
  if (known != nullptr || way != by_symbol) return known;
  const Lookup look_up = next_lookup();
  const void* found = look_up(RTLD_NEXT, function.symbol);
  // the driver may be in the scope of the library that calls alone
  if (found == nullptr)
    if (void* driver = cuda_driver(); driver != nullptr) found = look_up(driver, function.symbol);
  if (found == nullptr) return nullptr;
  function.theirs[way].compare_exchange_strong(known, found);
  return known == nullptr ? found : known;
}

const void* in_place_of(Interposed& function, Way way, const void* found) {
  const void* known = nullptr;
  for (const void* ours : function.ours)
    if (found == ours) return found;
  if (function.theirs[way].compare_exchange_strong(known, found) || known == found)
    return function.ours[way];
  return found;
}

namespace {

// In registers, as two words are returned.
struct Answer {
  const void* address;
  uint64_t is_final;  // else the function to jump to
};

}  // namespace

extern "C" [[gnu::visibility("hidden"), gnu::used]] Answer aiflame_cuda_look_up(void* handle,
                                                                                const char* name) {
  const Lookup look_up = next_lookup();
  const Answer of_others{reinterpret_cast<const void*>(look_up), 0};
  // who asks for the next function of a name stands in the program's way to the driver, as we do
  if (name == nullptr || name[0] != 'c' || name[1] != 'u' || handle == RTLD_NEXT) return of_others;
  Interposed* const function = find_symbol(name);
  if (function == nullptr) return of_others;
  const void* const found = look_up(handle, name);
  if (found == nullptr) return {nullptr, 1};
  // The handle of the whole program finds ours, also where there is no driver: then the second
  // lookup fails, with dlerror(3)'s usual text.
  if (found == function->ours[by_symbol] && driver_s(*function, by_symbol) == nullptr)
    return {look_up(RTLD_NEXT, name), 1};
  return {in_place_of(*function, by_handle, found), 1};
}

#if defined(__x86_64__)
asm(R"(
  .text
  .globl aiflame_cuda_dlsym
  .type aiflame_cuda_dlsym, @function
aiflame_cuda_dlsym:
  .cfi_startproc
  endbr64
  push %rdi
  .cfi_adjust_cfa_offset 8
  push %rsi
  .cfi_adjust_cfa_offset 8
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call aiflame_cuda_look_up
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  pop %rsi
  .cfi_adjust_cfa_offset -8
  pop %rdi
  .cfi_adjust_cfa_offset -8
  test %rdx, %rdx
  jz 1f
  ret
1:
  jmp *%rax
  .cfi_endproc
  .size aiflame_cuda_dlsym, . - aiflame_cuda_dlsym
)");
#elif defined(__aarch64__)
asm(R"(
  .text
  .globl aiflame_cuda_dlsym
  .type aiflame_cuda_dlsym, %function
aiflame_cuda_dlsym:
  .cfi_startproc
  hint 34
  stp x29, x30, [sp, -32]!
  .cfi_def_cfa_offset 32
  .cfi_offset 29, -32
  .cfi_offset 30, -24
  stp x0, x1, [sp, 16]
  bl aiflame_cuda_look_up
  mov x16, x0
  mov x17, x1
  ldp x0, x1, [sp, 16]
  ldp x29, x30, [sp], 32
  .cfi_restore 30
  .cfi_restore 29
  .cfi_def_cfa_offset 0
  cbz x17, 1f
  mov x0, x16
  ret
1:
  br x16
  .cfi_endproc
  .size aiflame_cuda_dlsym, . - aiflame_cuda_dlsym
)");
#endif

}  // namespace aiflame::agent::cuda
