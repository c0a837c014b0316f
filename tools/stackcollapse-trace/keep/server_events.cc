// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/server_events.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "libcommon/base/parse.h"

namespace aiflame::trace {
namespace {

// Larger ones are nonsense, and their products would not fit.
constexpr uint64_t kMost = uint64_t{1} << 31;

// Cuts "KEY" and the digits behind it off the front.
std::string_view take_number(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key)) return {};
  const std::string_view rest = text.substr(key.size());
  const size_t end = std::min(rest.find_first_not_of("0123456789"), rest.size());
  if (end == 0) return {};
  text = rest.substr(end);
  return rest.substr(0, end);
}

// bs4_seq128_ctx0_graphsT; some have no ctx, and some "multimodal" before "graphs".
std::string parse_bucket(std::string_view text, bool& decodes) {
  const std::string_view batch = take_number(text, "bs");
  const std::string_view sequence = take_number(text, "_seq");
  if (batch.empty() || sequence.empty()) return {};
  decodes = sequence == "1";
  std::string out = "batch " + std::string(batch) + ", sequence " + std::string(sequence);
  const std::string_view context = take_number(text, "_ctx");
  if (!context.empty()) out += ", context " + std::string(context) + " blocks";
  if (text.ends_with("_graphsT")) out += ", graphs on";
  if (text.ends_with("_graphsF")) out += ", graphs off";
  return out;
}

// compute_logits4_seq128_ctx0, without a "bs"
std::string_view without_numbers(std::string_view name) {
  const size_t digits = name.find_first_of("0123456789");
  if (digits == std::string_view::npos || digits == 0) return name;
  std::string_view rest = name.substr(digits);
  return take_number(rest, "").empty() || !rest.starts_with("_seq") ? name : name.substr(0, digits);
}

Phase phase_of(std::string_view name) {
  if (name.find("prompt") != std::string_view::npos || name == "prefill") return Phase::prefill;
  return name.find("decode") != std::string_view::npos ? Phase::decode : Phase::unknown;
}

// Real tokens by their share in those of the bucket: "0.3828125".
std::optional<uint64_t> tokens_of(const std::string& share, uint64_t bucket_tokens) {
  double value = 0;
  const char* end = share.data() + share.size();
  if (std::from_chars(share.data(), end, value).ptr != end || share.empty()) return std::nullopt;
  if (!(value >= 0 && value <= 1)) return std::nullopt;
  return static_cast<uint64_t>(std::llround(value * static_cast<double>(bucket_tokens)));
}

bool is_size(uint64_t number) {
  return number > 0 && number < kMost;
}

}  // namespace

ServerEvent parse_server_event(std::string_view name) {
  using Kind = ServerEvent::Kind;
  ServerEvent out;
  out.name = name;
  if (take_prefix(name, "GRAPH COMPILE: ")) {
    out.kind = Kind::compile;
    out.name = name;
  } else if (name == "warmup") {
    out.kind = Kind::warm_up;
  } else if (name == "prefill" || name == "prompt" || name == "decode") {
    out.kind = Kind::phase;
    out.phase = phase_of(name);
  } else if (const size_t at = name.find("_bs"); at != std::string_view::npos) {
    bool decodes = false;
    out.bucket = parse_bucket(name.substr(at + 1), decodes);
    if (out.bucket.empty()) return out;
    out.name = name.substr(0, at);
    out.phase = phase_of(out.name);
    // of other events, such as sample_prompt_bs4_seq128_ctx0, "graphs" is not known
    if (!out.name.starts_with("model_") && !out.name.starts_with("warmup_")) {
      out.bucket.clear();
      return out;
    }
    out.kind = Kind::model;
    // model_forward: prompts are longer than a token
    if (out.phase == Phase::unknown) out.phase = decodes ? Phase::decode : Phase::prefill;
  } else {
    out.name = without_numbers(name);
  }
  return out;
}

bool is_server_event(std::string_view name) {
  const ServerEvent event = parse_server_event(name);
  return event.kind == ServerEvent::Kind::model || event.kind == ServerEvent::Kind::compile ||
         name == "warmup" || name == "prepare_input_tensors" || name == "model_executable";
}

std::optional<Batch> parse_batch(const Event& event) {
  if (event.name != "utils" || !event.start) return std::nullopt;
  Batch out;
  out.time = *event.start;
  const uint64_t prompts = event.number(NumberArg::prompt_bucket_batch);
  const uint64_t length = event.number(NumberArg::prompt_bucket_sequence);
  if (is_size(prompts) && is_size(length) && is_size(prompts * length)) {
    out.phase = Phase::prefill;
    out.bucket_tokens = prompts * length;
    const auto tokens = tokens_of(event.text(TextArg::prompt_utilization), out.bucket_tokens);
    if (!tokens) return std::nullopt;
    out.tokens = *tokens;
    return out;
  }
  // A sequence decodes one token at a time. vLLM's "decode_batch_token_utilization" is of the
  // tokens before it, too.
  out.phase = Phase::decode;
  out.tokens = event.number(NumberArg::decode_batch);
  out.bucket_tokens = event.number(NumberArg::decode_bucket_batch);
  if (!is_size(out.tokens) || !is_size(out.bucket_tokens)) return std::nullopt;
  out.tokens = std::min(out.tokens, out.bucket_tokens);
  return out;
}

}  // namespace aiflame::trace
