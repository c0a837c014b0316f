// SPDX-License-Identifier: MIT
#include "tools/aiflame-annotate/listing_pages.h"

#include <map>
#include <set>

#include "libcommon/base/output.h"
#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/text/url.h"
#include "libcommon/text/xml.h"
#include "tools/aiflame-annotate/findings.h"
#include "tools/aiflame-annotate/listing_html.h"
#include "tools/aiflame-annotate/percent.h"

namespace aiflame::annotate {
namespace {

constexpr const char* kIndex = "index.html";
constexpr const char* kData = "/listings";

// File systems take 255 bytes.
constexpr size_t kLongest = 100;

std::string file_stem(std::string_view name) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.";
  std::string out;
  for (const char c : name.substr(0, kLongest)) {
    if (kPlain.find(c) != std::string_view::npos)
      out += c;
    else if (!out.empty() && out.back() != '-')
      out += '-';
  }
  while (out.ends_with('-')) out.pop_back();
  // a name such as `..` or the list's own
  return out.find_first_not_of('.') == std::string::npos || out == "index" ? out + "_kernel" : out;
}

}  // namespace

std::vector<std::string> page_files(const std::vector<ListedFunction>& functions) {
  std::vector<std::string> out;
  std::set<std::string> taken;
  std::map<std::string, unsigned> numbers;  // the last one of each stem
  for (const ListedFunction& each : functions) {
    const std::string stem = file_stem(each.name);
    std::string name = stem;
    for (unsigned& number = numbers.try_emplace(stem, 1).first->second; !taken.insert(name).second;)
      name = stem + "-" + std::to_string(++number);
    out.push_back(name + ".html");
  }
  return out;
}

std::string ListingPages::begin(const Statistics& statistics,
                                const std::vector<ListedFunction>& functions) {
  statistics_ = &statistics;
  functions_ = functions;
  files_ = page_files(functions);
  return page_head("kernels", "Annotated kernels") + "<p>" + samples_sentence(total_, statistics) +
         "</p>\n<main>\n<ol class=\"kernels\">\n";
}

std::string ListingPages::function(const Annotation& annotation) {
  const ListedFunction& its = functions_[written_];
  const std::string& file = files_[written_++];
  links_.set_page(file);
  ListingHtml page(settings_, total_, sources_, links_, kIndex);
  Output out(settings_.pages + "/" + file, Output::Existing::kept_until_written);
  out.write(page.begin(*statistics_, {its}));
  out.write(page.function(annotation));
  out.write(page.end());
  out.close();
  data_.add(annotation, file, total_.unit, settings_, sources_);
  std::string row = "<li><a href=\"" + url_of_path(file) + "\">" + xml(its.name) + "</a> " +
                    percent(its.samples, total_.samples) + ", " + counted(its.samples, total_.unit);
  if (!annotation.findings.empty())
    row += "<br>" + xml(finding_text(annotation.findings.front(), annotation, false));
  return row + "\n";
}

std::string ListingPages::end() {
  Output out(settings_.pages + kData, Output::Existing::kept_until_written);
  out.write(data_.text());
  out.close();
  if (data_.left_out() > 0)
    warn("'%s%s' has %zu of %zu functions, the hottest that fit into 2 MB; the pages have all",
         printable(settings_.pages).c_str(), kData, data_.added(),
         data_.added() + data_.left_out());
  return "</ol>\n" + page_end();
}

}  // namespace aiflame::annotate
