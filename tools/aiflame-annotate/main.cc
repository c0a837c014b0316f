// SPDX-License-Identifier: MIT
// aiflame-annotate: lists the instructions of kernels with their samples, as perf annotate does.
//
//   gpustall-record -o r.gpustall ./app && aiflame-annotate r.gpustall
//
//   matmul 4711/4713 [000]  5012.010000000:        288 gpu-stall:
//                  0 sbid ([stall])
//       8000000012c8 multiply_basic+0x2c8 (/home/u/objects/3f2a.zebin)
//
//   # kernel multiply_basic  object /home/u/objects/3f2a.zebin  event gpu-stall  …
//     6.20%        292  matmul.cl:10      sum += a[row * n + k] * b[k * n + col];
//     0.00%          0  0x290     send.ugm (16|M0) r14 r10 …                 ->0x2c8
//     6.11%        288  0x2c8     mad (16|M0) r20.0<1>:f …     sbid 281, pipe 7  <-0x290,0x2a0
#include <memory>
#include <optional>
#include <string>

#include "libcommon/base/output.h"
#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/objects/disassembly.h"
#include "libcommon/perf_data/perf_data.h"
#include "libcommon/process/sandbox.h"
#include "tools/aiflame-annotate/listing.h"
#include "tools/aiflame-annotate/settings.h"

namespace aiflame::annotate {
namespace {

// Objects and sources are named by what is recorded, so any file may have to be read.
void enter_sandbox(const Settings& settings) {
  Rights rights = disassembler_rights();
  rights.written = settings.pages;
  rights.temporary_files = true;  // compressed perf.data
  drop_rights(rights);
}

// A name such as `listings` may be meant as a directory.
bool is_one_page_without_suffix(const Settings& settings) {
  const std::string name = settings.html.substr(settings.html.rfind('/') + 1);
  return !name.empty() && name != "-" && settings.links.empty() && settings.pages.empty() &&
         name.find('.') == std::string::npos;
}

int annotate(int argc, char** argv) {
  const std::optional<Settings> settings = parse_settings(argc, argv);
  if (!settings) return 0;
  std::optional<Output> statistics;
  if (!settings->stats.empty())
    statistics.emplace(settings->stats, Output::Existing::kept_until_written);
  if (!settings->pages.empty()) make_output_directory(settings->pages);
  std::optional<Output> links;
  if (!settings->links.empty())
    links.emplace(settings->links, Output::Existing::kept_until_written);
  Output out(settings->html, Output::Existing::kept_until_written);
  if (!settings->no_sandbox) enter_sandbox(*settings);
  outlive_interrupt();
  SampledCodeTable samples;
  for (const std::string& path : settings->inputs) {
    if (is_perf_data_directory(path))
      samples.read_perf_data(ByteSource(path + "/data"), path);
    else
      samples.read(ByteSource(path));
  }
  const Statistics result = write_listing(samples, *settings, out, links ? &*links : nullptr);
  if (statistics) {
    statistics->write(result.json());
    statistics->close();
  }
  if (links) links->close();
  out.close();
  say("%s", result.line().c_str());
  if (is_one_page_without_suffix(*settings))
    hint(
        "'%s' is one page; --html %s/ writes a page for each kernel, and links for aiflame-svg "
        "--annotate",
        printable(settings->html).c_str(), printable(settings->html).c_str());
  return 0;
}

}  // namespace
}  // namespace aiflame::annotate

int main(int argc, char** argv) {
  return aiflame::run_program("aiflame-annotate", argc, argv, aiflame::annotate::annotate);
}
