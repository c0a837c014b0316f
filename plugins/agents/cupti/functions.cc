/* SPDX-License-Identifier: MIT */
#include "plugins/agents/cupti/functions.h"

#include <atomic>

#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/lock.h"
#include "plugins/agents/common/thread_room.h"
#include "plugins/agents/cupti/driver_calls.h"
#include "plugins/agents/cupti/modules.h"

namespace aiflame::agent::cupti {
namespace {

// ---- what has been learned ----------------------------------------------------------------------

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

// By a handle's key. The latest entry counts, as handles are reused. Programs launch some thousand
// functions; where there are more, the rest is joined by name.
class Table {
 public:
  uint64_t find(uint64_t key) {
    const Lock lock(mutex);
    for (uint32_t probe = 0; probe < kProbes; ++probe)
      if (const Known& one = known_[(key + probe) % kKnown]; one.key == key) return one.value;
    return 0;
  }

  // Without a free slot it replaces an entry whose value is_old(), or else another. Returns whether
  // this changed anything.
  template <typename IsOld>
  bool learn(uint64_t key, uint64_t value, IsOld is_old) {
    const Lock lock(mutex);
    Known* into = nullptr;
    for (uint32_t probe = 0; probe < kProbes; ++probe) {
      Known& one = known_[(key + probe) % kKnown];
      if (one.key == key) {
        into = &one;
        break;
      }
      if (into == nullptr || (into->key != 0 && (one.key == 0 || is_old(one.value)))) into = &one;
    }
    const bool is_new = into->key != key || into->value != value;
    *into = {key, value};
    return is_new;
  }

 private:
  struct Known {
    uint64_t key;  // 0 = free
    uint64_t value;
  };
  static constexpr uint32_t kKnown = 1 << 15, kProbes = 8;
  Known known_[kKnown];
};

// A unit is what one call loads, a module or a library. Handles are reused, numbers of units are
// not. A library has a module in each context (cuda.h, cuLibraryLoadData), which may be loaded only
// when a function is needed there.
Table units;  // for handles of modules and libraries, and of their functions and kernels
Table bases;  // for handles in a context, and units in it: the base of the module (modules.h)

uint64_t key_of(const void* context, uint64_t what) {
  return mix(reinterpret_cast<uintptr_t>(context), what) | 1;
}
uint64_t key_of(const void* context, const void* handle) {
  return key_of(context, reinterpret_cast<uintptr_t>(handle));
}

void set_unit(const void* handle, uint64_t unit) {
  if (units.learn(key_of(nullptr, handle), unit, [](uint64_t) { return false; })) modules_changed();
}

// Small and odd, unlike any handle.
uint64_t new_unit(const void* handle) {
  static std::atomic<uint64_t> next{1};
  const uint64_t unit = next.fetch_add(2);
  set_unit(handle, unit);
  return unit;
}

uint64_t unit_of(const void* handle) {
  return units.find(key_of(nullptr, handle));
}

void set_base(const void* context, uint64_t what, uint64_t base) {
  const auto is_old = [](uint64_t of) { return !is_loaded(of); };
  if (what != 0 && base != 0 && bases.learn(key_of(context, what), base, is_old)) modules_changed();
}
void set_base(const void* context, const void* handle, uint64_t base) {
  set_base(context, reinterpret_cast<uintptr_t>(handle), base);
}

uint64_t base_of(const Function& function) {
  const uint64_t own = bases.find(key_of(function.context, function.handle));
  if (own != 0 && has_function(own, function.name)) return own;
  const uint64_t unit = unit_of(function.handle);
  const uint64_t base = unit == 0 ? 0 : bases.find(key_of(function.context, unit));
  return base != 0 && has_function(base, function.name) ? base : 0;
}

// ---- the answer for a launch --------------------------------------------------------------------

// For the thread's latest functions, valid until something is loaded or learned.
struct Answer {
  uint64_t key, version, object;
  bool is_known, was_looked_for;
};
constexpr uint32_t kAnswers = 64;
static_assert(kAnswers * sizeof(Answer) <= ThreadRoom::kKept);

// `otherwise` is used by a thread without a room.
Answer& answer_for(const Function& function, Answer& otherwise) {
  const uint64_t key = key_of(function.context, function.handle);
  const uint64_t version = modules_version();
  ThreadRoom* room = thread_room();
  Answer& answer =
      room == nullptr ? otherwise : reinterpret_cast<Answer*>(room->kept)[(key >> 1) % kAnswers];
  if (answer.key == key && answer.version == version) return answer;
  const uint64_t base = base_of(function);
  answer = {key, version, object_at(base), base != 0, false};
  return answer;
}

bool can_be_known(const Function& function) {
  return function.handle != nullptr && function.context != nullptr && function.name != nullptr;
}

// ---- calls about functions ----------------------------------------------------------------------

// All calls that load store the handle through their first argument.
const void* made_handle(const CUpti_CallbackData& call) {
  static_assert(offsetof(cuModuleLoad_params, module) == 0 &&
                offsetof(cuModuleLoadData_params, module) == 0 &&
                offsetof(cuModuleLoadDataEx_params, module) == 0 &&
                offsetof(cuModuleLoadFatBinary_params, module) == 0 &&
                offsetof(cuLibraryLoadData_params, library) == 0 &&
                offsetof(cuLibraryLoadFromFile_params, library) == 0);
  const void* const* made = *static_cast<const void* const* const*>(call.functionParams);
  return made == nullptr ? nullptr : *made;
}

void loaded(const CUpti_CallbackData& call, uint64_t before) {
  const void* made = made_handle(call);
  if (made == nullptr) return;
  const uint64_t unit = new_unit(made);
  // a library is loaded into all contexts
  CUcontext contexts[64];
  const uint32_t count = contexts_loaded_in_since(before, contexts, 64);
  for (uint32_t i = 0; i < count; ++i)
    set_base(contexts[i], unit, loaded_since(before, contexts[i]));
}

// The program has looked up a function of a unit. If a module was loaded meanwhile, it is the
// unit's module in this context.
void got(const CUpti_CallbackData& call, uint64_t unit, uint64_t before, const void* handle,
         const char* name = nullptr) {
  if (unit == 0 || handle == nullptr) return;
  set_unit(handle, unit);
  const uint64_t base = loaded_since(before, call.context, name);
  set_base(call.context, unit, base);
}

template <typename Handle>
void got_all(const CUpti_CallbackData& call, uint64_t unit, uint64_t before, const Handle* handles,
             unsigned count) {
  for (unsigned i = 0; handles != nullptr && i < count; ++i) got(call, unit, before, handles[i]);
}

template <typename Params>
const Params& params_of(const CUpti_CallbackData& call) {
  return *static_cast<const Params*>(call.functionParams);
}

template <typename Handle>
const void* value_at(const Handle* at) {
  return at == nullptr ? nullptr : *at;
}

}  // namespace

// These calls nest; CUPTI keeps a number for each of them between its two callbacks.
void function_call_entered(const CUpti_CallbackData& call) {
  if (call.correlationData != nullptr) *call.correlationData = loads();
}

void function_call_left(CUpti_CallbackId id, const CUpti_CallbackData& call) {
  if (!has_succeeded(call) || call.functionParams == nullptr) return;
  const uint64_t before = call.correlationData == nullptr ? loads() : *call.correlationData;
  switch (id) {
    case CUPTI_DRIVER_TRACE_CBID_cuModuleGetFunction: {
      const auto& params = params_of<cuModuleGetFunction_params>(call);
      got(call, unit_of(params.hmod), before, value_at(params.hfunc), params.name);
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuModuleEnumerateFunctions: {
      const auto& params = params_of<cuModuleEnumerateFunctions_params>(call);
      got_all(call, unit_of(params.mod), before, params.functions, params.numFunctions);
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetKernel: {
      const auto& params = params_of<cuLibraryGetKernel_params>(call);
      got(call, unit_of(params.library), before, value_at(params.pKernel), params.name);
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryEnumerateKernels: {
      const auto& params = params_of<cuLibraryEnumerateKernels_params>(call);
      got_all(call, unit_of(params.lib), before, params.kernels, params.numKernels);
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuLibraryGetModule: {
      const auto& params = params_of<cuLibraryGetModule_params>(call);
      got(call, unit_of(params.library), before, value_at(params.pMod));
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuKernelGetFunction: {
      const auto& params = params_of<cuKernelGetFunction_params>(call);
      got(call, unit_of(params.kernel), before, value_at(params.pFunc));
      break;
    }
    case CUPTI_DRIVER_TRACE_CBID_cuFuncLoad: {
      const auto& params = params_of<cuFuncLoad_params>(call);
      got(call, unit_of(params.function), before, params.function);
      break;
    }
    default:
      loaded(call, before);
      break;
  }
}

FunctionPlace place_of(const Function& function) {
  // the runtime makes a context current in a thread's first call (cupti_callbacks.h,
  // CUpti_CallbackData::context)
  if (!can_be_known(function)) return {0, function.context == nullptr};
  Answer otherwise{};
  const Answer& answer = answer_for(function, otherwise);
  return {answer.object, !answer.is_known && !answer.was_looked_for};
}

void learn_from_call(const Function& function, uint64_t loads_before) {
  const uint64_t base = loaded_since(loads_before, function.context);
  if (function.handle == nullptr || base == 0) return;
  set_base(function.context, function.handle, base);
  set_base(function.context, unit_of(function.handle), base);
}

void learn_from_launch(const Function& function, const Function& inner, uint64_t loads_before) {
  if (!can_be_known(function)) return;
  uint64_t base = loaded_since(loads_before, function.context, function.name);
  if (base == 0 && can_be_known(inner)) base = base_of(inner);
  if (base == 0) base = only_module_with(function.context, function.name);
  if (base != 0) {
    set_base(function.context, function.handle, base);
    set_base(function.context, unit_of(function.handle), base);
    if (inner.handle != nullptr) set_base(function.context, inner.handle, base);
    if (inner.handle != nullptr) set_base(function.context, unit_of(inner.handle), base);
  }
  Answer otherwise{};
  answer_for(function, otherwise).was_looked_for = true;
}

}  // namespace aiflame::agent::cupti
