// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-rocprof/device_frames.h"

#include <algorithm>
#include <iterator>

#include "libcommon/base/parse.h"

namespace aiflame::rocprof {
namespace {

struct Issued {
  std::string_view type;
  std::string_view name;
};

// In the order of the numbers of rocprofiler_pc_sampling_instruction_type_t.
constexpr Issued kIssuedTypes[] = {
    {"NONE", "isu_unk"},         {"VALU", "isu_vec"},      {"MATRIX", "isu_matr"},
    {"SCALAR", "isu_sclr"},      {"TEX", "isu_tex"},       {"LDS", "isu_lds"},
    {"LDS_DIRECT", "isu_ldsd"},  {"FLAT", "isu_flat"},     {"EXPORT", "isu_xprt"},
    {"MESSAGE", "isu_mesg"},     {"BARRIER", "isu_bar"},   {"BRANCH_NOT_TAKEN", "isu_brnt"},
    {"BRANCH_TAKEN", "isu_brt"}, {"JUMP", "isu_jmp"},      {"OTHER", "isu_othr"},
    {"NO_INST", "isu_unk"},      {"DUAL_VALU", "isu_vec2"}};

std::string line_frame(std::string_view text, const NameRules& names) {
  const size_t colon = text.rfind(':');
  const auto line = colon == std::string_view::npos
                        ? std::nullopt
                        : parse_number<uint64_t>(text.substr(colon + 1));
  return line ? device_file_frame(text.substr(0, colon), *line, names)
              : device_file_frame(text, 0, names);
}

}  // namespace

std::vector<std::string> line_frames(std::string_view comment, const NameRules& names) {
  std::vector<std::string> out;
  // "Unrecognized code object id, physical virtual address of PC:N" is no file
  if (comment.starts_with("Unrecognized code object")) return out;
  constexpr std::string_view kInlined = " -> ";
  while (!comment.empty()) {
    const size_t end = std::min(comment.find(kInlined), comment.size());
    if (end > 0) out.push_back(line_frame(comment.substr(0, end), names));
    comment.remove_prefix(std::min(end + kInlined.size(), comment.size()));
  }
  std::reverse(out.begin(), out.end());
  return out;
}

std::string stall_frame(std::string_view reason) {
  take_prefix(reason, "ROCPROFILER_PC_SAMPLING_INSTRUCTION_NOT_ISSUED_REASON_");
  const bool known = !reason.empty() && reason != "NONE" && reason != "none";
  return reason_frame(known ? reason : "[unknown reason]");
}

std::string issue_frame(std::string_view type) {
  take_prefix(type, "ROCPROFILER_PC_SAMPLING_INSTRUCTION_");
  take_prefix(type, "TYPE_");
  const auto number = parse_number<size_t>(type);
  const auto* at = number && *number < std::size(kIssuedTypes)
                       ? kIssuedTypes + *number
                       : std::find_if(std::begin(kIssuedTypes), std::end(kIssuedTypes),
                                      [&](const Issued& one) { return one.type == type; });
  return reason_frame(at == std::end(kIssuedTypes) ? "isu_unk" : at->name);
}

std::string copy_name(std::string_view direction) {
  take_prefix(direction, "MEMORY_COPY_");
  std::string out = "Memcpy";
  const size_t to = direction.find("_TO_");
  // HOST_TO_DEVICE, DEVICE_TO_DEVICE, …: HtoD, as other programs write it
  if (to != std::string_view::npos && to > 0 && to + 4 < direction.size())
    out.append({' ', direction[0], 't', 'o', direction[to + 4]});
  return out;
}

}  // namespace aiflame::rocprof
