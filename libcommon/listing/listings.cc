// SPDX-License-Identifier: MIT
#include "libcommon/listing/listings.h"

#include <algorithm>

#include "libcommon/base/parse.h"
#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/text/xml.h"

namespace aiflame {

bool is_page_name(std::string_view name) {
  constexpr std::string_view kEnd = ".html";
  return name.size() > kEnd.size() && name.size() <= 255 && name.ends_with(kEnd) &&
         name.front() != '.' && std::all_of(name.begin(), name.end(), [](char c) {
           return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
                  c == '-' || c == '.';
         });
}

std::string_view ListingsReader::field() {
  if (at_end_) throw Error("'" + kind_ + "' has too few fields");
  const size_t tab = rest_.find('\t');
  const std::string_view out = rest_.substr(0, tab);
  at_end_ = tab == std::string_view::npos;
  rest_ = at_end_ ? std::string_view() : rest_.substr(tab + 1);
  out_ += '\t';
  return out;
}

uint64_t ListingsReader::number(int base) {
  const std::string_view given = field();
  const auto value = parse_number<uint64_t>(given, base);
  if (!value) throw Error("expected a number, not '" + printable(given) + "'");
  out_ += given;
  return *value;
}

void ListingsReader::text() {
  append_xml(out_, field());
}

// `sbid 281;pipe 7`, or with offsets before the numbers `290 270`.
void ListingsReader::numbered(bool offsets) {
  std::string_view list = field();
  append_xml(out_, list);
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(';'));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    const size_t blank = part.rfind(' ');
    if (blank == std::string_view::npos || blank == 0 ||
        !parse_number<uint64_t>(part.substr(blank + 1)) ||
        (offsets && !parse_number<uint64_t>(part.substr(0, blank), 16)))
      throw Error(std::string("expected ") + (offsets ? "an offset" : "a name") +
                  ", a blank and a number, not '" + printable(part) + "'");
  }
}

void ListingsReader::offsets() {
  std::string_view list = field();
  out_ += printable(list);
  while (!list.empty()) {
    const std::string_view part = list.substr(0, list.find(' '));
    list.remove_prefix(std::min(part.size() + 1, list.size()));
    if (!parse_number<uint64_t>(part, 16))
      throw Error("expected an offset, not '" + printable(part) + "'");
  }
}

void ListingsReader::read_kernel() {
  end();
  kernel_ = field();
  if (kernel_.empty()) throw Error("a kernel without a name");
  append_xml(out_, kernel_);
  text();
  const std::string_view page = field();
  if (!is_page_name(page))
    throw Error("'" + printable(page) + "' is no page that aiflame-annotate writes");
  out_ += page;
  samples_ = number();
  text();
  counted_ = lines_ = 0;
  has_file_ = false;
  if (number() > 1) throw Error("expected 0 or 1");
  number();
}

void ListingsReader::read_code() {
  number(16);
  const uint64_t samples = number();
  if (samples > samples_ - counted_) throw Error("'" + printable(kernel_) + "' has fewer samples");
  counted_ += samples;
  const std::string_view line = field();
  if (const auto index = parse_number<uint64_t>(line);
      !line.empty() && (!index || *index >= lines_))
    throw Error("expected a number of a 'line' before, not '" + printable(line) + "'");
  out_ += line;
  text();
  numbered(false);
  numbered(true);
  offsets();
  offsets();
  text();
}

const std::string& ListingsReader::read(std::string_view line) {
  if (!has_header_) {
    if (line != kListingsHeader)
      throw Error("expected '" + std::string(kListingsHeader) + "', not '" +
                  printable(line.substr(0, 80)) + "'");
    has_header_ = true;
    kind_.clear();
    return out_ = "";
  }
  line_ = line;
  rest_ = line_;
  const std::string_view kind = rest_.substr(0, rest_.find('\t'));
  if (kernel_.empty() && kind != "kernel") throw Error("expected a kernel first");
  kind_ = kind;
  at_end_ = kind.size() == rest_.size();
  rest_.remove_prefix(at_end_ ? rest_.size() : kind.size() + 1);
  out_ = kind;
  if (kind == "kernel") {
    read_kernel();
  } else if (kind == "finding") {
    number(16);
    text();
  } else if (kind == "loop") {
    number(16);
    number(16);
    number();
  } else if (kind == "file") {
    text();
    has_file_ = true;
  } else if (kind == "text" && has_file_) {
    number();
    text();
  } else if (kind == "line" && has_file_) {
    number();
    number();
    text();
    ++lines_;
  } else if (kind == "code") {
    read_code();
  } else if (kind == "skip") {
    number();
  } else if (kind != "gap") {
    throw Error("'" + printable(kind.substr(0, 80)) + "' is no part of a listing here");
  }
  if (!at_end_) throw Error("'" + kind_ + "' has too many fields");
  return out_;
}

void ListingsReader::end() const {
  if (!has_header_) throw Error("expected '" + std::string(kListingsHeader) + "'");
  if (counted_ != samples_)
    throw Error("the instructions of '" + printable(kernel_) + "' have " +
                std::to_string(counted_) + " samples, not " + std::to_string(samples_));
}

}  // namespace aiflame
