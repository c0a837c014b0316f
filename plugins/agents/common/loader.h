/* SPDX-License-Identifier: MIT
 *
 * What the dynamic loader knows. Functions of newer C libraries are looked up when the agent is
 * loaded, since dlsym(3) may allocate.
 */
#pragma once

#include <cstdint>

namespace aiflame::agent {

// A program or library.
struct LoadedObject {
  uint64_t begin = 0, end = 0;            // where it is mapped
  const uint8_t* eh_frame_hdr = nullptr;  // null: it has no such section
};

// False if the address lies in none. glibc has _dl_find_object() for it since 2.35, which takes no
// lock; before that, dl_iterate_phdr(3) takes the loader's own, which is recursive and held while
// the list of objects changes. Does not allocate.
[[nodiscard]] bool find_loaded_object(uint64_t address, LoadedObject& out);
// The same, always by dl_iterate_phdr(3).
[[nodiscard]] bool search_loaded_objects(uint64_t address, LoadedObject& out);

// Where the stack of the main thread begins: glibc's loader exports it for debuggers and
// collectors. 0 where it does not, as in musl.
uint64_t main_stack_begin();

// pthread_atfork(3), which glibc links into its caller: what that calls is not in musl. For an
// agent, which is not unloaded.
[[nodiscard]] bool at_fork(void (*before)(), void (*after_in_parent)(), void (*after_in_child)());

}  // namespace aiflame::agent
