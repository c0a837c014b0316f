// SPDX-License-Identifier: MIT
// profile.proto, from folded text alone: a function for each distinct frame, and a location without
// an address for each function. `main;scale 57` of gpu-stall:
//
//   0a 04 08 01 10 02             sample_type {type: text 1, unit: text 2}
//   12 07 0a 02 02 01 12 01 39    sample {locations 2, 1: the leaf first; value 57}
//   22 06 08 01 22 02 08 01       location {id 1, line {function 1}}
//   22 06 08 02 22 02 08 02       location {id 2, line {function 2}}
//   2a 04 08 01 10 03             function {id 1, name: text 3}
//   2a 04 08 02 10 04             function {id 2, name: text 4}
//   32 00 32 09 67 70 75 …        texts: "", "gpu_stall", "count", "main", "scale", a comment
//   5a 04 08 01 10 02 …           period_type, period, comments
//
// Ids count from 1 in the order in which they are written: Parca refuses others. A function has no
// system_name, which pprof would take for a mangled name, and shorten.
#include <protozero/pbf_writer.hpp>

#include "libcommon/folded/exported_profile.h"
#include "tools/aiflame-export/gzip_writer.h"
#include "tools/aiflame-export/profile_writer.h"
#include "tools/aiflame-export/string_table.h"
#include "tools/aiflame-export/value_types.h"

namespace aiflame::exporter {
namespace {

using protozero::pbf_writer;

// Fields of the message Profile.
enum : uint32_t {
  kSampleType = 1,
  kSample = 2,
  kLocation = 4,
  kFunction = 5,
  kText = 6,
  kTime = 9,
  kDuration = 10,
  kPeriodType = 11,
  kPeriod = 12,
  kComment = 13,
};

constexpr size_t kBlock = size_t{64} << 10;  // bytes that are handed on at a time

class PprofWriter {
 public:
  PprofWriter(Profiles& profiles, const Profile& profile, const ExportSettings& settings,
              const Write& write)
      : profiles_(profiles),
        profile_(profile),
        settings_(settings),
        types_(value_types(profile.quantity)),
        used_(profiles.frames),
        gzip_(write) {}

  void write() {
    for (const ValueType& type : types_.values) add_value_type(kSampleType, type.type, type.unit);
    for (const std::string& key : settings_.labels) keys_.push_back(texts_.number(key));
    each_sample(profiles_.samples, profile_, [&](const Sample& sample) { add_sample(sample); });
    add_locations();
    add_facts();
    for (uint32_t i = 0; i < texts_.size(); ++i) {
      const std::string_view text = texts_.text(i);
      out_.add_string(kText, text.data(), text.size());
      hand_on(kBlock);
    }
    hand_on(0);
    gzip_.finish();
  }

 private:
  void hand_on(size_t least) {
    if (bytes_.size() < least) return;
    gzip_.write(bytes_);
    bytes_.clear();
  }
  void add_value_type(uint32_t field, std::string_view type, std::string_view unit) {
    pbf_writer message(out_, field);
    message.add_int64(1, texts_.number(type));
    message.add_int64(2, texts_.number(unit));
  }

  void add_sample(const Sample& sample) {
    message_.clear();
    numbers_.clear();
    for (size_t i = sample.frames.size(); i-- > 0;)
      numbers_.push_back(used_.number(sample.frames[i]) + 1);
    pbf_writer message(message_);
    message.add_packed_uint64(1, numbers_.begin(), numbers_.end());
    numbers_.clear();
    for (const ValueType& type : types_.values) numbers_.push_back(value_of(sample.count, type));
    message.add_packed_uint64(2, numbers_.begin(), numbers_.end());
    for (const SampleLabel& label : sample.labels) {
      pbf_writer pair(message, 3);
      pair.add_int64(1, keys_[label.key]);
      pair.add_int64(2, texts_.number(profiles_.frames.text(label.value)));
    }
    out_.add_message(kSample, message_);
    hand_on(kBlock);
  }

  void add_locations() {
    for (uint32_t id = 1; id <= used_.size(); ++id) {
      const SourcePlace place = source_place(used_.text(id - 1));
      pbf_writer location(out_, kLocation);
      location.add_uint64(1, id);
      pbf_writer line(location, 4);
      line.add_uint64(1, id);
      if (place.line > 0) line.add_uint64(2, place.line);
    }
    for (uint32_t id = 1; id <= used_.size(); ++id) {
      add_function(id);
      hand_on(kBlock);
    }
  }

  void add_function(uint32_t id) {
    const std::string_view text = used_.text(id - 1);
    const SourcePlace place = source_place(text);
    pbf_writer function(out_, kFunction);
    function.add_uint64(1, id);
    function.add_int64(2, texts_.number(text));
    if (!place.file.empty()) function.add_int64(4, texts_.number(place.file));
  }

  // What is said of the whole profile. Comments keep what folded text says and pprof has no field
  // for; stackcollapse-pprof reads them.
  void add_facts() {
    if (settings_.taken.start > 0) out_.add_uint64(kTime, settings_.taken.start);
    if (settings_.taken.duration > 0) out_.add_uint64(kDuration, settings_.taken.duration);
    if (types_.period > 0) {
      add_value_type(kPeriodType, types_.period_type, types_.period_unit);
      out_.add_uint64(kPeriod, types_.period);
    }
    comments_.push_back(texts_.number(kExportedProfile));
    const auto add = [&](std::string line) {
      line.pop_back();  // its newline
      comments_.push_back(texts_.number(line));
    };
    if (profile_.quantity.is_known()) add(quantity_line(profile_.quantity));
    for (const LaunchFact& fact : profile_.launches.all()) add(launch_fact_line(fact));
    out_.add_packed_int64(kComment, comments_.begin(), comments_.end());
  }

  Profiles& profiles_;
  const Profile& profile_;
  const ExportSettings& settings_;
  const ValueTypes types_;
  StringTable texts_;
  UsedFrames used_;
  GzipWriter gzip_;
  std::string bytes_, message_;
  pbf_writer out_{bytes_};
  std::vector<uint64_t> numbers_;
  std::vector<uint32_t> keys_;
  std::vector<int64_t> comments_;
};

}  // namespace

void write_pprof(Profiles& profiles, const Profile& profile, const ExportSettings& settings,
                 const Write& write) {
  PprofWriter(profiles, profile, settings, write).write();
}

}  // namespace aiflame::exporter
