/* SPDX-License-Identifier: MIT */
#include "plugins/agents/level-zero/modules.h"

#include <atomic>
#include <cstdlib>
#include <cstring>

#include "plugins/abi/agent_channel.h"
#include "plugins/agents/common/channel.h"
#include "plugins/agents/common/handle_map.h"
#include "plugins/agents/common/hash.h"
#include "plugins/agents/common/thread_room.h"

namespace aiflame::agent::level_zero {
namespace {

struct Module {
  uint64_t object;
  const Device* device;
};

HandleMap modules;  // -> Module
HandleMap kernels;  // -> Kernel
std::atomic<decltype(ze_module_dditable_t::pfnGetNativeBinary)> get_native_binary{nullptr};
std::atomic<decltype(zet_module_dditable_t::pfnGetDebugInfo)> get_debug_info{nullptr};
std::atomic<decltype(ze_kernel_dditable_t::pfnGetName)> get_name{nullptr};

// ---- names --------------------------------------------------------------------------------------

// Each name is kept once and never freed: command lists outlive kernels, and programs have few
// names.
struct Name {
  Name* next;
  uint32_t bytes;
  char text[1];
};
constexpr size_t kNameLists = 1024;
std::atomic<Name*> names[kNameLists];
std::atomic<uint64_t> names_bytes{0};
// Beyond this, further names of a program are not reported.
constexpr uint64_t kMaxNamesBytes = uint64_t{16} << 20;
constexpr char kUnknown[] = "[unknown kernel]";

const Name* find_name(const Name* at, const Name* end, const char* text, uint32_t bytes) {
  for (; at != end; at = at->next)
    if (at->bytes == bytes && std::memcmp(at->text, text, bytes) == 0) return at;
  return nullptr;
}

void set_name(Kernel& kernel, const char* text) {
  kernel.name = kUnknown;
  kernel.name_bytes = sizeof kUnknown - 1;
  if (text == nullptr) return;
  const auto bytes = static_cast<uint32_t>(strnlen(text, AGENT_MAX_NAME));
  std::atomic<Name*>& list = names[hash_bytes(text, bytes) % kNameLists];
  Name* head = list.load(std::memory_order_acquire);
  const Name* found = find_name(head, nullptr, text, bytes);
  if (found == nullptr) {
    if (names_bytes.fetch_add(sizeof(Name) + bytes) > kMaxNamesBytes) return;
    auto* made = static_cast<Name*>(malloc(sizeof(Name) + bytes));
    if (made == nullptr) return;
    made->bytes = bytes;
    std::memcpy(made->text, text, bytes);
    // a list only grows at its head; two threads may add the same name, which does no harm
    made->next = head;
    while (!list.compare_exchange_weak(made->next, made, std::memory_order_release)) {
    }
    found = made;
  }
  kernel.name = found->text;
  kernel.name_bytes = found->bytes;
}

// ---- objects ------------------------------------------------------------------------------------

// What a function of the kind that is called twice returns, to be freed; null when it fails.
template <typename Get>
uint8_t* fetch(Get get, size_t& bytes) {
  bytes = 0;
  if (get(&bytes, nullptr) != ZE_RESULT_SUCCESS || bytes == 0 || bytes > AGENT_MAX_OBJECT)
    return nullptr;
  auto* content = static_cast<uint8_t*>(malloc(bytes));
  if (content != nullptr && get(&bytes, content) == ZE_RESULT_SUCCESS) return content;
  free(content);
  return nullptr;
}

// Reports the module's code: as a debugger gets it, with addresses, lines and names, or else as it
// was built. Under the number `again`, or a new one.
uint64_t report_object(ze_module_handle_t module, const Device* device, uint64_t again) {
  size_t bytes = 0;
  uint8_t* content = nullptr;
  if (const auto debug_info = get_debug_info.load(); debug_info != nullptr)
    content = fetch(
        [&](size_t* size, uint8_t* to) {
          return debug_info(module, ZET_MODULE_DEBUG_INFO_FORMAT_ELF_DWARF, size, to);
        },
        bytes);
  const auto native = get_native_binary.load();
  if (content == nullptr && native != nullptr)
    content = fetch([&](size_t* size, uint8_t* to) { return native(module, size, to); }, bytes);
  if (content == nullptr) return 0;
  const uint64_t object = report_load(content, bytes, device_number(device), again);
  free(content);
  return object;
}

}  // namespace

void set_module_functions(const ze_module_dditable_t& core, const zet_module_dditable_t& tools) {
  get_native_binary.store(core.pfnGetNativeBinary);
  get_debug_info.store(tools.pfnGetDebugInfo);
}

void set_kernel_functions(const ze_kernel_dditable_t& core) {
  get_name.store(core.pfnGetName);
}

void module_created(ze_module_handle_t module, const Device* device, bool is_recorded) {
  auto* made = static_cast<Module*>(malloc(sizeof(Module)));
  if (made == nullptr) return;
  made->device = device;
  made->object = is_recorded ? report_object(module, device, 0) : 0;
  // kernels and lists keep the number: the code itself can be asked for when a recorder comes
  if (made->object == 0 && awaits_recorder()) made->object = new_object();
  bool kept = false;
  HandleMap::Locked at(modules, module);
  free(at.set(made, kept));
  if (!kept) free(made);
}

void module_destroyed(ze_module_handle_t module) {
  Module* gone = nullptr;
  {
    HandleMap::Locked at(modules, module);
    gone = static_cast<Module*>(at.remove());
  }
  if (gone != nullptr) report_unload(gone->object);
  free(gone);
}

void kernel_created(ze_kernel_handle_t kernel, ze_module_handle_t module, const char* name) {
  auto* made = static_cast<Kernel*>(malloc(sizeof(Kernel)));
  if (made == nullptr) return;
  *made = Kernel{};
  {
    HandleMap::Locked at(modules, module);
    if (const void* known = at.value(); known != nullptr)
      made->object = static_cast<const Module*>(known)->object;
  }
  set_name(*made, name);
  bool kept = false;
  HandleMap::Locked at(kernels, kernel);
  free(at.set(made, kept));
  if (!kept) free(made);
}

void group_size_set(ze_kernel_handle_t kernel, uint32_t x, uint32_t y, uint32_t z) {
  const HandleMap::Locked at(kernels, kernel);
  auto* known = static_cast<Kernel*>(at.value());
  if (known != nullptr) known->size = {{0, 0, 0}, {x, y, z}, 0};
}

void kernel_destroyed(ze_kernel_handle_t kernel) {
  HandleMap::Locked at(kernels, kernel);
  free(at.remove());
}

namespace {

// For a kernel that a function outside this interface made, an extension.
Kernel ask_for_kernel(ze_kernel_handle_t kernel) {
  struct Text {
    char name[AGENT_MAX_NAME];
  };
  const OffStack<Text> text;
  const auto ask = get_name.load();
  bool named = false;
  if (text && ask != nullptr) {
    size_t bytes = sizeof text->name;
    text->name[0] = '\0';
    named = ask(kernel, &bytes, text->name) == ZE_RESULT_SUCCESS;
    text->name[sizeof text->name - 1] = '\0';
  }
  Kernel unknown{};
  set_name(unknown, named ? text->name : nullptr);
  return unknown;
}

}  // namespace

Kernel find_kernel(ze_kernel_handle_t kernel) {
  {
    const HandleMap::Locked at(kernels, kernel);
    if (const void* known = at.value(); known != nullptr) return *static_cast<const Kernel*>(known);
  }
  return ask_for_kernel(kernel);
}

void report_modules_again() {
  modules.for_each([](const void* handle, void* value) {
    const auto* module = static_cast<const Module*>(value);
    auto* asked = static_cast<ze_module_handle_t>(const_cast<void*>(handle));
    if (module->object != 0) report_object(asked, module->device, module->object);
  });
}

void lock_modules() {
  modules.lock_all();
  kernels.lock_all();
}

void unlock_modules() {
  kernels.unlock_all();
  modules.unlock_all();
}

}  // namespace aiflame::agent::level_zero
