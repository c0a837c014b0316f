// SPDX-License-Identifier: MIT
#include "libcommon/objects/intel/eu_registers.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "libcommon/base/parse.h"

namespace aiflame {
namespace {

constexpr unsigned kMaxChannels = 32;
constexpr unsigned kMaxRegister = 255;
constexpr unsigned kMaxLength = 31;  // of a message, in registers

std::string_view take_word(std::string_view& text) {
  const size_t blank = std::min(text.find(' '), text.size());
  const std::string_view out = text.substr(0, blank);
  text.remove_prefix(std::min(blank + 1, text.size()));
  return out;
}

// Bytes of a type; 0: unknown.
unsigned size_of(std::string_view type) {
  constexpr struct {
    std::string_view name;
    unsigned size;
  } kTypes[] = {{"b", 1},  {"ub", 1},   {"bf8", 1}, {"hf8", 1}, {"w", 2},
                {"uw", 2}, {"hf", 2},   {"bf", 2},  {"d", 4},   {"ud", 4},
                {"f", 4},  {"tf32", 4}, {"q", 8},   {"uq", 8},  {"df", 8}};
  for (const auto& each : kTypes)
    if (each.name == type) return each.size;
  return 0;
}

// `r12.4<8;8,1>:f` without what modifies it. Strides are in units of the type.
struct Operand {
  enum { nothing, direct, unknown } what = nothing;
  RegisterKind kind = RegisterKind::general;
  unsigned number = 0, sub = 0, type = 0;
  unsigned length = 0;  // of `r26:2`, a send's: registers
  unsigned strides = 0, stride[3] = {};
};

// What the text begins with: `r`, `acc`, `a`, or a register that is not followed (null, cr, sr, ip,
// an immediate).
bool take_name(std::string_view& text, Operand& out) {
  if (take_prefix(text, "acc")) {
    out.kind = RegisterKind::accumulator;
  } else if (text.size() > 1 && text[0] == 'a' && is_digit(text[1])) {
    text.remove_prefix(1);
    out.kind = RegisterKind::address;
  } else if (text.size() > 1 && text[0] == 'r' && (is_digit(text[1]) || text[1] == '[')) {
    text.remove_prefix(1);
  } else {
    return false;
  }
  return true;
}

void read_region(std::string_view& text, Operand& out) {
  if (!take_prefix(text, "<")) return;
  while (out.strides < 3) {
    const auto stride = take_number(text);
    if (!stride) break;
    out.stride[out.strides++] = std::min(*stride, 64u);
    if (text.empty() || (text[0] != ';' && text[0] != ',')) break;
    text.remove_prefix(1);
  }
  if (!take_prefix(text, ">")) out.what = Operand::unknown;
}

Operand read_operand(std::string_view text) {
  Operand out;
  for (bool more = true; more;) {
    more = false;
    for (const std::string_view modifier : {"-", "~", "(abs)", "(sat)"})
      more = more || take_prefix(text, modifier);
  }
  if (!take_name(text, out)) return out;
  out.what = Operand::direct;
  const auto number = take_number(text);
  if (!number || *number > kMaxRegister) {  // r[a0.0,16]: anywhere
    out.what = Operand::unknown;
    return out;
  }
  out.number = *number;
  if (take_prefix(text, ".")) {
    // r24.mme0:df, r11.nomme:df of madm, which divides: whole registers
    if (const size_t mark = text.find("mme"); mark <= 2) {
      text.remove_prefix(std::min(text.find(':'), text.size()));
      out.strides = out.stride[0] = 1;
    }
    out.sub = std::min(take_number(text).value_or(0), 255u);
  }
  read_region(text, out);
  if (!take_prefix(text, ":")) return out;
  if (const auto length = text.empty() || !is_digit(text[0]) ? std::nullopt : take_number(text);
      length)
    out.length = std::min(*length, kMaxLength);
  else
    out.type = size_of(text);
  return out;
}

class Reader {
 public:
  Reader(const IgaInstruction& instruction, unsigned register_size);

  RegisterUse use();

 private:
  void read_guard();
  void read_condition(std::string_view word);
  void send();
  void dpas();
  void region(std::vector<RegisterRange>& to, const Operand& operand);
  void registers(std::vector<RegisterRange>& to, const Operand& operand, unsigned count);
  void bytes(std::vector<RegisterRange>& to, const Operand& operand, unsigned from, unsigned count);
  void flags(std::vector<RegisterRange>& to, std::string_view name, unsigned channels);

  const IgaInstruction& instruction_;
  const unsigned size_;
  std::string_view operation_;                 // `send` of send.ugm
  unsigned channels_ = 1, first_channel_ = 0;  // (16|M16)
  std::vector<std::string_view> words_;        // the operands
  size_t operand_ = 0;                         // where the ranges of the present operand begin
  RegisterUse out_;
};

// `(16|M0) (gt)f0.0 r12.0<1>:f … {$1.dst}`
Reader::Reader(const IgaInstruction& instruction, unsigned register_size)
    : instruction_(instruction), size_(register_size) {
  operation_ = std::string_view(instruction.mnemonic);
  operation_ = operation_.substr(0, operation_.find('.'));
  out_.known = true;
  std::string_view text = instruction.operands;
  text = text.substr(0, text.find('{'));
  if (take_prefix(text, "(")) {
    std::string_view channels = take_word(text);
    channels_ = std::min(take_number(channels).value_or(1), kMaxChannels);
    if (take_prefix(channels, "|M")) first_channel_ = take_number(channels).value_or(0);
  }
  read_guard();
  // a send has six; text that only looks like IGA's may have any number
  constexpr int kMostWords = 8;
  for (int seen = 0; !text.empty() && seen < kMostWords;) {
    const std::string_view word = take_word(text);
    if (word.empty()) continue;
    ++seen;
    const size_t close = word.find(')');
    // (gt)f0.0, but not (abs)r1.0
    if (word.front() == '(' && close != std::string_view::npos && close + 1 < word.size() &&
        word[close + 1] == 'f')
      read_condition(word.substr(close + 1));
    else
      words_.push_back(word);
  }
}

// 32 channels have a whole flag register, and (16|M16) its upper half.
void Reader::flags(std::vector<RegisterRange>& to, std::string_view name, unsigned channels) {
  if (!take_prefix(name, "f")) return;
  const auto number = take_number(name);
  if (!number || *number > kMaxRegister) return;
  unsigned sub = 0;
  if (take_prefix(name, ".") && !name.empty() && is_digit(name[0]))
    sub = std::min(take_number(name).value_or(0), 1u);
  if (first_channel_ >= 16) sub = 1;
  to.push_back({RegisterKind::flags, *number * 2 + sub, channels > 16 && sub == 0 ? 2u : 1u});
}

// (W&~f0.0.any32h)
void Reader::read_guard() {
  const std::string_view guard = instruction_.guard;
  const size_t flag = guard.find('f');
  if (flag == std::string_view::npos) return;
  flags(out_.reads, guard.substr(flag), channels_);
  out_.conditional = operation_ != "sel" && operation_ != "csel";
}

// sel.ge chooses by a condition without a flag, and with one by its predicate.
void Reader::read_condition(std::string_view word) {
  if (operation_ == "csel")
    flags(out_.reads, word, channels_);
  else if (operation_ != "sel")
    flags(out_.writes, word, channels_);
}

void Reader::bytes(std::vector<RegisterRange>& to, const Operand& operand, unsigned from,
                   unsigned count) {
  const unsigned first = operand.number * size_ + from;
  if (count == 0) return;
  if (to.size() > operand_ && to.back().kind == operand.kind &&
      to.back().first + to.back().count == first)
    to.back().count += count;
  else
    to.push_back({operand.kind, first, count});
}

// <1> of a destination or the third source of three; <1;0> of the others; <8;8,1>. What lies
// between strided elements is left alone.
void Reader::region(std::vector<RegisterRange>& to, const Operand& operand) {
  operand_ = to.size();
  if (operand.what == Operand::nothing) return;
  if (operand.what == Operand::unknown || operand.type == 0) {
    out_.known = false;
    return;
  }
  unsigned vertical = 0, width = kMaxChannels, horizontal = operand.stride[0];
  if (operand.strides == 3) {
    vertical = operand.stride[0];
    width = std::max(operand.stride[1], 1u);
    horizontal = operand.stride[2];
  } else if (operand.strides == 2) {
    vertical = operand.stride[0];
    horizontal = operand.stride[1];
    width = horizontal == 0 ? 1 : std::max(vertical / horizontal, 1u);
  }
  std::vector<unsigned> elements;
  for (unsigned i = 0; i < channels_; ++i)
    elements.push_back(operand.sub + i / width * vertical + i % width * horizontal);
  std::sort(elements.begin(), elements.end());
  elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
  for (const unsigned each : elements) bytes(to, operand, each * operand.type, operand.type);
}

void Reader::registers(std::vector<RegisterRange>& to, const Operand& operand, unsigned count) {
  operand_ = to.size();
  if (operand.what == Operand::unknown) out_.known = false;
  if (operand.what == Operand::direct) bytes(to, operand, 0, count * size_);
}

// send.ugm (32|M0) DST SRC0 SRC1:n EXTENDED DESCRIPTOR
void Reader::send() {
  constexpr size_t kWords = 5;
  if (words_.size() != kWords) {
    out_.known = false;
    return;
  }
  const Operand to = read_operand(words_[0]), from = read_operand(words_[1]),
                more = read_operand(words_[2]);
  std::string_view number = words_[4];
  const auto descriptor = take_prefix(number, "0x") ? parse_hex(number) : std::nullopt;
  if (!descriptor) out_.known = false;  // it is in a0.0: the lengths are not known
  for (const size_t i : {size_t{3}, size_t{4}})
    if (Operand address = read_operand(words_[i]); address.kind == RegisterKind::address)
      out_.reads.push_back({address.kind, address.sub * 4, 4});
  registers(out_.reads, from, descriptor ? static_cast<unsigned>(*descriptor >> 25 & 0xf) : 1);
  registers(out_.reads, more, more.length);
  registers(out_.writes, to, descriptor ? static_cast<unsigned>(*descriptor >> 20 & 0x1f) : 1);
}

// dpas.8x4 multiplies systolic depth 8 and has 4 rows: D = SRC0 + SRC1 * SRC2.
void Reader::dpas() {
  std::string_view shape = instruction_.mnemonic;
  shape.remove_prefix(std::min(shape.find('.') + 1, shape.size()));
  const auto depth = take_number(shape);
  const auto rows = take_prefix(shape, "x") ? take_number(shape) : std::nullopt;
  if (!depth || !rows || *depth > 8 || *rows > 8 || words_.size() != 4) {
    out_.known = false;
    return;
  }
  const auto take = [&](std::vector<RegisterRange>& to, size_t index, unsigned count) {
    const Operand operand = read_operand(words_[index]);
    if (operand.what == Operand::unknown) out_.known = false;
    if (operand.what != Operand::direct) return;
    const unsigned size = index < 2 ? operand.type : 4;
    operand_ = to.size();
    bytes(to, operand, operand.sub * std::max(operand.type, 1u), count * size);
  };
  take(out_.writes, 0, *rows * channels_);
  take(out_.reads, 1, *rows * channels_);
  take(out_.reads, 2, *depth * channels_);
  take(out_.reads, 3, *depth * *rows);
}

RegisterUse Reader::use() {
  if (instruction_.mnemonic.empty()) {
    out_.known = false;
    return std::move(out_);
  }
  if (operation_.starts_with("send")) {
    send();
    return std::move(out_);
  }
  if (operation_ == "dpas" || operation_ == "dpasw") {
    dpas();
    return std::move(out_);
  }
  // the accumulator is not named: mul acc0, macl r10 make a product of 32 bits
  const Operand accumulator{Operand::direct, RegisterKind::accumulator, 0, 0, 4, 0, 1, {1, 0, 0}};
  const bool reads_accumulator =
      operation_ == "macl" || operation_ == "mach" || operation_ == "mac";
  if (reads_accumulator) region(out_.reads, accumulator);
  if (operation_ == "mach" || operation_ == "addc" || operation_ == "subb")
    region(out_.writes, accumulator);
  const bool only_reads =
      operation_ == "ret" || operation_ == "jmpi" || operation_ == "wait" || operation_ == "sync";
  for (size_t i = 0; i < words_.size(); ++i) {
    const Operand operand = read_operand(words_[i]);
    const bool written = i == 0 && !only_reads;
    region(written ? out_.writes : out_.reads, operand);
    if (std::string_view flag = words_[i]; flag.size() > 1 && flag[0] == 'f' && is_digit(flag[1]))
      flags(written ? out_.writes : out_.reads, flag.substr(0, flag.find('<')), channels_);
  }
  return std::move(out_);
}

// LSC messages have their operation in bits 0-5 of the descriptor.
Operation send_operation(const IgaInstruction& instruction) {
  std::string_view name = instruction.mnemonic;
  std::string_view text = instruction.operands;
  const bool is_last = text.find("EOT") != std::string_view::npos;
  if (is_last) return Operation::control;
  text = text.substr(0, text.find(" {"));
  text.remove_prefix(std::min(text.rfind(' ') + 1, text.size()));
  const auto descriptor = take_prefix(text, "0x") ? parse_hex(text) : std::nullopt;
  const bool is_slm = name.ends_with(".slm"), is_lsc = is_slm || name.ends_with(".ugm") ||
                                                       name.ends_with(".ugml") ||
                                                       name.ends_with(".tgm");
  if (name.ends_with(".gtwy") || name.ends_with(".msgd")) return Operation::barrier;
  if (!descriptor) return Operation::unknown;
  if (is_lsc) {
    const uint64_t operation = *descriptor & 0x3f;
    if (operation == 0x1f) return Operation::barrier;
    if (operation >= 8) return Operation::atomic;
    if (operation >= 4) return Operation::store;
    return is_slm ? Operation::local_load : Operation::load;
  }
  return (*descriptor >> 20 & 0x1f) != 0 ? Operation::load : Operation::store;
}

}  // namespace

RegisterUse eu_registers(const IgaInstruction& instruction, unsigned register_size) {
  return Reader(instruction, register_size).use();
}

Operation eu_operation(const IgaInstruction& instruction) {
  const std::string_view name = instruction.mnemonic;
  if (name.empty()) return Operation::unknown;
  if (name.starts_with("send")) return send_operation(instruction);
  if (name == "sync.bar" || name == "sync.host" || name == "wait") return Operation::barrier;
  if (name.starts_with("sync") || !instruction.targets.empty() || name == "ret")
    return Operation::control;
  if (name.starts_with("math") || name.starts_with("dpas")) return Operation::slow_arithmetic;
  return Operation::arithmetic;
}

unsigned eu_register_size(std::string_view platform) {
  return platform == "xehpc" || platform.starts_with("xe2") || platform.starts_with("xe3") ? 64
                                                                                           : 32;
}

}  // namespace aiflame
