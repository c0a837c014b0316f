// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/iga_listing.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/objects/code_listing.h"

namespace aiflame {
namespace {

constexpr size_t kMaxTargets = 3;  // per instruction, by iga/kv.h

std::string_view skip_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

// Takes the text up to the next blank.
std::string_view take_word(std::string_view& text) {
  text = skip_blanks(text);
  size_t end = 0;
  while (end < text.size() && !is_blank(text[end])) ++end;
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// `/* [01D0]  */`
std::optional<uint32_t> take_offset(std::string_view& line) {
  if (!take_prefix(line, "/* [")) return std::nullopt;
  const size_t end = line.find(']'), comment = line.find("*/");
  if (end == std::string_view::npos || comment == std::string_view::npos || comment < end)
    return std::nullopt;
  const auto offset = parse_number<uint32_t>(line.substr(0, end), 16);
  line.remove_prefix(comment + 2);
  return offset;
}

bool is_operator(char c) {
  return std::string_view(".()&|^~_").find(c) != std::string_view::npos;
}

// `bfn.(s0&s1|s2)` and `dpas.8x8` are mnemonics.
bool is_mnemonic(std::string_view word) {
  for (const char c : word)
    if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !is_operator(c)) return false;
  return !word.empty() && word.front() >= 'a' && word.front() <= 'z';
}

// The bit of `$4`, `$4.dst`, …; `kind` is the text after the number.
uint32_t token(std::string_view word, std::string_view& kind) {
  if (!take_prefix(word, "$")) return 0;
  const size_t end = std::min(word.find('.'), word.size());
  const auto number = parse_number<uint32_t>(word.substr(0, end));
  kind = word.substr(end);
  return number && *number < 32 ? uint32_t{1} << *number : 0;
}

template <typename Visit>
void each_item(std::string_view list, const Visit& visit) {
  for (;;) {
    const size_t comma = list.find(',');
    visit(list.substr(0, comma));
    if (comma == std::string_view::npos) return;
    list.remove_prefix(comma + 1);
  }
}

// `{Compacted,A@1,$2.dst}`; a token without a suffix is taken.
void read_options(std::string_view options, IgaInstruction& out) {
  each_item(options, [&](std::string_view option) {
    std::string_view kind;
    const uint32_t bit = token(option, kind);
    if (kind.empty()) out.sets |= bit;
    if (kind == ".dst") out.waits_done |= bit;
    if (kind == ".src") out.waits_read |= bit;
    if (option == "EOT") out.falls_through = false;
  });
}

// The tokens that a sync waits for: `sync.allwr ($4,$6)` these two, `sync.allrd null` all.
uint32_t synced(std::string_view operand) {
  if (operand == "null") return UINT32_MAX;
  if (const auto mask = take_prefix(operand, "0x") ? parse_hex(operand) : std::nullopt; mask)
    return static_cast<uint32_t>(*mask);
  if (!take_prefix(operand, "(") || !operand.ends_with(')')) return 0;
  operand.remove_suffix(1);
  uint32_t out = 0;
  each_item(operand, [&](std::string_view item) {
    std::string_view kind;
    out |= token(item, kind);
  });
  return out;
}

// A label is named after its offset in decimal: L504.
void read_targets(std::string_view operands, IgaInstruction& out) {
  for (std::string_view word = take_word(operands); !word.empty(); word = take_word(operands))
    if (take_prefix(word, "L") && out.targets.size() < kMaxTargets)
      if (const auto target = parse_number<uint32_t>(word); target) out.targets.push_back(*target);
}

std::optional<IgaInstruction> read_line(std::string_view line) {
  IgaInstruction out;
  const auto offset = take_offset(line);
  if (!offset) return std::nullopt;
  out.offset = *offset;
  line = line.substr(0, line.find("//"));
  line = skip_blanks(line);
  bool conditional = false;
  if (line.starts_with('(')) {  // (W), (W&~f1.0), (f0.0.any16h)
    const size_t end = std::min(line.find(')'), line.size() - 1);
    conditional = line.substr(0, end).find('f') != std::string_view::npos;
    out.guard = single_spaced(line.substr(0, end + 1));
    line.remove_prefix(end + 1);
  }
  const std::string_view word = take_word(line);
  if (!is_mnemonic(word)) return out;
  if (word != "illegal") out.operands = single_spaced(line);
  if (const size_t open = line.rfind('{'); open != std::string_view::npos) {
    const std::string_view options = line.substr(open + 1);
    read_options(options.substr(0, options.find('}')), out);
    line = line.substr(0, open);
  }
  // IGA prints this for code that it cannot decode, and for the padding at the end.
  if (word == "illegal") {
    out.falls_through = false;
    return out;
  }
  out.mnemonic = word;
  if (word == "sync.allrd" || word == "sync.allwr") {
    const uint32_t tokens = synced(take_word(line));
    (word == "sync.allwr" ? out.waits_done : out.waits_read) |= tokens;
    out.waits_for_all = tokens == UINT32_MAX;
  }
  read_targets(line, out);
  // A join continues once some channels have arrived, a call once it has returned: both fall
  // through.
  const std::string_view operation = word.substr(0, word.find('.'));
  const bool leaves = operation == "jmpi" || operation == "goto" || operation == "ret" ||
                      operation == "brd" || operation == "brc";
  if (leaves && !conditional) out.falls_through = false;
  return out;
}

}  // namespace

std::vector<IgaInstruction> parse_iga_listing(std::string_view listing) {
  std::vector<IgaInstruction> out;
  bool sorted = true;
  while (!listing.empty()) {
    const size_t newline = std::min(listing.find('\n'), listing.size());
    if (auto instruction = read_line(listing.substr(0, newline))) {
      sorted = sorted && (out.empty() || out.back().offset < instruction->offset);
      out.push_back(std::move(*instruction));
    }
    listing.remove_prefix(std::min(newline + 1, listing.size()));
  }
  if (sorted) return out;
  const auto by_offset = [](const IgaInstruction& a, const IgaInstruction& b) {
    return a.offset < b.offset;
  };
  std::stable_sort(out.begin(), out.end(), by_offset);
  const auto same = [](const IgaInstruction& a, const IgaInstruction& b) {
    return a.offset == b.offset;
  };
  out.erase(std::unique(out.begin(), out.end(), same), out.end());
  return out;
}

std::string operands_in_hex(const IgaInstruction& instruction) {
  if (instruction.targets.empty()) return instruction.operands;
  std::string out;
  std::string_view rest = instruction.operands;
  for (std::string_view word = take_word(rest); !word.empty(); word = take_word(rest)) {
    if (!out.empty()) out += ' ';
    const auto target = word[0] == 'L' ? parse_number<uint32_t>(word.substr(1)) : std::nullopt;
    out += target ? format("0x%x", *target) : std::string(word);
  }
  return out;
}

const IgaInstruction* instruction_at(const std::vector<IgaInstruction>& code, uint64_t offset) {
  auto next =
      std::upper_bound(code.begin(), code.end(), offset,
                       [](uint64_t at, const IgaInstruction& each) { return at < each.offset; });
  // instructions are 8 or 16 bytes long
  return next == code.begin() || offset - std::prev(next)->offset >= 16 ? nullptr
                                                                        : &*std::prev(next);
}

}  // namespace aiflame
