// SPDX-License-Identifier: MIT
// Memory for arrays of up to gigabytes.
#pragma once

#include <cstddef>

namespace aiflame {

// Like realloc(3): `old_size` bytes at `old` (or nullptr) become `size`, which may be 0. Throws
// std::bad_alloc.
//
// Large memory is remapped, not copied. Untouched pages take no memory. Huge pages are not
// requested: in a virtual machine the host may have to find and clear each one, which took longer
// than they saved for arrays that are read from front to back.
void* resize_memory(void* old, size_t old_size, size_t size);

// Makes malloc(3) get the next megabytes from the system in huge pages, if there are any. A program
// that fills some megabytes with tables and runs for ten milliseconds would spend two of them on
// page faults: 24 to 28 % (`make bench`, data). Further calls do nothing.
void take_huge_pages();

// For memory that will be filled: gets all its pages from the system at once, which is faster than
// one page fault each.
void take_pages(void* memory, size_t size);

}  // namespace aiflame
