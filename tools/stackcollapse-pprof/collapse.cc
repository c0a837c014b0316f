// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/collapse.h"

#include <map>
#include <utility>

#include "libcommon/base/program.h"
#include "tools/stackcollapse-pprof/location_frames.h"
#include "tools/stackcollapse-pprof/profile.h"
#include "tools/stackcollapse-pprof/pruning.h"
#include "tools/stackcollapse-pprof/sample_types.h"

namespace aiflame::pprof {
namespace {

// Frames of all samples for each byte of the message. A frame takes a byte at least, or is inlined
// into one that does. A location of a thousand lines would make much of little.
constexpr uint64_t kMostFrames = 16, kSomeFrames = 65536;

class Collapse {
 public:
  Collapse(const Profile& profile, const Settings& settings, ImportedStacks& stacks);
  void add(uint64_t number, const Sample& sample);

 private:
  [[noreturn]] void fail(uint64_t number, const std::string& what) const;
  uint64_t weight(uint64_t number, const Sample& sample) const;
  uint32_t with_labels(const Sample& sample);
  uint32_t label_frame(const Label& label);
  uint32_t stack(uint64_t number, const Sample& sample);

  const Profile& profile_;
  const Settings& settings_;
  ImportedStacks& stacks_;
  const SampleChoice choice_;
  const LocationFrames frames_;
  const Pruning pruning_;
  uint32_t root_ = ImportedStacks::kEmpty;
  uint64_t frames_left_;
  std::map<std::pair<uint64_t, uint64_t>, uint32_t> labels_;  // frames, by key and text
};

std::string_view base_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1);
}

Collapse::Collapse(const Profile& profile, const Settings& settings, ImportedStacks& stacks)
    : profile_(profile),
      settings_(settings),
      stacks_(stacks),
      choice_(choose_sample_type(profile, settings.sample_type)),
      frames_(profile, settings.import.names, stacks),
      pruning_(settings.drop_frames ? Pruning(profile) : Pruning()),
      frames_left_(kSomeFrames + kMostFrames * profile.size()) {
  // some writers begin with "[vdso]" or "[kernel.kallsyms]"
  if (const std::string_view program = base_name(profile.program());
      !program.empty() && !program.starts_with('['))
    root_ = stacks_.root(program);
  const Quantity& known = stacks_.quantity;
  if (known.is_known() &&
      (known.event != choice_.quantity.event || known.unit != choice_.quantity.unit))
    profile_.fail(describe(choice_.quantity) + ", where the profiles before have " +
                  describe(known) + "; --sample-type chooses");
  if (profile.is_exported())
    for (const uint64_t comment : profile.comments())
      if (is_launch_fact_line(profile.text(comment))) stacks_.launches.read(profile.text(comment));
  stacks_.quantity = known.is_known() ? common_quantity(known, choice_.quantity) : choice_.quantity;
}

void Collapse::fail(uint64_t number, const std::string& what) const {
  profile_.fail("sample " + std::to_string(number) + ": " + what);
}

uint64_t Collapse::weight(uint64_t number, const Sample& sample) const {
  if (sample.values.size() != profile_.sample_types().size())
    fail(number, std::to_string(sample.values.size()) + " values, of " +
                     std::to_string(profile_.sample_types().size()));
  const int64_t value = sample.values[choice_.index];
  if (value < 0)
    fail(number,
         "a negative value, of a difference: fold its two profiles, for aiflame-diff, or choose "
         "another --sample-type");
  uint64_t out = 0;
  if (__builtin_mul_overflow(static_cast<uint64_t>(value), choice_.scale, &out))
    fail(number, "a value that is too large");
  return out;
}

// "thread main", "bytes 1024"
uint32_t Collapse::label_frame(const Label& label) {
  if (label.text == 0) {
    std::string text(profile_.text(label.key));
    text += " " + std::to_string(label.number);
    if (label.unit != 0) text.append(" ").append(profile_.text(label.unit));
    profile_.count_text(text.size());
    return stacks_.frame(text);
  }
  const auto [at, added] = labels_.try_emplace({label.key, label.text});
  if (added) {
    std::string text(profile_.text(label.key));
    text.append(" ").append(profile_.text(label.text));
    profile_.count_text(text.size());
    at->second = stacks_.frame(text);
  }
  return at->second;
}

uint32_t Collapse::with_labels(const Sample& sample) {
  uint32_t out = root_;
  for (const std::string& wanted : settings_.labels)
    for (const Label& label : sample.labels)
      if (profile_.text(label.key) == wanted) out = stacks_.child(out, label_frame(label));
  return out;
}

uint32_t Collapse::stack(uint64_t number, const Sample& sample) {
  uint32_t out = with_labels(sample);
  bool has_user = false;  // frames that are not dropped
  for (size_t i = sample.locations.size(); i-- > 0;) {
    const uint32_t location = profile_.location_number(sample.locations[i]);
    if (location == IdTable::kNone)
      fail(number, "location " + std::to_string(sample.locations[i]) + " is not there");
    std::span<const uint32_t> frames = frames_.of(location);
    const Pruning::Cut cut = pruning_.at(location);
    const bool cuts = cut.cuts && has_user;
    if (cuts) frames = frames.first(cut.left);
    has_user = has_user || !cut.cuts;
    if (frames.size() > frames_left_) profile_.fail("stacks that are too deep for its size");
    frames_left_ -= frames.size();
    for (const uint32_t frame : frames) out = stacks_.child(out, frame);
    if (cuts) break;
  }
  return out == ImportedStacks::kEmpty ? stacks_.child(out, "[unknown]") : out;
}

void Collapse::add(uint64_t number, const Sample& sample) {
  const uint64_t value = weight(number, sample);
  if (value == 0) return;
  stacks_.read(value);
  stacks_.add(stack(number, sample), value);
}

}  // namespace

void collapse(std::string_view message, const std::string& name, const Settings& settings,
              ImportedStacks& stacks) {
  const Profile profile(message, name);
  Collapse collapse(profile, settings, stacks);
  profile.read_samples(
      [&](uint64_t number, const Sample& sample) { collapse.add(number, sample); });
}

}  // namespace aiflame::pprof
