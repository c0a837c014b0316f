// SPDX-License-Identifier: MIT
// The symbols that Fedora and its kin leave in stripped objects (MiniDebugInfo): the section
// .gnu_debugdata is an ELF object, compressed by xz, with the functions that .dynsym lacks.
#pragma once

#include <string>
#include <string_view>

namespace aiflame {

// The ELF object in such a section; empty when the section is damaged or expands more than any
// symbol table does. What comes out is as untrusted as what went in.
std::string expand_embedded_symbols(std::string_view section);

}  // namespace aiflame
