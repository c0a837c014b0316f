// SPDX-License-Identifier: MIT
#include "libcommon/gpustall/gpustall_reader.h"

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/gpustall/gpustall_comment.h"

namespace aiflame {

using Kind = GpustallRecord::Kind;

void GpustallReader::read_comment(GpustallRecord& record) {
  record.kind = Kind::comment;
  std::string_view text = record.text.substr(1);
  take_prefix(text, " ");
  std::string_view fields = text;
  if (take_field(fields) == kGpustallDialect.word) {
    const auto version = parse_number<uint64_t>(take_field(fields));
    if (!version || !fields.empty()) fail("expected '# gpustall VERSION'");
    if (*version != 1)
      fail(format("gpustall format %llu; this program reads format 1",
                  static_cast<unsigned long long>(*version))
               .c_str());
    begin_recording();
    record.recorded = true;
    record.kind = Kind::recording;
    return;
  }
  if (!record.recorded) return;
  if (const char* expected = parse_gpustall_comment(text, record)) fail(expected);
  if (record.kind == Kind::end) end_recording();
}

}  // namespace aiflame
