// SPDX-License-Identifier: MIT
#include "tools/aiflame-svg/data/listings.h"

#include <set>
#include <string_view>

#include "libcommon/base/printable.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "libcommon/listing/listings.h"
#include "libcommon/text/xml.h"

namespace aiflame::svg {
namespace {

std::set<std::string_view> names_of_kernels(const FlameTree& tree) {
  std::set<std::string_view> out;
  for (uint32_t i = 0; i < tree.names().size(); ++i)
    if (std::string_view name = tree.names()[i]; name.ends_with("_[G]"))
      out.insert(name.substr(0, name.size() - 4));
  return out;
}

}  // namespace

std::string listings_element(const std::string& path, const std::string& folder,
                             const FlameTree& tree) {
  const std::set<std::string_view> kernels = names_of_kernels(tree);
  LineReader lines(path);
  ListingsReader reader;
  std::string out;
  bool is_here = false;
  uint64_t read = 0;
  std::string_view line;
  const auto at_this_line = [&](const Error& error) {
    return Error(lines.place() + ": " + error.what());
  };
  while (lines.next(line)) {
    read += line.size() + 1;
    try {
      if (read > kListingsBytes) throw Error("more than aiflame-annotate writes, 2 MB");
      const std::string& record = reader.read(line);
      if (reader.is_kernel()) is_here = kernels.contains(reader.kernel());
      if (is_here && !record.empty()) out += record + "\n";
    } catch (const Error& error) {
      throw at_this_line(error);
    }
  }
  try {
    reader.end();
  } catch (const Error& error) {
    throw at_this_line(error);
  }
  if (out.empty()) return out;
  return "<metadata id=\"listings\" data-folder=\"" + xml(folder) + "\">\n" + out + "</metadata>\n";
}

}  // namespace aiflame::svg
