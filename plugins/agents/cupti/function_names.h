/* SPDX-License-Identifier: MIT
 *
 * Whose the names of functions are that CUPTI hands out with its records of samples.
 * cupti_pcsampling.h says of them: one may be shared by all records of a function, also by those of
 * the activity interface, so that it must not be freed before the last record has been dealt with;
 * then it is the client's to free. Freed earlier, it is freed again with the next read. Programs
 * that free every record's own name have been seen to run all the same, so that some versions seem
 * to hand out copies; kept for good, those would fill the memory. So it is watched which of the two
 * this one does.
 */
#pragma once

#include <cstddef>
#include <cstdint>

namespace aiflame::agent::cupti {

class FunctionNames {
 public:
  explicit FunctionNames(void (*release)(void*)) : release_(release) {}
  // The names of the records of a read that are dealt with: in any order, one several times. They
  // are put in order.
  void take(char** names, size_t count);

 private:
  // Names that are kept until it is known: a name that comes again while it is kept is shared.
  static constexpr size_t kHeld = 4096, kSlots = 2 * kHeld;
  // Where names are shared there is one for each function of a module, and those that are sampled
  // come again. Where so many names were, on average, of one text and none came again, they are
  // copies.
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
