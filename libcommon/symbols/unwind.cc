// SPDX-License-Identifier: MIT
#include "libcommon/symbols/unwind.h"

#include <elf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <unordered_set>

namespace aiflame {
namespace {

// The one thread that there is for libdwfl.
constexpr pid_t kThread = 1;
// Each is an open file, of 1024 as a rule.
constexpr size_t kMaxModules = 400;

// As in dwarf.cc: libdw's own search might ask the network.
int no_debug_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                  GElf_Word, char**) {
  return -1;
}

}  // namespace

struct Unwinder::Impl {
  Find find;
  Dwfl_Callbacks callbacks{};
  Dwfl* dwfl = nullptr;
  bool attached = false;
  std::unordered_set<uint64_t> reported;  // by base

  // The sample at hand.
  const UnwindState* state = nullptr;
  size_t limit = 0;
  std::vector<uint64_t>* out = nullptr;

  ~Impl() {
    if (dwfl != nullptr) dwfl_end(dwfl);
  }

  bool report(uint64_t address) {
    Module module;
    if (!find(address, module)) return false;
    if (reported.count(module.base) != 0) return true;
    if (reported.size() >= kMaxModules) return false;
    reported.insert(module.base);
    const int fd = ::open(module.path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return false;
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) ||
        dwfl_report_elf(dwfl, module.path.c_str(), module.path.c_str(), fd, module.base, false) ==
            nullptr) {
      ::close(fd);  // libdwfl owns it once it succeeds
      return false;
    }
    return true;
  }

  bool read(Dwarf_Addr address, Dwarf_Word* result) const {
    const uint64_t start = state->registers[UnwindState::kStackPointer];
    if (address < start || address - start > state->stack.size() ||
        state->stack.size() - (address - start) < sizeof *result)
      return false;
    std::memcpy(result, state->stack.data() + (address - start), sizeof *result);
    return true;
  }

  int take(Dwfl_Frame* frame) {
    Dwarf_Addr pc = 0;
    bool is_activation = false;
    if (!dwfl_frame_pc(frame, &pc, nullptr)) return DWARF_CB_ABORT;
    // to know whether this is a call, libdwfl must know the module
    report(pc);
    if (!dwfl_frame_pc(frame, &pc, &is_activation)) return DWARF_CB_ABORT;
    if (pc == 0) return DWARF_CB_ABORT;
    if (!is_activation) --pc;
    report(pc);
    out->push_back(pc);
    return --limit == 0 ? DWARF_CB_ABORT : DWARF_CB_OK;
  }

  static Impl* self(void* argument) { return static_cast<Impl*>(argument); }

  bool attach() {
    static const Dwfl_Thread_Callbacks kCallbacks = {
        [](Dwfl*, void* argument, void** thread) -> pid_t {
          if (*thread != nullptr) return 0;
          *thread = argument;
          return kThread;
        },
        [](Dwfl*, pid_t, void* argument, void** thread) {
          *thread = argument;
          return true;
        },
        [](Dwfl*, Dwarf_Addr address, Dwarf_Word* result, void* argument) {
          return self(argument)->read(address, result);
        },
        [](Dwfl_Thread* thread, void* argument) {
          Dwarf_Word registers[UnwindState::kRegisters];
          for (size_t i = 0; i < UnwindState::kRegisters; ++i)
            registers[i] = self(argument)->state->registers[i];
          return dwfl_thread_state_registers(thread, 0, UnwindState::kRegisters, registers);
        },
        nullptr,
        nullptr,
    };
    return dwfl_attach_state(dwfl, nullptr, kThread, &kCallbacks, this);
  }
};

Unwinder::Unwinder(Find find) : impl_(std::make_unique<Impl>()) {
  impl_->find = std::move(find);
  impl_->callbacks.find_elf = dwfl_build_id_find_elf;
  impl_->callbacks.find_debuginfo = no_debug_file;
  impl_->callbacks.section_address = dwfl_offline_section_address;
  impl_->dwfl = dwfl_begin(&impl_->callbacks);
}

Unwinder::~Unwinder() = default;

size_t Unwinder::modules() const {
  return impl_->reported.size();
}

void Unwinder::unwind(const UnwindState& state, size_t limit, std::vector<uint64_t>& out) {
  const size_t before = out.size();
  impl_->state = &state;
  impl_->limit = limit;
  impl_->out = &out;
  const uint64_t address = state.registers[UnwindState::kInstruction];
  if (impl_->dwfl != nullptr && limit > 0 && impl_->report(address)) {
    // libdwfl learns the machine from the first module
    if (!impl_->attached) impl_->attached = impl_->attach();
    if (impl_->attached)
      dwfl_getthread_frames(
          impl_->dwfl, kThread,
          [](Dwfl_Frame* frame, void* argument) { return Impl::self(argument)->take(frame); },
          impl_.get());
  }
  // where the leaf is in no object, it is still where the program was
  if (out.size() == before && address != 0) out.push_back(address);
}

}  // namespace aiflame
