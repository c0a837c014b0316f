// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/perf_data_frames.h"

#include "libcommon/program.h"
#include "libcommon/symbols/demangle.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame {
namespace {

// A map file grows as long as its program compiles.
constexpr size_t kMaxJitMap = size_t{1} << 30;

// `dir/file.cc`, 7 as `file.cc:7`
std::string source_text(const std::string& file, uint32_t line) {
  if (file.empty()) return "";
  return printable(file.substr(file.rfind('/') + 1)) + ":" + std::to_string(line);
}

// What perf says where no line is known is `OBJECT[ADDRESS]`, of which stackcollapse-perf.pl takes
// what stands in brackets away.
std::string source_of_object(const std::string& object) {
  return object.starts_with('[') ? "" : printable(object.substr(object.rfind('/') + 1));
}

}  // namespace

void PerfDataFrames::code_at(const PerfMap* map, uint64_t address, bool in_chain, bool is_return,
                             std::vector<CodeFrame>& out) {
  using Kind = PerfObject::Kind;
  out.clear();
  const PerfObject* object = map == nullptr ? nullptr : &machine_.object(map->object);
  const bool user =
      object != nullptr && object->kind != Kind::kernel && object->kind != Kind::ksymbol;
  const std::string number = format(
      "%llx ", static_cast<unsigned long long>(user && in_chain ? map->inside(address) : address));
  const auto symbol = map == nullptr ? std::nullopt : name(*map, address);
  const bool known = object != nullptr && (symbol || !machine_.is_behind_kernel(map));
  const std::string place = " (" + (known ? printable(object->name) : "[unknown]") + ")";
  // the offset says no more than that what stands before it is a symbol
  const auto line = [&](std::string_view function) {
    return number + printable(function) + "+0x0" + place;
  };
  if (sources_.any() && symbol && object->kind == Kind::file) {
    const std::vector<SourceFrame>& frames =
        file(map->object).sources_at(map->inside(address) - (is_return ? 1 : 0));
    for (const SourceFrame& frame : frames) {
      const bool outermost = &frame == &frames.back();
      // as addr2line(1) has it: a function that others cannot call has its name in the symbol table
      // alone, `(anonymous namespace)::f`
      const bool by_symbol = frame.function.empty() || (outermost && !frame.linkage);
      out.push_back({line(by_symbol ? *symbol : demangle(frame.function, false)),
                     source_text(frame.file, frame.line), !outermost});
    }
    if (!sources_.inlined && out.size() > 1) out.erase(out.begin() + 1, out.end());
  }
  if (out.empty() || !sources_.inlined) {
    // one frame by its symbol, and where the code of it stands
    const std::string source = out.empty() ? "" : out.front().source;
    out.assign(1, {symbol ? line(*symbol) : number + "[unknown]" + place, source, false});
  }
  for (CodeFrame& frame : out)
    if (sources_.lines && frame.source.empty() && known)
      frame.source = source_of_object(object->name);
    else if (!sources_.lines && !sources_.context)
      frame.source.clear();
}

void PerfDataFrames::report() const {
  for (size_t i = 0; i < files_.size(); ++i)
    if (files_[i] != nullptr && files_[i]->exhausted())
      warn("%s: its debug information takes too long to search; not all of it was used",
           machine_.object(static_cast<uint32_t>(i)).name.c_str());
}

std::optional<std::string> PerfDataFrames::name(const PerfMap& map, uint64_t address) {
  const PerfObject& object = machine_.object(map.object);
  const auto copy = [](std::optional<std::string_view> text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
  };
  switch (object.kind) {
    case PerfObject::Kind::file:
    case PerfObject::Kind::vdso:
      return file(map.object).at(map.inside(address));
    case PerfObject::Kind::jit:
      if (jit_.size() <= map.object) jit_.resize(map.object + size_t{1});
      if (jit_[map.object] == nullptr)
        jit_[map.object] = std::make_unique<JitSymbols>(read_text(object.name, kMaxJitMap));
      return copy(jit_[map.object]->at(address));
    case PerfObject::Kind::kernel:
      return copy(kernel().at(address));
    case PerfObject::Kind::ksymbol:
      return object.name;
    case PerfObject::Kind::nothing:
      break;
  }
  return std::nullopt;
}

bool PerfDataFrames::is_file(const PerfMap& map) const {
  const PerfObject::Kind kind = machine_.object(map.object).kind;
  return kind == PerfObject::Kind::file || kind == PerfObject::Kind::vdso;
}

ObjectSymbols& PerfDataFrames::file(uint32_t number) {
  if (files_.size() <= number) files_.resize(number + size_t{1});
  std::unique_ptr<ObjectSymbols>& file = files_[number];
  if (file == nullptr) {
    const PerfObject& object = machine_.object(number);
    file =
        std::make_unique<ObjectSymbols>(object.kind == PerfObject::Kind::vdso
                                            ? ObjectSymbols::of_vdso(object.build_id)
                                            : ObjectSymbols::of_file(object.name, object.build_id));
  }
  return *file;
}

const Kallsyms& PerfDataFrames::kernel() {
  if (kernel_ == nullptr) {
    kernel_ = std::make_unique<Kallsyms>(find_kallsyms(machine_.kernel_build_id()));
    if (machine_.reference_address() != 0)
      kernel_->relocate(machine_.reference_symbol(), machine_.reference_address());
  }
  return *kernel_;
}

}  // namespace aiflame
