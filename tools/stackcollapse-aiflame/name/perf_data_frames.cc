// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/name/perf_data_frames.h"

#include <charconv>

#include "libcommon/base/program.h"
#include "libcommon/io/read_text.h"
#include "libcommon/symbols/find_object.h"

namespace aiflame::collapse {
namespace {

// A limit is needed: a map file grows for as long as its program compiles.
constexpr size_t kMaxJitMap = size_t{1} << 30;

// The frame line of an address. The offset 0x0 only marks the preceding text as a symbol.
std::string frame_line(uint64_t address, const std::optional<std::string>& symbol,
                       const std::string& object) {
  char digits[16];
  std::string out(digits, std::to_chars(digits, digits + sizeof digits, address, 16).ptr);
  out.append(" ").append(symbol ? printable(*symbol) + "+0x0" : "[unknown]");
  return out.append(" (").append(object).append(")");
}

// Where no line is known, perf prints `OBJECT[ADDRESS]`, and stackcollapse-perf.pl removes the
// brackets with their content.
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
  const auto symbol = map == nullptr ? std::nullopt : name(*map, address);
  const bool known = object != nullptr && (symbol || !machine_.is_after_kernel(map));
  std::string line = frame_line(user && in_chain ? map->inside(address) : address, symbol,
                                known ? printable(object->name) : "[unknown]");
  if (symbol)
    add_functions(map->object, *object, map->inside(address), is_return, line, *symbol, out);
  if (sources_.lines && object != nullptr && object->kind == Kind::code) {
    const JitLine* at = object->code->line_at(map->inside(address) - (is_return ? 1 : 0));
    if (at != nullptr) out.push_back({line, source_text(at->file, at->line), false});
  }
  choose(known ? object : nullptr, std::move(line), out);
}

void PerfDataFrames::code_in(uint32_t number, const PerfObject& object, uint64_t offset,
                             bool is_return, std::vector<CodeFrame>& out) {
  out.clear();
  const auto symbol = file(number, object).at(offset);
  std::string line = frame_line(offset, symbol, printable(object.name));
  if (symbol) add_functions(number, object, offset, is_return, line, *symbol, out);
  choose(&object, std::move(line), out);
}

// Adds the functions in debug information, if the user wants them.
void PerfDataFrames::add_functions(uint32_t number, const PerfObject& object, uint64_t offset,
                                   bool is_return, std::string_view line, std::string_view symbol,
                                   std::vector<CodeFrame>& out) {
  if (!sources_.any() || object.kind != PerfObject::Kind::file) return;
  add_sources(line, printable(symbol),
              file(number, object).sources_at(offset - (is_return ? 1 : 0)), out);
}

// Reduces the functions at an address to what the user wants: all of them, or only the one with the
// symbol, whose frame line is `line`, at the innermost source line. `object` is null where it is
// not known.
void PerfDataFrames::choose(const PerfObject* object, std::string&& line,
                            std::vector<CodeFrame>& out) const {
  if (out.empty() || !sources_.inlined) {
    std::string source = out.empty() ? "" : out.front().source;
    out.assign(1, {std::move(line), std::move(source), false});
  }
  for (CodeFrame& frame : out)
    if (sources_.lines && frame.source.empty() && object != nullptr)
      frame.source = source_of_object(object->name);
    else if (!sources_.lines && !sources_.context)
      frame.source.clear();
}

void PerfDataFrames::report() const {
  if (lacks_kernel_)
    warn(
        "kernel functions have no names: the recording is of kernel %s (%s), without a build id; "
        "'perf script' names them on the machine that was recorded",
        printable(machine_.kernel_release()).c_str(),
        printable(machine_.kernel_architecture()).c_str());
  for (size_t i = 0; i < files_.size(); ++i) {
    if (files_[i].symbols == nullptr) continue;
    const std::string& name = machine_.object(static_cast<uint32_t>(i)).name;
    if (files_[i].symbols->refused() != nullptr)
      warn("%s: not read: %s", name.c_str(), files_[i].symbols->refused());
    if (files_[i].symbols->exhausted())
      warn("%s: its debug information takes too long to search; not all of it was used",
           name.c_str());
  }
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
    case PerfObject::Kind::code:
      return copy(object.code->name);
    case PerfObject::Kind::kernel:
      if (const auto function = kernel_function(address); function)
        return std::string(function->name);
      return std::nullopt;
    case PerfObject::Kind::ksymbol:
      return object.name;
    case PerfObject::Kind::nothing:
      break;
  }
  return std::nullopt;
}

std::optional<uint64_t> PerfDataFrames::number_at(const PerfMap* map, uint64_t address) {
  if (map == nullptr) return kNoName;
  switch (machine_.object(map->object).kind) {
    case PerfObject::Kind::file:
    case PerfObject::Kind::vdso:
      return file(map->object).function_at(map->inside(address)).value_or(kNoName);
    case PerfObject::Kind::kernel:
      if (const auto function = kernel_function(address); function) return function->start;
      return machine_.is_after_kernel(map) ? std::nullopt : std::optional(kNoName);
    case PerfObject::Kind::code:
    case PerfObject::Kind::ksymbol:
      return 0;  // each function is an object of its own
    case PerfObject::Kind::nothing:
      return kNoName;
    case PerfObject::Kind::jit:
      break;
  }
  return std::nullopt;
}

bool PerfDataFrames::is_file(const PerfMap& map) const {
  const PerfObject::Kind kind = machine_.object(map.object).kind;
  return kind == PerfObject::Kind::file || kind == PerfObject::Kind::vdso;
}

ObjectSymbols& PerfDataFrames::file(uint32_t number, const PerfObject& object) {
  File* file = nullptr;
  {
    const std::lock_guard lock(files_mutex_);
    while (files_.size() <= number) files_.emplace_back();
    file = &files_[number];
  }
  std::call_once(file->opened, [&] {
    file->symbols = std::make_unique<ObjectSymbols>(
        object.kind == PerfObject::Kind::vdso
            ? ObjectSymbols::of_vdso(object.build_id)
            : ObjectSymbols::of_file(object.name, object.build_id, sources_.detail(),
                                     machine_.kernel_architecture()));
  });
  return *file->symbols;
}

PerfDataFrames::ReadKernel PerfDataFrames::read_kernel(const std::string& build_id) {
  return {build_id, std::make_unique<Kallsyms>(find_kallsyms(build_id))};
}

// Whether the recorded kernel is another than this machine's, and its build id, by which perf's
// cache has its functions, is not recorded. This machine's addresses would name functions that
// never ran.
bool PerfDataFrames::is_unknown_kernel() const {
  return machine_.has_other_kernel() && machine_.kernel_build_id().empty();
}

void PerfDataFrames::expect_kernel() {
  if (is_unknown_kernel()) return;
  if (kernel_ != nullptr || kernel_reader_.running() || open_kernel_copy()) return;
  // where no thread can be started, kernel() reads the list
  kernel_reader_ = BackgroundThread(
      [this, build_id = machine_.kernel_build_id()] { expected_kernel_ = read_kernel(build_id); });
}

// False where there is no usable copy of the recorded kernel's list. Addresses in the copy are
// moved by the difference between the two addresses of `_text`. perf records that address; a perf
// of another machine may record another symbol's, which makes the copy unusable.
bool PerfDataFrames::open_kernel_copy() {
  const std::string& build_id = machine_.kernel_build_id();
  if (kernel_copy_ == nullptr || kernel_copy_id_ != build_id) {
    if (!is_running_kernel(build_id)) return false;
    kernel_copy_id_ = build_id;
    kernel_copy_ = std::make_unique<KallsymsCopy>(build_id_cache(kernel_build_id()) + "/kallsyms",
                                                  "/proc/kallsyms");
  }
  return kernel_copy_->text() != 0 &&
         (machine_.reference_address() == 0 || machine_.reference_symbol() == "_text");
}

std::optional<KernelFunction> PerfDataFrames::kernel_function(uint64_t address) {
  if (is_unknown_kernel()) {
    lacks_kernel_ = true;
    return std::nullopt;
  }
  if (kernel_ == nullptr && !kernel_reader_.running() && open_kernel_copy()) {
    const uint64_t was = machine_.reference_address();
    const uint64_t moved = was == 0 ? 0 : kernel_copy_->text() - was;
    if (const auto function = kernel_copy_->at(address + moved); function) return function;
  }
  const Kallsyms& list = kernel();
  const auto start = list.start_of(address);
  if (!start) return std::nullopt;
  return KernelFunction{*start, list.at(address).value_or("")};
}

const Kallsyms& PerfDataFrames::kernel() {
  if (kernel_ == nullptr) {
    if (kernel_reader_.running()) {
      kernel_reader_.join();
      // in a pipe, the kernel's build id may have come after expect_kernel()
      if (expected_kernel_.build_id == machine_.kernel_build_id())
        kernel_ = std::move(expected_kernel_.names);
    }
    if (kernel_ == nullptr) kernel_ = read_kernel(machine_.kernel_build_id()).names;
    if (machine_.reference_address() != 0)
      kernel_->relocate(machine_.reference_symbol(), machine_.reference_address());
  }
  return *kernel_;
}

}  // namespace aiflame::collapse
