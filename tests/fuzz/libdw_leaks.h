// SPDX-License-Identifier: MIT
// libdw 0.188 forgets some bytes where an object is damaged. That is once for each object and
// place, and not ours; what we forget is still found.
#pragma once

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libdw\n";
}
