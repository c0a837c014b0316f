// SPDX-License-Identifier: MIT
#include "tools/stackcollapse-pprof/pruning.h"

#include <re2/re2.h>

#include <memory>
#include <string>

#include "libcommon/perf_script/function_parameters.h"

namespace aiflame::pprof {
namespace {

// Functions by whether they match an expression as a whole, without parameters.
class Matches {
 public:
  Matches(const Profile& profile, uint64_t expression) : profile_(profile) {
    const std::string_view text = profile.text(expression);
    if (text.empty()) return;
    pattern_ = std::make_unique<re2::RE2>(re2::StringPiece(text.data(), text.size()), RE2::Quiet);
    if (!pattern_->ok()) profile.fail("drop_frames, keep_frames: " + pattern_->error());
  }
  bool has(const Function& function) const {
    const std::string_view name = without_parameters(profile_.text(function.name));
    return pattern_ != nullptr &&
           RE2::FullMatch(re2::StringPiece(name.data(), name.size()), *pattern_);
  }

 private:
  const Profile& profile_;
  std::unique_ptr<re2::RE2> pattern_;
};

}  // namespace

Pruning::Pruning(const Profile& profile) {
  const Matches drop(profile, profile.drop_frames()), keep(profile, profile.keep_frames());
  std::vector<bool> dropped;
  for (const Function& one : profile.functions())
    dropped.push_back(drop.has(one) && !keep.has(one));
  for (const Location& location : profile.locations()) {
    Cut cut;
    for (uint32_t i = location.lines; i-- > 0 && !cut.cuts;) {
      const uint32_t function = profile.function_of(location.line + i);
      if (function == IdTable::kNone || !dropped[function]) continue;
      cut = {true, location.lines - 1 - i};
    }
    cuts_.push_back(cut);
  }
}

}  // namespace aiflame::pprof
