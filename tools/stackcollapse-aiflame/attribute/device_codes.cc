// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-aiflame/attribute/device_codes.h"

#include "libcommon/attribution/attribution.h"
#include "libcommon/recording/sampled_code.h"

namespace aiflame::collapse {
namespace {

// Appends a place to a key, the offset as bytes.
void append_place(const std::optional<CodePlace>& place, std::string& key) {
  if (!place) return;
  key.append(reinterpret_cast<const char*>(&place->file_offset), sizeof place->file_offset);
  key.append(place->path).append("\n");
}

}  // namespace

std::optional<CodePlace> code_place(const std::optional<DeviceObjects::Place>& place) {
  if (!place) return std::nullopt;
  return CodePlace{*place->path, place->file_offset};
}

DeviceCodes::Code DeviceCodes::of(const GpustallReader& reader, const GpustallRecord& sample,
                                  const Recording& recording) {
  const uint64_t where[] = {static_cast<uint64_t>(sample.pid), sample.cpu.value_or(0)};
  key_.assign(reinterpret_cast<const char*>(where), sizeof where);
  for (const std::string_view line : sample.frames) key_.append(line).append("\n");
  const Digest digest = digester_.of(key_, 0);
  const uint32_t known = numbers_.find(digest);
  if (known != numbers_.kNone) return codes_[known];
  numbers_.add(digest, static_cast<uint32_t>(codes_.size()));
  codes_.push_back(read(reader, sample, recording));
  return codes_.back();
}

DeviceCodes::Code DeviceCodes::read(const GpustallReader& reader, const GpustallRecord& sample,
                                    const Recording& recording) {
  const SampledCode sampled = sampled_code(reader, sample);
  DeviceCode code;
  code.kernel = sampled.kernel;
  code.helpers = sampled.helpers;
  code.reason = sampled.reason;
  code.offset = sampled.offset;
  code.place = code_place(recording.place(sample, sampled.address));
  code.start = code_place(recording.place(sample, sampled.start));

  Code out;
  out.kernel = Attribution::kUnknownKernel;
  out.start = sampled.start;
  if (sampled.has_kernel && sampled.kernel != "[unknown]")
    out.kernel = texts_.number(sampled.kernel);
  out.name = origins_.kernel(sampled.kernel);
  // without the process: the frames depend only on the lines and on the places in the object
  key_.assign("s");
  for (const std::string_view line : sample.frames) key_.append(line).append("\n");
  append_place(code.place, key_);
  append_place(code.start, key_);
  const Frames& frames = frames_by_key(code);
  out.text = frames.text;
  out.unnamed = frames.unnamed;
  return out;
}

uint32_t DeviceCodes::kernel_frames(std::string_view kernel,
                                    const std::optional<CodePlace>& start) {
  DeviceCode code;
  code.kernel = kernel;
  code.start = start;
  key_.assign("t").append(kernel).append("\n");
  append_place(start, key_);
  return frames_by_key(code).text;
}

uint32_t DeviceCodes::operation_frames(std::string_view name) {
  DeviceCode code;
  code.kernel = name;
  code.is_operation = true;
  key_.assign("o").append(name);
  return frames_by_key(code).text;
}

const DeviceCodes::Frames& DeviceCodes::frames_by_key(const DeviceCode& code) {
  bool added = false;
  const uint32_t number = keys_.number(key_, &added);
  if (added) {
    Frames& frames = by_key_.emplace_back();
    frames.text = texts_.number(frames_.fold(code, &frames.unnamed));
  }
  return by_key_[number];
}

void DeviceCodes::forget() {
  numbers_.clear();
  codes_.clear();
}

}  // namespace aiflame::collapse
