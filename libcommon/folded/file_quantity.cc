// SPDX-License-Identifier: MIT
#include "libcommon/folded/file_quantity.h"

#include "libcommon/base/program.h"
#include "libcommon/io/input.h"

namespace aiflame {
namespace {

using SidePaths = std::array<std::vector<std::string>, 2>;

struct File {
  std::string name;  // as messages name it
  size_t side;
  const FileQuantity& says;
};

std::vector<File> with_sides(const SidePaths& paths, const std::vector<FileQuantity>& files) {
  std::vector<File> out;
  for (size_t side = 0; side < paths.size(); ++side)
    for (const std::string& path : paths[side])
      out.push_back({input_name(path), side, files[out.size()]});
  return out;
}

std::string message(const File& file, const FileQuantity::Place& place, const std::string& other,
                    const Quantity& of_other, const char* verb, const char* hint) {
  return file.name + ":" + std::to_string(place.line) + ": " +
         describe_difference(place.quantity, other, of_other) + "; " + hint + "--mixed " + verb +
         " them all the same";
}

// Shares are of any period.
bool fit(Quantity one, const Quantity& other, bool shares) {
  if (shares) one.period = 0;
  return is_comparable(one, other);
}

// What is wrong between two files; empty if nothing is.
std::string conflict(const File& file, const File& earlier, Compared compared) {
  const bool shares = file.side != earlier.side;
  const char* const verb = file.side == earlier.side ? "adds" : "compares";
  const bool as_shares =
      compared == Compared::run_shares || (shares && compared == Compared::shares);
  for (const FileQuantity::Place& place : file.says.places())
    for (const FileQuantity::Place& reference : earlier.says.places())
      if (!fit(place.quantity, reference.quantity, as_shares))
        return message(
            file, place, earlier.name, reference.quantity, verb,
            fit(place.quantity, reference.quantity, shares) ? "--normalize compares shares, " : "");
  return {};
}

// What is wrong with the first file that does not fit itself or an earlier one; empty if all fit.
std::string first_conflict(const std::vector<File>& files, Compared compared) {
  for (size_t i = 0; i < files.size(); ++i) {
    if (const auto& own = files[i].says.conflict())
      return message(files[i], own->place, "line " + std::to_string(own->reference.line),
                     own->reference.quantity, "adds", "");
    for (size_t earlier = 0; earlier < i; ++earlier)
      if (std::string what = conflict(files[i], files[earlier], compared); !what.empty())
        return what;
  }
  return {};
}

}  // namespace

void FileQuantity::read(std::string_view line, uint64_t number) {
  if (const std::optional<Quantity> quantity = parse_quantity(line)) add({*quantity, number});
}

void FileQuantity::refuse_two_counts(const std::string& name) const {
  for (const Place& place : places())
    if (place.quantity.two_counts)
      throw Error(name + ":" + std::to_string(place.line) +
                  ": two counts on each line, of a difference; take the profiles themselves");
}

void FileQuantity::add(const FileQuantity& part, uint64_t lines) {
  for (const Place& place : part.places()) add({place.quantity, lines + place.line});
  if (part.conflict_) add({part.conflict_->place.quantity, lines + part.conflict_->place.line});
  if (!conflict_) quantity_ = common_quantity(quantity_, part.quantity_);
}

void FileQuantity::add(const Place& place) {
  if (conflict_) return;
  if (const Place* reference = references_.conflict(place.quantity)) {
    conflict_ = {place, *reference};
    return;
  }
  references_.add(place);
  quantity_ = common_quantity(quantity_, place.quantity);
}

Quantity compared_quantity(const SidePaths& paths, const std::vector<FileQuantity>& files,
                           Compared compared) {
  const std::vector<File> all = with_sides(paths, files);
  // one side alone may be a difference already
  if (!paths[0].empty() && !paths[1].empty())
    for (const File& file : all) file.says.refuse_two_counts(file.name);
  if (const std::string what = first_conflict(all, compared); !what.empty()) {
    if (compared != Compared::mixed) throw Error(what);
    return {};
  }
  std::array<Quantity, 2> sides;
  for (const File& file : all)
    sides[file.side] = common_quantity(sides[file.side], file.says.quantity());
  Quantity out = common_quantity(sides[0], sides[1]);
  // a file that says nothing does not say that it was measured
  for (const File& file : all) out.measured = out.measured && file.says.quantity().measured;
  if (compared == Compared::shares || compared == Compared::run_shares) {
    // the counts before become such counts as those after
    out.period = sides[1].period;
    out.period_unit = sides[1].period_unit;
  }
  return out;
}

}  // namespace aiflame
