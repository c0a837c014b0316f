// SPDX-License-Identifier: MIT
#include "libcommon/recording/sampled_code.h"

#include "libcommon/base/program.h"

namespace aiflame {

SampledCode sampled_code(const GpustallReader& reader, const GpustallRecord& sample) {
  std::vector<ScriptFrame> frames;
  SampledCode code;
  for (const std::string_view line : sample.frames) {
    ScriptFrame frame;
    if (!parse_frame(line, frame))
      throw Error(reader.place(sample) + ": a frame of this sample has no address");
    if (frame.object == "[stall]" && frame.address == 0 && frames.empty())
      code.reason = frame.symbol;
    else
      frames.push_back(frame);
  }
  if (frames.empty()) return code;
  const ScriptFrame& leaf = frames.front();
  const ScriptFrame& kernel = frames.back();
  code.has_kernel = true;
  code.kernel = kernel.symbol;
  for (size_t i = frames.size() - 1; i-- > 0;) code.helpers.push_back(frames[i].symbol);
  if (leaf.has_offset) code.offset = leaf.offset;
  code.address = leaf.address;
  if (kernel.has_offset && kernel.address >= kernel.offset)
    code.start = kernel.address - kernel.offset;
  return code;
}

}  // namespace aiflame
