// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/draw/name_attributes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/text/xml.h"

namespace aiflame::svg {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool is_name(std::string_view text) {
  return !text.empty() && std::isalpha(static_cast<unsigned char>(text[0])) != 0 &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                  c == '.';
         });
}

// Attributes that only describe: data, and what links and screen readers use. Everything else is
// refused, since a list of what runs scripts, loads files or changes how the file is read (onclick,
// style, fill="url(…)", xmlns) would never be complete.
bool is_allowed(const std::string& name) {
  static constexpr std::array kOwn = {"data-a", "data-d", "data-n", "data-x"};
  static constexpr std::array kPlain = {"role",     "tabindex", "lang",     "rel",
                                        "hreflang", "type",     "download", "referrerpolicy"};
  const auto is_in = [&](const auto& list) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  return is_in(kPlain) || name.starts_with("aria-") || (name.starts_with("data-") && !is_in(kOwn));
}

// Parses `name="value" name='value'…` and returns it as XML. Throws Error, without the line.
std::string extra_attributes(std::string_view text) {
  std::string out;
  std::map<std::string, bool> seen;
  for (text = trim_left(text); !text.empty(); text = trim_left(text)) {
    const size_t equals = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, equals);
    if (!is_name(name)) throw Error("'" + printable(name) + "' is not an attribute's name");
    if (!is_allowed(lower(name)))
      throw Error("the attribute '" + printable(name) + "' may not be set");
    if (!seen.emplace(lower(name), true).second)
      throw Error("the attribute '" + printable(name) + "' is there twice");
    text.remove_prefix(std::min(equals + 1, text.size()));
    const char quote = text.empty() ? 0 : text.front();
    const size_t end = quote == '"' || quote == '\'' ? text.find(quote, 1) : std::string_view::npos;
    if (end == std::string_view::npos)
      throw Error("the value of '" + printable(name) + "' is not in quotes");
    out += " " + std::string(name) + "=\"" + xml(text.substr(1, end - 1)) + "\"";
    text.remove_prefix(end + 1);
  }
  return out;
}

// Attributes that flamegraph.pl passes over in silence.
class Oddities {
 public:
  explicit Oddities(std::string what) : what_(std::move(what)) {}

  void add(const std::string& place, std::string_view attribute) {
    if (count_++ == 0) first_ = place + ": attribute '" + printable(attribute) + "' " + what_;
  }
  void tell() const {
    const std::string more = count_ > 1 ? " (and " + std::to_string(count_ - 1) + " more)" : "";
    if (count_ > 0) warn("%s%s", first_.c_str(), more.c_str());
  }

 private:
  std::string what_, first_;
  uint64_t count_ = 0;
};

struct Warnings {
  Oddities unknown{"is none of id, class, title, href, target, g_extra, a_extra, and is ignored"};
  Oddities repeated{"is repeated; the last one counts"};
  Oddities empty{"has no value"};
};

// The attributes of a line, by name.
std::map<std::string, std::string_view> take_fields(std::string_view text, const std::string& place,
                                                    Warnings& warnings) {
  std::map<std::string, std::string_view> given;
  while (!text.empty()) {
    const std::string_view field = text.substr(0, text.find('\t'));
    text.remove_prefix(std::min(field.size() + 1, text.size()));
    if (field.empty()) continue;
    const size_t equals = field.find('=');
    if (equals == std::string_view::npos)
      throw Error("expected name=value, not '" + printable(field) + "'");
    const std::string name(field.substr(0, equals));
    static constexpr std::array kNames = {"id",     "class",   "title",  "href",
                                          "target", "g_extra", "a_extra"};
    if (std::find(kNames.begin(), kNames.end(), name) == kNames.end()) {
      warnings.unknown.add(place, name);
      continue;
    }
    const std::string_view value = field.substr(equals + 1);
    if (value.empty()) warnings.empty.add(place, name);
    if (!given.insert_or_assign(name, value).second) warnings.repeated.add(place, name);
  }
  return given;
}

NameAttributes::Entry make_entry(std::map<std::string, std::string_view> given,
                                 const std::string& folder) {
  NameAttributes::Entry entry;
  if (given.contains("id")) entry.attributes += " id=\"" + xml(given["id"]) + "\"";
  if (given.contains("class")) entry.classes = xml(given["class"]);
  entry.title = xml(given["title"]);
  entry.link = !given["href"].empty();
  if (entry.link) {
    if (!is_safe_link(given["href"]))
      throw Error("'" + printable(given["href"]) + "' is no link to a place");
    // by default a link replaces the page that shows the picture, not the picture alone
    const std::string_view target = given["target"].empty() ? "_top" : given["target"];
    std::string url(given["href"]);
    if (url.starts_with("./")) url.replace(0, 2, folder);
    entry.attributes += " xlink:href=\"" + xml(url) + "\" target=\"" + xml(target) + "\"";
  }
  std::string extra(given["g_extra"]);
  if (entry.link) extra += " " + std::string(given["a_extra"]);
  entry.attributes += extra_attributes(extra);
  return entry;
}

}  // namespace

bool is_safe_link(std::string_view url) {
  const size_t end = url.find_first_of(":/?#");
  if (end == std::string_view::npos || url[end] != ':') return true;
  // browsers ignore blanks and control characters in a scheme, so with these it is refused
  const std::string scheme = lower(url.substr(0, end));
  static constexpr std::array kSchemes = {"http", "https", "ftp", "file", "mailto"};
  return std::find(kSchemes.begin(), kSchemes.end(), scheme) != kSchemes.end();
}

NameAttributes::NameAttributes(const std::string& path, const std::string& folder) {
  LineReader reader(path);
  std::string_view line;
  Warnings warnings;
  while (reader.next(line)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (line.starts_with("<!DOCTYPE html"))
      throw Error("'" + printable(path) +
                  "' is a page, not a file of links; aiflame-annotate writes links to DIR with "
                  "--html DIR/, or to FILE with --links FILE");
    const size_t tab = line.find('\t');
    if (tab == std::string_view::npos)
      throw Error(reader.place() + ": expected a name, a tab, and name=value");
    const std::string name = printable(line.substr(0, tab));
    try {
      Entry& entry = entries_[name];
      entry = make_entry(take_fields(line.substr(tab + 1), reader.place(), warnings), folder);
      entry.name = xml(name);
      if (const size_t end = name.find(';'); end != std::string::npos)
        below_.insert(name.substr(0, end));
    } catch (const Error& error) {
      throw Error(reader.place() + ": " + error.what());
    }
  }
  for (const Oddities* kind : {&warnings.unknown, &warnings.repeated, &warnings.empty})
    kind->tell();
}

const NameAttributes::Entry* NameAttributes::find(std::string_view name,
                                                  std::string_view below) const {
  auto found = entries_.end();
  if (!below.empty()) found = entries_.find(std::string(below).append(";").append(name));
  if (found == entries_.end()) found = entries_.find(std::string(name));
  return found == entries_.end() ? nullptr : &found->second;
}

}  // namespace aiflame::svg
