// SPDX-License-Identifier: MIT
// What the stall reasons of accelerators mean, and what to try against them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace aiflame {

struct StallReason {
  // What a thread waits for, in words that fit all vendors.
  enum class Category {
    memory,      // data, or room in a queue of memory instructions
    dependency,  // the result of an instruction just before
    sync,        // other threads: barriers and fences
    fetch,       // instructions, or where a branch goes
    pipe,        // an execution pipe that is busy
    issuing,     // nothing: this is work
    other,
  };
  static constexpr size_t kCategories = 7;

  const char* name;    // as the source of the samples writes it, without a common prefix
  const char* vendor;  // "Intel", "NVIDIA", "AMD", or "HPCToolkit", which has names for all three
  Category category;
  const char* meaning;  // one sentence: what the thread was doing
  const char* advice;   // one sentence: what to try; empty where there is nothing to do
};

// "pipe busy"
const char* category_name(StallReason::Category category);

// Whether another thread was served in such a cycle, always: the stall costs nothing. Others may
// cost something or not.
bool is_always_hidden(const StallReason& reason);

// Whether all hidden stalls of a profile have this reason, so that its others are exposed.
bool stands_for_hidden(std::string_view reason);

// All known reasons; names are unique.
std::span<const StallReason> stall_reasons();

// The reason called `name`, with or without CUPTI's prefixes and suffix or
// rocprofiler-sdk's prefix; nullptr if it is unknown.
const StallReason* find_stall_reason(std::string_view name);

}  // namespace aiflame
