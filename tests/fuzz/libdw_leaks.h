// SPDX-License-Identifier: MIT
// libdw 0.188 leaks some bytes if an object is damaged, once for each object and place. This hides
// libdw's leaks; those of our own code are still found.
#pragma once

extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libdw\n";
}
