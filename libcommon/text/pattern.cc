// SPDX-License-Identifier: MIT
#include "libcommon/text/pattern.h"

#include <re2/re2.h>

#include "libcommon/base/program.h"

namespace aiflame {
namespace {

RE2::Options options() {
  RE2::Options out;
  // names may not be UTF-8, so each byte is a character
  out.set_encoding(RE2::Options::EncodingLatin1);
  out.set_log_errors(false);
  return out;
}

}  // namespace

struct Pattern::Impl {
  RE2 expression;
};

Pattern::Pattern(const std::string& expression) : impl_(new Impl{RE2(expression, options())}) {
  if (!impl_->expression.ok())
    throw UsageError(format("'%s' is no regular expression: %s", printable(expression).c_str(),
                            impl_->expression.error().c_str()));
}

Pattern::~Pattern() = default;
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), impl_->expression);
}

}  // namespace aiflame
