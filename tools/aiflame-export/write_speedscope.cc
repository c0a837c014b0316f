// SPDX-License-Identifier: MIT
// speedscope's file format (https://www.speedscope.app/file-format-schema.json): frames by index,
// and for each profile its samples and their weights. Weights stand in a list of their own, so they
// go through a temporary file.
#include "libcommon/base/json.h"
#include "tools/aiflame-export/profile_writer.h"

namespace aiflame::exporter {
namespace {

constexpr size_t kBlock = size_t{64} << 10;  // bytes that are handed on at a time

// speedscope's units; it shows others as plain numbers.
const char* unit_of(std::string_view unit) {
  if (unit == "ns") return "nanoseconds";
  if (unit == "us") return "microseconds";
  if (unit == "ms") return "milliseconds";
  if (unit == "s") return "seconds";
  return unit == "bytes" ? "bytes" : "none";
}

class SpeedscopeWriter {
 public:
  SpeedscopeWriter(Profiles& profiles, const Write& write)
      : profiles_(profiles), write_(write), used_(profiles.frames) {}

  void write() {
    add(R"({"$schema":"https://www.speedscope.app/file-format-schema.json",)"
        R"("exporter":"aiflame-export","profiles":[)");
    for (size_t i = 0; i < profiles_.all.size(); ++i) {
      if (i > 0) add(",");
      add("\n");
      write_profile(profiles_.all[i]);
    }
    add("],\n\"shared\":{\"frames\":[");
    for (uint32_t i = 0; i < used_.size(); ++i) add_frame(i);
    add("]}}\n");
    write_(bytes_);
  }

 private:
  void add(std::string_view text) {
    bytes_ += text;
    if (bytes_.size() < kBlock) return;
    write_(bytes_);
    bytes_.clear();
  }

  void write_profile(const Profile& profile) {
    const Quantity& quantity = profile.quantity;
    const std::string total = format_count(profile.total.value(), profile.total.decimals());
    add(R"({"type":"sampled","name":)" +
        json_string(quantity.is_known() ? describe(quantity) : profile.file) + R"(,"unit":")" +
        unit_of(quantity.unit) + R"(","startValue":0,"endValue":)" + total + ",\n\"samples\":[");
    Spool weights;
    bool is_first = true;
    each_sample(profiles_.samples, profile, [&](const Sample& sample) {
      std::string stack = is_first ? "[" : ",[";
      for (const uint32_t frame : sample.frames) stack += std::to_string(used_.number(frame)) + ",";
      stack.back() = ']';
      add(stack);
      weights.write((is_first ? "" : ",") +
                    format_count(sample.count.value, sample.count.decimals));
      is_first = false;
    });
    add("],\n\"weights\":[");
    ByteSource source = weights.read();
    std::string block(kBlock, '\0');
    while (const size_t size = source.read(block.data(), block.size()))
      add(std::string_view(block).substr(0, size));
    add("]}");
  }

  void add_frame(uint32_t number) {
    const std::string_view text = used_.text(number);
    const SourcePlace place = source_place(text);
    std::string out = number > 0 ? ",\n" : "\n";
    out += "{\"name\":" + json_string(text);
    if (!place.file.empty()) out += ",\"file\":" + json_string(place.file);
    if (place.line > 0) out += ",\"line\":" + std::to_string(place.line);
    add(out + "}");
  }

  Profiles& profiles_;
  const Write& write_;
  UsedFrames used_;
  std::string bytes_;
};

}  // namespace

void write_speedscope(Profiles& profiles, const Write& write) {
  SpeedscopeWriter(profiles, write).write();
}

}  // namespace aiflame::exporter
