/* SPDX-License-Identifier: MIT
 *
 * Decides who owns the function names in CUPTI's sample records. According to cupti_pcsampling.h
 * all records of a function may share one name, even with the activity interface, and the client
 * frees it after the last record. Freed earlier, it would be freed again with the next read. But
 * programs that free the name of every record have been seen to run, so some versions seem to
 * return copies, which would fill the memory if they were kept. So this class watches which of the
 * two the installed version does.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame::agent::cupti {

class FunctionNames {
 public:
  explicit FunctionNames(void (*release)(void*)) : release_(release) {}
  // Takes the names of a read's records, once the records have been dealt with. Any order, with
  // repetitions. Sorts `names`.
  void take(char** names, size_t count);

 private:
  // Names are kept until this is decided. A pointer that comes again while it is kept is shared.
  static constexpr size_t kHeld = 4096, kSlots = 2 * kHeld;
  // Shared names are one for each function of a module, and sampled functions come again. If no
  // pointer came again, and there are on average this many pointers for one text, they are copies.
  static constexpr size_t kCopiesOfEach = 4;
  enum class Are : uint8_t { not_known, shared, copies };

  size_t slot_of(const char* name) const;
  void decide();

  void (*release_)(void*);
  Are are_ = Are::not_known;
  size_t count_ = 0;
  char* held_[kSlots] = {};
};

}  // namespace aiflame::agent::cupti
