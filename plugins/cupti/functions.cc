/* SPDX-License-Identifier: MIT */
#include "plugins/cupti/functions.h"

#include <pthread.h>

#include <cstring>

#include "plugins/agent/hash.h"
#include "plugins/cupti/modules.h"

namespace aiflame::agent {
namespace {

// ---- what is known -----------------------------------------------------------------------------

// Handles of functions and modules, by the first address of the module (modules.h). Programs launch
// some thousand functions; of one that has more, the rest is joined by name.
struct Known {
  uint64_t key;  // 0 = free
  uint64_t base;
};
constexpr uint32_t kKnown = 1 << 15, kProbes = 8;
Known known[kKnown];
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

uint64_t key_of(const void* context, const void* handle) {
  return mix(reinterpret_cast<uintptr_t>(context), reinterpret_cast<uintptr_t>(handle)) | 1;
}

uint64_t find(uint64_t key) {
  uint64_t base = 0;
  pthread_mutex_lock(&mutex);
  for (uint32_t probe = 0; probe < kProbes && base == 0; ++probe)
    if (const Known& one = known[(key + probe) % kKnown]; one.key == key) base = one.base;
  pthread_mutex_unlock(&mutex);
  return base;
}

// Handles are used again: the latest counts. Without a free slot one of a module that is gone goes,
// or else another.
void learn(uint64_t key, uint64_t base) {
  pthread_mutex_lock(&mutex);
  Known* into = nullptr;
  for (uint32_t probe = 0; probe < kProbes; ++probe) {
    Known& one = known[(key + probe) % kKnown];
    if (one.key == key) {
      into = &one;
      break;
    }
    if (into == nullptr || (into->key != 0 && (one.key == 0 || !is_loaded(one.base)))) into = &one;
  }
  const bool is_new = into->key != key || into->base != base;
  *into = {key, base};
  pthread_mutex_unlock(&mutex);
  if (is_new) modules_changed();
}

// ---- what a launch is told of ------------------------------------------------------------------

// Of the thread's latest functions, as long as nothing is loaded nor learned.
struct Answer {
  uint64_t key, version, object;
  bool is_known, was_looked_for;
};
constexpr uint32_t kAnswers = 64;
thread_local Answer answers[kAnswers];

Answer& answer_for(const Function& function) {
  const uint64_t key = key_of(function.context, function.handle);
  const uint64_t version = modules_version();
  Answer& answer = answers[(key >> 1) % kAnswers];
  if (answer.key == key && answer.version == version) return answer;
  const uint64_t base = find(key);
  answer = {key, version, 0, base != 0 && has_function(base, function.name), false};
  if (answer.is_known) answer.object = object_among_others(function.context, base, function.name);
  return answer;
}

bool can_be_known(const Function& function) {
  return function.handle != nullptr && function.context != nullptr && function.name != nullptr;
}

thread_local uint64_t loads_before_call;

// The first argument of the calls that load: where the handle goes.
CUmodule made_module(const CUpti_CallbackData& call) {
  static_assert(offsetof(cuModuleLoad_params, module) == 0 &&
                offsetof(cuModuleLoadData_params, module) == 0 &&
                offsetof(cuModuleLoadDataEx_params, module) == 0 &&
                offsetof(cuModuleLoadFatBinary_params, module) == 0);
  const CUmodule* made = static_cast<const cuModuleLoad_params*>(call.functionParams)->module;
  return made == nullptr ? nullptr : *made;
}

}  // namespace

bool is_function_call(CUpti_CallbackDomain domain, CUpti_CallbackId id) {
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API) return false;
  for (const CUpti_CallbackId one : kFunctionCalls)
    if (one == id) return true;
  return false;
}

void function_call_entered() {
  loads_before_call = loads_here();
}

void function_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  CUresult result = CUDA_SUCCESS;
  if (call.functionReturnValue != nullptr)
    std::memcpy(&result, call.functionReturnValue, sizeof result);
  if (result != CUDA_SUCCESS || call.functionParams == nullptr) return;
  if (id != CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction) {
    const uint64_t base = loaded_since(loads_before_call, call.context, nullptr);
    if (const CUmodule made = made_module(call); made != nullptr && base != 0)
      learn(key_of(call.context, made), base);
    return;
  }
  const auto* params = static_cast<const cuModuleGetFunction_params*>(call.functionParams);
  if (params->hfunc == nullptr || params->name == nullptr) return;
  // a module can be loaded when its first function is asked for
  uint64_t base = loaded_since(loads_before_call, call.context, params->name);
  if (base == 0) base = find(key_of(call.context, params->hmod));
  if (base != 0 && has_function(base, params->name))
    learn(key_of(call.context, *params->hfunc), base);
}

uint64_t object_of(const Function& function) {
  return can_be_known(function) ? answer_for(function).object : 0;
}

void learn_from_launch(const Function& function, uint64_t loads_before) {
  if (!can_be_known(function)) return;
  Answer& answer = answer_for(function);
  if (answer.is_known || answer.was_looked_for) return;
  answer.was_looked_for = true;
  uint64_t base = loaded_since(loads_before, function.context, function.name);
  if (base == 0) base = only_module_with(function.context, function.name);
  if (base != 0) learn(answer.key, base);
}

}  // namespace aiflame::agent
