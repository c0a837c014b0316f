/* SPDX-License-Identifier: MIT
 *
 * The driver's functions in whose place the program calls this library's.
 */
#pragma once

#include <atomic>
#include <cstdint>

namespace aiflame::agent::cuda {

// A program comes to the driver by the dynamic linker, which binds a symbol, by dlsym(3) or by
// cuGetProcAddress(). Their answers may differ, so each way has a function of ours that calls what
// that way would have led to.
enum Way : uint8_t { by_symbol, by_handle, by_lookup, kWays };

struct Interposed {
  // Also the frame at the top of a launch's stack, as the address has no symbol where the runtime
  // has looked it up: "cuLaunchKernel_ptsz" 0 "[cuda]" 0
  const char* symbol;
  const char* asked;  // what cuGetProcAddress() is asked for: "cuLaunchKernel"
  const void* ours[kWays];
  std::atomic<const void*> theirs[kWays];
  uint32_t front_bytes;
  bool is_per_thread;  // the one for a default stream per thread
};

// The driver's function, null where the program has no driver.
const void* driver_s(Interposed& function, Way way);
// Ours in place of `found`, which the program has asked for. It is `found` itself where another one
// of that name is in use: a program may have several drivers, but ours calls one.
const void* in_place_of(Interposed& function, Way way, const void* found);

// Null for names that are not interposed. They are in calls.cc.
Interposed* find_symbol(const char* symbol);
Interposed* find_asked(const char* name, bool is_per_thread);

}  // namespace aiflame::agent::cuda
