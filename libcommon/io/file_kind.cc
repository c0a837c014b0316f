// SPDX-License-Identifier: MIT
#include "libcommon/io/file_kind.h"

#include <algorithm>
#include <optional>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/legacy_pprof.h"

namespace aiflame {
namespace {

using Kind = FileKind;

struct KnownKind {
  FileKind kind;
  std::string_view name;
  std::string_view reader;  // makes folded stacks of it
  std::string_view advice;  // where there is no reader; % is the path
};

constexpr KnownKind kKinds[] = {
    {Kind::binary, "binary data of an unknown kind", "", "no program here reads it"},
    {Kind::folded, "folded stacks", "", "draw them: aiflame-svg %"},
    {Kind::recording, "a recording of gpustall-record", "stackcollapse-aiflame", ""},
    {Kind::perf_data, "a recording of perf", "stackcollapse-aiflame", ""},
    {Kind::perf_script, "the text of perf script", "stackcollapse-aiflame", ""},
    {Kind::trace, "a trace of events", "stackcollapse-trace", ""},
    {Kind::json, "JSON", "", "if it is a trace, fold it first: stackcollapse-trace %"},
    {Kind::speedscope, "a profile of speedscope", "",
     "no program here reads it; give what it was made of"},
    {Kind::v8_cpu_profile, "a CPU profile of V8 (.cpuprofile)", "", "no program here reads it"},
    {Kind::firefox, "a profile of the Firefox Profiler", "",
     "no program here reads it; give what it was made of"},
    {Kind::proton, "a profile of Triton's Proton", "stackcollapse-proton", ""},
    {Kind::rocprof, "a trace of rocprofv3", "stackcollapse-rocprof", ""},
    {Kind::rocpd, "a database of rocprofv3 (rocpd)", "stackcollapse-rocprof", ""},
    {Kind::nsys, "an SQLite export of Nsight Systems", "stackcollapse-nsys", ""},
    {Kind::sqlite, "an SQLite database", "",
     "if Nsight Systems exported it, fold it first: stackcollapse-nsys %"},
    {Kind::torch_memory, "a pickle, perhaps a memory snapshot of PyTorch",
     "stackcollapse-torch-memory", ""},
    {Kind::hpctoolkit, "a file of HPCToolkit", "stackcollapse-hpctoolkit", ""},
    {Kind::pprof, "a profile of pprof", "stackcollapse-pprof", ""},
    {Kind::legacy_pprof, "a profile in a format of before profile.proto", "",
     "convert it, and fold that: go tool pprof -proto PROGRAM % > profile.pb.gz; "
     "stackcollapse-pprof profile.pb.gz"},
    {Kind::jemalloc, "a heap profile of jemalloc", "",
     "fold it with jemalloc's own program: jeprof --collapsed PROGRAM %"},
    {Kind::xspace, "a profile of XLA (xplane.pb)", "stackcollapse-xplane", ""},
    {Kind::perfetto, "a Perfetto trace", "",
     "make JSON of it, and fold that: traceconv json % trace.json; stackcollapse-trace trace.json"},
    {Kind::ncu, "a source page of Nsight Compute", "stackcollapse-ncu", ""},
    {Kind::ncu_details, "the metrics of Nsight Compute, which have no source lines", "",
     "fold its source page: ncu --import REPORT --csv --page source --print-source sass | "
     "stackcollapse-ncu"},
    {Kind::nsys_stats, "a summary of Nsight Systems, which has no stacks", "",
     "export the report, and fold that: nsys export --type sqlite -o r.sqlite REPORT; "
     "stackcollapse-nsys r.sqlite"},
    {Kind::iaprof, "a profile of iaprof", "stackcollapse-iaprof", ""},
    {Kind::unitrace, "the stall samples of unitrace", "stackcollapse-unitrace", ""},
    {Kind::elf, "a program or a library", "", "record it: gpustall-record -o r.gpustall -- %"},
    {Kind::svg, "an SVG picture", "", "give the folded stacks that it was drawn from"},
    {Kind::html, "an HTML page", "", "give what it was made of"},
    {Kind::git_lfs, "a pointer of Git LFS and not the file", "",
     "fetch it: git lfs pull --include=%"},
    {Kind::java_recording, "a recording of Java Flight Recorder", "",
     "fold it with async-profiler's converter: jfrconv -o collapsed % app.folded"},
    {Kind::callgrind, "a profile of Callgrind's format", "", "no program here reads it"},
    {Kind::vtune, "a table of VTune", "",
     "fold it with the program of FlameGraph: stackcollapse-vtune.pl %"},
    {Kind::hpctoolkit_xml, "a database of HPCToolkit before 2022 (experiment.xml)", "",
     "make it again of the measurements, by a newer hpcprof"},
    {Kind::zip, "a ZIP archive", "", "unpack it: unzip %"},
    {Kind::tar, "a tar archive", "", "unpack it: tar -xf %"},
    {Kind::nsys_report, "a report of Nsight Systems", "",
     "export it, and fold that: nsys export --type sqlite -o r.sqlite %; stackcollapse-nsys "
     "r.sqlite"},
    {Kind::ncu_report, "a report of Nsight Compute", "",
     "fold its source page: ncu --import % --csv --page source --print-source sass | "
     "stackcollapse-ncu"},
};

const KnownKind* find_kind(FileKind kind) {
  const auto* const found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                         [kind](const KnownKind& one) { return one.kind == kind; });
  return found == std::end(kKinds) ? nullptr : found;
}

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// ---- protocol buffers --------------------------------------------------------------------------

// A field's tag and length, as in `0a 0e`: field 1, 14 bytes of whatever follow.
struct Field {
  uint64_t tag = 0;
  uint64_t size = 0;  // of wire type 2
};

std::optional<uint64_t> take_varint(std::string_view& bytes) {
  uint64_t out = 0;
  for (unsigned shift = 0; shift < 63 && !bytes.empty(); shift += 7) {
    const auto byte = static_cast<unsigned char>(bytes.front());
    bytes.remove_prefix(1);
    out |= uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return out;
  }
  return std::nullopt;
}

std::optional<Field> take_field_head(std::string_view& bytes) {
  const auto tag = take_varint(bytes);
  if (!tag || *tag >> 3 == 0) return std::nullopt;
  if ((*tag & 7) == 0) {  // a number: passed over
    if (!take_varint(bytes)) return std::nullopt;
    return Field{*tag, 0};
  }
  if ((*tag & 7) != 2) return Field{*tag, 0};
  const auto size = take_varint(bytes);
  if (!size) return std::nullopt;
  return Field{*tag, *size};
}

constexpr uint64_t kNumber1 = 1 << 3, kText2 = 2 << 3 | 2, kNumber2 = 2 << 3;

// ValueType { type: 1 unit: 2 }, numbers of texts: 08 01 10 02
bool is_value_type(std::string_view bytes) {
  const auto type = take_field_head(bytes);
  const auto unit = take_field_head(bytes);
  return type && unit && type->tag == kNumber1 && unit->tag == kNumber2 && bytes.empty();
}

// XPlane { id: 1 name: "/host:metadata" }: 08 01 12 0e "/host:…", and the id may lack
bool is_plane(std::string_view bytes) {
  auto field = take_field_head(bytes);
  if (field && field->tag == kNumber1) field = take_field_head(bytes);
  return field && field->tag == kText2 && bytes.starts_with("/");
}

// TracePacket { clock_snapshot: {…} trusted_uid: 0 trusted_packet_sequence_id: 1 }:
// 32 05 … 18 00 50 01. Nearly all have the last.
bool is_trace_packet(std::string_view bytes) {
  constexpr uint64_t kSequence = 10 << 3;
  bool has_sequence = false;
  while (!bytes.empty()) {
    const auto field = take_field_head(bytes);
    if (!field || field->size > bytes.size()) return false;
    if ((field->tag & 7) != 0 && (field->tag & 7) != 2) return false;
    has_sequence = has_sequence || field->tag == kSequence;
    bytes.remove_prefix(field->size);
  }
  return has_sequence;
}

// Fields that tell, behind any of pprof's:
//   pprof     0a 04  08 01 10 02           sample_type, field 1
//   pprof     48 e7 d4 ec … 5a 04 08 03 10 04      time_nanos, and period_type, field 11
//   XSpace    0a 9d b2 08  12 0e "/host:…" planes, field 1
//   Perfetto  0a 6e 32 64 …                packets, field 1
FileKind find_protobuf(std::string_view bytes) {
  constexpr uint64_t kLastOfPprof = 15;
  bool is_first = true;
  while (const auto field = take_field_head(bytes)) {
    const uint64_t number = field->tag >> 3;
    if (number > kLastOfPprof) break;
    if ((field->tag & 7) == 0) continue;
    if ((field->tag & 7) != 2) break;
    const std::string_view inner = bytes.substr(0, field->size);
    const bool is_whole = inner.size() == field->size;
    if ((number == 1 || number == 11) && is_value_type(inner)) return Kind::pprof;
    if (is_first && number == 1 && is_plane(inner)) return Kind::xspace;
    if (is_first && number == 1 && is_whole && is_trace_packet(inner)) return Kind::perfetto;
    if (!is_whole) break;
    is_first = false;
    bytes.remove_prefix(inner.size());
  }
  return Kind::binary;
}

// ---- JSON, SQLite, text ------------------------------------------------------------------------

FileKind find_json(std::string_view bytes) {
  if (has(bytes, "\"rocprofiler-sdk-tool\"")) return Kind::rocprof;
  if (has(bytes, "speedscope.app/file-format-schema")) return Kind::speedscope;
  if (has(bytes, "\"traceEvents\"") || has(bytes, "\"ph\"")) return Kind::trace;
  if (has(bytes, "\"children\"") && has(bytes, "\"metrics\"") && bytes.front() == '[')
    return Kind::proton;
  // {"nodes":[{"id":1,"callFrame":{…, "samples":[…], "timeDeltas":[…]}; before 2017
  // {"head":{"function…
  if (has(bytes, "\"callFrame\"") || has(bytes, "\"bailoutReason\"")) return Kind::v8_cpu_profile;
  if (has(bytes, "\"frameTable\"") && has(bytes, "\"stackTable\"")) return Kind::firefox;
  return Kind::json;
}

// The first page has the texts of CREATE TABLE.
FileKind find_sqlite(std::string_view bytes) {
  if (has(bytes, "rocpd_")) return Kind::rocpd;
  if (has(bytes, "CUPTI_ACTIVITY_KIND") || has(bytes, "TARGET_INFO_")) return Kind::nsys;
  return Kind::sqlite;
}

// A line of folded stacks: "main;run 42", also with decimals. What has one frame and a colon may be
// something else.
bool is_folded_line(std::string_view line) {
  const size_t blank = line.rfind(' ');
  if (blank == std::string_view::npos || blank == 0 || line.front() == ' ' || line.front() == '\t')
    return false;
  const std::string_view count = line.substr(blank + 1);
  return count.find_first_not_of("0123456789.") == std::string_view::npos && count.front() != '.' &&
         (has(line, ";") || !has(line, ":"));
}

// "# aiflame: event gpu-time, unit ns", "# aiflame-note: …": a word and a colon. "# aiflame" alone
// is a title.
bool is_folded_comment(std::string_view line) {
  if (!take_prefix(line, "# aiflame")) return false;
  const std::string_view word = line.substr(0, line.find(' '));
  return word == ":" || (word.starts_with('-') && word.ends_with(':'));
}

// The first line of a sample has a time: "python3 4711 [003] 8123.456789: 250000 cycles:u: ".
bool is_script_line(std::string_view line) {
  for (size_t at = line.find(": "); at != std::string_view::npos; at = line.find(": ", at + 1)) {
    const size_t blank = line.rfind(' ', at);
    const std::string_view time = line.substr(blank + 1, at - blank - 1);
    const size_t dot = time.find('.');
    if (blank != std::string_view::npos && dot != std::string_view::npos && dot > 0 &&
        time.find_first_not_of("0123456789.") == std::string_view::npos && dot + 1 < time.size())
      return true;
  }
  return false;
}

// A line of stacks, whatever words of other files its names begin with: "heapprofiler;main 5".
bool is_stack_line(std::string_view line) {
  return (has(line, ";") && is_folded_line(line)) || is_script_line(line);
}

FileKind find_text(std::string_view bytes) {
  if (bytes.starts_with("# gpustall ")) return Kind::recording;
  if (bytes.starts_with("# callgrind format")) return Kind::callgrind;
  if (bytes.starts_with("version https://git-lfs.github.com/")) return Kind::git_lfs;
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find('\n'), bytes.size());
    const bool is_whole = end < bytes.size();
    const std::string_view line = trim_right(bytes.substr(0, end));
    bytes.remove_prefix(is_whole ? end + 1 : end);
    if (is_folded_comment(line)) return Kind::folded;
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("<svg") || has(line, "<!DOCTYPE svg")) return Kind::svg;
    if (line.starts_with("<!DOCTYPE HPCToolkitExperiment")) return Kind::hpctoolkit_xml;
    if (line.starts_with("<?xml")) continue;
    if (line.starts_with("<!DOCTYPE html") || line.starts_with("<!doctype html") ||
        line.starts_with("<html"))
      return Kind::html;
    if (line.starts_with("interval\t") || line.starts_with("string\t")) return Kind::iaprof;
    if (is_whole && is_stack_line(line))
      return is_script_line(line) ? Kind::perf_script : Kind::folded;
    // kernel_details.csv of Ascend
    if (has(line, ",Accelerator Core,") && has(line, ",Duration(us),")) return Kind::trace;
    if (line.starts_with("=== Device #") || has(line, "IP[Address]")) return Kind::unitrace;
    if (line.starts_with("\"Kernel Name\",") || line.starts_with("\"File Path\",") ||
        line.starts_with("==PROF=="))
      return Kind::ncu;
    if (has(line, "Correlation_Id") || has(line, "\"Kernel_Name\"")) return Kind::rocprof;
    // the rest of a line that was cut could say another thing
    if (!is_whole) return Kind::unknown;
    if (has(line, "\"Section Name\",\"Metric Name\"")) return Kind::ncu_details;
    if (has(line, "Time (%)") && has(line, "Total Time (ns)")) return Kind::nsys_stats;
    if (line.starts_with("Start (ns),Duration (ns),CorrId,") ||
        (line.starts_with("Processing [") && has(line, "] with [")))
      return Kind::nsys_stats;
    if (line.starts_with("Function Stack,") || line.starts_with("Function / Call Stack,"))
      return Kind::vtune;
    // what a program printed in front of a profile may end in a number, too
    const bool has_stacks = has(line, ";") || has(bytes, ";");
    return is_folded_line(line) && has_stacks ? Kind::folded : Kind::unknown;
  }
  return Kind::unknown;
}

}  // namespace

FileKind find_file_kind(std::string_view bytes, std::string_view name) {
  if (bytes.empty()) return Kind::unknown;
  if (bytes.starts_with("PERFILE2") || bytes.starts_with("2ELIFREP")) return Kind::perf_data;
  if (bytes.starts_with("\x7f"
                        "ELF"))
    return Kind::elf;
  if (bytes.starts_with(std::string_view("SQLite format 3\0", 16))) return find_sqlite(bytes);
  if (bytes.starts_with("HPCTOOLKIT")) return Kind::hpctoolkit;
  if (bytes.starts_with(std::string_view("FLR\0", 4))) return Kind::java_recording;
  if (const LegacyPprof legacy = find_legacy_pprof(bytes); legacy != LegacyPprof::none) {
    if (!is_stack_line(trim_right(bytes.substr(0, bytes.find('\n')))))
      return legacy == LegacyPprof::pprof ? Kind::legacy_pprof : Kind::jemalloc;
  }
  if (bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6")) return Kind::zip;
  if (bytes.size() > 262 && bytes.substr(257, 5) == "ustar") return Kind::tar;
  if (bytes.front() == '\x80' && bytes.size() > 1 && bytes[1] >= 2 && bytes[1] <= 5)
    return Kind::torch_memory;
  // their own forms are not published
  if (name.ends_with(".nsys-rep") || name.ends_with(".qdrep")) return Kind::nsys_report;
  if (name.ends_with(".ncu-rep") || bytes.starts_with(std::string_view("NVR\0", 4)))
    return Kind::ncu_report;
  if (const FileKind kind = find_protobuf(bytes); kind != Kind::binary) return kind;
  if (name.ends_with(".pftrace") || name.ends_with(".perfetto-trace")) return Kind::perfetto;
  if (bytes.find('\0') != std::string_view::npos) return Kind::binary;
  if (bytes.starts_with("\xef\xbb\xbf")) bytes.remove_prefix(3);
  const size_t begin = bytes.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return Kind::unknown;
  if (bytes[begin] == '{' || bytes[begin] == '[') {
    // "[unknown];main 5", "[[vdso]];clock 7" and "{lambda()#1};f 2" are stacks
    const size_t next = std::min(bytes.find_first_not_of(" \t\r\n", begin + 1), bytes.size());
    if (next == bytes.size() || next > begin + 1 ||
        bytes[next] == (bytes[begin] == '{' ? '"' : '{'))
      return find_json(bytes);
  }
  return find_text(bytes);
}

std::string_view kind_name(FileKind kind) {
  const KnownKind* known = find_kind(kind);
  return known == nullptr ? "" : known->name;
}

std::string_view kind_reader(FileKind kind) {
  const KnownKind* known = find_kind(kind);
  return known == nullptr ? "" : known->reader;
}

std::string kind_advice(FileKind kind, const std::string& path) {
  const KnownKind* known = find_kind(kind);
  if (known == nullptr) return {};
  if (!known->reader.empty())
    return format("fold it first: %s %s", std::string(known->reader).c_str(), path.c_str());
  std::string out(known->advice);
  const size_t at = out.find('%');
  if (at != std::string::npos) out.replace(at, 1, path);
  return out;
}

void refuse_kind(const std::string& name, FileKind kind) {
  const std::string path = name == input_name("-") ? "FILE" : name;
  throw Error(format("%s: this is %s; %s", name.c_str(), std::string(kind_name(kind)).c_str(),
                     kind_advice(kind, path).c_str()));
}

void refuse_other_kinds(ByteSource& source, std::initializer_list<FileKind> own) {
  const FileKind kind = find_file_kind(source.peek(kPeekedKindBytes), source.name());
  if (kind != FileKind::unknown && std::find(own.begin(), own.end(), kind) == own.end())
    refuse_kind(source.name(), kind);
}

ByteSource open_folded(const std::string& path) {
  ByteSource source(path);
  refuse_other_kinds(source, {FileKind::folded});
  return source;
}

}  // namespace aiflame
