// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "libcommon/base/program.h"
#include "libcommon/device/function_name.h"
#include "libcommon/device/temporary_source.h"
#include "tools/aiflame-annotate/annotation.h"
#include "tools/aiflame-annotate/findings.h"
#include "tools/aiflame-annotate/listing_html.h"
#include "tools/aiflame-annotate/listing_json.h"
#include "tools/aiflame-annotate/listing_pages.h"
#include "tools/aiflame-annotate/listing_text.h"
#include "tools/aiflame-annotate/percent.h"
#include "tools/aiflame-annotate/source_texts.h"

namespace aiflame::annotate {
namespace {

using Function = std::pair<const FunctionKey, FunctionSamples>;

bool is_wanted(const FunctionKey& key, const Settings& settings) {
  if (settings.kernels.empty()) return true;
  for (const std::string& symbol : {key.kernel, key.function})
    for (const Pattern& pattern : settings.kernels)
      if (!symbol.empty() &&
          (pattern.matches(symbol) || pattern.matches(device_function_name(symbol, true)) ||
           pattern.matches(device_function_name(symbol, false))))
        return true;
  return false;
}

// The hottest first; equal ones by name.
std::vector<const Function*> choose(const EventSamples& samples, const Settings& settings,
                                    Statistics& statistics) {
  std::vector<const Function*> out;
  for (const Function& each : samples.functions) {
    const uint64_t count = each.second.count;
    if (!is_wanted(each.first, settings))
      statistics.filtered += count;
    else if (!is_at_least(count, samples.read, settings.min_percent))
      statistics.below_limit += count;
    else
      out.push_back(&each);
  }
  std::stable_sort(out.begin(), out.end(), [](const Function* a, const Function* b) {
    return a->second.count > b->second.count;
  });
  return out;
}

void count(const Annotation& annotation, Statistics& statistics) {
  ++statistics.functions;
  statistics.instructions += annotation.code.size();
  for (const AnnotatedInstruction& each : annotation.code) {
    statistics.listed += each.samples;
    statistics.sampled_instructions += each.samples > 0;
  }
  statistics.coverage.add(annotation.coverage);
  statistics.unnamed[static_cast<size_t>(annotation.unnamed)] += annotation.unnamed_samples;
}

// "'/home/u/a.cl' and 2 more"
std::string first_of(const std::set<std::string>& files) {
  return format("'%s'", files.begin()->c_str()) +
         (files.size() == 1 ? "" : format(" and %zu more", files.size() - 1));
}

// Whether the file is one that PoCL has made of a string.
bool is_from_text(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  return is_temporary_source(name) || is_stable_source(name);
}

void warn_of_sources(const SourceTexts& sources) {
  if (const auto& outside = sources.outside(); !outside.empty()) {
    const std::string directory = directory_of_most(outside);
    warn("source outside: %s %s not read; --source-prefix '%s' reads %s", first_of(outside).c_str(),
         outside.size() == 1 ? "was" : "were", directory.empty() ? "DIR" : directory.c_str(),
         outside.size() == 1 ? "it" : "most");
  }
  std::set<std::string> missing, from_text;
  for (const std::string& path : sources.missing())
    (is_from_text(path) ? from_text : missing).insert(path);
  if (!missing.empty())
    warn("no source: %s not found; --source-prefix names directories to look in",
         first_of(missing).c_str());
  if (!from_text.empty())
    warn("no source: %s: the program was built from a string, of which PoCL keeps no file",
         first_of(from_text).c_str());
}

// Those of a function; null where the recording does not tell them. `exposed`: of all functions.
const FunctionSamples* exposed_of(const FunctionKey& key, const EventSamples* exposed) {
  static const FunctionSamples kNone;
  if (exposed == nullptr) return nullptr;
  const auto found = exposed->functions.find(key);
  return found == exposed->functions.end() ? &kNone : &found->second;
}

std::unique_ptr<ListingWriter> make_writer(const Settings& settings, const EventTotal& total,
                                           SourceTexts& sources, PageLinks& links) {
  if (settings.json) return std::make_unique<ListingJson>(settings, total, sources);
  if (!settings.pages.empty())
    return std::make_unique<ListingPages>(settings, total, sources, links);
  if (!settings.html.empty()) return std::make_unique<ListingHtml>(settings, total, sources, links);
  return std::make_unique<ListingText>(settings, total, sources);
}

}  // namespace

Statistics write_listing(const SampledCodeTable& table, const Settings& settings, Output& out,
                         Output* links) {
  Statistics statistics;
  statistics.event = table.choose(settings.event);
  const EventSamples& samples = table.samples(statistics.event);
  statistics.unit = samples.unit;
  statistics.samples = samples.read;
  statistics.outside = samples.outside;
  const EventTotal total{statistics.event, samples.unit, samples.read};
  SourceTexts sources(settings.source_prefixes);
  Annotator annotator(settings.full_names);
  const EventSamples* const exposed = table.exposed(statistics.event);
  PageLinks page_links;
  FindingMaker finder(samples, exposed);
  const std::unique_ptr<ListingWriter> writer = make_writer(settings, total, sources, page_links);
  const std::vector<const Function*> functions = choose(samples, settings, statistics);
  std::vector<ListedFunction> listed;
  for (const Function* each : functions)
    listed.push_back({annotator.name_of(each->first), each->second.count});
  out.write(writer->begin(statistics, listed));
  for (const Function* each : functions) {
    Annotation annotation =
        annotator.annotate(each->first, each->second, exposed_of(each->first, exposed));
    annotation.kernel_samples = finder.kernel_samples(each->first);
    annotation.findings = finder.find(each->first, annotation, sources);
    count(annotation, statistics);
    out.write(writer->function(annotation));
  }
  out.write(writer->end());
  if (links != nullptr) links->write(page_links.text());
  if (statistics.listed + statistics.outside + statistics.filtered + statistics.below_limit !=
      statistics.samples)
    throw Error("internal: the samples listed are not the samples read");
  warn_of_sources(sources);
  return statistics;
}

}  // namespace aiflame::annotate
