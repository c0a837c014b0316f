/* SPDX-License-Identifier: MIT
 *
 * Looks up exported symbols without the dynamic linker's locks: dlsym(3) waits for a lock that
 * another thread's dlopen(3) holds while it runs constructors.
 */
#pragma once

#include <link.h>

#include <cstdint>

namespace aiflame::agent {

// The address of `name` in an object from dl_iterate_phdr(3), 0 when it exports none.
uint64_t find_export(const dl_phdr_info& object, const char* name);

}  // namespace aiflame::agent
