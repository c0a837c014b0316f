/* SPDX-License-Identifier: MIT */
// What the parts of the stand-in for CUPTI share.
#pragma once

#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>

#include <chrono>

#include "tests/fakes/cupti/fake_cuda.h"

#define EXPORTED extern "C" __attribute__((visibility("default")))
// Newer headers declare these functions with types that ours do not have: only the symbol is alike.
#define AS_SYMBOL(name) __asm__(#name)

namespace fake_cuda {

// Ends the program with a core dump, because the agent has called what it must not.
[[noreturn]] void die(const char* what);

// ---- subscribers
constexpr unsigned kMostSubscribers = 4;
constexpr std::chrono::seconds kPatience{20};
// The subscriber's number among those that are there; -1 = it is not.
int index_of(CUpti_SubscriberHandle handle);
bool is_enabled(CUpti_CallbackDomain domain, CUpti_CallbackId id);
void call_back(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
void disable_calls();
// Ends the program where a subscriber uses the calls that take its handle: CUPTI refuses those of
// the process then, as cuptiActivityEnable(), and some have no answer that would tell.
void check_calls_of_process(const char* call);

// ---- activity records
void record_run(const Run& run);
void end_records(unsigned subscriber);
unsigned recorded_kinds();  // 1 if any are recorded
// The number of a call in what CUPTI tells. With uncorrelated=1 it has none, and with 2 records
// have none, unless somebody records calls.
uint32_t told_correlation(uint32_t correlation, bool of_record);

// CUPTI gives up: it reports the error, and from then on every call is the client's mistake.
void gave_up(const char* why);
void check_alive();

void sampling_module_loaded(const Module& module);
void sampling_module_unloaded(const Module& module);
void sampling_ran(const Run& run);
unsigned sampled_contexts();
bool has_fallen_silent();

}  // namespace fake_cuda
