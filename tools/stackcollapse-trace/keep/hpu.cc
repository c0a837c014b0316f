// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-trace/keep/hpu.h"

#include <strings.h>

#include <string>

#include "libcommon/base/parse.h"
#include "libcommon/import/imported_names.h"

namespace aiflame::trace {
namespace {

bool holds(const std::string& text, const char* engine) {
  return strcasestr(text.c_str(), engine) != nullptr;
}

// By the name of the event, else by the thread: 4xxx, 6xxx and 7xxx.
std::string_view engine_of(const Event& event) {
  const std::string& hardware = event.text(TextArg::hardware_event);
  for (const char* engine : {"TPC", "MME", "DMA", "NIC"})
    if (holds(hardware, engine)) return engine;
  const auto thread = parse_number<uint64_t>(event.thread);
  if (!thread) return {};
  switch (*thread / 1000) {
    case 4:
      return "DMA";
    case 6:
      return "MME";
    case 7:
      return "TPC";
    default:
      return {};
  }
}

}  // namespace

bool is_hpu_work(const Event& event) {
  return strcasecmp(event.category.c_str(), "hpu_op") == 0 &&
         (!event.text(TextArg::hardware_event).empty() || event.process == "0");
}

uint64_t hpu_correlation(const Event& event, Trace& trace) {
  // above all numbers that writers give
  constexpr uint64_t kRecipe = uint64_t{1} << 63;
  const std::string& recipe = event.text(TextArg::recipe);
  return recipe.empty() ? kNoId : kRecipe | trace.texts.number(recipe);
}

uint32_t hpu_stack(const Event& event, ImportedStacks& stacks) {
  uint32_t stack = ImportedStacks::kEmpty;
  if (!event.text(TextArg::recipe).empty())
    stack = stacks.child(stack, module_frame(event.text(TextArg::recipe)));
  if (!event.text(TextArg::node).empty())
    stack = stacks.child(stack, operator_frame(event.text(TextArg::node)));
  const std::string_view engine = engine_of(event);
  if (!engine.empty()) stack = stacks.child(stack, "[" + std::string(engine) + "]");
  return stack;
}

}  // namespace aiflame::trace
