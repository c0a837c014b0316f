// SPDX-License-Identifier: MIT
// ProfilesData of opentelemetry-proto 1.11.0, package opentelemetry.proto.profiles.v1development.
//
//   ProfilesData
//     1 ResourceProfiles {1 Resource, 2 ScopeProfiles {1 InstrumentationScope, 2 Profile ...}}
//     2 ProfilesDictionary, the tables of all profiles
//
// Element 0 of each table is empty: an index of 0 means nothing. Resource and scope are always
// there, and a sample has one value, since Parca reads them without looking. A message begins with
// its length, so samples and stacks, which are many, go through temporary files.
#include <protozero/pbf_writer.hpp>

#include "libcommon/base/program.h"
#include "libcommon/text/numbered_table.h"
#include "tools/aiflame-export/profile_writer.h"
#include "tools/aiflame-export/string_table.h"
#include "tools/aiflame-export/value_types.h"

namespace aiflame::exporter {
namespace {

using protozero::pbf_writer;

constexpr size_t kBlock = size_t{64} << 10;  // bytes that are handed on at a time

// A part of a message, in a temporary file.
class Part {
 public:
  // `bytes` are fields.
  void add(std::string& bytes) {
    spool_.write(bytes);
    size_ += bytes.size();
    bytes.clear();
  }
  uint64_t size() const { return size_; }
  void copy(const Write& write) {
    ByteSource source = spool_.read();
    std::string block(kBlock, '\0');
    while (const size_t size = source.read(block.data(), block.size()))
      write(std::string_view(block).substr(0, size));
  }

 private:
  Spool spool_;
  uint64_t size_ = 0;
};

// The tag and the length that stand in front of a message.
std::string head(uint32_t field, uint64_t size) {
  std::string out;
  protozero::add_varint_to_buffer(&out, field << 3 | 2);
  protozero::add_varint_to_buffer(&out, size);
  return out;
}

struct Attribute {
  uint32_t key = 0, value = 0;  // strings
  bool operator==(const Attribute&) const = default;
};

class OtlpWriter {
 public:
  OtlpWriter(Profiles& profiles, const ExportSettings& settings)
      : profiles_(profiles), settings_(settings), used_(profiles.frames) {
    for (const std::string& key : settings.labels) keys_.push_back(strings_.number(key));
    add_message(stacks_bytes_, kStack, "");
  }

  void write(const Write& write) {
    std::vector<Part> bodies;
    uint64_t size = 0;
    for (const Profile& profile : profiles_.all) {
      bodies.push_back(profile_body(profile));
      size += head(2, bodies.back().size()).size() + bodies.back().size();
    }
    std::string resource, scope;
    add_resource(resource);
    add_scope(scope);
    const std::string scope_profiles = head(2, scope.size() + size);
    write(head(1, resource.size() + scope_profiles.size() + scope.size() + size));
    write(resource);
    write(scope_profiles);
    write(scope);
    for (Part& body : bodies) {
      write(head(2, body.size()));
      body.copy(write);
    }
    write_dictionary(write);
  }

 private:
  // Fields of ProfilesDictionary.
  enum : uint32_t {
    kMapping = 1,
    kLocation = 2,
    kFunction = 3,
    kLink = 4,
    kString = 5,
    kAttribute = 6,
    kStack = 7
  };

  static void add_message(std::string& bytes, uint32_t field, const std::string& message) {
    pbf_writer(bytes).add_message(field, message);
  }

  void add_resource(std::string& bytes) const {
    pbf_writer out(bytes);
    pbf_writer resource(out, 1);
    add_attribute(resource, "service.name", settings_.service);
    if (!settings_.push) return;
    for (const SeriesLabel& label : settings_.push->series)
      add_attribute(resource, label.key, label.value);
  }
  static void add_attribute(pbf_writer& resource, const std::string& key, const std::string& text) {
    pbf_writer attribute(resource, 1);
    attribute.add_string(1, key);
    pbf_writer value(attribute, 2);
    value.add_string(1, text);
  }
  static void add_scope(std::string& bytes) {
    pbf_writer out(bytes);
    pbf_writer scope(out, 1);
    scope.add_string(1, "aiflame");
    scope.add_string(2, kVersion);
  }
  void add_value_type(pbf_writer& out, uint32_t field, const std::string& type,
                      const std::string& unit) {
    pbf_writer message(out, field);
    message.add_int32(1, static_cast<int32_t>(strings_.number(type)));
    message.add_int32(2, static_cast<int32_t>(strings_.number(unit)));
  }

  Part profile_body(const Profile& profile) {
    Part body;
    std::string bytes;
    const ValueTypes types = value_types(profile.quantity);
    const ValueType& type = types.values.front();
    {
      pbf_writer out(bytes);
      add_value_type(out, 1, type.type, type.unit);
      if (settings_.taken.start > 0) out.add_fixed64(3, settings_.taken.start);
      if (settings_.taken.duration > 0) out.add_uint64(4, settings_.taken.duration);
      // the period of samples is so many nanoseconds or cycles
      const std::string& period_unit = types.period == 0              ? type.unit
                                       : types.period_unit == "count" ? types.period_type
                                                                      : types.period_unit;
      // Pyroscope takes a profile's name from its period, if that is not 0.
      add_value_type(out, 5, type.type, period_unit);
      out.add_int64(6, static_cast<int64_t>(std::max<uint64_t>(types.period, 1)));
    }
    each_sample(profiles_.samples, profile, [&](const Sample& sample) {
      add_sample(bytes, sample, type);
      if (bytes.size() >= kBlock) body.add(bytes);
    });
    body.add(bytes);
    return body;
  }

  void add_sample(std::string& bytes, const Sample& sample, const ValueType& type) {
    message_.clear();
    pbf_writer message(message_);
    message.add_int32(1, stack_index(sample.frames));
    attributes_of_sample_.clear();
    for (const SampleLabel& label : sample.labels) {
      const uint32_t value = strings_.number(profiles_.frames.text(label.value));
      attributes_of_sample_.push_back(
          static_cast<int32_t>(attributes_.number({keys_[label.key], value}) + 1));
    }
    message.add_packed_int32(2, attributes_of_sample_.begin(), attributes_of_sample_.end());
    const auto value = static_cast<int64_t>(value_of(sample.count, type));
    message.add_packed_int64(4, &value, &value + 1);
    add_message(bytes, 2, message_);
  }

  // Stacks that follow each other and are equal are one.
  int32_t stack_index(const std::vector<uint32_t>& frames) {
    if (frames == last_) return stack_;
    if (stack_ == INT32_MAX)
      throw Error("more than 2147483647 stacks, which is what OTLP can number");
    last_ = frames;
    locations_.clear();
    for (size_t i = frames.size(); i-- > 0;)
      locations_.push_back(static_cast<int32_t>(used_.number(frames[i]) + 1));
    std::string& message = stack_message_;
    message.clear();
    pbf_writer(message).add_packed_int32(1, locations_.begin(), locations_.end());
    add_message(stacks_bytes_, kStack, message);
    if (stacks_bytes_.size() >= kBlock) stacks_.add(stacks_bytes_);
    return ++stack_;
  }

  void write_dictionary(const Write& write) {
    std::string tables;
    add_tables(tables);
    stacks_.add(stacks_bytes_);
    write(head(2, tables.size() + stacks_.size()));
    write(tables);
    stacks_.copy(write);
  }

  void add_tables(std::string& bytes) {
    pbf_writer out(bytes);
    out.add_message(kMapping, std::string());
    out.add_message(kLocation, std::string());
    for (uint32_t number = 0; number < used_.size(); ++number) {
      pbf_writer location(out, kLocation);
      pbf_writer line(location, 3);
      line.add_int32(1, static_cast<int32_t>(number + 1));
      if (const SourcePlace place = source_place(used_.text(number)); place.line > 0)
        line.add_int64(2, static_cast<int64_t>(place.line));
    }
    out.add_message(kFunction, std::string());
    for (uint32_t number = 0; number < used_.size(); ++number) {
      pbf_writer function(out, kFunction);
      function.add_int32(1, static_cast<int32_t>(strings_.number(used_.text(number))));
      if (const SourcePlace place = source_place(used_.text(number)); !place.file.empty())
        function.add_int32(3, static_cast<int32_t>(strings_.number(place.file)));
    }
    {
      pbf_writer link(out, kLink);
      link.add_bytes(1, std::string(16, '\0'));
      link.add_bytes(2, std::string(8, '\0'));
    }
    out.add_message(kAttribute, std::string());
    for (uint32_t number = 0; number < attributes_.size(); ++number) {
      const Attribute& one = attributes_.key(number);
      pbf_writer attribute(out, kAttribute);
      attribute.add_int32(1, static_cast<int32_t>(one.key));
      pbf_writer value(attribute, 2);
      const std::string_view text = strings_.text(one.value);
      value.add_string(1, text.data(), text.size());
    }
    for (uint32_t number = 0; number < strings_.size(); ++number) {
      const std::string_view text = strings_.text(number);
      out.add_string(kString, text.data(), text.size());
    }
  }

  Profiles& profiles_;
  const ExportSettings& settings_;
  StringTable strings_;
  UsedFrames used_;
  NumberedTable<Attribute> attributes_;  // from 0; element 0 of the table is empty
  std::vector<uint32_t> keys_;
  Part stacks_;
  std::string stacks_bytes_, message_, stack_message_;
  std::vector<uint32_t> last_;  // the frames of stack_
  int32_t stack_ = 0;
  std::vector<int32_t> locations_, attributes_of_sample_;
};

}  // namespace

void write_otlp(Profiles& profiles, const ExportSettings& settings, const Write& write) {
  OtlpWriter(profiles, settings).write(write);
}

}  // namespace aiflame::exporter
