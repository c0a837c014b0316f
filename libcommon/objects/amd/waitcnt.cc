// SPDX-License-Identifier: MIT
#include "libcommon/objects/amd/waitcnt.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "libcommon/base/parse.h"
#include "libcommon/text/text_match.h"

namespace aiflame {
namespace {

constexpr uint8_t bit(AmdCounter counter) {
  return static_cast<uint8_t>(1U << static_cast<unsigned>(counter));
}

void wait(AmdUse& use, AmdCounter counter, uint64_t left) {
  uint8_t& leaves = use.leaves[static_cast<size_t>(counter)];
  leaves = std::min(leaves, static_cast<uint8_t>(std::min<uint64_t>(left, CounterUse::kAny)));
}

// "12", "0xc"
std::optional<uint64_t> number(std::string_view text) {
  return take_prefix(text, "0x") ? parse_hex(text) : parse_number<uint64_t>(text);
}

constexpr struct {
  std::string_view name;
  AmdCounter counter;
} kCounters[] = {
    {"vmcnt", AmdCounter::load},       {"vscnt", AmdCounter::store},
    {"lgkmcnt", AmdCounter::lds},      {"expcnt", AmdCounter::exports},
    {"loadcnt", AmdCounter::load},     {"storecnt", AmdCounter::store},
    {"dscnt", AmdCounter::lds},        {"kmcnt", AmdCounter::scalar},
    {"samplecnt", AmdCounter::sample}, {"bvhcnt", AmdCounter::bvh},
};

std::optional<AmdCounter> counter_of(std::string_view name) {
  const auto* found = std::find_if(std::begin(kCounters), std::end(kCounters),
                                   [&](const auto& each) { return each.name == name; });
  return found == std::end(kCounters) ? std::nullopt : std::optional(found->counter);
}

void wait_for_all(AmdUse& use) {
  use.leaves.fill(0);
}

// s_waitcnt: `vmcnt(0) lgkmcnt(0)`, perhaps with & between them; 0 of all where it is a number.
void read_waitcnt(std::string_view operands, AmdUse& use) {
  if (number(operands) == 0) wait_for_all(use);
  while (!operands.empty()) {
    const size_t open = operands.find('('), close = operands.find(')', open);
    if (close == std::string_view::npos) return;
    std::string_view name = operands.substr(0, open);
    name.remove_prefix(std::min(name.size(), name.find_first_not_of(" &,")));
    const auto counter = counter_of(name);
    const auto left = number(operands.substr(open + 1, close - open - 1));
    if (counter && left) wait(use, *counter, *left);
    operands.remove_prefix(close + 1);
  }
}

// s_waitcnt_vscnt null, 0x0; s_wait_loadcnt 0x0; s_wait_loadcnt_dscnt 0x100: bits 8-13 and 0-5
void read_wait(std::string_view name, std::string_view operands, AmdUse& use) {
  const size_t comma = operands.rfind(", ");
  if (comma != std::string_view::npos) operands.remove_prefix(comma + 2);
  const auto left = number(operands);
  if (!left) return;
  const size_t second = name.find('_');
  const auto counter = counter_of(name.substr(0, second));
  if (!counter) return;
  if (second == std::string_view::npos) {
    wait(use, *counter, *left);
    return;
  }
  wait(use, *counter, *left >> 8 & 0x3f);
  if (const auto other = counter_of(name.substr(second + 1)); other)
    wait(use, *other, *left & 0x3f);
}

bool is_vector_memory(std::string_view name) {
  constexpr std::string_view kFamilies[] = {"global_",  "flat_",  "buffer_",
                                            "scratch_", "image_", "tbuffer_"};
  // the caches' own instructions are not counted, but for writing them back
  const bool of_caches =
      contains(name, "_inv") || contains(name, "wbinv") || contains(name, "prefetch");
  return !of_caches && std::any_of(std::begin(kFamilies), std::end(kFamilies),
                                   [&](std::string_view each) { return name.starts_with(each); });
}

AmdCounter counter_of_vector_memory(std::string_view name, std::string_view operands,
                                    unsigned generation) {
  if (generation < 10) return AmdCounter::load;
  const bool returns = contains(operands, " glc") || contains(operands, "ATOMIC_RETURN");
  if (contains(name, "_store") || contains(name, "_wb") || (contains(name, "_atomic") && !returns))
    return AmdCounter::store;
  if (generation < 12) return AmdCounter::load;
  if (name.starts_with("image_bvh")) return AmdCounter::bvh;
  if (name.starts_with("image_sample") || name.starts_with("image_gather") ||
      name.starts_with("image_msaa"))
    return AmdCounter::sample;
  return AmdCounter::load;
}

bool is_scalar_memory(std::string_view name) {
  constexpr std::string_view kFamilies[] = {
      "s_load_", "s_buffer_load_", "s_scratch_", "s_store_",  "s_buffer_", "s_atomic_",
      "s_atc_",  "s_memtime",      "s_memreal",  "s_dcache_", "s_sendmsg", "s_get_waveid"};
  return std::any_of(std::begin(kFamilies), std::end(kFamilies),
                     [&](std::string_view each) { return name.starts_with(each); });
}

bool is_branch(std::string_view name) {
  return name == "s_branch" || name.starts_with("s_cbranch");
}

Flow flow_of(const std::vector<ListedInstruction>& code) {
  Flow out;
  for (uint32_t i = 0; i < code.size(); ++i) {
    const std::string& name = code[i].mnemonic;
    if (const auto to = is_branch(name) ? target_of(code, code[i].operands) : std::nullopt; to)
      out.jumps.push_back({i, *to});
    const bool calls = name.starts_with("s_swappc") || name.starts_with("s_call");
    const bool leaves = name.empty() || name == "s_branch" || name.starts_with("s_setpc") ||
                        calls || name.starts_with("s_rfe") || name.starts_with("s_endpgm");
    out.falls_through.push_back(!leaves);
    out.comes_back.push_back(calls);
  }
  return out;
}

}  // namespace

bool AmdUse::waits() const {
  return std::any_of(leaves.begin(), leaves.end(),
                     [](uint8_t left) { return left != CounterUse::kAny; });
}

std::optional<uint64_t> amd_jump(std::string_view mnemonic, std::string_view operands,
                                 uint64_t next) {
  const auto units = is_branch(mnemonic) ? number(operands) : std::nullopt;
  if (!units) return std::nullopt;
  return next + static_cast<uint64_t>(int64_t{static_cast<int16_t>(*units)} * 4);
}

unsigned amd_generation(std::string_view processor) {
  if (!take_prefix(processor, "gfx")) return 0;
  // the last two characters are the minor version and the stepping
  const size_t dash = processor.find('-');
  const std::string_view major = dash != std::string_view::npos ? processor.substr(0, dash)
                                 : processor.size() > 2 ? processor.substr(0, processor.size() - 2)
                                                        : "";
  return parse_number<unsigned>(major).value_or(0);
}

AmdUse amd_use(std::string_view mnemonic, std::string_view operands, unsigned generation) {
  AmdUse out;
  std::string_view name = mnemonic;
  if (name == "s_waitcnt") {
    read_waitcnt(operands, out);
  } else if (name == "s_wait_idle") {
    wait_for_all(out);
  } else if (take_prefix(name, "s_waitcnt_") || take_prefix(name, "s_wait_")) {
    read_wait(name, operands, out);
  } else if (is_vector_memory(name)) {
    out.counts = bit(counter_of_vector_memory(name, operands, generation));
    if (name.starts_with("flat_")) out.counts |= bit(AmdCounter::lds);
    out.in_order = !name.starts_with("flat_");
  } else if (name.starts_with("lds_") || name.starts_with("ds_param_load") ||
             name.starts_with("ds_direct_load")) {
    out.counts = bit(AmdCounter::exports);
  } else if (name.starts_with("ds_")) {
    out.counts = bit(AmdCounter::lds);
  } else if (is_scalar_memory(name)) {
    out.counts = bit(generation < 12 ? AmdCounter::lds : AmdCounter::scalar);
    out.in_order = false;
  } else if (name == "exp" || name.starts_with("export")) {
    out.counts = bit(AmdCounter::exports);
    out.in_order = false;
  }
  return out;
}

AmdCode::AmdCode(const std::vector<ListedInstruction>& code, unsigned generation)
    : flow_(flow_of(code)) {
  uses_.reserve(code.size());
  for (const ListedInstruction& each : code)
    uses_.push_back(amd_use(each.mnemonic, each.operands, generation));
}

std::vector<uint32_t> AmdCode::producers(uint32_t index) const {
  std::vector<uint32_t> out;
  if (index >= uses_.size()) return out;
  for (size_t counter = 0; counter < kAmdCounters; ++counter) {
    const uint8_t leaves = uses_[index].leaves[counter];
    if (leaves == CounterUse::kAny) continue;
    const std::vector<uint32_t> found = awaited(flow_, index, leaves, [&](uint32_t each) {
      const AmdUse& its = uses_[each];
      return CounterUse{its.leaves[counter], (its.counts >> counter & 1) != 0, its.in_order};
    });
    out.insert(out.end(), found.begin(), found.end());
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace aiflame
