// SPDX-License-Identifier: MIT
#include "tools/aiflame-diff/file_quantity.h"

#include "libcommon/base/program.h"

namespace aiflame::diff {
namespace {

struct File {
  std::string name;  // as messages name it
  size_t side;
  const FileQuantity& says;
};

std::vector<File> with_sides(const Paths& paths, const std::vector<FileQuantity>& files) {
  std::vector<File> out;
  for (size_t side = 0; side < kSides; ++side)
    for (const std::string& path : paths[side])
      out.push_back({path == "-" ? "<stdin>" : path, side, files[out.size()]});
  return out;
}

std::string conflict(const File& file, const FileQuantity::Place& place, const std::string& other,
                     const Quantity& of_other, const char* hint) {
  return file.name + ":" + std::to_string(place.line) + ": counts are " + describe(place.quantity) +
         ", those of " + other + " are " + describe(of_other) + "; " + hint +
         "--mixed compares them all the same";
}

bool fit(const File& one, const File& other, Comparison comparison) {
  const Quantity &a = one.says.all().quantity, &b = other.says.all().quantity;
  return is_comparable(a, b) ||
         (comparison == Comparison::shares && one.side != other.side && a.unit == b.unit);
}

// What is wrong with the first file that does not fit itself or an earlier one; empty if all fit.
std::string first_conflict(const std::vector<File>& files, Comparison comparison) {
  for (size_t i = 0; i < files.size(); ++i) {
    const FileQuantity& says = files[i].says;
    if (says.other())
      return conflict(files[i], *says.other(), "line " + std::to_string(says.all().line),
                      says.all().quantity, "");
    for (size_t before = 0; before < i; ++before) {
      const File& other = files[before];
      if (fit(files[i], other, comparison)) continue;
      const bool shares = fit(files[i], other, Comparison::shares);
      return conflict(files[i], says.all(), other.name, other.says.all().quantity,
                      shares ? "--normalize compares shares, " : "");
    }
  }
  return {};
}

}  // namespace

void FileQuantity::read(std::string_view line, uint64_t number) {
  if (const std::optional<Quantity> quantity = parse_quantity(line)) add({*quantity, number});
}

void FileQuantity::add(const FileQuantity& part, uint64_t lines) {
  if (part.all_.line != 0) add({part.all_.quantity, lines + part.all_.line});
  if (part.other_) add({part.other_->quantity, lines + part.other_->line});
}

void FileQuantity::add(const Place& place) {
  if (all_.line == 0)
    all_ = place;
  else if (is_comparable(all_.quantity, place.quantity))
    all_.quantity = common_quantity(all_.quantity, place.quantity);
  else if (!other_)
    other_ = place;
}

Quantity compared_quantity(const Paths& paths, const std::vector<FileQuantity>& files,
                           Comparison comparison) {
  const std::vector<File> all = with_sides(paths, files);
  if (const std::string what = first_conflict(all, comparison); !what.empty()) {
    if (comparison != Comparison::mixed) throw Error(what);
    return {};
  }
  std::array<Quantity, kSides> sides;
  for (const File& file : all)
    sides[file.side] = common_quantity(sides[file.side], file.says.all().quantity);
  Quantity out = common_quantity(sides[0], sides[1]);
  if (comparison == Comparison::shares) {
    // the counts before become such counts as those after
    out.period = sides[1].period;
    out.period_unit = sides[1].period_unit;
  }
  return out;
}

}  // namespace aiflame::diff
