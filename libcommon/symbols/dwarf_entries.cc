// SPDX-License-Identifier: MIT
#include "libcommon/symbols/dwarf_entries.h"

#include <dwarf.h>
#include <elf.h>
#include <libelf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unordered_map>

namespace aiflame {
namespace {

// A debugging information entry (DIE; DWARF 5, 7.5.2) starts with the LEB128 number of its
// abbreviation. The abbreviation lists attributes, each with a form. The entry goes on with the
// values of these attributes; the form says how long each is (7.5.6):
//   2e                abbreviation 46: a function
//   c1 03 00 00       DW_AT_name, DW_FORM_strp: fixed
//   40 11 … 00 00     DW_AT_low_pc, DW_FORM_addr: fixed
//   01 9c             DW_AT_frame_base, DW_FORM_exprloc: LEB128 length, bytes
//   e7 2a 00 00       DW_AT_sibling, DW_FORM_ref4: where in the unit its next sibling is
// Then come its children, and a zero byte after the last child. So entries cannot be found without
// knowing the lengths of all that precede them, and libdw looks the abbreviation's attributes up
// again for each entry.
//
// This scan looks each abbreviation up once, by libdw, and turns it into a Shape: a list of steps
// over the values. Values of fixed length next to each other are one step. An entry is then
// skipped by a few additions. Children of entries that cannot hold functions (variables,
// parameters, base types) are skipped by DW_AT_sibling. Only entries that are functions with
// addresses are returned, as libdw's Dwarf_Die, for libdw to read.
struct Step {
  enum class Kind : uint8_t { fixed, leb, text, block, block_leb, unknown };
  Kind kind;
  uint32_t bytes;           // fixed: the total; block: the size of the length field
  bool is_sibling = false;  // DW_AT_sibling: not joined with other steps
};

struct Shape {
  bool known = false;
  std::vector<Step> steps;
  bool has_children = false;
  bool is_function = false;      // with code
  bool holds_functions = false;  // may have functions among its children
};

struct UnitForm {
  Dwarf_Half version = 0;
  uint8_t address_bytes = 0, offset_bytes = 0;
};

Step step_of(unsigned int form, const UnitForm& unit) {
  using Kind = Step::Kind;
  switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
      return {Kind::fixed, 0};
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
      return {Kind::fixed, 1};
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
      return {Kind::fixed, 2};
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
      return {Kind::fixed, 3};
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
      return {Kind::fixed, 4};
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sup8:
    case DW_FORM_ref_sig8:
      return {Kind::fixed, 8};
    case DW_FORM_data16:
      return {Kind::fixed, 16};
    case DW_FORM_addr:
      return {Kind::fixed, unit.address_bytes};
    case DW_FORM_ref_addr:  // DWARF 2: as long as an address
      return {Kind::fixed, unit.version <= 2 ? unit.address_bytes : unit.offset_bytes};
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_strp_sup:
    case DW_FORM_sec_offset:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
      return {Kind::fixed, unit.offset_bytes};
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index:
      return {Kind::leb, 0};
    case DW_FORM_string:
      return {Kind::text, 0};
    case DW_FORM_block1:
      return {Kind::block, 1};
    case DW_FORM_block2:
      return {Kind::block, 2};
    case DW_FORM_block4:
      return {Kind::block, 4};
    case DW_FORM_block:
    case DW_FORM_exprloc:
      return {Kind::block_leb, 0};
    default:  // DW_FORM_indirect: each entry names its own form; nobody writes it
      return {Kind::unknown, 0};
  }
}

// Types too: a lambda that is converted to a pointer is a type inside a function without code, and
// has a member function with code.
bool may_hold_functions(int tag) {
  switch (tag) {
    case DW_TAG_subprogram:
    case DW_TAG_compile_unit:
    case DW_TAG_partial_unit:
    case DW_TAG_lexical_block:
    case DW_TAG_namespace:
    case DW_TAG_module:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_union_type:
    case DW_TAG_enumeration_type:
      return true;
    default:
      return false;
  }
}

class Entries {
 public:
  Entries(const Dwarf_Die& unit, DwarfBudget& budget) : unit_(unit), budget_(budget) {
    Dwarf_Die die = unit;
    Dwarf* const dwarf = dwarf_cu_getdwarf(die.cu);
    Dwarf_Die own;
    Dwarf_Off next = 0;
    const Dwarf_Off inside = dwarf_cuoffset(&die), start = dwarf_dieoffset(&die) - inside;
    Dwarf_Die last;
    // a unit that claims to extend past the section is damaged
    if (dwarf == nullptr ||
        dwarf_cu_die(die.cu, &own, &form_.version, nullptr, &form_.address_bytes,
                     &form_.offset_bytes, nullptr, nullptr) == nullptr ||
        dwarf_next_unit(dwarf, start, &next, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                        nullptr) != 0 ||
        next <= start + inside || dwarf_offdie(dwarf, next - 1, &last) == nullptr)
      return;
    at_ = static_cast<const char*>(die.addr);
    start_ = at_ - inside;
    end_ = start_ + (next - start);
    const char* const ident = elf_getident(dwarf_getelf(dwarf), nullptr);
    big_endian_ = ident != nullptr && ident[EI_DATA] == ELFDATA2MSB;
  }

  size_t left() const { return static_cast<size_t>(end_ - at_); }

  std::vector<Dwarf_Die> functions() {
    std::vector<Dwarf_Die> out;
    while (at_ < end_) {
      Dwarf_Die die = unit_;
      die.addr = const_cast<char*>(at_);
      die.abbrev = nullptr;
      const uint64_t number = leb();
      if (number == 0) continue;  // after the last child
      Shape& shape = shape_of(number);
      if (!shape.known && !learn(die, shape)) break;
      if (shape.is_function) out.push_back(die);
      if (!skip(shape)) break;
    }
    return out;
  }

 private:
  // Compilers number abbreviations from 1. Larger numbers take a map.
  Shape& shape_of(uint64_t number) {
    constexpr uint64_t kMostInRow = 4096;
    if (number >= kMostInRow) return others_[number];
    if (number >= shapes_.size()) shapes_.resize(number + 1);
    return shapes_[number];
  }

  // Fills the shape of an abbreviation from the first entry that uses it.
  bool learn(Dwarf_Die die, Shape& shape) {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_invalid) return false;
    struct Learned {
      const UnitForm& form;
      Shape& shape;
      DwarfBudget& budget;
      bool has_code = false;
    } learned{form_, shape, budget_};
    const auto take = [](Dwarf_Attribute* attribute, void* to) {
      auto& [form, out, budget, has_code] = *static_cast<Learned*>(to);
      // units of a few bytes can share an abbreviation of a million attributes
      if (!budget.spend(kEntryCost)) return int{DWARF_CB_ABORT};
      const unsigned int name = dwarf_whatattr(attribute), how = dwarf_whatform(attribute);
      Step step = step_of(how, form);
      has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
      // DW_FORM_ref_addr is an offset in the section, not in the unit
      step.is_sibling = name == DW_AT_sibling && how != DW_FORM_ref_addr;
      const auto joins = [](const Step& each) {
        return each.kind == Step::Kind::fixed && !each.is_sibling;
      };
      if (joins(step) && !out.steps.empty() && joins(out.steps.back()))
        out.steps.back().bytes += step.bytes;
      else
        out.steps.push_back(step);
      return int{DWARF_CB_OK};
    };
    if (dwarf_getattrs(&die, take, &learned, 0) == -1 || budget_.left == 0) return false;
    shape.known = true;
    shape.has_children = dwarf_haschildren(&die) == 1;
    shape.is_function = tag == DW_TAG_subprogram && learned.has_code;
    shape.holds_functions = may_hold_functions(tag);
    return true;
  }

  // Moves to the next entry that may be a function or hold functions. False: the unit is damaged.
  bool skip(const Shape& shape) {
    uint64_t sibling = 0;
    for (const Step& step : shape.steps) {
      uint64_t bytes = step.bytes;
      switch (step.kind) {
        case Step::Kind::fixed:
          if (step.is_sibling) sibling = number_at(step.bytes);
          break;
        case Step::Kind::leb:
          bytes = 0;
          if (const uint64_t value = leb(); step.is_sibling) sibling = value;
          break;
        case Step::Kind::text:
          bytes = strnlen(at_, left()) + uint64_t{1};
          break;
        case Step::Kind::block:
          bytes += number_at(step.bytes);
          break;
        case Step::Kind::block_leb:
          bytes = leb();
          break;
        case Step::Kind::unknown:
          return false;
      }
      if (bytes > left()) return false;
      at_ += bytes;
    }
    // only forwards, or a hostile unit would loop for ever
    if (shape.has_children && !shape.holds_functions &&
        sibling > static_cast<uint64_t>(at_ - start_) &&
        sibling < static_cast<uint64_t>(end_ - start_))
      at_ = start_ + sibling;
    return true;
  }

  uint64_t leb() {
    uint64_t out = 0;
    for (unsigned shift = 0; at_ < end_; shift += 7) {
      const auto byte = static_cast<unsigned char>(*at_++);
      if (shift < 64) out |= uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) break;
    }
    return out;
  }

  // 0 when the unit ends before the number does.
  uint64_t number_at(size_t bytes) const {
    uint64_t out = 0;
    if (bytes > sizeof out || bytes > left()) return 0;
    for (size_t i = 0; i < bytes; ++i) {
      const auto byte = static_cast<unsigned char>(at_[i]);
      out |= uint64_t{byte} << 8 * (big_endian_ ? bytes - 1 - i : i);
    }
    return out;
  }

  const Dwarf_Die unit_;
  DwarfBudget& budget_;
  UnitForm form_;
  bool big_endian_ = false;
  const char *start_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::vector<Shape> shapes_;  // by the abbreviation's number
  std::unordered_map<uint64_t, Shape> others_;
};

}  // namespace

std::vector<Dwarf_Die> functions_with_code(const Dwarf_Die& unit, DwarfBudget& budget) {
  Entries entries(unit, budget);
  return budget.spend(entries.left()) ? entries.functions() : std::vector<Dwarf_Die>();
}

}  // namespace aiflame
