// SPDX-License-Identifier: MIT
#include "tools/aiflame-merge/merged_quantity.h"

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame::merge {
namespace {

std::string message(const std::string& path, const FileQuantity::Place& place,
                    const std::string& other, const Quantity& of_other) {
  return input_name(path) + ":" + std::to_string(place.line) + ": " +
         describe_difference(place.quantity, other, of_other) + "; --mixed adds them all the same";
}

}  // namespace

Quantity merged_quantity(const std::vector<std::string>& paths,
                         const std::vector<FileQuantity>& files, bool mixed) {
  QuantityReferences references;
  Quantity out;
  for (size_t i = 0; i < files.size(); ++i) {
    files[i].refuse_two_counts(input_name(paths[i]));
    std::string what;
    if (const auto& own = files[i].conflict())
      what = message(paths[i], own->place, "line " + std::to_string(own->reference.line),
                     own->reference.quantity);
    for (FileQuantity::Place place : files[i].places()) {
      place.file = input_name(paths[i]);
      const FileQuantity::Place* const other = references.conflict(place.quantity);
      if (other == nullptr)
        references.add(place);
      else if (what.empty())
        what = message(paths[i], place, other->file, other->quantity);
    }
    if (!what.empty()) {
      if (!mixed) throw Error(what);
      return {};
    }
    out = common_quantity(out, files[i].quantity());
  }
  // a file that says nothing does not say that it was measured
  for (const FileQuantity& file : files) out.measured = out.measured && file.quantity().measured;
  return out;
}

}  // namespace aiflame::merge
