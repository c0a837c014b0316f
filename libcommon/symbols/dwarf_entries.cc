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

// An entry (DWARF 5, 7.5.2) is the LEB128 number of its abbreviation and the values of the
// attributes that this names, as long as their forms say (7.5.6):
//   2e                abbreviation 46: a function
//   c1 03 00 00       DW_AT_name, DW_FORM_strp: fixed
//   40 11 … 00 00     DW_AT_low_pc, DW_FORM_addr: fixed
//   01 9c             DW_AT_frame_base, DW_FORM_exprloc: LEB128 length, bytes
//   e7 2a 00 00       DW_AT_sibling, DW_FORM_ref4: where in the unit its neighbour is
// then its children, and a zero behind the last. What follows is of the same abbreviation, or
// another: the attributes' names and forms are looked up once for each.
struct Step {
  enum class Kind : uint8_t { fixed, leb, text, block, block_leb, unknown };
  Kind kind;
  uint32_t bytes;           // of fixed: in all; of block: of the length in front
  bool is_sibling = false;  // stands alone then
};

struct Shape {
  bool known = false;
  std::vector<Step> steps;
  bool has_children = false;
  bool is_function = false;      // with code
  bool holds_functions = false;  // or may
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
    case DW_FORM_ref_addr:  // DWARF 2 had it as long as an address
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
    default:  // of DW_FORM_indirect each entry says its own; nobody writes it
      return {Kind::unknown, 0};
  }
}

// A lambda that becomes a pointer has a function with code in a type in a function without.
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
  explicit Entries(const Dwarf_Die& unit) : unit_(unit) {
    Dwarf_Die die = unit;
    Dwarf* const dwarf = dwarf_cu_getdwarf(die.cu);
    Dwarf_Die own;
    Dwarf_Off next = 0;
    const Dwarf_Off inside = dwarf_cuoffset(&die), start = dwarf_dieoffset(&die) - inside;
    Dwarf_Die last;
    // a unit that claims to go on behind the section is damaged
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
      if (number == 0) continue;  // behind the last child
      Shape& shape = shape_of(number);
      if (!shape.known && !learn(die, shape)) break;
      if (shape.is_function) out.push_back(die);
      if (!skip(shape)) break;
    }
    return out;
  }

 private:
  // Abbreviations are numbered from 1, as a rule.
  Shape& shape_of(uint64_t number) {
    constexpr uint64_t kMostInRow = 4096;
    if (number >= kMostInRow) return others_[number];
    if (number >= shapes_.size()) shapes_.resize(number + 1);
    return shapes_[number];
  }

  // What an entry is that is the first of its abbreviation.
  bool learn(Dwarf_Die die, Shape& shape) const {
    const int tag = dwarf_tag(&die);
    if (tag == DW_TAG_invalid) return false;
    struct Learned {
      const UnitForm& form;
      Shape& shape;
      bool has_code = false;
    } learned{form_, shape};
    const auto take = [](Dwarf_Attribute* attribute, void* to) {
      auto& [form, out, has_code] = *static_cast<Learned*>(to);
      const unsigned int name = dwarf_whatattr(attribute), how = dwarf_whatform(attribute);
      Step step = step_of(how, form);
      has_code |= name == DW_AT_low_pc || name == DW_AT_ranges;
      // in the unit, not in the section
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
    if (dwarf_getattrs(&die, take, &learned, 0) == -1) return false;
    shape.known = true;
    shape.has_children = dwarf_haschildren(&die) == 1;
    shape.is_function = tag == DW_TAG_subprogram && learned.has_code;
    shape.holds_functions = may_hold_functions(tag);
    return true;
  }

  // To the next entry that may be a function or hold some. False: damaged.
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
    // forwards, or it would go round for ever
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

  // 0 where it is not whole.
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
  UnitForm form_;
  bool big_endian_ = false;
  const char *start_ = nullptr, *at_ = nullptr, *end_ = nullptr;
  std::vector<Shape> shapes_;  // by the abbreviation's number
  std::unordered_map<uint64_t, Shape> others_;
};

}  // namespace

std::vector<Dwarf_Die> functions_with_code(const Dwarf_Die& unit, DwarfBudget& budget) {
  Entries entries(unit);
  return budget.spend(entries.left()) ? entries.functions() : std::vector<Dwarf_Die>();
}

}  // namespace aiflame
