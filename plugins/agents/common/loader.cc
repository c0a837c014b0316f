/* SPDX-License-Identifier: MIT */
#include "plugins/agents/common/loader.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace aiflame::agent {
namespace {

int (*dl_find)(void*, dl_find_object*) = nullptr;
uint64_t stack_begin = 0;
[[gnu::constructor]] void ask_loader() {
  dl_find = reinterpret_cast<decltype(dl_find)>(dlsym(RTLD_DEFAULT, "_dl_find_object"));
  if (const void* begin = dlsym(RTLD_DEFAULT, "__libc_stack_end"); begin != nullptr)
    std::memcpy(&stack_begin, begin, sizeof stack_begin);
}

struct Search {
  uint64_t address;
  LoadedObject& out;
};

int look_at_object(dl_phdr_info* object, size_t, void* data) {
  constexpr uint64_t kPage = 4096;
  const Search& search = *static_cast<Search*>(data);
  LoadedObject found{UINT64_MAX, 0, nullptr};
  for (unsigned i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    const uint64_t begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME)
      found.eh_frame_hdr = reinterpret_cast<const uint8_t*>(begin);
    if (part.p_type != PT_LOAD) continue;
    found.begin = std::min(found.begin, begin & ~(kPage - 1));
    found.end = std::max(found.end, begin + part.p_memsz);
  }
  if (search.address < found.begin || search.address >= found.end) return 0;
  search.out = found;
  return 1;
}

}  // namespace

bool search_loaded_objects(uint64_t address, LoadedObject& out) {
  Search search{address, out};
  return dl_iterate_phdr(look_at_object, &search) == 1;
}

bool find_loaded_object(uint64_t address, LoadedObject& out) {
  if (dl_find == nullptr) return search_loaded_objects(address, out);
  dl_find_object found;
  if (dl_find(reinterpret_cast<void*>(address), &found) != 0) return false;
  out = {reinterpret_cast<uint64_t>(found.dlfo_map_start),
         reinterpret_cast<uint64_t>(found.dlfo_map_end),
         static_cast<const uint8_t*>(found.dlfo_eh_frame)};
  return true;
}

uint64_t main_stack_begin() {
  return stack_begin;
}

bool at_fork(void (*before)(), void (*after_in_parent)(), void (*after_in_child)()) {
  using Handler = void (*)();
  if (void* of_glibc = dlsym(RTLD_DEFAULT, "__register_atfork"); of_glibc != nullptr)
    return reinterpret_cast<int (*)(Handler, Handler, Handler, void*)>(of_glibc)(
               before, after_in_parent, after_in_child, nullptr) == 0;
  void* of_others = dlsym(RTLD_DEFAULT, "pthread_atfork");
  return of_others != nullptr && reinterpret_cast<int (*)(Handler, Handler, Handler)>(of_others)(
                                     before, after_in_parent, after_in_child) == 0;
}

}  // namespace aiflame::agent
