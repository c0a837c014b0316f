// SPDX-License-Identifier: MIT
// A Level Zero driver without a device, for the real loader's ZE_ENABLE_ALT_DRIVERS. It keeps all
// the state that tests of an agent need, but executes nothing: clock.h decides when kernels run.
//
// A module of format NATIVE is an ELF file, or the names of its kernels, one a line, from which an
// ELF file is made. The kernels' code gets device addresses; those of a destroyed module are reused
// first. A kernel called "fails" cannot be launched, one called "plain" not with an event, and a
// list with a kernel called "refused" is not executed.
#include <elf.h>
#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>
#include <level_zero/zes_ddi.h>
#include <level_zero/zet_ddi.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fakes/level-zero/clock.h"
#include "tests/fakes/level-zero/fake_level_zero.h"

struct _ze_driver_handle_t {};
struct _ze_context_handle_t {};
struct _ze_command_queue_handle_t {
  fake_ze::Lane lane;
};
struct _ze_command_list_handle_t {
  bool immediate = false;
  fake_ze::Lane lane;  // for an immediate list
  struct Kernel {
    uint64_t ticks;
    ze_event_handle_t event;
    bool refused;
  };
  std::vector<Kernel> kernels;    // for a list that is executed
  struct Graph* graph = nullptr;  // an immediate list is captured into it
  ze_device_handle_t device = nullptr;
};
// A graph, and an executable.
struct Graph {
  std::vector<_ze_command_list_handle_t::Kernel> kernels;
  std::vector<ze_command_list_handle_t> captured;  // lists, the one that began first
};
struct _ze_module_handle_t {
  std::string native, debug;
  std::vector<size_t> slots;
  ze_device_handle_t gpu = nullptr;
};
struct _ze_kernel_handle_t {
  std::string name;
  uint64_t ticks;
};

namespace {

_ze_driver_handle_t driver;

// ---- code on the device ------------------------------------------------------------------------

// As in Intel's driver: 64 KiB apart, from 0x8000fffe0000 downwards, sign-extended.
constexpr size_t kSlots = 4096;
constexpr uint64_t kTop = 0xffff8000fffe0000u, kSlotBytes = 0x10000;
std::mutex slots_mutex;
// each GPU has its own addresses, shared by all its tiles
std::map<ze_device_handle_t, std::array<bool, kSlots>> slots_used;

size_t take_slot(ze_device_handle_t gpu) {
  const std::lock_guard<std::mutex> lock(slots_mutex);
  auto& used = slots_used[gpu];
  const auto slot = static_cast<size_t>(std::find(used.begin(), used.end(), false) - used.begin());
  if (slot < kSlots) used[slot] = true;
  return slot;
}

template <typename T>
T& at(std::string& file, uint64_t offset) {
  return *reinterpret_cast<T*>(file.data() + offset);
}

// An ELF file with a section .text.NAME of 256 bytes and a symbol NAME for each kernel.
std::string make_elf(const std::vector<std::string>& kernels) {
  constexpr uint64_t kCode = 256;
  std::string names(1, '\0'), strings(1, '\0'), code;
  std::vector<Elf64_Shdr> sections(1);
  std::vector<Elf64_Sym> symbols(1);
  const auto add_section = [&](const std::string& name, uint32_t type, uint64_t flags) {
    Elf64_Shdr section{};
    section.sh_name = static_cast<uint32_t>(names.size());
    section.sh_type = type;
    section.sh_flags = flags;
    names += name + '\0';
    sections.push_back(section);
  };
  for (const std::string& kernel : kernels) {
    add_section(".text." + kernel, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR);
    sections.back().sh_offset = sizeof(Elf64_Ehdr) + code.size();
    sections.back().sh_size = kCode;
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<uint32_t>(strings.size());
    symbol.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC);
    symbol.st_shndx = static_cast<uint16_t>(sections.size() - 1);
    symbol.st_size = kCode;
    strings += kernel + '\0';
    symbols.push_back(symbol);
    code.append(kCode, static_cast<char>(symbols.size()));
  }
  add_section(".symtab", SHT_SYMTAB, 0);
  add_section(".strtab", SHT_STRTAB, 0);
  add_section(".shstrtab", SHT_STRTAB, 0);
  const size_t count = sections.size();
  std::string file(sizeof(Elf64_Ehdr), '\0');
  file += code;
  const auto append = [&](Elf64_Shdr& section, const void* data, size_t bytes) {
    section.sh_offset = file.size();
    section.sh_size = bytes;
    file.append(static_cast<const char*>(data), bytes);
    file.resize((file.size() + 7) & ~size_t{7});
  };
  append(sections[count - 3], symbols.data(), symbols.size() * sizeof(Elf64_Sym));
  sections[count - 3].sh_entsize = sizeof(Elf64_Sym);
  sections[count - 3].sh_link = static_cast<uint32_t>(count - 2);
  append(sections[count - 2], strings.data(), strings.size());
  append(sections[count - 1], names.data(), names.size());
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_ident[EI_VERSION] = EV_CURRENT;
  header.e_type = ET_REL;
  header.e_machine = 205;  // EM_INTELGT
  header.e_version = EV_CURRENT;
  header.e_ehsize = sizeof header;
  header.e_shentsize = sizeof(Elf64_Shdr);
  header.e_shnum = static_cast<uint16_t>(count);
  header.e_shstrndx = static_cast<uint16_t>(count - 1);
  header.e_shoff = file.size();
  file.append(reinterpret_cast<const char*>(sections.data()), count * sizeof(Elf64_Shdr));
  std::memcpy(file.data(), &header, sizeof header);
  return file;
}

// Gives addresses to code sections and to their symbols.
void place(_ze_module_handle_t& module) {
  std::string& file = module.debug;
  const auto header = at<Elf64_Ehdr>(file, 0);
  const auto section = [&](size_t i) -> Elf64_Shdr& {
    return at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
  };
  const uint64_t names = section(header.e_shstrndx).sh_offset;
  for (size_t i = 0; i < header.e_shnum; ++i) {
    if (section(i).sh_type != SHT_PROGBITS ||
        std::strncmp(file.data() + names + section(i).sh_name, ".text.", 6) != 0)
      continue;
    const size_t slot = take_slot(module.gpu);
    if (slot == kSlots) continue;
    module.slots.push_back(slot);
    section(i).sh_addr = kTop - slot * kSlotBytes;
  }
  for (size_t i = 0; i < header.e_shnum; ++i) {
    if (section(i).sh_type != SHT_SYMTAB) continue;
    for (uint64_t j = 0; j < section(i).sh_size / sizeof(Elf64_Sym); ++j) {
      auto& symbol = at<Elf64_Sym>(file, section(i).sh_offset + j * sizeof(Elf64_Sym));
      if (symbol.st_shndx < header.e_shnum) symbol.st_value += section(symbol.st_shndx).sh_addr;
    }
  }
  at<Elf64_Ehdr>(file, 0).e_type = ET_EXEC;
}

ze_result_t hand_out(const std::string& content, size_t* size, uint8_t* to) {
  if (to == nullptr) {
    *size = content.size();
    return ZE_RESULT_SUCCESS;
  }
  if (*size < content.size()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  *size = content.size();
  std::copy(content.begin(), content.end(), to);
  return ZE_RESULT_SUCCESS;
}

// ---- functions ---------------------------------------------------------------------------------

template <typename T>
ze_result_t give(T* made, T** out) {
  *out = made;
  return ZE_RESULT_SUCCESS;
}

template <typename T>
ze_result_t destroy(T* gone) {
  delete gone;
  return ZE_RESULT_SUCCESS;
}

ze_result_t init(ze_init_flags_t) {
  fake_ze::start();
  return ZE_RESULT_SUCCESS;
}

ze_result_t get_drivers(uint32_t* count, ze_driver_handle_t* out) {
  if (out != nullptr && *count > 0) *out = &driver;
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t driver_properties(ze_driver_handle_t, ze_driver_properties_t*) {
  return ZE_RESULT_SUCCESS;
}

ze_result_t no_extensions(ze_driver_handle_t, uint32_t* count, ze_driver_extension_properties_t*) {
  *count = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t create_context(ze_driver_handle_t, const ze_context_desc_t*, ze_context_handle_t* out) {
  return give(new _ze_context_handle_t, out);
}

ze_result_t destroy_context(ze_context_handle_t gone) {
  if (const int left = fake_ze::pools_of(gone); left > 0)
    fake_ze::log("context gone before " + std::to_string(left) + " event pools");
  return destroy(gone);
}

ze_result_t create_queue(ze_context_handle_t, ze_device_handle_t, const ze_command_queue_desc_t*,
                         ze_command_queue_handle_t* out) {
  return give(new _ze_command_queue_handle_t, out);
}

ze_result_t execute(ze_command_queue_handle_t queue, uint32_t count,
                    ze_command_list_handle_t* lists, ze_fence_handle_t) {
  for (uint32_t i = 0; i < count; ++i)
    for (const auto& kernel : lists[i]->kernels)
      if (kernel.refused) return ZE_RESULT_ERROR_DEVICE_LOST;
  for (uint32_t i = 0; i < count; ++i)
    for (const auto& kernel : lists[i]->kernels)
      fake_ze::run(queue->lane, kernel.ticks, kernel.event);
  return ZE_RESULT_SUCCESS;
}

ze_result_t synchronize(ze_command_queue_handle_t queue, uint64_t) {
  fake_ze::wait_until(queue->lane.busy_until);
  return ZE_RESULT_SUCCESS;
}

ze_result_t synchronize_list(ze_command_list_handle_t list, uint64_t) {
  fake_ze::wait_until(list->lane.busy_until);
  return ZE_RESULT_SUCCESS;
}

ze_result_t create_list(ze_context_handle_t, ze_device_handle_t, const ze_command_list_desc_t*,
                        ze_command_list_handle_t* out) {
  return give(new _ze_command_list_handle_t, out);
}

ze_result_t create_immediate(ze_context_handle_t, ze_device_handle_t device,
                             const ze_command_queue_desc_t*, ze_command_list_handle_t* out) {
  auto* made = new _ze_command_list_handle_t;
  made->immediate = true;
  made->device = device;
  return give(made, out);
}

// Its graph goes with it, as in Intel's driver.
ze_result_t destroy_list(ze_command_list_handle_t gone) {
  if (gone->graph != nullptr && gone->graph->captured.front() == gone) delete gone->graph;
  return destroy(gone);
}

ze_result_t nothing(ze_command_list_handle_t) {
  return ZE_RESULT_SUCCESS;
}

ze_result_t reset_list(ze_command_list_handle_t list) {
  list->kernels.clear();
  return ZE_RESULT_SUCCESS;
}

ze_result_t append_reset(ze_command_list_handle_t list, ze_event_handle_t event) {
  if (list->immediate) event->signaled = false;
  return ZE_RESULT_SUCCESS;
}

// An immediate list that waits for an event of a captured one is captured, too.
void wait_on(ze_command_list_handle_t list, uint32_t count, ze_event_handle_t* events) {
  for (uint32_t i = 0; i < count; ++i) {
    Graph* graph = events[i]->graph;
    if (graph == nullptr || list->graph != nullptr || !list->immediate) continue;
    list->graph = graph;
    graph->captured.push_back(list);
  }
}

void put(ze_command_list_handle_t list, const _ze_command_list_handle_t::Kernel& kernel) {
  if (list->graph != nullptr) {
    list->graph->kernels.push_back(kernel);
    if (kernel.event != nullptr) kernel.event->graph = list->graph;
  } else if (list->immediate) {
    fake_ze::run(list->lane, kernel.ticks, kernel.event);
  } else {
    list->kernels.push_back(kernel);
  }
}

// What executes at once on a captured list, unless the device has this flag for graphs.
void put_all(ze_command_list_handle_t list,
             const std::vector<_ze_command_list_handle_t::Kernel>& kernels, uint32_t flag) {
  const bool is_captured = (list->device->graph_flags & flag) != 0;
  for (const auto& kernel : kernels)
    if (is_captured)
      put(list, kernel);
    else
      fake_ze::run(list->lane, kernel.ticks, kernel.event);
}

ze_result_t append(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                   ze_event_handle_t event) {
  if (kernel->name == "fails") return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (kernel->name == "plain" && event != nullptr) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  put(list, {kernel->ticks, event, kernel->name == "refused"});
  return ZE_RESULT_SUCCESS;
}

ze_result_t launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                   const ze_group_count_t*, ze_event_handle_t event, uint32_t wait_count,
                   ze_event_handle_t* wait) {
  wait_on(list, wait_count, wait);
  return append(list, kernel, event);
}

ze_result_t launch_multiple(ze_command_list_handle_t list, uint32_t count,
                            ze_kernel_handle_t* kernels, const uint32_t*, const ze_group_count_t*,
                            ze_event_handle_t event, uint32_t, ze_event_handle_t*) {
  for (uint32_t i = 0; i < count; ++i) append(list, kernels[i], i + 1 < count ? nullptr : event);
  return ZE_RESULT_SUCCESS;
}

ze_result_t copied(ze_command_list_handle_t list, ze_event_handle_t event) {
  put(list, {fake_ze::ticks_of("copy_200us"), event, false});
  return ZE_RESULT_SUCCESS;
}

// Copies when the command is appended, whenever the list is executed.
ze_result_t copy(ze_command_list_handle_t list, void* to, const void* from, size_t size,
                 ze_event_handle_t event, uint32_t, ze_event_handle_t*) {
  std::memcpy(to, from, size);
  return copied(list, event);
}

ze_result_t fill(ze_command_list_handle_t list, void* to, const void* pattern, size_t pattern_size,
                 size_t size, ze_event_handle_t event, uint32_t, ze_event_handle_t*) {
  for (size_t at = 0; at + pattern_size <= size; at += pattern_size)
    std::memcpy(static_cast<char*>(to) + at, pattern, pattern_size);
  return copied(list, event);
}

ze_result_t create_module(ze_context_handle_t, ze_device_handle_t device,
                          const ze_module_desc_t* from, ze_module_handle_t* out,
                          ze_module_build_log_handle_t*) {
  if (from->format != ZE_MODULE_FORMAT_NATIVE) return ZE_RESULT_ERROR_INVALID_NATIVE_BINARY;
  auto* made = new _ze_module_handle_t;
  made->gpu = device->root == nullptr ? device : device->root;
  made->native.assign(reinterpret_cast<const char*>(from->pInputModule), from->inputSize);
  if (made->native.compare(0, SELFMAG, ELFMAG) != 0) {
    std::vector<std::string> kernels;
    std::istringstream lines(made->native);
    for (std::string line; std::getline(lines, line);) kernels.push_back(line);
    made->native = make_elf(kernels);
  }
  made->debug = made->native;
  place(*made);
  return give(made, out);
}

ze_result_t destroy_module(ze_module_handle_t gone) {
  {
    const std::lock_guard<std::mutex> lock(slots_mutex);
    for (const size_t slot : gone->slots) slots_used[gone->gpu][slot] = false;
  }
  return destroy(gone);
}

ze_result_t native_binary(ze_module_handle_t module, size_t* size, uint8_t* to) {
  return hand_out(module->native, size, to);
}

ze_result_t debug_info(zet_module_handle_t module, zet_module_debug_info_format_t, size_t* size,
                       uint8_t* to) {
  return hand_out(module->debug, size, to);
}

ze_result_t create_kernel(ze_module_handle_t, const ze_kernel_desc_t* from,
                          ze_kernel_handle_t* out) {
  return give(new _ze_kernel_handle_t{from->pKernelName, fake_ze::ticks_of(from->pKernelName)},
              out);
}

ze_result_t kernel_name(ze_kernel_handle_t kernel, size_t* size, char* to) {
  if (to != nullptr && *size > kernel->name.size())
    std::memcpy(to, kernel->name.c_str(), kernel->name.size() + 1);
  *size = kernel->name.size() + 1;
  return ZE_RESULT_SUCCESS;
}

// Functions of versions 1.9, 1.14 and 1.16, which the headers of Debian 12 do not have.
struct Groups {
  uint32_t x, y, z;
};

ze_result_t launch_with_parameters(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                   const ze_group_count_t*, const void*, ze_event_handle_t event,
                                   uint32_t, ze_event_handle_t*) {
  return append(list, kernel, event);
}

ze_result_t launch_with_arguments(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                  Groups counts, Groups sizes, void**, const void*,
                                  ze_event_handle_t event, uint32_t, ze_event_handle_t*) {
  const bool whole = counts.x == 1 && counts.y == 2 && counts.z == 3 && sizes.x == 4 &&
                     sizes.y == 5 && sizes.z == 6;
  return whole ? append(list, kernel, event) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
}

ze_result_t copy_with_parameters(ze_command_list_handle_t list, void* to, const void* from,
                                 size_t size, const void*, ze_event_handle_t event, uint32_t count,
                                 ze_event_handle_t* wait) {
  return copy(list, to, from, size, event, count, wait);
}

ze_result_t fill_with_parameters(ze_command_list_handle_t list, void* to, const void* pattern,
                                 size_t pattern_size, size_t size, const void*,
                                 ze_event_handle_t event, uint32_t count, ze_event_handle_t* wait) {
  return fill(list, to, pattern, pattern_size, size, event, count, wait);
}

ze_result_t append_lists(ze_command_list_handle_t list, uint32_t count,
                         ze_command_list_handle_t* lists, ze_event_handle_t, uint32_t,
                         ze_event_handle_t*) {
  for (uint32_t i = 0; i < count; ++i) put_all(list, lists[i]->kernels, 1u << 3);
  return ZE_RESULT_SUCCESS;
}

ze_result_t clone_list(ze_command_list_handle_t from, ze_command_list_handle_t* out) {
  return give(new _ze_command_list_handle_t(*from), out);
}

// ---- graphs, of version 1.17; a driver also hands them out by an older name --------------------

constexpr auto kQueryTrue = static_cast<ze_result_t>(0x78000022),
               kQueryFalse = static_cast<ze_result_t>(0x78000023),
               kNotCapturing = static_cast<ze_result_t>(0x78000028);

ze_result_t create_graph(ze_context_handle_t, const void*, Graph** out) {
  return give(new Graph, out);
}

ze_result_t begin_capture_into(ze_command_list_handle_t list, Graph* graph, const void*) {
  if (!list->immediate || list->graph != nullptr || !graph->kernels.empty())
    return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  list->graph = graph;
  graph->captured.push_back(list);
  return ZE_RESULT_SUCCESS;
}

ze_result_t begin_capture(ze_command_list_handle_t list, const void*) {
  if (!list->immediate || list->graph != nullptr) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return begin_capture_into(list, new Graph, nullptr);
}

ze_result_t is_captured(ze_command_list_handle_t list) {
  return list->graph != nullptr ? kQueryTrue : kQueryFalse;
}

ze_result_t end_capture(ze_command_list_handle_t list, const void*, Graph** out) {
  Graph* graph = list->graph;
  if (graph == nullptr || graph->captured.front() != list) return kNotCapturing;
  for (ze_command_list_handle_t one : graph->captured) one->graph = nullptr;
  for (const auto& kernel : graph->kernels)
    if (kernel.event != nullptr) kernel.event->graph = nullptr;
  return give(graph, out);
}

// That of the list which began, for each.
ze_result_t get_graph(ze_command_list_handle_t list, Graph** out) {
  *out = list->graph;
  return list->graph != nullptr ? ZE_RESULT_SUCCESS : kNotCapturing;
}

ze_result_t instantiate(Graph* graph, const void*, Graph** out) {
  return give(new Graph{graph->kernels, {}}, out);
}

ze_result_t append_graph(ze_command_list_handle_t list, Graph* executable, const void*,
                         ze_event_handle_t, uint32_t, ze_event_handle_t*) {
  for (const auto& kernel : executable->kernels)
    if (kernel.refused) return ZE_RESULT_ERROR_DEVICE_LOST;
  put_all(list, executable->kernels, 1u << 2);
  return ZE_RESULT_SUCCESS;
}

ze_result_t instantiate_exp(Graph* graph, Graph** out, void* next) {
  return instantiate(graph, next, out);
}

ze_result_t create_graph_exp(ze_context_handle_t context, Graph** out, void* next) {
  return create_graph(context, next, out);
}

ze_result_t end_capture_exp(ze_command_list_handle_t list, Graph** out, void* next) {
  return end_capture(list, next, out);
}

ze_result_t get_extension(ze_driver_handle_t, const char* name, void** out) {
  static const std::map<std::string, void*> extensions = {
      {"zeCommandListBeginGraphCaptureExp", reinterpret_cast<void*>(&begin_capture)},
      {"zeCommandListBeginCaptureIntoGraphExp", reinterpret_cast<void*>(&begin_capture_into)},
      {"zeCommandListEndGraphCaptureExp", reinterpret_cast<void*>(&end_capture_exp)},
      {"zeCommandListGetGraphExp", reinterpret_cast<void*>(&get_graph)},
      {"zeCommandListInstantiateGraphExp", reinterpret_cast<void*>(&instantiate_exp)},
      {"zeCommandListAppendGraphExp", reinterpret_cast<void*>(&append_graph)},
      {"zeGraphCreateExp", reinterpret_cast<void*>(&create_graph_exp)},
      {"zeGraphDestroyExp", reinterpret_cast<void*>(&destroy<Graph>)},
      {"zeExecutableGraphDestroyExp", reinterpret_cast<void*>(&destroy<Graph>)},
  };
  const auto found = extensions.find(name);
  if (found == extensions.end()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  *out = found->second;
  return ZE_RESULT_SUCCESS;
}

template <typename Function>
void put_at(void* table, size_t index, Function* function) {
  static_cast<void**>(table)[index] = reinterpret_cast<void*>(function);
}

bool has(ze_api_version_t version, uint32_t minor) {
  return static_cast<uint32_t>(version) >= (1u << 16 | minor);
}

}  // namespace

// ---- tables ------------------------------------------------------------------------------------

#define EXPORTED extern "C" __attribute__((visibility("default")))
// the C++ name differs, because the headers declare these functions with their own types
// NOLINTBEGIN(bugprone-macro-parentheses): a type is none with them
#define TABLE(name, type)                                                             \
  EXPORTED ze_result_t fake_##name(ze_api_version_t version, type* table) asm(#name); \
  EXPORTED ze_result_t fake_##name([[maybe_unused]] ze_api_version_t version,         \
                                   [[maybe_unused]] type* table)
// NOLINTEND(bugprone-macro-parentheses)
// a table that stays empty
#define EMPTY(name)           \
  TABLE(name, void) {         \
    return ZE_RESULT_SUCCESS; \
  }

TABLE(zeGetGlobalProcAddrTable, ze_global_dditable_t) {
  table->pfnInit = init;
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetDriverProcAddrTable, ze_driver_dditable_t) {
  table->pfnGet = get_drivers;
  table->pfnGetProperties = driver_properties;
  table->pfnGetExtensionProperties = no_extensions;
  table->pfnGetExtensionFunctionAddress = get_extension;
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetDeviceProcAddrTable, ze_device_dditable_t) {
  // newer loaders sort drivers by the kind of their devices
  table->pfnGet = fake_ze::get_devices;
  table->pfnGetProperties = fake_ze::device_properties;
  table->pfnGetSubDevices = fake_ze::get_sub_devices;
  table->pfnPciGetPropertiesExt = fake_ze::pci_properties;
  table->pfnGetGlobalTimestamps = fake_ze::global_timestamps;
  table->pfnGetCommandQueueGroupProperties = fake_ze::queue_groups;
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetContextProcAddrTable, ze_context_dditable_t) {
  table->pfnCreate = create_context;
  table->pfnDestroy = destroy_context;
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetCommandQueueProcAddrTable, ze_command_queue_dditable_t) {
  table->pfnCreate = create_queue;
  table->pfnDestroy = destroy;
  table->pfnExecuteCommandLists = execute;
  table->pfnSynchronize = synchronize;
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetCommandListProcAddrTable, ze_command_list_dditable_t) {
  table->pfnCreate = create_list;
  table->pfnCreateImmediate = create_immediate;
  table->pfnDestroy = destroy_list;
  table->pfnClose = nothing;
  table->pfnReset = reset_list;
  table->pfnAppendEventReset = append_reset;
  table->pfnAppendMemoryCopy = copy;
  table->pfnAppendMemoryFill = fill;
  table->pfnAppendLaunchKernel = launch;
  table->pfnAppendLaunchCooperativeKernel = launch;
  table->pfnAppendLaunchKernelIndirect = launch;
  table->pfnAppendLaunchMultipleKernelsIndirect = launch_multiple;
  if (has(version, 6)) put_at(table, 28, &synchronize_list);
  if (has(version, 14)) {
    put_at(table, 36, &launch_with_parameters);
    put_at(table, 37, &launch_with_arguments);
  }
  if (has(version, 16)) {
    put_at(table, 38, &copy_with_parameters);
    put_at(table, 39, &fill_with_parameters);
  }
  if (has(version, 17)) {
    put_at(table, 45, &begin_capture);
    put_at(table, 46, &begin_capture_into);
    put_at(table, 47, &is_captured);
    put_at(table, 48, &end_capture);
    put_at(table, 49, &get_graph);
    put_at(table, 50, &append_graph);
  }
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetCommandListExpProcAddrTable, void) {
  if (has(version, 9)) {
    put_at(table, 0, &clone_list);
    put_at(table, 1, &append_lists);
  }
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetGraphProcAddrTable, void) {
  if (has(version, 17)) {
    put_at(table, 0, &create_graph);
    put_at(table, 3, &instantiate);
    put_at(table, 6, &destroy<Graph>);
  }
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetExecutableGraphProcAddrTable, void) {
  if (has(version, 17)) put_at(table, 1, &destroy<Graph>);
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetModuleProcAddrTable, ze_module_dditable_t) {
  table->pfnCreate = create_module;
  table->pfnDestroy = destroy_module;
  table->pfnGetNativeBinary = native_binary;
  return ZE_RESULT_SUCCESS;
}
TABLE(zetGetModuleProcAddrTable, zet_module_dditable_t) {
  table->pfnGetDebugInfo = debug_info;
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetEventPoolProcAddrTable, ze_event_pool_dditable_t) {
  table->pfnCreate = fake_ze::create_pool;
  table->pfnDestroy = fake_ze::destroy_pool;
  if (has(version, 9)) put_at(table, 7, &fake_ze::pool_flags);
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetEventProcAddrTable, ze_event_dditable_t) {
  table->pfnCreate = fake_ze::create_event;
  table->pfnDestroy = fake_ze::destroy_event;
  table->pfnHostSynchronize = fake_ze::host_synchronize;
  table->pfnQueryStatus = fake_ze::query_status;
  table->pfnHostReset = fake_ze::host_reset;
  table->pfnQueryKernelTimestamp = fake_ze::query_timestamp;
  return ZE_RESULT_SUCCESS;
}
TABLE(zetGetContextProcAddrTable, zet_context_dditable_t) {
  table->pfnActivateMetricGroups = fake_ze::activate;
  return ZE_RESULT_SUCCESS;
}
TABLE(zetGetMetricGroupProcAddrTable, zet_metric_group_dditable_t) {
  table->pfnGet = fake_ze::get_groups;
  table->pfnGetProperties = fake_ze::group_properties;
  table->pfnCalculateMetricValues = fake_ze::calculate;
  return ZE_RESULT_SUCCESS;
}
TABLE(zetGetMetricProcAddrTable, zet_metric_dditable_t) {
  table->pfnGet = fake_ze::get_metrics;
  table->pfnGetProperties = fake_ze::metric_properties;
  return ZE_RESULT_SUCCESS;
}
TABLE(zetGetMetricStreamerProcAddrTable, zet_metric_streamer_dditable_t) {
  table->pfnOpen = fake_ze::open_streamer;
  table->pfnReadData = fake_ze::read_data;
  table->pfnClose = fake_ze::close_streamer;
  return ZE_RESULT_SUCCESS;
}
TABLE(zeGetKernelProcAddrTable, ze_kernel_dditable_t) {
  table->pfnCreate = create_kernel;
  table->pfnDestroy = destroy;
  table->pfnSetGroupSize = [](ze_kernel_handle_t, uint32_t, uint32_t, uint32_t) {
    return ZE_RESULT_SUCCESS;
  };
  table->pfnGetName = kernel_name;
  return ZE_RESULT_SUCCESS;
}

// the loader does not start without these
EMPTY(zeGetImageProcAddrTable)
EMPTY(zeGetFenceProcAddrTable)
EMPTY(zeGetModuleBuildLogProcAddrTable)
EMPTY(zeGetSamplerProcAddrTable)
EMPTY(zeGetPhysicalMemProcAddrTable)
EMPTY(zeGetVirtualMemProcAddrTable)
EMPTY(zetGetDeviceProcAddrTable)
EMPTY(zetGetCommandListProcAddrTable)
EMPTY(zetGetKernelProcAddrTable)
EMPTY(zetGetMetricQueryPoolProcAddrTable)
EMPTY(zetGetMetricQueryProcAddrTable)
EMPTY(zetGetTracerExpProcAddrTable)
EMPTY(zetGetDebugProcAddrTable)
EMPTY(zesGetDriverProcAddrTable)
EMPTY(zesGetDeviceProcAddrTable)
EMPTY(zesGetSchedulerProcAddrTable)
EMPTY(zesGetPerformanceFactorProcAddrTable)
EMPTY(zesGetPowerProcAddrTable)
EMPTY(zesGetFrequencyProcAddrTable)
EMPTY(zesGetEngineProcAddrTable)
EMPTY(zesGetStandbyProcAddrTable)
EMPTY(zesGetFirmwareProcAddrTable)
EMPTY(zesGetMemoryProcAddrTable)
EMPTY(zesGetFabricPortProcAddrTable)
EMPTY(zesGetTemperatureProcAddrTable)
EMPTY(zesGetPsuProcAddrTable)
EMPTY(zesGetFanProcAddrTable)
EMPTY(zesGetLedProcAddrTable)
EMPTY(zesGetRasProcAddrTable)
EMPTY(zesGetDiagnosticsProcAddrTable)
