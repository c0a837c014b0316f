// SPDX-License-Identifier: MIT
#include "libcommon/io/file_kind.h"

#include <gtest/gtest.h>

#include <random>

namespace aiflame {
namespace {

using Kind = FileKind;
using namespace std::string_view_literals;

struct Case {
  std::string_view bytes;
  Kind kind;
  const char* name = "file";
};

// NUL bytes: sv literals keep them.
const Case kCases[] = {
    {""sv, Kind::unknown},
    {"# aiflame: event gpu-time, unit ns\na;b 5\n"sv, Kind::folded},
    {"# aiflame-note: half of it\n"sv, Kind::folded},
    {"# aiflame\n\nA title; and words.\n"sv, Kind::unknown},
    {"main;run;-;k_[G] 12\n"sv, Kind::folded},
    {"[unknown] 12\nmain;f 5\n"sv, Kind::folded},
    {"main 12\n"sv, Kind::unknown},
    {"std::sort;a 1.5\n"sv, Kind::folded},
    {"[unknown];main 5\n"sv, Kind::folded},
    {"[[vdso]];clock 7\n"sv, Kind::folded},
    {"{lambda()#1};f 2\n"sv, Kind::folded},
    {"\xef\xbb\xbfmain;f 2\n"sv, Kind::folded},
    {"# comment\n\nmain;f 2\r\n"sv, Kind::folded},
    {"# gpustall 1\n# cmdline : x\n"sv, Kind::recording},
    {"PERFILE2\x68\0\0\0"sv, Kind::perf_data},
    {"2ELIFREP"sv, Kind::perf_data},
    {"python3 4711 [003] 8123.456789:     250000 cycles:u: \n\t55 f (x)\n"sv, Kind::perf_script},
    {"# captured on: x\nswapper     0     1.5: cycles: \n"sv, Kind::perf_script},
    {"{\"traceEvents\": ["sv, Kind::trace},
    {"{\n  \"schemaVersion\": 1, \"traceEvents\": []}"sv, Kind::trace},
    {"[{\"ph\": \"X\", \"ts\": 1}]"sv, Kind::trace},
    {"\xef\xbb\xbf{\"traceEvents\""sv, Kind::trace},
    {"{\"$schema\": \"https://www.speedscope.app/file-format-schema.json\"}"sv, Kind::speedscope},
    {"[{\"children\": [], \"frame\": {}, \"metrics\": {}}]"sv, Kind::proton},
    {"{\"children\": [{\"metrics\": {}}]}"sv, Kind::json},
    {"{\"nodes\":[{\"id\":1,\"callFrame\":{}}],\"timeDeltas\":[5]}"sv, Kind::v8_cpu_profile},
    {"{\"threads\":[{\"frameTable\":{},\"stackTable\":{}}]}"sv, Kind::firefox},
    {"{\"rocprofiler-sdk-tool\": []}"sv, Kind::rocprof},
    {"\"Kind\",\"Agent_Id\",\"Correlation_Id\",\"Kernel_Name\"\n"sv, Kind::rocprof},
    {"{\"a\": 1}"sv, Kind::json},
    {"SQLite format 3\0....CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL"sv, Kind::nsys},
    {"SQLite format 3\0....CREATE TABLE \"rocpd_kernel_dispatch\""sv, Kind::rocpd},
    {"SQLite format 3\0"sv, Kind::sqlite},
    {"\x80\x04\x95"sv, Kind::torch_memory},
    {"HPCTOOLKITmeta\4\0"sv, Kind::hpctoolkit},
    {"\x0a\x04\x08\x01\x10\x02\x12\x00"sv, Kind::pprof},
    {"\x48\xe7\xd4\xec\xfa\xaa\xfc\xa7\xf5\x18\x0a\x04\x08\x01\x10\x02"sv, Kind::pprof},
    {"\x50\x88\xad\xa0\xb3\x03\x5a\x04\x08\x03\x10\x04\x60\x80"sv, Kind::pprof},
    // fields in another order: a mapping first
    {"\x1a\x06\x08\x01\x10\x80\x28\x01\x12\x02\x08\x01\x0a\x04\x08\x01\x10\x02"sv, Kind::pprof},
    {"heap profile: 3: 4096 [3: 4096] @ heap_v2/524288\n"sv, Kind::legacy_pprof},
    {"\0\0\0\0\3\0\0\0\0\0\0\0\x10\x27\0\0\0\0\0\0\1\0\0\0"sv, Kind::legacy_pprof},
    {"heap_v2/524288\n  t*: 3: 4096 [0: 0]\n"sv, Kind::jemalloc},
    // stacks, whose names begin as they like
    {"heapprofiler;main 5\n"sv, Kind::folded},
    {"heap_v2/x;main 5\nb 1\n"sv, Kind::folded},
    {"heap profile: f;main 5\n"sv, Kind::folded},
    {"Function Stack,x;main 5\n"sv, Kind::folded},
    {"Time (%);Total Time (ns) 5\n"sv, Kind::folded},
    {"heapprofiler 7 [001] 8.123456: 1 cycles: \n\t 1 f (/a)\n"sv, Kind::perf_script},
    {"FLR\0\0\2\0\1"sv, Kind::java_recording},
    {"Step Id,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us)\n"sv, Kind::trace},
    {"\x0a\x9d\xb2\x08\x12\x0e/host:metadata\x22\x93\x07\x08\x0f"sv, Kind::xspace},
    {"\x0a\x9d\xb2\x08\x08\x01\x12\x0e/host:metadata\x22"sv, Kind::xspace},
    {"\x0a\x2f\x32\x05\x0a\0\0\0"sv, Kind::perfetto, "a.pftrace"},
    {"\x0a\x2f\x32\x05\x0a\0\0\0"sv, Kind::binary},
    {"\x0a\x08\x32\x02\x10\6\x18\0\x50\1\x0a\4\x18\0\x50\1"sv, Kind::perfetto},
    {"\"Kernel Name\",\"mm\",\n"sv, Kind::ncu},
    {"==PROF== Connected to process 4711\n"sv, Kind::ncu},
    {"\"ID\",\"Kernel Name\",\"Section Name\",\"Metric Name\",\"Metric Unit\"\n"sv,
     Kind::ncu_details},
    {"Time (%),Total Time (ns),Instances,Avg (ns)\n"sv, Kind::nsys_stats},
    {"Processing [r.sqlite] with [/x/cuda_gpu_trace.py]...\n"sv, Kind::nsys_stats},
    {"Start (ns),Duration (ns),CorrId,GrdX\n"sv, Kind::nsys_stats},
    {"# callgrind format\nevents: Ir\n"sv, Kind::callgrind},
    {"Function Stack,CPU Time:Self,Module\n"sv, Kind::vtune},
    {"<?xml version=\"1.0\"?>\n<!DOCTYPE HPCToolkitExperiment [\n"sv, Kind::hpctoolkit_xml},
    {"interval\t7\t1412.07\n"sv, Kind::iaprof},
    {"\n=== Device #0 Metrics ===\n"sv, Kind::unitrace},
    {"Kernel, IP[Address], Active[Events]\n"sv, Kind::unitrace},
    {"\x7f"
     "ELF\2\1\1\0"sv,
     Kind::elf},
    {"<?xml version=\"1.0\" standalone=\"no\"?>\n<!DOCTYPE svg PUBLIC"
     " \"-//W3C//DTD SVG 1.1//EN\">\n"sv,
     Kind::svg},
    {"<svg width=\"5\">"sv, Kind::svg},
    {"<!DOCTYPE html>\n"sv, Kind::html},
    {"version https://git-lfs.github.com/spec/v1\noid sha256:5\n"sv, Kind::git_lfs},
    {"PK\3\4\x14\0"sv, Kind::zip},
    {"anything"sv, Kind::nsys_report, "a.nsys-rep"},
    {"NVR\0\1"sv, Kind::ncu_report},
    {"a\0b"sv, Kind::binary},
    {"some words\n"sv, Kind::unknown},
    {"\tat f (x)\n"sv, Kind::unknown},
};

TEST(FileKind, FirstBytesTell) {
  for (const Case& one : kCases)
    EXPECT_EQ(find_file_kind(one.bytes, one.name), one.kind) << one.bytes.substr(0, 60);
}

TEST(FileKind, ATarArchiveSaysItLate) {
  std::string bytes(512, '\0');
  bytes.replace(0, 4, "a.js");
  bytes.replace(257, 5, "ustar");
  EXPECT_EQ(find_file_kind(bytes, "a.tar"), Kind::tar);
}

// No reader refuses what it reads because the first 64 bytes look like something else.
TEST(FileKind, FewerBytesAreNotAnotherKind) {
  for (const Case& one : kCases) {
    if (one.kind == Kind::unknown) continue;
    for (size_t size = 0; size < one.bytes.size(); ++size) {
      const Kind kind = find_file_kind(one.bytes.substr(0, size), one.name);
      const bool is_coarser = kind == Kind::unknown || kind == Kind::binary || kind == Kind::json ||
                              kind == Kind::sqlite || kind == one.kind;
      EXPECT_TRUE(is_coarser) << size << " bytes of " << one.bytes.substr(0, 60) << ": "
                              << kind_name(kind);
    }
  }
}

TEST(FileKind, AnyBytesHaveOne) {
  std::mt19937 random(5);
  for (int round = 0; round < 100000; ++round) {
    std::string bytes(1 + random() % 64, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    if (round % 2 == 0) bytes.front() = '\n';
    find_file_kind(bytes, "");
  }
}

TEST(FileKind, AdviceNamesTheFile) {
  EXPECT_EQ(kind_advice(Kind::recording, "r"), "fold it first: stackcollapse-aiflame r");
  EXPECT_EQ(kind_advice(Kind::zip, "a.zip"), "unpack it: unzip a.zip");
  EXPECT_EQ(kind_advice(Kind::svg, "a%"), "give the folded stacks that it was drawn from");
  EXPECT_EQ(kind_advice(Kind::unknown, "a"), "");
}

}  // namespace
}  // namespace aiflame
