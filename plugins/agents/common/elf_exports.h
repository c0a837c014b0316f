/* SPDX-License-Identifier: MIT
 *
 * What the objects of this process export, without the dynamic linker's locks: dlsym(3) waits for
 * one that is held while another thread's dlopen(3) runs constructors.
 */
#pragma once

#include <link.h>

#include <cstdint>

namespace aiflame::agent {

// The address of `name` in the object that dl_iterate_phdr(3) tells of, 0 where it has none.
uint64_t find_export(const dl_phdr_info& object, const char* name);

}  // namespace aiflame::agent
