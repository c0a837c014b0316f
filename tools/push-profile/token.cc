// SPDX-License-Identifier: MIT
#include "tools/push-profile/token.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"

namespace aiflame::push {
namespace {

// Tokens of Kubernetes and cloud providers have about a thousand bytes.
constexpr size_t kMost = 16384;

}  // namespace

bool is_on_this_machine(std::string_view url) {
  for (const std::string_view host : {"http://127.0.0.1", "http://localhost", "http://[::1]"}) {
    std::string_view rest = url;
    if (take_prefix(rest, host) && (rest.empty() || rest[0] == ':' || rest[0] == '/')) return true;
  }
  return false;
}

std::string read_token(const std::string& path, const std::string& url) {
  if (path.empty()) return "";
  if (!url.starts_with("https://") && !is_on_this_machine(url))
    throw Error("--token-file needs https: by http everybody on the way could read the token");
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  std::string token(kMost, '\0');
  size_t size = 0;
  ssize_t n = fd < 0 ? -1 : 1;
  while (n > 0 && size < kMost) {
    n = read(fd, token.data() + size, kMost - size);
    if (n > 0) size += static_cast<size_t>(n);
  }
  const int error = errno;
  if (fd >= 0) close(fd);
  if (n < 0) throw Error(format("cannot read '%s': %s", path.c_str(), std::strerror(error)));
  token.resize(size);
  token.resize(trim_right(token.substr(0, token.find('\n'))).size());
  const bool is_visible =
      std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c <= '~'; });
  if (token.empty() || size == kMost || !is_visible)
    throw Error(format("'%s' does not begin with a line that is a token", path.c_str()));
  return token;
}

}  // namespace aiflame::push
