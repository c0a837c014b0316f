// SPDX-License-Identifier: MIT
// Memory for arrays of up to gigabytes that are read here and there.
#pragma once

#include <cstddef>

namespace aiflame {

// Like realloc(3): `old_size` bytes at `old` (or nullptr) become `size`, which may be 0. Throws
// std::bad_alloc.
//
// What is large is moved page by page and not copied, and asked for in huge pages, where the system
// has them: with small ones the processor, looking at one place here and one there, waits at each
// for the page's address even before it waits for the memory. Pages not yet touched take no memory.
void* resize_memory(void* old, size_t old_size, size_t size);

}  // namespace aiflame
