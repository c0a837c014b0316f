// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-xplane/xspace.h"

#include <algorithm>
#include <utility>

#include "libcommon/base/parse.h"

namespace aiflame::xplane {
namespace {

constexpr std::pair<std::string_view, Fact> kFacts[] = {
    {"correlation_id", Fact::correlation},
    {"device_id", Fact::device},
    {"hlo_op", Fact::hlo_op},
    {"hlo_module", Fact::hlo_module},
    {"program_id", Fact::program},
    {"name", Fact::path},
    {"tf_op", Fact::tf_op},
    {"source", Fact::source},
    {"source_stack", Fact::source_stack},
    {"device_offset_ps", Fact::device_offset},
    {"device_duration_ps", Fact::device_duration},
    {"step_num", Fact::step},
    {"Hlo Proto", Fact::hlo_proto},
    {"hlo_proto", Fact::hlo_proto},
    {"dropped_traces", Fact::dropped},
};
// Ids below this are looked up in a list. Those of XLA's profiler count from 1.
constexpr uint64_t kListedIds = 4096;
// A longer text is no name.
constexpr size_t kLongestName = size_t{64} << 10;

// An entry of a map: {1 key, 2 value}
std::pair<uint64_t, std::string_view> read_entry(std::string_view message) {
  std::pair<uint64_t, std::string_view> out;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        out.first = at.get_uint64();
        break;
      case bytes_field(2):
        out.second = view_of(at);
        break;
      default:
        at.skip();
    }
  return out;
}

std::string_view read_stat_name(std::string_view message) {
  std::string_view out;
  pbf_reader at = reader_of(message);
  while (at.next())
    if (at.tag_and_type() == bytes_field(2))
      out = name_view(at);
    else
      at.skip();
  return out;
}

Stat read_stat(std::string_view message) {
  Stat out;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        out.id = at.get_int64();
        break;
      case number_field(3):
      case number_field(4):
        out.number = at.get_int64();
        break;
      case bytes_field(5):
      case bytes_field(6):
        out.text = view_of(at);
        break;
      case number_field(7):
        out.reference = at.get_uint64();
        break;
      default:
        at.skip();
    }
  return out;
}

Line read_line(std::string_view message) {
  Line out;
  out.message = message;
  std::string_view display_name;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        out.id = at.get_uint64();
        break;
      case bytes_field(2):
        out.name = name_view(at);
        break;
      case number_field(3):
        out.timestamp = at.get_int64();
        break;
      case bytes_field(11):
        display_name = name_view(at);
        break;
      default:
        at.skip();
    }
  if (!display_name.empty()) out.name = display_name;
  return out;
}

}  // namespace

std::string_view name_view(pbf_reader& at) {
  return view_of(at).substr(0, kLongestName);
}

Plane::Plane(std::string_view message) {
  pbf_reader at = reader_of(message);
  std::vector<std::pair<uint64_t, std::string_view>> event_names;
  std::vector<std::string_view> stats;
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(2):
        name_ = name_view(at);
        break;
      case bytes_field(3):
        lines_.push_back(read_line(view_of(at)));
        break;
      case bytes_field(4):
        event_names.push_back(read_entry(view_of(at)));
        break;
      case bytes_field(5): {
        const auto [id, value] = read_entry(view_of(at));
        stat_names_[id] = read_stat_name(value);
        if (id >= kListedIds) break;
        if (first_stat_names_.size() <= id) first_stat_names_.resize(id + 1);
        first_stat_names_[id] = stat_names_[id];
        break;
      }
      case bytes_field(6):
        stats.push_back(view_of(at));
        break;
      default:
        at.skip();
    }
  for (const auto& [id, name] : stat_names_)
    for (const auto& [text, fact] : kFacts)
      if (name == text) {
        facts_[id] = fact;
        if (id >= kListedIds) continue;
        if (first_facts_.size() <= id) first_facts_.resize(id + 1, Fact::other);
        first_facts_[id] = fact;
      }
  for (const auto& [id, name] : event_names) {
    const auto number = static_cast<uint32_t>(event_names_.size());
    const auto [known, added] = event_numbers_.try_emplace(id, number);
    if (added) event_names_.emplace_back();
    event_names_[known->second] = read_event_name(id, name);
    event_names_[known->second].number = known->second;
    if (id >= kListedIds) continue;
    if (first_event_numbers_.size() <= id) first_event_numbers_.resize(id + 1, UINT32_MAX);
    first_event_numbers_[id] = known->second;
  }
  event_names_.emplace_back().number = static_cast<uint32_t>(event_names_.size() - 1);
  for (const std::string_view one : stats) {
    const Stat stat = read_stat(one);
    if (fact_of(stat.id) == Fact::dropped)
      dropped_ += static_cast<uint64_t>(std::max<int64_t>(number_of(stat).value_or(0), 0));
  }
}

Fact Plane::fact_of(int64_t id) const {
  const auto number = static_cast<uint64_t>(id);
  if (number < first_facts_.size()) return first_facts_[number];
  if (number < kListedIds) return Fact::other;
  const auto at = facts_.find(number);
  return at == facts_.end() ? Fact::other : at->second;
}

const EventName& Plane::name_of(uint64_t id) const {
  if (id < first_event_numbers_.size() && first_event_numbers_[id] != UINT32_MAX)
    return event_names_[first_event_numbers_[id]];
  const auto at = event_numbers_.find(id);
  return at == event_numbers_.end() ? event_names_.back() : event_names_[at->second];
}

std::string_view Plane::stat_name(uint64_t id) const {
  if (id < first_stat_names_.size()) return first_stat_names_[id];
  if (id < kListedIds) return {};
  const auto at = stat_names_.find(id);
  return at == stat_names_.end() ? std::string_view() : at->second;
}

std::string_view Plane::text_of(const Stat& stat) const {
  return stat.reference ? stat_name(*stat.reference) : stat.text.substr(0, kLongestName);
}

// Some writers have numbers as texts.
std::optional<int64_t> Plane::number_of(const Stat& stat) const {
  return stat.number ? stat.number : parse_number<int64_t>(text_of(stat));
}

void Plane::take(const Stat& stat, Facts& out) const {
  const auto number = [&]() -> std::optional<uint64_t> {
    const auto found = number_of(stat);
    return found ? std::optional(static_cast<uint64_t>(*found)) : std::nullopt;
  };
  switch (fact_of(stat.id)) {
    case Fact::correlation:
      out.correlation = number();
      break;
    case Fact::device:
      out.device = number_of(stat);
      break;
    case Fact::hlo_op:
      out.hlo_op = text_of(stat);
      break;
    case Fact::hlo_module:
      out.hlo_module = text_of(stat);
      break;
    case Fact::program:
      out.program = number();
      break;
    case Fact::path:
      out.path = text_of(stat);
      break;
    case Fact::tf_op:
      out.tf_op = text_of(stat);
      break;
    case Fact::source:
      out.source = text_of(stat);
      break;
    case Fact::source_stack:
      out.source_stack = text_of(stat);
      break;
    case Fact::device_offset:
      out.device_offset = number_of(stat);
      break;
    case Fact::device_duration:
      out.device_duration = number();
      break;
    case Fact::step:
      out.step = number_of(stat);
      break;
    case Fact::hlo_proto:
    case Fact::dropped:
    case Fact::other:
      break;
  }
}

EventName Plane::read_event_name(uint64_t id, std::string_view message) const {
  EventName out;
  out.id = id;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(2):
        out.name = name_view(at);
        break;
      case bytes_field(4):
        out.display_name = name_view(at);
        break;
      case bytes_field(5): {
        const Stat stat = read_stat(view_of(at));
        if (fact_of(stat.id) == Fact::hlo_proto)
          out.hlo_proto = stat.text;
        else
          take(stat, out.facts);
        break;
      }
      default:
        at.skip();
    }
  return out;
}

void Plane::each_event(const Line& line, const std::function<void(const Event&)>& each) const {
  pbf_reader events = reader_of(line.message);
  std::vector<std::string_view> stats;
  Facts own;
  while (events.next(4, protozero::pbf_wire_type::length_delimited)) {
    uint64_t id = 0;
    int64_t offset = 0, duration = 0;
    bool is_sum = false;
    stats.clear();
    pbf_reader at = events.get_message();
    while (at.next()) switch (at.tag_and_type()) {
        case number_field(1):
          id = at.get_uint64();
          break;
        case number_field(2):
          offset = at.get_int64();
          break;
        case number_field(3):
          duration = at.get_int64();
          break;
        case bytes_field(4):
          stats.push_back(view_of(at));
          break;
        case number_field(5):
          is_sum = true;
          at.skip();
          break;
        default:
          at.skip();
      }
    const EventName& called = name_of(id);
    if (!stats.empty()) {
      own = called.facts;
      for (const std::string_view stat : stats) take(read_stat(stat), own);
    }
    const Facts& facts = stats.empty() ? called.facts : own;
    if (facts.device_offset) offset = *facts.device_offset;
    if (facts.device_duration) duration = static_cast<int64_t>(*facts.device_duration);
    each({offset, duration, is_sum, called, facts});
  }
}

Space read_space(std::string_view message) {
  Space out;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(1):
        out.planes.push_back(std::make_unique<Plane>(view_of(at)));
        break;
      case bytes_field(2):
        out.errors.push_back(name_view(at));
        break;
      case bytes_field(3):
        out.warnings.push_back(name_view(at));
        break;
      case bytes_field(4):
        out.host = name_view(at);
        break;
      default:
        at.skip();
    }
  return out;
}

}  // namespace aiflame::xplane
