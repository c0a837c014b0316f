// SPDX-License-Identifier: MIT
// --redact: a recording without the places of files (pure). They hold the names of users, customers
// and projects.
//
//   7f2c9a3b1aaa run+0x3a (/home/alice/apollo/app)      run+0x3a (app)
//              0 py::step:/srv/apollo/train.py:41 (..)  py::step:train.py:41
#pragma once

#include <string>
#include <string_view>

namespace aiflame::record {

// The path of an object: what is behind its last slash. "[vdso]" and other texts without one stay.
std::string redacted_path(std::string_view path);

// The name of a function: the paths in it, as runtimes put them there. A name of C++ stays, with
// its operator/, and so does a package of Go, which is no place.
std::string redacted_symbol(std::string_view symbol);

}  // namespace aiflame::record
