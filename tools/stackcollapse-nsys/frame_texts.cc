// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-nsys/frame_texts.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/perf_script/function_parameters.h"

namespace aiflame::nsys {
namespace {

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string_view api_name(std::string_view name) {
  const size_t version = name.rfind("_v");
  if (version != std::string_view::npos && version + 2 < name.size() &&
      std::all_of(name.begin() + static_cast<ptrdiff_t>(version) + 2, name.end(), is_digit))
    name = name.substr(0, version);
  for (const std::string_view suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
  return name;
}

std::string call_frame(std::string_view symbol, std::string_view module, const NameRules& rules) {
  if (module.ends_with(".py")) return python_frame(symbol, module, 0, rules);
  std::string_view hex = symbol;
  if (symbol.empty() || (take_prefix(hex, "0x") && is_hex(hex))) {
    if (module.empty()) return "[unknown]";
    return module.starts_with('[') ? std::string(module)
                                   : "[" + std::string(file_name(module)) + "]";
  }
  std::string out(rules.full_names ? symbol : without_parameters(symbol));
  if (module.starts_with("[kernel")) out += "_[k]";
  return out;
}

std::string copy_name(int64_t kind) {
  constexpr std::string_view kKinds[] = {"",     "HtoD",     "DtoH",     "HtoA",    "AtoH",
                                         "AtoA", "AtoD",     "DtoA",     "DtoD",    "HtoH",
                                         "PtoP", "UVM HtoD", "UVM DtoH", "UVM DtoD"};
  std::string out = "Memcpy";
  if (kind > 0 && kind < static_cast<int64_t>(std::size(kKinds)))
    out.append(" ").append(kKinds[kind]);
  return out;
}

}  // namespace aiflame::nsys
