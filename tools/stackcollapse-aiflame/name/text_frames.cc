// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/text_frames.h"

#include "libcommon/base/parse.h"
#include "libcommon/perf_script/function_parameters.h"
#include "libcommon/symbols/demangle.h"
#include "tools/stackcollapse-aiflame/name/compiler_frames.h"

namespace aiflame::collapse {
namespace {

// Only files can have it: not [kernel.kallsyms], not /tmp/perf-7.map, and not perf's own `inlined`.
bool may_have_debug_information(std::string_view object) {
  return object.starts_with('/') && !object.ends_with(".map");
}

// The frame line with a demangled symbol, where a perf that cannot demangle has printed it:
//
//   5581 _RNvCs1234_2rs4main+0x10 (/home/u/rs)
//   5582 _ZN3foo3barE+0x10 (/home/u/rs)
//
// Otherwise empty. C++ names without an offset are those of a perf of before 2016, and stay, as
// they do in stackcollapse-perf.pl.
std::string demangled_line(std::string_view line) {
  constexpr std::string_view kStub = "@plt";
  ScriptFrame frame;
  if (!parse_frame(line, frame)) return "";
  std::string_view symbol = frame.symbol;
  if (!symbol.starts_with("_R") && !(symbol.starts_with("_Z") && frame.has_offset)) return "";
  const bool is_stub = symbol.ends_with(kStub);
  if (is_stub) symbol.remove_suffix(kStub.size());
  const std::string name = demangle(symbol, false);
  if (name == symbol) return "";
  FrameText text;
  if (!split_frame(line, text)) return "";
  // the offset only marks the preceding text as a symbol
  return std::string(text.address)
      .append(" ")
      .append(name)
      .append(is_stub ? kStub : "")
      .append("+0x0 (")
      .append(text.object)
      .append(")");
}

}  // namespace

std::string TextFrames::fold(std::string_view line, std::string_view root, std::string_view source,
                             bool reads_object, std::string_view build_id) {
  if (sources_.compiled != nullptr)
    if (auto lines = compiled_lines(line, *sources_.compiled, rules_.full_paths)) return *lines;
  ScriptFrame frame;
  const auto fold_symbol = [&] {
    const std::string demangled = demangled_line(line);
    return fold_frame(demangled.empty() ? line : demangled, root, source, rules_);
  };
  if (!reads_object || !parse_frame(line, frame) || frame.symbol == "[unknown]")
    return fold_symbol();
  ObjectSymbols* symbols = object(frame.object, build_id);
  const auto offset = symbols == nullptr ? std::nullopt : offset_of(*symbols, frame);
  std::vector<CodeFrame> code;
  if (offset) add_sources(line, frame.symbol, symbols->sources_at(*offset), code);
  if (code.empty()) return fold_symbol();
  choose(line, source, code);
  return fold_code(code, root, rules_);
}

// Reduces the functions at an address to what the user wants. `source` is the line that perf has
// printed, or empty.
void TextFrames::choose(std::string_view line, std::string_view source,
                        std::vector<CodeFrame>& code) const {
  if (!sources_.inlined)  // a recorded frame with --srcline: the innermost line, as perf prints it
    code.assign(1, {std::string(line), code.front().source, false});
  for (CodeFrame& each : code)
    if (!sources_.context && !(source.empty() && sources_.lines)) each.source.clear();
  // the line that perf printed is that of the innermost function
  if (!source.empty()) code.front().source = source;
}

ObjectSymbols* TextFrames::object(std::string_view path, std::string_view build_id) {
  constexpr std::string_view kDeleted = " (deleted)";
  if (!may_have_debug_information(path) || path.ends_with(kDeleted)) return nullptr;
  const auto [at, added] = objects_.try_emplace(std::string(build_id).append(" ").append(path));
  if (added)
    at->second = std::make_unique<ObjectSymbols>(
        ObjectSymbols::of_file(std::string(path), std::string(build_id), sources_.detail()));
  return at->second.get();
}

// The offset of the code in the file. In a call chain perf usually prints that (since 3.10). For a
// sample without a chain, and in an older perf, the number is the address in the process, which is
// of use only where the object is loaded at its own addresses. The symbol shows which of the two it
// is: the function at the place must have that name. Where the line also has the offset in the
// function, the name and that offset are enough.
std::optional<uint64_t> TextFrames::offset_of(ObjectSymbols& object, const ScriptFrame& frame) {
  const ElfFile* file = object.object();
  if (file == nullptr) return std::nullopt;
  const auto start = object.offset_of(std::string(frame.symbol));
  if (frame.has_offset && start) return *start + frame.offset;
  const std::string name(without_parameters(frame.symbol));
  for (const auto& candidate :
       {std::optional(frame.address), file->offset_of_vaddr(frame.address)}) {
    if (!candidate) continue;
    const auto found = object.at(*candidate);
    if (found && (*found == frame.symbol || without_parameters(*found) == name)) return candidate;
  }
  return std::nullopt;
}

}  // namespace aiflame::collapse
