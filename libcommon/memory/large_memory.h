// SPDX-License-Identifier: MIT
// Memory for arrays of up to gigabytes.
#pragma once

#include <cstddef>

namespace aiflame {

// Like realloc(3): `old_size` bytes at `old` (or nullptr) become `size`, which may be 0. Throws
// std::bad_alloc.
//
// What is large is moved page by page and not copied, whichever thread it is of. Pages not yet
// touched take no memory. Huge pages are not asked for: in a virtual machine the host may have to
// find and clear each, and that took longer than they saved, with arrays that are read from front
// to back.
void* resize_memory(void* old, size_t old_size, size_t size);

// Has malloc(3) take the next megabytes from the system in huge pages, where there are such. What
// fills some megabytes with tables and lives for ten milliseconds spends two of them on page faults
// otherwise. Called again it does nothing.
void take_huge_pages();

// Has the system give all pages of memory that will be used whole, at once: sooner than one by one.
void take_pages(void* memory, size_t size);

}  // namespace aiflame
