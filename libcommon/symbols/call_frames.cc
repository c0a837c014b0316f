// SPDX-License-Identifier: MIT
#include "libcommon/symbols/call_frames.h"

#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string_view>
#include <vector>

#include "libcommon/io/file_window.h"
#include "libcommon/symbols/call_frame_program.h"
#include "libcommon/symbols/elf_bounds.h"
#include "libcommon/symbols/frame_expression.h"

namespace aiflame {
namespace {

std::optional<int32_t> as_int32(uint64_t number) {
  const auto value = static_cast<int64_t>(number);
  if (value < INT32_MIN || value > INT32_MAX) return std::nullopt;
  return static_cast<int32_t>(value);
}

// The rules of the registers that a callee must keep.
template <const CallMachine& machine>
struct TableRow : eh_frame::Row {
  eh_frame::Register kept[machine.kept_count];
  eh_frame::Register* find(uint64_t number) {
    const auto* const end = machine.kept + machine.kept_count;
    const auto* const at = std::find(machine.kept, end, number);
    return at == end ? nullptr : kept + (at - machine.kept);
  }
};

struct FreeFrame {
  void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};
using Frame = std::unique_ptr<Dwarf_Frame, FreeFrame>;

}  // namespace

struct CallFrames::Impl {
  FileWindow file;
  Elf* elf = nullptr;
  const CallMachine* machine = &kThisMachine;
  eh_frame::Object tables;
  uint64_t header = 0;  // address of .eh_frame_hdr in the object
  bool reads_tables = true;
  // opened at the first use
  bool asked = false;
  Dwarf_CFI* eh_frame = nullptr;
  Dwarf* dwarf = nullptr;
  Dwarf_CFI* debug_frame = nullptr;  // of `dwarf`

  ~Impl() {
    if (eh_frame != nullptr) dwarf_cfi_end(eh_frame);
    if (dwarf != nullptr) dwarf_end(dwarf);
    if (elf != nullptr) elf_end(elf);
  }

  void open(const std::string& path) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return;
    struct stat status {};
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) status.st_size = 0;
    const auto size = static_cast<size_t>(status.st_size);
    // libdw inflates compressed sections, and notes that in their headers
    if (size > 0 && excess_of_elf(fd) == nullptr)
      file = FileWindow(fd, 0, size, FileWrites::stay_in_memory);
    ::close(fd);
    if (file.bytes() == nullptr) return;
    elf_version(EV_CURRENT);
    elf = elf_memory(file.bytes(), size);
    if (elf == nullptr || find_tables(size)) return;
    elf_end(elf);
    elf = nullptr;
  }

  // False when the file is not a program or library of a known machine, or has an .eh_frame_hdr in
  // a form that no linker writes.
  bool find_tables(size_t size) {
    size_t count = 0;
    GElf_Ehdr head;
    if (gelf_getehdr(elf, &head) == nullptr || elf_getphdrnum(elf, &count) != 0) return false;
    const CallMachine* const found_machine = find_call_machine(head.e_machine);
    if (found_machine == nullptr) return false;
    machine = found_machine;
    std::vector<GElf_Phdr> loaded;
    bool has_header = false;
    for (int i = 0; static_cast<size_t>(i) < count; ++i) {
      GElf_Phdr segment;
      if (gelf_getphdr(elf, i, &segment) == nullptr) return false;
      if (segment.p_type == PT_LOAD) loaded.push_back(segment);
      if (segment.p_type != PT_GNU_EH_FRAME) continue;
      has_header = true;
      header = segment.p_vaddr;
    }
    for (const GElf_Phdr& segment : loaded) {
      if (header - segment.p_vaddr >= segment.p_filesz || segment.p_filesz > size ||
          segment.p_offset > size - segment.p_filesz)
        continue;
      const auto* begin = reinterpret_cast<const uint8_t*>(file.bytes()) + segment.p_offset;
      const eh_frame::Object found = {begin, begin + segment.p_filesz,
                                      begin + (header - segment.p_vaddr), machine->return_address};
      if (eh_frame::is_usual(found)) tables = found;
    }
    return !has_header || tables.header != nullptr;
  }

  // The distance from the object's addresses to the mapped ones.
  uint64_t moved() const { return reinterpret_cast<uint64_t>(tables.header) - header; }

  // Reads the tables if they have the usual form. False: libdw must read them, which takes ten
  // times as long.
  template <const CallMachine& of>
  bool find_row(uint64_t vaddr, TableRow<of>& row, eh_frame::Entry& entry, uint64_t& end) const {
    if (!reads_tables || tables.header == nullptr ||
        !eh_frame::find_entry(tables, vaddr + moved(), entry) ||
        !eh_frame::find_row(entry, vaddr + moved(), row, end))
      return false;
    end -= moved();
    return true;
  }

  // Whether libdw may read the tables for that address. See eh_frame::is_sound().
  bool is_sound(uint64_t vaddr) const {
    eh_frame::Entry entry;
    return tables.header == nullptr ||
           (eh_frame::find_entry(tables, vaddr + moved(), entry) && eh_frame::is_sound(entry));
  }

  // Whether libdw may read a section of entries: see eh_frame::is_sound(). True without one.
  bool is_sound_section(std::string_view wanted) const {
    size_t names = 0;
    if (elf_getshdrstrndx(elf, &names) != 0) return true;
    for (Elf_Scn* scn = elf_nextscn(elf, nullptr); scn != nullptr; scn = elf_nextscn(elf, scn)) {
      GElf_Shdr section;
      if (gelf_getshdr(scn, &section) == nullptr) continue;
      const char* const name = elf_strptr(elf, names, section.sh_name);
      if (name == nullptr || section.sh_type == SHT_NOBITS) continue;
      const std::string_view text(name);
      // compressed: libdw would inflate it first
      if (text == ".zdebug_frame" && wanted == ".debug_frame") return false;
      if (text != wanted) continue;
      Elf_Data* const data = elf_rawdata(scn, nullptr);
      if (data == nullptr || data->d_buf == nullptr || (section.sh_flags & SHF_COMPRESSED) != 0)
        return false;
      if (wanted == ".eh_frame"
              ? !is_sound_eh_frame(static_cast<const uint8_t*>(data->d_buf), data->d_size)
              : !is_sound_debug_frame(data))
        return false;
    }
    return true;
  }

  static bool is_sound_program(const uint8_t* begin, const uint8_t* end) {
    eh_frame::Entry entry;
    entry.initial = {begin, end};
    entry.program = {end, end};
    return begin <= end && eh_frame::is_sound(entry);
  }

  bool is_sound_eh_frame(const uint8_t* begin, size_t size) const {
    const eh_frame::Object object = {begin, begin + size, nullptr, machine->return_address};
    eh_frame::Reader entry{nullptr, nullptr};
    for (auto at = int64_t{0}; eh_frame::open_entry(object, at, entry); at = entry.end - begin) {
      const int64_t id_field = entry.at - begin;
      const auto distance = entry.fixed<uint32_t>();
      eh_frame::Entry parsed;
      uint8_t encoding = 0;
      bool has_augmentation = false;
      if (!entry.ok || !eh_frame::parse_common(object, distance == 0 ? at : id_field - distance,
                                               parsed, encoding, has_augmentation))
        return false;
      if (distance != 0) {
        entry.encoded(encoding);
        entry.encoded(encoding & 0x0f);
        if (has_augmentation) entry.skip(entry.uleb());
        if (!entry.ok) return false;
      }
      parsed.program = distance == 0 ? eh_frame::Reader{begin, begin} : entry;
      if (!eh_frame::is_sound(parsed)) return false;
    }
    return true;
  }

  bool is_sound_debug_frame(Elf_Data* data) const {
    constexpr ptrdiff_t kRange = 16;  // address and length of a function, before its instructions
    const auto* const ident = reinterpret_cast<const unsigned char*>(elf_getident(elf, nullptr));
    for (Dwarf_Off at = 0, next = 0;; at = next) {
      Dwarf_CFI_Entry entry;
      const int result = dwarf_next_cfi(ident, data, false, at, &next, &entry);
      if (result == 1 || next <= at) return true;  // libdw stops there, too
      if (result != 0) continue;
      const bool sound =
          dwarf_cfi_cie_p(&entry)
              ? is_sound_program(entry.cie.initial_instructions, entry.cie.initial_instructions_end)
              : entry.fde.end - entry.fde.start >= kRange &&
                    is_sound_program(entry.fde.start + kRange, entry.fde.end);
      if (!sound) return false;
    }
  }

  void ask() {
    asked = true;
    if (elf == nullptr) return;
    // without the usual header, nothing else has looked at the entries
    if (tables.header != nullptr || is_sound_section(".eh_frame")) eh_frame = dwarf_getcfi_elf(elf);
    if (!is_sound_section(".debug_frame")) return;
    dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nullptr);
    debug_frame = dwarf == nullptr ? nullptr : dwarf_getcfi(dwarf);
  }

  Frame frame_at(uint64_t vaddr) {
    if (!asked) ask();
    for (Dwarf_CFI* table : {is_sound(vaddr) ? eh_frame : nullptr, debug_frame}) {
      Dwarf_Frame* frame = nullptr;
      if (table != nullptr && dwarf_cfi_addrframe(table, vaddr, &frame) == 0) return Frame(frame);
    }
    return nullptr;
  }
};

CallFrames::CallFrames(const std::string& path, Reader reader) : impl_(std::make_unique<Impl>()) {
  impl_->open(path);
  impl_->reads_tables = reader == Reader::ours;
  machine_ = impl_->machine;
}

CallFrames::CallFrames(std::string_view tables, uint64_t header_size, uint64_t vaddr,
                       const CallMachine& machine)
    : impl_(std::make_unique<Impl>()), machine_(&machine) {
  if (header_size == 0 || header_size > tables.size()) return;
  const auto* begin = reinterpret_cast<const uint8_t*>(tables.data());
  const uint64_t header = tables.size() - header_size;
  const eh_frame::Object found = {begin, begin + tables.size(), begin + header,
                                  machine.return_address};
  if (!eh_frame::is_usual(found)) return;
  impl_->tables = found;
  impl_->header = vaddr + header;
}

CallFrames::~CallFrames() = default;

// Reads the rule from the tables; false: libdw must do it.
bool CallFrames::read_rule(uint64_t vaddr, CallRule& rule, uint64_t& last) const {
  return machine_ == &kAarch64 ? read_rule_of<kAarch64>(vaddr, rule, last)
                               : read_rule_of<kX86_64>(vaddr, rule, last);
}

template <const CallMachine& of>
bool CallFrames::read_rule_of(uint64_t vaddr, CallRule& rule, uint64_t& last) const {
  TableRow<of> row;
  eh_frame::Entry entry;
  uint64_t end = 0;
  if (!impl_->find_row(vaddr, row, entry, end)) return false;
  const auto offset = as_int32(static_cast<uint64_t>(row.offset));
  if (row.base >= of.instruction || !offset) return false;
  CallRule read;
  read.kind = CallRule::Kind::plain;
  read.is_signal = entry.signal_frame;
  read.base = static_cast<uint8_t>(row.base);
  read.offset = *offset;
  for (size_t i = 0; i < of.kept_count; ++i) {
    const eh_frame::Register& kept = row.kept[i];
    const auto place = as_int32(static_cast<uint64_t>(kept.offset));
    switch (kept.rule) {
      case eh_frame::Register::Rule::same:
        break;
      case eh_frame::Register::Rule::undefined:
        if (of.kept[i] == of.return_address) read.kind = CallRule::Kind::outermost;
        break;
      case eh_frame::Register::Rule::at_offset:
        if (!place) return false;
        read.registers[read.saved] = of.kept[i];
        read.places[read.saved++] = *place;
        break;
      case eh_frame::Register::Rule::at_expression:
      case eh_frame::Register::Rule::unsupported:
        return false;
    }
  }
  rule = read;
  if (vaddr < end) last = end - 1;
  return true;
}

// `last` is set to the last address up to which the rule holds.
CallRule CallFrames::make_rule(uint64_t vaddr, uint64_t& last) {
  last = vaddr;
  CallRule rule;
  if (read_rule(vaddr, rule, last)) return rule;
  const Frame frame = impl_->frame_at(vaddr);
  if (frame == nullptr) return rule;
  rule.kind = CallRule::Kind::other;
  Dwarf_Addr start = 0, end = 0;
  const int return_address = dwarf_frame_info(frame.get(), &start, &end, &rule.is_signal);
  // libdw 0.188 reports a wrong start of the range after DW_CFA_restore_state
  if (vaddr < end) last = end - 1;
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  const CallMachine& machine = *machine_;
  // the CFA: `breg7 16`
  if (return_address != machine.return_address || dwarf_frame_cfa(frame.get(), &ops, &count) != 0 ||
      count != 1)
    return rule;
  std::optional<int32_t> offset;
  if (ops[0].atom >= DW_OP_breg0 && ops[0].atom < DW_OP_breg0 + machine.instruction) {
    rule.base = static_cast<uint8_t>(ops[0].atom - DW_OP_breg0);
    offset = as_int32(ops[0].number);
  } else if (ops[0].atom == DW_OP_bregx && ops[0].number < machine.instruction) {
    rule.base = static_cast<uint8_t>(ops[0].number);
    offset = as_int32(ops[0].number2);
  }
  if (!offset) return rule;
  rule.offset = *offset;
  bool outermost = false;
  for (size_t i = 0; i < machine.kept_count; ++i) {
    const uint8_t kept = machine.kept[i];
    Dwarf_Op memory[3];
    if (dwarf_frame_register(frame.get(), kept, memory, &ops, &count) != 0) return rule;
    if (count == 0) {
      // No rule for a callee-saved register means that it was not changed. libdw 0.188 reports %rbx
      // as undefined then, and %rax as unchanged.
      outermost = ops != nullptr && kept == machine.return_address;
      continue;
    }
    // `call_frame_cfa; plus_uconst -16`
    if (count > 2 || ops[0].atom != DW_OP_call_frame_cfa ||
        (count == 2 && ops[1].atom != DW_OP_plus_uconst))
      return rule;
    const auto place = as_int32(count == 2 ? ops[1].number : 0);
    if (!place) return rule;
    rule.registers[rule.saved] = kept;
    rule.places[rule.saved++] = *place;
  }
  rule.kind = outermost ? CallRule::Kind::outermost : CallRule::Kind::plain;
  return rule;
}

bool CallFrames::find_stack_pointer(const CallRule& rule, Registers& registers) {
  const CallMachine& machine = *registers.machine;
  if (rule.base != machine.stack_pointer) return true;
  for (unsigned i = 0; i < rule.saved; ++i) {
    if (rule.registers[i] != machine.frame_pointer) continue;
    const uint64_t found = registers.frame_pointer() -
                           static_cast<uint64_t>(int64_t{rule.places[i]}) -
                           static_cast<uint64_t>(int64_t{rule.offset});
    if (found < registers.stack_pointer() || found > registers.frame_pointer()) return false;
    registers.stack_pointer() = found;
    registers.has_stack_pointer = true;
    return true;
  }
  return false;
}

const CallRule& CallFrames::rule_at(uint64_t vaddr) {
  const auto above = rows_.upper_bound(vaddr);
  if (above != rows_.begin() && vaddr <= std::prev(above)->second.last)
    return std::prev(above)->second.rule;
  Row& row = rows_[vaddr];
  row.rule = make_rule(vaddr, row.last);
  return row.rule;
}

CallFrames::Step CallFrames::step_other(uint64_t vaddr, const Read& read, Registers& registers) {
  const Frame frame = impl_->frame_at(vaddr);
  Dwarf_Op* ops = nullptr;
  size_t count = 0;
  if (frame == nullptr || dwarf_frame_cfa(frame.get(), &ops, &count) != 0) return Step::unknown;
  const auto frame_address = FrameExpression(read, registers).run(ops, count);
  if (!frame_address) return Step::end;
  const CallMachine& machine = *machine_;
  Registers caller = registers;
  caller.stack_pointer() = *frame_address;
  caller.has_stack_pointer = true;
  for (unsigned i = 0; i < machine.numbers; ++i) {
    Dwarf_Op memory[3];
    if (dwarf_frame_register(frame.get(), static_cast<int>(i), memory, &ops, &count) != 0)
      return Step::unknown;
    if (count == 0) {
      if (i == machine.return_address && ops != nullptr) return Step::end;
      continue;
    }
    FrameExpression evaluation(read, registers, frame_address);
    auto value = evaluation.run(ops, count);
    uint64_t word = 0;
    if (value && !evaluation.is_value())
      value = read(*value, word) ? std::optional(word) : std::nullopt;
    if (!value && i == machine.return_address) return Step::end;
    caller.at[i] = value.value_or(0);
  }
  registers = caller;
  registers.return_to_caller();
  return Step::done;
}

}  // namespace aiflame
