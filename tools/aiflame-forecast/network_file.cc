// SPDX-License-Identifier: MIT
#include <cmath>

#include "libcommon/base/parse.h"
#include "libcommon/base/program.h"
#include "libcommon/io/input.h"
#include "tools/aiflame-forecast/network.h"

namespace aiflame::forecast {
namespace {

// A file of weights has a screen of lines; what is longer is none.
constexpr uint64_t kMostLines = 1000;
constexpr size_t kLongestLine = 1000;

class Reader {
 public:
  explicit Reader(const std::string& path) : lines_(path) {}

  Networks read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (lines_.line_number() > kMostLines || line.size() > kLongestLine)
        fail("too long: not a file of weights");
      rest_ = trim_right(line);
      const std::string_view key = take_field(rest_);
      if (key.empty() || key.starts_with('#')) continue;
      if (key != "network") fail("unknown key '" + std::string(key) + "'");
      read_network();
    }
    return std::move(networks_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(lines_.place() + ": " + what);
  }

  void read_network() {
    const std::string_view name = take_field(rest_);
    const auto place = find_name(kFamilyNames, name);
    if (!place || !is_product(static_cast<Family>(*place)))
      fail("'" + std::string(name) + "' is not a family of products");
    const Family family = static_cast<Family>(*place);
    const std::string_view device = take_field(rest_);
    if (device.empty()) fail("expected a device");
    if (networks_.has(family, device)) fail("the same device again");
    Network network;
    for (std::array<double, 3>* weights : {&network.gain, &network.loss})
      for (double& weight : *weights) weight = number();
    for (Network::Range* range : {&network.intensity, &network.waves}) {
      range->low = number();
      range->high = number();
      if (range->low > range->high) fail("a range ends before it begins");
    }
    if (!trim_left(rest_).empty()) fail("text after the value: '" + std::string(rest_) + "'");
    networks_.add(family, device, network);
  }

  // The bound keeps all that is computed of it finite.
  double number() {
    constexpr double kMost = 100;
    const auto value = parse_number<double>(take_field(rest_));
    if (!value || !(std::abs(*value) <= kMost)) fail("expected a number from -100 to 100");
    return *value;
  }

  LineReader lines_;
  std::string_view rest_;
  Networks networks_;
};

}  // namespace

Networks read_networks(const std::string& path) {
  return Reader(path).read();
}

}  // namespace aiflame::forecast
