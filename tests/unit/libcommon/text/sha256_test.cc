// SPDX-License-Identifier: MIT
#include "libcommon/text/sha256.h"

#include <gtest/gtest.h>

#include "libcommon/text/base64.h"

namespace aiflame {
namespace {

std::string base64_of(std::string_view text) {
  std::string out;
  append_base64(out, sha256(text));
  return out;
}

// FIPS 180-4's examples, as `printf abc | openssl dgst -sha256 -binary | base64` has them.
TEST(Sha256, OfKnownTexts) {
  EXPECT_EQ(base64_of(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  EXPECT_EQ(base64_of("abc"), "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
  EXPECT_EQ(base64_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "JI1qYdIGOLjlwCaTDD5gOaM85Flk/yFn9uzt1BnbBsE=");
}

}  // namespace
}  // namespace aiflame
