// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/hlo_modules.h"

#include "libcommon/base/program.h"

namespace aiflame::xplane {
namespace {

// Stacks of Python functions have some ten frames.
constexpr size_t kDeepest = 500;

// OpMetadata
HloOperator read_metadata(std::string_view message) {
  HloOperator out;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(2):
        out.path = name_view(at);
        break;
      case bytes_field(3):
        out.file = name_view(at);
        break;
      case number_field(4):
        out.line = at.get_uint64();
        break;
      case number_field(15):
        out.frame = at.get_uint64();
        break;
      default:
        at.skip();
    }
  return out;
}

// The first three numbers of a message that has nothing else of interest.
struct Numbers {
  uint64_t first = 0, second = 0, third = 0;
};
Numbers read_numbers(std::string_view message) {
  Numbers out;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        out.first = at.get_uint64();
        break;
      case number_field(2):
        out.second = at.get_uint64();
        break;
      case number_field(3):
        out.third = at.get_uint64();
        break;
      default:
        at.skip();
    }
  return out;
}

// Numbers count from 1.
template <typename Value>
Value numbered(const std::vector<Value>& values, uint64_t number) {
  return number - 1 < values.size() ? values[number - 1] : Value();
}

}  // namespace

HloModule::HloModule(std::string_view message) {
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(1):
        name_ = name_view(at);
        break;
      case bytes_field(3):
        read_computation(view_of(at));
        break;
      case number_field(5):
        id_ = at.get_uint64();
        break;
      case bytes_field(17):
        read_frames(view_of(at));
        break;
      default:
        at.skip();
    }
  stacks_.resize(frames_.size(), ImportedStacks::kEmpty);
}

void HloModule::read_computation(std::string_view message) {
  pbf_reader at = reader_of(message);
  while (at.next(2, protozero::pbf_wire_type::length_delimited)) {
    std::string_view name;
    HloOperator one;
    pbf_reader instruction = at.get_message();
    while (instruction.next()) switch (instruction.tag_and_type()) {
        case bytes_field(1):
          name = view_of(instruction);
          break;
        case bytes_field(7):
          one = read_metadata(view_of(instruction));
          break;
        default:
          instruction.skip();
      }
    bool added = false;
    const uint32_t number = names_.number(name, &added);
    if (added)
      operators_.push_back(one);
    else
      operators_[number] = one;
  }
}

void HloModule::read_frames(std::string_view message) {
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(1):
        files_.push_back(name_view(at));
        break;
      case bytes_field(2):
        functions_.push_back(name_view(at));
        break;
      case bytes_field(3): {
        const Numbers numbers = read_numbers(view_of(at));
        places_.push_back({numbers.first, numbers.second, numbers.third});
        break;
      }
      case bytes_field(4): {
        const Numbers numbers = read_numbers(view_of(at));
        frames_.push_back({numbers.first, numbers.second});
        break;
      }
      default:
        at.skip();
    }
}

const HloOperator* HloModule::find(std::string_view name) {
  const uint32_t number = names_.number(name);
  return number < operators_.size() ? &operators_[number] : nullptr;
}

std::string HloModule::frame_text(const Frame& frame, const NameRules& rules) const {
  const Place place = numbered(places_, frame.place);
  return python_frame(numbered(functions_, place.function), numbered(files_, place.file),
                      place.line, rules);
}

uint32_t HloModule::python_stack(const HloOperator& of, const NameRules& rules,
                                 ImportedStacks& stacks) {
  if (of.frame - 1 >= frames_.size()) {
    if (of.file.empty()) return ImportedStacks::kEmpty;
    std::string text(rules.full_paths ? of.file : of.file.substr(of.file.rfind('/') + 1));
    if (of.line > 0) text += ":" + std::to_string(of.line);
    return stacks.child(ImportedStacks::kEmpty, text);
  }
  std::vector<uint64_t> open;  // the innermost first
  uint64_t frame = of.frame;
  for (; frame - 1 < frames_.size() && stacks_[frame - 1] == ImportedStacks::kEmpty &&
         open.size() < kDeepest;
       frame = frames_[frame - 1].parent)
    open.push_back(frame);
  uint32_t stack = ImportedStacks::kEmpty;
  if (frame - 1 < frames_.size()) {
    stack = stacks_[frame - 1];
    if (stack == ImportedStacks::kEmpty) stack = stacks.child(stack, kTruncated);
  }
  for (size_t i = open.size(); i-- > 0;) {
    stack = stacks.child(stack, frame_text(frames_[open[i] - 1], rules));
    stacks_[open[i] - 1] = stack;
  }
  return stack;
}

void HloModules::add(const Plane& plane) {
  for (const EventName& name : plane.event_names())
    if (!name.hlo_proto.empty()) programs_[name.id].proto = name.hlo_proto;
}

HloModule* HloModules::find(uint64_t program) {
  const auto at = programs_.find(program);
  if (at == programs_.end()) return nullptr;
  std::unique_ptr<HloModule>& module = at->second.module;
  pbf_reader proto = reader_of(at->second.proto);
  if (module == nullptr && proto.next(1, protozero::pbf_wire_type::length_delimited))
    module = std::make_unique<HloModule>(view_of(proto));
  return module.get();
}

}  // namespace aiflame::xplane
