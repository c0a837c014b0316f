// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/profile.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "libcommon/base/program.h"
#include "libcommon/folded/exported_profile.h"
#include "libcommon/import/protobuf_fields.h"

namespace aiflame::pprof {
namespace {

// Only texts this long are counted, and all that are made of them may be this many times the
// message.
constexpr size_t kLongText = 256;
constexpr uint64_t kMostText = 16;

ValueType read_value_type(std::string_view message) {
  ValueType out;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        out.type = at.get_uint64();
        break;
      case number_field(2):
        out.unit = at.get_uint64();
        break;
      default:
        at.skip();
    }
  return out;
}

Label read_label(std::string_view message) {
  Label out;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        out.key = at.get_uint64();
        break;
      case number_field(2):
        out.text = at.get_uint64();
        break;
      case number_field(3):
        out.number = at.get_int64();
        break;
      case number_field(4):
        out.unit = at.get_uint64();
        break;
      default:
        at.skip();
    }
  return out;
}

// Numbers are packed, or each is a field.
void read_sample(std::string_view message, Sample& out) {
  out.locations.clear();
  out.values.clear();
  out.labels.clear();
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(1):
        for (const uint64_t id : at.get_packed_uint64()) out.locations.push_back(id);
        break;
      case number_field(1):
        out.locations.push_back(at.get_uint64());
        break;
      case bytes_field(2):
        for (const int64_t value : at.get_packed_int64()) out.values.push_back(value);
        break;
      case number_field(2):
        out.values.push_back(at.get_int64());
        break;
      case bytes_field(3):
        out.labels.push_back(read_label(view_of(at)));
        break;
      default:
        at.skip();
    }
}

// The id of a line's function.
uint64_t read_line(std::string_view message) {
  uint64_t function = 0;
  pbf_reader at = reader_of(message);
  while (at.next())
    if (at.tag_and_type() == number_field(1))
      function = at.get_uint64();
    else
      at.skip();
  return function;
}

// Some writers leave the ids out, and mean the places by them: from 1.
uint64_t id_or_place(uint64_t id, size_t before) {
  return id != 0 ? id : uint64_t{before} + 1;
}

}  // namespace

bool IdTable::add(uint64_t id) {
  if (number(id) != kNone) return false;
  if (id == uint64_t{count_} + 1 && dense_ == count_)
    dense_ = count_ + 1;
  else
    others_.emplace(id, count_);
  ++count_;
  return true;
}

uint32_t IdTable::number(uint64_t id) const {
  if (id - 1 < dense_) return static_cast<uint32_t>(id - 1);
  const auto at = others_.find(id);
  return at == others_.end() ? kNone : at->second;
}

Profile::Profile(std::string_view message, std::string name)
    : message_(message), name_(std::move(name)) {
  try {
    read_tables();
  } catch (const protozero::exception& error) {
    fail(std::string("not a whole pprof profile: ") + error.what());
  }
  if (sample_types_.empty()) fail("not a pprof profile: it has no sample types");
}

void Profile::fail(const std::string& what) const {
  throw Error(name_ + ": " + what);
}

void Profile::read_tables() {
  pbf_reader at = reader_of(message_);
  while (at.next()) switch (at.tag_and_type()) {
      case bytes_field(1):
        sample_types_.push_back(read_value_type(view_of(at)));
        break;
      case bytes_field(3):
        read_mapping(view_of(at));
        break;
      case bytes_field(4):
        read_location(view_of(at));
        break;
      case bytes_field(5):
        read_function(view_of(at));
        break;
      case bytes_field(6):
        texts_.push_back(view_of(at));
        break;
      case number_field(7):
        drop_frames_ = at.get_uint64();
        break;
      case number_field(8):
        keep_frames_ = at.get_uint64();
        break;
      case bytes_field(11):
        period_type_ = read_value_type(view_of(at));
        break;
      case number_field(12):
        period_ = at.get_int64();
        break;
      case bytes_field(13):
        for (const uint64_t comment : at.get_packed_uint64()) comments_.push_back(comment);
        break;
      case number_field(13):
        comments_.push_back(at.get_uint64());
        break;
      case number_field(14):
        default_sample_type_ = at.get_uint64();
        break;
      default:
        at.skip();
    }
}

void Profile::read_mapping(std::string_view message) {
  uint64_t id = 0, file = 0;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        id = at.get_uint64();
        break;
      case number_field(5):
        file = at.get_uint64();
        break;
      default:
        at.skip();
    }
  if (!mapping_ids_.add(id_or_place(id, mappings_.size())))
    fail("mapping " + std::to_string(id) + " is there twice");
  mappings_.push_back(file);
}

void Profile::read_location(std::string_view message) {
  uint64_t id = 0;
  Location location;
  location.line = static_cast<uint32_t>(lines_.size());
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        id = at.get_uint64();
        break;
      case number_field(2):
        location.mapping = at.get_uint64();
        break;
      case bytes_field(4):
        lines_.push_back(read_line(view_of(at)));
        break;
      default:
        at.skip();
    }
  location.lines = static_cast<uint32_t>(lines_.size()) - location.line;
  if (!location_ids_.add(id_or_place(id, locations_.size())))
    fail("location " + std::to_string(id) + " is there twice");
  locations_.push_back(location);
}

void Profile::read_function(std::string_view message) {
  uint64_t id = 0;
  Function function;
  pbf_reader at = reader_of(message);
  while (at.next()) switch (at.tag_and_type()) {
      case number_field(1):
        id = at.get_uint64();
        break;
      case number_field(2):
        function.name = at.get_uint64();
        break;
      case number_field(3):
        function.system_name = at.get_uint64();
        break;
      case number_field(4):
        function.file = at.get_uint64();
        break;
      case number_field(5):
        function.start_line = at.get_int64();
        break;
      default:
        at.skip();
    }
  if (!function_ids_.add(id_or_place(id, functions_.size())))
    fail("function " + std::to_string(id) + " is there twice");
  functions_.push_back(function);
}

std::string_view Profile::text(uint64_t number) const {
  if (number >= texts_.size() && number > 0)
    fail("text " + std::to_string(number) + " of " + std::to_string(texts_.size()));
  return texts_.empty() ? std::string_view() : texts_[number];
}

bool Profile::is_exported() const {
  return !comments_.empty() && text(comments_.front()) == kExportedProfile;
}

std::vector<bool> Profile::types_with_values(size_t enough) const {
  std::vector<bool> out(sample_types_.size());
  Sample sample;
  pbf_reader at = reader_of(message_);
  try {
    while (!out[enough] && at.next(2, protozero::pbf_wire_type::length_delimited)) {
      read_sample(view_of(at), sample);
      for (size_t i = 0; i < std::min(out.size(), sample.values.size()); ++i)
        if (sample.values[i] != 0) out[i] = true;
    }
  } catch (const protozero::exception&) {
    // read_samples() says what is wrong
  }
  return out;
}

void Profile::count_text(size_t bytes) const {
  if (bytes < kLongText) return;
  text_bytes_ += bytes;
  if (text_bytes_ > kMostText * message_.size()) fail("texts that are used too often");
}

std::string_view Profile::mapping_file(uint64_t id) const {
  const uint32_t number = mapping_ids_.number(id);
  return number == IdTable::kNone ? std::string_view() : text(mappings_[number]);
}

void Profile::read_samples(const std::function<void(uint64_t, const Sample&)>& each) const {
  Sample sample;
  uint64_t number = 0;
  try {
    pbf_reader at = reader_of(message_);
    while (at.next(2, protozero::pbf_wire_type::length_delimited)) {
      read_sample(view_of(at), sample);
      each(++number, sample);
    }
  } catch (const protozero::exception& error) {
    fail("sample " + std::to_string(number + 1) + ": " + error.what());
  }
}

}  // namespace aiflame::pprof
